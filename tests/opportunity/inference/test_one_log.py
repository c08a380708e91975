"""Intervals: closed forms, limits, zero counts, and the covariance of arms that share a random log."""

import numpy as np
import pytest

import evenhand as eh
from evenhand.opportunity.evidence import LogCounts
from evenhand.opportunity.inference.bootstrap import penalty_interval, replicate_penalties
from evenhand.opportunity.inference.differences import (
    delta_difference,
    penalty_difference,
    relative_utility_differences,
)
from evenhand.opportunity.inference.one_log import ArmInference
from evenhand.opportunity.logs.arms import Arms
from evenhand.opportunity.measures import penalty, penalty_gradient, relative_utilities


def test_the_delta_interval_is_the_formula(arms_of):
    a, b = np.array([400.0, 300.0, 200.0]), np.array([250.0, 260.0, 240.0])
    inference = ArmInference(arms_of(a, b), 0, 0)
    g = penalty_gradient(inference.utilities)
    error = np.sqrt((g**2 * (1 / a + 1 / b)).sum())
    h = penalty(inference.utilities)
    assert inference.penalty_interval(0.95, "delta") == pytest.approx(
        (h - 1.959964 * error, h + 1.959964 * error)
    )


def test_the_sources_variance_is_smaller(arms_of):
    counts = np.array([3500.0, 3000.0]), np.array([2000.0, 2500.0])
    ours = ArmInference(arms_of(*counts), 0, 0).penalty_interval(0.95, "delta")
    sources = ArmInference(arms_of(*counts, variance="independent"), 0, 0).penalty_interval(0.95, "delta")
    assert ours[0] < sources[0] < sources[1] < ours[1]


def test_the_hull_contains_its_parts(arms_of):
    inference = ArmInference(arms_of([90, 60, 80, 3], [70, 70, 75, 8]), 0, 0)
    low, high = inference.penalty_interval(0.95)
    for part in ("delta", "ray"):
        assert low <= max(0, inference.penalty_interval(0.95, part)[0])
        assert high >= inference.penalty_interval(0.95, part)[1]


def test_shared_random_variance_of_a_difference_is_the_formula(arms_of):
    a = np.array([[900.0, 500.0, 400.0], [1200.0, 350.0, 300.0]])
    b = np.array([60.0, 50.0, 55.0])
    arms = arms_of(a, b)
    gc, gt = (penalty_gradient(arms.utilities(i)) for i in (0, 1))
    variance = (gt**2 / a[1]).sum() + (gc**2 / a[0]).sum() + ((gt - gc) ** 2 / b).sum()
    change = delta_difference(arms, 1, 0, 0.95)
    assert (change.high - change.low) / 2 == pytest.approx(1.959964 * np.sqrt(variance))


def test_arms_as_if_each_had_its_own_random_log_add_their_variances(arms_of):
    a, b = [[900, 500, 400], [1200, 350, 300]], [60, 50, 55]
    shared = penalty_difference(arms_of(a, b), 1, 0, 0.95, 0)
    apart = penalty_difference(arms_of(a, b, shared_random=False), 1, 0, 0.95, 0)
    assert apart.high - apart.low > 1.5 * (shared.high - shared.low)


def test_the_same_arm_twice_differs_by_its_own_default_noise_only(arms_of):
    a, b = [[900, 500], [900, 500]], [30, 40]
    change = penalty_difference(arms_of(a, b), 1, 0, 0.95, 0)
    many = penalty_difference(arms_of(np.array(a) * 100, b, total=10**6), 1, 0, 0.95, 0)
    assert change.estimate == many.estimate == 0
    # Scarce random positives do not matter, as their noise is common to both.
    assert (many.high - many.low) == pytest.approx((change.high - change.low) / 10, rel=0.05)


def test_a_nearly_fair_arm_is_never_judged_by_its_gradient(arms_of):
    arms = arms_of([[300, 303, 298], [400, 250, 250]], [100, 100, 100])
    change = penalty_difference(arms, 1, 0, 0.95, 0)
    assert change.method == "difference of hulls"
    assert change.p_value is None
    assert change.low <= change.estimate <= change.high


