"""What is proposed beside the questions themselves: days, arms in a column, what is left out and why."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from evenhand.plan import load
from evenhand.plan.init.command import run
from evenhand.plan.init.looking import look
from evenhand.plan.init.proposing import propose, see
from plan.init.folders import GENDERS, ITEMS, log

NAMES = {"user": "user_id", "item": "item_id", "maker": "creator_gender"}


def proposed(home, default, random):
    for name, frame in (("default", default), ("random", random)):
        frame.rename(columns=NAMES).to_parquet(home / f"{name}.parquet", index=False)
    return propose(see(look([home])))


def asked(draft):
    return [step.keys["audit"] for step in draft.steps]


def test_days_are_followed_where_each_has_random_rows_enough(tmp_path):
    draft = proposed(tmp_path, log(6000, 1, days=3), log(7000, 2, uniform=True, days=3))
    assert asked(draft) == ["opportunity", "series"]
    assert draft.steps[1].keys["day"] == "day"


def test_days_with_few_random_rows_are_only_named(tmp_path):
    draft = proposed(tmp_path, log(6000, 1, days=9), log(4000, 2, uniform=True, days=9))
    assert asked(draft) == ["opportunity"]
    assert draft.day == "day"


def test_a_column_of_arms_is_an_experiment_with_its_control(tmp_path):
    default = log(6000, 1)
    default["variant"] = np.where(default.user % 2 == 0, "control", "new_ranker")
    draft = proposed(tmp_path, default, log(4000, 2, uniform=True))
    (step,) = [step for step in draft.steps if step.keys["audit"] == "experiments"]
    assert step.keys["columns"] == {"variant": "control"}


def test_an_experiment_without_a_control_is_marked(tmp_path):
    default = log(6000, 1)
    default["variant"] = np.where(default.user % 2 == 0, "x", "y")
    draft = proposed(tmp_path, default, log(4000, 2, uniform=True))
    assert any("Baseline of variant: x" in mark for mark in draft.marks)


def test_probabilities_of_the_random_log_are_used_if_they_differ(tmp_path):
    random = log(4000, 2, uniform=True)
    random["propensity"] = np.where(random.user % 2 == 0, 0.001, 0.002)
    draft = proposed(tmp_path, log(6000, 1), random)
    assert draft.steps[0].keys["probability"] == "propensity"


@pytest.mark.parametrize("lacking", [0, 10])
def test_items_that_no_table_describes_are_told_before_the_plan_is_run(tmp_path, lacking):
    for name, frame in (("default", log(6000, 1)), ("random", log(4000, 2, uniform=True))):
        frame.drop(columns="maker").rename(columns=NAMES).to_parquet(
            tmp_path / f"{name}.parquet", index=False
        )
    items = np.arange(ITEMS - lacking)
    pd.DataFrame({"item_id": items, "creator_gender": GENDERS[items % 2]}).to_csv(
        tmp_path / "items.csv", index=False
    )
    outcome = run([str(tmp_path)], tmp_path / "audit.toml")
    assert outcome.written is (lacking == 0)
    said = " ".join(outcome.lines)
    assert ("10 distinct item_id not found in items" in said) is (lacking > 0)


def test_an_attribute_with_empty_values_is_a_group_of_its_own(tmp_path):
    default, random = log(6000, 1), log(4000, 2, uniform=True)
    for frame in (default, random):
        frame.loc[frame.item % 10 == 0, "maker"] = None
    for name, frame in (("default", default), ("random", random)):
        frame.rename(columns=NAMES).to_parquet(tmp_path / f"{name}.parquet", index=False)
    assert run([str(tmp_path)], tmp_path / "audit.toml").written
    assert load(tmp_path / "audit.toml").audits[0].missing == "group"


def test_of_several_logs_the_one_called_default_is_default_and_arms_are_compared(tmp_path):
    for name, rows, uniform in (
        ("control", 3000, False),
        ("treatment", 3000, False),
        ("default", 6000, False),
    ):
        log(rows, rows, uniform).rename(columns=NAMES).to_parquet(tmp_path / f"{name}.parquet", index=False)
    log(4000, 2, uniform=True).rename(columns=NAMES).to_parquet(tmp_path / "random.parquet", index=False)
    items = np.arange(ITEMS)
    pd.DataFrame({"item_id": items, "creator_gender": GENDERS[items % 2]}).to_parquet(
        tmp_path / "items.parquet"
    )
    draft = propose(see(look([tmp_path])))
    assert asked(draft) == ["opportunity", "compare"]
    assert draft.steps[0].keys["default"] == "default"
    assert "attributes" not in draft.steps[0].keys  # the log has the group itself
    assert draft.steps[1].keys["arms"] == {"control": "control", "treatment": "treatment"}
