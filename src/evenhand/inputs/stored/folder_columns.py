"""Names of folders that are columns: logs/day=2026-01-03/part-0.parquet is of that day."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from evenhand.errors import InputError

_COLUMN = re.compile(r"([^=]+)=(.*)")


def named_in(path: Path) -> tuple[str, ...]:
    """The columns that the folders of a file name, outermost first."""
    found = (_COLUMN.fullmatch(part) for part in path.parent.parts)
    return tuple(match[1] for match in found if match)


def folder_columns(paths: Sequence[Path], columns: Sequence[str], name: str) -> tuple[str, ...]:
    """The columns that the folders of all files name; raise where they differ, or a file has one already."""
    named = named_in(paths[0])
    if not named:
        raise InputError(
            f"{name}: folders are to be columns, but {paths[0]} is in no folder called like day=2026-01-03; "
            "leave folders out."
        )
    other = next((path for path in paths if named_in(path) != named), None)
    if other is not None:
        raise InputError(
            f"{name}: folders are to be columns, but {paths[0]} is by {', '.join(named)} and {other} is not; "
            "name files that lie alike."
        )
    taken = [one for one in named if one in columns]
    if taken:
        raise InputError(
            f"{name}: a folder and a column are both called {taken[0]!r}; leave folders out, and use the "
            "column."
        )
    return named
