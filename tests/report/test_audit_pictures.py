"""Pictures of simulated audits: what they draw is what the audits did."""

from __future__ import annotations

import numpy as np
import pytest

import evenhand as eh
from evenhand.envy.online.findings import about_plan, about_simulation
from evenhand.envy.online.simulated.played import play
from evenhand.report.pages import html
from evenhand.report.pictures.gallery import pictures_of

MEANS = [0.5, 0.9, 0.1, 0.2, 0.1, 0.1, 0.2, 0.3]


def drawn(picture, *columns):
    """Rows of the layers that have these columns."""
    rows = [row for data in picture.specification["datasets"].values() for row in data]
    return [row for row in rows if set(columns) <= set(row)]


@pytest.fixture(scope="module")
def simulated():
    found = eh.envy.simulate(MEANS, 30, epsilon=0.2, alpha=0.5, design="unpaired")
    played = play(MEANS, epsilon=0.2, alpha=0.5, design="unpaired")
    return found, played, about_simulation(found, MEANS, 0.2, 0.05, played=played)


def test_the_bounds_of_the_arms(simulated):
    _, played, result = simulated
    bounds, durations = pictures_of(result.find("audit_duration"))
    rows = drawn(bounds, "low", "high", "label")
    labels = {row["label"] for row in rows}
    assert len(labels) == 6
    assert {"the user's own", "policy 1"} <= labels
    last = [row for row in rows if row["label"] == "policy 1"][-1]
    low, _, high = played.auditor.design.bounds(1)
    assert (last["low"], last["high"]) == pytest.approx((low, high), abs=1e-5)
    assert last["step"] == played.auditor.step
    assert "there is envy. 2 more policies, shown less often, are left out." in bounds.caption
    assert "the truth is 0.90" in bounds.description
    assert "half of the audits have ended by step" in durations.description


def test_in_blocks_the_bounds_are_of_differences():
    found = eh.envy.simulate(MEANS, 5, epsilon=0.2, alpha=0.5)
    played = play(MEANS, epsilon=0.2, alpha=0.5)
    result = about_simulation(found, MEANS, 0.2, 0.05, played=played)
    bounds, _ = pictures_of(result.find("audit_duration"))
    rows = drawn(bounds, "low", "high", "label")
    own = [row for row in rows if row["label"] == "the user's own"]
    assert {(row["low"], row["high"]) for row in own} == {(0, 0)}
    last = [row for row in rows if row["label"] == "policy 1"][-1]
    low, _, high = played.auditor.design.bounds(1)
    assert (last["low"], last["high"]) == pytest.approx((low, high), abs=1e-5)
    assert "above that of the user's own (the line at 0)" in bounds.caption
    assert "the truth is 0.40" in bounds.description


def test_bounds_only_close(simulated):
    _, played, _ = simulated
    for path in played.paths:
        assert np.all(np.diff([at.low for at in path]) >= 0)
        assert np.all(np.diff([at.high for at in path]) <= 0)
        assert np.all(np.diff([at.step for at in path]) > 0)


def test_all_durations_are_under_the_line(simulated):
    found, _, result = simulated
    rows = drawn(pictures_of(result.find("audit_duration"))[1], "share")
    assert rows[-1] == {"step": found.durations.max(), "share": 1}
    for row in rows:
        assert np.mean(found.durations <= row["step"]) >= row["share"] - 1e-9


def test_an_audit_that_is_drawn_in_part():
    found = eh.envy.simulate([0.5, 0.5], 2, budget=400)
    for options, ends in (
        ({"longest_play": 50}, "After step 50 the audit was not over, but is drawn no further."),
        ({"budget": 40}, "After step 40 the audit ends undecided."),
        ({"budget": 1}, "After step 1 the audit ends undecided."),
    ):
        result = about_simulation(found, [0.5, 0.5], 0.05, 0.05, played=play([0.5, 0.5], **options))
        assert pictures_of(result.find("audit_duration"))[0].caption.endswith(ends)
        html.render(result.document)


def test_duration_and_cost_against_alpha():
    rows = eh.envy.plan(0.5, [0.3], [0.5, 0.2], 10, epsilon=0.2)
    result = about_plan(rows, 10, 0)
    duration, cost = pictures_of(result.find("shortest_audit"))
    medians = {row["alpha"]: row["value"] for row in drawn(duration, "of") if row["of"].startswith("half")}
    assert medians == {row.alpha: row.duration for row in rows}
    costs = {row["alpha"]: row["value"] for row in drawn(cost, "alpha", "value")}
    assert costs == {row.alpha: row.cost for row in rows}
    assert "from alpha 0.2 to 0.5" in cost.description
    page = html.render(result.document)
    assert page.count("<figcaption") == 2
    assert "Planning an audit of a user" in page


def test_one_alpha_is_no_curve():
    result = about_plan(eh.envy.plan(0.5, [0.3], 0.5, 10, epsilon=0.2), 10, 0)
    assert [finding.measure for finding in result.findings] == ["planned_duration", "planned_cost"]
    assert "<figcaption" not in html.render(result.document)


@pytest.mark.parametrize("measure", ["audit_duration", "audit_cost", "decided_audits", "broken_constraint"])
def test_every_measure_has_a_sentence_of_its_own(simulated, measure):
    from evenhand.report.words.sentences import claim, title

    finding = simulated[2].find(measure)
    assert not claim(finding).startswith(f"{title(finding)} is")
