"""The tables of an audit of users and their lists: opened at once, read when their turn comes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from evenhand import inputs
from evenhand.groups.attributes import Bins, Missing
from evenhand.groups.lists import reading, sources
from evenhand.groups.lists.metrics import Metric, NoPositive
from evenhand.groups.lists.reading import Users
from evenhand.groups.lists.serving import Serving
from evenhand.recommenders import Recommender


@dataclass(frozen=True, eq=False)
class Tables:
    """What was given: `candidates`, `items` and `recommender` as they are, `people` and `history` opened.

    `model` is the recommender where it knows its ids; without a history table, its history is used.
    """

    given: Any
    about_items: Any
    recommender: Any
    engine: Any
    people: inputs.Table
    model: Recommender | None
    history: inputs.Table | None

    @classmethod
    def of(
        cls, candidates: Any, users: Any, *, history: Any, items: Any, recommender: Any, engine: Any
    ) -> Tables:
        people = inputs.table(users, name="users", engine=engine)
        model = sources.model(recommender)
        past = sources.history(history, model, people, engine)
        return cls(candidates, items, recommender, engine, people, model, past)

    @cached_property
    def candidates(self) -> inputs.Table:
        return sources.candidates(self.given, self.recommender, self.people, self.engine)

    @cached_property
    def items(self) -> inputs.Table | None:
        if self.about_items is None:
            return None
        return inputs.table(self.about_items, name="items", engine=self.engine)

    def read_users(
        self, attributes: Sequence[str], columns: Sequence[str], bins: Bins | None, *, with_ids: bool
    ) -> Users:
        """Everybody, with attributes and with `columns` that are metrics."""
        return reading.read_users(
            self.people, attributes, columns, bins or {}, self.history, with_ids=with_ids
        )

    def with_unlisted(self, users: Users, missing: Missing) -> Users:
        """With the users of the candidates whom the users table lacks, where somebody said what to do with
        what is missing."""
        return users if missing == "refuse" else reading.with_unlisted(users, self.candidates)

    def serving(
        self,
        users: Users,
        metrics: Sequence[Metric],
        k: int,
        no_positive: NoPositive,
        *,
        with_items: bool = False,
    ) -> Serving:
        """How well the lists serve these users; a recommender that is a function is asked about their ids."""
        model = self.model
        if model is None and self.recommender is not None:
            model = sources.function_model(self.recommender, users.ids, self.candidates)
        return Serving(
            self.candidates,
            users,
            metrics,
            k,
            items=self.items,
            history=self.history,
            recommender=model,
            no_positive=no_positive,
            with_items=with_items,
        )
