"""Leakage: can the attribute of users be read off the vectors of the items that they took?

Beattie (2023), sections 5.1.3 and 8.2: vectors of items are used as features elsewhere, and take with them
what they know of those who took the items.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from evenhand.arrays import Ints
from evenhand.asked.declared.association import AskedLeakage
from evenhand.association.directions.contrasts import contrasts
from evenhand.association.directions.fits import Classifying, fit_of
from evenhand.association.leaking.classifier import TRAININGS, Flags, UserHistories
from evenhand.association.leaking.findings import LeakageData, Leaking, item_findings, user_findings
from evenhand.association.leaking.histories import histories
from evenhand.association.vectors import labels, sources
from evenhand.association.vectors.checks import enough
from evenhand.errors import InputError
from evenhand.findings import Exclusion, Finding
from evenhand.results import AuditResult
from evenhand.stats.randomness import seed_of


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
    zeros: str = "refuse",
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
    as items do not lie where users lie; `classifier` is Beattie's, and often predicts everybody the same.
    Findings a training: leak_accuracy (its p-value is against always naming the larger side), leak_auc,
    leak_parity, leak_recall_gap, and of a side leak_precision, leak_recall, leak_f1.

    Items: leak_items compares items that are taken mostly by users with the value to the others, all and by
    popularity (split at `popular` users); its details have the shares by tenths of the audience. One half of
    the users teaches the classifier and the other is the audience. A group: leak_group (how many of its items
    are predicted to have the value), leak_group_parity and leak_group_odds (against other items; the latter
    among items with a like audience). adjusted_p_value, in the details, is corrected for all groups by the
    same shuffles (Westfall and Young 1993). `tolerance`, from 0 to below 1, is for differences between
    shares of predictions, either way.
    """
    asked = AskedLeakage.checked(
        toward=toward, popular=popular, missing=missing, zeros=zeros, tolerance=tolerance, level=level,
        trainings=trainings, threshold=threshold, folds=folds, permutations=permutations, cost=cost,
    )  # fmt: skip
    settings = Leaking(
        threshold_from=asked.threshold,
        how=Classifying(None, asked.cost),
        folds=asked.folds,
        popular=asked.popular,
        permutations=asked.permutations,
        level=asked.level,
        tolerance=asked.tolerance,
        seed=seed_of(rng),
    )

    progress("reading vectors")
    space = sources.space(items, users, user_ids=user_ids, item_ids=item_ids, engine=engine, zeros=zeros)
    space.refuse_apart()
    people = labels.attribute_of(attribute, space.users, "user_id", toward=toward, missing=missing)
    groups = None if item_groups is None else labels.groups_of(item_groups, space.items, "item_id")
    by = people.name if name is None else name
    if people.known.by_order or (groups is not None and groups.known is not None and groups.known.by_order):
        raise InputError(
            "interactions name users and items by their ids, and these vectors have none; give user_ids and "
            "item_ids."
        )
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
        sample = UserHistories.of(space.users.vectors[who], read.taken[who], settings.seed)
        world = LeakageData(sample, space.items.vectors, groups, by, excluded)
        for training in _listed(asked.trainings):
            progress(f"{contrast.name}, {training}: users by their history")
            found += user_findings(world, contrast, has, training, settings, len(people.words) == 2)
            progress(f"{contrast.name}, {training}: items")
            found += item_findings(world, contrast, has, training, settings)
    prints = {"users": space.users.fingerprint, "items": space.items.fingerprint}
    found = [one.amended(warnings=(*one.warnings, *space.warnings)) for one in found]
    return AuditResult(tuple(found), prints | {"interactions": read.fingerprint}, settings.seed)


def _listed(trainings: str | Sequence[str]) -> list[str]:
    """Each once."""
    return list(dict.fromkeys([trainings] if isinstance(trainings, str) else trainings))


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
