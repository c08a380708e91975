"""Run and qrels files of TREC, as trec_eval reads them.

A run has `user Q0 item rank score tag`. Its order is that of the scores; the rank is not looked at. Equal
scores are in the order of item ids as text, the last first, and scores are equal if they are so in 32 bits.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from evenhand.inputs.peers import ids
from evenhand.inputs.peers.lines import Layout, read

RUN = Layout(
    "a TREC run",
    (
        ("user_id", "id"),
        ("Q0", "ignored"),
        ("item_id", "id"),
        ("rank", "whole"),
        ("score", "number"),
        ("tag", "ignored"),
    ),
)
QRELS = Layout(
    "a TREC qrels file",
    (("user_id", "id"), ("0", "ignored"), ("item_id", "id"), ("relevance", "whole")),
)


def read_run(path: Path, name: str) -> pa.Table:
    """Columns user_id, item_id, rank (from 1, the order of trec_eval) and score, as the lines are."""
    found = read(path, RUN, name)
    ids.refuse_repeated(found, path, RUN, name)
    users, items, score = found["user_id"], found["item_id"], np.asarray(found["score"])
    rank = trec_ranks(users.codes, items, score)
    return pa.table(
        {"user_id": ids.column(users), "item_id": ids.column(items), "rank": rank, "score": score}
    )


def read_qrels(path: Path, name: str) -> pa.Table:
    """Columns user_id, item_id and relevance (a whole number; below 1 is not relevant)."""
    found = read(path, QRELS, name)
    ids.refuse_repeated(found, path, QRELS, name)
    users, items = found["user_id"], found["item_id"]
    return pa.table(
        {
            "user_id": ids.column(users),
            "item_id": ids.column(items),
            "relevance": np.maximum(np.asarray(found["relevance"]), 0),
        }
    )


def trec_ranks(
    user: NDArray[np.integer], items: pd.Categorical, score: NDArray[np.float64]
) -> NDArray[np.int64]:
    """The place of each line in the list of its user."""
    names = np.asarray(items.categories, dtype=str)
    last_first = np.empty(len(names), dtype=np.int64)
    last_first[np.argsort(names)] = -np.arange(len(names))
    with np.errstate(over="ignore"):
        single = score.astype(np.float32)
    order = np.lexsort((last_first[items.codes], -single, user))
    ordered = user[order]
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(1, len(order) + 1) - np.searchsorted(ordered, ordered)
    return rank
