"""Curves of disparity and relevance, by hand and by property."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.errors import InputError
from evenhand.exposure.curves import area, areas, kendall, normalised


def test_normalising_is_over_all_models():
    found = normalised({"a": [0, 1, 2], "b": [1, 4, 3]})
    np.testing.assert_allclose(found["a"], [0, 0.25, 0.5])
    np.testing.assert_allclose(found["b"], [0.25, 1, 0.75])
    np.testing.assert_array_equal(normalised({"a": [3, 3]})["a"], [0, 0])


def test_areas_by_hand():
    # A straight line from (0, 0) to (1, 1) has half of the square, up to .5 an eighth.
    line = np.linspace(0, 1, 5)
    assert area(line, line) == pytest.approx(0.5)
    assert area(line, line, until=0.5) == pytest.approx(0.125)
    assert area(line, line, until=0.3) == pytest.approx(0.045)  # between two points
    assert area(line[::-1], line[::-1]) == pytest.approx(0.5)  # any order of points
    assert area(line, line, until=7.0) == pytest.approx(0.5)


def test_the_common_area_ends_where_the_shortest_curve_does():
    disparity = {"short": [0, 0.25, 0.5], "long": [0, 0.5, 1]}
    relevance = {"short": [0, 0.5, 1], "long": [0, 0.5, 1]}
    found = areas(disparity, relevance)
    assert found["short"] == {"trapezoid": pytest.approx(0.25), "common": pytest.approx(0.25)}
    assert found["long"] == {"trapezoid": pytest.approx(0.5), "common": pytest.approx(0.125)}


@given(
    st.lists(st.integers(0, 100), min_size=2, max_size=9, unique=True), st.floats(-3, 3), st.floats(0.1, 5)
)
def test_areas_do_not_depend_on_units(x, shift, scale):
    x = np.sort(x) / 100
    y = x**2
    one = areas({"a": x}, {"a": y})
    other = areas({"a": shift + scale * x}, {"a": scale * y - shift})
    assert one["a"]["trapezoid"] == pytest.approx(other["a"]["trapezoid"], abs=1e-6)


def test_kendall_by_hand():
    # Of the three pairs, two agree and one does not: (2 - 1) / 3.
    found = kendall({"II": [1, 2, 3], "GG": [1, 3, 2], "AG": [5, 5, 5]})
    assert found[0, 1] == pytest.approx(1 / 3)
    assert np.isnan(found[0, 2])
    np.testing.assert_array_equal(np.diag(found), [1, 1, 1])


def test_too_few_points():
    with pytest.raises(InputError, match="a curve needs two points or more"):
        area(np.array([1.0]), np.array([1.0]))
    with pytest.raises(InputError, match="no values to normalise"):
        normalised({})
