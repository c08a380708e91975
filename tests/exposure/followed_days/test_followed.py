"""The exposure audit as a monitor follows it."""

import pytest

import evenhand as eh
from evenhand.asked.declared.exposure import ExposureStep
from evenhand.errors import InputError
from evenhand.following import UnlikeError
from exposure.followed_days.test_telling import ASKED, ITEMS, tables
from user_days.kept_days import KeptDays

FOLLOWED = eh.exposure.followed
OTHER = ITEMS.assign(genre=["a", "b", "d", "a"] * 3)


def test_a_week_of_looks():
    days = KeptDays()
    for day in range(1, 8):
        found = days.add(FOLLOWED, tables(day) | ASKED, f"2026-01-0{day}")
    daily = {name: one for name, one in found.items() if not name.endswith("/days=all")}
    for name, one in daily.items():
        pooled = found[f"{name}/days=all"]
        assert pooled.n.count > one.n.count
        assert one.details["day"] == pooled.details["day"] == "2026-01-07"
    whole = {one.id: one for one in FOLLOWED.together(ASKED, list(days.evidence.values()), 0)}
    assert set(whole) == set(daily)
    for name, one in whole.items():
        assert one.estimate == pytest.approx(found[f"{name}/days=all"].estimate)
        assert one.interval.validity == "fixed"


def test_a_kind_of_items_that_comes_for_a_day_is_not_in_the_pool():
    days = KeptDays()
    days.add(FOLLOWED, tables(1) | ASKED, "2026-01-01")
    between = days.add(FOLLOWED, tables(2, items=OTHER) | ASKED, "2026-01-02")
    assert any("items:genre=d" in name for name in between)
    refused = [one for name, one in between.items() if name.endswith("/days=all")]
    assert all("d came; c went" in one.warnings[0] for one in refused)
    after = days.add(FOLLOWED, tables(3) | ASKED, "2026-01-03")
    pooled = [one for name, one in after.items() if name.endswith("/days=all")]
    assert all(one.estimate is not None for one in pooled)
    people = {*tables(1)["relevance"].user_id, *tables(3)["relevance"].user_id}
    assert sum(one.n.count for one in pooled if one.measure == "relevant_exposure") == 2 * len(people)
    with pytest.raises(InputError, match="Days are not pooled"):
        FOLLOWED.together(ASKED, list(days.evidence.values()), 0)


def test_other_policies_are_unlike():
    days = KeptDays()
    days.add(FOLLOWED, tables(1) | ASKED, "2026-01-01")
    with pytest.raises(UnlikeError, match="Other policies"):
        days.add(FOLLOWED, tables(2) | ASKED | {"beta": 2.0}, "2026-01-02")


def test_several_models_are_not_followed():
    with pytest.raises(InputError, match="comparison of models is not followed"):
        FOLLOWED.count({"systems": {}}, ["users"], lambda message: None, b"secret")


def test_a_step_over_lists_can_be_asked_with_names_alone():
    step = ExposureStep(
        audit="exposure", lists="l", relevance="r", users="u", user_group="gender", items="i",
        item_group="genre",
    )  # fmt: skip
    names = {name: name for name in "lrui"}
    assert step.arguments(names)["scores"] == "l"


def test_what_is_promised_is_told_by_finding():
    days = KeptDays()
    for day in range(1, 6):
        found = days.add(FOLLOWED, tables(day) | ASKED, f"2026-01-0{day}")
    told = FOLLOWED.promises(ASKED, list(days.evidence.values()), times=5)
    assert {one.finding for one in told} == {name for name in found if "pair_exposure" in name}
    sooner = [one.days for one in told if one.days is not None]
    later = [one.days for one in FOLLOWED.promises(ASKED, list(days.evidence.values()), times=3)]
    assert sooner
    assert min(sooner) == 1
    for soon, late in zip(told, later, strict=True):
        assert late is None or soon.days <= late
