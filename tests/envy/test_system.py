"""Audits of a whole system: how many users and arms, when it stops, and what it then says."""

from __future__ import annotations

import json

import numpy as np
import pytest

from evenhand.envy import SystemAudit, sample_sizes, simulate_system
from evenhand.envy.online.rules import rules_for


def utilities(users: int, own: float, others: float, seed: int = 0):
    spread = np.random.default_rng(seed).uniform(-0.05, 0.05, (users, users))
    found = np.clip(others + spread, 0, 1)
    np.fill_diagonal(found, own)
    return found


def test_the_source_audits_41_users_against_75_policies():
    assert sample_sizes(delta=0.05, gamma=0.1, lambda_=0.1) == (41, 75)


def test_users_and_policies_are_drawn_without_repetition():
    system = SystemAudit(range(500), rng=3)
    assert len(system.audits) == 41
    for user, (own, *others) in system.arms.items():
        assert own == user
        assert len(set(others)) == 75
        assert user not in others
    assert SystemAudit(range(500), rng=3).arms == system.arms
    assert SystemAudit(range(500), rng=4).arms != system.arms


def test_a_small_system_is_audited_whole():
    system = SystemAudit(["ann", "bob", "eve"])
    assert system.arms == {
        "ann": ["ann", "bob", "eve"],
        "bob": ["bob", "ann", "eve"],
        "eve": ["eve", "ann", "bob"],
    }


def test_the_exact_criterion_takes_everybody():
    system = SystemAudit(range(100), criterion="exact")
    assert len(system.audits) == 100
    assert all(len(arms) == 100 for arms in system.arms.values())
    assert {audit.settings.delta for audit in system.audits.values()} == {0.05}
    assert {audit.settings.users for audit in system.audits.values()} == {100}


def test_errors_are_shared_among_users_where_a_union_is_needed_and_only_there():
    alone, many = (rules_for(9, 0.05, 0.05, 0.2, "mixture", "adaptive", None, 0.01, n) for n in (1, 41))
    assert (many.arm_upper, many.baseline_lower) == (alone.arm_upper, alone.baseline_lower)
    for name in ("arm_lower", "baseline_upper", "explored", "delta"):
        assert getattr(many, name) == pytest.approx(getattr(alone, name) / 41)
    # Whichever outcome is wrong, its bounds and the constraint's fail with at most delta.
    assert alone.arm_upper + alone.baseline_lower + alone.baseline_upper + alone.explored <= 0.05 + 1e-12
    assert 9 * alone.arm_lower + alone.baseline_upper + alone.explored <= 0.05 + 1e-12


def run(system: SystemAudit, true, seed: int = 0, save_every: int = 10**9) -> SystemAudit:
    rng = np.random.default_rng(seed)
    rounds = 0
    while system.outcome is None:
        rounds += 1
        for user in system.waiting:
            policy_of = system.next(user)
            system.observe(user, policy_of, float(rng.random() < true[user, policy_of]))
            if system.outcome is not None:
                break
        if rounds % save_every == 0:
            system = SystemAudit.from_dict(json.loads(json.dumps(system.to_dict())))
    return system


def test_without_envy_every_user_is_cleared():
    system = run(SystemAudit(range(4), epsilon=0.3, alpha=0.5), utilities(4, 0.8, 0.2))
    assert system.outcome == "no_envy"
    assert system.envious == []
    assert system.waiting == []


def test_the_first_envy_stops_everybody():
    true = utilities(4, 0.7, 0.5)
    true[2] = [0.9, 0.9, 0.1, 0.9]
    system = run(SystemAudit(range(4), epsilon=0.05, alpha=0.5), true)
    assert system.outcome == "envy"
    assert system.envious == [2]
    assert [audit.outcome for audit in system.audits.values()].count(None) == 3
    assert system.waiting == []


def test_a_saved_system_goes_on_as_if_nothing_happened():
    true = utilities(3, 0.8, 0.2)
    options = {"epsilon": 0.3, "alpha": 0.5, "choice": "uniform", "rng": 2}
    kept = run(SystemAudit(range(3), **options), true)
    saved = run(SystemAudit(range(3), **options), true, save_every=5)
    assert saved.to_dict() == kept.to_dict()


def test_a_budget_leaves_the_system_inconclusive():
    system = run(SystemAudit(range(3), budget=10), utilities(3, 0.8, 0.2))
    assert system.outcome == "inconclusive"


def test_late_rewards_of_a_system():
    system = SystemAudit(["ann", "bob"])
    assignment, policy_of = system.assign("ann", deadline=5, version="1")
    assert policy_of == "ann"
    assert system.report("ann", assignment.id, 1.0, now=4)
    system.assign("bob", deadline=5)
    assert system.expire(now=6) == 1


def test_simulated_systems_end_as_they_must():
    found = simulate_system(utilities(100, 0.8, 0.3), epsilon=0.2, alpha=0.5)
    assert found.outcome == "no_envy"
    assert len(found.users) == 41
    assert set(found.outcomes) == {"no_envy"}
    assert (found.costs > 0).all()
    envious = simulate_system(utilities(100, 0.2, 0.7), epsilon=0.2, alpha=0.5)
    assert envious.outcome == "envy"
    # Users take turns, a step each, until the first has envy.
    assert envious.durations.max() == envious.durations[envious.outcomes == "envy"].min()
    apart = simulate_system(utilities(100, 0.2, 0.7), epsilon=0.2, alpha=0.5, stop_at_envy=False)
    assert set(apart.outcomes) == {"envy"}
    assert apart.durations.min() == envious.durations.max()


def test_the_same_seed_simulates_the_same_system():
    one, two = (simulate_system(utilities(30, 0.7, 0.4), 0.2, rng=5) for _ in range(2))
    assert (one.durations == two.durations).all()
    assert (one.costs == two.costs).all()
