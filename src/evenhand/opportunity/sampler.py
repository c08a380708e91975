"""How random traffic is collected: a reference to copy into a server, or to test one against.

The procedure of Dong and others 2024 (Sec. 3.2 and App. I.1): a request activates random traffic with
probability `p_act`; then items are drawn uniformly from all its candidates and put among those that the
recommender chose. An item chosen by both is shown once and belongs to both logs.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from evenhand.errors import InputError
from evenhand.parameters import number, shown, whole
from evenhand.stats.randomness import seed_of

Item = TypeVar("Item", bound=Hashable)


@dataclass(frozen=True)
class Served(Generic[Item]):
    """One pair of a request, to be written to the log: as a row of each source that chose it.

    `position` counts from 0, and is None where the user has seen the item before: it is not shown again, and
    the row takes the label that is known. `probability` is that of being drawn at random in this request.
    """

    item: Item
    position: int | None
    from_default: bool
    from_random: bool
    probability: float


class Sampler(Generic[Item]):
    """Decides, request by request, what is shown and which log each pair belongs to.

    `draws` items are drawn without replacement in every request that is activated. They take the places of
    default items chosen at random, so that the list keeps its length, random items stand in all places alike,
    and the default items that remain are still a uniform sample of what the recommender chose.
    """

    def __init__(
        self, candidates: Sequence[Item], p_act: float, draws: int = 1, rng: int | np.random.Generator = 0
    ) -> None:
        self._candidates = _distinct("candidates", candidates)
        self._known = set(self._candidates)
        self._p_act = number("p_act", p_act, 0, 1, above=True)
        self._draws = whole("draws", draws)
        self._rng = rng if isinstance(rng, np.random.Generator) else np.random.default_rng(seed_of(rng))
        self._check_draws(self._candidates)

    def serve(
        self,
        ranked: Sequence[Item],
        *,
        candidates: Sequence[Item] | None = None,
        seen: Collection[Item] = (),
    ) -> list[Served[Item]]:
        """What to show in place of the recommender's list `ranked`, in the order of the positions.

        `candidates` are those of this request, where they are not the same for all: whatever could be shown
        to this user at all. `seen` are items that the user was shown before, by whichever source.
        """
        if isinstance(seen, str | bytes) or not isinstance(seen, Collection):
            raise InputError(f"seen is a {type(seen).__name__}, but must be a set or list of items.")
        ranked = _distinct("ranked", ranked)
        pool = self._candidates if candidates is None else _distinct("candidates", candidates)
        self._check_draws(pool)
        _only_candidates(ranked, self._known if candidates is None else set(pool))
        probability = self._p_act * self._draws / len(pool)
        drawn: list[Item] = []
        if self._rng.random() < self._p_act:
            drawn = [pool[i] for i in self._rng.choice(len(pool), size=self._draws, replace=False)]
        places: list[Item | None] = [None if item in seen else item for item in ranked]
        # What was seen before keeps no place; what both chose keeps the one it has.
        free = [i for i, item in enumerate(places) if item is not None and item not in drawn]
        new = [item for item in drawn if item not in seen and item not in ranked]
        taken = self._rng.permutation(free)[: len(new)]
        shown: list[Item] = [item for item in ranked if item not in seen]
        replaced = {ranked[place]: item for place, item in zip(taken, new, strict=False)}
        shown = [replaced.get(item, item) for item in shown]
        shown += new[len(taken) :]  # a list without room gets longer
        again = [item for item in dict.fromkeys([*ranked, *drawn]) if item in seen]
        default = set(ranked) - set(replaced)
        rows = [*((item, place) for place, item in enumerate(shown)), *((item, None) for item in again)]
        return [Served(item, at, item in default, item in drawn, probability) for item, at in rows]

    def _check_draws(self, pool: Sequence[Item]) -> None:
        if self._draws > len(pool):
            raise InputError(
                f"draws is {self._draws:,}, but there are only {len(pool):,} candidates to draw from without "
                "replacement."
            )


def _only_candidates(ranked: Sequence[Item], known: set[Item]) -> None:
    """Refuse a list with items that can never be drawn: random traffic would not know them."""
    strange = [item for item in ranked if item not in known]
    if strange:
        raise InputError(
            f"ranked has {len(strange):,} of {len(ranked):,} items that are no candidates, for example "
            f"{shown(strange[0])}: what can be shown must be possible to draw, so complete the candidates."
        )


def _distinct(name: str, items: Sequence[Item]) -> list[Item]:
    if isinstance(items, str) or not isinstance(items, Sequence | np.ndarray):
        raise InputError(f"{name} is a {type(items).__name__}, but must be a list of items.")
    try:
        distinct = list(dict.fromkeys(items))
    except TypeError:
        raise InputError(f"{name} must hold ids, such as numbers or text, and not lists.") from None
    if len(distinct) < len(items):
        raise InputError(
            f"{name} has {len(items) - len(distinct):,} items more than once; an item can be shown, and "
            "drawn, only once in a request."
        )
    return distinct
