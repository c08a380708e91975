"""Who is compared with whom: users in cells, the rule that makes groups of cells, and who is left out."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from evenhand.arrays import Floats, Ints
from evenhand.errors import InputError, TooLittleError
from evenhand.findings import INDEPENDENT_USERS, Exclusion
from evenhand.groups.attributes import Attribute, Missing, with_missing
from evenhand.groups.cells import Cells, Groups, every_cell, every_combination
from evenhand.groups.findings import Measured
from evenhand.groups.lists.metrics import Better

Search = Literal["exhaustive", "threshold", "cube", "swarm"]

# Groups that are too small are listed by name up to this many.
LISTED = 50
# Below so many users in a group, values without bounds get a warning.
FEW = 50


@dataclass(frozen=True)
class GroupRule:
    """Which groups are compared: how they are looked for, and how many users they need.

    `min_size` is a number of users, or a share of all of them where it is below 1.
    """

    search: Search
    min_size: float
    least_share: float
    depth: int

    def least(self, user_count: int) -> int:
        """The number of users that a group needs, at least 2, as one user has no error."""
        size = math.ceil(self.min_size * user_count) if self.min_size < 1 else int(self.min_size)
        if self.search == "threshold":
            size = max(size, math.ceil(self.least_share * user_count))
        return max(size, 2)

    def groups(self, cells: Cells, least: int) -> Groups:
        if self.search == "cube":
            return every_combination(cells, least, self.depth)
        return every_cell(cells, least)


@dataclass(frozen=True)
class Compared:
    """The users to compare, by their numbers in the users table, in groups that are all large enough."""

    users: Ints
    groups: Groups
    excluded: tuple[Exclusion, ...]
    details: dict[str, Any]


@dataclass(frozen=True)
class Population:
    """The users whose attributes are known: `who` are their numbers, in the order of `cells`."""

    cells: Cells
    who: Ints
    excluded: tuple[Exclusion, ...]

    @classmethod
    def of(cls, coded: list[Attribute], missing: Missing, unlisted: int = 0) -> Population:
        """The last of them may be `unlisted`: the users table does not have them."""
        known, stay = with_missing(coded, missing)
        left = int((~stay).sum())
        lacking = min(unlisted, left)
        parts = {
            "users without a value of an attribute": left - lacking,
            "users without a value of an attribute, whom the users table lacks": lacking,
        }
        excluded = tuple(
            Exclusion(what=what, count=count, why="excluded as asked")
            for what, count in parts.items()
            if count
        )
        if not stay.any():
            raise InputError("users: nobody has a value of every attribute, so there is nobody to compare.")
        names, words = [a.name for a in known], [a.words for a in known]
        return cls(Cells.of(names, words, [a.codes[stay] for a in known]), np.flatnonzero(stay), excluded)

    def measured(
        self,
        label: str,
        values: Floats,
        better: Better,
        bounds: tuple[float, float] | None,
        rule: GroupRule,
        why_without: str,
        cost: dict[str, Any] | None = None,
        *,
        assumptions: tuple[str, ...] = (INDEPENDENT_USERS,),
        excluded: tuple[Exclusion, ...] = (),
    ) -> Measured:
        """The values of those who are `compared`, and how to read them."""
        found = self.compared(label, values, rule, why_without)
        warnings: tuple[str, ...] = ()
        unknown: tuple[Exclusion, ...] = ()
        if bounds is None:
            few = int(found.groups.sizes.min())
            warnings = (_UNBOUNDED, *((_FEW_UNBOUNDED,) if few < FEW else ()))
            what = f"values of {label} beyond those that were seen"
            unknown = (Exclusion(what=what, count=0, why="the column has no bounds", unidentified=True),)
        return Measured(
            label,
            better,
            bounds,
            values[found.users],
            found.groups,
            found.excluded + excluded + unknown,
            warnings,
            found.details | (cost or {}),
            assumptions,
        )

    def compared(self, label: str, values: Floats, rule: GroupRule, why_without: str) -> Compared:
        """Those of the users who have a value and are in a group that is large enough.

        `values` are those of everybody, NaN where a user has none, and `why_without` is why that may be.
        """
        least = rule.least(len(self.who))
        mine = values[self.who]
        has = np.isfinite(mine)
        excluded = list(self.excluded)
        if not has.all():
            excluded.append(
                Exclusion(what=f"users without {label}", count=int((~has).sum()), why=why_without)
            )
        excluded += self._unseen(has, least)
        if not has.any():
            raise TooLittleError(f"{label} is defined for none of {len(mine):,} users: {why_without}.")
        everybody = self.cells.restricted(has)
        kept = rule.groups(everybody, least)
        _enough(kept, everybody, least, label)
        in_group = np.zeros(len(everybody), dtype=bool)
        in_group[kept.cells] = True
        used = in_group[everybody.of_user]
        mine = mine[has][used]
        if np.ptp(mine) == 0:
            raise TooLittleError(
                f"{label} is {mine[0]:g} for all {len(mine):,} users, so there is nothing to compare; check "
                "labels and scores, or choose another metric or a larger k."
            )
        details: dict[str, Any] = {
            "method": rule.search,
            "groups_compared": len(kept),
            "users_scored": int(has.sum()),
        }
        small = np.flatnonzero(~in_group)
        if len(small):
            what = f"{_groups(len(small))} of fewer than {least:,} users"
            excluded.append(
                Exclusion(what=what, count=int((~used).sum()), why="too few users to be compared")
            )
            largest = small[np.argsort(-everybody.sizes[small], kind="stable")][:LISTED]
            named = Groups.single(everybody, largest)
            details["excluded_groups"] = [
                {"group": named.name(i), "users": int(n)} for i, n in enumerate(named.sizes)
            ]
        groups = rule.groups(everybody.restricted(used), least)
        return Compared(self.who[has][used], groups, tuple(excluded), details)

    def _unseen(self, has: NDArray[np.bool_], least: int) -> list[Exclusion]:
        """Groups that are large enough and of which nobody has a value: harm may hide there."""
        nobody = np.bincount(self.cells.of_user, weights=has, minlength=len(self.cells)) == 0
        unseen = nobody & (self.cells.sizes >= least)
        if not unseen.any():
            return []
        what = f"{_groups(int(unseen.sum()))} of which nobody has a value"
        users = int(self.cells.sizes[unseen].sum())
        return [Exclusion(what=what, count=users, why="nobody was scored", unidentified=True)]


def _groups(count: int) -> str:
    return "1 group" if count == 1 else f"{count:,} groups"


_UNBOUNDED = (
    "No bounds are known for this column, so intervals rest on the values that were seen. They are too "
    "narrow where a group has rare values that are larger than all others, and nothing can be said to be "
    "within tolerance; give bounds if there are any."
)


# Without its number: it may be too small to be published, and warnings always are.
_FEW_UNBOUNDED = (
    f"The smallest group has fewer than {FEW} users. Without bounds, what they may have missed is taken from "
    "what other users have; with so few that is hardly more than a guess."
)


def _enough(kept: Groups, cells: Cells, least: int, label: str) -> None:
    if len(kept) >= 2:
        return
    by = ", ".join(cells.attributes)
    if len(cells) == 1:
        raise TooLittleError(
            f"all {len(cells.of_user):,} users with {label} are in one group of {by}; a comparison needs "
            "two, so name other attributes."
        )
    raise TooLittleError(
        f"{'only one' if len(kept) else 'none'} of {len(cells):,} groups of {by} has at least {least:,} "
        f"users (the largest has {cells.sizes.max():,}), and a comparison needs two: lower min_size, or use "
        "fewer or coarser attributes."
    )
