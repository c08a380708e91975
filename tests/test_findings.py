"""The verdict rule, and findings that survive a round trip."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from evenhand.findings import Exclusion, Finding, Interval, MoreData, Verdict, decide
from evenhand.more_data import shrinking, with_more_data
from short_findings import short


def interval(low, high):
    return Interval(low=low, high=high, level=0.95, method="test")


def finding(estimate=0.2, bounds=(0.15, 0.25), tolerance=0.1, **more):
    given = None if bounds is None else interval(*bounds)
    return Finding(
        audit="opportunity",
        measure="reo_penalty",
        estimate=estimate,
        interval=given,
        tolerance=tolerance,
        **more,
    )


@pytest.mark.parametrize(
    ("bounds", "harm", "verdict"),
    [
        ((0.11, 0.2), "above", Verdict.VIOLATION),
        ((0.0, 0.1), "above", Verdict.WITHIN_TOLERANCE),
        ((0.05, 0.15), "above", Verdict.INCONCLUSIVE),
        ((0.1, 0.2), "above", Verdict.INCONCLUSIVE),
        ((0.0, 0.09), "below", Verdict.VIOLATION),
        ((0.1, 0.9), "below", Verdict.WITHIN_TOLERANCE),
        ((0.05, 0.9), "below", Verdict.INCONCLUSIVE),
        ((0.11, 0.2), "outside", Verdict.VIOLATION),
        ((-0.2, -0.11), "outside", Verdict.VIOLATION),
        ((-0.1, 0.1), "outside", Verdict.WITHIN_TOLERANCE),
        ((-0.2, 0.05), "outside", Verdict.INCONCLUSIVE),
        ((-0.2, 0.2), "outside", Verdict.INCONCLUSIVE),
    ],
)
def test_the_verdict_rule(bounds, harm, verdict):
    assert decide(interval(*bounds), 0.1, harm) is verdict


def test_without_a_tolerance_there_is_no_verdict():
    assert finding(tolerance=None).verdict is None


def test_without_an_interval_nothing_is_decided():
    assert finding(bounds=None).verdict is Verdict.INCONCLUSIVE


def test_an_undefined_value_is_not_applicable_and_never_a_pass():
    assert finding(estimate=None, bounds=None).verdict is Verdict.NOT_APPLICABLE
    assert finding(estimate=None, bounds=None, tolerance=None).verdict is Verdict.NOT_APPLICABLE


def test_what_cannot_be_identified_blocks_a_pass_but_not_a_violation():
    blind = (Exclusion(what="group = x", count=3, why="no random positives", unidentified=True),)
    assert finding(0.05, (0.0, 0.09), excluded=blind).verdict is Verdict.INCONCLUSIVE
    assert finding(excluded=blind).verdict is Verdict.VIOLATION
    asked = (Exclusion(what="rows without a group", count=3, why="as asked"),)
    assert finding(0.05, (0.0, 0.09), excluded=asked).verdict is Verdict.WITHIN_TOLERANCE


def asked(made):
    """How much data it would take, if the interval were estimate +- c / sqrt(n)."""
    return with_more_data(made, shrinking(made)).more_data


def test_more_data_shrinks_the_longer_arm_until_it_decides_four_times_in_five():
    power = (2.8 / 1.96) ** 2
    for made, ratio, at_an_end in (
        (finding(0.15, (0.05, 0.25)), 0.10 / 0.05, 0.10 / 0.15),
        (finding(0.05, (0.0, 0.25)), 0.20 / 0.05, 0.20 / 0.15),  # the lower arm is cut off at 0
        (finding(-0.05, (-0.2, 0.02), harm="outside"), 0.15 / 0.05, 0.15 / 0.10),
    ):
        found = asked(made)
        assert found.times == pytest.approx(power * ratio**2, rel=0.02)
        assert found.low == pytest.approx(max(1.0, power * at_an_end**2), rel=0.02)


def test_the_data_that_it_takes_decides_four_times_in_five():
    """A normal estimate exactly where it was seen, with `more_data` times the data."""
    error = 0.10 / 1.96 / np.sqrt(asked(finding(0.15, (0.05, 0.25))).times)
    drawn = np.random.default_rng(0).normal(0.15, error, size=20_000)
    decided = drawn - 1.96 * error > 0.1
    assert decided.mean() == pytest.approx(0.8, abs=0.012)


def test_the_interval_itself_is_asked():
    """One that falls with 1/n needs the root of what one needs that falls with 1/sqrt(n), and is told so."""
    made = finding(0.15, (0.05, 0.25))
    found = with_more_data(made, lambda times: (0.15 - 0.1 / times, 0.15 + 0.1 / times), of="users")
    assert found.more_data.times == pytest.approx(2.8 / 1.96 * 2, rel=0.02)
    assert found.more_data.of == "users"


def test_no_advice_where_no_amount_would_decide():
    assert asked(finding()) is None  # decided
    assert asked(finding(tolerance=None)) is None
    assert asked(finding(bounds=None)) is None
    assert asked(finding(0.1, (0.0, 0.2))) is None  # exactly on the tolerance
    blind = (Exclusion(what="group = x", count=3, why="no random positives", unidentified=True),)
    assert asked(finding(0.05, (0.0, 0.2), excluded=blind)) is None
    made = finding(0.15, (0.05, 0.25))
    assert with_more_data(made, lambda times: (0.08, 0.22)).more_data is None  # what more data cannot narrow


def test_more_data_stands_only_where_more_data_could_decide():
    with pytest.raises(ValidationError, match="more data would not decide it"):
        finding(more_data=MoreData(times=3))
    with pytest.raises(ValidationError):
        finding(0.15, (0.05, 0.25), more_data=MoreData(times=0.5))


def test_more_data_survives_json():
    made = with_more_data(finding(0.15, (0.05, 0.25)), lambda times: (0.15 - 0.1 / times, 0.2))
    assert Finding.model_validate_json(made.model_dump_json()) == made


@given(
    estimate=st.none() | st.floats(-1, 1),
    bounds=st.tuples(st.floats(-1, 1), st.floats(-1, 1)).map(sorted),
    tolerance=st.none() | st.floats(0, 1),
    harm=st.sampled_from(["above", "below", "outside"]),
)
def test_a_finding_survives_json(estimate, bounds, tolerance, harm):
    made = finding(estimate, bounds, tolerance, harm=harm, details={"a": [1, 2.5], "b": {"c": None}})
    assert Finding.model_validate_json(made.model_dump_json()) == made


def test_numpy_in_details_becomes_plain():
    made = finding(details={"counts": np.array([1, 2]), "share": np.float64(0.5), "n": np.int64(3)})
    assert made.details == {"counts": [1, 2], "share": 0.5, "n": 3}


def test_a_document_cannot_contradict_the_rule():
    text = finding().model_dump_json().replace('"violation"', '"within_tolerance"')
    with pytest.raises(ValidationError, match="its interval and tolerance say violation"):
        Finding.model_validate_json(text)


def test_findings_are_frozen():
    with pytest.raises(ValidationError):
        finding().estimate = 0.0


@pytest.mark.parametrize("wrong", [float("nan"), float("inf")])
def test_no_estimate_is_not_a_number(wrong):
    with pytest.raises(ValidationError):
        finding(wrong)
    with pytest.raises(ValidationError):
        finding(details={"x": wrong})


def test_an_interval_upside_down_is_refused():
    with pytest.raises(ValidationError, match="upside down"):
        interval(0.2, 0.1)


@pytest.mark.parametrize(
    "changes",
    [
        {"p_value": 7.0},
        {"estimate": float("nan")},
        {"state": "suppressed"},
        {"more_data": {"times": 2.0}},
        {"interval": {"low": 2, "high": 1, "level": 0.95, "method": "m"}},
    ],
)
def test_an_amended_finding_is_checked_again(changes):
    finding = short({"by": "age"}, audit="a", measure="m", estimate=0.1)
    with pytest.raises(ValidationError):
        finding.amended(**changes)
    with pytest.raises(ValidationError):
        finding.model_copy(update=changes)


def test_an_amended_finding_about_something_else_has_another_id():
    finding = short({"by": "age"}, audit="a", measure="m", estimate=0.1)
    assert finding.amended(p_value=0.5).id == finding.model_copy(update={"p_value": 0.5}).id == finding.id
    assert finding.amended(about={**finding.about, "stage": "recall"}).id == f"{finding.id}/stage=recall"
