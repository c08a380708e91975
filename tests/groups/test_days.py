"""Groups followed from day to day."""

from functools import reduce
from operator import add

import numpy as np
import pandas as pd
import pytest

import evenhand as eh
from evenhand.following import DayResult

ASKED = {"attributes": "gender", "metric": "quality", "bounds": [0, 1], "tolerance": 0.05, "permutations": 50}
KEY = b"a secret of the store"


def people(seed, gap=0.2, size=200, users=400):
    rng = np.random.default_rng(seed)
    who = rng.choice(users, size, replace=False)
    women = who % 2 == 0
    taste = np.random.default_rng(99).normal(0, 0.1, users)[who]
    quality = np.clip(0.6 + taste - gap * women + rng.normal(0, 0.05, size), 0, 1)
    return pd.DataFrame({"user_id": who, "gender": np.where(women, "F", "M"), "quality": quality})


def count(seed, look, table=None, **asked):
    table = people(seed) if table is None else table
    return eh.groups.count_day(None, table, look=look, key=KEY, **(ASKED | asked))


def test_a_day_of_many_has_the_audit_s_estimate_and_wider_limits():
    alone = eh.groups.audit(None, people(1), **ASKED).find("confirmed_gap")
    first, later = (count(1, look).findings[0] for look in (1, 100))
    for day in (first, later):
        assert day.id == alone.id
        assert day.estimate == alone.estimate
        assert day.details["alone"] == {"low": alone.interval.low, "high": alone.interval.high}
        assert day.interval.validity == "anytime"
    assert later.interval.low < first.interval.low < alone.interval.low
    assert later.interval.high > first.interval.high > alone.interval.high


def test_all_groups_are_followed_however_few_are_listed():
    day = count(1, 1, top=1)
    assert {one.subject["group"] for one in day.findings if one.measure == "group_mean"} == {"F", "M"}


def test_a_day_with_too_few_users_is_a_gap_that_still_counts_in_the_pool():
    day = DayResult.read(count(1, 1, people(1).head(12)).content())
    assert day.findings == ()
    assert "has at least 20 users" in day.why
    assert len(day.rows) == 12


def test_pooled_days_are_the_audit_of_each_user_s_mean():
    tables = [people(seed) for seed in range(5)]
    rows = reduce(add, (count(0, look, table).rows for look, table in enumerate(tables, start=1)))
    (gap, *_) = eh.groups.pooled(rows, look=1, **ASKED)
    means = pd.concat(tables).groupby(["user_id", "gender"], as_index=False).quality.mean()
    audit = eh.groups.audit(None, means, **ASKED).find("uf")
    assert gap.n.count == len(means) == len(rows)
    assert gap.details["raw_gap"] == pytest.approx(audit.estimate, abs=1e-12)
    assert gap.id.endswith("/days=all")
    assert gap.interval.low > 0.05


def test_a_user_who_comes_every_day_is_one_user():
    """Pooling as if days had other people would be sure of a gap that is that of two users."""
    rng = np.random.default_rng(3)
    users = pd.DataFrame({"user_id": range(60), "gender": ["F", "M"] * 30, "quality": rng.random(60)})
    days = [count(0, look, users) for look in range(1, 31)]
    rows = reduce(add, (day.rows for day in days))
    (gap, *_) = eh.groups.pooled(rows, look=1, **ASKED)
    assert gap.interval.low == pytest.approx(days[0].findings[0].interval.low, abs=0.02)
    assert gap.verdict == "inconclusive"


def test_users_who_changed_their_group_are_counted_out():
    first, second = people(1), people(1)
    second.loc[:9, "gender"] = second.loc[:9, "gender"].map({"F": "M", "M": "F"})
    rows = count(0, 1, first).rows + count(0, 2, second).rows
    (gap, *_) = eh.groups.pooled(rows, look=2, **ASKED)
    assert [one.count for one in gap.excluded if "changed" in one.what] == [10]


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({"attributes": "age", "bins": {"age": 4}}, "have other edges every day; give the edges"),
        ({"attributes": "activity"}, "made from a history that grows"),
        ({"metric": "mrr", "bounds": None, "search": "swarm"}, "a swarm scores other users every day"),
        ({"metric": "urp", "bounds": None}, "popularity that urp is made of is counted anew every day"),
    ],
)
def test_what_cannot_be_pooled_says_why(asked, why):
    rows = count(1, 1).rows
    (told,) = eh.groups.pooled(rows, look=1, **(ASKED | asked))
    assert told.estimate is None
    assert why in told.warnings[0]
