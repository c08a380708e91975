"""Intervals: the variances against plain jackknives, the bounds against their equation, and the matrix."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evenhand.exposure.evidence import Evidence
from evenhand.exposure.measures import NAMES, corrected_measures, measures
from evenhand.exposure.problem.blocks import assign_blocks
from evenhand.exposure.problem.rows import dense_rows
from evenhand.exposure.uncertainty import (
    VarianceParts,
    combined,
    intervals,
    squared_mean_interval,
    variance_of_squared_mean,
)
from exposure.worlds import BLOCKS, make_world


def vectors(users: int, seed: int = 0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(users, 7)) * np.arange(1, 8) + 0.5


def plain_corrected_square(d):
    n = len(d)
    return np.mean([d[i] @ d[j] for i in range(n) for j in range(n) if i != j])


def test_the_first_part_is_the_jackknife_where_blocks_have_one_user():
    d = vectors(12)
    left_out = [plain_corrected_square(np.delete(d, i, axis=0)) for i in range(12)]
    jackknife = 11 / 12 * ((left_out - np.mean(left_out)) ** 2).sum()
    found = variance_of_squared_mean(d @ d.T, np.ones(12, dtype=int))
    assert found is not None
    assert found.first == pytest.approx(jackknife)


def test_the_parts_are_the_two_terms_of_the_variance():
    # D ~ N(m, S): the variance of U is 4 m'Sm / n + 2 tr(S^2) / n^2 and a little, and the first part has
    # the second twice over.
    m, scale, n, runs = np.array([1.0, 0.5, 0, 0, 0]), np.array([0.5, 1, 1, 2, 3]), 40, 4000
    rng = np.random.default_rng(1)
    first, second = np.zeros(runs), np.zeros(runs)
    for run in range(runs):
        d = m + scale * rng.normal(size=(n, 5))
        sums = d.reshape(20, 2, 5).sum(axis=1)
        found = variance_of_squared_mean(sums @ sums.T, np.full(20, 2))
        first[run], second[run] = found.first, found.second
    linear, special = 4 * (m**2 * scale**2).sum() / n, 2 * (scale**4).sum() / n**2
    assert second.mean() == pytest.approx(special, rel=0.05)
    assert first.mean() == pytest.approx(linear + 2 * special * 20 / 18, rel=0.05)


def test_blocks_without_users_do_not_matter():
    d = vectors(6)
    sizes = np.array([1, 1, 0, 1, 1, 0, 1, 1])
    sums = np.zeros((8, 7))
    sums[sizes > 0] = d
    assert variance_of_squared_mean(sums @ sums.T, sizes) == variance_of_squared_mean(
        d @ d.T, np.ones(6, dtype=int)
    )


def test_three_blocks_are_too_few():
    d = vectors(3)
    assert variance_of_squared_mean(d @ d.T, np.ones(3, dtype=int)) is None


@given(
    st.floats(-0.5, 5),
    st.floats(1e-3, 5),
    st.floats(1e-6, 3),
    st.floats(1e-6, 3),
    st.sampled_from([0.8, 0.95, 0.99]),
)
def test_the_bounds_solve_their_equation(corrected, noise, first, second, level):
    published = max(corrected, 0) + noise
    variance = VarianceParts(first, second, 1e9, 1e9)
    low, high = squared_mean_interval(corrected, published, variance, level)
    t = stats.norm.ppf(0.5 + level / 2)
    assert 0 <= low <= high

    slope = first / published
    if corrected > 0:
        slope = max(slope, (first - 2 * second) * corrected / (corrected**2 + second))

    def excess(theta):
        return (corrected - theta) ** 2 - t**2 * (theta * slope + second)

    scale = 1 + t**2 * (slope + second)
    if corrected <= 0:
        assert low == 0
    if low > 0:
        assert excess(low) == pytest.approx(0, abs=1e-6 * scale**2)
    if high > 0 and excess(0) < 0:
        assert excess(high) == pytest.approx(0, abs=1e-6 * scale**2)


def test_groups_of_different_users_add_up():
    one, two = VarianceParts(4.0, 1.0, 19, 170), VarianceParts(4.0, 1.0, 19, 170)
    found = combined(np.array([0.5, 0.5]), [one, two])
    assert found == pytest.approx(VarianceParts(2.0, 0.5, 38, 340))
    assert combined(np.array([0.5, 0.5]), [one, None]) is None
    assert combined(np.array([1.0, 0.0]), [one, None]) == pytest.approx(one)


def test_every_measure_has_an_interval_that_holds_its_estimate():
    evidence = make_world(users=80).evidence("listed")
    found, after = intervals(evidence), corrected_measures(evidence)
    assert tuple(found) == NAMES
    for name, bounds in found.items():
        assert bounds is not None
        assert bounds[0] <= max(after[name].fairness, 0) <= bounds[1]
        wider = intervals(evidence, level=0.99)[name]
        assert wider is not None
        assert wider[0] <= bounds[0]
        assert bounds[1] < wider[1]


def test_dense_and_listed_users_have_the_same_intervals():
    world = make_world(users=60, seed=2)
    dense, listed = intervals(world.evidence("dense")), intervals(world.evidence("listed", step=11))
    for name in NAMES:
        assert dense[name] == pytest.approx(listed[name], rel=1e-9)


def test_individual_measures_have_the_usual_t_interval():
    world = make_world(users=50, seed=3)
    difference = world.exposure - world.targets().dense(30)
    values = (difference**2).mean(axis=1)
    reach = stats.t.ppf(0.975, 49) * values.std(ddof=1) / np.sqrt(50)
    found = intervals(world.evidence("listed"))["II"]
    assert found == pytest.approx((values.mean() - reach, values.mean() + reach))


def test_a_system_that_gives_the_target_has_an_interval_at_zero():
    world = make_world()
    target = world.targets()
    evidence = Evidence.empty(world.items, 3, **BLOCKS)
    evidence.add(dense_rows(target.dense(30), target), world.user_groups, world.blocks)
    for bounds in intervals(evidence).values():
        assert bounds == pytest.approx((0, 0), abs=1e-25)


def test_a_group_of_three_users_leaves_only_what_needs_no_groups():
    world = make_world(users=20)
    world.user_groups[:] = [0] * 17 + [1] * 3
    found = intervals(world.evidence())
    assert found["GI"] is found["GG"] is None
    assert None not in (found["II"], found["IG"], found["AI"], found["AG"])


@given(st.lists(st.integers(0, 3), min_size=1, max_size=200), st.integers(4, 30), st.integers(4, 30))
def test_blocks_are_as_even_as_can_be(groups, overall, within):
    codes = np.array(groups)
    found = assign_blocks(codes, overall, within, seed=1)
    assert found.of_all.max() < overall
    assert np.ptp(np.bincount(found.of_all)) <= 1
    for group in set(groups):
        own = found.of_group[codes == group]
        assert own.max() < within
        assert np.ptp(np.bincount(own)) <= 1


def test_published_measures_do_not_depend_on_the_blocks():
    world = make_world()
    evidence = Evidence.empty(world.items, 3)
    evidence.add(world.listed(), world.user_groups, assign_blocks(world.user_groups, seed=99))
    for name, measure in measures(world.evidence()).items():
        assert measures(evidence)[name].fairness == pytest.approx(measure.fairness)
