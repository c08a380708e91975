"""Whether the random log is random: what is said before the numbers that rest on it."""

import numpy as np
import pandas as pd
import pytest

import evenhand as eh
from evenhand.errors import InputError
from evenhand.opportunity.random_log import by_column_findings, findings
from evenhand.report.pages import whole_text

ITEMS, USERS = 60, 300


def log(rng, rows=6_000, lift=1.0, chances=None):
    items = rng.choice(ITEMS, size=rows, p=chances)
    liked = (rng.random(rows) < 0.2 * lift).astype(int)
    users = rng.integers(0, USERS, rows)
    return pd.DataFrame({"user_id": users, "item": items, "liked": liked}).assign(
        group=lambda frame: np.where(frame.item % 3 == 0, "a", "b"), day=np.arange(rows) % 4
    )


@pytest.fixture(scope="module")
def logs():
    rng = np.random.default_rng(0)
    return log(rng, lift=2), log(rng)


@pytest.fixture(scope="module")
def catalogue():
    return pd.DataFrame({"item": np.arange(ITEMS)})


ASKED = {"label": "liked", "group": "group", "cluster": "user_id", "item": "item"}
CHECKS = ["random_items", "random_repeats", "random_missing"]


def audited(default, random, **options):
    return eh.opportunity.audit(default, random, **(ASKED | options))


def test_it_is_said_before_any_number_and_never_with_a_verdict(logs, catalogue):
    found = audited(*logs, catalogue=catalogue)
    assert [f.measure for f in found.findings[:4]] == [*CHECKS, "reo_penalty"]
    assert all(f.verdict is None for f in found.findings[:3])
    assert found.find("random_items").p_value > 0.05
    assert found.find("random_missing").estimate == 0
    assert "catalogue" in found.inputs
    plain = audited(*logs, item=None)
    assert found.findings[3:] == plain.findings


@pytest.mark.parametrize("audit", ["series", "compare", "experiments"])
def test_all_audits_that_rest_on_it_say_it(logs, catalogue, audit):
    default, random = logs
    asked = ASKED | {"catalogue": catalogue}
    first = CHECKS
    if audit == "series":
        # It knows the day by itself.
        first = ["random_items", "random_items_by", "random_repeats", "random_missing"]
        found = eh.opportunity.series(default, random, day="day", **asked)
    elif audit == "compare":
        found = eh.opportunity.compare({"a": default[:3_000], "b": default[3_000:]}, random, **asked)
    else:
        arms = default.assign(arm=default.user_id % 2)
        found = eh.opportunity.experiments(arms, random, ["arm"], **asked)
    assert [f.measure for f in found.findings[: len(first)]] == first
    assert {f.audit for f in found.findings} == {audit}


def test_items_that_are_drawn_more_often_are_told(logs, catalogue):
    rng = np.random.default_rng(1)
    chances = 1 + 0.5 * (np.arange(ITEMS) % 2)
    tilted = log(rng, chances=chances / chances.sum())
    found = audited(logs[0], tilted, catalogue=catalogue).find("random_items")
    assert found.p_value == 0.001
    assert found.estimate == pytest.approx(0.2, abs=0.05)
    assert "not as random as it should be" in found.warnings[0]
    # With its probabilities the same log is random.
    known = tilted.assign(p=chances[tilted["item"]] / 2)
    weighted = audited(logs[0], known, catalogue=catalogue, probability="p")
    assert weighted.find("random_items").p_value > 0.05
    assert weighted.find("random_repeats").p_value is None


def test_repeats_and_missing_items_are_findings_of_their_own(logs, catalogue):
    default, random = logs
    refreshed = pd.concat([random, random[:2_000]], ignore_index=True)
    found = audited(default, refreshed[refreshed["item"] >= 3], catalogue=catalogue)
    repeats, missing = found.find("random_repeats"), found.find("random_missing")
    rows = refreshed[refreshed["item"] >= 3]
    assert repeats.details["rows"] == len(rows) - len(rows.drop_duplicates(["user_id", "item"]))
    assert repeats.p_value < 0.001
    assert missing.estimate == pytest.approx(3 / ITEMS)
    assert missing.p_value < 0.001
    # Draws that are logged again are no evidence against the draws.
    assert audited(default, refreshed, catalogue=catalogue).find("random_items").p_value > 0.05


