"""Groups followed from day to day: what a day keeps, and what all days so far say as one sample of users."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from evenhand.about import About
from evenhand.arrays import Floats, Progress
from evenhand.asked.declared.groups import AskedGroups
from evenhand.errors import TooLittleError
from evenhand.findings import Exclusion, Finding
from evenhand.following import DayResult, UserRows
from evenhand.following.day_result import DAILY, POOLED, levels, on_every_look
from evenhand.following.user_rows import SEVERAL
from evenhand.groups.attributes import DERIVED
from evenhand.groups.cells import Cells
from evenhand.groups.findings import GapSettings, Measured, findings_of
from evenhand.groups.lists.metrics import METRICS
from evenhand.groups.measuring import Question, Values, values_of
from evenhand.groups.population import Population
from evenhand.groups.tables import Tables
from evenhand.stats.randomness import seed_of

# Of `spread` and `uf` the rest is resampled, which does not reach as far as an interval of many looks.
FOLLOWED = ("confirmed_gap", "group_mean")
# A group is followed whether it is among the best and worst of a day or not.
EVERY_GROUP = 1000
SPENT, SO_FAR = "error spent over the days", "error spent over the looks"
EACH_USER_ONCE = (
    "Users are independent of each other, and each counts once, with the mean over the days on which that "
    "user came."
)
NEVER = "they had no value on any day"
ALL_DAYS: About = {"days": "all"}


def count_day(
    candidates: Any,
    users: Any,
    attributes: str | Sequence[str],
    *,
    look: int,
    key: bytes,
    rng: int | np.random.Generator = 0,
    history: Any = None,
    items: Any = None,
    recommender: Any = None,
    engine: Any = None,
    progress: Progress = lambda message: None,
    **asked: Any,
) -> DayResult:
    """One day of `audit`, which has the same arguments, as the `look`-th of many (1, 2, ...).

    Each look has a number of its own, also a correction of a day: it spends its own part of the error. `key`
    is the secret of the store, with which ids are hashed.
    """
    question = Question.of(AskedGroups.checked(attributes=attributes, **asked), seed_of(rng))
    tables = Tables.of(
        candidates, users, history=history, items=items, recommender=recommender, engine=engine
    )
    values = values_of(question, tables, progress, with_ids=True)
    why = cannot_be_pooled(question)
    rows = None if why else _rows(question, values, key)
    try:
        measured = [one.measured(values.population, question.rule) for one in values.of_metrics]
        found = findings_of_look(measured, question.settings, look, DAILY, SPENT, progress)
    except TooLittleError as error:
        return DayResult((), rows, str(error))
    return DayResult(found, rows, why)


def findings_of_look(
    measured: Iterable[Measured],
    settings: GapSettings,
    look: int,
    share: float,
    how: str,
    progress: Progress = lambda message: None,
) -> tuple[Finding, ...]:
    """The gap and all groups, with intervals that hold at every look at once."""
    found: list[Finding] = []
    for one in measured:
        together, alone = (
            findings_of(one, replace(settings, level=level, top=EVERY_GROUP), progress)
            for level in levels(settings.level, look, share)
        )
        found += on_every_look(
            (each for each in together if each.measure in FOLLOWED), alone, settings.level, how
        )
    return tuple(found)


def cannot_be_pooled(question: Question) -> str:
    """Why days of this question cannot be one sample of users; empty where they can."""
    asked = question.asked
    if asked.search == "swarm":
        return "a swarm scores other users every day, chosen by what it finds, so their days are no sample"
    made = [name for name in question.attributes if name in DERIVED]
    if made:
        return f"{made[0]!r} is made from a history that grows, so users change groups from day to day"
    cut = [name for name, bins in (asked.bins or {}).items() if isinstance(bins, int)]
    if cut:
        return (
            f"the {asked.bins and asked.bins[cut[0]]} bins of {cut[0]!r} have other edges every day; give "
            "the edges"
        )
    return ""


def _rows(question: Question, values: Values, key: bytes) -> UserRows:
    population = values.population
    cells = population.cells
    names = tuple(
        tuple(words[code] for words, code in zip(cells.values, codes, strict=True)) for codes in cells.codes
    )
    of_metrics = {
        one.label: one.values[population.who]
        for one in values.of_metrics
        if "popularity" not in getattr(METRICS.get(_labels(question)[one.label]), "needs", ())
    }
    return UserRows.of(values.ids[population.who], key, names, cells.of_user, of_metrics)


def pooled(
    rows: UserRows | None,
    attributes: str | Sequence[str],
    *,
    look: int,
    rng: int | np.random.Generator = 0,
    progress: Progress = lambda message: None,
    **asked: Any,
) -> tuple[Finding, ...]:
    """All days so far as one sample, from the rows of all days added up; the arguments of `audit` without its
    tables. Each user counts once, with the mean over the user's own days, so that one who comes every day
    weighs as much as one who came once. What cannot be pooled is a finding without an estimate, and says why.
    """
    question = Question.of(AskedGroups.checked(attributes=attributes, **asked), seed_of(rng))
    why = cannot_be_pooled(question) or ("" if rows else "no day of these has anybody to compare")
    if why or rows is None:
        return tuple(_refused(question, label, why) for label in _labels(question))
    found: list[Finding] = []
    population, means = _people(question, rows)
    for label, name in _labels(question).items():
        if label not in rows.columns:
            found.append(_refused(question, label, _not_summed(name)))
            continue
        chosen = METRICS.get(name)
        bounds = question.limits if chosen is None else (0.0, 1.0)
        better = question.asked.better if chosen is None else chosen.better
        values = means[:, rows.columns.index(label)]
        try:
            measured = population.measured(
                label, values, better, bounds, question.rule, NEVER, assumptions=(EACH_USER_ONCE,)
            )
            told = findings_of_look([measured], question.settings, look, POOLED, SO_FAR, progress)
        except TooLittleError as error:
            found.append(_refused(question, label, str(error)))
        else:
            found += [one.amended(about=one.about | ALL_DAYS) for one in told]
    return tuple(found)


def _people(question: Question, rows: UserRows) -> tuple[Population, Floats]:
    """Users in the cells of their attributes; those who changed their group are in none."""
    stay = rows.group != SEVERAL
    words = [sorted({name[a] for name in rows.groups}) for a in range(len(question.attributes))]
    codes = [
        np.array([words[a].index(name[a]) for name in rows.groups])[rows.group[stay]]
        for a in range(len(question.attributes))
    ]
    excluded: tuple[Exclusion, ...] = ()
    if moved := int((~stay).sum()):
        why = "on other days they were in another group"
        excluded = (Exclusion(what="users who changed their group", count=moved, why=why),)
    cells = Cells.of(question.attributes, words, codes)
    return Population(cells, np.flatnonzero(stay), excluded), rows.means


def _labels(question: Question) -> dict[str, str]:
    """The metrics by what their findings call them."""
    known = [(METRICS.get(name), name) for name in question.metrics]
    return {name if one is None else one.label(question.asked.k): name for one, name in known}


def _not_summed(name: str) -> str:
    return (
        f"the popularity that {name} is made of is counted anew every day, so its days have no common scale"
    )


def _refused(question: Question, label: str, why: str) -> Finding:
    about: About = {"by": {"users": tuple(question.attributes)}, "metric": label}
    return Finding(
        audit="groups", measure="confirmed_gap", about=about | ALL_DAYS, estimate=None,
        tolerance=question.asked.tolerance, warnings=(f"Days are not pooled: {why}.",), people={},
    )  # fmt: skip
