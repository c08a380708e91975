"""E of counts of people in arms: its mean under the plan, exactly, and where two ways must agree."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from evenhand.stats.many_looks.sample_ratio import (
    log_e_value,
    log_e_value_of_parts,
    nearest_to_plan,
    p_value,
)


def test_the_mean_of_e_is_one_under_the_plan():
    """Over all counts of 12 people, each with its chance; of two parts, 12 and 7."""
    shares = np.array([[0.9, 0.1], [0.5, 0.5]])
    first, second = np.meshgrid(np.arange(13), np.arange(8), indexing="ij")
    counts = np.stack([np.stack([first, 12 - first], -1), np.stack([second, 7 - second], -1)], -2).astype(
        float
    )
    chance = stats.binom.pmf(first, 12, 0.9) * stats.binom.pmf(second, 7, 0.5)
    assert (chance * np.exp(log_e_value_of_parts(counts, shares))).sum() == pytest.approx(1)
    assert (chance * np.exp(log_e_value(counts, shares).sum(axis=-1))).sum() == pytest.approx(1)


def test_the_mean_is_one_for_three_arms():
    shares = np.array([[0.6, 0.3, 0.1]])
    every = np.array([(a, b, 9 - a - b) for a in range(10) for b in range(10 - a)], dtype=float)
    chance = stats.multinomial.pmf(every, 9, shares[0])
    assert (chance * np.exp(log_e_value_of_parts(every[:, None], shares))).sum() == pytest.approx(1)


@pytest.mark.parametrize("people", [200, 20_000, 2_000_000, 200_000_000])
def test_a_part_alone_says_what_the_dirichlet_prior_says(people):
    """Priors of nearly the same shape, whatever the number of people: the grid is fine enough."""
    share = 0.5 + np.array([0, 2, 4, 6]) * 0.5 / np.sqrt(people)
    counts = people * np.stack([share, 1 - share], -1)
    one = log_e_value(counts, np.array([0.5, 0.5]))
    same = log_e_value_of_parts(counts[:, None], np.array([[0.5, 0.5]]))
    assert same == pytest.approx(one, abs=0.3)


def test_parts_with_one_plan_are_one_part():
    counts = np.array([[30.0, 20.0, 10.0], [5.0, 6.0, 4.0]])
    shares = np.array([0.5, 0.3, 0.2])
    parts = log_e_value_of_parts(counts, np.array([shares, shares]))
    assert parts == pytest.approx(log_e_value_of_parts(counts.sum(axis=0)[None], shares[None]))


@pytest.mark.parametrize("seed", range(40))
def test_people_in_several_arms_are_where_the_plan_would_have_them(seed):
    """No other way of adding them to arms has a larger p-value."""
    rng = np.random.default_rng(seed)
    arms, more = rng.integers(2, 4), int(rng.integers(0, 7))
    shares = rng.dirichlet(np.full(arms, 3.0))
    counts = rng.multinomial(100, rng.dirichlet(np.full(arms, 20.0))).astype(float)
    nearest = nearest_to_plan(counts, shares, more)
    assert nearest.sum() == pytest.approx(counts.sum() + more)
    assert (nearest >= counts - 1e-9).all()
    ways = (way for way in product(range(more + 1), repeat=arms) if sum(way) == more)
    assert p_value(nearest, shares) >= max(p_value(counts + way, shares) for way in ways) - 1e-3
