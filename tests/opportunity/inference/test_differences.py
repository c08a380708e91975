"""Other intervals of a difference, and several arms at once."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

import evenhand as eh
from evenhand.errors import InputError
from evenhand.opportunity.evidence import LogCounts
from evenhand.opportunity.inference.bootstrap import penalties_of
from evenhand.opportunity.inference.bootstrap_differences import bootstrap_differences, welch_differences
from evenhand.opportunity.inference.differences import (
    delta_difference,
    penalty_difference,
    relative_utility_differences,
    side_of_zero,
)
from evenhand.opportunity.inference.one_log import ArmInference
from evenhand.opportunity.logs.arms import Arms
from evenhand.opportunity.measures import penalty, penalty_gradient
from evenhand.opportunity.traffic.expected import Traffic
from evenhand.stats import bootstrap
from opportunity.conftest import make_log

GROUPS = ["a", "b", "c"]
ARM = LogCounts.from_totals(GROUPS, [4000, 3000, 2500], 50_000)
BASELINE = LogCounts.from_totals(GROUPS, [4400, 2700, 2300], 50_000)
RANDOM = LogCounts.from_totals(GROUPS, [2500, 2600, 2400], 50_000)
LOGS = ARM, BASELINE, RANDOM


def width(change):
    return change.high - change.low


def clustered_logs(users=600, seed=3):
    """An arm, a baseline and a random log in which users like different groups; arms have a half each."""
    rng = np.random.default_rng(seed)
    taste = rng.gamma(1, 1, size=(users, 3))
    in_arm = rng.random(users) < 0.5
    logs = []
    for who, rates in ((in_arm, [5, 3, 2]), (~in_arm, [4, 3, 3]), (np.full(users, True), [2, 2, 2])):
        positives = rng.poisson(taste * rates * who[:, None]).astype(np.int64)
        logs.append(LogCounts(tuple(GROUPS), positives * 3, positives))
    return logs


@pytest.mark.parametrize("method", ["normal", "percentile", "bca"])
@pytest.mark.parametrize("shared", [True, False])
def test_bootstrap_agrees_with_delta_where_it_holds(method, shared):
    delta = delta_difference(Arms.from_logs([BASELINE, ARM], RANDOM, shared_random=shared), 1, 0, 0.95)
    (boot,) = bootstrap_differences(
        *LOGS, method, [0.95], 0, replicates=10_000, shared_random=shared
    )  # fmt: skip
    assert (boot.low, boot.high) == pytest.approx((delta.low, delta.high), abs=0.06 * width(delta))
    assert boot.estimate == pytest.approx(delta.estimate)


@pytest.mark.parametrize("shared", [True, False])
def test_clustered_bootstrap_agrees_with_the_clustered_variance(shared):
    arm, baseline, random = clustered_logs()
    delta = delta_difference(Arms.from_logs([baseline, arm], random, shared_random=shared), 1, 0, 0.95)
    for method in ("normal", "percentile", "bca"):
        (boot,) = bootstrap_differences(
            arm, baseline, random, method, [0.95], 0, replicates=4_000, shared_random=shared
        )
        assert (boot.low, boot.high) == pytest.approx((delta.low, delta.high), abs=0.09 * width(delta))


def test_the_random_log_of_a_replicate_serves_both_arms():
    """Scarce random positives cancel between arms that lean the same way."""
    random = LogCounts.from_totals(GROUPS, [50, 52, 48], 1_000)
    logs = ARM, BASELINE, random
    shared, apart = (
        bootstrap_differences(*logs, "normal", [0.95], 0, replicates=4_000, shared_random=value)[0]
        for value in (True, False)
    )
    assert width(apart) > 2 * width(shared)


def test_bca_acceleration_is_that_of_all_rows_left_out_one_by_one():
    """Twenty rows a log, written out."""
    from evenhand.opportunity.inference.bootstrap_differences import _acceleration

    counts = {"arm": [6, 4, 3], "baseline": [3, 6, 5], "random": [5, 4, 6]}
    logs = {name: LogCounts.from_totals(GROUPS, each, 20) for name, each in counts.items()}
    values = {name: [] for name in counts}
    for name in counts:
        for category in (0, 1, 2, None):
            fewer = {key: np.array(each, dtype=float) for key, each in counts.items()}
            times = 20 - sum(counts[name]) if category is None else counts[name][category]
            if category is not None:
                fewer[name][category] -= 1
            change = penalty(fewer["arm"] / fewer["random"]) - penalty(fewer["baseline"] / fewer["random"])
            values[name] += [change] * times
    influences = [19 * (np.mean(each) - np.array(each)) for each in values.values()]
    cubes = sum((each**3).sum() / 20**3 for each in influences)
    squares = sum((each**2).sum() / 20**2 for each in influences)
    assert _acceleration(*logs.values(), True) == pytest.approx(cubes / (6 * squares**1.5))


def test_delta_with_its_options_is_algorithm_2():
    arms = Arms.from_logs([BASELINE, ARM], RANDOM, "independent", shared_random=False)
    change = delta_difference(arms, 1, 0, 0.95)
    square = 0.0
    for log in (ARM, BASELINE):
        q, p = log.positives[0] / log.total, RANDOM.positives[0] / RANDOM.total
        u = q / p
        gamma = (1 - q) / q / log.total + (1 - p) / p / RANDOM.total
        square += float(penalty_gradient(u) ** 2 @ gamma)
    assert width(change) == pytest.approx(2 * 1.959964 * np.sqrt(square), rel=1e-6)


def test_parts_of_welch_add_up_and_are_disjoint(monkeypatch):
    seen = []
    monkeypatch.setattr(
        "evenhand.opportunity.inference.bootstrap_differences.penalties_of",
        lambda parts, references: seen.append((parts, references)) or penalties_of(parts, references),
    )
    welch_differences(*LOGS, [0.95], 0, folds=8)
    welch_differences(*clustered_logs(), [0.95], 0, folds=7)
    expected = [*(log.positives.sum(axis=0) for log in LOGS[:2])]
    expected += [log.positives.sum(axis=0) for log in clustered_logs()[:2]]
    assert [parts.sum(axis=0).tolist() for parts, _ in seen] == [each.tolist() for each in expected]
    assert [len(parts) for parts, _ in seen] == [8, 8, 7, 7]
    randoms = [RANDOM] * 2 + [clustered_logs()[2]] * 2
    for (_, references), random in zip(seen, randoms, strict=True):
        assert references.sum(axis=0).tolist() == random.positives.sum(axis=0).tolist()


def test_welch_is_as_wide_as_arms_with_a_random_log_each():
    apart = delta_difference(Arms.from_logs([BASELINE, ARM], RANDOM, shared_random=False), 1, 0, 0.95)
    widths = [width(welch_differences(*LOGS, [0.95], seed, folds=20)[0]) for seed in range(40)]
    assert np.median(widths) == pytest.approx(width(apart), rel=0.15)


def test_welch_says_which_group_a_part_lacks():
    random = LogCounts.from_totals(GROUPS, [5, 500, 500], 5_000)
    with pytest.raises(
        InputError, match=r"20 parts, and a part .* group 'a' \(5 in the whole log\): use fewer"
    ):
        welch_differences(ARM, BASELINE, random, [0.95], 0, folds=20)
    few = LogCounts.from_totals(GROUPS, [3, 1, 0], 5_000)
    with pytest.raises(
        InputError, match=r"a part of an arm's log has no positive row \(4 in the whole log\)"
    ):
        welch_differences(few, BASELINE, RANDOM, [0.95], 0, folds=20)


def test_replicates_are_those_of_the_three_logs_drawn_once():
    rng = np.random.default_rng(5)
    drawn = [bootstrap.resample_counts(log.positives[0], log.total, 500, rng) for log in LOGS]
    values = penalties_of(drawn[0], drawn[2]) - penalties_of(drawn[1], drawn[2])
    (boot,) = bootstrap_differences(*LOGS, "percentile", [0.9], 5, replicates=500)
    assert (boot.low, boot.high) == pytest.approx(tuple(np.quantile(values, [0.05, 0.95])))


# Several arms


@pytest.fixture
def four_arms():
    rng = np.random.default_rng(1)
    rates = [(0.10, 0.16), (0.10, 0.16), (0.13, 0.16), (0.16, 0.16)]
    logs = {f"arm{i}": make_log(rng, 8_000, {"x": x, "y": y, "z": 0.1}) for i, (x, y) in enumerate(rates)}
    return logs, make_log(rng, 8_000, {"x": 0.1, "y": 0.1, "z": 0.1})


ASKED = {"label": "liked", "group": "creator_age"}


@pytest.mark.parametrize("interval", ["hull", "delta", "welch", "normal", "percentile", "bca"])
def test_several_arms_are_corrected_for_their_number(four_arms, interval):
    logs, random = four_arms
    together = eh.opportunity.compare(logs, random, **ASKED, interval=interval, replicates=1_000)
    for arm in ("arm1", "arm2", "arm3"):
        only = {name: logs[name] for name in ("arm0", arm)}
        alone = eh.opportunity.compare(only, random, **ASKED, interval=interval, replicates=1_000)
        level = 1 - 0.05 / 3
        at = eh.opportunity.compare(only, random, **ASKED, interval=interval, replicates=1_000, level=level)
        found = together.find("reo_difference", arm=arm)
        one = alone.find("reo_difference")
        assert found.estimate == one.estimate
        assert (found.interval.low, found.interval.high) == (
            at.find("reo_difference").interval.low,
            at.find("reo_difference").interval.high,
        )
        assert found.interval.level == 0.95
        assert found.interval.method.endswith(", Bonferroni over 3 comparisons")
        assert found.details["comparisons"] == 3
        assert found.details["unadjusted"] == {
            "low": one.interval.low,
            "high": one.interval.high,
            "p_value": one.p_value,
        }
        if found.p_value is not None:
            assert one.p_value <= found.p_value <= min(1, 3 * one.p_value) + 1e-12


def test_p_values_of_several_arms_are_holms(four_arms):
    logs, random = four_arms
    result = eh.opportunity.compare(logs, random, **ASKED, interval="delta")
    changes = [f for f in result.findings if f.measure == "reo_difference"]
    raw = np.array([change.details["unadjusted"]["p_value"] for change in changes])
    expected = np.maximum.accumulate(np.minimum(np.sort(raw) * [3, 2, 1], 1))
    assert [changes[i].p_value for i in np.argsort(raw)] == pytest.approx(expected.tolist())


def test_groups_are_corrected_for_their_number_too(four_arms):
    logs, random = four_arms
    result = eh.opportunity.compare(logs, random, **ASKED)
    for finding in result.findings:
        if finding.measure == "relative_utility_difference":
            pointwise = finding.details["pointwise"]
            assert finding.interval.low < pointwise["low"] < pointwise["high"] < finding.interval.high
            assert pointwise["p_value"] <= finding.p_value <= min(1, 9 * pointwise["p_value"]) + 1e-12


def test_two_groups_are_one_test():
    rng = np.random.default_rng(1)
    logs = {name: make_log(rng, 5_000, {"x": x, "y": 0.1}) for name, x in (("a", 0.2), ("b", 0.17))}
    result = eh.opportunity.compare(logs, make_log(rng, 5_000, {"x": 0.1, "y": 0.1}), **ASKED)
    for group in ("x", "y"):
        change = result.find("relative_utility_difference", group=group)
        assert change.p_value == pytest.approx(change.details["pointwise"]["p_value"])


def test_an_arm_that_may_be_fair_is_warned_of_where_the_interval_does_not_hold(four_arms):
    logs, random = four_arms
    fair = {
        "arm0": logs["arm0"],
        "fair": make_log(np.random.default_rng(9), 8_000, dict.fromkeys("xyz", 0.1)),
    }
    for interval in ("delta", "welch", "normal", "percentile", "bca"):
        found = eh.opportunity.compare(fair, random, **ASKED, interval=interval, replicates=500)
        assert any("exactly fair" in said for said in found.find("reo_difference").warnings)
    assert eh.opportunity.compare(fair, random, **ASKED).find("reo_difference").p_value is None


def test_the_default_of_two_unfair_arms_is_the_delta_method(arms_of):
    """But for what noise adds to both penalties, which is next to nothing where there are many rows."""
    arms = arms_of([[90_000, 50_000], [80_000, 50_000]], [30_000, 40_000])
    ours, delta = penalty_difference(arms, 1, 0, 0.95, 0), delta_difference(arms, 1, 0, 0.95)
    assert ours.estimate == delta.estimate
    assert ours.method == delta.method
    assert (ours.low, ours.high) == pytest.approx((delta.low, delta.high), abs=0.002 * width(delta))


def test_a_group_differs_just_where_its_interval_leaves_out_zero(arms_of):
    rng = np.random.default_rng(5)
    for _ in range(200):
        arms = arms_of(rng.poisson(60, (2, 4)).tolist(), rng.poisson(40, 4).tolist())
        for change in relative_utility_differences(arms, 1, 0, 0.95, 0, simultaneous=False):
            assert (change.p_value < 0.05) == (change.low > 0 or change.high < 0)
            assert change.low <= change.estimate <= change.high


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        (
            {"interval": "ray"},
            "interval is 'ray', but must be one of hull, delta, welch, normal, percentile, bca",
        ),
        ({"folds": 1}, "folds is 1, but must be a whole number from 2 to 500"),
        ({"replicates": 10}, "replicates is 10, but must be a whole number from 100 to 1,000,000"),
        ({"near_fair": "hull"}, "near_fair is 'hull', but must be one of bounds, mover"),
    ],
)
def test_options_are_refused_with_what_is_allowed(four_arms, changes, says):
    logs, random = four_arms
    with pytest.raises(InputError, match=says):
        eh.opportunity.compare(logs, random, **ASKED, **changes)


@pytest.mark.parametrize("days", [2, 30])
def test_the_side_of_zero_is_what_the_interval_says(days):
    """Arms far from fair, nearly fair, and with a group that the second arm never shows."""
    found = []
    for tilt in ([1.0, 1.0, 1.0], [1.2, 1.0, 0.9]):
        rates, random_rates = 0.03 * np.array(tilt), np.full(3, 0.02)
        traffic = Traffic(("a", "b", "c"), rates[None], random_rates, 10_000, 800).with_treatment({"a": 1.5})
        for arms in traffic.drawn(days, 8, 0):
            never = replace(arms, positives=arms.positives * [[1, 1, 1], [1, 1, 0]])
            for each, pair in itertools.product((arms, never), [(1, 0), (0, 1)]):
                interval = penalty_difference(each, *pair, 0.95, 0)
                found.append(side_of_zero(each, *pair, 0.95, 0))
                assert found[-1] == (interval.low > 0) - (interval.high < 0)
    assert {-1, 0, 1} == set(found)


def test_a_change_in_a_small_arm_is_as_skew_as_its_counts():
    """All noise is that of ten rows: the limits of their mean are those of a Poisson count (mid-p)."""
    groups = 40
    positives, random = np.array([[10.0] * groups, [1e6] * groups]), np.full(groups, 1e8)
    names = tuple(str(k) for k in range(groups))
    arms = Arms(names, positives, 20 * positives.sum(axis=1), random, 20 * random.sum(), None, None)
    change = relative_utility_differences(arms, 0, 1, 0.95, 0, simultaneous=False)[0]
    shares = np.array([1 + change.low, 1 + change.high]) / groups
    assert shares / (1 - shares) * 10 * (groups - 1) == pytest.approx([5.08, 17.82], rel=0.02)


def test_against_an_arm_that_is_known_a_change_has_the_limits_of_one_log():
    """The share of a large group bends with the utility of a rare one, in a change as in one log."""
    counts = np.array([20.0, 900.0, 700.0])
    own, known = np.stack([counts, counts * 1e10]), counts * 1e10
    arms = Arms(tuple(GROUPS), own, 10 * own.sum(axis=1), known, 10 * known.sum(), None, None)
    of_arm = ArmInference(arms, 0, 0).relative_utility_intervals(0.95, simultaneous=False)
    changes = relative_utility_differences(arms, 0, 1, 0.95, 0, simultaneous=False)
    limits = np.array([(each.low, each.high) for each in changes])
    assert limits == pytest.approx(np.array(of_arm), abs=1e-4)
