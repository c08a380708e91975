"""What a day of the group audit, or all days so far, say of users.

Each day is a result of its own. All days so far are one sample of users, each of whom counts once, with the
mean over the user's own days: users return, and a user who comes every day is one user.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from evenhand.about import About
from evenhand.asked.declared.groups import GroupsStep
from evenhand.errors import TooLittleError
from evenhand.findings import INDEPENDENT_USERS, Exclusion, Finding
from evenhand.groups.attributes import DERIVED
from evenhand.groups.cells import Cells
from evenhand.groups.findings import GapSettings, Measured, findings_of
from evenhand.groups.followed_days.counting import GroupsDay
from evenhand.groups.followed_days.other_days import doubted
from evenhand.groups.lists import several
from evenhand.groups.lists.metrics import METRICS, Metric
from evenhand.groups.measuring import Question
from evenhand.groups.population import Population
from evenhand.user_days.every_look import DAILY, POOLED, SO_FAR, SPENT, levels, on_every_look
from evenhand.user_days.rows import SEVERAL

# `uf` has the interval of `confirmed_gap`; that of `spread` is resampled, which does not reach far enough.
FOLLOWED = GroupsStep.found_daily["groups"]
# A group is followed whether it is among the best and worst of a day or not.
EVERY_GROUP = 1000
EACH_USER_ONCE = (
    "Users are independent of each other, and each counts once, with the mean over the days on which that "
    "user came."
)
OF_LISTS = "Of a day a user's value is the mean over the lists of that day."
NEVER = "they had no value"
ALL_DAYS: About = {"days": "all"}


def of_this_day(question: Question, day: GroupsDay, look: int) -> tuple[Finding, ...]:
    """The day as a result of its own; what has too few users says so in the place of an estimate."""
    return _findings(question, day, labels_of(question), look, DAILY, {})


def of_all_days(question: Question, days: GroupsDay, look: int) -> tuple[Finding, ...]:
    """All days so far as one sample of users."""
    labels, refused = {}, []
    for label, metric in labels_of(question).items():
        if why := cannot_be_pooled(question, metric):
            refused.append(_without(question, label, f"Days are not pooled: {why}.", ALL_DAYS))
        else:
            labels[label] = metric
    return (*_findings(question, days, labels, look, POOLED, ALL_DAYS), *refused)


def cannot_be_pooled(question: Question, metric: Metric | None) -> str:
    """Why days cannot be one sample of users; empty where they can."""
    asked = question.asked
    if asked.search == "swarm":
        return "a swarm scores other users every day, chosen by what it finds, so they are no sample"
    made = [name for name in question.attributes if name in DERIVED]
    if made:
        return f"{made[0]!r} is made from a history that grows, so users change groups from day to day"
    cut = [(name, bins) for name, bins in (asked.bins or {}).items() if isinstance(bins, int)]
    if cut:
        return f"the {cut[0][1]} bins of {cut[0][0]!r} have other edges every day; give the edges"
    if metric is not None and "popularity" in metric.needs:
        return f"popularity, of which {metric.name} is made, is counted anew every day"
    return ""


def findings_of_look(
    measured: Measured, settings: GapSettings, look: int, share: float, how: str
) -> tuple[Finding, ...]:
    """The gap and all groups, with intervals that hold at every look at once."""
    together, alone = (
        findings_of(measured, replace(settings, level=level, top=EVERY_GROUP))
        for level in levels(settings.level, look, share)
    )
    kept = [one for one in together if one.measure in FOLLOWED]
    return on_every_look(kept, alone, settings.level, how)


def measured_of(question: Question, day: GroupsDay, label: str, metric: Metric | None) -> Measured:
    """Those who are compared by one metric; users who changed their group are not."""
    rows, attributes = day.rows, range(len(question.attributes))
    stay = rows.group != SEVERAL
    words = [sorted({name[a] for name in rows.groups}) for a in attributes]
    places = [np.array([words[a].index(name[a]) for name in rows.groups]) for a in attributes]
    excluded = list(day.excluded)
    if moved := int((~stay).sum()):
        why = "on other days they were in another group"
        excluded.append(Exclusion(what="users who changed their group", count=moved, why=why))
    cells = Cells.of(question.attributes, words, [place[rows.group[stay]] for place in places])
    population = Population(cells, np.flatnonzero(stay), tuple(excluded))
    better = question.asked.better if metric is None else metric.better
    listed = day.lists is not None and label in day.lists
    if rows.days.max(initial=0) > 1:
        assumed = (EACH_USER_ONCE, OF_LISTS) if listed else (EACH_USER_ONCE,)
    else:
        assumed = (several.EACH_USER_ONCE,) if listed else (INDEPENDENT_USERS,)
    values = rows.means[:, rows.columns.index(label)]
    return population.measured(
        label, values, better, day.bounds[label], question.rule, NEVER, assumptions=assumed,
        excluded=(day.lists or {}).get(label, ()),
    )  # fmt: skip


def _findings(
    question: Question,
    day: GroupsDay,
    labels: Mapping[str, Metric | None],
    look: int,
    share: float,
    about: About,
) -> tuple[Finding, ...]:
    found: list[Finding] = []
    how = SO_FAR if about else SPENT
    for label, metric in labels.items():
        try:
            measured = measured_of(question, day, label, metric)
            told = findings_of_look(measured, question.settings, look, share, how)
        except TooLittleError as error:
            found.append(_without(question, label, f"Nothing can be said: {error}", about))
        else:
            column = day.rows.columns.index(label)
            gap, *means = [one.amended(about=one.about | about) for one in told]
            found += [doubted(gap, measured, day.days, column) if about else gap, *means]
    return tuple(found)


def labels_of(question: Question) -> dict[str, Metric | None]:
    """The metrics by what their findings call them; None is a column of users."""
    known = [(METRICS.get(name), name) for name in question.metrics]
    return {name if one is None else one.label(question.asked.k): one for one, name in known}


def gap_of(question: Question, label: str) -> About:
    """What the gap by a metric is about."""
    return {"by": {"users": tuple(question.attributes)}, "metric": label}


def _without(question: Question, label: str, why: str, about: About) -> Finding:
    return Finding(
        audit="groups", measure="confirmed_gap", about=gap_of(question, label) | about, estimate=None,
        tolerance=question.asked.tolerance, warnings=(why,), people={},
    )  # fmt: skip
