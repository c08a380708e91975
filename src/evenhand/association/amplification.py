"""Amplification: did a model come to associate more with an attribute, from one state to a later one?

Beattie (2023), sections 5.1.3 and 8.1, compares the first and the last round of a feedback loop, one training
each, by Kolmogorov-Smirnov tests on the scores of entities. Those tests are in the details, and an option.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evenhand.association import labels, sources, uncertainty
from evenhand.association.audit import NOT_SHARED
from evenhand.association.directions import Contrast, classifying, contrasts
from evenhand.association.existence_findings import INDEPENDENT, Settings
from evenhand.association.fits import METHODS, MOST, fit_of
from evenhand.association.growth import Entities, Growth, Scores, growth, scores
from evenhand.association.labels import Attribute, Groups
from evenhand.association.sources import Space
from evenhand.association.vectors import enough, same_space
from evenhand.errors import InputError
from evenhand.findings import Exclusion, Finding, Fingerprint, Interval
from evenhand.parameters import choice, number, whole
from evenhand.results import AuditResult
from evenhand.stats.multiplicity import holm
from evenhand.stats.randomness import seed_of

AUDIT = "association_amplification"
TESTS = ("trainings", "ks")
SCHEMES = ("one-vs-rest", "one-vs-one")
METHOD = "t over trainings, with the spread over {}"
SAME_USERS = "Trainings of a state are independent of each other; all states are of the same users and items."
ONE_TRAINING = (
    "there is one training of the first or the last state: two trainings on the same data differ as well, so "
    "it cannot be known whether this is more; train each state several times with different seeds"
)
SOURCE = (
    "The Kolmogorov-Smirnov test, as in the source, takes the entities of the two states for different ones, "
    "and knows nothing of the noise of training."
)


@dataclass(frozen=True)
class _Question:
    """One mean that is followed; `found` is None where the direction is not good enough for it, and `why`."""

    contrast: Contrast
    measure: str
    subject: dict[str, str]
    found: Growth | None
    n: int
    counted: str
    why: str


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
    or a list of several, trained on the same data with different seeds. All have the same users and items.
    Two or more trainings of the first and the last state are needed to tell growth from the noise of
    training; with one, findings have an estimate and no p-value. `attribute` and `item_groups` are as in
    `audit`.

    Findings: `geaa_growth` and `r_ripa_growth` of each group of items, `user_growth` of the users with each
    value (their cosine with a direction that others made), and `gap_growth`, how much further apart these
    are. An estimate is the change of the mean toward the side on which the first state was: above 0 it grew.
    Directions are made in each training, and all of the first and the last state must pass their tests;
    else r_ripa_growth and user_growth are `not_applicable`. p-values are one-sided; details.adjusted_p_value
    is corrected for the number of all tests (Holm). Details have the value of every state and training.

    `test="ks"` takes p-values from the source's Kolmogorov-Smirnov test, of the first training of each.
    `tolerance` is the most that a mean may grow.
    """
    for what, given, known in (
        ("method", method, METHODS), ("test", test, TESTS), ("scheme", scheme, SCHEMES),
        ("missing", missing, labels.MISSING),
    ):  # fmt: skip
        choice(what, given, known)
    settings = Settings(
        method, "crossfit", 20, "permutation", "exclude", "mean",
        number("alpha", alpha, 0, 0.5, above=True), number("level", level, 0.5, 0.9999),
        None if tolerance is None else number("tolerance", tolerance), seed_of(rng),
        classifying(class_weight, cost),
    )  # fmt: skip
    fit = fit_of(method, whole("most", most, 2), settings.how)
    listed = _listed(states)

    def opened(state: Any) -> Space:
        pair = state if isinstance(state, tuple) else (state, None)
        return _usable(sources.space(*pair, user_ids=user_ids, item_ids=item_ids, engine=engine))

    progress("reading the first state")
    base = opened(listed[0][0])
    people = labels.attribute(attribute, base.users, "user_id", toward=toward, missing=missing)
    enough(len(people.codes) - people.missing, base.users.vectors.shape[1])
    groups = labels.groups(item_groups, base.items, "item_id")
    asked = [one for one in contrasts(people.codes, people.words, fit, scheme) if one.is_binary]
    found: list[list[list[Scores]]] = [[] for _ in asked]
    prints: dict[str, Fingerprint] = {}
    for place, trainings in enumerate(listed):
        for row in found:
            row.append([])
        for run, state in enumerate(trainings):
            progress(f"state {place}, training {run}")
            here = base if place == run == 0 else _like(opened(state), base, f"state {place}")
            for row, contrast in zip(found, asked, strict=True):
                row[-1].append(scores(contrast, here.items.vectors, here.users.vectors, settings, len(asked)))
            prints |= {
                f"{side.name} of state {place}, training {run}": side.fingerprint
                for side in (here.users, here.items)
            }
    questions = [
        question
        for contrast, row in zip(asked, found, strict=True)
        for question in _questions(contrast, row, groups)
    ]
    by = people.name if name is None else name
    told = _findings(questions, by, test, settings, _excluded(people, by))
    return AuditResult(tuple(told), prints, settings.seed)


