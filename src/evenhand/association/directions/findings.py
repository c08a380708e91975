"""From an attribute to its directions: made, tested, and told as findings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from evenhand.arrays import Floats, Vectors
from evenhand.association.directions import existence, views
from evenhand.association.directions.contrasts import Contrast, cosine_matrix
from evenhand.association.directions.existence import Existence, Separation
from evenhand.association.directions.fits import METHODS, MOST, Classifying, fit_of, holistic_fit
from evenhand.association.directions.profile import Profile
from evenhand.association.vectors.checks import cosines
from evenhand.findings import INDEPENDENT_USERS, Count, Exclusion, Finding, Interval
from evenhand.pictures import Map, Shares

FOLDS = 5
# How many groups of either side are named beside a direction.
NAMED = 2
IN_SAMPLE = (
    "The direction was tested on the users that made it, as in Beattie (2023); this alarms on noise, "
    "and is for reproduction only."
)


# Without its number: it may be too small to be published, and warnings always are.
FEW = 10
KNOWN_BADLY = (
    f"Fewer than {FEW} users have one of the values: their direction is hardly known, and intervals of what "
    "lies along it hold a little less often than they say."
)


def known_badly(contrast: Contrast) -> tuple[str, ...]:
    return (KNOWN_BADLY,) if min(contrast.people.values()) < FEW else ()


@dataclass(frozen=True)
class AssociationSettings:
    method: str
    way: str
    permutations: int
    item_test: str
    overlap: str
    aggregate: str
    significance: float
    level: float
    tolerance: float | None
    seed: int
    how: Classifying


@dataclass(frozen=True, eq=False)
class Direction:
    """A contrast with its direction, its tests, and whether these let it be used further."""

    contrast: Contrast
    vector: Floats
    tests: Existence
    separation: Separation
    profile: Profile
    p_value: float
    passes: bool


def established(
    contrast: Contrast,
    users: Vectors,
    settings: AssociationSettings,
    family: int,
    against: Floats | None = None,
) -> Direction:
    """The direction and its tests; `family` is how many directions are tested, and corrected for."""
    rows, seed = users[contrast.who], settings.seed
    vector = contrast.direction(users, np.random.default_rng([seed, 1]))
    common = rows, contrast.codes, contrast.names, contrast.fit
    held = existence.crossfit(*common, against=against, seed=seed)
    assert held.separation is not None
    assert held.profile is not None
    if settings.way == "insample" and contrast.is_binary:
        tests = existence.insample(*common, seed=seed)
    elif settings.way == "permutation":
        tests = existence.by_permutation(*common, family=family, against=against, seed=seed)
    else:
        tests = held
    p_value = min(1.0, tests.p_value * family)
    passes = p_value <= settings.significance
    return Direction(contrast, vector, tests, held.separation, held.profile, p_value, passes)


def direction_finding(
    found: Direction, users: Vectors, by: str, settings: AssociationSettings, excluded: tuple[Exclusion, ...]
) -> Finding:
    contrast, tests, apart = found.contrast, found.tests, found.separation
    rows = users[contrast.who]
    score = views.classified(rows, contrast.codes, FOLDS, settings.how, settings.seed)
    ways = _ways(contrast, users, found.vector, settings)
    details: dict[str, Any] = {
        "method": settings.method,
        "passes": found.passes,
        "significance": settings.significance,
        "guessing": 1 / len(contrast.names),
        "vector": found.vector.round(8).tolist(),
        "effect_size": apart.estimate,
        "tests": _test_rows(tests, contrast),
        "tested_by": tests.way,
        "accuracy": vars(score),
        "cosines": {str(name): float(value) for name, value in ways[settings.method].items()},
        "values": [
            {"group": name, "users": int(users)}
            for name, users in zip(contrast.names, np.bincount(contrast.codes), strict=True)
        ],
    }
    pictures: list[Shares | Map] = []
    if contrast.is_binary:
        pictures.append(found.profile.shares(contrast.names, contrast.codes))
        shares = views.told_apart(rows, contrast.codes, found.vector)
        details["most_biased"] = dict(zip(contrast.names, shares, strict=True))
        details["toward"], details["away"] = contrast.names
    else:
        along = cosines(rows, found.vector)
        means = np.bincount(contrast.codes, weights=along) / np.bincount(contrast.codes)
        details["mean_cosine"] = dict(zip(contrast.names, means.tolist(), strict=True))
    limits = None
    if np.isfinite(apart.error):
        low, high = apart.limits(settings.level)
        limits = Interval(low=low, high=high, level=settings.level, method="held-out halves")
    return Finding(
        audit="association",
        measure="direction",
        about={"by": {"users": by}, "direction": contrast.name},
        estimate=apart.estimate,
        interval=limits,
        p_value=found.p_value,
        n=Count(len(contrast.who), "users"),
        people=contrast.people,
        excluded=excluded,
        assumptions=(INDEPENDENT_USERS,),
        warnings=((IN_SAMPLE,) if tests.way == "insample" else ()) + known_badly(contrast),
        details=details,
        pictures=(
            *pictures,
            Map.square("cosine", [*map(str, ways.columns)], ways.round(6).to_numpy().tolist()),
        ),
    )


def leaning(direction: Finding, along: Sequence[Finding]) -> Finding:
    """The finding of a direction, with the groups that lie furthest toward either side, beyond chance."""
    sure = [
        one
        for one in along
        if "group" in one.subject and one.interval is not None and "lean" in one.details
        if one.interval.low > 0 or one.interval.high < 0
    ]
    sure.sort(key=lambda one: -abs(one.estimate or 0.0))
    sides: dict[str, list[str]] = {}
    for one in sure:
        sides.setdefault(one.details["lean"], []).append(str(one.subject["group"]))
    named = {side: names[:NAMED] for side, names in sides.items()}
    return direction.amended(details=direction.details | {"leaning": named})


def _test_rows(tests: Existence, contrast: Contrast) -> list[dict[str, Any]]:
    rows = zip(
        tests.names, tests.statistics.tolist(), tests.p_values.tolist(), tests.adjusted.tolist(),
        tests.required, strict=True,
    )  # fmt: skip
    keys = ("test", "statistic", "p_value", "adjusted", "required")
    listed = [
        dict(zip(keys, (row[0], float(np.clip(row[1], -1e9, 1e9)), *row[2:]), strict=True)) for row in rows
    ]
    if not contrast.is_binary:
        # Two for each category, after those about all: a report hides what is about very few.
        counts = np.repeat(np.bincount(contrast.codes), 2)
        for row, users in zip(listed[-len(counts) :], counts.tolist(), strict=True):
            row["users"] = users
    return listed


def _ways(contrast: Contrast, users: Vectors, vector: Floats, settings: AssociationSettings) -> pd.DataFrame:
    """The cosines between this direction and those that the other ways make of the same entities."""
    named = {settings.method: vector}
    for method in METHODS:
        if method != settings.method:
            fit = fit_of(method, MOST, settings.how)
            fit = fit if contrast.is_binary else holistic_fit(fit)
            made = replace(contrast, fit=fit).direction(users, np.random.default_rng([settings.seed, 1]))
            named[method] = made if contrast.is_binary or made @ vector >= 0 else -made
    return cosine_matrix(named)
