"""Simulated audits and plans: their bookkeeping, and what makes audits longer or dearer."""

from __future__ import annotations

import numpy as np
import pytest

import evenhand as eh
from evenhand.envy import plan, simulate

MEANS = [0.6, 0.3, 0.2]


@pytest.mark.parametrize("bound", ["mixture", "lil"])
@pytest.mark.parametrize("missing", [0.0, 0.25])
def test_costs_and_durations_follow_from_the_pulls(bound, missing):
    found = simulate(MEANS, 20, epsilon=0.3, bound=bound, missing=missing, delay="random", longest=3)
    assert (found.durations == found.pulls.sum(axis=1)).all()
    # What the user lost, reported or not.
    assert found.costs == pytest.approx(found.pulls @ (0.6 - np.array(MEANS)))
    assert len(found.durations) == len(found.costs) == len(found.outcomes) == 20
    assert set(found.outcomes) == {"no_envy"}
    assert found.share("no_envy") == 1


def test_the_margin_is_the_least_over_all_steps():
    """All means are 0 but the user's own: the margin falls with every exploring pull."""
    found = simulate([0.5, 0.0], 20, alpha=0.2, epsilon=0.3)
    after_all = found.pulls @ np.array([0.5, 0.0]) - 0.8 * found.durations * 0.5
    assert (found.margins <= after_all + 1e-9).all()
    assert found.held.all()


def test_the_same_seed_gives_the_same_runs_and_another_does_not():
    one, two, other = (simulate(MEANS, 10, choice="uniform", rng=seed) for seed in (1, 1, 2))
    assert (one.durations == two.durations).all()
    assert (one.durations != other.durations).any()
    assert one.seed == 1


def test_a_simulation_is_shown_as_a_summary():
    shown = repr(simulate(MEANS, 10, epsilon=0.3, rng=3))
    assert shown.startswith(
        "<Simulation of 10 audits: envy 0%, no_envy 100%, inconclusive 0%; median duration"
    )
    assert shown.endswith("seed 3>")


def test_the_front_door_has_it():
    found = eh.envy.simulate([0.6, 0.3, 0.3], runs=5, epsilon=0.05, delta=0.05, alpha=0.2, rng=0)
    assert set(found.outcomes) == {"no_envy"}


def test_envy_costs_less_than_nothing():
    found = simulate([0.3, 0.8, 0.3], 20)
    assert set(found.outcomes) == {"envy"}
    assert found.costs.mean() < 0


def test_mixture_and_adaptive_audits_are_several_times_shorter():
    for means in ([0.6, *[0.3] * 9], [0.3, 0.6, *[0.3] * 8]):
        published = simulate(means, 10, alpha=0.2, bound="lil", choice="uniform")
        ours = simulate(means, 10, alpha=0.2)
        assert np.median(published.durations) > 6 * np.median(ours.durations)
        assert abs(published.costs.mean()) > abs(ours.costs.mean())


def test_a_budget_ends_runs_without_an_outcome():
    found = simulate([0.5, 0.5], 10, budget=100)
    assert set(found.outcomes) == {"inconclusive"}
    assert (found.durations == 100).all()


def test_certain_rewards_need_no_special_case():
    assert set(simulate([1.0, 0.0], 3, alpha=0.5).outcomes) == {"no_envy"}
    assert set(simulate([0.0, 1.0], 3, alpha=0.5).outcomes) == {"envy"}
    assert set(simulate([0.0, 0.0], 3, alpha=0.5, rewards="beta").outcomes) == {"no_envy"}


def test_a_stricter_plan_is_longer_and_cheaper():
    strict, free = plan(0.6, [-0.3, -0.3, -0.4], alpha=(0.02, 0.4), runs=40)
    assert strict.duration > 3 * free.duration
    assert strict.cost < free.cost
    assert strict.own_share > free.own_share
    assert strict.duration <= strict.duration_90
    assert strict.outcomes == {"envy": 0, "no_envy": 1, "inconclusive": 0}


def test_smaller_gaps_take_longer():
    near, far = (plan(0.5, [gap], alpha=0.3, runs=20)[0].duration for gap in (-0.05, -0.3))
    assert near > 3 * far