def test_relative_utility_differences_sum_to_zero(arms_of):
    arms = arms_of([[300, 303, 298], [400, 250, 250]], [100, 100, 100])
    changes = relative_utility_differences(arms, 1, 0, 0.95, 0)
    assert sum(change.estimate for change in changes) == pytest.approx(0, abs=1e-12)
    alone = relative_utility_differences(arms, 1, 0, 0.95, 0, simultaneous=False)
    for wide, narrow in zip(changes, alone, strict=True):
        assert wide.low < narrow.low < narrow.high < wide.high


def test_relative_utilities_keep_inside_their_range(arms_of):
    intervals = ArmInference(arms_of([2, 400, 300], [3, 300, 300]), 0, 0).relative_utility_intervals(0.95)
    for low, high in intervals:
        assert -1 < low < high < 2


def test_large_groups_are_as_far_off_as_the_one_rare_group_can_put_them(arms_of):
    """All noise is that of the rare group: at either end of its interval the others have what it leaves."""
    large = 100_000_000
    rare, first, second = ArmInference(
        arms_of([[25, large, large]], [25, large, large]), 0, 0
    ).relative_utility_intervals(0.95)
    left = [(3 - (1 + end)) / 2 - 1 for end in reversed(rare)]
    for low, high in (first, second):  # as far at least: the tangent may reach further
        assert low <= left[0] + 0.01
        assert left[1] - 0.01 <= high <= left[1] + 0.05


def test_two_groups_need_no_correction_for_their_number(arms_of):
    inference = ArmInference(arms_of([120, 90], [80, 85]), 0, 0)
    together = np.array(inference.relative_utility_intervals(0.95))
    alone = np.array(inference.relative_utility_intervals(0.95, simultaneous=False))
    assert together == pytest.approx(alone, abs=0.003)
    assert together[0] == pytest.approx(-together[1][::-1], abs=1e-9)  # d_1 = -d_2


def test_the_worst_ratio_of_two_groups_is_the_interval_of_their_log_ratio(arms_of):
    a, b = np.array([120.0, 200.0]), np.array([100.0, 100.0])
    low, high = ArmInference(arms_of(a, b), 0, 0).worst_ratio_interval(0.95)
    reach = 1.959964 * np.sqrt((1 / a + 1 / b).sum())
    assert (low, high) == pytest.approx((0.6 * np.exp(-reach), 0.6 * np.exp(reach)), rel=0.01)


def test_an_unserved_group_has_utility_zero_and_an_exact_upper_limit(arms_of):
    arms = arms_of([0, 500, 480], [40, 50, 50])
    inference = ArmInference(arms, 0, 0)
    assert relative_utilities(inference.utilities)[0] == -1
    low, high = inference.relative_utility_intervals(0.95)[0]
    assert low == -1
    # Rule of three, with half of the error, which the groups share: at most 4.8 of 10,000 rows.
    share = 4.8 / 40 / (4.8 / 40 + 500 / 50 + 480 / 50)
    assert 3 * share - 1 < high < 3 * share * 1.7 - 1
    ratio = inference.worst_ratio_interval(0.95)
    assert ratio[0] == 0
    assert ratio[1] < 0.03
    bounds = inference.penalty_interval(0.95)
    assert bounds[0] < penalty(inference.utilities) < bounds[1] < np.sqrt(2)


def test_an_unserved_group_with_little_evidence_leaves_the_penalty_open(arms_of):
    low, high = ArmInference(arms_of([0, 6], [1, 4], total=50, random_total=50), 0, 0).penalty_interval(0.95)
    assert low < 0.2
    assert high > 0.9


def test_all_groups_exactly_equal_still_has_an_interval(arms_of):
    for k in (2, 3, 5):
        low, high = ArmInference(arms_of([100] * k, [50] * k), 0, 0).penalty_interval(0.95)
        assert low == 0
        assert 0.02 < high < 0.5


def clustered(rng, users, rates, activity):
    rows = rng.poisson(activity[:, None] * rates).astype(np.int64)
    return LogCounts(tuple(str(k) for k in range(len(rates))), rows * 3, rows)


