"""The verdict rule, and findings that survive a round trip."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from evenhand.findings import Exclusion, Finding, Interval, Verdict, decide


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


def test_more_data_shrinks_the_longer_arm_until_it_decides_four_times_in_five():
    power = (2.8 / 1.96) ** 2
    assert finding(0.15, (0.05, 0.25)).more_data == pytest.approx(power * (0.10 / 0.05) ** 2)
    assert finding(0.05, (0.0, 0.25)).more_data == pytest.approx(power * (0.20 / 0.05) ** 2)
    assert finding(-0.05, (-0.2, 0.02), harm="outside").more_data == pytest.approx(power * (0.15 / 0.05) ** 2)


def test_the_data_that_it_takes_decides_four_times_in_five():
    """A normal estimate exactly where it was seen, with `more_data` times the data."""
    seen = finding(0.15, (0.05, 0.25))
    error = 0.10 / 1.96 / np.sqrt(seen.more_data)
    drawn = np.random.default_rng(0).normal(0.15, error, size=20_000)
    decided = drawn - 1.96 * error > 0.1
    assert decided.mean() == pytest.approx(0.8, abs=0.01)


def test_no_advice_where_no_amount_would_decide():
    assert finding().more_data is None
    assert finding(0.1, (0.0, 0.2)).more_data is None  # exactly on the tolerance: no amount decides


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
        finding(details={"x": float("nan")})


def test_an_interval_upside_down_is_refused():
    with pytest.raises(ValidationError, match="upside down"):
        interval(0.2, 0.1)
