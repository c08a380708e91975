"""What a classifier of users says of items: by who takes them, and by group."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from evenhand.about import About
from evenhand.arrays import Floats, Ints, Vectors
from evenhand.association import uncertainty
from evenhand.association.leaking import classifier
from evenhand.association.leaking.classifier import PARTS, Flags, Labelled, Teaching, UserHistories
from evenhand.association.uncertainty import EstimatedVariance
from evenhand.association.vectors.labels import Groups
from evenhand.stats.means.proportions import newcombe, wilson
from evenhand.stats.multiplicity import step_down

DECILES = 10


@dataclass(frozen=True, eq=False)
class Chosen:
    """Some items; with a `side`, those whose audience mostly has the value (0) or has not (1)."""

    among: Flags
    side: int | None = None

    def of(self, items: Labelled) -> Flags:
        """By item and half."""
        if self.side is None:
            return np.broadcast_to(self.among[:, None], items.predicted.shape)
        with np.errstate(invalid="ignore"):
            here = items.share > 0.5 if self.side == 0 else items.share < 0.5
        return here & self.among[:, None]


@dataclass(frozen=True, eq=False)
class Comparison:
    """How many of some items are predicted to have the value, against others where there are any."""

    measure: str
    about: About
    ours: Chosen
    others: Chosen | None

    def estimate(self, items: Labelled) -> float:
        """NaN where there are no such items."""
        found = share_of(items.predicted, self.ours.of(items))
        return found if self.others is None else found - share_of(items.predicted, self.others.of(items))

    def count(self, items: Labelled) -> int:
        """Items that the estimate is about: those of the group, and where there is none, all compared."""
        sets = [self.ours] if self.others is None or "items" in self.about else [self.ours, self.others]
        return int(np.logical_or.reduce([chosen.of(items).any(axis=1) for chosen in sets]).sum())

    def at_least(self, items: Labelled, level: float, times: float = 1.0) -> tuple[float, float]:
        """What few items alone leave open: no interval is narrower, even if all are predicted alike; or so
        many times as many items, of the same shares."""
        shares = [
            (share_of(items.predicted, chosen.of(items)), times * float(chosen.of(items).any(axis=1).sum()))
            for chosen in (self.ours, self.others)
            if chosen is not None
        ]
        return wilson(*shares[0], level) if len(shares) == 1 else newcombe(*shares[0], *shares[1], level)

    def over_items(self, items: Labelled) -> EstimatedVariance:
        """The variance over items; an item counts in each half, and both go together."""
        influence, fewest = np.zeros(len(items.predicted)), len(items.predicted)
        for chosen, sign in ((self.ours, 1), (self.others, -1)):
            if chosen is not None:
                here = chosen.of(items)
                beside = here * (items.predicted - share_of(items.predicted, here))
                influence += sign * beside.sum(axis=1) / here.sum()
                fewest = min(fewest, int(here.any(axis=1).sum()))
        if fewest < 2:
            return EstimatedVariance(np.inf, 1)
        return EstimatedVariance(float((influence**2).sum()) * fewest / (fewest - 1), fewest - 1)


def share_of(predicted: Flags, chosen: Flags) -> float:
    return float(predicted[chosen].mean()) if chosen.any() else float("nan")


def popularities(taken: Ints, split: int) -> dict[str, Flags]:
    """Items by how many users took them: `split` or more is popular."""
    return {
        "all": np.ones(len(taken), dtype=bool),
        "rare": taken < split,
        "popular": taken >= split,
    }


def comparisons(
    popular: dict[str, Flags], split: int, groups: Groups | None, words: tuple[str, ...]
) -> list[Comparison]:
    """Items taken mostly by those with the value against the others, and groups of items against the rest."""
    found = []
    for name, among in popular.items():
        by_takers: About = {"popularity": name}
        if name != "all":
            by_takers["threshold"] = split
        found.append(Comparison("leak_items", by_takers, Chosen(among, 0), Chosen(among, 1)))
    for place, name in enumerate(() if groups is None else groups.names):
        assert groups is not None
        mine = groups.membership[:, place]
        about: About = {"items": groups.about(name)}
        found.append(Comparison("leak_group", about, Chosen(mine), None))
        if mine.all():
            continue
        found.append(Comparison("leak_group_parity", about, Chosen(mine), Chosen(~mine)))
        found += [
            Comparison(
                "leak_group_odds", about | {"audience": word}, Chosen(mine, side),
                Chosen(~mine, side),
            )
            for side, word in enumerate(words)
        ]  # fmt: skip
    return found


@dataclass(frozen=True, eq=False)
class ItemLeaks:
    """What was said of the items, and of each comparison its estimate, spread over users, and p-value; the
    adjusted one is corrected for all comparisons of that measure."""

    items: Labelled
    estimates: Floats
    over_users: list[EstimatedVariance]
    p_values: Floats
    adjusted: Floats


def item_leaks(
    users: UserHistories, has: Flags, items: Vectors, teaching: Teaching, compared: list[Comparison],
    permutations: int, seed: int,
) -> ItemLeaks:  # fmt: skip
    """All comparisons. Users are a sample twice: they teach the classifier, and they are the audience.

    p-values shuffle the attribute over users, with classifiers taught anew each time: items in different
    places differ along any line, also one made of noise. The spread is of values without each of the parts
    of the users, taught anew as well.
    """
    rng = np.random.default_rng([seed, 42])
    half = classifier.parts(has, 2, rng)
    part = classifier.parts(has, PARTS, rng)

    def statistics(found: Labelled) -> Floats:
        return np.array([one.estimate(found) for one in compared])

    def without(left_out: int) -> Floats:
        kept = [(half == number) & (part != left_out) for number in (0, 1)]
        return statistics(
            classifier.items_by_half(
                (users[kept[0]], users[kept[1]]), (has[kept[0]], has[kept[1]]), items, teaching
            )
        )

    halves = users[half == 0], users[half == 1]
    sides = has[half == 0], has[half == 1]
    whole = classifier.items_by_half(halves, sides, items, teaching)
    estimates = statistics(whole)
    drawn = np.empty((permutations, len(compared)))
    for row in drawn:
        # Within the halves, so that each keeps its number of both sides.
        shuffled = rng.permutation(sides[0]), rng.permutation(sides[1])
        row[:] = statistics(classifier.items_by_half(halves, shuffled, items, teaching))
    # Also where there was nothing to compare.
    reached = (~(np.abs(drawn) < np.abs(estimates) - 1e-12)).sum(axis=0)
    p_values = (1 + reached) / (1 + permutations)
    refits = np.stack([without(left_out) for left_out in range(PARTS)])
    over_users = [
        uncertainty.of_refits(values) if np.isfinite(values).all() else EstimatedVariance(np.inf, 1)
        for values in refits.T
    ]
    return ItemLeaks(whole, estimates, over_users, p_values, _adjusted(compared, estimates, drawn, p_values))


def _adjusted(compared: list[Comparison], estimates: Floats, drawn: Floats, p_values: Floats) -> Floats:
    """p-values that hold for all comparisons of one measure at once; a shuffle in which one of them has no
    items on a side says nothing about the others."""
    adjusted = p_values.copy()
    for measure in {one.measure for one in compared}:
        here = [
            place
            for place, one in enumerate(compared)
            if one.measure == measure and np.isfinite(estimates[place])
        ]
        if here:
            stepped = step_down(estimates[here], np.nan_to_num(drawn[:, here]))
            adjusted[here] = np.maximum(stepped, p_values[here])
    return adjusted


def deciles(items: Labelled, among: Flags, level: float) -> list[dict[str, Any]]:
    """The share predicted to have the value, by the share of the audience that has it; intervals over items
    alone, for the classifiers as they are."""
    rows = []
    with np.errstate(invalid="ignore"):
        decile = np.minimum(np.floor(items.share * DECILES), DECILES - 1)
    for number in range(DECILES):
        chosen = (decile == number) & among[:, None]
        count = int(chosen.any(axis=1).sum())
        row: dict[str, Any] = {"from": number / DECILES, "to": (number + 1) / DECILES, "items": count}
        if count:
            share = share_of(items.predicted, chosen)
            low, high = wilson(share, count, level)
            row |= {"predicted": share, "low": low, "high": high}
        rows.append(row)
    return rows