def test_users_in_both_logs_are_one_cluster():
    """A user's taste moves both logs together; treating the logs as independent is then too wide."""
    rng = np.random.default_rng(0)
    taste = rng.gamma(0.3, 1, size=(600, 2))
    counts = rng.poisson(taste * 20).astype(np.int64)
    log = LogCounts(("a", "b"), counts * 2, counts)
    same = Arms.from_logs([log], log)
    other = LogCounts(("a", "b"), counts[::-1] * 2, counts[::-1])
    assert np.abs(same.errors(0).covariance).max() == pytest.approx(0, abs=1e-12)
    assert Arms.from_logs([log], other).errors(0).covariance[0, 0] > 0.005


def test_degrees_of_freedom_count_clusters_that_hold_a_positive():
    rows = np.zeros((1024, 2), dtype=np.int64)
    rows[:7] = 5
    log = LogCounts(("a", "b"), rows, rows)
    assert Arms.from_logs([log], log).errors(0).most == 6


@pytest.mark.parametrize("method", ["percentile", "normal", "bca"])
def test_bootstrap_intervals_agree_with_delta_where_it_holds(method, arms_of):
    log = LogCounts.from_totals(["a", "b", "c"], [4000, 3000, 2500], 50_000)
    random = LogCounts.from_totals(["a", "b", "c"], [2500, 2600, 2400], 50_000)
    arms = Arms.from_logs([log], random)
    delta = np.array(ArmInference(arms, 0, 0).penalty_interval(0.95, "delta"))
    boot = np.array(penalty_interval(log, random, method, 10_000, 0, 0.95))
    assert boot == pytest.approx(delta, abs=0.06 * (delta[1] - delta[0]))


def test_clustered_bootstrap_agrees_with_the_clustered_variance():
    rng = np.random.default_rng(2)
    activity = rng.gamma(0.5, 2, size=500)
    log = clustered(rng, 500, np.array([4.0, 3.0, 2.0]), activity)
    random = clustered(rng, 500, np.array([2.0, 2.0, 2.0]), activity)
    arms = Arms.from_logs([log], random)
    g = penalty_gradient(arms.utilities(0))
    boot = replicate_penalties(log, random, 4_000, 0)
    assert boot.std() == pytest.approx(np.sqrt(g @ arms.errors(0).covariance @ g), rel=0.06)


def test_a_replicate_that_loses_a_group_is_not_a_division_by_zero():
    log = LogCounts.from_totals(["a", "b"], [50, 40], 200)
    random = LogCounts.from_totals(["a", "b"], [1, 30], 200)
    penalties = replicate_penalties(log, random, 2_000, 0)
    assert np.isfinite(penalties).all()
    assert penalties.max() == pytest.approx(1, abs=1e-3)  # the limit: one group gets everything


@pytest.mark.parametrize("cluster", [None, "user_id"])
def test_intervals_do_not_depend_on_the_names_of_groups(logs, cluster):
    """Draws belong to a group by its counts and not by its place in the alphabet."""
    default, random = logs
    names = dict(zip(sorted(default["creator_age"].unique()), "zyx", strict=True))

    def found(log, other):
        halves = {"old": log[log["user_id"] % 2 == 0], "new": log[log["user_id"] % 2 == 1]}
        asked = {"label": "liked", "group": "creator_age", "cluster": cluster}
        of_audit = eh.opportunity.audit(log, other, **asked).findings
        return {
            (f.measure, f.subject.get("arm"), f.subject.get("group")): f.interval
            for f in (*of_audit, *eh.opportunity.compare(halves, other, **asked).findings)
            if f.interval is not None
        }

    before = found(default, random)
    after = found(*(log.assign(creator_age=log["creator_age"].map(names)) for log in logs))
    assert len(before) == len(after) == 11
    for (measure, arm, group), interval in before.items():
        renamed = after[measure, arm, names.get(group)]
        assert (renamed.low, renamed.high) == pytest.approx((interval.low, interval.high), abs=1e-9)
