"""Assignments that were never shown: no steps, offered again, and counted by policy."""

from __future__ import annotations

import numpy as np
import pytest

from evenhand import InputError
from evenhand.envy import Auditor, certificate


def test_a_withdrawn_place_is_offered_again_before_anything_else():
    auditor = Auditor(3, alpha=0.5, rng=1)
    while True:  # a block of several steps
        first = auditor.assign(deadline=9)
        if auditor.design.offered:
            break
    block = auditor.design.blocks[-1]
    rest = [auditor.assign(deadline=9) for _ in range(len(block.order) - 1)]
    later = auditor.assign(deadline=9)
    assert auditor.design.places[later.id][0] == block.number + 1
    step, arms = auditor.step, list(auditor.assigned)
    auditor.withdraw(first.id)
    auditor.withdraw(rest[-1].id)
    assert auditor.step == step - 2
    again = [auditor.assign(deadline=9) for _ in range(2)]
    assert [one.arm for one in again] == [first.arm, rest[-1].arm]
    assert min(one.id for one in again) > later.id  # numbers are never used again
    assert (auditor.step, auditor.assigned) == (step, arms)
    for one in (first, rest[-1]):
        assert auditor.report(one.id, 1.0) is False
        with pytest.raises(InputError, match="was settled or withdrawn already"):
            auditor.withdraw(one.id)


def test_a_withdrawal_is_no_evidence_about_rewards():
    """With every place withdrawn twice before it is shown, the audit is the same."""
    plain, tried = Auditor(3, alpha=0.5, epsilon=0.3, rng=3), Auditor(3, alpha=0.5, epsilon=0.3, rng=3)
    rng = np.random.default_rng(5)
    while plain.outcome is None:
        one = plain.assign(deadline=1)
        reward = float(rng.random() < (0.6 if one.arm == 0 else 0.3))
        plain.report(one.id, reward)
        for _ in range(2):
            other = tried.assign(deadline=1)
            assert other.arm == one.arm
            tried.withdraw(other.id)
        tried.report(tried.assign(deadline=1).id, reward)
    assert (tried.outcome, tried.step, tried.intervals) == (plain.outcome, plain.step, plain.intervals)
    arms = certificate(tried)["arms"]
    assert [arm["withdrawn"] for arm in arms] == [2 * arm["assigned"] for arm in arms]


def lived(seed: int, own: float, other: float, **options) -> Auditor:
    """Policies are equal; these shares of what is assigned are never shown."""
    auditor = Auditor(2, epsilon=0.2, alpha=0.5, budget=6_000, rng=seed, **options)
    rng = np.random.default_rng([seed, 1])
    while auditor.outcome is None:
        one = auditor.assign(deadline=1)
        if rng.random() < (own if one.arm == 0 else other):
            auditor.withdraw(one.id)
        else:
            auditor.report(one.id, float(rng.random() < 0.5))
    return auditor


@pytest.mark.parametrize("unreported", ["compare", "worst"])
def test_unequal_shares_of_withdrawn_places_end_the_audit(unreported):
    for seed in range(3):
        auditor = lived(seed, 0.02, 0.6, unreported=unreported)
        assert auditor.outcome == "inconclusive"
        assert auditor.reason.startswith("Assignments are withdrawn in other shares under different policies")
        assert certificate(auditor)["warnings"] == [
            "Assignments seem to be withdrawn in other shares under different policies; while that is so "
            "nothing is claimed."
        ]


def test_equal_shares_do_not():
    found = [lived(seed, 0.3, 0.3) for seed in range(12)]
    assert sum(auditor.outcome == "inconclusive" for auditor in found) == 0


def test_the_unpaired_design_refuses():
    auditor = Auditor(2, design="unpaired", rng=0)
    pull = auditor.assign(deadline=3)
    before, log = auditor.to_dict(), []
    auditor.listener = log.append
    with pytest.raises(InputError, match=r"^The unpaired design cannot take an assignment back"):
        auditor.withdraw(pull.id)
    assert (auditor.to_dict(), log) == (before, [])
