"""What is kept of a day of the exposure audit: a row a user (`user_cells`), and what is said beside it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenhand.about import About, structured
from evenhand.arrays import Floats, Ints
from evenhand.exposure.followed_days.user_cells import PARTS
from evenhand.findings import Exclusion
from evenhand.user_days.rows import SEVERAL, UserRows


@dataclass(frozen=True)
class OfPolicy:
    """One policy: what findings about it are about, what is said beside them, and sums that users do not
    have: how much of the targets comes from relevance, user groups by name."""

    about: About
    first: float
    assumptions: tuple[str, ...]
    cautions: tuple[str, ...]
    served: bool
    wanted: dict[str, list[float]]


@dataclass(frozen=True)
class ExposureDay:
    """One day, or several added up: rows, whose columns are policy after policy those of `user_cells`."""

    rows: UserRows
    item_names: tuple[str, ...]
    sizes: tuple[int, ...]
    policies: tuple[OfPolicy, ...]
    excluded: tuple[Exclusion, ...] = ()

    def evidence(self) -> dict[str, bytes]:
        told = {
            "items": self.item_names,
            "sizes": self.sizes,
            "policies": [vars(one) for one in self.policies],
            "excluded": [one.model_dump(mode="json") for one in self.excluded],
        }
        return {"users": self.rows.content(), "told": json.dumps(told, ensure_ascii=False).encode()}

    @classmethod
    def read(cls, evidence: Mapping[str, bytes]) -> ExposureDay:
        told = json.loads(evidence["told"])
        policies = tuple(
            OfPolicy(
                **(one | {key: tuple(one[key]) for key in ("assumptions", "cautions")})
                | {"about": structured(one["about"])}
            )
            for one in told["policies"]
        )
        excluded = tuple(Exclusion.model_validate(one) for one in told["excluded"])
        rows = UserRows.read(evidence["users"])
        return cls(rows, tuple(told["items"]), tuple(told["sizes"]), policies, excluded)

    def unlike(self, other: ExposureDay) -> str:
        """Why the two cannot be added up; empty where they can."""
        if self.item_names == other.item_names:
            return ""
        new, gone = (
            sorted(set(one.item_names) - set(two.item_names)) for one, two in ((other, self), (self, other))
        )
        said = [f"{', '.join(names)} {verb}" for names, verb in ((new, "came"), (gone, "went")) if names]
        return f"groups of items changed ({'; '.join(said)}), and a user's means are over other groups"

    def __add__(self, other: ExposureDay) -> ExposureDay:
        policies = tuple(
            replace(theirs, wanted=_summed(ours.wanted, theirs.wanted))
            for ours, theirs in zip(self.policies, other.policies, strict=True)
        )
        # Sizes are those of the latest day: they only bound what a group of items could have at most.
        return ExposureDay(self.rows + other.rows, other.item_names, other.sizes, policies)


def _summed(one: dict[str, list[float]], other: dict[str, list[float]]) -> dict[str, list[float]]:
    nothing = [0.0] * len(next(iter((one or other).values()), []))
    return {
        name: [a + b for a, b in zip(one.get(name, nothing), other.get(name, nothing), strict=True)]
        for name in dict.fromkeys((*one, *other))
    }


class Cells(NamedTuple):
    """Rows of the users who count, their group among `names`, and who they are."""

    cells: Floats
    group: Ints
    names: list[str]
    users: NDArray[np.uint64]


def cells_of(day: ExposureDay, policy: int) -> Cells:
    """What the day, or several, say of users under one policy; of users of one group only."""
    rows, width = day.rows, PARTS * len(day.item_names) + 1
    cells = rows.means[:, policy * width : (policy + 1) * width]
    stay = (rows.group != SEVERAL) & np.isfinite(cells[:, 0])
    there = np.unique(rows.group[stay])
    names = [rows.groups[g][0] for g in there]
    return Cells(cells[stay], np.searchsorted(there, rows.group[stay]), names, rows.users[stay])
