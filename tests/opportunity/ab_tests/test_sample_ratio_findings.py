"""A/B tests whose arms do not have the users that were planned."""

import numpy as np
import pandas as pd
import pytest

import evenhand as eh
from evenhand.errors import InputError
from evenhand.report.pages import whole_text
from evenhand.stats.many_looks.sample_ratio import p_value
from evenhand.stats.multiplicity import holm
from opportunity.conftest import make_log

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
    assert "It cannot be decided either way: the arms do not have the users" in whole_text.plain(
        found.document
    )


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
    # Of ten values at once: Holm's p-values, with 1/E of each alone.
    of_values = [f for f in ratios if "country" in f.subject]
    users = np.array([[arm["users"] for arm in f.details["users"]] for f in of_values], dtype=float)
    alone = p_value(users, np.array([0.5, 0.5]))
    assert alone.min() < 0.01
    assert [f.p_value for f in of_values] == pytest.approx(holm(alone).tolist())
    assert sorted(p.values())[0] == pytest.approx(10 * alone.min())
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
        ("half", "split is 'half', but must be 'equal', 'any', the share of every arm"),
        (0.5, "split is 0.5, but must be"),
    ],
)
def test_what_is_refused(logs, split, said):
    with pytest.raises(InputError, match=said):
        eh.opportunity.compare(*logs, **ASKED, split=split)


RAMP = {"ramp": {"control": 0.9, "treatment": 0.1}, "full": "equal"}


@pytest.fixture(scope="module")
def ramp_up(logs):
    """900 and 100 users of the ramp, who come back later, and then 900 new ones in each arm."""
    made = {}
    for number, (name, old) in enumerate({"control": 900, "treatment": 100}.items()):
        rates = RATES | {"a": 0.2 - 0.1 * number}
        log = make_log(np.random.default_rng(number), 5 * (old + 900), rates)
        user = np.arange(len(log)) % (old + 900)
        log["phase"] = np.where((user < old) & (np.arange(len(log)) < len(log) / 2), "ramp", "full")
        made[name] = log.assign(user_id=number * 10_000 + user)
    return made, logs[1]


def in_one(arms):
    return pd.concat([log.assign(ranker=name) for name, log in arms.items()], ignore_index=True)


def ratios(found):
    return {f.subject.get("phase"): f for f in found.findings if f.measure == "sample_ratio"}


def test_a_ramp_up_has_a_split_in_each_phase(ramp_up):
    """Users who come back in the second phase count in the first: 900 and 100, then 900 and 900."""
    arms, random = ramp_up
    assert ratios(eh.opportunity.compare(arms, random, **ASKED))[None].p_value < 1e-6
    by_phase = eh.opportunity.compare(arms, random, **ASKED, split_by="phase")
    assert ratios(by_phase)["full"].p_value < 1e-6
    found = eh.opportunity.compare(arms, random, **ASKED, split=RAMP, split_by="phase")
    ratio = ratios(found)
    assert list(ratio) == [None, "ramp", "full"]
    assert min(f.p_value for f in ratio.values()) > 0.5
    users = {value: [each["users"] for each in f.details["users"]] for value, f in ratio.items()}
    assert users == {None: [1_800, 1_000], "ramp": [900, 100], "full": [900, 900]}
    planned = [each["planned"] for each in ratio[None].details["users"]]
    assert planned == pytest.approx([1_800 / 2_800, 1_000 / 2_800])
    assert "reach back to where the test began" in ratio[None].assumptions[-1]
    difference = found.find("reo_difference")
    assert not difference.doubts
    assert any("each arm has another mixture" in text for text in difference.warnings)
    both = in_one(arms)
    asked = {**ASKED, "split": {"ranker": RAMP}, "split_by": "phase"}
    again = eh.opportunity.experiments(both, random, {"ranker": "control"}, **asked)
    assert [f.details for f in ratios(again).values()] == [f.details for f in ratio.values()]
    assert [f.p_value for f in ratios(again).values()] == [f.p_value for f in ratio.values()]
    assert any("each arm has another mixture" in text for text in again.find("reo_difference").warnings)


def test_a_mismatch_in_one_phase_is_found(ramp_up):
    arms, random = ramp_up
    arms = arms | {"treatment": arms["treatment"].query("user_id < 10_800")}  # of the new users 700
    found = ratios(eh.opportunity.compare(arms, random, **ASKED, split=RAMP, split_by="phase"))
    assert found["ramp"].p_value > 0.5
    assert max(found["full"].p_value, found[None].p_value) < 0.01
    assert found[None].subject["arm"] in ("control", "treatment")


