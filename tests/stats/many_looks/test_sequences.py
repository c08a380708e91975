"""Confidence sequences: against plain formulas, and their error by exact enumeration of all paths."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import optimize, special

from evenhand.stats.many_looks.sequences import (
    lil_radius,
    log_mixture,
    mixture_interval,
    mixture_lower,
    mixture_upper,
    sum_of_means_lower,
    tightened,
)

# The first example compiles.
patiently = settings(deadline=None)
LEVELS = st.sampled_from([0.2, 0.05, 0.01, 1e-4])


@st.composite
def samples(draw, most=3_000):
    count = draw(st.integers(1, most))
    total = count * draw(st.floats(0, 1)) if draw(st.booleans()) else float(draw(st.integers(0, count)))
    return count, min(total, float(count))


def plain_log_mixture(count, total, mean):
    rest = count - total
    ratio = special.betaln(total + 0.5, rest + 0.5) - special.betaln(0.5, 0.5)
    return ratio - special.xlogy(total, mean) - special.xlogy(rest, 1 - mean)


def prior(mean):
    return special.betainc(0.5, 0.5, mean)


@patiently
@given(samples(), st.floats(0.001, 0.999))
def test_the_mixture_is_its_formula(sample, mean):
    assert log_mixture(*sample, mean) == pytest.approx(plain_log_mixture(*sample, mean), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(("count", "total"), [(1e6, 3e5), (1e9, 3e8), (1e9, 7.5)])
def test_the_mixture_is_accurate_for_very_large_counts(count, total):
    """Near the average, where two numbers of size 1e9 cancel. SciPy's own rounding is about 1e-6 there."""
    for mean in mixture_interval(count, total, 0.05):
        assert log_mixture(count, total, mean) == pytest.approx(math.log(20), abs=1e-6)
        assert plain_log_mixture(count, total, mean) == pytest.approx(math.log(20), abs=2e-5)


@pytest.mark.parametrize("count", [10, 1e4, 1e9])
def test_one_success_has_a_lower_bound_with_all_its_digits(count):
    """B(3/2, N - 1/2)/pi / m is M_N(m) for m so small that (1 - m)^N is 1."""
    low, _ = mixture_interval(count, 1, 1e-6)
    expected = np.exp(special.betaln(1.5, count - 0.5)) / np.pi * 1e-6
    assert low == pytest.approx(expected, rel=1e-5)


@patiently
@given(samples(), LEVELS)
@example((1, 0.0), 0.05)
@example((1, 1e-9), 0.05)
@example((5, 1e-300), 0.05)
@example((3_000, 3_000 - 1e-9), 1e-4)
@example((1, 0.59375), 1e-4)
def test_both_sides_are_the_roots_of_the_mixture(sample, level):
    count, total = sample
    low, high = mixture_interval(count, total, level)
    assert 0 <= low <= total / count <= high <= 1
    for end in (low, high):
        if 1e-12 < end < 1 - 1e-12:
            # Near 1 the end itself is rounded, and what is left to 1 with it.
            rounding = np.finfo(float).eps * (count - total) / (1 - end)
            assert plain_log_mixture(count, total, end) == pytest.approx(
                -math.log(level), abs=1e-6 + rounding
            )


def test_after_one_zero_the_interval_is_known():
    """M_1(m) = 1/(2 (1 - m))."""
    low, high = mixture_interval(1, 0, 0.05)
    assert low == 0
    assert high == pytest.approx(1 - 0.05 / 2)


@patiently
@given(samples(), LEVELS)
def test_one_side_is_the_root_that_a_solver_finds(sample, level):
    count, total = sample
    found = mixture_upper(count, total, level)

    def excess(mean):
        return plain_log_mixture(count, total, mean) - np.log1p(prior(mean) * (1 / level - 1))

    start = total / count
    if start > 0.99:
        return
    expected = optimize.brentq(excess, start + 1e-12, 1 - 1e-12) if excess(1 - 1e-12) > 0 else 1.0
    assert found == pytest.approx(expected, abs=1e-7)


@patiently
@given(samples(200), LEVELS)
def test_everything_above_the_upper_bound_is_refuted(sample, level):
    """Not only the bound itself: the refuted means are an interval that reaches to 1."""
    count, total = sample
    upper = mixture_upper(count, total, level)
    if upper == 1:
        return
    means = np.linspace(upper, 1, 400)[1:-1]
    needed = np.log1p(prior(means) * (1 / level - 1))
    assert (plain_log_mixture(count, total, means) >= needed - 1e-9).all()


@patiently
@given(samples(500), LEVELS)
def test_the_one_sided_bound_is_on_the_safe_side_of_the_one_sided_mixture(sample, level):
    """At the bound, the average over guesses below it (an incomplete Beta function) has reached 1/level."""
    count, total = sample
    upper = mixture_upper(count, total, level)
    if upper > 1 - 1e-9:
        return
    below = special.betainc(total + 0.5, count - total + 0.5, upper) / prior(upper)
    one_sided = np.exp(plain_log_mixture(count, total, upper)) * below
    assert one_sided >= (1 - 1e-6) / level


