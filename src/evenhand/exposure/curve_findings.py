"""Systems compared over temperatures: relevance against disparity, and whether measures agree.

After Wu and others (2022), Sec. 5.2 and 5.4, who draw the same for five recommenders and compare the areas
under the curves. An area is larger where a curve goes on to disparities that nobody wants, so what is
compared here is the mean relevance over the disparities that all systems reach; the areas by both rules in
use are in the details. `corrected` is the same with what chance adds to squares taken away. There are no
intervals, since all of it hangs on the extremes over all systems and temperatures.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evenhand.about import Parts
from evenhand.exposure.curves import areas, kendall, mean_between, normalised, shared_range
from evenhand.exposure.evidence import Evidence
from evenhand.exposure.measures import NAMES, Measure, corrected_measures, measures
from evenhand.exposure.policy import ACCURACY, Beta
from evenhand.exposure.premises import people_of
from evenhand.exposure.problem.numbered import Problem
from evenhand.findings import Count, Finding
from evenhand.pictures import Line, Lines, Map

FEWEST_POINTS = 3  # fewer are no curve
FEWEST_TO_AGREE = 5  # fewer agree by chance
PARTS = ("fairness", "disparity", "relevance")


@dataclass(frozen=True)
class Point:
    """The six measures of one system at one temperature."""

    beta: Beta
    users: int
    people: Mapping[str, int]  # of each user group
    plain: Mapping[str, Measure]
    corrected: Mapping[str, Measure]

    @classmethod
    def of(cls, beta: Beta, problem: Problem, evidence: Evidence) -> Point:
        people = people_of(problem, evidence)
        return cls(beta, evidence.users, people, measures(evidence), corrected_measures(evidence))


def least_random_last(betas: Sequence[Beta]) -> list[Beta]:
    """Curves run from the most random policy to the ranking itself."""
    warm = sorted({beta for beta in betas if not isinstance(beta, str)}, reverse=True)
    return [*warm, *(beta for beta in betas if isinstance(beta, str))]


def trade_offs(by: Parts, curves: Mapping[str, Sequence[Point]]) -> list[Finding]:
    """Findings about systems by name (an empty name where there is one only), each at the same betas."""
    points = [point for curve in curves.values() for point in curve]
    found = []
    for name in NAMES:
        noise = _noise(points, name, "disparity"), _noise(points, name, "relevance")
        both, corrected = _areas(curves, name, "plain", noise), _means(curves, name, "corrected", noise)
        means = _means(curves, name, "plain", noise)
        x = normalised(_parts(curves, name, "plain", "disparity"), noise[0])
        y = normalised(_parts(curves, name, "plain", "relevance"), noise[1])
        for system, curve in curves.items():
            details: dict[str, Any] = dict(both[system])
            path = Line(
                name=system,
                points=tuple(
                    (float(across), float(up)) for across, up in zip(x[system], y[system], strict=True)
                ),
                labels=tuple(str(point.beta) for point in curve),
            )
            if corrected is not None and np.isfinite(corrected[system]):
                details["corrected"] = corrected[system]
            found.append(
                Finding(
                    audit="exposure",
                    measure="tradeoff",
                    about={"by": by, "beta": "several", "measure": name}
                    | ({"system": system} if system else {}),
                    estimate=None if means is None else means[system],
                    warnings=() if means else ("no disparity is reached by all systems",),
                    n=Count(curve[0].users, "users"),
                    people=curve[0].people if name[0] == "G" else {},
                    details=details,
                    pictures=(Lines(of="disparity", lines=(path,)),),
                )
            )
    return [*found, *_agreement(by, points)] if len(points) >= FEWEST_TO_AGREE else found


def _means(
    curves: Mapping[str, Sequence[Point]], name: str, kind: str, noise: tuple[float, float]
) -> dict[str, float] | None:
    """Mean relevance of each system over the disparities that all reach, or None if there are none."""
    x = normalised(_parts(curves, name, kind, "disparity"), noise[0])
    y = normalised(_parts(curves, name, kind, "relevance"), noise[1])
    shared = shared_range(x)
    return shared and {system: mean_between(x[system], y[system], *shared) for system in curves}


def _parts(curves: Mapping[str, Sequence[Point]], name: str, kind: str, part: str) -> dict[str, list[float]]:
    return {
        system: [getattr(getattr(point, kind)[name], part) for point in curve]
        for system, curve in curves.items()
    }


def _noise(points: Sequence[Point], name: str, part: str) -> float:
    """How much exposures that are off by their accuracy may move a part: 2 |A| of it where A is squared, and
    2 |B| in 2 A B. What varies less does not vary."""
    of = "constant" if part == "relevance" else part
    largest = max(abs(getattr(point.plain[name], of)) for point in points)
    return 2 * ACCURACY * float(np.sqrt(largest)) + ACCURACY**2


def _areas(
    curves: Mapping[str, Sequence[Point]], name: str, kind: str, noise: tuple[float, float]
) -> dict[str, dict[str, float]]:
    return areas(_parts(curves, name, kind, "disparity"), _parts(curves, name, kind, "relevance"), noise)


def _agreement(by: Parts, points: Sequence[Point]) -> list[Finding]:
    """Kendall's correlation between measures, and between their components, over systems and betas; nothing
    where no two measures vary."""
    maps = []
    for part in PARTS:
        values = {name: [getattr(point.plain[name], part) for point in points] for name in NAMES}
        matrix = kendall(values, {name: _noise(points, name, part) for name in NAMES})
        values_of = [[None if np.isnan(value) else float(value) for value in row] for row in matrix]
        maps.append(Map.square("correlation", list(NAMES), values_of, part))
        if part == PARTS[0]:
            fairness = np.array(matrix, dtype=float)
    np.fill_diagonal(fairness, np.nan)
    if np.isnan(fairness).all():
        return []
    weakest = np.unravel_index(np.nanargmin(fairness), fairness.shape)
    found = Finding(
        audit="exposure",
        measure="measure_agreement",
        about={"by": by, "beta": "several"},
        estimate=float(fairness[weakest]),
        n=Count(points[0].users, "users"),
        details={
            "points": len(points),
            "first": NAMES[weakest[0]],
            "second": NAMES[weakest[1]],
        },
        pictures=tuple(maps),
    )
    return [found]
