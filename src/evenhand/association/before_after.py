"""Vectors of the same users and items before and after they were changed: what lies along the attribute.

Beside both times there is a third look where the space is the same: the new items beside the users, and along
the direction, as they were.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evenhand.arrays import Ints, Vectors
from evenhand.association import uncertainty
from evenhand.association.directions.contrasts import contrasts
from evenhand.association.directions.findings import (
    AssociationSettings,
    Direction,
    direction_finding,
    established,
)
from evenhand.association.directions.fits import Classifying, fit_of
from evenhand.association.evidence import UnitSums
from evenhand.association.findings import ITEMS_TOO, VARIES, Significance
from evenhand.association.measures import mean_difference
from evenhand.association.memberships import Flags
from evenhand.association.vectors.checks import cosines
from evenhand.association.vectors.labels import Attribute, Groups
from evenhand.findings import INDEPENDENT_USERS, Count, Finding, Interval

# The last is after, too: items as they are then beside the users as they were.
BEFORE, AFTER, ORIGINAL = "before", "after", "original"
NOT_USED = "R-RIPA along this direction is not told: it did not pass its tests, and would say nothing."
FEW_CHANGE = (
    "Where only a few items or users change, some of them are here: a small group without any looks as if "
    "nothing had changed."
)
FEW_USERS = 50
FEW_ON_A_SIDE = (
    f"One of the two values has fewer than {FEW_USERS} users. Where only a few of them change, intervals may "
    "hold less often than they say. Use more users."
)

Pair = tuple[Vectors, Vectors]  # before and after


@dataclass(frozen=True)
class Looking:
    """How directions are made and tested at either time."""

    methods: tuple[str, ...]
    permutations: int
    significance: float
    level: float
    seed: int

    def settings(self, method: str) -> AssociationSettings:
        return AssociationSettings(
            method, "crossfit", self.permutations, "permutation", "exclude", "mean", self.significance,
            self.level, None, self.seed, Classifying(),
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class BeforeAfter:
    """Vectors at both times. `codes` are of the users that are here, as places in the words of `people`."""

    users: Pair
    items: Pair
    codes: Ints
    people: Attribute
    groups: Groups | None

    def looks(self, pairs: Sequence[tuple[int, int]], how: Looking, *, same_space: bool) -> list[Finding]:
        """Directions, and groups along them: before, after, and new items beside the users as they were."""
        found = []
        for method in how.methods:
            settings = how.settings(method)
            listed = contrasts(self.codes, self.people.words, fit_of(method))
            for contrast in listed:
                lines = [established(contrast, side, settings, len(listed)) for side in self.users]
                for line, side, when in zip(lines, self.users, (BEFORE, AFTER), strict=True):
                    told = direction_finding(line, side, self.people.name, settings, ())
                    warnings = () if line.passes or self.groups is None else (NOT_USED,)
                    found.append(_told_when(told, when, method).amended(warnings=warnings))
                if self.groups is None:
                    continue
                times = [(0, 0, BEFORE), (1, 1, AFTER), *([(0, 1, ORIGINAL)] if same_space else [])]
                for of_users, of_items, when in times:
                    line, side = lines[of_users], self.users[of_users]
                    along = _along(line, self.items[of_items], side, self.groups, self.people.name, settings)
                    if contrast.is_binary and method == how.methods[0]:
                        found += [_told_when(one, when) for one in along.associations(pairs)]
                    # The finding of the direction says that it is not used further; each group need not.
                    if line.passes:
                        found += [_told_when(one, when, method) for one in along.along_direction(pairs)]
        return found

    def changes(self, level: float) -> list[Finding]:
        """GEAA after minus before, of each group, where the attribute has two values: of the same items and
        users, so that what both share is not uncertain. The intervals hold at once."""
        if self.groups is None or len(self.people.words) != 2:
            return []
        codes, words, groups = self.codes, self.people.words, self.groups
        each = 1 - (1 - level) / len(groups.names)
        lines = [mean_difference(side[codes == 0], side[codes == 1]) for side in self.users]
        items = [cosines(side, line) for side, line in zip(self.items, lines, strict=True)]
        means = [UnitSums.of(side, groups.membership).means for side in self.items]
        least = {sign: uncertainty.within(items[1] + sign * items[0], groups.membership) for sign in (-1, 1)}
        people = {word: int((codes == code).sum()) for code, word in enumerate(words)}
        few = (FEW_ON_A_SIDE,) if min(people.values()) < FEW_USERS else ()
        found = []
        for place, name in enumerate(groups.names):
            inside = groups.membership[:, place]
            users = [cosines(side, mean[place]) for side, mean in zip(self.users, means, strict=True)]
            own = items[0][inside], items[1][inside]
            limits, total = (
                _sum_limits(own, (users[0], users[1]), codes, sign, each, least[sign]) for sign in (-1, 1)
            )
            old, new = (float(scores.mean()) for scores in own)
            found.append(
                Finding(
                    audit="association",
                    measure="geaa_change",
                    about={
                        "by": {"users": self.people.name},
                        "direction": " against ".join(words),
                        "items": groups.about(name),
                    },
                    estimate=new - old,
                    interval=None if limits is None else limits.amended(level=level),
                    n=Count(int(inside.sum()), "items"),
                    people=people,
                    assumptions=(INDEPENDENT_USERS, ITEMS_TOO, VARIES, FEW_CHANGE),
                    warnings=few,
                    details={
                        "before": old,
                        "after": new,
                        # after^2 - before^2 is the change times this: without its sign, whether a group leans
                        # less or more than before, whichever way, is not told.
                        "sum": None if total is None else {"low": total.low, "high": total.high},
                        "toward": words[0],
                        "away": words[1],
                    },
                )
            )
        return found


def _along(
    line: Direction, items: Vectors, users: Vectors, groups: Groups, by: str, settings: AssociationSettings
) -> Significance:
    return Significance(
        line, items, users, groups, by, settings, lambda scores: Flags(None, None, None, groups.names)
    )


def _told_when(finding: Finding, when: str, method: str | None = None) -> Finding:
    """A finding of the association audit, with when it was so, and along the direction of which method."""
    more = {"when": when} | ({} if method is None else {"method": method})
    return finding.amended(about=finding.about | more)


def _sum_limits(
    items: Pair, users: Pair, codes: Ints, sign: int, level: float, least: float
) -> Interval | None:
    """Of GEAA after plus (`sign` 1) or minus (-1) before, by what each item and each user adds to both.

    `least` is how much items are taken to vary in any case: of most groups none of the few items that change
    may be here.
    """
    added, shift = items[1] + sign * items[0], users[1] + sign * users[0]
    people = uncertainty.of_either_side(shift, codes, level)
    spread = uncertainty.together([uncertainty.of_mean(added, least), *people])
    return uncertainty.interval(float(added.mean()), spread, level, "paired jackknife over both sides", 4.0)
