"""Resampling at equal means: tables against plain Python, and what a resample must look like."""

import numba
import numpy as np
import pytest
from scipy.optimize import brentq

from evenhand.stats.means import equal_means
from evenhand.stats.means.permutation import END, SPREAD, STUDENTISED, Ends, Partition, shuffle


def partition_of(sizes) -> Partition:
    groups = np.arange(len(sizes) + 1)
    return Partition(np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64), groups, groups[:-1])


def chances_of(tables, cell: int) -> dict[float, float]:
    """How likely each value of a cell is, from its alias table."""
    offsets, stays, either = tables
    first, last = offsets[cell], offsets[cell + 1]
    found: dict[float, float] = {}
    for chance, values in zip(stays[first:last] / 2**32, either[first:last], strict=True):
        for value, part in zip(values.round(9).tolist(), (chance, 1 - chance), strict=True):
            found[value] = found.get(value, 0.0) + part / (last - first)
    return found


def plainly(values: np.ndarray, low: float, high: float) -> dict[float, float]:
    """The values with the weights exp(slope x) that have a mean of 0, the ends with a weight of END."""
    atoms = np.append(values, [low, high])
    weights = np.append(np.ones(len(values)), [END, END])

    def tilted(slope: float) -> np.ndarray:
        found = weights * np.exp(slope * atoms - (slope * atoms).max())
        return found / found.sum()

    chances = tilted(brentq(lambda slope: float(tilted(slope) @ atoms), -400, 400, xtol=1e-13))
    found: dict[float, float] = {}
    for value, chance in zip(atoms.round(9), chances, strict=True):
        found[float(value)] = found.get(float(value), 0.0) + float(chance)
    return found


some_values = pytest.mark.parametrize(
    "values",
    [[0.0] * 6, [0.0, 0.2, 0.0, 1.0], [0.3, 0.35, 0.4, 0.31], [1.0, 1.0], [0.05] * 3],
    ids=["no event", "few values", "all different", "all at the end", "one value inside"],
)


@some_values
def test_each_group_is_tilted_to_the_common_mean(values):
    centre = 0.1
    everybody = np.concatenate([values, [0.1, 0.2]]) - centre
    ends = Ends(-centre, 1 - centre)
    tables = equal_means._tables(everybody, np.array([0, len(values), len(everybody)]), ends, False)
    found, expected = chances_of(tables, 0), plainly(np.array(values) - centre, *ends)
    assert found.keys() == expected.keys()
    for value, chance in expected.items():
        assert found[value] == pytest.approx(chance, abs=1e-7)
    assert sum(value * chance for value, chance in found.items()) == pytest.approx(0, abs=1e-7)


@some_values
def test_or_has_as_many_users_at_an_end_as_it_lacks(values):
    centre = 0.1
    everybody = np.concatenate([values, [0.1, 0.2]]) - centre
    ends = Ends(-centre, 1 - centre)
    tables = equal_means._tables(everybody, np.array([0, len(values), len(everybody)]), ends, True)
    found = chances_of(tables, 0)
    own = np.array(values) - centre
    end = ends.high if own.mean() < 0 else ends.low
    share = own.mean() / (own.mean() - end)  # so that (1 - share) mean + share end = 0
    expected: dict[float, float] = {}
    for value, chance in [(end, share), *((v, (1 - share) / len(own)) for v in own)]:
        expected[round(float(value), 9)] = expected.get(round(float(value), 9), 0.0) + chance
    for value in found.keys() | expected.keys():
        assert found.get(value, 0.0) == pytest.approx(expected.get(value, 0.0), abs=1e-7)


def world(effect: float):
    rng = np.random.default_rng(4)
    sizes = (30, 40, 50, 60)
    values = np.clip(rng.normal(0.5, 0.1, sum(sizes)), 0, 1)
    values[:30] += effect
    return values, partition_of(sizes), (0.0, 1.0)


def test_resamples_have_equal_means_whatever_the_effect():
    for effect, small in ((0.0, False), (0.2, True)):
        data = world(effect)
        shuffles = shuffle(*data, most=500, seed=1)
        found = equal_means.bootstrap_at_equal_means(*data, shuffles, seed=1)
        for statistic in (STUDENTISED, SPREAD):
            assert (found.p_value(statistic) < 0.01) == small
        # Q is near a chi-square with 3 degrees of freedom.
        assert found.shuffled[:, SPREAD].mean() == pytest.approx(3, abs=0.8)


@pytest.mark.skipif(numba.config.NUMBA_NUM_THREADS < 2, reason="Numba was started with one thread")
def test_resamples_do_not_depend_on_the_threads():
    before, found = numba.get_num_threads(), []
    shuffles = shuffle(*world(0.1), most=200, seed=1)
    for threads in (1, 2):
        numba.set_num_threads(threads)
        found.append(equal_means.bootstrap_at_equal_means(*world(0.1), shuffles, seed=3).shuffled)
    numba.set_num_threads(before)
    np.testing.assert_array_equal(*found)
