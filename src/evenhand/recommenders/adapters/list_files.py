"""A file of scores or lists, whoever wrote it, as a recommender."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from evenhand.inputs import file_header
from evenhand.inputs.peers import RUN, recognised
from evenhand.recommenders.adapters.tables import KEYS, ScoreTable, from_table
from evenhand.recommenders.adapters.trec import from_trec

# What LensKit before 2025 calls them.
_SHORT = {"user_id": "user", "item_id": "item"}


def from_file(
    path: str | Path,
    *,
    user_ids: Any = None,
    item_ids: Any = None,
    missing: Literal["refuse", "lowest"] = "refuse",
) -> ScoreTable:
    """A recommender from one file, by what is in it: a run of TREC, lists of Elliot or LensKit, or a table
    of scores or ranks as `from_table` takes it, whose ids may also be called `user` and `item`."""
    known: dict[str, Any] = {"user_ids": user_ids, "item_ids": item_ids, "missing": missing}
    peer = recognised(Path(path), "recommendations")
    if peer is not None and peer.what == RUN:
        return from_trec(path, **known)
    return from_table(path, columns=their_names(path), **known)


def their_names(source: Any) -> dict[str, str] | None:
    """What a file calls the ids, where that is `user` and `item`; None for all else."""
    if not isinstance(source, str | Path) or not Path(source).is_file():
        return None
    header = set(file_header(Path(source)))
    return _SHORT if not header & set(KEYS) and set(_SHORT.values()) <= header else None
