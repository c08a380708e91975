"""Which audit makes a command fail, and why."""

from __future__ import annotations

import pytest

from evenhand.findings import Interval
from evenhand.report.gate import stops, why
from short_findings import short


def one(audit, measure, estimate, half, **values):
    told = {"subject": {"by": "creator_age", "group": "18-24"}, "harm": "outside"} | values
    interval = Interval(low=estimate - half, high=estimate + half, level=0.95, method="m")
    return short(audit=audit, measure=measure, estimate=estimate, interval=interval, tolerance=0.2, **told)


def test_the_audit_that_is_not_decided_is_named_where_the_answers_are_within_their_limits():
    within = one("opportunity", "relative_utility", -0.05, 0.01)
    open_one = one("parity", "parity_deviation", -0.2, 0.1)
    found = (within, open_one)
    assert not stops(found, found, "violation")
    assert why(found, found, "violation") == ""
    assert stops(found, found, "inconclusive")
    assert why(found, found, "inconclusive") == (
        "--fail-on inconclusive fails: Parity is not decided: creators aged 18-24, an item is shown 0.2 "
        "fewer times than an average one (0.10 to 0.30; limit 0.2)."
    )


@pytest.mark.parametrize("fail_on", ["violation", "inconclusive"])
def test_each_audit_is_told_by_the_number_that_decides_it(fail_on):
    group = one("opportunity", "relative_utility", -0.5, 0.01)
    worst = one("opportunity", "worst_ratio", 0.1, 0.01, subject={"by": "creator_age"}, harm="below")
    hidden = group.amended(
        audit="stages", id="x", estimate=None, interval=None, tolerance=None, state="not_computable"
    )
    found = (worst, group, hidden)
    assert why(found, found, fail_on) == (
        f"--fail-on {fail_on} fails: Opportunity is beyond the limit: creators aged 18-24, liked items shown "
        "50% less often than average (49 to 51%; limit 20%); Stages could not be computed."
    )


def test_what_is_too_small_to_be_shown_is_said_to_be_so():
    within = one("opportunity", "relative_utility", -0.05, 0.01)
    gone = within.amended(id="x", estimate=None, interval=None, state="suppressed")
    assert stops((within,), (gone,), "violation")
    assert why((within,), (gone,), "violation") == (
        "--fail-on violation fails: all that was held against a limit is of too few people to be shown."
    )
