"""How well users are served, from candidate lists: all at once, or only some where scoring is expensive."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evenhand.arrays import Floats
from evenhand.errors import InputError
from evenhand.groups.lists.candidates import CandidateLists
from evenhand.groups.lists.metrics import ItemFacts, Metric, NoPositive, per_user
from evenhand.groups.lists.reading import (
    LIST,
    ROWS_AT_ONCE,
    CandidateRows,
    Users,
    read_candidates,
    read_facts,
    read_items,
)
from evenhand.groups.lists.several import ListsOfUsers, over_lists
from evenhand.inputs import Table
from evenhand.recommenders.protocol import Recommender


class Serving:
    """The candidates of all users, the metrics to make of them, and who scores them.

    Scores are a column of the candidates, or come from a recommender, which is asked only about the users
    whose values are wanted. `items` are the ids that item numbers stand for, where anything asks for them.
    Where candidates say of which list a row is, `of_users` counts the lists of each user, by metric.
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
        self.of_users: dict[str, ListsOfUsers] = {}
        if LIST in candidates.columns:
            self.of_users = {metric.name: ListsOfUsers.none(users.count) for metric in metrics}
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
        if rows.owner is not None and (most := int(np.bincount(rows.owner).max(initial=0))) > 1:
            raise InputError(
                f"{self._candidates.name}: users have up to {most:,} lists ({LIST}), and one list a user is "
                "re-ranked; keep one list of each user."
            )
        return self._lists(replace(rows, listed=None, owner=None))

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
        listed = None if self._rows.listed is None else self._rows.listed[mine]
        rows = CandidateRows(
            self._rows.user[mine], self._rows.item[mine], self._rows.label[mine], score, listed,
            self._rows.owner,
        )  # fmt: skip
        return self._values(rows, [metric])[metric.name][users]

    def _read(self, rows_at_once: int | None) -> Iterator[CandidateRows]:
        scored = self._recommender is None
        return read_candidates(self._candidates, self._users.ids, self.items, rows_at_once, scored=scored)

    def _values(self, rows: CandidateRows, metrics: Sequence[Metric] | None = None) -> dict[str, Floats]:
        metrics = metrics or self._metrics
        lists = self._lists(rows)
        if rows.owner is None:
            return per_user(metrics, lists, self.facts, self._k, self._no_positive)
        facts = self.facts
        if facts.history_popularity is not None:
            facts = replace(facts, history_popularity=facts.history_popularity[rows.owner])
        of_lists = per_user(metrics, lists, facts, self._k, self._no_positive)
        values: dict[str, Floats] = {}
        for name, found in of_lists.items():
            values[name], counted = over_lists(found, lists.lengths, rows.owner, self._users.count)
            self.of_users[name].update(counted)
        return values

    def _lists(self, rows: CandidateRows) -> CandidateLists:
        score = rows.score
        if score is None:
            assert self._recommender is not None
            assert self.items is not None
            ids = self._users.ids.to_numpy()[rows.user], self.items.to_numpy()[rows.item]
            score = np.asarray(self._recommender.score(*ids), dtype=float)
        if rows.listed is None or rows.owner is None:
            return CandidateLists.of(rows.user, score, rows.label, rows.item, user_count=self._users.count)
        return CandidateLists.of(rows.listed, score, rows.label, rows.item, user_count=len(rows.owner))
