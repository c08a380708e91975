"""Rows that were scored and may not have been shown: lists of candidates, by how many rows each user has."""

from __future__ import annotations

from evenhand.plan.init.labelling.labels import PLAUSIBLE
from evenhand.plan.init.meaning import columns as find
from evenhand.plan.init.meaning.recognised import Recognised
from evenhand.plan.init.tables.profiling import Profile

LEAST_PLACES = 3


def dated(profile: Profile) -> bool:
    """Whether rows have times of their own: a snapshot has one time in all of its rows."""
    return any(find.is_time(column) and not column.constant for column in profile.columns.values())


def rows_of_each_user(profile: Profile, found: Recognised) -> int:
    """How many rows every user has, if all have as many, as lists of candidates do; 0 if not, or where rows
    have times, as visits do."""
    if not (found.user and found.item) or dated(profile):
        return 0
    t = profile.table.expr
    each = t.group_by(found.user).aggregate(n=t.count())
    ends = profile.run(each.aggregate(low=each.n.min(), high=each.n.max()))
    rows = int(ends.low[0])
    return rows if rows == int(ends.high[0]) and rows > 1 else 0


def lists_of(profile: Profile, found: Recognised) -> str | None:
    """The column that tells several lists of a user apart, whatever it is called: where pairs come again, but
    not within one of its values, each of which is of one user."""
    user, item = found.user, found.item
    if not (user and item) or profile.different(user, item) == profile.looked_at:
        return None
    for name, column in profile.columns.items():
        several = column.kind in ("integer", "text") and LEAST_PLACES <= column.distinct < column.rows
        if name in (user, item) or not several or find.is_time(column):
            continue
        if profile.depends_on([user], name) and profile.different(name, item) == profile.looked_at:
            return name
    return None


def as_candidates(profile: Profile, found: Recognised) -> None:
    """A log whose users have as many rows each, without a time, are candidates, if one number says something
    of each pair: what a model says."""
    if found.tags or found.arms or found.rank or found.chosen_label is None:
        return
    numbers = [
        name
        for name, c in profile.columns.items()
        if c.kind == "number" and not c.values and not c.missing and not find.is_id(c)
        and all(name != label.column for label in found.labels if label.strength >= PLAUSIBLE)
    ]  # fmt: skip
    for key in (found.user, found.item):
        of_key = profile.depends_on(numbers, key) if key else []
        numbers = [name for name in numbers if name not in of_key]
    if len(numbers) != 1:
        return
    found.role, found.score = "candidates", numbers[0]
    found.labels = [one for one in found.labels if one.column != found.score]
    found.marks.append(
        f"{profile.name} is taken to be candidates, with what a model says of each in {found.score}: every "
        f"user has {found.each} rows, and none has a time. Chosen by init: check it."
    )


def places(profile: Profile, found: Recognised) -> str | None:
    """A column without a telling name that numbers the rows of each user from 1 on. In a log it is a visit's
    number, so one without times is asked for."""
    columns = profile.columns
    if not (found.user and found.item) or any(find.is_time(c) and not c.constant for c in columns.values()):
        return None
    ids = {found.user, found.item, found.creator, found.listed}
    for name, c in columns.items():
        if (
            name in ids
            or c.kind != "integer"
            or c.missing
            or c.low not in (0, 1)
            or c.distinct < LEAST_PLACES
        ):
            continue
        t = profile.table.expr
        each = t.group_by(found.user).aggregate(n=t.count(), d=t[name].nunique(), last=t[name].max())
        gaps = each.filter((each.d != each.n) | (each.last != each.n - 1 + int(c.low)))
        if int(profile.run(gaps.aggregate(n=gaps.count()))["n"][0]) == 0:
            return name
    return None
