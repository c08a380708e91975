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
    header = file_header(Path(path))
    short = not set(KEYS) & set(header) and set(_SHORT.values()) <= set(header)
    return from_table(path, columns=_SHORT if short else None, **known)
