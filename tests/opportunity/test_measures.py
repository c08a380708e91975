"""Closed forms, and every derivative against finite differences."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from evenhand.opportunity import measures

utilities = arrays(float, st.integers(2, 9), elements=st.floats(0.05, 20))


def numeric_gradient(function, u, step=1e-6):
    """d f / d log u_k by central differences."""
    up = [function(u * np.exp(step * e)) for e in np.eye(len(u))]
    down = [function(u * np.exp(-step * e)) for e in np.eye(len(u))]
    return (np.array(up) - np.array(down)).T / (2 * step)


def test_example_3_1_of_the_source():
    """Dataset A is fair. In B half of what users like of group 1 is shown: 1/3 (2/3 as printed is a slip)."""
    assert measures.penalty(np.array([1.0, 1.0])) == 0
    assert measures.penalty(np.array([0.5, 1.0])) == pytest.approx(1 / 3)


def test_the_eighty_percent_rule_is_a_penalty_of_one_ninth_for_two_groups():
    assert measures.penalty(np.array([0.8, 1.0])) == pytest.approx(1 / 9)


def test_two_groups_have_a_penalty_of_tanh_of_half_the_log_ratio():
    assert measures.penalty(np.array([1.0, 3.0])) == pytest.approx(np.tanh(np.log(3) / 2))


@given(utilities, st.floats(1e-3, 1e3))
def test_rescaling_changes_nothing(u, scale):
    assert measures.relative_utilities(scale * u) == pytest.approx(measures.relative_utilities(u), abs=1e-12)
    assert measures.penalty(scale * u) == pytest.approx(measures.penalty(u), abs=1e-12)


@given(utilities, st.randoms(use_true_random=False))
def test_the_order_of_groups_changes_nothing(u, random):
    order = list(range(len(u)))
    random.shuffle(order)
    assert measures.penalty(u[order]) == pytest.approx(measures.penalty(u), abs=1e-12)
    assert measures.relative_utilities(u[order]) == pytest.approx(measures.relative_utilities(u)[order])


@given(utilities)
def test_the_penalty_is_the_root_mean_square_of_relative_utilities(u):
    d = measures.relative_utilities(u)
    assert d.sum() == pytest.approx(0, abs=1e-9)
    assert measures.penalty(u) == pytest.approx(np.sqrt((d**2).mean()), abs=1e-12)


def test_gradients_agree_with_finite_differences():
    u = np.array([0.4, 1.0, 2.5, 1.3])
    numeric = numeric_gradient(measures.penalty, u)
    assert measures.penalty_gradient(u) == pytest.approx(numeric, abs=1e-8)
    assert measures.penalty_gradient(u).sum() == pytest.approx(0, abs=1e-12)
    numeric = numeric_gradient(measures.relative_utilities, u)
    assert measures.relative_utility_jacobian(u) == pytest.approx(numeric, abs=1e-8)

    def logit_share(v):
        share = v / v.sum()
        return np.log(share / (1 - share))

    assert measures.logit_share_gradients(u) == pytest.approx(numeric_gradient(logit_share, u), abs=1e-8)


def test_the_gradient_at_equality_is_zero_by_convention():
    assert measures.penalty_gradient(np.ones(3)).tolist() == [0, 0, 0]


def test_correction_removes_what_noise_adds_on_average():
    rng = np.random.default_rng(5)
    truth, variance = np.array([0.7, 1.0, 1.1, 1.2]), np.diag([0.02, 0.005, 0.01, 0.015])
    noisy = truth * np.exp(rng.multivariate_normal(np.zeros(4), variance, size=20_000))
    squared = np.mean([measures.corrected_penalty(u, variance) ** 2 for u in noisy[:4_000]])
    plain = (measures.penalty(noisy) ** 2).mean()
    true = measures.penalty(truth) ** 2
    assert abs(squared - true) < 0.15 * (plain - true)


def test_a_penalty_below_its_noise_is_corrected_to_zero():
    assert measures.corrected_penalty(np.array([1.0, 1.01]), np.eye(2)) == 0
