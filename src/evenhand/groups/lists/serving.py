"""How well users are served, from candidate lists: all at once, or only some where scoring is expensive."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evenhand.arrays import Floats
from evenhand.groups.lists.candidates import CandidateLists
from evenhand.groups.lists.metrics import ItemFacts, Metric, NoPositive, per_user
from evenhand.groups.lists.reading import (
    ROWS_AT_ONCE,
    CandidateRows,
    Users,
    read_candidates,
    read_facts,
    read_items,
)
from evenhand.inputs import Table
from evenhand.recommenders.protocol import Recommender


class Serving:
    """The candidates of all users, the metrics to make of them, and who scores them.

    Scores are a column of the candidates, or come from a recommender, which is asked only about the users
    whose values are wanted. `items` are the ids that item numbers stand for, where anything asks for them.
    """

    def __init__(
        self,
        candidates: Table,
        users: Users,
        metrics: Sequence[Metric],
        k: int,
        *,
        items: Table | None,
        history: Table | None,
        recommender: Recommender | None,
        no_positive: NoPositive,
        with_items: bool = False,
    ) -> None:
        self._candidates, self._users, self._recommender = candidates, users, recommender
        self._metrics, self._k, self._no_positive = list(metrics), k, no_positive
        needs = {need for metric in metrics for need in metric.needs}
        self.items: pd.Index | None = None
        self.facts = ItemFacts()
        if needs or with_items or recommender is not None:
            self.items = read_items(candidates, history if "history" in needs else None)
            self.facts = read_facts(needs, candidates, items, history, self.items, users.ids)
        self._rows: CandidateRows | None = None

    def everybody(self) -> dict[str, Floats]:
        """A value for each user and metric, NaN where there is none."""
        values = {metric.name: np.full(self._users.count, np.nan) for metric in self._metrics}
        for rows in self._read(ROWS_AT_ONCE):
            for name, found in self._values(rows).items():
                np.copyto(values[name], found, where=np.isfinite(found))
        return values

    def lists(self) -> CandidateLists:
        """The candidates of all users at once, for those who change their order."""
        (rows,) = self._read(rows_at_once=None)
        return self._lists(rows)

    def values(self, lists: CandidateLists) -> dict[str, Floats]:
        """A value for each user and metric of these lists, NaN where there is none."""
        return per_user(self._metrics, lists, self.facts, self._k, self._no_positive)

    def some(self, users: NDArray[np.integer], metric: Metric) -> Floats:
        """The values of these users alone, in their order; nobody else is scored."""
        if self._rows is None:
            (self._rows,) = self._read(rows_at_once=None)
        wanted = np.zeros(self._users.count, dtype=bool)
        wanted[users] = True
        mine = wanted[self._rows.user]
        score = None if self._rows.score is None else self._rows.score[mine]
        rows = CandidateRows(self._rows.user[mine], self._rows.item[mine], self._rows.label[mine], score)
        return self._values(rows, [metric])[metric.name][users]

    def _read(self, rows_at_once: int | None) -> Iterator[CandidateRows]:
        scored = self._recommender is None
        return read_candidates(self._candidates, self._users.ids, self.items, rows_at_once, scored=scored)

    def _values(self, rows: CandidateRows, metrics: Sequence[Metric] | None = None) -> dict[str, Floats]:
        return per_user(metrics or self._metrics, self._lists(rows), self.facts, self._k, self._no_positive)

    def _lists(self, rows: CandidateRows) -> CandidateLists:
        score = rows.score
        if score is None:
            assert self._recommender is not None
            assert self.items is not None
            ids = self._users.ids.to_numpy()[rows.user], self.items.to_numpy()[rows.item]
            score = np.asarray(self._recommender.score(*ids), dtype=float)
        return CandidateLists.of(rows.user, score, rows.label, rows.item, user_count=self._users.count)
