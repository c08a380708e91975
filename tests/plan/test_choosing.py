"""Steps of a plan by name or number."""

from __future__ import annotations

import pytest

import evenhand as eh
from evenhand.plan.running.choosing import chosen

NAMED = 'cluster = "user_id"\nname = "now"'


@pytest.mark.parametrize("only", [["compare"], ["2"], [2]])
def test_one_step_is_what_it_is_in_the_whole_plan(plan, only):
    whole, alone = eh.plan.run(plan()), eh.plan.run(plan(), only=only)
    assert alone.findings == tuple(f for f in whole.findings if f.audit == "compare")
    assert alone.plan["left_out"] == ["opportunity"]
    assert "left_out" not in whole.plan


def test_a_step_has_the_name_that_the_plan_gives_it(plan):
    steps = eh.plan.load(plan('cluster = "user_id"', NAMED)).audits
    assert list(chosen(steps, ["now"])) == [0]
    with pytest.raises(
        eh.InputError, match=r"no audit 'nw' \(did you mean 'now'\?\); it has 1 now, 2 compare"
    ):
        chosen(steps, ["nw"])
    for number in (0, 3):
        with pytest.raises(eh.InputError, match=f"the plan has no audit '{number}'; it has 1 now, 2 compare"):
            chosen(steps, [number])


def test_one_name_of_two_steps_is_no_name(plan):
    steps = eh.plan.load(plan('label = "liked"', 'label = "liked"\nname = "opportunity"')).audits
    with pytest.raises(eh.InputError, match="audits 1 and 2 are both called 'opportunity'; name one by its"):
        chosen(steps, ["opportunity"])
    assert list(chosen(steps, [1])) == [0]


def test_what_is_not_run_need_not_be_there(plan):
    path = plan("data/treatment.parquet", "data/not-yet.parquet")
    assert eh.plan.run(path, only=["opportunity"]).findings
    with pytest.raises(eh.InputError, match="not-yet"):
        eh.plan.run(path)


def test_labels_of_what_is_left_out_are_no_mistake(plan):
    labels = '[labels]\ncreator_age."18-24" = "the young"\n\n[inputs.random]'
    result = eh.plan.run(plan("[inputs.random]", labels), only=["compare"])
    assert not any("Labels of the plan" in words for f in result.findings for words in f.warnings)
