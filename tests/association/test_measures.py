"""EAA, GEAA, DEAA, R-RIPA: the identities, the definitions, and the tests behind them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import evenhand as eh
from association.worlds import planted, unit
from evenhand.association import deaa, eaa, geaa, r_ripa, uncertainty
from evenhand.association.directions.fits import fit_of, made


def cosine(x, y):
    return x @ y / np.linalg.norm(x) / np.linalg.norm(y)


def double_sum(items, a, b):
    """Beattie (2023), Eq. 5.1, one pair at a time."""
    return np.array(
        [np.mean([cosine(item, x) for x in a]) - np.mean([cosine(item, y) for y in b]) for item in items]
    )


def some(*sizes, dimensions=5, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=(size, dimensions)) + 0.3 * place for place, size in enumerate(sizes)]


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 1_000), st.integers(1, 8), st.integers(1, 8), st.integers(1, 8), st.integers(1, 6))
def test_eaa_by_the_identity_is_the_double_sum(seed, items, first, second, dimensions):
    e, a, b = some(items, first, second, dimensions=dimensions, seed=seed)
    np.testing.assert_allclose(eaa(e, a, b), double_sum(e, a, b), atol=1e-12)


def test_eaa_in_single_precision_and_over_many_blocks():
    e, a, b = some(70_000, 40, 30)
    found = eh.association.eaa(e.astype(np.float32), a.astype(np.float32), b.astype(np.float32))
    np.testing.assert_allclose(found[-5:], double_sum(e[-5:], a, b), atol=1e-6)
    assert found.dtype == np.float64


def test_geaa_is_the_mean_of_eaa_and_the_sum_on_request():
    e, a, b = some(20, 30, 25)
    scores = double_sum(e, a, b)
    assert geaa(e, a, b).estimate == pytest.approx(scores.mean())
    total = geaa(e, a, b, aggregate="sum")
    assert total.estimate == pytest.approx(scores.sum())
    assert total.interval.high - total.estimate == pytest.approx(
        20 * (geaa(e, a, b).interval.high - scores.mean())
    )


def test_the_test_of_geaa_shuffles_the_attribute():
    e, a, b = some(6, 4, 4, dimensions=3)
    found = geaa(e, a, b, permutations=100)
    assert found.exact
    people = np.concatenate([a, b])
    from itertools import combinations

    def t(chosen):
        mine = np.isin(np.arange(8), chosen)
        cosines = np.array([np.mean([cosine(person, item) for item in e]) for person in people])
        return abs(stats.ttest_ind(cosines[mine], cosines[~mine], equal_var=False).statistic)

    reached = [t(chosen) >= t(range(4)) * (1 - 1e-9) for chosen in combinations(range(8), 4)]
    assert found.p_value == pytest.approx(np.mean(reached))


def test_deaa_is_the_difference_of_means_with_the_effect_size_of_the_source():
    e, p, a, b = some(12, 30, 25, 40)
    ours, theirs = double_sum(e, a, b), double_sum(p, a, b)
    found = deaa(e, p, a, b)
    assert found.estimate == pytest.approx(ours.mean() - theirs.mean())
    assert found.effect == pytest.approx(found.estimate / np.concatenate([ours, theirs]).std())
    sums = deaa(e, p, a, b, aggregate="sum")
    assert sums.estimate == pytest.approx(ours.sum() - theirs.sum())
    # Centred at its mean over permutations, the sum is a multiple of the difference of means: one test.
    assert sums.p_items == found.p_items


def test_the_rank_sum_option_is_that_of_scipy():
    e, p, a, b = some(12, 30, 25, 40)
    known = stats.mannwhitneyu(double_sum(e, a, b), double_sum(p, a, b)).pvalue
    assert deaa(e, p, a, b, test="rank_sum").p_items == pytest.approx(known)


def test_r_ripa_is_the_mean_cosine():
    e, p = some(12, 30)
    line = np.array([1.0, 2, 0, 0, -1])
    ours, theirs = ([cosine(row, line) for row in part] for part in (e, p))
    assert r_ripa(e, line).estimate == pytest.approx(np.mean(ours))
    both = r_ripa(e, 7 * line, p)
    assert both.estimate == pytest.approx(np.mean(ours) - np.mean(theirs))
    assert both.effect == pytest.approx(both.estimate / np.std([*ours, *theirs]))


def test_users_may_be_tested_against_items():
    a, b, direction = planted(1.0)
    users = np.random.default_rng(1).normal(size=(50, 16)) + direction
    assert geaa(users, a, b).p_value < 0.001


def test_without_a_difference_p_values_are_uniform_also_for_unequal_sets():
    rng = np.random.default_rng(2)
    p = []
    for run in range(200):
        pool, a, b = rng.normal(size=(560, 8)), rng.normal(size=(40, 8)), rng.normal(size=(30, 8)) + 0.5
        p.append(deaa(pool[:500], pool[500:], a, b, permutations=99, rng=run).p_items)
    assert stats.kstest(p, "uniform").statistic < 1.63 / np.sqrt(200) + 1 / 100


def test_clusters_of_items_alarm_for_an_attribute_of_noise_unless_the_attribute_is_shuffled_too():
    rng = np.random.default_rng(3)
    by_items = by_attribute = 0
    for run in range(60):
        a, b = rng.normal(size=(200, 32)), rng.normal(size=(100, 32))
        e, p = (rng.normal(size=(150, 32)) + 0.3 * rng.normal(size=32) for _ in range(2))
        found = deaa(e, p, a, b, permutations=99, rng=run)
        by_items += found.p_items <= 0.05
        by_attribute += found.p_value <= 0.05
    assert by_items >= 30
    assert by_attribute <= 8


def test_a_single_item_has_an_estimate_and_no_interval():
    e, p, a, b = some(1, 30, 25, 40)
    assert deaa(e, p, a, b).interval is None
    assert np.isfinite(deaa(e, p, a, b).p_items)
    assert r_ripa(unit(e[0])[None, :], np.ones(5)).interval is None


def test_a_direction_of_a_rare_value_is_known_to_as_many_degrees_as_users_have_it():
    users, codes = np.random.default_rng(0).normal(size=(60, 3)), np.repeat([0, 1], [5, 55])
    fit = fit_of("centroid")
    direction = made(fit, users, codes, np.random.default_rng(0))
    assert uncertainty.of_refits(uncertainty.refitted(users, codes, fit, direction, 0) @ direction).df == 4
    common = np.repeat([0, 1], 30)
    assert len(uncertainty.refitted(users, common, fit, direction, 0)) == 20
