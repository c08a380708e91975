"""TREC runs as recommenders, and their accuracy by qrels."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
import pyarrow as pa

from evenhand.errors import InputError
from evenhand.inputs.peers.trec import read_qrels, read_run
from evenhand.parameters import plain_path, whole
from evenhand.recommenders.adapters.tables import KEYS, ScoreTable, ids_and_codes
from evenhand.recommenders.evaluation import MEASURES, at_k_by_list
from evenhand.recommenders.taken.ids import id_list


def from_trec(
    run: str | Path,
    *,
    user_ids: Any = None,
    item_ids: Any = None,
    missing: Literal["refuse", "lowest"] = "refuse",
) -> ScoreTable:
    """A recommender from a run file, with a line `user Q0 item rank score tag` for each pair.

    Lists are in the order of trec_eval: by score in 32 bits, and equal ones by item id as text, the last
    first; the rank in the file is not looked at. Ids are whole numbers where all are such, and otherwise
    text, or of the type of `user_ids` and `item_ids`, which may add users and items that are in no line.
    """
    found = read_run(_existing("the run", run), "the run")
    users, user = ids_and_codes(_typed(found.column("user_id"), user_ids), user_ids, "user")
    items, item = ids_and_codes(_typed(found.column("item_id"), item_ids), item_ids, "item")
    scores, ranks = (found.column(one).to_numpy() for one in ("score", "rank"))
    return ScoreTable(users, items, user, item, scores, missing, ranks)


def accuracy(run: str | Path, qrels: str | Path, k: int = 10) -> dict[str, float]:
    """Means of our measures at k over the users of the qrels, from two files, as ir-measures has them.

    An item is relevant if its grade is at least 1. NDCG weighs by the grade itself, over the best order of
    all that is relevant. A user of the qrels without a list, or without anything relevant, counts 0.
    """
    k = whole("k", k)
    listed = _text_keys(read_run(_existing("the run", run), "the run"))
    wanted = _text_keys(read_qrels(_existing("the qrels", qrels), "the qrels"))
    users = wanted["user_id"].unique()
    shown = listed[listed["rank"] <= k].merge(wanted, how="left", on=list(KEYS))
    shown = shown[shown["user_id"].isin(users)]
    row = pd.Index(users).get_indexer(pd.Index(shown["user_id"]))
    grades = np.zeros((len(users), k))
    grades[row, shown["rank"].to_numpy() - 1] = shown["relevance"].fillna(0).to_numpy()
    good = wanted[wanted["relevance"] >= 1]
    relevant = np.bincount(pd.Index(users).get_indexer(pd.Index(good["user_id"])), minlength=len(users))
    some = relevant > 0
    values = at_k_by_list(grades[some] > 0, relevant[some], k)
    values["ndcg"] = _ndcg(grades, good, users, k)[some]
    return {name: float(values[name].sum() / len(users)) for name in MEASURES}


def _ndcg(grades: np.ndarray, good: pd.DataFrame, users: np.ndarray, k: int) -> np.ndarray:
    """With grades, where the measure of lists of hits has ones."""
    discount = 1 / np.log2(np.arange(2, k + 2))
    best = good.sort_values(["user_id", "relevance"], ascending=[True, False])
    place = best.groupby("user_id").cumcount().to_numpy()
    first = place < k
    row = pd.Index(users).get_indexer(pd.Index(best["user_id"]))[first]
    ideal = np.bincount(row, best["relevance"].to_numpy()[first] * discount[place[first]], len(users))
    return np.asarray((grades * discount).sum(axis=1) / np.where(ideal > 0, ideal, 1))


def _existing(name: str, path: str | Path) -> Path:
    """The path of a file; what is wrong with another is said as of tables."""
    found = plain_path(name, path)
    if not found.is_file():
        raise InputError(f"{name}: there is no file {str(path)!r}; check the path.")
    return found


def _typed(column: pa.ChunkedArray, given: Any) -> pd.Series:
    """As text, where the ids that were given are text."""
    as_text = given is not None and id_list(given, "known").dtype.kind in "UO"
    return (column.cast(pa.string()) if as_text else column).to_pandas()


def _text_keys(found: pa.Table) -> pd.DataFrame:
    """Two files may differ in whether all ids are numbers."""
    for place, key in enumerate(KEYS):
        found = found.set_column(place, key, found.column(key).cast(pa.string()))
    return found.to_pandas()
