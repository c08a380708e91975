"""Exposure followed from day to day."""

from functools import reduce
from operator import add

import numpy as np
import pandas as pd
import pytest

import evenhand as eh
from evenhand.asked.declared.exposure import ExposureStep
from evenhand.exposure.followed_days.counting import count, question_of
from evenhand.exposure.followed_days.kept_day import ExposureDay
from evenhand.exposure.followed_days.telling import of_all_days, of_this_day

ITEMS = pd.DataFrame({"item_id": range(12), "genre": ["a", "b", "c", "a"] * 3})
ASKED = {"user_group": "gender", "item_group": "genre", "beta": [1.0, "static"], "tolerance": 0.3}
QUESTION = question_of(ASKED)


def tables(seed, users=120, of=300, items=ITEMS):
    rng = np.random.default_rng(seed)
    who = np.sort(rng.choice(of, users, replace=False))
    people = pd.DataFrame({"user_id": who, "gender": np.where(who % 3 == 0, "F", "M")})
    pairs = people.merge(items[["item_id"]], how="cross")
    scores = pairs[["user_id", "item_id"]].assign(score=rng.normal(size=len(pairs)) + pairs.item_id / 6)
    liked = rng.random(len(pairs)) < 0.25
    return {
        "scores": scores,
        "relevance": pairs.loc[liked, ["user_id", "item_id"]],
        "user_groups": people,
        "item_groups": items,
    }


def day_of(given, **asked):
    day, _ = count(given | ASKED | asked, b"secret", lambda message: None)
    return ExposureDay.read(day.evidence())


def by_id(findings):
    return {one.id: one for one in findings}


def test_a_day_of_many_is_the_audit_with_wider_limits():
    given = tables(1)
    audit = by_id(eh.exposure.audit(**given, **ASKED).findings)
    first, later = (by_id(of_this_day(QUESTION, day_of(given), look)) for look in (1, 100))
    followed = {name for name, one in audit.items() if one.measure in ExposureStep.found_daily["exposure"]}
    assert set(first) == set(later) == followed
    for name in followed:
        of_audit, of_day, after = audit[name], first[name], later[name]
        assert of_day.estimate == pytest.approx(of_audit.estimate, abs=1e-9)
        limits = of_audit.interval.low, of_audit.interval.high
        assert tuple(of_day.details["alone"].values()) == pytest.approx(limits, abs=1e-9)
        assert after.interval.low <= of_day.interval.low <= of_audit.interval.low + 1e-9
        assert after.interval.high >= of_day.interval.high >= of_audit.interval.high - 1e-9
        assert after.interval.validity == "anytime"
        if "from_relevance" in of_audit.details:
            assert of_day.details["from_relevance"] == pytest.approx(of_audit.details["from_relevance"])


def test_a_user_who_comes_every_day_is_one_user():
    one = day_of(tables(1))
    pooled = by_id(of_all_days(QUESTION, reduce(add, [one] * 30), 1))
    for name, alone in by_id(of_this_day(QUESTION, one, 1)).items():
        together = pooled[f"{name}/days=all"]
        assert together.estimate == pytest.approx(alone.estimate, abs=1e-9)
        assert together.interval.low == pytest.approx(alone.interval.low, abs=1e-9)
        assert together.n == alone.n


def test_days_of_other_users_add_up_to_the_audit_of_all():
    """Users who came once each: all days are one table."""
    parts = [tables(seed, users=100, of=100) for seed in (1, 2, 3)]
    for place, part in enumerate(parts):
        for name in ("scores", "relevance", "user_groups"):
            part[name] = part[name].assign(user_id=part[name].user_id + 1000 * place)
    every = {name: pd.concat([part[name] for part in parts]) for name in parts[0] if name != "item_groups"}
    audit = by_id(eh.exposure.audit(**every, item_groups=ITEMS, **ASKED).findings)
    for one in of_all_days(QUESTION, reduce(add, map(day_of, parts)), 3):
        of_audit = audit[one.id.removesuffix("/days=all")]
        assert one.estimate == pytest.approx(of_audit.estimate, abs=1e-9)
        limits = of_audit.interval.low, of_audit.interval.high
        assert tuple(one.details["alone"].values()) == pytest.approx(limits, abs=1e-9)


def test_lists_that_were_shown():
    given = tables(1)
    ranks = given["scores"].sort_values(["user_id", "score"], ascending=[True, False])
    ranks["rank"] = ranks.groupby("user_id").cumcount() + 1
    given["scores"] = ranks[ranks["rank"] <= 6].drop(columns="score")
    told = of_this_day(QUESTION, day_of(given), 1)
    assert {one.about["beta"] for one in told} == {"observed"}


def test_a_user_group_that_is_not_there_on_a_day_leaves_the_others():
    given = tables(1)
    given["user_groups"] = given["user_groups"].query("gender == 'M'")
    for name in ("scores", "relevance"):
        given[name] = given[name][given[name].user_id.isin(given["user_groups"].user_id)]
    alone = day_of(given)
    assert {one.about["users"]["gender"] for one in of_this_day(QUESTION, alone, 1)} == {"M"}
    both = of_all_days(QUESTION, alone + day_of(tables(2)), 2)
    assert {one.about["users"]["gender"] for one in both} == {"F", "M"}


def test_groups_of_items_that_change_are_not_pooled():
    other = day_of(tables(2, items=ITEMS.assign(genre=["a", "b", "d", "a"] * 3)))
    first = day_of(tables(1))
    why = first.unlike(other)
    assert "d came; c went" in why
    assert first.unlike(first) == ""
    told = of_all_days(QUESTION, other, 2, refused=why)
    assert all(one.estimate is None and "not pooled" in one.warnings[0] for one in told)
