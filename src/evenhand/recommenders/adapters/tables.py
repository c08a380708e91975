"""What a system has already computed: a table of scores, or of top-N lists, as a recommender."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from evenhand.errors import InputError
from evenhand.inputs import Table, explain_problems, table, unique_key
from evenhand.parameters import shown
from evenhand.recommenders.adapters.missing import check_missing, refuse_unscored
from evenhand.recommenders.protocol import Recommender, Scores
from evenhand.recommenders.taken.ids import Codes, refuse_odd_ids, sorted_ids

KEYS = ("user_id", "item_id")


class ScoreTable(Recommender):
    """score(u, i) as the table says. Pairs that are not in it rank below all others, and are not listed.

    Kept sparse: a block of users is the only dense array that is ever made. `places` (users x items) holds
    the place of a pair in `scores`, plus 1, so that a score of 0 is not taken for a pair that is missing.
    Lists are by score and the item's place, or by `ranks` where these are given.
    """

    def __init__(
        self,
        user_ids: NDArray[Any],
        item_ids: NDArray[Any],
        user: Codes,
        item: Codes,
        scores: NDArray[Any],
        missing: str = "refuse",
        ranks: NDArray[np.int64] | None = None,
    ) -> None:
        self.user_ids, self.item_ids, self.missing = user_ids, item_ids, check_missing(missing)
        order = np.lexsort((item, user))
        counts = np.bincount(user, minlength=len(user_ids))
        starts = np.concatenate([[0], np.cumsum(counts)])
        self.scores = np.asarray(scores, dtype=np.float64)[order]
        self.ranks = None if ranks is None else ranks[order]
        self.places = sparse.csr_array(
            (np.arange(1, len(order) + 1), item[order], starts), shape=(len(user_ids), len(item_ids))
        )

    def score_block(self, users: Codes) -> Scores:
        rows = self.places[users]
        scores = np.full(rows.shape, -np.inf)
        scores[_pairs(rows)] = self.scores[rows.data - 1]
        return scores

    def score_pairs(self, user: Codes, item: Codes) -> Scores:
        if len(user) == 0:
            return np.empty(0)
        places = np.asarray(self.places[user, item])
        scores = np.where(places > 0, self.scores[places - 1], -np.inf)
        return refuse_unscored(scores, "the table") if self.missing == "refuse" else scores

    def _top(self, users: Codes, k: int, exclude: sparse.csr_array | None) -> tuple[Codes, Scores]:
        """As the protocol has it, from the rows alone: most pairs of a large table are not in it."""
        width = len(self.item_ids)
        rows = self.places[users]
        user, item = _pairs(rows)
        score = self.scores[rows.data - 1]
        place = -score if self.ranks is None else self.ranks[rows.data - 1]
        if exclude is not None:
            seen_user, seen_item = _pairs(exclude[users])
            kept = ~np.isin(user * width + item, seen_user * width + seen_item)
            user, item, score, place = user[kept], item[kept], score[kept], place[kept]
        order = np.lexsort((item, place, user))
        user, item, score = user[order], item[order], score[order]
        place = np.arange(len(user)) - np.searchsorted(user, user)
        user, item, score, place = (values[place < k] for values in (user, item, score, place))
        items, best = np.full((len(users), k), -1), np.full((len(users), k), -np.inf)
        items[user, place], best[user, place] = item, score
        return items, best


def _pairs(rows: sparse.csr_array) -> tuple[Codes, Codes]:
    """Row and column of each entry; 64 bits, as their product may not fit into less."""
    row = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    return row, rows.indices.astype(np.int64)


def from_table(
    source: Any,
    *,
    columns: Mapping[str, str] | None = None,
    by: Literal["score", "rank"] | None = None,
    user_ids: Any = None,
    item_ids: Any = None,
    missing: Literal["refuse", "lowest"] = "refuse",
    name: str = "recommendations",
    engine: Any = None,
) -> ScoreTable:
    """A recommender from anything that `evenhand.inputs.table` opens, with one row for each pair.

    Columns are user_id, item_id and score (higher is better) or rank (1 is best, distinct for a user; its
    score is minus the rank); `columns` maps these names to the table's own. `by` chooses if it has both, and
    is the score by default. `user_ids` and `item_ids` may add users and items that are in no row. `missing`
    says what `score` does with pairs that are not in the table: refuse, or minus infinity.
    """
    opened = table(source, name=name, columns=columns, engine=engine)
    by = by or ("score" if "score" in opened.columns or "rank" not in opened.columns else "rank")
    if by not in ("score", "rank"):
        raise InputError(f"by is {by!r}, but must be 'score' or 'rank'.")
    _check(opened, by)
    rows = opened.run(opened.expr.select(*KEYS, by))
    if rows.empty:
        raise InputError(f"{name}: there are no rows, so nothing is recommended.")
    users, user = ids_and_codes(rows["user_id"], user_ids, "user")
    items, item = ids_and_codes(rows["item_id"], item_ids, "item")
    values = rows[by].to_numpy(dtype=np.float64)
    return ScoreTable(users, items, user, item, -values if by == "rank" else values, missing)


def _check(opened: Table, by: str) -> None:
    explain_problems(opened, required=KEYS, scores=[by])
    unique_key(opened, KEYS)
    if by == "rank":
        rank = opened.expr["rank"]
        lowest = opened.run(opened.expr.aggregate(lowest=rank.min(), part=(rank != rank.floor()).sum()))
        if lowest["lowest"][0] < 1 or lowest["part"][0] > 0:
            raise InputError(
                f"{opened.name}: column 'rank' must hold whole numbers from 1 (the best) on; "
                f"its lowest is {lowest['lowest'][0]:g}."
            )
        unique_key(opened, ["user_id", "rank"])


def ids_and_codes(column: pd.Series, given: Any, what: str) -> tuple[NDArray[Any], Codes]:
    refuse_odd_ids(column.to_numpy(), f"{what} ids of the table")
    if given is None:
        codes, ids = pd.factorize(column.to_numpy(), sort=True)
        return np.asarray(ids), codes.astype(np.int64)
    ids, _ = sorted_ids(given, what)
    codes, present = pd.factorize(column.to_numpy())
    places = pd.Index(ids).get_indexer(pd.Index(present))
    unknown = np.asarray(present)[places < 0]
    if len(unknown):
        raise InputError(
            f"the table has {len(unknown):,} {what} ids that are not among {what}_ids, for example "
            f"{shown(unknown[0])}; add them, or drop their rows."
        )
    return ids, places[codes].astype(np.int64)
