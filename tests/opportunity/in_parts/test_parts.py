"""Users in parts: counts by bucket say what the rows of these users would say."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from evenhand import inputs
from evenhand.asked.audits import AUDITS
from evenhand.errors import InputError
from evenhand.findings import Verdict

BUCKETS = 1024


def log(rows: int, seed: int, users: int = 600) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    group = rng.choice(["a", "b", "c"], rows)
    rate = pd.Series(group).map({"a": 0.3, "b": 0.4, "c": 0.5}).to_numpy()
    return pd.DataFrame(
        {
            "user_id": rng.integers(0, users, rows),
            "age": group,
            "liked": (rng.random(rows) < rate).astype(int),
        }
    )


@pytest.fixture(scope="module")
def tables() -> dict[str, inputs.Table]:
    items = pd.DataFrame({"age": np.repeat(["a", "b", "c"], [30, 20, 10])})
    frames = {"one": log(9000, 1), "two": log(9000, 2), "random": log(6000, 3), "items": items}
    tests = log(12_000, 4)
    tests["first"] = np.where(tests["user_id"] % 2, "old", "new")
    tests["second"] = np.array(["a", "b", "c"])[tests["user_id"] // 2 % 3]
    frames["tests"] = tests
    return {name: inputs.table(frame, name=name) for name, frame in frames.items()}


STEPS = {
    "opportunity": {"default": "one", "random": "random", "label": "liked"},
    "compare": {
        "arms": {"one": "one", "two": "two"}, "random": "random", "label": "liked", "tolerance": 0.02,
        "split": "any",
    },
    "experiments": {
        "default": "tests", "random": "random", "label": "liked", "tolerance": 0.02, "split": "any",
        "columns": {"first": ["old", "new"], "second": ["a", "b", "c"]},
    },
    "stages": {"stages": {"one": "one", "two": "two"}, "random": "random", "label": "liked"},
    "user_precision": {"default": "one", "label": "liked"},
    "parity": {"default": "one", "catalogue": "items", "tolerance": 0.1},
}  # fmt: skip


def step_of(audit: str, **changes: object):
    asked = {"audit": audit, "group": "age", "cluster": "user_id", **STEPS[audit], **changes}
    return AUDITS[audit].load().model_validate(asked)


def numbers(findings) -> dict[str, tuple]:
    told = (f for f in findings if f.measure != "arm_overlap")
    return {f.id: (f.estimate, f.interval and (f.interval.low, f.interval.high), f.verdict) for f in told}


@pytest.mark.parametrize("audit", STEPS)
def test_all_users_give_what_the_audit_gives(tables, audit):
    step = step_of(audit)
    ran = step.run(tables, 0, lambda message: None).findings
    assert numbers(step.parted(tables, 0, lambda message: None).whole()) == numbers(ran)


@pytest.mark.parametrize("audit", [name for name in STEPS if name not in ("compare", "experiments")])
def test_a_half_gives_what_its_rows_give(tables, audit):
    """Read again with these users alone, or counted once and split: the same numbers."""
    step = step_of(audit)
    order = np.random.default_rng(5).permutation(BUCKETS)
    halves = step.parted(tables, 0, lambda message: None).findings(order)
    for half, found in zip(np.array_split(order, 2), halves, strict=True):
        rows = {
            name: inputs.of_users(table, "user_id", half) if "user_id" in table.columns else table
            for name, table in tables.items()
        }
        assert numbers(found) == numbers(step.run(rows, 0, lambda message: None).findings)


@pytest.mark.parametrize("audit", ["opportunity", "compare", "experiments"])
def test_parts_are_not_decided_either_by_a_random_log_that_is_far_from_random(tables, audit):
    frame = log(9000, 3)
    frame["item_id"] = np.random.default_rng(6).choice(20, 9000, p=np.repeat([0.09, 0.01], 10))
    far = {**tables, "random": inputs.table(frame, name="random")}
    step = step_of(audit, item="item_id")
    parted = step.parted(far, 0, lambda message: None)
    parts = [parted.whole(), *parted.findings(np.random.default_rng(5).permutation(BUCKETS))]
    verdicts = {f.verdict for found in parts for f in found if f.tolerance is not None}
    assert verdicts == {Verdict.INCONCLUSIVE}


def test_arms_are_dealt_out_anew_with_as_many_rows_as_before(tables):
    """Of one log nine times as large as the other, nine tenths of the users."""
    frames = {"one": log(9000, 1), "two": log(1000, 2)}
    small = {name: inputs.table(frame, name=name) for name, frame in frames.items()}
    split = step_of("compare").parted(tables | small, 0, lambda message: None)
    order = np.random.default_rng(5).permutation(BUCKETS)
    (found,) = split.findings(order)
    sizes = {f.about["arm"]: f.n.count - 6000 for f in found if f.measure == "reo_penalty"}
    assert sum(sizes.values()) == 10_000
    assert sizes["two"] / 10_000 == pytest.approx(0.1, abs=0.03)
    assert split.findings(order) == [found]


def test_an_arm_of_hardly_any_buckets_is_not_dealt_out(tables):
    """Of 1 in 100 rows it would be ten buckets, however many users it has."""
    frames = {"one": log(29_700, 1, users=3_000), "two": log(300, 2)}
    small = {name: inputs.table(frame, name=name) for name, frame in frames.items()}
    with pytest.raises(InputError, match=r"arm 'two' has 1\.0% of the rows, which is 10 of the 1,024 parts"):
        step_of("compare").parted(tables | small, 0, lambda message: None)


def test_each_experiment_deals_out_its_users_for_itself(tables):
    """With one order for both, arms of the first would be made of whole arms of the second."""
    split = step_of("experiments").parted(tables, 0, lambda message: None)
    (found,) = split.findings(np.random.default_rng(5).permutation(BUCKETS))
    rows = {f.about["arm"]: f.n.count - 6000 for f in found if f.measure == "reo_penalty"}
    assert rows["old"] + rows["new"] == rows["a"] + rows["b"] + rows["c"] == 12_000
    same = {name: arms | {} for name, arms in split.comparisons.items()}
    same["second"] = same["first"]
    (alike,) = replace(split, comparisons=same).findings(np.random.default_rng(5).permutation(BUCKETS))
    first, second = (f.estimate for f in alike if f.measure == "reo_difference")
    assert first != second


def test_two_kinds_of_clusters_cannot_be_split(tables):
    two = {name: inputs.table(log(500, 4).assign(item_id=1), name=name) for name in ("one", "random")}
    with pytest.raises(InputError, match="name the user column alone"):
        step_of("opportunity", cluster=["user_id", "item_id"]).parted(tables | two, 0, lambda message: None)
