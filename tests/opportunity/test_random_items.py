"""Whether the random log is random: what is said before the numbers that rest on it."""

import numpy as np
import pandas as pd
import pytest

import evenhand as eh
from evenhand.errors import InputError
from evenhand.opportunity import random_items

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
    if audit == "series":
        found = eh.opportunity.series(default, random, day="day", **asked)
    elif audit == "compare":
        found = eh.opportunity.compare({"a": default[:3_000], "b": default[3_000:]}, random, **asked)
    else:
        arms = default.assign(arm=default.user_id % 2)
        found = eh.opportunity.experiments(arms, random, ["arm"], **asked)
    assert [f.measure for f in found.findings[:3]] == CHECKS
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
    assert f"{strangers:,} of 6,000 rows of the random log are of items" in found.warnings[-1]
    assert found.n == 6_000 - strangers


def test_without_users_nothing_is_tested(logs, catalogue):
    default, random = logs
    found = audited(default, random, catalogue=catalogue, cluster=None).find("random_items")
    assert found.estimate is None
    assert "name the user column" in found.warnings[0]


def test_many_items_are_taken_in_buckets(logs, catalogue, monkeypatch):
    exact = audited(*logs, catalogue=catalogue)
    monkeypatch.setattr(random_items, "MOST_CELLS", 100)
    hashed = audited(*logs, catalogue=catalogue)
    # Sixty items have buckets of their own among 4,096, so that nothing but the way is another.
    assert hashed.find("random_items").estimate == pytest.approx(exact.find("random_items").estimate)
    assert hashed.find("random_missing") == exact.find("random_missing")


@pytest.mark.parametrize(
    ("options", "said"),
    [
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
