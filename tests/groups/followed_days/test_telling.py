"""Groups followed from day to day."""

from functools import reduce
from operator import add

import numpy as np
import pandas as pd
import pytest

import evenhand as eh
from evenhand.groups.followed_days.counting import GroupsDay, count, question_of
from evenhand.groups.followed_days.telling import of_all_days, of_this_day

ASKED = {"attributes": "gender", "metric": "quality", "bounds": [0, 1], "tolerance": 0.05, "permutations": 50}
QUESTION = question_of(ASKED, 0)


def people(seed, gap=0.2, size=200, users=400):
    rng = np.random.default_rng(seed)
    who = rng.choice(users, size, replace=False)
    women = who % 2 == 0
    taste = np.random.default_rng(99).normal(0, 0.1, users)[who]
    quality = np.clip(0.6 + taste - gap * women + rng.normal(0, 0.05, size), 0, 1)
    return pd.DataFrame({"user_id": who, "gender": np.where(women, "F", "M"), "quality": quality})


def day_of(table, **asked):
    day, _ = count({"candidates": None, "users": table} | ASKED | asked, b"secret", lambda message: None)
    return GroupsDay.read(day.evidence())


def test_a_day_of_many_is_the_audit_with_wider_limits():
    audit = eh.groups.audit(None, people(1), **ASKED)
    day = day_of(people(1))
    first, later = (of_this_day(QUESTION, day, look) for look in (1, 100))
    for told in (first, later):
        assert told[0].id == audit.find("confirmed_gap").id
        assert told[0].details["raw_gap"] == pytest.approx(audit.find("uf").estimate, abs=1e-12)
        for one in told:
            assert one.interval.validity == "anytime"
            assert one.interval.low <= one.details["alone"]["low"]
    for group in ("F", "M"):
        of_audit = audit.find("group_mean", group=group)
        of_day = next(one for one in later if one.id == of_audit.id)
        assert of_day.estimate == pytest.approx(of_audit.estimate, abs=1e-12)
    assert later[0].interval.low < first[0].interval.low < first[0].details["alone"]["low"]
    assert later[0].interval.high > first[0].interval.high


def test_all_groups_are_followed_however_few_are_listed():
    table = people(1)
    table["gender"] = table.user_id % 5
    told = of_this_day(question_of(ASKED | {"top": 1}, 0), day_of(table), 1)
    assert sum(one.measure == "group_mean" for one in told) == 5


def test_a_day_with_too_few_users_is_a_gap_that_still_counts_in_the_pool():
    few = day_of(people(1).head(12))
    (told,) = of_this_day(QUESTION, few, 1)
    assert told.estimate is None
    assert "has at least 20 users" in told.warnings[0]
    (gap, *_) = of_all_days(QUESTION, few + day_of(people(2)), 2)
    assert gap.n.count == len({*people(1).head(12).user_id, *people(2).user_id})


def test_pooled_days_are_the_audit_of_each_user_s_mean():
    tables = [people(seed) for seed in range(5)]
    (gap, *_) = of_all_days(QUESTION, reduce(add, map(day_of, tables)), 5)
    means = pd.concat(tables).groupby(["user_id", "gender"], as_index=False).quality.mean()
    assert gap.n.count == len(means)
    largest = eh.groups.audit(None, means, **ASKED).find("uf").estimate
    assert gap.details["raw_gap"] == pytest.approx(largest, abs=1e-12)
    assert gap.id.endswith("/days=all")
    assert gap.interval.low > 0.05


def test_a_user_who_comes_every_day_is_one_user():
    """As if days had other people, 30 days would be sure of a gap that 60 users have by chance."""
    rng = np.random.default_rng(3)
    users = pd.DataFrame({"user_id": range(60), "gender": ["F", "M"] * 30, "quality": rng.random(60)})
    one = day_of(users)
    (gap, *_) = of_all_days(QUESTION, reduce(add, [one] * 30), 1)
    (alone, *_) = of_this_day(QUESTION, one, 1)
    assert gap.interval.low == pytest.approx(alone.interval.low, abs=1e-9)
    assert gap.interval.high == pytest.approx(alone.interval.high, abs=1e-9)


def test_users_who_changed_their_group_are_counted_out():
    first, second = people(1), people(1)
    second.loc[:9, "gender"] = second.loc[:9, "gender"].map({"F": "M", "M": "F"})
    (gap, *_) = of_all_days(QUESTION, day_of(first) + day_of(second), 2)
    assert [one.count for one in gap.excluded if "changed" in one.what] == [10]


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({"attributes": "age", "bins": {"age": 4}}, "have other edges every day; give the edges"),
        ({"attributes": "activity"}, "made from a history that grows"),
        ({"metric": "mrr", "bounds": None, "search": "swarm"}, "a swarm scores other users every day"),
        ({"metric": "urp", "bounds": None}, "popularity, of which urp is made, is counted anew every day"),
    ],
)
def test_what_cannot_be_pooled_says_why(asked, why):
    (told,) = of_all_days(question_of(ASKED | asked, 0), day_of(people(1)), 1)
    assert told.estimate is None
    assert told.id.endswith("/days=all")
    assert why in told.warnings[0]


def test_equal_days_give_equal_bytes_whatever_the_order_of_rows():
    one, other = people(1), people(1).sample(frac=1, random_state=5)
    assert day_of(one).evidence() == day_of(other).evidence()
