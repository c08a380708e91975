"""What lies along a direction: GEAA, DEAA and R-RIPA of groups of items, told as findings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from scipy import stats

from evenhand.about import About
from evenhand.arrays import Floats, Vectors
from evenhand.association import uncertainty
from evenhand.association.directions.findings import AssociationSettings, Direction, known_badly
from evenhand.association.evidence import UnitSums
from evenhand.association.measures import (
    Association,
    effect_size,
    group_association,
    item_test,
    pair_association,
)
from evenhand.association.memberships import Flags, pair_weights
from evenhand.association.vectors.checks import cosines
from evenhand.association.vectors.labels import Groups
from evenhand.findings import INDEPENDENT_USERS, Count, Finding, State
from evenhand.more_data import with_more_data
from evenhand.stats.means.two_samples import shuffle_two

ONE_SPACE = "Users and items lie in one space: the score of a pair is the product of its vectors."
ITEMS_TOO = "The items of a group are a sample, too: several editions of one thing would count as several."
VARIES = "Items of a small group vary at least as much as those of a group do on average."
REFITTED = "jackknife over items, and over those who made the direction"
TOO_FEW = "one of the two has fewer than 2 items that are not in the other"


class Significance:
    """GEAA, DEAA and R-RIPA of groups of items along one contrast."""

    def __init__(
        self, found: Direction, items: Vectors, users: Vectors, groups: Groups, by: str,
        settings: AssociationSettings, flags: Callable[[Floats], Flags],
    ) -> None:  # fmt: skip
        self.found, self.items, self.groups, self.settings = found, items, groups, settings
        self.about: About = {"by": {"users": by}, "direction": found.contrast.name}
        self.rows, self.codes = users[found.contrast.who], found.contrast.codes
        self.sums = UnitSums.of(items, groups.membership)
        self.means = self.sums.means
        self.along = cosines(items, found.vector)
        self.flags = flags
        self._refits: Floats | None = None

    @property
    def refits(self) -> Floats:
        """Directions without each part of those who made it; made only for a direction that is used."""
        if self._refits is None:
            self._refits = uncertainty.refitted(
                self.rows, self.codes, self.found.contrast.fit, self.found.vector, self.settings.seed
            )
        return self._refits

    @cached_property
    def straying(self) -> float:
        """The part of the direction that is chance."""
        seen = uncertainty.straying(self.refits)
        if self.found.tests.p_value <= uncertainty.SURE:
            return seen
        dimensions = uncertainty.effective_dimensions(self.rows, self.codes)
        return uncertainty.straying_if_doubtful(seen, dimensions)

    @cached_property
    def least_along(self) -> float:
        """The least that items of a group are taken to vary by along the direction."""
        return uncertainty.within(self.along, self.groups.membership)

    def sets(self, toward: Floats) -> tuple[Floats, Floats]:
        """Scores of A and of B: how far each entity lies toward this vector."""
        scores = cosines(self.rows, toward)
        return scores[self.codes == 0], scores[self.codes == 1]

    def difference(self, first: int, second: int) -> Floats:
        """The mean unit vector of the items of one group alone, minus that of the other alone."""
        # Only the items in both are summed again: all pairs of a large catalogue would take long.
        both = self.groups.membership[:, [first, second]].all(axis=1)
        sums, counts = self.sums.sums[[first, second]], self.sums.counts[[first, second]]
        if both.any():
            shared = UnitSums.of(self.items[both])
            sums, counts = sums - shared.sums, counts - shared.counts
        return np.asarray(sums[0] / counts[0] - sums[1] / counts[1])

    def associations(self, pairs: Sequence[tuple[int, int]]) -> list[Finding]:
        """GEAA of every group and DEAA of every pair; for two sets, not for a holistic direction."""
        parts = UnitSums.of(self.rows, np.stack([self.codes == 0, self.codes == 1], axis=1)).means
        scores = cosines(self.items, parts[0] - parts[1])
        flags = self.flags(scores)
        least = uncertainty.within(scores, self.groups.membership)
        alone = [self._group(place, scores, least) for place in range(len(self.groups.names))]
        found = [
            self._finding(
                "geaa", {"items": self.groups.about(name)}, one, int(self.groups.membership[:, place].sum()),
                {"aggregate": self.settings.aggregate} | flags.details(place), len(alone),
            )
            for place, (name, one) in enumerate(zip(self.groups.names, alone, strict=True))
        ]  # fmt: skip
        return found + [self._pair(*pair, scores, least, flags, len(pairs)) for pair in pairs]

    def _group(self, place: int, scores: Floats, least: float) -> Association:
        a, b = self.sets(self.means[place])
        return group_association(
            scores[self.groups.membership[:, place]], a, b, aggregate=self.settings.aggregate,
            permutations=self.settings.permutations, level=_each(self.settings.level, len(self.means)),
            seed=self.settings.seed + place, least=least,
        )  # fmt: skip

    def _pair(
        self, first: int, second: int, scores: Floats, least: float, flags: Flags, family: int
    ) -> Finding:
        ours, theirs = self.groups.only(first, second)
        about = self._two(first, second)
        regress = self.settings.overlap == "regress"
        n = int((ours | theirs).sum())
        if not regress and min(ours.sum(), theirs.sum()) < 2:
            return self._none("deaa", about, TOO_FEW)
        if regress and flags.regression is None:
            return self._none("deaa", about, "the groups determine each other, so none can be held fixed")
        level = _each(self.settings.level, family)
        if regress:
            one = self._regressed(first, second, flags, level)
        else:
            one = pair_association(
                scores[ours], scores[theirs], *self.sets(self.difference(first, second)),
                way=self.settings.item_test, permutations=self.settings.permutations, level=level,
                seed=self.settings.seed + 1_000 + first * len(self.means) + second, least=least,
            )  # fmt: skip
        details = {
            "items": {
                self.groups.names[first]: int(ours.sum()),
                self.groups.names[second]: int(theirs.sum()),
            },
            "in_both": int(self.groups.membership[:, [first, second]].all(axis=1).sum()),
            "overlap": self.settings.overlap,
            **flags.pair_details(first, second),
        }
        return self._finding("deaa", about, one, n, details, family)

    def _regressed(self, first: int, second: int, flags: Flags, level: float) -> Association:
        """The same question with all other groups held fixed: a weighted sum of items, not two means."""
        assert flags.regression is not None
        estimate, error, freedom = flags.regression.difference(first, second)
        weights = pair_weights(self.groups.membership, first, second)
        toward = UnitSums.weighted(self.items, weights)
        a, b = self.sets(toward)
        shuffled = shuffle_two(
            a, b, permutations=self.settings.permutations, seed=self.settings.seed + 1 + first
        )
        items = uncertainty.EstimatedVariance(error**2, freedom)
        parts = (items, uncertainty.of_mean(a), uncertainty.of_mean(b))
        spread = uncertainty.together(parts)
        chance = float(2 * stats.t.sf(abs(estimate) / error, freedom)) if error > 0 else 1.0
        limits = uncertainty.interval(estimate, spread, level, "regression on all groups", 4.0)
        return Association(estimate, None, limits, shuffled.p_value, chance, False, parts)

    def along_direction(self, pairs: Sequence[tuple[int, int]]) -> list[Finding]:
        """R-RIPA of every group and pair, along a direction that passed its tests."""
        names = self.groups.names
        if not self.found.passes:
            why = (
                f"the direction {self.found.contrast.name} did not pass its tests, so what lies along it "
                "says nothing about the attribute"
            )
            each: list[About] = [{"items": self.groups.about(name)} for name in names]
            each += [self._two(*pair) for pair in pairs]
            return [self._none("r_ripa", about, why, "moot") for about in each]
        found = []
        everything = UnitSums.of(self.items)
        for place, name in enumerate(names):
            ours = self.groups.membership[:, place]
            rest = everything.counts[0] - self.sums.counts[place]
            others = (everything.sums[0] - self.sums.sums[place]) / max(rest, 1)
            beside = self.means[place] - others
            found.append(
                self._r_ripa(
                    {"items": self.groups.about(name)}, ours, ~ours, self.means[place], beside, len(names)
                )
            )
        for one, other in pairs:
            about = self._two(one, other)
            ours, theirs = self.groups.only(one, other)
            if min(ours.sum(), theirs.sum()) < 2:
                found.append(self._none("r_ripa", about, TOO_FEW))
            else:
                beside = self.difference(one, other)
                found.append(self._r_ripa(about, ours, theirs, beside, beside, len(pairs)))
        return found

    def _r_ripa(
        self, about: About, ours: Any, theirs: Any, toward: Floats, beside: Floats, family: int
    ) -> Finding:
        """Of one group, tested against random sets of as many items; or of one group against another.

        `toward` is what the estimate is the product of the direction with, `beside` what the test is about.
        """
        e, p = self.along[ours], self.along[theirs]
        alone = "items" in about
        by_items = by_direction = None
        exact = False
        if len(p) >= 2:
            seed = self.settings.seed + 2_000 + int(np.flatnonzero(ours)[0])
            by_items, exact = item_test(e, p, self.settings.item_test, self.settings.permutations, seed)
            by_direction = _two_sided(
                float(beside @ self.found.vector), uncertainty.of_refits(self.refits @ beside)
            )
        sets = [e] if alone else [e, p]
        spread = [uncertainty.of_mean(part, self.least_along) for part in sets]
        spread.append(uncertainty.of_refits(self.refits @ toward))
        estimate = float(toward @ self.found.vector)
        limits = uncertainty.interval(
            estimate, uncertainty.together(spread), _each(self.settings.level, family), REFITTED, len(sets),
            self.straying,
        )  # fmt: skip
        one = Association(
            estimate, effect_size(e, p) if len(p) else None, limits, by_direction, by_items, exact,
            tuple(spread), self.straying,
        )  # fmt: skip
        n = sum(len(part) for part in sets)
        return self._finding("r_ripa", about, one, n, {"method": self.settings.method}, family)

    def _finding(
        self, measure: str, about: About, one: Association, n: int, details: dict[str, Any],
        family: int,
    ) -> Finding:  # fmt: skip
        known = [p for p in (one.p_value, one.p_items) if p is not None]
        p_value = max(known) if known else None
        extra: dict[str, Any] = {"effect_size": one.effect, "exact": one.exact, "compared": family}
        if one.p_items is not None and one.p_value is not None:
            extra |= {"p_attribute": one.p_value, "p_items": one.p_items}
        if self.found.contrast.is_binary:
            extra["toward"], extra["away"] = self.found.contrast.names
            extra["lean"] = self.found.contrast.names[0 if one.estimate >= 0 else 1]
        if p_value is not None:
            extra["adjusted_p_value"] = min(1.0, p_value * family)
        limits = one.interval
        if limits is not None:
            method = limits.method + (f", simultaneous over {family:,}" if family > 1 else "")
            # Alone it is never wider: the range of the measure ends both.
            low, high = uncertainty.limits(
                one.estimate, uncertainty.together(one.spread), self.settings.level, one.strays
            )
            extra["pointwise"] = {"low": max(low, limits.low), "high": min(high, limits.high)}
            limits = limits.amended(level=self.settings.level, method=method)
        found = Finding(
            audit="association",
            measure=measure,
            about=self.about | about,
            estimate=one.estimate,
            interval=limits,
            tolerance=self.settings.tolerance,
            harm="outside",
            p_value=p_value,
            n=Count(n, "items"),
            people=self.found.contrast.people,
            assumptions=(INDEPENDENT_USERS, ITEMS_TOO, ONE_SPACE, VARIES),
            warnings=known_badly(self.found.contrast) if measure == "r_ripa" else (),
            details=extra | details,
        )
        each = _each(self.settings.level, family)
        return with_more_data(
            found, uncertainty.limits_at(one.estimate, one.spread, each, one.strays), of="users and items"
        )

    def _two(self, first: int, second: int) -> About:
        names = self.groups.names
        return {"first": self.groups.about(names[first]), "second": self.groups.about(names[second])}

    def _none(self, measure: str, about: About, why: str, state: State = "not_computable") -> Finding:
        """Nothing to say; `moot` where that is as good an answer as any, and no gap in the audit."""
        return Finding(
            audit="association",
            measure=measure,
            about=self.about | about,
            estimate=None,
            people=self.found.contrast.people,
            warnings=(why,),
            state=state,
        )


def _two_sided(estimate: float, spread: uncertainty.EstimatedVariance) -> float:
    """The p-value of no difference along the direction, where only the direction is uncertain."""
    if spread.variance <= 0:
        return 0.0 if estimate else 1.0
    return float(2 * stats.t.sf(abs(estimate) / np.sqrt(spread.variance), spread.df))


def _each(level: float, family: int) -> float:
    """The level of each interval with which all of them hold at once (Bonferroni)."""
    return 1 - (1 - level) / family
