"""Amplification: did a model come to associate more with an attribute, from one state to a later one?

Beattie (2023), sections 5.1.3 and 8.1, compares the first and the last round of a feedback loop, one training
each, by Kolmogorov-Smirnov tests on the scores of entities. Those tests are in the details, and an option.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from evenhand.asked.declared.association import AskedAmplification
from evenhand.association.directions.contrasts import contrasts
from evenhand.association.directions.findings import AssociationSettings
from evenhand.association.directions.fits import MOST, Classifying, fit_of
from evenhand.association.growing.findings import findings_of, questions
from evenhand.association.growing.growth import TrainingScores, scores
from evenhand.association.growing.states import OfLoops, opened_states
from evenhand.association.vectors import labels, sources
from evenhand.association.vectors.checks import enough
from evenhand.association.vectors.labels import Attribute
from evenhand.association.vectors.sources import Space
from evenhand.documents import Fingerprint
from evenhand.errors import InputError
from evenhand.findings import Exclusion
from evenhand.results import AuditResult
from evenhand.stats.randomness import seed_of


def amplification(
    states: Sequence[Any],
    attribute: Any,
    item_groups: Any,
    *,
    method: str = "svc",
    test: str = "trainings",
    scheme: str = "one-vs-rest",
    toward: Any = None,
    missing: str = "refuse",
    most: int = MOST,
    class_weight: str | None = None,
    cost: float | None = None,
    alpha: float = 0.05,
    level: float = 0.95,
    tolerance: float | None = None,
    name: str | None = None,
    user_ids: Any = None,
    item_ids: Any = None,
    rng: int | np.random.Generator = 0,
    engine: Any = None,
    progress: Callable[[str], None] = lambda message: None,
) -> AuditResult:
    """Audit whether the association with `attribute` grew from the first of `states` to the last.

    A state (a round of a feedback loop, a release) is a model or a pair (items, users), each as in `audit`;
    or a list of several, trained on the same data with different seeds. Users and items that not all have
    are left out and counted; every training must share half of those of the first, and differ from others.
    Two or more trainings of the first and the last state are needed to tell growth from the noise of
    training; with one, findings have an estimate and no p-value. `attribute` and `item_groups` are as in
    `audit`.

    Findings: `geaa_growth` and `r_ripa_growth` of each group of items, `user_growth` of the users with each
    value (their cosine with a direction that others made), and `gap_growth`, how much further apart these
    are. An estimate is how much further from 0 the mean of a group is in the last state than in the first, to
    whichever side, or how far users moved to their own side: above 0 it grew.
    Directions are made in each training, and all of the first and the last state must pass their tests;
    else r_ripa_growth and user_growth are `not_applicable`. p-values are one-sided; adjusted_p_value, in the
    details, is corrected for the number of all tests (Holm). Details have the value of every training.

    `test="ks"` takes p-values from Beattie's Kolmogorov-Smirnov test, of the first training of each.
    `tolerance`, from 0 to below 1, is the most that a mean may grow.
    """
    asked = AskedAmplification.checked(
        toward=toward, missing=missing, tolerance=tolerance, level=level, method=method, test=test,
        scheme=scheme, most=most, class_weight=class_weight, cost=cost, alpha=alpha,
    )  # fmt: skip
    settings = AssociationSettings(
        asked.method, "crossfit", 20, "permutation", "exclude", "mean", asked.alpha, asked.level,
        asked.tolerance, seed_of(rng), Classifying(class_weight, cost),
    )  # fmt: skip
    fit = fit_of(asked.method, asked.most, settings.how)
    listed = _listed(states)

    def opened(state: Any) -> Space:
        pair = state if isinstance(state, tuple) else (state, None)
        space = sources.space(*pair, user_ids=user_ids, item_ids=item_ids, engine=engine)
        space.refuse_apart()
        return space

    progress("reading all states")
    read = opened_states(listed, opened, may_be_same=isinstance(states, OfLoops))
    users, items = read.first.users, read.first.items
    people = read.attribute(labels.attribute_of(attribute, users, "user_id", toward=toward, missing=missing))
    groups = read.groups(labels.groups_of(item_groups, items, "item_id"))
    binary = [one for one in contrasts(people.codes, people.words, fit, scheme) if one.is_binary]
    found: list[list[list[TrainingScores]]] = [[] for _ in binary]
    prints: dict[str, Fingerprint] = {}
    for place, trainings in enumerate(read.trainings):
        for row in found:
            row.append([])
        for run, here in enumerate(trainings):
            progress(f"state {place}, training {run}")
            enough(len(people.codes) - people.empty, here.users.vectors.shape[1])
            for row, contrast in zip(found, binary, strict=True):
                row[-1].append(
                    scores(contrast, here.items.vectors, here.users.vectors, settings, len(binary))
                )
            prints |= {
                f"{side.name} of state {place}, training {run}": side.fingerprint
                for side in (here.users, here.items)
            }
    asked_of = [
        question
        for contrast, row in zip(binary, found, strict=True)
        for question in questions(contrast, row, groups)
    ]
    by = people.name if name is None else name
    told = findings_of(asked_of, by, test, settings, _excluded(people, by) + read.excluded)
    return AuditResult(tuple(told), prints, settings.seed)


def _listed(states: Any) -> list[list[Any]]:
    if isinstance(states, str | bytes) or not isinstance(states, Sequence) or len(states) < 2:
        count = len(states) if isinstance(states, Sequence) and not isinstance(states, str | bytes) else "no"
        raise InputError(
            f"states has {count} entries, but growth is from a first to a last one: give a list of at least "
            "two models, or pairs (items, users), or lists of these."
        )
    listed = [state if isinstance(state, list) else [state] for state in states]
    for place, trainings in enumerate(listed):
        if not trainings:
            raise InputError(f"state {place} is an empty list; give at least one training of it.")
        for one in trainings:
            if isinstance(one, tuple) and len(one) != 2:
                raise InputError(
                    f"state {place} is a tuple of {len(one)}, but must be a pair (items, users); several "
                    "trainings of one state are a list."
                )
    return listed


def _excluded(people: Attribute, by: str) -> tuple[Exclusion, ...]:
    if not people.empty:
        return ()
    return (Exclusion(what=f"users without a value of {by}", count=people.empty, why="it is missing"),)
