"""The tests of a direction: what is there passes, noise does not, and Beattie's own alarm on it."""

import numpy as np
import pytest

from association.worlds import planted, unit
from evenhand.association.directions.existence import by_permutation, crossfit, insample
from evenhand.association.directions.fits import fit_of, holistic_fit

NAMES = ("a", "b")


def sets(strength, *sizes, **more):
    a, b, _ = planted(strength, *sizes, **more)
    return np.concatenate([a, b]), np.repeat([0, 1], [len(a), len(b)])


@pytest.mark.parametrize("method", ["centroid", "svc", "most_biased_svc"])
@pytest.mark.parametrize("way", [crossfit, by_permutation])
def test_a_planted_direction_passes_all_tests(method, way):
    vectors, codes = sets(0.5)
    options = {"permutations": 99} if way is by_permutation else {}
    found = way(vectors, codes, NAMES, fit_of(method), **options)
    assert len(found.names) == 2
    assert all(found.required)
    # Holm's smallest possible value with 99 shuffles is 2 / 100.
    assert found.p_value <= 0.02
    if way is by_permutation:  # the data are one of the shuffles, so that no p-value is 0
        assert found.p_values == pytest.approx([0.01, 0.01])


def test_holm_is_taken_over_all_tests_and_the_largest_counts():
    vectors, codes = sets(0.1)
    found = crossfit(vectors, codes, NAMES, fit_of("centroid"))
    assert found.p_value == found.adjusted.max() >= found.p_values.max()


@pytest.mark.parametrize("offset", [0, 3])
def test_noise_does_not_pass_wherever_the_cloud_lies(offset):
    passed = 0
    for seed in range(40):
        vectors, codes = sets(0, 300, 120, 32, seed=seed)
        scale = np.linspace(0.3, 2, 32)
        passed += (
            crossfit(vectors * scale + offset, codes, NAMES, fit_of("centroid"), seed=seed).adjusted.min()
            <= 0.05
        )
    assert passed <= 5


def test_the_tests_of_the_source_alarm_on_noise():
    t = []
    for seed in range(20):
        vectors, codes = sets(0, 1_000, 400, 64, seed=seed)
        found = insample(vectors, codes, NAMES, fit_of("centroid"), seed=seed)
        t.append(found.statistics[0])
        assert found.p_values[0] < 1e-6
    assert 7 < np.median(t) < 9  # about the root of the number of dimensions


def test_separation_is_that_of_entities_that_had_no_part():
    vectors, codes = sets(0, 400, 400, 64)
    noise = crossfit(vectors, codes, NAMES, fit_of("centroid")).separation
    assert abs(noise.estimate) < 3 * noise.error
    vectors, codes = sets(1.0, 2_000, 2_000, 4)
    found = crossfit(vectors, codes, NAMES, fit_of("centroid")).separation
    assert found.estimate > 1.2


def test_a_holistic_direction_of_an_ordered_attribute_passes_and_that_of_noise_does_not():
    rng = np.random.default_rng(0)
    line = unit(rng.normal(size=16))
    codes = np.repeat([0, 1, 2], 200)
    noise = rng.normal(size=(600, 16))
    fit, names = holistic_fit(fit_of("centroid")), ("young", "middle", "old")
    found = crossfit(noise + (codes - 1)[:, None] * line, codes, names, fit)
    assert found.p_value < 0.001
    assert found.required == (True, True) + (False,) * 6
    assert crossfit(noise, codes, names, fit).p_value > 0.05
    other = crossfit(noise + (codes - 1)[:, None] * line, codes, names, fit, against=line)
    assert other.p_value > 0.05  # it does no better than the direction that is the very same
    across = unit(rng.normal(size=16) * (np.abs(line) < 0.2))
    assert crossfit(noise + (codes - 1)[:, None] * line, codes, names, fit, against=across).p_value < 0.01


def test_the_same_seed_gives_the_same_answer():
    vectors, codes = sets(0.1)
    one, two = (crossfit(vectors, codes, NAMES, fit_of("svc"), seed=3) for _ in range(2))
    np.testing.assert_array_equal(one.p_values, two.p_values)
    assert not np.array_equal(one.p_values, crossfit(vectors, codes, NAMES, fit_of("svc"), seed=4).p_values)
