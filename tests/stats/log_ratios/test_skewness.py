import numpy as np
import pytest
from scipy import stats

from evenhand.stats.log_ratios.skewness import reaches


def test_without_skewness_both_sides_are_alike():
    below, above = reaches(np.array([1.96, 3.2]), np.zeros(2))
    np.testing.assert_allclose(below, [1.96, 3.2])
    np.testing.assert_allclose(above, [1.96, 3.2])


@pytest.mark.parametrize("skewness", [-0.9, -0.2, -1e-5, 1e-5, 0.05, 0.9])
def test_it_is_the_root_of_its_formula(skewness):
    """r = T - s T^2/6 + s^2 T^3/36, of mean s/3, is -reach and reach at the ends."""
    below, above = reaches(np.array([3.2]), np.array([skewness]))
    for t, r in ((below[0], 3.2), (-above[0], -3.2)):
        assert t - skewness * t**2 / 6 + skewness**2 * t**3 / 36 == pytest.approx(r + skewness / 3, abs=1e-6)


def test_it_mirrors():
    below, above = reaches(3.2, np.array([0.2]))
    other_below, other_above = reaches(3.2, np.array([-0.2]))
    np.testing.assert_allclose([below, above], [other_above, other_below])
    assert below > 3.2 > above  # a count that is too large is further from the truth than one too small


@pytest.mark.parametrize("mean", [25, 60])
def test_the_tails_of_a_poisson_count(mean):
    """Probabilities to be missed on either side, by the law of the count itself."""
    counts = np.arange(1, 400)
    chances = stats.poisson.pmf(counts, mean)
    centre, error = np.log(counts) + 1 / (2 * counts), 1 / np.sqrt(counts)
    below, above = reaches(3.2, error)
    missed = [
        chances[centre - below * error > np.log(mean)].sum(),
        chances[centre + above * error < np.log(mean)].sum(),
    ]
    tail = stats.norm.sf(3.2)
    assert 0.4 * tail < min(missed)
    assert max(missed) < 1.4 * tail
    alike = [
        chances[centre - 3.2 * error > np.log(mean)].sum(),
        chances[centre + 3.2 * error < np.log(mean)].sum(),
    ]
    assert max(alike) > 1.9 * tail
    assert min(alike) < 0.3 * tail