def test_without_a_catalogue_what_was_never_drawn_cannot_be_seen(logs):
    default, random = logs
    found = audited(default, random[random["item"] >= 3])
    assert "cannot be seen" in found.find("random_items").warnings[0]
    assert found.find("random_items").details["items"] == ITEMS - 3
    assert not [f for f in found.findings if f.measure == "random_missing"]
    scarce = audited(default, random.assign(item=np.arange(len(random)) // 2))
    assert scarce.find("random_items").estimate is None


def test_items_that_the_catalogue_lacks_are_counted(logs, catalogue):
    found = audited(*logs, catalogue=catalogue[:50]).find("random_items")
    strangers = int((logs[1]["item"] >= 50).sum())
    assert f"About {strangers / 6_000:.0%} of the rows of the random log are of items" in found.warnings[-1]
    assert found.n.count == 6_000 - strangers


def test_without_users_nothing_is_tested(logs, catalogue):
    default, random = logs
    found = audited(default, random, catalogue=catalogue, cluster=None).find("random_items")
    assert found.estimate is None
    assert "name the user column" in found.warnings[0]


def test_many_items_are_taken_in_buckets(logs, catalogue, monkeypatch):
    exact = audited(*logs, catalogue=catalogue)
    monkeypatch.setattr(findings, "MOST_DRAWN", 100)
    hashed = audited(*logs, catalogue=catalogue)
    # Sixty items have buckets of their own among 4,096, so that nothing but the way is another.
    assert hashed.find("random_items").estimate == pytest.approx(exact.find("random_items").estimate)
    assert hashed.find("random_missing") == exact.find("random_missing")
    # Of fewer buckets some hold one item and some several, and each is to be drawn that often.
    monkeypatch.setattr(findings, "ITEM_BUCKETS", 32)
    crowded = audited(*logs, catalogue=catalogue).find("random_items")
    assert crowded.estimate < 0.1
    assert crowded.p_value > 0.01


def rotated(random, lean=0.5):
    """Items of half of the catalogue are drawn more often on odd days, the others on even ones."""
    keep = np.random.default_rng(2).random(len(random)) < np.where(
        random["item"] % 2 == random["day"] % 2, 1, 1 - lean
    )
    return random[keep]


def test_items_that_depend_on_the_day_are_told_of_the_day_alone(logs, catalogue):
    default, random = logs
    marked = rotated(random).assign(country=lambda log: np.where(log.user_id % 3 == 0, "x", "y"))
    found = audited(default, marked, catalogue=catalogue, item_by=("day", "country"))
    assert [f.measure for f in found.findings[:3]] == ["random_items", "random_items_by", "random_items_by"]
    by_day = found.find("random_items_by", items_by="day")
    assert by_day.p_value == 0.001
    assert by_day.verdict is None
    assert by_day.estimate == pytest.approx(1 / 3, abs=0.05)
    assert by_day.details["values"] == 4
    assert "depends on day (p = 0.001)" in by_day.warnings[0]
    assert found.find("random_items_by", items_by="country").p_value > 0.05
    assert found.find("random_items").p_value > 0.05
    assert "Between 4 values of day, how often" in whole_text.plain(found.document)
    plain = audited(default, marked, catalogue=catalogue)
    assert found.findings[3:] == plain.findings[1:]


def test_items_that_are_unequal_on_all_days_are_told_of_no_day(logs, catalogue):
    chances = 1 + 2 * (np.arange(ITEMS) % 2)
    tilted = log(np.random.default_rng(1), chances=chances / chances.sum())
    found = audited(logs[0], tilted, catalogue=catalogue, item_by="day")
    assert found.find("random_items").p_value == 0.001
    assert found.find("random_items_by").p_value > 0.05


def test_a_time_is_its_day_and_what_is_missing_is_a_value(logs):
    default, random = logs
    at = pd.Timestamp("2026-01-01") + pd.to_timedelta(random["day"] * 24 + np.arange(len(random)) % 24, "h")
    timed = audited(default, random.assign(at=at), item_by="at").find("random_items_by")
    assert timed.details == audited(default, random, item_by="day").find("random_items_by").details
    unknown = random.assign(day=random["day"].where(random["day"] > 0))
    assert audited(default, unknown, item_by="day").find("random_items_by").details["values"] == 4


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"cluster": None}, "cannot be told without users"),
        ({"item_by": "one"}, "cannot be told from 1 values"),
        ({"item_by": "row"}, "cannot be told from 6,000 values"),
        ({"cluster": "few"}, "fewer than 10 buckets of few"),
    ],
)
def test_what_cannot_be_told_by_column(logs, options, said):
    default, random = (log.assign(one=1, row=np.arange(len(log)), few=log.user_id % 5) for log in logs)
    found = audited(default, random, **({"item_by": "day"} | options)).find("random_items_by")
    assert (found.estimate, found.p_value) == (None, None)
    assert said in found.warnings[0]