@patiently
@given(samples(), LEVELS)
def test_one_side_is_tighter_than_two_and_mirrored(sample, level):
    count, total = sample
    low, high = mixture_interval(count, total, level)
    assert low - 1e-12 <= mixture_lower(count, total, level) <= total / count
    assert total / count <= mixture_upper(count, total, level) <= high + 1e-12
    mirrored = 1 - mixture_upper(count, count - total, level)
    assert mixture_lower(count, total, level) == pytest.approx(mirrored, abs=1e-9)


@patiently
@given(st.lists(st.floats(0, 1), min_size=1, max_size=60), LEVELS, LEVELS)
def test_the_running_intersection_is_that_of_all_bounds_so_far(values, below, above):
    low, high = 0.0, 1.0
    lows, highs = [0.0], [1.0]
    for count, total in enumerate(np.cumsum(values).tolist(), 1):
        total = min(total, float(count))
        low, high = tightened(count, total, low, high, below, above)
        lows.append(mixture_lower(count, total, below))
        highs.append(mixture_upper(count, total, above))
        assert low == pytest.approx(max(lows), abs=1e-12)
        assert high == pytest.approx(min(highs), abs=1e-12)


def ever_crossed(mean, bound, most):
    """The probability that a sum of 0 and 1 ever crosses: every path up to `most` values, no simulation."""
    alive = np.array([1.0])
    crossed = 0.0
    for count in range(1, most + 1):
        after = np.zeros(count + 1)
        after[:-1] += alive * (1 - mean)
        after[1:] += alive * mean
        out = np.array([bound(count, float(total)) for total in range(count + 1)])
        crossed += after[out].sum()
        alive = np.where(out, 0.0, after)
    return crossed


@pytest.mark.parametrize("mean", [0.03, 0.3, 0.5, 0.8])
@pytest.mark.parametrize("level", [0.05, 0.3])
def test_a_side_ever_misses_with_at_most_its_level(mean, level):
    above = ever_crossed(mean, lambda n, s: mixture_upper(n, s, level) < mean, 150)
    below = ever_crossed(mean, lambda n, s: mixture_lower(n, s, level) > mean, 150)
    assert max(above, below) <= level
    assert max(above, below) > level / 20  # not by never missing


@pytest.mark.parametrize("mean", [0.1, 0.5])
def test_both_sides_ever_miss_with_at_most_the_level(mean):
    def out(count, total):
        low, high = mixture_interval(count, total, 0.2)
        return not low <= mean <= high

    assert 0.01 < ever_crossed(mean, out, 150) <= 0.2


@pytest.mark.parametrize("level", [0.05, 0.3])
def test_a_sum_of_means_is_ever_overrated_with_at_most_the_level(level):
    """Means that are chosen on the way, by what would hurt most: a good arm after luck, else a bad one."""
    rng = np.random.default_rng(1)
    runs, steps = 2_000, 300
    total, means = np.zeros(runs), np.zeros(runs)
    missed = np.zeros(runs, dtype=bool)
    for count in range(1, steps + 1):
        mean = np.where(total > means, 0.1, 0.6)
        total += rng.random(runs) < mean
        means += mean
        missed |= np.array([sum_of_means_lower(count, t, level) for t in total]) > means + 1e-9
    assert 0 < missed.mean() <= level


@patiently
@given(st.integers(0, 10_000), st.floats(0, 1), LEVELS)
def test_a_sum_of_means_is_below_the_sum_and_not_negative(count, share, level):
    assert 0 <= sum_of_means_lower(count, share * count, level) <= share * count


def test_a_sum_of_means_is_tight_for_many_values():
    assert sum_of_means_lower(1e6, 3e5, 0.01) > 0.99 * 3e5


def test_the_radius_is_the_published_one():
    w, delta, arms, count = 0.99, 0.05, 10, 1_000
    theta = math.log(1 + w) * (w * delta / (2 * (2 + w))) ** (1 / (1 + w))
    logarithm = math.log(2 * arms / theta * math.log((1 + w) * count))
    expected = math.sqrt(2 * 0.25 * (1 + math.sqrt(w)) ** 2 * (1 + w) / count * logarithm)
    assert lil_radius(count, arms, delta) == pytest.approx(expected)


def test_without_values_nothing_is_known():
    assert mixture_interval(0, 0, 0.05) == (0, 1)
    assert (mixture_lower(0, 0, 0.05), mixture_upper(0, 0, 0.05)) == (0, 1)
    assert lil_radius(0, 10, 0.05) == math.inf
    assert log_mixture(0, 0, 0.3) == 0
    assert sum_of_means_lower(0, 0, 0.05) == 0


def test_impossible_means_are_infinitely_unlikely():
    assert log_mixture(2, 1, 0.0) == math.inf
    assert log_mixture(2, 1, 1.0) == math.inf
