"""Audits of a whole system: how many users and arms, when it stops, and what it then says."""

from __future__ import annotations

import json

import numpy as np
import pytest

from evenhand import InputError
from evenhand.envy import (
    Auditor,
    SystemAudit,
    certificate,
    sample_sizes,
    save_certificate,
    simulate_system,
    verify,
    verify_files,
)
from evenhand.envy.online.certificates.certify import not_checked
from evenhand.envy.online.designs.rules import rules_for


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
    system = SystemAudit(["ann", "bob", "eve"], rng=0)
    assert system.arms == {
        "ann": ["ann", "bob", "eve"],
        "bob": ["bob", "ann", "eve"],
        "eve": ["eve", "ann", "bob"],
    }


def test_the_exact_criterion_takes_everybody():
    system = SystemAudit(range(100), criterion="exact", rng=0)
    assert len(system.audits) == 100
    assert all(len(arms) == 100 for arms in system.arms.values())
    assert {audit.settings.delta for audit in system.audits.values()} == {0.05}
    assert {audit.settings.users for audit in system.audits.values()} == {100}


def test_errors_are_shared_among_users_where_a_union_is_needed_and_only_there():
    alone, many = (rules_for(Auditor(9, design="unpaired", users=n, rng=0).settings) for n in (1, 41))
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
    system = run(SystemAudit(range(4), epsilon=0.3, alpha=0.5, rng=0), utilities(4, 0.8, 0.2))
    assert system.outcome == "no_envy"
    assert system.envious == []
    assert system.waiting == []


def test_the_first_envy_stops_everybody():
    true = utilities(4, 0.7, 0.5)
    true[2] = [0.9, 0.9, 0.1, 0.9]
    system = run(SystemAudit(range(4), epsilon=0.05, alpha=0.5, rng=0), true)
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
    system = run(SystemAudit(range(3), budget=10, rng=0), utilities(3, 0.8, 0.2))
    assert system.outcome == "inconclusive"


def test_late_rewards_of_a_system():
    system = SystemAudit(["ann", "bob"], rng=0)
    assignment, policy_of = system.assign("ann", deadline=5, version="1")
    assert policy_of == "ann"
    assert system.report("ann", assignment.id, 1.0, now=4)
    system.assign("bob", deadline=5)
    assert system.expire(now=6) == 1


def test_a_new_version_ends_the_whole_system():
    system = SystemAudit(range(14), rng=0)
    for user in system.waiting:
        if system.outcome is None:
            last = system.assign(user, version=f"v{user}", deadline=9)
    assert last[1] == 1  # their own
    assert system.outcome == "inconclusive"
    assert system.reason.startswith("The policies changed from version 'v0' to 'v1' after 1 steps")
    assert system.waiting == []
    with pytest.raises(InputError, match=r"^The audit of the system is over \(inconclusive\)"):
        system.assign(2, deadline=9)
    again = SystemAudit.from_dict(json.loads(json.dumps(system.to_dict())))
    assert (again.outcome, again.reason) == (system.outcome, system.reason)


def test_a_version_is_kept_for_users_who_had_none():
    system = SystemAudit(range(3), rng=0)
    system.assign(0, deadline=9)
    system.assign(1, version="a", deadline=9)
    system.assign(0, version="a", deadline=9)
    system = SystemAudit.from_dict(json.loads(json.dumps(system.to_dict())))
    system.assign(2, deadline=9)
    assert system.outcome is None
    system.assign(2, version="b", deadline=9)
    assert system.outcome == "inconclusive"


def test_when_one_users_audit_ends_undecided_the_others_may_still_find_envy():
    system = SystemAudit(range(3), budget=300, epsilon=0.05, alpha=0.5, rng=0)
    while 0 in system.waiting:
        system.observe(0, system.next(0), 0.5)
    assert system.audits[0].outcome == "inconclusive"
    assert system.outcome is None
    assert system.reason is None
    while system.outcome is None:
        policy_of = system.next(1)
        system.observe(1, policy_of, float(policy_of != 1))
    assert (system.outcome, system.envious, system.needs) == ("envy", [1], None)


def test_what_is_known_of_a_system():
    system = SystemAudit(range(3), budget=10, rng=0)
    assert (system.step, system.cost, system.reason) == (0, None, None)
    run(system, utilities(3, 0.8, 0.2))
    assert system.step == 30
    assert system.cost == pytest.approx(sum(audit.cost for audit in system.audits.values()))
    assert system.reason.startswith("The audits of 3 of 3 users ended without a decision; that of user 0: ")
    assert system.needs["users"] == [0, 1, 2]
    assert system.needs["steps"] > 30


def test_numpy_ids_are_kept_as_plain_ones():
    system = SystemAudit(np.arange(3), rng=0)
    policy_of = system.next(np.int64(1))
    assert type(policy_of) is int
    system.observe(np.int64(1), policy_of, 1.0)
    again = SystemAudit.from_dict(json.loads(json.dumps(system.to_dict())))
    assert again.to_dict() == system.to_dict()
    assert SystemAudit(np.array(["ann", "bob"]), rng=0).waiting == ["ann", "bob"]


def audited(users=range(4), own=0.8, **options):
    """A system's certificate and its log, both through JSON."""
    system = SystemAudit(users, **{"epsilon": 0.3, "alpha": 0.5, "rng": 2, **options})
    log: list = []
    system.listener = lambda user, event: log.append((user, event))
    run(system, utilities(len(users), own, 0.2))
    return json.loads(json.dumps(certificate(system))), json.loads(json.dumps(log))


