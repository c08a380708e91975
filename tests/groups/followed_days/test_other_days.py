"""Groups that come on other days than others do, or less often after they were served badly."""

from functools import reduce
from operator import add

import numpy as np
import pandas as pd
import pytest

from evenhand.groups.followed_days.counting import GroupsDay, count, question_of
from evenhand.groups.followed_days.followed import followed
from evenhand.groups.followed_days.other_days import OTHER_DAYS, DayTotals, moved_by_days
from evenhand.groups.followed_days.telling import of_all_days, of_this_day
from evenhand.user_days.rows import UserRows
from evenhand.user_days.visits import BY_VISITS

ASKED = {"attributes": "gender", "metric": "quality", "bounds": [0, 1], "tolerance": 0.05, "permutations": 50}
QUESTION = question_of(ASKED, 0)
NAMES = (("a",), ("b",), ("c",))


def totals(counts, means):
    return DayTotals(NAMES, np.array(counts, dtype=float)[:, None], (np.array(counts) * means)[:, None])


def test_effects_of_groups_are_told_from_those_of_days():
    """Means are just level + effect: whoever comes when, what is moved makes plain means the effects."""
    effects, levels = np.array([0.0, 0.1, 0.3]), [0.2, 0.6, 0.4]
    counts = [[10, 50, 5], [40, 3, 20], [7, 7, 0]]
    days = [totals(count, level + effects) for count, level in zip(counts, levels, strict=True)]
    moved = moved_by_days(days, 0)
    visits = np.array(counts)
    plain = np.array([sum(day.sums[g, 0] for day in days) for g in range(3)]) / visits.sum(axis=0)
    corrected = plain + np.array([moved[name] for name in NAMES])
    assert np.diff(corrected) == pytest.approx(np.diff(effects))


def test_nothing_is_moved_where_groups_come_alike():
    days = [totals([10, 20, 30], level + np.array([0.1, 0.2, 0.3])) for level in (0.1, 0.5)]
    moved = moved_by_days(days, 0)
    assert np.ptp(list(moved.values())) == pytest.approx(0, abs=1e-12)


def week(confounded, seed=0):
    """Everybody is served .3 worse at weekends, when more women come if it is confounded; no group is."""
    rng = np.random.default_rng(seed)
    for day in range(14):
        weekend = day % 7 >= 5
        women = 0.85 if weekend and confounded else 0.3
        who = rng.choice(3000, 400, replace=False)
        gender = np.where(who % 100 < 50, "F", "M")
        stay = rng.random(400) < np.where(gender == "F", women, 1.15 - women)
        quality = np.clip(0.7 - 0.5 * weekend + rng.normal(0, 0.1, 400), 0, 1)
        yield pd.DataFrame({"user_id": who, "gender": gender, "quality": quality})[stay]


@pytest.mark.parametrize("confounded", [True, False])
def test_days_that_are_bad_for_all_do_not_make_a_gap(confounded):
    days = []
    for table in week(confounded):
        day, _ = count({"candidates": None, "users": table} | ASKED, b"key", lambda message: None)
        days.append(GroupsDay.read(day.evidence()))
    whole = GroupsDay.read(reduce(add, days).evidence())
    (gap, *_) = of_all_days(QUESTION, whole, 14)
    assert (gap.interval.low > 0.05) == confounded  # what would be said without a doubt
    assert (OTHER_DAYS in gap.doubts) == confounded
    assert gap.verdict == "inconclusive"
    assert all(of_this_day(QUESTION, day, 1)[0].verdict != "violation" for day in days)


def test_a_gap_of_every_day_is_not_doubted():
    days = []
    for table in week(True):
        table["quality"] = np.clip(table.quality - 0.3 * (table.gender == "F"), 0, 1)
        day, _ = count({"candidates": None, "users": table} | ASKED, b"key", lambda message: None)
        days.append(day)
    (gap, *_) = of_all_days(QUESTION, reduce(add, days), 14)
    assert gap.verdict == "violation"


def days_of_users_who_leave(after_a_miss, gap=0.0, seed=0):
    """Hit or miss, with the same chance on every day but for a `gap` of the second group. After a miss users
    of each group leave for good with these chances, and others take their places."""
    rng = np.random.default_rng(seed)
    group, person = rng.integers(0, 2, 3000), np.arange(3000)
    days = []
    for _ in range(40):
        here = np.flatnonzero(rng.random(len(group)) < 0.3)
        hit = (rng.random(len(here)) < 0.4 - gap * group[here]).astype(float)
        rows = UserRows.of(person[here], b"key", (("F",), ("M",)), group[here], {"quality": hit})
        days.append(GroupsDay(rows, {"quality": (0.0, 1.0)}))
        gone = here[(hit == 0) & (rng.random(len(here)) < np.array(after_a_miss)[group[here]])]
        person[gone] = person.max() + 1 + np.arange(len(gone))
    return days


@pytest.mark.parametrize("seed", range(3))
def test_users_who_leave_after_a_miss_do_not_make_a_gap(seed):
    """One group forgives nearly every miss, the other half of them; none is served worse on any day."""
    days = days_of_users_who_leave((0.02, 0.6), seed=seed)
    (gap, *_) = of_all_days(QUESTION, reduce(add, days), 40)
    assert gap.interval.low > 0.05  # what would be said without a doubt
    together = followed.together(ASKED, [day.evidence() for day in days], 0)[0]
    for one in (gap, together):
        assert BY_VISITS in one.doubts
        assert one.verdict == "inconclusive"


def test_a_gap_of_users_who_leave_alike_is_not_doubted():
    days = days_of_users_who_leave((0.1, 0.1), gap=0.2)
    (gap, *_) = of_all_days(QUESTION, reduce(add, days), 40)
    assert gap.verdict == "violation"
    assert abs(gap.details["moved_by_visits"]) < 0.05
