"""The group audit as a monitor follows it."""

import pandas as pd
import pytest

import evenhand as eh
from evenhand import inputs
from evenhand.asked.declared.groups import GroupsStep
from evenhand.errors import InputError
from evenhand.following import UnlikeError
from groups.followed_days.test_telling import ASKED, people
from user_days.kept_days import KeptDays

FOLLOWED = eh.groups.followed
DAY, ALL = (f"groups.confirmed_gap/by:users=gender/metric=quality{which}" for which in ("", "/days=all"))


def asked(table, **more):
    return {"candidates": None, "users": table} | ASKED | more


def test_a_week_of_looks():
    days = KeptDays()
    for day in range(1, 8):
        table = people(day) if day != 3 else people(day).head(12)
        found = days.add(FOLLOWED, asked(table), f"2026-01-0{day}")
        assert (found[DAY].estimate is None) == (day == 3)
        assert found[DAY].details["day"] == f"2026-01-0{day}"
        assert [entry.day for entry in found[DAY].pictures[0].days] == [f"2026-01-0{day}"]
    assert found[ALL].n.count > found[DAY].n.count
    width = {name: found[name].interval.high - found[name].interval.low for name in (DAY, ALL)}
    assert width[ALL] < width[DAY]
    whole = FOLLOWED.together(ASKED, list(days.evidence.values()), 0)
    assert whole[0].interval.validity == "fixed"
    assert whole[0].details["raw_gap"] == pytest.approx(found[ALL].details["raw_gap"])


def test_a_day_of_another_metric_is_unlike():
    days = KeptDays()
    days.add(FOLLOWED, asked(people(1)), "2026-01-01")
    other = people(2).rename(columns={"quality": "other"})
    with pytest.raises(UnlikeError, match="measured by other, and on the days before by quality"):
        days.add(FOLLOWED, asked(other, metric="other"), "2026-01-02")


def test_tables_that_are_the_same_every_day_are_refused():
    with pytest.raises(InputError, match="neither users nor candidates are of one day"):
        FOLLOWED.count(asked(people(1)), [], lambda message: None, b"secret")


def test_days_that_cannot_be_pooled_are_refused_together():
    days = KeptDays()
    table = people(1).assign(age=range(200))
    more = {"attributes": "age", "bins": {"age": 2}}
    for label in ("2026-01-01", "2026-01-02"):
        days.add(FOLLOWED, asked(table, **more), label)
    with pytest.raises(InputError, match="other edges every day"):
        FOLLOWED.together(ASKED | more, list(days.evidence.values()), 0)


def test_candidates_and_their_metrics():
    step = GroupsStep(audit="groups", candidates="c", users="u", attributes="gender", metric=["mrr", "urd"])
    users = people(1)[["user_id", "gender"]]
    rows = users.merge(pd.DataFrame({"item_id": range(8)}), how="cross")
    rows["score"] = -((rows.user_id * 7 + rows.item_id * 5) % 11)
    rows["label"] = ((rows.user_id + rows.item_id) % 8 == 0).astype(int)
    rows["category"] = [["a", "b", "c"][item % 3] for item in rows.item_id]
    tables = {"c": inputs.table(rows, name="c"), "u": inputs.table(users, name="u")}
    found = KeptDays().add(FOLLOWED, step.arguments(tables), "2026-01-01")
    assert {one.about["metric"] for one in found.values()} == {"mrr@5", "urd@5"}
    assert step.follows == "evenhand.groups:followed"


def test_what_is_promised_is_told_by_finding():
    days = KeptDays()
    for day in range(1, 6):
        found = days.add(FOLLOWED, asked(people(day, gap=0.02)), f"2026-01-0{day}")
    told = {one.finding: one for one in FOLLOWED.promises(ASKED, list(days.evidence.values()), times=4)}
    assert set(told) == {DAY, ALL} <= set(found)
    assert (told[DAY].size, told[DAY].limit) == (0.2, 0.05)
    assert 1 <= told[DAY].days <= 14
    assert told[ALL].days >= 1
    waiting = FOLLOWED.promises(ASKED, list(days.evidence.values()), times=4, in_a_row=3)
    longer = {one.finding: one.days for one in waiting}
    assert longer[DAY] is None or longer[DAY] >= told[DAY].days + 2
    assert FOLLOWED.promises(ASKED | {"tolerance": None}, list(days.evidence.values())) == ()
