"""The compiled audit takes the same decisions as the plain one, step by step."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envy.online.driver import follow, saved_and_loaded
from evenhand.envy import Auditor
from evenhand.envy.online.designs.block_kernel import run_block_audit
from evenhand.envy.online.designs.block_rules import block_rules_for
from evenhand.envy.online.designs.draws import key_of
from evenhand.envy.online.designs.kernel import empty_memory, run_audit
from evenhand.envy.online.designs.rules import rules_for
from evenhand.envy.online.simulated.simulation import WORDS
from evenhand.envy.online.simulated.worlds import STILL, World

WORLDS = {
    "0 or 1": World(),
    "beta": World(rewards=1),
    "late and missing": World(delay=1, longest=7, lost=0.1, own_lost=0.1),
    "bad late": World(rewards=1, delay=2, longest=20),
    "good late": World(delay=3, longest=5, lost=0.05, own_lost=0.05),
    "missing": World(lost=0.2, own_lost=0.2),
}
DESIGNS = {
    "blocks, adaptive": {"design": "blocks", "choice": "adaptive"},
    "blocks, uniform": {"design": "blocks", "choice": "uniform"},
    "blocks, worst": {"design": "blocks", "unreported": "worst"},
    "mixture, adaptive": {"design": "unpaired", "choice": "adaptive"},
    "mixture, uniform": {"design": "unpaired", "choice": "uniform"},
    "lil, adaptive": {"bound": "lil", "choice": "adaptive"},
    "lil, uniform": {"bound": "lil", "choice": "uniform"},
}


def both(means, world, seed, **options):
    """The plain auditor and its arms, the kernel's answer and its arms, on the same random numbers."""
    auditor = Auditor(len(means) - 1, rng=seed, **options)
    auditor, shown = follow(auditor, means, world, np.random.default_rng([seed, 7]))
    trace = np.full(len(shown) + 100, -1)
    true, key, rewards = np.array(means, dtype=float), key_of(seed), np.random.default_rng([seed, 7])
    if auditor.settings.design == "blocks":
        rules = block_rules_for(auditor.settings)
        answer = run_block_audit(true, rules, world, STILL, key, rewards, trace)
    else:
        unpaired = rules_for(auditor.settings)
        answer = run_audit(true, unpaired, world, STILL, key, rewards, empty_memory(), trace)
    return auditor, shown, answer, trace[trace >= 0].tolist()


@pytest.mark.parametrize(
    ("world", "budget"), [*((world, None) for world in WORLDS), ("late and missing", 150)]
)
@pytest.mark.parametrize("design", DESIGNS)
def test_every_decision_is_the_same(world, design, budget):
    options = {"epsilon": 0.3, "delta": 0.1, "alpha": 0.4, "budget": budget, **DESIGNS[design]}
    for seed, means in enumerate([(0.5, 0.1, 0.2, 0.3), (0.2, 0.7, 0.1, 0.6)]):
        auditor, shown, (code, duration, _, _, pulls), traced = both(means, WORLDS[world], seed, **options)
        assert traced == shown
        assert (WORDS[code], duration) == (auditor.outcome, auditor.step)
        assert pulls.tolist() == auditor.assigned


@settings(max_examples=25, deadline=None)
@given(
    means=st.lists(st.floats(0, 1), min_size=2, max_size=7),
    world=st.sampled_from(list(WORLDS.values())),
    design=st.sampled_from(list(DESIGNS.values())),
    alpha=st.sampled_from([0.05, 0.5, 1.0]),
    users=st.sampled_from([1, 41]),
    seed=st.integers(0, 1000),
)
def test_any_audit_is_the_same(means, world, design, alpha, users, seed):
    options = {"alpha": alpha, "users": users, "budget": 400, "epsilon": 0.2, **design}
    auditor, shown, (code, duration, *_), traced = both(means, world, seed, **options)
    assert traced == shown
    assert (WORDS[code], duration) == (auditor.outcome, auditor.step)


def test_unequal_shares_of_missing_rewards_are_found_by_both_at_the_same_step():
    for seed in range(3):
        world = World(delay=1, longest=9, lost=0.02, own_lost=0.4)
        auditor, shown, (code, duration, *_), traced = both((0.5, 0.5, 0.4), world, seed, alpha=0.5)
        assert traced == shown
        assert (WORDS[code], duration) == (auditor.outcome, auditor.step) == ("inconclusive", len(shown))
        assert auditor.reason.startswith("Rewards are missing in other shares under different policies (")


def test_policies_that_are_in_doubt_again_are_tried_again_by_both():
    world = World(rewards=1, delay=1, longest=30, lost=0.1, own_lost=0.1)
    options = {"epsilon": 0.4, "alpha": 0.4, "rng": 52}

    def watched(auditor):
        back.append(auditor.design.brought_back)
        return auditor

    means, back = (0.6, 0.5, 0.5, 0.5), []
    follow(Auditor(3, **options), means, world, np.random.default_rng([52, 7]), watched)
    assert any(back)
    for seed in (13, 52, 131):
        auditor, shown, (code, duration, *_), traced = both(means, world, seed, epsilon=0.4, alpha=0.4)
        assert traced == shown
        assert (WORDS[code], duration) == (auditor.outcome, auditor.step)


def test_drift_is_found_by_both_at_the_same_step():
    """A very sensitive test stops stationary rewards, too, now and then."""
    stopped = 0
    for seed in range(12):
        options = {"drift": 0.5, "budget": 2_500, "alpha": 0.9, "epsilon": 0.01, "design": "unpaired"}
        auditor, shown, (code, duration, *_), traced = both((0.5, 0.5), World(), seed, **options)
        assert traced == shown
        assert (WORDS[code], duration) == (auditor.outcome, auditor.step)
        stopped += auditor.step < 2_500 and "drift" in (auditor.reason or "")
    assert stopped > 0


@pytest.mark.parametrize("design", DESIGNS)
def test_saving_and_loading_at_every_step_changes_nothing(design):
    means, world = (0.5, 0.1, 0.4), WORLDS["late and missing"]
    options = {"epsilon": 0.4, "alpha": 0.5, "rng": 3, **DESIGNS[design]}
    kept, shown = follow(Auditor(2, **options), means, world, np.random.default_rng(1))
    loaded, again = follow(Auditor(2, **options), means, world, np.random.default_rng(1), saved_and_loaded)
    assert again == shown
    assert loaded.to_dict() == kept.to_dict()
