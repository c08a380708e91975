"""Which groups go with a score: the regression by its formulas, and a tree that gives noise nothing."""

import numpy as np
import pytest

from evenhand.association.flagging import correlations, regression, tree
from evenhand.association.memberships import pair_weights


@pytest.fixture
def groups():
    rng = np.random.default_rng(0)
    member = rng.random((600, 4)) < [0.5, 0.3, 0.4, 0.2]
    member[:, 3] |= member[:, 1] & (rng.random(600) < 0.7)
    scores = 0.5 * member[:, 0] - 0.3 * member[:, 1] + 0.2 * rng.normal(size=600) * (1 + member[:, 0])
    return scores, member, ("w", "x", "y", "z")


def test_coefficients_errors_and_inflation_are_those_of_the_textbook(groups):
    scores, member, names = groups
    found = regression(scores, member, names)
    design = np.column_stack([np.ones(600), member]).astype(float)
    known = np.linalg.lstsq(design, scores, rcond=None)[0]
    np.testing.assert_allclose(found.coefficients, known)
    # HC3 by leaving out one item at a time: nearly the jackknife.
    left = np.array(
        [np.linalg.lstsq(np.delete(design, i, 0), np.delete(scores, i), rcond=None)[0] for i in range(600)]
    )
    jackknife = (left - known).T @ (left - known)
    np.testing.assert_allclose(found.covariance, jackknife, rtol=1e-6, atol=1e-12)
    for place in range(4):
        others = np.delete(design, place + 1, 1)
        fitted = others @ np.linalg.lstsq(others, design[:, place + 1], rcond=None)[0]
        share = 1 - ((design[:, place + 1] - fitted) ** 2).sum() / (600 * design[:, place + 1].var())
        assert found.inflation[place] == pytest.approx(1 / (1 - share))


def test_the_table_flags_what_was_planted(groups):
    table = regression(*groups).table()
    assert (table.loc[["w", "x"], "adjusted"] < 0.001).all()
    assert (table.loc[["y", "z"], "adjusted"] > 0.05).all()


def test_the_weights_of_a_pair_give_the_difference_of_its_coefficients(groups):
    scores, member, names = groups
    difference, error, _ = regression(scores, member, names).difference(0, 1)
    assert pair_weights(member, 0, 1) @ scores == pytest.approx(difference)
    assert difference == pytest.approx(0.8, abs=4 * error)


def test_groups_that_determine_each_other_are_not_regressed():
    member = np.random.default_rng(1).random((50, 2)) < 0.5
    member = np.column_stack([member, ~member[:, 0]])
    assert regression(np.arange(50.0), member, ("x", "y", "z")) is None
    assert regression(np.arange(50.0), np.ones((50, 1), dtype=bool), ("x",)) is None


def test_correlations_have_the_score_last(groups):
    table = correlations(*groups)
    assert list(table) == ["w", "x", "y", "z", "score"]
    assert table.loc["x", "z"] > 0.5


def test_the_tree_finds_what_was_planted_and_gives_noise_nothing(groups):
    found = tree(*groups)
    assert list(found.importance.index[:2]) == ["w", "x"]
    assert found.r_squared > 0.3
    _, member, names = groups
    noise = tree(np.random.default_rng(2).normal(size=600), member, names)
    assert noise.importance.abs().max() < 0.1
