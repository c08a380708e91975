"""A recommendation data set as tables, whatever files it came from, and which audits these can answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd


@dataclass(frozen=True, eq=False)
class Logs:
    """What was shown and what users made of it: by the system, and, where there is such a log, at random."""

    default: pd.DataFrame
    """item_id, the labels and, where it is known, user_id: default traffic."""
    random: pd.DataFrame | None
    """The same columns: items that were drawn uniformly."""
    labels: dict[str, str]
    """0/1 columns of both and what 1 means; the first is taken where none is named."""
    user: str | None = "user_id"
    """The column whose rows depend on each other; None where the publisher gave none."""

    @property
    def label(self) -> str:
        """The label that is taken where none is named."""
        return next(iter(self.labels))


@dataclass(frozen=True, eq=False)
class Dataset:
    """Who took what, and what is known about both sides. Ids are those of the published files."""

    name: str
    interactions: pd.DataFrame
    """user_id, item_id and, if there are any, rating (float) and timestamp (Int64, or Float64 where
    there are fractions: seconds since 1970 or another number that orders rows; null where not known). One
    row for each pair; none where the publisher does not say who the users are."""
    users: pd.DataFrame
    """user_id and one column an attribute."""
    items: pd.DataFrame
    """item_id and one column an attribute."""
    notes: tuple[str, ...] = ()
    """What a reader of results must know about these data, in sentences."""
    logs: Logs | None = None
    """What was shown, where that was published, too."""
    preferences: pd.DataFrame | None = None
    """user_id, item_id, preference: what users think of (almost) everything, not of what they chose alone."""

    @property
    def answers(self) -> dict[str, str]:
        """The audits that these data can answer, each with what they answer it from."""
        return dict(self._answers())

    def __str__(self) -> str:
        """What it is, and which audits it can answer, in sentences."""
        counts = [
            f"{len(rows):,} {what}"
            for what, rows in (("users", self.users), ("items", self.items), ("pairs", self.interactions))
            if len(rows)
        ]
        if self.logs is not None:
            counts.append(f"{len(self.logs.default):,} rows of default traffic")
            if self.logs.random is not None:
                counts.append(f"{len(self.logs.random):,} rows of random traffic")
        can = "; ".join(f"{audit} ({how})" for audit, how in self.answers.items()) or "no audit by itself"
        return " ".join([f"{self.name}: {', '.join(counts)}.", f"It can answer {can}.", *self.notes])

    def _answers(self) -> Iterator[tuple[str, str]]:
        of_users, of_items = len(self.users.columns) > 1, len(self.items.columns) > 1
        if self.logs is not None:
            if self.logs.random is not None:
                yield "opportunity", "random traffic beside default traffic"
            if of_items:
                yield "parity", "default traffic and the catalogue"
            if of_users and self.logs.user is not None:
                yield "user_precision", "what users of each group were shown"
        if self.preferences is not None:
            yield "envy", "preferences that are almost fully observed"
        if len(self.interactions):
            by = "attributes of users" if of_users else "what users did, which makes groups of them"
            yield "groups", f"a model of it and {by}"
            if of_users:
                yield "association", "vectors of a model and attributes of users"
            if of_users and of_items:
                yield "exposure", "a model of it and attributes of both sides"
