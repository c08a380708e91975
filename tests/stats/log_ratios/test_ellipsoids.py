"""Lengths in an ellipsoid against a search over its surface."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.stats.log_ratios import ellipsoids


def searched(centre, shape, rng):
    """Least and greatest length among many points of the ellipsoid, its surface and its inside."""
    squares, axes = np.linalg.eigh(shape)
    z = rng.normal(size=(8_000, len(centre)))
    z /= np.linalg.norm(z, axis=1, keepdims=True)
    z[::2] *= rng.random((4_000, 1)) ** (1 / len(centre))
    points = centre + z * np.sqrt(np.clip(squares, 0, None)) @ axes.T
    lengths = np.linalg.norm(points, axis=1)
    return lengths.min(), lengths.max()


@settings(deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 4), st.sampled_from([0.1, 1.0, 5.0]))
def test_no_point_is_nearer_or_further_and_some_nearly_reach(seed, dimensions, size):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(dimensions, dimensions))
    shape, centre = size * root @ root.T, rng.normal(size=dimensions)
    low, high = ellipsoids.lengths(centre, shape)
    least, most = searched(centre, shape, rng)
    assert low <= least + 1e-9
    assert high >= most - 1e-9
    assert least - low <= 0.2 * high
    assert high - most <= 0.05 * high


def test_a_ball_a_point_and_a_centre_across_the_longest_axis():
    two = np.eye(2)
    for centre, shape, expected in (
        ([3.0, 4.0], 4 * two, (3, 7)),
        ([0.3, 0.4], two, (0, 1.5)),
        ([3.0, 4.0], 0 * two, (5, 5)),
    ):
        np.testing.assert_allclose(ellipsoids.lengths(np.array(centre), shape), expected, atol=1e-12)
    # Half-axes 1 and 3, centre 1 along the short one: the furthest point is off the axis.
    low, high = ellipsoids.lengths(np.array([1.0, 0.0]), np.diag([1.0, 9.0]))
    angle = np.linspace(0, np.pi, 100_001)
    assert low == pytest.approx(0, abs=1e-6)
    assert high == pytest.approx(np.hypot(1 + np.cos(angle), 3 * np.sin(angle)).max())


def test_batches_are_as_one_by_one():
    rng = np.random.default_rng(1)
    centres = rng.normal(size=(5, 7, 3))
    roots = rng.normal(size=(5, 7, 3, 3))
    shapes = roots @ np.swapaxes(roots, -1, -2)
    low, high = ellipsoids.lengths(centres, shapes)
    one = ellipsoids.lengths(centres[2, 4], shapes[2, 4])
    assert (low[2, 4], high[2, 4]) == pytest.approx(tuple(map(float, one)))


@settings(deadline=None)
@given(st.integers(0, 10_000))
def test_the_sum_of_two_is_inside(seed):
    rng = np.random.default_rng(seed)
    roots = rng.normal(size=(2, 3, 3)) * np.array([1.0, 0.1])[:, None, None]
    first, second = roots @ np.swapaxes(roots, -1, -2)
    around = ellipsoids.around_sum(first, second)
    w = rng.normal(size=(100, 3))
    reached = np.sqrt(np.einsum("ij,jk,ik->i", w, first, w)) + np.sqrt(np.einsum("ij,jk,ik->i", w, second, w))
    assert (np.sqrt(np.einsum("ij,jk,ik->i", w, around, w)) >= reached - 1e-9).all()
