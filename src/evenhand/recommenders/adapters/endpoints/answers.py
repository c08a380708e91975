"""What an endpoint is asked, and whether its answer belongs to it: count, order, and finite numbers."""

from __future__ import annotations

import json
import math
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.parameters import shown

# Pairs of each question that are asked about twice, one of so many and a few at least: an answer in another
# order, or to another question, does not have the same score in both places. Where only parts of it changed
# places, as answers of several workers do that were put together, a few would often not be among them.
ONE_OF, FEW = 32, 4
# Two scores of one pair in one answer may differ by rounding, as parts of a batch go different ways.
_ROUNDING = 1e-3
# Scores of two answers may differ by more, where a model counts in 16 bits: by this share of the largest.
_BETWEEN_ANSWERS = 1e-2

Pair = tuple[Any, Any]


class WrongAnswerError(Exception):
    """An answer that is no answer to the question, in words that go behind the name of the endpoint."""


class UnreadableError(Exception):
    """An answer that may have been cut off."""


@dataclass(frozen=True)
class Question:
    """Pairs to ask about, `repeated` ones of them behind these, and last the pairs of every question."""

    id: str
    users: list[Any]
    items: list[Any]
    repeated: Sequence[int]
    always: Sequence[Pair] = ()

    @classmethod
    def about(cls, users: list[Any], items: list[Any], always: Sequence[Pair] = ()) -> Question:
        if len(users) == 1:  # some endpoints take no more
            return cls(secrets.token_hex(8), users, items, ())
        twice = max(FEW, len(users) // ONE_OF)
        repeated = [secrets.randbelow(len(users)) for _ in range(twice)]
        again = [
            [*(side[place] for place in repeated), *(pair[which] for pair in always)]
            for which, side in enumerate((users, items))
        ]
        return cls(secrets.token_hex(8), users + again[0], items + again[1], repeated, tuple(always))

    def body(self) -> bytes:
        return json.dumps({"id": self.id, "users": self.users, "items": self.items}).encode()

    def scores_in(self, body: bytes, said: dict[Pair, float] | None = None) -> NDArray[np.float64]:
        """One score a pair, without those that were asked about twice.

        `said` is what earlier answers gave for the pairs of every question; what is new there is added.
        """
        try:
            answer = json.loads(body)
        except (ValueError, RecursionError) as error:
            raise UnreadableError("what it sent is not JSON") from error
        if not isinstance(answer, dict) or not isinstance(answer.get("scores"), list):
            raise WrongAnswerError('must answer {"scores": [...]}, and this was another answer')
        if answer.get("id", self.id) != self.id:
            raise WrongAnswerError('sent the "id" of another question back')
        scores = self._numbers(answer["scores"])
        scores = scores[self._order(answer)]
        count = len(self.users) - len(self.repeated) - len(self.always)
        for place, score in zip(self.repeated, scores[count : count + len(self.repeated)], strict=True):
            if not math.isclose(scores[place], score, rel_tol=_ROUNDING, abs_tol=1e-9):
                raise WrongAnswerError(
                    f"gave two scores ({scores[place]:g} and {score:g}) for one pair that was asked about "
                    f"twice, user {shown(self.users[place])} and item {shown(self.items[place])}: it answers "
                    "in another order, or differently each time"
                )
        self._compare(scores, {} if said is None else said)
        return scores[:count]

    def _compare(self, scores: NDArray[np.float64], said: dict[Pair, float]) -> None:
        """Refuse scores of another model than the one that gave the answers before."""
        room = _BETWEEN_ANSWERS * float(np.abs(scores).max(initial=0.0))
        for pair, score in zip(self.always, scores[len(scores) - len(self.always) :].tolist(), strict=True):
            before = said.setdefault(pair, score)
            if abs(score - before) > max(room, _BETWEEN_ANSWERS * abs(before)):
                raise WrongAnswerError(
                    f"gave {before:g} and later {score:g} for one pair, user {shown(pair[0])} and item "
                    f"{shown(pair[1])}: its model was changed meanwhile (then begin again), or several that "
                    "differ answer"
                )

    def _numbers(self, given: list[Any]) -> NDArray[np.float64]:
        if len(given) != len(self.users):
            raise WrongAnswerError(
                f"was asked about {len(self.users):,} pairs and sent {len(given):,} scores"
            )
        for place, score in enumerate(given):
            if type(score) not in (int, float) or not _is_finite(score):
                raise WrongAnswerError(
                    f"sent {shown(score)} for user {shown(self.users[place])} and item "
                    f"{shown(self.items[place])}, which is not a finite number"
                )
        return np.array(given, dtype=np.float64)

    def _order(self, answer: dict[str, Any]) -> NDArray[np.int64]:
        """For each pair of the question, where it is in the answer."""
        asked = {"users": self.users, "items": self.items}
        echoed = {side: answer[side] for side in asked if side in answer}
        same = np.arange(len(self.users))
        if all(given == asked[side] for side, given in echoed.items()):
            return same
        if len(echoed) < 2 or any(
            not isinstance(given, list) or len(given) != len(same) for given in echoed.values()
        ):
            raise WrongAnswerError('sent other "users" or "items" back than it was asked about')
        places: dict[Any, list[int]] = {}
        for place, pair in enumerate(zip(*map(_as_keys, (echoed["users"], echoed["items"])), strict=True)):
            places.setdefault(pair, []).append(place)
        order = []
        for pair in zip(*map(_as_keys, (self.users, self.items)), strict=True):
            if not places.get(pair):
                raise WrongAnswerError(
                    f"sent other pairs back than it was asked about: user {shown(pair[0][1])} and item "
                    f"{shown(pair[1][1])} are missing, or not there as often"
                )
            order.append(places[pair].pop())
        return np.array(order)


def _as_keys(ids: list[Any]) -> list[tuple[type, Any]]:
    """Ids that can be looked up and told apart: 1 is not true, and a list is no id."""
    return [(type(one), one if isinstance(one, str | int | float) else None) for one in ids]


def _is_finite(score: int | float) -> bool:
    try:
        return math.isfinite(score)
    except OverflowError:  # a whole number of hundreds of digits
        return False