def test_users_who_were_moved_when_the_split_changed_count_where_they_began(logs):
    """A ramp-up by hash: four ninths of the control's users are in the treatment from the second phase on."""
    rng = np.random.default_rng(1)
    log = make_log(rng, 24_000, RATES).assign(user_id=rng.integers(0, 2_000, 24_000))
    log["phase"] = np.where((log.user_id % 2 == 0) & (rng.random(len(log)) < 0.5), "ramp", "full")
    place = log.user_id // 2 % 10
    log["ranker"] = np.where(place < np.where(log.phase == "ramp", 1, 5), "treatment", "control")
    arms = {name: log[log.ranker == name] for name in ("control", "treatment")}
    found = eh.opportunity.compare(arms, logs[1], **ASKED, split=RAMP, split_by="phase")
    assert any("are in the logs of several arms" in text for text in found.find("reo_difference").warnings)
    assert min(f.p_value for f in ratios(found).values()) > 0.3
    assert not ratios(eh.opportunity.compare(arms, logs[1], **ASKED))
    asked = {**ASKED, "split": {"ranker": RAMP}, "split_by": "phase", "switching": "keep"}
    again = eh.opportunity.experiments(log, logs[1], {"ranker": "control"}, **asked)
    assert [f.details for f in ratios(again).values()] == [f.details for f in ratios(found).values()]


def test_numbers_come_in_the_order_of_their_size(logs):
    """Who was there on day 2 and on day 10 was first there on day 2."""
    arms, random = logs
    days = {name: log.assign(phase=np.where(log.index % 2 == 0, 2, 10)) for name, log in arms.items()}
    found = ratios(eh.opportunity.compare(days, random, **ASKED, split_by="phase"))
    assert found["2"].n.count > found["10"].n.count
    both = in_one(days)
    again = ratios(eh.opportunity.experiments(both, random, ["ranker"], **ASKED, split_by="phase"))
    assert again["2"].details == found["2"].details
    planned = eh.opportunity.compare(
        days, random, **ASKED, split={2: "equal", 10: {"control": 1, "treatment": 1}}, split_by="phase"
    )
    assert ratios(planned)["10"].details == found["10"].details
    assert not any("another mixture" in text for text in planned.find("reo_difference").warnings)


def test_a_phase_that_has_not_begun_is_said(ramp_up):
    arms, random = ramp_up
    split = {**RAMP, "rest": "equal"}
    found = ratios(eh.opportunity.compare(arms, random, **ASKED, split=split, split_by="phase"))
    assert found[None].warnings == ("A split is planned for phase = rest, where no user was first seen.",)


@pytest.mark.parametrize(
    ("split", "by", "said"),
    [
        (
            {"ramp": {"control": 9, "treatment": 1}},
            "phase",
            "have phase = 'full', but split is planned for ramp only",
        ),
        ({"ramp": "equal", "Full": "equal"}, "phase", "Did you mean 'full' where it says 'Full'"),
        (RAMP, None, "is given for each of ramp, full, but split_by does not say of which column"),
        (RAMP, "stage", "there is no column 'stage'"),
        ({"ramp": "equal", "control": 1}, "phase", "has shares of arms beside splits of values"),
        ({"ramp": "equal", "full": "any"}, "phase", "phase = full is 'any'"),
        ({"ramp": "equal", "full": {"control": 1, "treatment": 0}}, "phase", "full\\['treatment'\\] is 0"),
        ({"ramp": "equal", "full": {"control": 1}}, "phase", "full is about control, but the arms are"),
        ({1: "equal", "1": "equal"}, "phase", "names a value of phase twice"),
        (dict.fromkeys(range(101), "equal"), "phase", "more than 100 values"),
    ],
)
def test_plans_of_phases_that_are_refused(ramp_up, split, by, said):
    arms, random = ramp_up
    with pytest.raises(InputError, match=said):
        eh.opportunity.compare(arms, random, **ASKED, split=split, split_by=by)
    asked = {**ASKED, "split": {"ranker": split}, "split_by": by}
    with pytest.raises(InputError, match=said):
        eh.opportunity.experiments(in_one(arms), random, ["ranker"], **asked)


def test_rows_without_a_phase_and_experiments_that_are_none(ramp_up):
    arms, random = ramp_up
    control = arms["control"].reset_index(drop=True)
    control.loc[0, "phase"] = None
    arms = arms | {"control": control}
    with pytest.raises(InputError, match="control log: 1 rows have an empty phase, but split is planned for"):
        eh.opportunity.compare(arms, random, **ASKED, split=RAMP, split_by="phase")
    both = in_one(arms)
    with pytest.raises(InputError, match="split has a plan for 'ramp', which is no experiment here"):
        eh.opportunity.experiments(both, random, ["ranker"], **ASKED, split=RAMP, split_by="phase")
    # Rows that are in no arm need no phase.
    both.loc[both.phase.isna(), "ranker"] = None
    asked = {**ASKED, "split": {"ranker": RAMP}, "split_by": "phase"}
    assert ratios(eh.opportunity.experiments(both, random, ["ranker"], **asked))[None].p_value > 0.5
