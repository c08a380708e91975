"""What callables and modules share: a function that scores batches of pairs, held to its word."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InputError
from evenhand.parameters import shown, whole
from evenhand.recommenders.protocol import Recommender, Scores
from evenhand.recommenders.taken.ids import Codes, sorted_ids

# Pairs scored at a time: enough to keep a vectorised function busy, little enough for any memory.
BATCH = 65_536

ScorePlaces = Callable[[Codes, Codes], Any]


class Pairwise(Recommender):
    """Scores by a function of places in the lists of ids as they were given, a batch of pairs at a time."""

    def __init__(
        self,
        score_places: ScorePlaces,
        user_ids: Any,
        item_ids: Any,
        *,
        batch: int,
        what: str,
        trial: bool = True,
    ) -> None:
        self.user_ids, self._user_places = sorted_ids(user_ids, "user")
        self.item_ids, self._item_places = sorted_ids(item_ids, "item")
        self._score_places, self._batch, self._what = score_places, whole("batch", batch), what
        if trial:
            # The last of each: a function for fewer users or items fails here, not in the middle of an audit.
            last = [np.array([places.max()]) for places in (self._user_places, self._item_places)]
            self._checked(*last)

    def score_pairs(self, user: Codes, item: Codes) -> Scores:
        scores = np.empty(len(user))
        for start in range(0, len(user), self._batch):
            part = slice(start, start + self._batch)
            scores[part] = self._checked(self._user_places[user[part]], self._item_places[item[part]])
        return scores

    def score_block(self, users: Codes) -> Scores:
        items = len(self.item_ids)
        scores = np.empty(len(users) * items, dtype=np.float64)
        for start in range(0, len(scores), self._batch):
            pair = np.arange(start, min(start + self._batch, len(scores)))
            user, item = self._user_places[users[pair // items]], self._item_places[pair % items]
            scores[pair] = self._checked(user, item)
        return scores.reshape(len(users), items)

    def _checked(self, user: Codes, item: Codes) -> NDArray[np.float64]:
        answer = self._score_places(user, item)
        try:
            scores = np.asarray(answer, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise InputError(f"{self._what} must return numbers, one a pair ({error}).") from error
        if scores.shape == (len(user), 1):  # the output of a last layer with one unit
            scores = scores[:, 0]
        if scores.shape != (len(user),):
            raise InputError(
                f"{self._what} was given {len(user):,} pairs and returned an array of shape {scores.shape}; "
                "it must return one score a pair."
            )
        wrong = ~np.isfinite(scores)
        if wrong.any():
            raise InputError(
                f"{self._what} returned {wrong.sum():,} scores of {len(user):,} that are not finite, the "
                f"first for user {self._given(self.user_ids, self._user_places, user[wrong][0])} and item "
                f"{self._given(self.item_ids, self._item_places, item[wrong][0])}."
            )
        return scores

    @staticmethod
    def _given(ids: NDArray[Any], places: Codes, place: int) -> str:
        return shown(ids[np.flatnonzero(places == place)[0]])
