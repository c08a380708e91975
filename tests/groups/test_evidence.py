"""Moments of groups are those of their users, whatever cells they are made of."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.groups.cells import Cells, every_cell, every_combination
from evenhand.groups.evidence import Moments, cell_moments, group_moments

WORDS = (("F", "M"), ("young", "mid", "old"))


@st.composite
def people(draw, fewest: int = 1):
    """Codes of two attributes, and a value for each user, some of them far from 0."""
    count = draw(st.integers(fewest, 40))
    codes = [[draw(st.integers(0, len(words) - 1)) for _ in range(count)] for words in WORDS]
    centre = draw(st.sampled_from([0.0, 1e6]))
    values = [centre + draw(st.floats(-1, 1, width=32)) for _ in range(count)]
    return np.array(codes), np.array(values)


def cells_of(codes: np.ndarray, chosen: np.ndarray | None = None) -> Cells:
    codes = codes if chosen is None else codes[:, chosen]
    return Cells.of(["gender", "age"], WORDS, list(codes))


def moments_of(values: np.ndarray) -> Moments:
    one = Cells.of(["all"], [["all"]], [np.zeros(len(values), dtype=int)])
    return cell_moments(one, values)


def check(moments: Moments, values: np.ndarray) -> None:
    """Against NumPy; errors of rounding are relative to the values, of squares to their spread."""
    assert moments.n == len(values)
    assert moments.mean == pytest.approx(values.mean(), rel=1e-12, abs=1e-12)
    assert moments.squares == pytest.approx(((values - values.mean()) ** 2).sum(), rel=1e-6, abs=1e-7)
    if len(values) > 1:
        assert moments.variance == pytest.approx(values.var(ddof=1), rel=1e-6, abs=1e-7)
    else:
        assert np.isnan(moments.variance).all()


def test_small_differences_far_from_zero_do_not_cancel():
    values = 1e9 + np.array([0.0, 1.0, 2.0, 3.0])
    assert moments_of(values).variance.item() == pytest.approx(5 / 3, rel=1e-12)


@settings(max_examples=100, deadline=None)
@given(people(), st.integers(1, 4), st.data())
def test_moments_of_unions_are_those_of_their_users(world, least, data):
    codes, values = world
    cells = cells_of(codes)
    users = np.array([data.draw(st.booleans()) for _ in values], dtype=bool)
    for groups in (every_cell(cells, least), every_combination(cells, least, 2)):
        found = group_moments(groups, cell_moments(cells, values))
        some = group_moments(groups, cell_moments(cells, values, users))
        assert len(found.n) == len(groups)
        for g, wanted in enumerate(groups.codes):
            mine = np.all((wanted[:, None] < 0) | (codes == wanted[:, None]), axis=0)
            check(found.select(np.array(g)), values[mine])
            if (mine & users).any():
                check(some.select(np.array(g)), values[mine & users])
            else:
                assert some.n[g] == 0
