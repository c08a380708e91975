"""A SQLite store is one file and the log beside it: what would open another by the same name is refused.

SQLite makes a file that is not there, and then deletes the log that stands beside it, as if it were of an
earlier file. What was acknowledged a moment ago is in that log alone.
"""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, event

from evenhand.errors import InputError


def identity(path: Path) -> tuple[int, int] | None:
    """Which file it is, whatever its name; None where it is none, or gone."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def log_of(path: Path) -> Path:
    """Its write-ahead log: beside the file itself, whatever links lead there."""
    real = Path(os.path.realpath(path))
    return real.with_name(f"{real.name}-wal")


def refuse_log_alone(path: Path, name: str) -> None:
    """Where a log is left of a file that is gone: what was written last is in it, and a new file would be
    the end of it."""
    if path.exists() and path.stat().st_size:
        return
    log = log_of(path)
    if log.exists() and log.stat().st_size:
        raise InputError(
            f"There is {log.name} beside the store {name}, and the store itself is gone: what was written "
            "last is in that file. Put the store back beside it, or move it away, too."
        )


def keep_to(engine: Engine, path: Path) -> None:
    """All connections of this engine are to the file that the first one opened or made."""
    held: list[tuple[int, int] | None] = []

    def refuse_another(*_: Any) -> None:
        if held and identity(path) != held[0]:
            raise sqlite3.OperationalError("unable to open it: the file was moved away or replaced")

    def hold(*_: Any) -> None:
        if not held:
            held.append(identity(path))

    event.listen(engine, "do_connect", refuse_another)
    event.listen(engine, "connect", hold)