FEW = {"gamma": 0.6, "lambda_": 0.9}  # draws 5 users of 20, and 7 policies for each


@pytest.mark.parametrize(
    ("options", "outcome"),
    [
        ({}, "no_envy"),
        ({"design": "unpaired"}, "no_envy"),
        ({"criterion": "exact", "choice": "uniform", "design": "unpaired"}, "no_envy"),
        ({"own": 0.0}, "envy"),
        ({"budget": 9}, "inconclusive"),
        ({"users": range(20), **FEW}, "no_envy"),
    ],
)
def test_a_systems_certificate_can_be_checked_with_its_log(options, outcome):
    document, log = audited(**options)
    assert (document["kind"], document["outcome"]) == ("envy of a system", outcome)
    assert document["events"]["count"] == len(log)
    assert document["duration"] == sum(row["duration"] for row in document["users"])
    found = verify(document, log)
    assert found.outcome == outcome
    unseeded = options == {"design": "unpaired"}  # everybody is drawn, and the choice draws nothing
    assert ("seed" in not_checked(found)) is unseeded
    assert ("users.policies_of" in not_checked(found)) is ("users" in options)  # where not all are drawn


def test_seeds_that_nobody_chose_cannot_be_tried_out():
    """Neither that of the system nor those of its users, of whom one who is drawn may see much. Seeds that
    are given make the audits that they always made."""
    system = SystemAudit(range(60))
    assert system.seed >= 2**127
    assert sum(one.seed >= 2**33 for one in system.audits.values()) > 0.9 * len(system.audits)
    again = SystemAudit(range(60), rng=system.seed)
    assert [one.seed for one in again.audits.values()] == [one.seed for one in system.audits.values()]
    assert SystemAudit.from_dict(json.loads(json.dumps(system.to_dict()))).seed == system.seed
    assert [one.seed for one in SystemAudit(["ann", "bob"], rng=0).audits.values()] == [
        3653403231,
        2735729615,
    ]


def test_names_of_users_who_were_not_drawn_are_in_no_log():
    document, log = audited(users=range(20), **FEW)
    drawn = {row["user"] for row in document["users"]}
    other = next(user for user in document["users"][0]["policies_of"] if user not in drawn)
    for row in document["users"]:
        row["policies_of"] = ["eve" if user == other else user for user in row["policies_of"]]
    assert "users.policies_of" in not_checked(verify(document, log))


def test_what_a_systems_certificate_says():
    document, _ = audited(users=range(20), **FEW)
    assert (document["population"], document["users_drawn"], document["arms_each"]) == (20, 5, 7)
    assert document["meaning"].startswith(
        "At most a share 0.9 of users would get more than 0.3 above their own"
    )
    assert all(row["policies_of"][0] == row["user"] for row in document["users"])
    assert audited(own=0.0)[0]["meaning"].startswith("User 2 would be better off with a policy tried")


def test_a_changed_certificate_or_log_of_a_system_is_found_out():
    document, log = audited(users=range(20), **FEW)
    with pytest.raises(InputError, match="not those that its seed draws"):
        verify({**document, "seed": 3}, log)
    with pytest.raises(InputError, match="as many users and policies as its settings draw"):
        verify({**document, "users": document["users"][1:]}, log)
    with pytest.raises(InputError, match="disagree about cost"):
        verify({**document, "cost": 0.0}, log)
    with pytest.raises(InputError, match="has the field 'signed'"):
        verify({**document, "signed": "me"}, log)
    with pytest.raises(InputError, match="disagree about outcome"):
        verify(document, log[:-2])
    with pytest.raises(InputError, match=r"^Event 1 of the log"):
        verify(document, [log[0][1], *log[1:]])
    by_user = sorted(log, key=lambda logged: logged[0])  # users share no order, and need none
    assert verify(document, by_user).outcome == document["outcome"]
    turned = [log[i] for i in (0, 1)]
    assert turned[0][0] == turned[1][0]
    with pytest.raises(InputError, match=r"^Event 1 of the log is not possible"):
        verify(document, [*turned[::-1], *log[2:]])
    with pytest.raises(InputError, match="not those that its seed draws"):
        verify({**document, "population": 10**15}, log)
    with pytest.raises(InputError, match="not a certificate"):
        verify({"schema": 1, "kind": "envy of a system", "settings": "none"}, log)


def test_the_certificate_of_a_version_change_holds():
    system, log = SystemAudit(range(3), rng=0), []
    system.listener = lambda user, event: log.append((user, event))
    first, _ = system.assign(0, version="a", deadline=9)
    system.assign(1, version="b", deadline=9)
    document = certificate(system)
    assert system.report(0, first.id, 1.0) is False
    assert system.expire(now=5) == 0
    assert certificate(system) == document
    assert document["reason"] == verify(document, log).reason


def test_a_systems_certificate_as_files(tmp_path):
    system, log = SystemAudit(["ann", "bob"], epsilon=0.3, alpha=0.5, rng=0), []
    system.listener = lambda user, event: log.append((user, event))
    while system.outcome is None:
        for user in system.waiting:
            policy_of = system.next(user)
            system.observe(user, policy_of, float(policy_of == user))
    found = verify_files(save_certificate(system, log, tmp_path))
    assert isinstance(found, SystemAudit)
    assert found.outcome == "no_envy"


def test_nothing_else_has_a_certificate():
    with pytest.raises(InputError, match=r"^A certificate is of an Auditor or a SystemAudit"):
        certificate({})


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
