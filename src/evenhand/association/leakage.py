"""Leakage: can the attribute of users be read off the vectors of the items that they took?

Beattie (2023), sections 5.1.3 and 8.2: vectors of items are used as features elsewhere, and take with them
what they know of those who took the items.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evenhand.association import labels, sources, uncertainty
from evenhand.association.audit import NOT_SHARED
from evenhand.association.directions import Contrast, classifying, contrasts
from evenhand.association.existence_findings import INDEPENDENT
from evenhand.association.fits import Classifying, fit_of
from evenhand.association.histories import histories
from evenhand.association.item_leaks import comparisons, deciles, item_leaks, popularities
from evenhand.association.labels import Groups
from evenhand.association.leaks import THRESHOLDS, TRAININGS, Flags, Teaching, Users, users_from_histories
from evenhand.association.rates import Rate, rates
from evenhand.association.vectors import Ints, Vectors, enough, same_space
from evenhand.errors import InputError
from evenhand.findings import Exclusion, Finding, Interval
from evenhand.parameters import choice, number, whole
from evenhand.results import AuditResult
from evenhand.stats.proportions import auc
from evenhand.stats.randomness import seed_of

AUDIT = "association_leakage"
GIVEN_ITEMS = "Vectors of items are taken as they are; who learns and who is predicted are different users."
WAYS = {
    "leak_precision": "Wilson", "leak_recall": "Wilson", "leak_accuracy": "Wilson",
    "leak_f1": "Wilson, of the overlap", "leak_auc": "DeLong, logit", "leak_parity": "Newcombe",
    "leak_recall_gap": "Newcombe",
}  # fmt: skip
OVER_BOTH = "jackknife over items, and over users with the classifier taught anew"


@dataclass(frozen=True, eq=False)
class _World:
    """Users with a value and a history, items, and what is known about them."""

    users: Users
    items: Vectors
    groups: Groups | None
    by: str
    excluded: tuple[Exclusion, ...]


@dataclass(frozen=True)
class _Settings:
    threshold: str
    how: Classifying
    folds: int
    popular: int
    permutations: int
    level: float
    tolerance: float | None
    seed: int

    def teaching(self, training: str) -> Teaching:
        return Teaching(training, self.threshold, self.how)


def leakage(
    items: Any,
    users: Any,
    attribute: Any,
    interactions: Any,
    item_groups: Any = None,
    *,
    trainings: Sequence[str] = TRAININGS,
    threshold: str = "histories",
    folds: int = 5,
    popular: int = 50,
    permutations: int = 199,
    toward: Any = None,
    missing: str = "refuse",
    cost: float | None = None,
    level: float = 0.95,
    tolerance: float | None = None,
    name: str | None = None,
    user_ids: Any = None,
    item_ids: Any = None,
    rng: int | np.random.Generator = 0,
    engine: Any = None,
    progress: Callable[[str], None] = lambda message: None,
) -> AuditResult:
    """Audit whether a classifier that learnt `attribute` from vectors of users finds it in those of items.

    `items`, `users`, `attribute` and `item_groups` are as in `audit`; `interactions` is a table with user_id
    and item_id (a pair counts once). Of more than two values, each is told from the rest.

    Users are predicted from their history: the mean of the unit vectors of the items that they took. Nobody
    is predicted by a classifier that learnt from them (`folds`). `trainings`: `unbalanced` learns from all
    others, `balanced` from as many with the value as without, since imbalance hides what is there. The
    `threshold` is set where histories of those who taught the classifier are told apart best (`histories`),
    as items do not lie where users lie; `classifier` is the source's, and often predicts everybody the same.
    Findings a training: leak_accuracy (its p-value is against always naming the larger side), leak_auc,
    leak_parity, leak_recall_gap, and of a side leak_precision, leak_recall, leak_f1.

    Items: leak_items compares items that are taken mostly by users with the value to the others, all and by
    popularity (split at `popular` users); its details have the shares by tenths of the audience. One half of
    the users teaches the classifier and the other is the audience. A group: leak_group (how many of its items
    are predicted to have the value), leak_group_parity and leak_group_odds (against other items; the latter
    among items with a like audience). `tolerance` is for all differences, either way.
    """
    chosen = [choice("trainings", one, TRAININGS) for one in _listed(trainings)]
    choice("missing", missing, labels.MISSING)
    settings = _Settings(
        threshold=choice("threshold", threshold, THRESHOLDS),
        how=classifying(None, cost),
        folds=whole("folds", folds, 2, 100),
        popular=whole("popular", popular),
        permutations=whole("permutations", permutations, 20, 1_000_000),
        level=number("level", level, 0.5, 0.9999),
        tolerance=None if tolerance is None else number("tolerance", tolerance),
        seed=seed_of(rng),
    )

    progress("reading vectors")
    space = sources.space(items, users, user_ids=user_ids, item_ids=item_ids, engine=engine)
    if space.shared is False:
        raise InputError(f"{NOT_SHARED}.")
    same_space((space.items.name, space.items.vectors), (space.users.name, space.users.vectors))
    people = labels.attribute(attribute, space.users, "user_id", toward=toward, missing=missing)
    groups = None if item_groups is None else labels.groups(item_groups, space.items, "item_id")
    by = people.name if name is None else name
    progress("reading interactions")
    read = histories(interactions, space, engine)
    here = np.asarray(read.taken.sum(axis=1)).ravel() > 0
    codes = np.where(here, people.codes, -1)
    excluded = space.excluded + read.excluded + _left_out(people.codes, here, by)
    _enough_with_history(codes, people.words, settings.folds, by)
    enough(int((codes >= 0).sum()), space.users.vectors.shape[1])

    found: list[Finding] = []
    for contrast in contrasts(codes, people.words, fit_of("svc")):
        if not contrast.is_binary:
            continue
        who, has = contrast.who, contrast.codes == 0
        sample = Users.of(space.users.vectors[who], read.taken[who], settings.seed)
        world = _World(sample, space.items.vectors, groups, by, excluded)
        for training in chosen:
            progress(f"{contrast.name}, {training}: users by their history")
            found += _users(world, contrast, has, training, settings, len(people.words) == 2)
            progress(f"{contrast.name}, {training}: items")
            found += _items(world, contrast, has, training, settings)
    prints = {"users": space.users.fingerprint, "items": space.items.fingerprint}
    return AuditResult(tuple(found), prints | {"interactions": read.fingerprint}, settings.seed)


def _users(
    world: _World, contrast: Contrast, has: Flags, training: str, settings: _Settings, both_sides: bool
) -> list[Finding]:
    predicted = users_from_histories(
        world.users, has, world.items, settings.teaching(training), settings.folds, settings.seed
    )
    majority = float(max(has.mean(), 1 - has.mean()))
    details: dict[str, Any] = {
        "majority": majority,
        "predicted": float(predicted.said.mean()),
        "auc_of_own_vector": auc(predicted.by_vector, has, predicted.part)[0],
    }
    return [
        _rate(world, contrast, one, training, settings, details)
        for one in rates(predicted, has, settings.level, both_sides=both_sides)
    ]


def _rate(
    world: _World, contrast: Contrast, one: Rate, training: str, settings: _Settings, details: dict[str, Any]
) -> Finding:
    subject: dict[str, str | int | float] = {
        "by": world.by, "direction": contrast.name, "training": training
    }  # fmt: skip
    if one.side is not None:
        subject["value"] = contrast.names[one.side]
    limits = None
    if one.interval is not None:
        low, high = one.interval
        limits = Interval(low=low, high=high, level=settings.level, method=WAYS[one.measure])
    is_difference = one.measure in ("leak_parity", "leak_recall_gap")
    return Finding(
        audit=AUDIT,
        measure=one.measure,
        subject=subject,
        estimate=one.estimate,
        interval=limits,
        tolerance=settings.tolerance if is_difference else None,
        harm="outside",
        p_value=one.p_value,
        n=one.n,
        excluded=world.excluded,
        assumptions=(INDEPENDENT, GIVEN_ITEMS),
        warnings=() if one.estimate is not None else (f"nobody is predicted to be {subject['value']}",),
        details=details | {"toward": contrast.names[0], "away": contrast.names[1]},
    )


def _items(
    world: _World, contrast: Contrast, has: Flags, training: str, settings: _Settings
) -> list[Finding]:
    popular = popularities(
        np.asarray(world.users.taken.sum(axis=0)).ravel().astype(np.int64), settings.popular
    )
    compared = comparisons(popular, world.groups, contrast.names)
    leaks = item_leaks(
        world.users, has, world.items, settings.teaching(training), compared, settings.permutations,
        settings.seed,
    )  # fmt: skip
    family = 1 if world.groups is None else len(world.groups.names)
    found = []
    for place, one in enumerate(compared):
        subject: dict[str, str | int | float] = {
            "by": world.by, "direction": contrast.name, "training": training, **one.subject
        }  # fmt: skip
        estimate = float(leaks.estimates[place])
        if not np.isfinite(estimate):
            why = "there are no such items on one of the two sides"
            found.append(
                Finding(audit=AUDIT, measure=one.measure, subject=subject, estimate=None, warnings=(why,))
            )
            continue
        compares = one.others is not None
        many = family if "group" in one.subject else 1
        spread = uncertainty.together([one.over_items(leaks.items), leaks.over_users[place]])
        limits = uncertainty.interval(estimate, spread, 1 - (1 - settings.level) / many, OVER_BOTH, 1.0)
        if limits is not None:
            method = OVER_BOTH + (f", simultaneous over {many:,}" if many > 1 else "")
            low = limits.low if compares else max(0.0, limits.low)
            limits = limits.model_copy(update={"low": low, "level": settings.level, "method": method})
        p_value = float(leaks.p_values[place]) if compares else None
        details: dict[str, Any] = {"toward": contrast.names[0], "away": contrast.names[1]}
        if p_value is not None and many > 1:
            details |= {"compared": many, "adjusted_p_value": min(1.0, p_value * many)}
        if one.measure == "leak_items":
            details["deciles"] = deciles(leaks.items, popular[one.subject["popularity"]], settings.level)
        found.append(
            Finding(
                audit=AUDIT,
                measure=one.measure,
                subject=subject,
                estimate=estimate,
                interval=limits,
                tolerance=settings.tolerance if compares else None,
                harm="outside",
                p_value=p_value,
                n=one.count(leaks.items),
                excluded=world.excluded,
                assumptions=(INDEPENDENT,),
                details=details,
            )
        )
    return found


def _listed(trainings: Any) -> list[Any]:
    given = [trainings] if isinstance(trainings, str) else list(trainings)
    if not given:
        raise InputError(f"trainings is empty, but must name one of {', '.join(TRAININGS)}.")
    return list(dict.fromkeys(given))


def _left_out(codes: Ints, here: Flags, by: str) -> tuple[Exclusion, ...]:
    counts = (
        (f"users without a value of {by}", int((codes < 0).sum()), "the value is missing"),
        ("users without a history", int(((codes >= 0) & ~here).sum()), "they took none of the items"),
    )
    return tuple(Exclusion(what=what, count=count, why=why) for what, count, why in counts if count)


def _enough_with_history(codes: Ints, words: tuple[str, ...], folds: int, by: str) -> None:
    for word, count in zip(words, np.bincount(codes[codes >= 0], minlength=len(words)), strict=True):
        if count < 2 * folds:
            raise InputError(
                f"{by}: only {count} users with the value {word!r} have a history, and {folds} parts with "
                f"two each need {2 * folds}; use fewer folds, or join that value with another."
            )