def test_many_items_by_day_are_taken_in_buckets(logs, monkeypatch):
    default, random = logs
    monkeypatch.setattr(by_column_findings, "MOST_DRAWN", 8_000)  # 16 buckets of items
    hashed = audited(default, rotated(random), item_by="day").find("random_items_by")
    assert hashed.p_value == 0.001
    assert audited(default, random, item_by="day").find("random_items_by").p_value > 0.05


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"item_by": "user_id"}, "item_by is 'user_id', which is something else too"),
        ({"item_by": "sex"}, "random log: there is no column 'sex'"),
        ({"item_by": 3}, "item_by is 3, but must be the name of a column"),
        ({"item_by": "day", "item": None}, "item_by is given, but not item"),
        ({"item": "items"}, "random log: there is no column 'items'"),
        ({"item": "liked"}, "'liked' is the item and something else too"),
        ({"item": None, "catalogue": [1]}, "catalogue is given, but not item"),
        ({"item": 3}, "item is 3, but must be the name of a column"),
        ({"catalogue": pd.DataFrame({"item": ["1", "2"]})}, "ids of different types never match"),
        ({"catalogue": pd.DataFrame({"sku": [1, 2]})}, "catalogue: there is no column 'item'"),
    ],
)
def test_what_is_refused(logs, options, said):
    with pytest.raises(InputError, match=said):
        audited(*logs, **options)


def of_audit(name, default, random, catalogue):
    asked = ASKED | {"catalogue": catalogue}
    if name == "series":
        return eh.opportunity.series(default, random, day="day", **asked)
    if name == "compare":
        return eh.opportunity.compare({"a": default, "b": default.iloc[::2]}, random, **asked, tolerance=0.1)
    return audited(default, random, catalogue=catalogue)


@pytest.mark.parametrize("audit", ["audit", "series", "compare"])
def test_nothing_is_decided_by_a_random_log_that_is_far_from_random(catalogue, audit):
    """The log of a ranker, named as random traffic, agrees with the ranker: that is no equal opportunity."""
    rng = np.random.default_rng(3)
    chances = np.exp(rng.normal(0, 0.6, ITEMS))
    ranked = log(rng, 20_000, chances=chances / chances.sum())
    found = of_audit(audit, ranked, ranked.sample(frac=1, random_state=1), catalogue)
    assert found.find("random_items").estimate > 0.25
    told = [f for f in found.findings if f.interval is not None and f.tolerance is not None]
    assert told
    assert {f.verdict for f in told} == {eh.Verdict.INCONCLUSIVE}
    assert all("the random log is not random" in " ".join(f.doubts) for f in told)
    assert "not random" in " ".join(str(found).split())


def test_then_no_day_of_a_series_is_said_to_be_beyond_the_limit_either(catalogue):
    rng = np.random.default_rng(3)
    chances = np.exp(rng.normal(0, 0.6, ITEMS)) * np.where(np.arange(ITEMS) % 3, 1.0, 3.0)
    found = of_audit("series", log(rng, 40_000, chances=chances / chances.sum()), log(rng, 40_000), catalogue)
    assert found.find("daily_penalty").details["days_outside"] == 4
    found = of_audit("series", log(rng, 40_000), log(rng, 40_000, chances=chances / chances.sum()), catalogue)
    daily = found.find("daily_penalty")
    assert (daily.details["days_outside"], daily.details["days_undecided"]) == (0, 4)
    for one in (daily, found.find("running_penalty")):
        assert {day.verdict for day in one.series.known} == {eh.Verdict.INCONCLUSIVE}


