"""What must never be said: a pass that nobody earned, a number of three people, a gap to oneself."""

import json

import numpy as np
import pandas as pd
import pytest

import evenhand as eh
from evenhand.findings import Verdict


def users_in(sizes, rates, seed=0, values=None):
    """Users in groups of these sizes, with a 0/1 value of these rates (or given values)."""
    rng = np.random.default_rng(seed)
    group = np.repeat([f"g{i}" for i in range(len(sizes))], sizes)
    drawn = rng.random(len(group)) < np.repeat(rates, sizes) if values is None else values
    return pd.DataFrame({"user_id": np.arange(len(group)), "group": group, "value": drawn.astype(float)})


def audit(users, **changes):
    return eh.groups.audit(
        None, users, "group", **({"metric": "value", "bounds": (0, 1), "permutations": 40} | changes)
    )


def test_a_swarm_that_has_not_seen_all_groups_passes_nothing():
    users = users_in([1_200] * 12, [0.3] + [0.5] * 11)
    candidates = pd.DataFrame(
        {"user_id": users["user_id"], "item_id": 0, "label": users["value"].astype(int)}
    )
    two = pd.concat([candidates, candidates.assign(item_id=1, label=1 - candidates["label"])])
    for seed in range(3):
        result = eh.groups.audit(
            two.assign(score=-two["item_id"].astype(float)), users, "group", metric="hit", k=1,
            search="swarm", budget=0.25, tolerance=0.18, permutations=40, rng=seed,
        )  # fmt: skip
        gap = result.find("confirmed_gap")
        assert gap.verdict is not Verdict.WITHIN_TOLERANCE
        assert "9 groups of which nobody has a value" in [left_out.what for left_out in gap.excluded]


def test_numbers_of_three_people_are_not_published(tmp_path):
    big = np.random.default_rng(0).random(80)
    users = users_in([3, 3, 40, 40], [], values=np.concatenate([np.ones(3), np.zeros(3), big]))
    users["group"] = users["group"].replace({"g0": "SECRET", "g1": "HUSH"})
    result = audit(users, min_size=2)
    assert result.find("uf").estimate == 1.0
    result.save(tmp_path)
    for name in ("findings.json", "report.html"):
        text = (tmp_path / name).read_text()
        assert "SECRET against" not in text
        assert "against HUSH" not in text
    published = json.loads((tmp_path / "findings.json").read_text())["findings"]
    for finding in published:
        if finding["measure"] in ("uf", "confirmed_gap"):
            assert finding["estimate"] is None
            assert finding["details"] == {}


def test_a_group_is_never_compared_with_itself():
    for seed in range(10):
        result = audit(users_in([2_000] + [25] * 8, [0.5] * 9, seed), rng=seed)
        for half in result.find("confirmed_gap").details["halves"]:
            assert half["highest"] != half["lowest"]


@pytest.mark.parametrize("bounds", [None, (0, 1)])
def test_an_event_that_nobody_happened_to_have_is_no_pass(bounds):
    """A group of 20 without a single event may have a rate of .1 all the same."""
    users = users_in([2_000, 20], [], values=np.concatenate([[1.0], np.zeros(2_019)]))
    gap = audit(users, tolerance=0.05, bounds=bounds).find("confirmed_gap")
    assert gap.verdict is Verdict.INCONCLUSIVE


def test_rare_events_in_large_groups_are_no_pass_either():
    passed = 0
    for seed in range(40):
        users = users_in([5_000, 1_000], [0.0002, 0.002], seed)
        if users["value"].sum() == 0:
            continue
        result = audit(users, tolerance=0.0012, rng=seed, permutations=20)
        passed += result.find("confirmed_gap").verdict is Verdict.WITHIN_TOLERANCE
    assert passed == 0


def test_both_tests_agree_that_one_event_shows_nothing():
    users = users_in([2_000, 20], [], values=np.concatenate([[1.0], np.zeros(2_019)]))
    result = audit(users, permutations=200)
    assert result.find("uf").p_value > 0.5
    assert result.find("spread").p_value > 0.5


def test_a_pass_says_who_was_left_out():
    rng = np.random.default_rng(0)
    users = users_in([3_000, 3_000, 10], [], values=np.concatenate([rng.random(6_000), np.zeros(10)]))
    result = audit(users, tolerance=0.1)
    assert result.find("confirmed_gap").verdict is Verdict.WITHIN_TOLERANCE
    from evenhand.report.words.summary import asides

    assert any(
        "nothing about what was left out: 1 group of fewer than 20 users (10)" in n
        for n in asides(result.findings)
    )


def test_names_of_groups_differ_when_groups_do():
    users = pd.DataFrame(
        {"user_id": range(80), "p": ["x, y", "x"] * 40, "q": ["z", "y, z"] * 40, "v": np.linspace(0, 1, 80)}
    )
    rows = (
        eh.groups.audit(None, users, ["p", "q"], metric="v", bounds=(0, 1), permutations=20)
        .find("uf")
        .details
    )
    assert rows["highest"] != rows["lowest"]

    dates = pd.DataFrame(
        {"user_id": range(400), "day": 20_230_000 + np.arange(400) % 100, "v": np.linspace(0, 1, 400)}
    )
    result = eh.groups.audit(None, dates, "day", metric="v", bounds=(0, 1), bins={"day": 10}, permutations=20)
    assert result.find("uf").details["groups"] == 10
    groups = [f.subject["group"] for f in result.findings if f.measure == "group_mean"]
    assert len(set(groups)) == len(groups) == 10

    blank = pd.DataFrame(
        {"user_id": range(80), "p": ["", "  ", "(empty)", "(missing)"] * 20, "v": np.linspace(0, 1, 80)}
    )
    blank.loc[:19, "p"] = None
    names = {
        f.subject["group"]
        for f in eh.groups.audit(
            None, blank, "p", metric="v", bounds=(0, 1), missing="group", min_size=5, permutations=20
        ).findings
        if f.measure == "group_mean"
    }
    assert len(names) == 5


@pytest.mark.parametrize(
    ("factor", "shift"), [(1e200, 0), (1e-200, 0), (1.0, 1e15)], ids=["overflow", "underflow", "rounding"]
)
def test_values_that_double_precision_cannot_compare(factor, shift):
    users = users_in([40, 40], [0.5, 0.5])
    users["value"] = users["value"] * factor + shift
    with pytest.raises(eh.InputError, match="cannot be compared in double precision"):
        audit(users, bounds=None)


def test_no_gap_is_larger_than_the_metric_allows():
    users = users_in([2] * 100, [0.5] * 100)
    interval = audit(users, min_size=2).find("uf").interval
    assert interval.high <= 1
