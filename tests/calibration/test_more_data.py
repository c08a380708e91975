"""How much more data an audit asks for, and whether so much decides."""

from dataclasses import replace

import numpy as np
import pytest

from calibration.more_data_worlds import FAIR, UNFAIR, UNFAIR_MANY, WAYS, Logs, decided, penalties
from calibration.rates import can_be_at_least, can_be_at_most
from evenhand.findings import Finding, Interval
from evenhand.opportunity.inference.more_rows import More, penalty_with_more_rows
from evenhand.opportunity.inference.one_log import ArmInference
from evenhand.opportunity.logs.arms import Arms
from evenhand.opportunity.measures import penalty

sizes = pytest.mark.parametrize(
    ("pilots", "runs"), [(3, 25), pytest.param(20, 50, marks=pytest.mark.slow)], ids=["quick", "full"]
)


@sizes
@pytest.mark.parametrize("logs", [FAIR, UNFAIR, UNFAIR_MANY], ids=["fair", "unfair", "many groups"])
def test_the_data_that_an_audit_asks_for_decides_four_times_in_five(logs, pilots, runs):
    """Of audits whose estimate is where the truth is; elsewhere nobody can know how much it takes."""
    hits, said = decided(logs, "asked", pilots, runs)
    assert len(said) == pilots
    assert can_be_at_least(hits, pilots * runs, 0.8)


def test_as_if_intervals_shrank_with_the_root_of_the_data_far_too_little_would_be_asked_for():
    hits, _ = decided(UNFAIR_MANY, "root", 3, 25)
    assert can_be_at_most(hits, 75, 0.45)


def test_where_a_group_has_no_positive_nothing_is_promised():
    rare = Logs(8, 0.2, 300, 2_000)
    told = [
        (finding, inference) for finding, inference in penalties(rare.world(), 20, 0) if inference.has_zero
    ]
    assert told
    assert all(WAYS["asked"](finding, inference).more_data is None for finding, inference in told)


def test_where_items_are_a_sample_too_it_takes_more_of_them():
    """Users lean to one of three groups, and so do items; it is not sure that the tolerance is broken."""
    rng = np.random.default_rng(0)
    scores = 0.02 * rng.normal(size=(4, 100, 3))
    utilities = np.array([1.3, 1.0, 0.8])
    arms = Arms(
        ("a", "b", "c"), 500 * utilities[None], np.array([10_000.0]), np.full(3, 500.0), 10_000.0,
        scores[0][:, None], scores[1], item_scores=scores[2][:, None], random_item_scores=scores[3],
    )  # fmt: skip
    for measured, of in ((arms, "users and items"), (replace(arms, item_scores=None), "rows in all logs")):
        inference = ArmInference(measured, 0, 0)
        low, high = inference.penalty_interval(0.95)
        told = Finding(
            audit="opportunity", measure="reo_penalty", estimate=float(penalty(utilities)),
            interval=Interval(low=low, high=high, level=0.95, method="hull"), tolerance=0.16,
        )  # fmt: skip
        found = penalty_with_more_rows(told, inference, 0.95).more_data
        assert found.of == of
        assert found.times > 1
    # Four times the clusters, of which few count: a quarter of the variance, to four times the degrees.
    few = replace(arms, scores=np.where(np.arange(100) < 5, 5.0, 1.0)[:, None, None] * arms.scores)
    errors, more = few.errors(0), More(few, 4.0, expected=False).errors(0)
    contrast = np.array([[1.0, -1.0, 0.0]])
    assert more.variances(contrast) == pytest.approx(errors.variances(contrast) / 4)
    assert errors.degrees(contrast) < errors.most
    assert more.degrees(contrast) == pytest.approx(4 * errors.degrees(contrast))
    assert more.most == 4 * errors.most