@pytest.mark.parametrize("broken", [True, False])
def test_single_days_say_that_what_is_drawn_depends_on_the_day(catalogue, broken):
    rng = np.random.default_rng(8)
    default, random = log(rng, 20_000), log(rng, 20_000)
    if broken:  # on one day of four, a tenth of the items are hardly drawn
        random = random[(random.day != 3) | (random["item"] >= ITEMS // 10) | (np.arange(20_000) % 5 == 0)]
    found = of_audit("series", default, random, catalogue)
    warned = {each.measure for each in found.findings if "depends on day" in " ".join(each.warnings)}
    days = {"random_items_by", "daily_penalty", "daily_relative_utility", "daily_worst_ratio"}
    assert warned == (days if broken else set())


def test_a_small_difference_of_items_is_told_and_no_reason_to_decide_nothing(catalogue):
    rng = np.random.default_rng(4)
    chances = np.exp(rng.normal(0, 0.12, ITEMS))
    random = log(rng, 40_000, chances=chances / chances.sum())
    found = audited(log(rng, 40_000), random, catalogue=catalogue)
    assert found.find("random_items").p_value < 0.01
    assert not found.find("reo_penalty").doubts
    assert found.find("reo_penalty").verdict is eh.Verdict.WITHIN_TOLERANCE


def test_a_group_whose_items_are_drawn_far_less_often_is_named_and_nothing_is_decided():
    rng = np.random.default_rng(6)
    chances = np.where(np.arange(ITEMS) < 3, 0.3, 1.0)
    by = {item: "few" if item < 3 else "others" for item in range(ITEMS)}
    creators = pd.DataFrame({"item": list(by), "creator": list(by.values())})
    default = log(rng, 40_000)
    random = log(rng, 40_000, chances=chances / chances.sum())
    asked = {"group": "creator", "attributes": creators, "on": "item"}
    found = audited(default, random, catalogue=creators[["item"]], **asked)
    assert found.find("random_items").estimate < 0.25
    (doubt,) = found.find("reo_penalty").doubts
    assert "the items of creator = few are drawn 6" in doubt
    assert found.find("worst_ratio").verdict is eh.Verdict.INCONCLUSIVE
    fair = audited(default, log(rng, 40_000), catalogue=creators[["item"]], **asked)
    assert not fair.find("reo_penalty").doubts


@pytest.mark.parametrize(("tolerance", "decided"), [(0.5, True), (1 / 9, False)])
def test_a_group_that_is_off_by_more_than_the_limit_decides_nothing(tolerance, decided):
    """Half of the items are drawn at .7 of the others' chance: 18% apart, and so is the penalty."""
    rng = np.random.default_rng(8)
    chances = np.where(np.arange(ITEMS) % 2, 0.7, 1.0)
    creators = pd.DataFrame({"item": range(ITEMS), "creator": np.where(np.arange(ITEMS) % 2, "odd", "even")})
    default, random = log(rng, 40_000), log(rng, 40_000, chances=chances / chances.sum())
    asked = {"group": "creator", "attributes": creators, "on": "item", "tolerance": tolerance}
    found = audited(default, random, catalogue=creators[["item"]], **asked)
    assert found.find("random_items").estimate < 0.25
    assert bool(found.find("reo_penalty").doubts) is not decided
    assert (found.find("reo_penalty").verdict is eh.Verdict.INCONCLUSIVE) is not decided


def test_a_group_that_lacks_what_known_chances_hardly_ever_draw_is_said_to_perhaps_lack_it_by_chance():
    """One of its four items has a two thousandth of the others' chance, as is known, and was not drawn: the
    log is honest, and has too little of the group all the same."""
    rng = np.random.default_rng(11)
    chances = np.where(np.arange(ITEMS) == 0, 1 / 2_000, 1.0)
    creators = pd.DataFrame(
        {"item": range(ITEMS), "creator": np.where(np.arange(ITEMS) < 4, "few", "others")}
    )
    random = log(rng, 40_000, chances=chances / chances.sum())
    random["p"] = chances[random["item"]]
    assert (random["item"] > 0).all()
    asked = {"group": "creator", "attributes": creators, "on": "item", "probability": "p"}
    (doubt,) = (
        audited(log(rng, 40_000), random, catalogue=creators[["item"]], **asked).find("reo_penalty").doubts
    )
    assert "creator = few are drawn 2" in doubt
    assert "known chances hardly ever draw" in doubt


@pytest.mark.parametrize("columns", [["item"], ["item", "creator"]], ids=["items alone", "attributes"])
def test_the_catalogue_may_be_the_table_of_attributes(columns):
    """Most items are never drawn, so that the catalogue alone knows how many each group has."""
    rng = np.random.default_rng(12)
    items = 60_000
    creators = pd.DataFrame(
        {"item": range(items), "creator": np.where(np.arange(items) < 6_000, "few", "others")}
    )
    chances = np.where(np.arange(items) < 6_000, 0.4, 1.0)
    default, random = log(rng, 10_000), log(rng, 10_000)
    default["item"] = rng.integers(0, items, 10_000)
    random["item"] = rng.choice(items, 10_000, p=chances / chances.sum())
    asked = {"group": "creator", "attributes": creators, "on": "item"}
    found = audited(default, random, catalogue=creators[columns], **asked)
    assert any("creator = few are drawn" in doubt for doubt in found.find("reo_penalty").doubts)


def test_groups_of_users_are_no_groups_of_items():
    rng = np.random.default_rng(7)
    frames = [log(rng).assign(group=lambda frame: np.where(frame.user_id % 9 == 0, "a", "b")) for _ in "ab"]
    assert not audited(*frames).find("random_items").details.get("groups_apart")
