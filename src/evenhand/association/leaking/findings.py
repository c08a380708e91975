"""What a classifier of users finds in histories and in items, told as findings."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from evenhand.about import About
from evenhand.arrays import Vectors
from evenhand.association import uncertainty
from evenhand.association.directions.contrasts import Contrast
from evenhand.association.directions.fits import Classifying
from evenhand.association.findings import ITEMS_TOO
from evenhand.association.leaking.classifier import (
    Flags,
    Labelled,
    Teaching,
    UserHistories,
    parts,
    users_from_histories,
    without_parts,
)
from evenhand.association.leaking.inflation import inflations, next_to_the_threshold
from evenhand.association.leaking.items import Comparison, comparisons, deciles, item_leaks, popularities
from evenhand.association.leaking.rates import Rate, rates
from evenhand.association.uncertainty import EstimatedVariance
from evenhand.association.vectors.labels import Groups
from evenhand.findings import INDEPENDENT_USERS, Count, Exclusion, Finding, Interval
from evenhand.more_data import with_more_data
from evenhand.stats.means.proportions import auc

AUDIT = "association_leakage"
GIVEN_ITEMS = "Vectors of items are taken as they are; who learns and who is predicted are different users."
AS_IF = "{}, of fewer cases, as users teach each other's classifiers"
WAYS = dict.fromkeys(("leak_precision", "leak_recall", "leak_accuracy"), "Wilson") | {
    "leak_f1": "Wilson, of the overlap",
    "leak_auc": "DeLong, logit",
    "leak_parity": "Newcombe",
    "leak_recall_gap": "Newcombe",
}
# Of 20 users recall and parity were held in 90 to 92%.
FEW_TEACH = 30
TAUGHT_BY_FEW = (
    "Only {} users are on the smaller side: a classifier that so few teach is now better and now worse, and "
    "these limits miss more often than they say, in up to a tenth of cases."
)
# With a dozen different histories precision was held in 86%, accuracy in 90%.
COARSE = 0.1
FEW_SCORES = (
    "{:.0%} of the users have one of the scores next to the threshold, as many histories are the same: they "
    "are named together or not at all, and these limits miss more often than they say, in up to 15% of cases."
)
OVER_BOTH = "jackknife over items, and over users with the classifier taught anew"


@dataclass(frozen=True, eq=False)
class LeakageData:
    """Users with a value and a history, items, and what is known about them."""

    users: UserHistories
    items: Vectors
    groups: Groups | None
    by: str
    excluded: tuple[Exclusion, ...]


@dataclass(frozen=True)
class Leaking:
    threshold_from: str
    how: Classifying
    folds: int
    popular: int
    permutations: int
    level: float
    tolerance: float | None
    seed: int

    def teaching(self, training: str) -> Teaching:
        return Teaching(training, self.threshold_from, self.how)


def user_findings(
    world: LeakageData, contrast: Contrast, has: Flags, training: str, settings: Leaking, both_sides: bool
) -> list[Finding]:
    teaching = settings.teaching(training)
    part = parts(has, settings.folds, np.random.default_rng([settings.seed, 41]))
    predicted = users_from_histories(world.users, has, world.items, teaching, part)
    inflated = inflations(
        predicted, has, without_parts(world.users, has, world.items, teaching, part, settings.seed)
    )
    majority = float(max(has.mean(), 1 - has.mean()))
    details: dict[str, Any] = {
        "majority": majority,
        "predicted": float(predicted.said.mean()),
        "auc_of_own_vector": auc(predicted.by_vector, has, predicted.part)[0],
    }
    return [
        _rate(
            world,
            contrast,
            one,
            training,
            settings,
            details | {"variance_times": inflated[one.measure, one.side].times},
            next_to_the_threshold(predicted),
        )
        for one in rates(predicted, has, inflated, settings.level, both_sides=both_sides)
    ]


def _rate(
    world: LeakageData,
    contrast: Contrast,
    one: Rate,
    training: str,
    settings: Leaking,
    details: dict[str, Any],
    together: float,
) -> Finding:
    about: About = {
        "by": {"users": world.by}, "direction": contrast.name, "training": training
    }  # fmt: skip
    if one.side is not None:
        about["value"] = contrast.names[one.side]
    limits = None
    if one.interval is not None:
        low, high = one.interval
        limits = Interval(low=low, high=high, level=settings.level, method=AS_IF.format(WAYS[one.measure]))
    found = Finding(
        audit=AUDIT,
        measure=one.measure,
        about=about,
        estimate=one.estimate,
        interval=limits,
        # Not the gap between recalls: where everybody is named the larger side, it is 1 and nothing leaks.
        tolerance=settings.tolerance if one.measure == "leak_parity" else None,
        harm="outside",
        p_value=one.p_value,
        n=Count(one.n, "users"),
        people=contrast.people,
        excluded=world.excluded,
        assumptions=(INDEPENDENT_USERS, GIVEN_ITEMS),
        warnings=(
            *(() if one.estimate is not None else (f"nobody is predicted to be {about['value']}",)),
            *_taught_by_few(contrast, training, limits),
            *_few_scores(one, limits, together),
        ),
        details=details | {"toward": contrast.names[0], "away": contrast.names[1]},
    )
    return found if one.limits_at is None else with_more_data(found, one.limits_at, of="users")


def _taught_by_few(contrast: Contrast, training: str, limits: Interval | None) -> tuple[str, ...]:
    fewest = int(np.bincount(contrast.codes).min())
    if limits is None or training == "balanced" or fewest >= FEW_TEACH:
        return ()
    return (TAUGHT_BY_FEW.format(fewest),)


def _few_scores(one: Rate, limits: Interval | None, together: float) -> tuple[str, ...]:
    if limits is None or one.measure == "leak_auc" or together <= COARSE:
        return ()
    return (FEW_SCORES.format(together),)


def item_findings(
    world: LeakageData, contrast: Contrast, has: Flags, training: str, settings: Leaking
) -> list[Finding]:
    popular = popularities(
        np.asarray(world.users.taken.sum(axis=0)).ravel().astype(np.int64), settings.popular
    )
    compared = comparisons(popular, settings.popular, world.groups, contrast.names)
    leaks = item_leaks(
        world.users, has, world.items, settings.teaching(training), compared, settings.permutations,
        settings.seed,
    )  # fmt: skip
    family = Counter(one.measure for one in compared if "items" in one.about)
    found = []
    for place, one in enumerate(compared):
        about: About = {
            "by": {"users": world.by}, "direction": contrast.name, "training": training, **one.about
        }  # fmt: skip
        estimate = float(leaks.estimates[place])
        if not np.isfinite(estimate):
            why = "there are no such items on one of the two sides"
            found.append(
                Finding(
                    audit=AUDIT,
                    measure=one.measure,
                    about=about,
                    estimate=None,
                    warnings=(why,),
                    people=contrast.people,
                )
            )
            continue
        compares = one.others is not None
        many = family.get(one.measure, 1)
        spreads = one.over_items(leaks.items), leaks.over_users[place]
        limits_at = partial(item_limits, one, leaks.items, spreads, 1 - (1 - settings.level) / many)
        limits = None
        if all(np.isfinite(part.variance) for part in spreads):
            low, high = limits_at(1.0)
            method = OVER_BOTH + (f", simultaneous over {many:,}" if many > 1 else "")
            limits = Interval(low=low, high=high, level=settings.level, method=method)
        p_value = float(leaks.p_values[place]) if compares else None
        details: dict[str, Any] = {"toward": contrast.names[0], "away": contrast.names[1]}
        if p_value is not None and many > 1:
            details |= {"compared": many, "adjusted_p_value": float(leaks.adjusted[place])}
        if one.measure == "leak_items":
            details["deciles"] = deciles(leaks.items, popular[str(one.about["popularity"])], settings.level)
        told = Finding(
            audit=AUDIT,
            measure=one.measure,
            about=about,
            estimate=estimate,
            interval=limits,
            tolerance=settings.tolerance if compares else None,
            harm="outside",
            p_value=p_value,
            n=Count(one.count(leaks.items), "items"),
            people=contrast.people,
            excluded=world.excluded,
            assumptions=(INDEPENDENT_USERS, ITEMS_TOO),
            details=details,
        )
        found.append(with_more_data(told, limits_at, of="users and items"))
    return found


def item_limits(
    one: Comparison, items: Labelled, spreads: tuple[EstimatedVariance, ...], level: float, times: float = 1.0
) -> tuple[float, float]:
    """The limits with so many times the users and items: of the jackknife, and of few items in any case."""
    spread = uncertainty.together([part.with_data(times) for part in spreads])
    low, high = uncertainty.limits(one.estimate(items), spread, level)
    least, most = one.at_least(items, level, times)
    bottom = -1.0 if one.others is not None else 0.0
    return min(least, max(bottom, low)), max(most, min(1.0, high))
