"""A/B tests whose arms do not have the users that were planned."""

import numpy as np
import pandas as pd
import pytest

import evenhand as eh
from evenhand.errors import InputError

from .conftest import make_log

RATES = {"a": 0.2, "b": 0.2}
ASKED = {"label": "liked", "group": "creator_age", "cluster": "user_id", "tolerance": 0.02}


def arm(rng, first, users, rates):
    log = make_log(rng, 12_000, rates)
    return log.assign(user_id=first + rng.integers(0, users, len(log)))


@pytest.fixture(scope="module")
def logs():
    rng = np.random.default_rng(0)
    control, treatment = arm(rng, 0, 1_000, RATES), arm(rng, 10_000, 1_000, RATES | {"a": 0.1})
    return {"control": control, "treatment": treatment}, make_log(rng, 12_000, RATES)


def lost(logs, keep=800):
    """A fifth of the users of the treatment did not come back."""
    arms, _ = logs
    return arms | {"treatment": arms["treatment"].query(f"user_id < {10_000 + keep}")}


def test_users_as_planned_are_said_first_and_change_nothing(logs):
    found = eh.opportunity.compare(*logs, **ASKED)
    ratio = found.findings[0]
    assert ratio.measure == "sample_ratio"
    assert ratio.verdict is None
    assert ratio.p_value > 0.5
    assert [each["users"] for each in ratio.details["users"]] == [1_000, 1_000]
    assert found.find("reo_difference").verdict is eh.Verdict.VIOLATION


def test_a_mismatch_decides_nothing_and_says_why(logs):
    found = eh.opportunity.compare(lost(logs), logs[1], **ASKED)
    ratio, difference = found.find("sample_ratio"), found.find("reo_difference")
    assert ratio.p_value < 0.05
    assert ratio.subject["arm"] in ("control", "treatment")
    assert "do not have the users that were planned" in ratio.warnings[0]
    assert difference.interval.low > difference.tolerance
    assert difference.verdict is eh.Verdict.INCONCLUSIVE
    assert difference.more_data is None
    assert "not comparable" in difference.doubts[0]
    assert eh.AuditResult.from_json(found.to_json()).findings == found.findings
    assert "It cannot be decided either way: the arms do not have the users" in str(found)


def test_a_split_that_was_planned_is_none(logs):
    planned = {"control": 10, "treatment": 8}
    found = eh.opportunity.compare(lost(logs), logs[1], **ASKED, split=planned)
    assert found.find("sample_ratio").p_value == 1
    assert found.find("reo_difference").verdict is eh.Verdict.VIOLATION
    anyhow = eh.opportunity.compare(lost(logs), logs[1], **ASKED, split="any")
    assert not [f for f in anyhow.findings if f.measure == "sample_ratio"]
    assert any("split was not checked" in text for text in anyhow.find("reo_difference").assumptions)


def test_requests_that_were_assigned_have_no_users_to_count(logs):
    arms, random = logs
    shared = {name: log.assign(user_id=log.user_id % 1_000) for name, log in arms.items()}
    found = eh.opportunity.compare(shared, random, **ASKED)
    assert not [f for f in found.findings if f.measure == "sample_ratio"]
    assert any("are in the logs of several arms" in text for text in found.findings[0].warnings)


def test_all_experiments_of_a_log(logs):
    random = logs[1]
    both = pd.concat([log.assign(ranker=name) for name, log in lost(logs).items()], ignore_index=True)
    both["layout"] = np.where(both.user_id % 2 == 0, "new", "old")
    found = eh.opportunity.experiments(both, random, {"ranker": "control", "layout": "old"}, **ASKED)
    assert found.find("sample_ratio", experiment="ranker").p_value < 0.05
    assert found.find("sample_ratio", experiment="layout").p_value > 0.05
    assert found.find("reo_difference", experiment="ranker").verdict is eh.Verdict.INCONCLUSIVE
    assert not found.find("reo_difference", experiment="layout").doubts
    split = {"ranker": {"control": 10, "treatment": 8}}
    planned = eh.opportunity.experiments(both, random, {"ranker": "control"}, **ASKED, split=split)
    assert planned.find("reo_difference").verdict is eh.Verdict.VIOLATION


def test_an_attribute_that_was_known_before_is_asked_value_by_value(logs):
    arms, random = logs
    # All users of one country are missing from the treatment's log, as many of another are added to it.
    marked = {name: log.assign(country=log.user_id % 10) for name, log in arms.items()}
    treatment = marked["treatment"].query("country != 3")
    extra = marked["treatment"].query("country == 4").assign(user_id=lambda log: log.user_id + 50_000)
    marked["treatment"] = pd.concat([treatment, extra], ignore_index=True)
    whole = eh.opportunity.compare(marked, random, **ASKED)
    assert whole.find("sample_ratio").p_value == 1
    found = eh.opportunity.compare(marked, random, **ASKED, split_by="country")
    ratios = [f for f in found.findings if f.measure == "sample_ratio"]
    p = {f.subject.get("country"): f.p_value for f in ratios}
    assert set(p) == {None, *"0123456789"}
    assert {value for value, each in p.items() if each <= 0.05} == {"3", "4"}
    assert found.find("reo_difference").verdict is eh.Verdict.INCONCLUSIVE
    both = pd.concat([log.assign(ranker=name) for name, log in marked.items()], ignore_index=True)
    by_column = eh.opportunity.experiments(both, random, ["ranker"], **ASKED, split_by="country")
    again = [f for f in by_column.findings if f.measure == "sample_ratio"]
    assert [f.details for f in again] == [f.details for f in ratios]
    odd = {name: log.assign(odd=log.user_id + 1) for name, log in marked.items()}
    with pytest.raises(InputError, match="which has more than 100 values"):
        eh.opportunity.compare(odd, random, **ASKED, split_by="odd")


@pytest.mark.parametrize(
    ("split", "said"),
    [
        ({"control": 0.5}, "split is about control, but the arms are control, treatment"),
        ({"control": 1, "treatment": 0}, "split\\['treatment'\\]"),
        ("half", "split is 'half', but must be 'equal', 'any', or the planned share"),
        (0.5, "split is 0.5, but must be"),
    ],
)
def test_what_is_refused(logs, split, said):
    with pytest.raises(InputError, match=said):
        eh.opportunity.compare(*logs, **ASKED, split=split)
