"""What an audit in blocks has cost: all visits with others' policies count, whatever waits or is missing."""

from __future__ import annotations

import numpy as np
import pytest

from evenhand.envy import Auditor, SystemAudit, certificate, verify

OWN, OTHER = 0.9, 0.5


def shown(missing: float, waiting: float, steps: int = 2_000, seed: int = 1) -> Auditor:
    """Others are worse by .4; these shares of rewards are missing, or not there before the deadline."""
    auditor, rng = Auditor(4, alpha=0.9, epsilon=0.01, rng=seed), np.random.default_rng([seed, 2])
    for _ in range(steps):
        one = auditor.assign(deadline=9)
        drawn = rng.random()
        if drawn < missing:
            auditor.deliver({one.id: None})
        elif drawn > waiting + missing:
            auditor.report(one.id, OTHER if one.arm else OWN)
        if auditor.outcome is not None:
            break
    return auditor


def test_visits_whose_blocks_wait_for_a_reward_count_as_the_rest():
    auditor = shown(missing=0.0, waiting=0.1, steps=300)
    others, entered = sum(auditor.assigned[1:]), int(auditor.design.evidence.blocks[1:].sum())
    assert auditor.outcome is None
    assert auditor.cost == pytest.approx((OWN - OTHER) * others)
    assert 0 < auditor.design.not_compared < others - entered  # settled blocks that wait for others are known
    assert certificate(auditor)["not_compared"] == auditor.design.not_compared


def test_a_policy_without_a_settled_block_costs_as_much_as_the_others():
    auditor = Auditor(2, alpha=0.9, rng=1)
    while not (auditor.design.evidence.blocks[1:].any() and all(auditor.assigned[1:])):
        one = auditor.assign(deadline=9)
        if one.arm != 2 and 2 not in auditor.design.blocks[-1].order:
            auditor.report(one.id, 0.0 if one.arm else 1.0)
    assert auditor.design.evidence.blocks[2] == 0
    assert auditor.cost == pytest.approx(sum(auditor.assigned[1:]))


def test_before_anything_is_compared_nothing_is_known_but_that_the_own_cost_nothing():
    auditor = Auditor(1, alpha=0.9, rng=0)
    assert auditor.cost is None
    while not auditor.assigned[1]:
        one = auditor.assign(deadline=9)
        if not one.arm:
            auditor.report(one.id, 1.0)
            assert auditor.cost == (None if auditor.assigned[1] else 0.0)
    assert auditor.cost is None


@pytest.mark.parametrize("share", [0.05, 0.2])
def test_what_is_missing_does_not_make_an_audit_look_cheaper(share):
    audits = [shown(missing=share, waiting=0.0, seed=seed) for seed in range(40)]
    true = (OWN - OTHER) * sum(sum(auditor.assigned[1:]) for auditor in audits)
    assert sum(auditor.cost for auditor in audits) == pytest.approx(true, rel=0.02)


def test_a_system_costs_at_most_what_its_users_do_together():
    system, log = SystemAudit(["ann", "bob", "eve"], epsilon=0.3, alpha=0.9, rng=3), []
    system.listener = lambda user, event: log.append((user, event))
    rng = np.random.default_rng(0)
    while system.outcome is None:
        for user in system.waiting:
            policy_of = system.next(user)
            system.observe(user, policy_of, rng.random() < (0.8 if policy_of == user else 0.2))
    document = certificate(system)
    rows = document["users"]
    assert document["cost_at_most"] == pytest.approx(sum(row["cost_at_most"] for row in rows))
    assert all(row["cost_at_most"] > row["cost"] > 0 for row in rows)
    assert document["not_compared"] == sum(row["not_compared"] for row in rows)
    verify(document, log)
    unpaired = SystemAudit(["ann", "bob"], epsilon=0.3, design="unpaired", rng=3)
    assert "cost_at_most" not in certificate(unpaired)


def test_a_certificate_says_how_many_visits_its_cost_leaves_out():
    """Those that were withdrawn: if they were seen all the same, they cost more than `cost_at_most` says."""
    auditor, log = Auditor(2, alpha=0.9, epsilon=0.3, rng=2), []
    auditor.listener = log.append
    rng, left_out = np.random.default_rng(3), 0
    while auditor.outcome is None:
        one = auditor.assign(deadline=9)
        if log.count(["withdraw", one.id]) or rng.random() < 0.8 or not one.arm:
            auditor.deliver({one.id: OTHER if one.arm else OWN})
        else:
            auditor.withdraw(one.id)
            left_out += log[-1][0] == "withdraw"
    document = certificate(auditor)
    assert document["not_counted"] == left_out > 0
    verify(document, log)
    verify({name: value for name, value in document.items() if name != "not_counted"}, log)  # as it was said
    assert "not_counted" not in certificate(shown(missing=0.2, waiting=0.0, steps=50))