def _questions(contrast: Contrast, states: list[list[Scores]], groups: Groups) -> list[_Question]:
    def of(which: str) -> list[list[NDArray[np.float64]]]:
        return [[getattr(one, which) for one in trainings] for trainings in states]

    passes = [sum(one.passes for one in trainings) for trainings in (states[0], states[-1])]
    usable = passes == [len(states[0]), len(states[-1])]
    why = (
        f"the direction {contrast.name} passed its tests in {passes[0]} of {len(states[0])} trainings of the "
        f"first state and in {passes[1]} of {len(states[-1])} of the last; unless it does in all, what lies "
        "along it says nothing about the attribute"
    )
    out = []
    for measure, which in (("geaa_growth", "eaa"), ("r_ripa_growth", "along")):
        for place, name in enumerate(groups.names):
            members = groups.membership[:, place]
            one = growth(of(which), Entities(members)) if usable or which == "eaa" else None
            out.append(_Question(contrast, measure, {"group": name}, one, int(members.sum()), "items", why))
    sides = [contrast.codes == code for code in (0, 1)]
    for value, members, side in zip(contrast.names, sides, (1, -1), strict=True):
        one = growth(of("people"), Entities(members), side) if usable else None
        subject = {"value": value}
        out.append(_Question(contrast, "user_growth", subject, one, int(members.sum()), "users", why))
    # Measured on users who did not make it, this is 0 for a direction of noise, and needs no test before it.
    gap = growth(of("people"), Entities(*sides), 1)
    return [*out, _Question(contrast, "gap_growth", {}, gap, len(contrast.codes), "users", why)]


def _findings(
    questions: list[_Question], by: str, test: str, settings: Settings, excluded: tuple[Exclusion, ...]
) -> list[Finding]:
    """Told together, as all p-values are corrected for their number."""
    p_values = [_p_value(one.found, test) for one in questions]
    tested = [place for place, p_value in enumerate(p_values) if p_value is not None]
    corrected = holm(np.array([p_values[place] for place in tested]))
    adjusted = dict(zip(tested, corrected.tolist(), strict=True))
    family = Counter((one.contrast.name, one.measure) for one in questions)
    out = []
    for place, one in enumerate(questions):
        subject: dict[str, str | int | float] = {"by": by, "direction": one.contrast.name, **one.subject}
        if one.found is None:
            out.append(
                Finding(audit=AUDIT, measure=one.measure, subject=subject, estimate=None, warnings=(one.why,))
            )
            continue
        details = _details(one.found, one.contrast)
        if place in adjusted:
            details |= {"compared": len(tested), "adjusted_p_value": adjusted[place]}
        out.append(
            Finding(
                audit=AUDIT,
                measure=one.measure,
                subject=subject,
                estimate=one.found.estimate,
                interval=_interval(one, settings.level, family[one.contrast.name, one.measure]),
                tolerance=settings.tolerance,
                harm="above",
                p_value=p_values[place],
                n=one.n,
                excluded=excluded,
                assumptions=(INDEPENDENT, SAME_USERS),
                warnings=_warnings(one.found, test),
                details=details,
            )
        )
    return out


def _p_value(found: Growth | None, test: str) -> float | None:
    if found is None:
        return None
    return found.ks if test == "ks" else found.p_value


def _warnings(found: Growth, test: str) -> tuple[str, ...]:
    alone = (ONE_TRAINING,) if found.trainings is None else ()
    return (SOURCE, *alone) if test == "ks" else alone


def _interval(one: _Question, level: float, family: int) -> Interval | None:
    assert one.found is not None
    spread = one.found.spread
    if spread is None:
        return None
    method = METHOD.format(one.counted) + (f", simultaneous over {family:,}" if family > 1 else "")
    found = uncertainty.interval(one.found.estimate, spread, 1 - (1 - level) / family, method, 4.0)
    return None if found is None else found.model_copy(update={"level": level})


def _details(found: Growth, contrast: Contrast) -> dict[str, Any]:
    means = [float(np.mean(row)) for row in found.values]
    details: dict[str, Any] = {
        "side": contrast.names[0 if found.side > 0 else 1],
        "toward": contrast.names[0],
        "away": contrast.names[1],
        "first": means[0],
        "last": means[-1],
        "states": [{"mean": mean, "trainings": row} for mean, row in zip(means, found.values, strict=True)],
        "error_of_entities": _error(found.entities.variance),
        "ks_p_value": found.ks,
    }
    if found.trainings is not None:
        details["error_of_trainings"] = _error(found.trainings.variance)
    return details


def _error(variance: float) -> float | None:
    return float(np.sqrt(variance)) if np.isfinite(variance) else None


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


def _usable(space: Space) -> Space:
    if space.shared is False:
        raise InputError(f"{NOT_SHARED}.")
    same_space((space.items.name, space.items.vectors), (space.users.name, space.users.vectors))
    return space


def _like(space: Space, base: Space, where: str) -> Space:
    """The same entities in the same order as those of the first state."""
    return Space(_ordered(space.items, base.items, where), _ordered(space.users, base.users, where), None)


def _ordered(side: sources.Entities, base: sources.Entities, where: str) -> sources.Entities:
    if np.array_equal(side.ids, base.ids):
        return side
    places = pd.Index(side.ids).get_indexer(pd.Index(base.ids))
    lacking, more = int((places < 0).sum()), len(side.ids) - int((places >= 0).sum())
    if lacking or more:
        raise InputError(
            f"{where} lacks {lacking:,} of the {base.name} of the first state and has {more:,} others; "
            f"growth is of the same entities, so keep the {base.name} that all states have."
        )
    return sources.Entities(side.name, side.vectors[places], base.ids, side.fingerprint)


def _excluded(people: Attribute, by: str) -> tuple[Exclusion, ...]:
    if not people.missing:
        return ()
    return (Exclusion(what=f"users without a value of {by}", count=people.missing, why="it is missing"),)
