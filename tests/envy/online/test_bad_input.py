"""What an online audit refuses: one clear sentence each."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from evenhand import InputError
from evenhand.envy import (
    Auditor,
    SystemAudit,
    certificate,
    plan,
    sample_sizes,
    simulate,
    simulate_system,
    verify,
    verify_files,
)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"arms": 0}, "arms is 0, but must be a whole number from 1 to 1,000,000"),
        ({"arms": 2.5}, "arms is 2.5, but must be a whole number"),
        ({"epsilon": 0}, "epsilon is 0, but must be a finite number above 0 and below 1"),
        ({"epsilon": 1.1}, "epsilon is 1.1"),
        ({"epsilon": float("nan")}, "epsilon is nan"),
        ({"delta": 0}, "delta is 0, but must be"),
        ({"delta": 0.5}, "delta is 0.5, but must be a finite number above 0 and below 0.5: an"),
        ({"delta": 1}, "delta is 1, but must be"),
        ({"alpha": 0}, "alpha is 0, but must be a finite number above 0 and at most 1"),
        ({"alpha": -0.1}, "alpha is -0.1"),
        ({"alpha": 1.01}, "alpha is 1.01"),
        ({"bound": "mixtur"}, "bound is 'mixtur', but must be one of mixture, lil (did you mean 'mixture'?)"),
        ({"choice": "greedy"}, "choice is 'greedy', but must be one of adaptive, uniform."),
        ({"budget": 0}, "budget is 0, but must be a whole number from 1 to"),
        ({"rng": -1}, "rng (a seed or a NumPy Generator) is -1"),
        ({"drift": 0.9}, "drift is 0.9, but must be"),
        ({"users": 0}, "users is 0, but must be"),
        ({"design": "pairs"}, "design is 'pairs', but must be one of blocks, unpaired."),
        ({"design": "blocks", "bound": "lil"}, "bound is 'lil', that of the published algorithm, which has"),
        ({"unreported": "none"}, "unreported is 'none', but must be one of compare, worst."),
        ({"unreported": "worst", "design": "unpaired"}, "unreported is 'worst', but the unpaired design"),
    ],
)
def test_parameters(change, message):
    with pytest.raises(InputError, match="^" + re.escape(message)):
        Auditor(**{"arms": 2, **change})


@pytest.mark.parametrize("reward", [-0.1, 1.5, float("nan"), float("inf"), "1", None])
def test_rewards_outside_0_to_1(reward):
    auditor = Auditor(2, rng=0)
    auditor.next()
    with pytest.raises(InputError, match=r"^reward is .*, but must be a finite number from 0 to 1\.$"):
        auditor.observe(0, reward)
    auditor.observe(0, 1.0)  # nothing was lost


@pytest.mark.parametrize("arm", [3, -1, 0.0, "0", None])
def test_unknown_arms(arm):
    auditor = Auditor(2, rng=0)
    auditor.next()
    with pytest.raises(InputError, match=r"^arm is .*, but must be a whole number from 0 to 2\.$"):
        auditor.observe(arm, 1.0)


def test_observations_without_a_pull():
    auditor = Auditor(2, rng=0)
    with pytest.raises(InputError, match=r"^No pull of arm 0 is outstanding"):
        auditor.observe(0, 1.0)
    auditor.next()
    with pytest.raises(InputError, match=r"^No pull of arm 1 is outstanding"):
        auditor.observe(1, 1.0)
    auditor.observe(0, 1.0)
    with pytest.raises(InputError, match=r"^No pull of arm 0 is outstanding"):
        auditor.observe(0, 1.0)


def test_assignments_that_do_not_wait_for_a_reward():
    auditor = Auditor(2, rng=0)
    with pytest.raises(InputError, match=r"^Assignment 1 was never made"):
        auditor.report(1, 1.0)
    auditor.report(auditor.assign(deadline=9).id, 1.0)
    with pytest.raises(InputError, match=r"^Assignment 1 was settled or withdrawn already"):
        auditor.deliver({1: 1.0})
    with pytest.raises(InputError, match=r"^Assignment 1 was settled or withdrawn already"):
        auditor.withdraw(1)


def test_deadlines_and_versions():
    auditor = Auditor(2, rng=0)
    with pytest.raises(InputError, match=r"^deadline is nan, but must be a finite number"):
        auditor.assign(deadline=float("nan"))
    with pytest.raises(InputError, match=r"^version is 3, but must be text"):
        auditor.assign(version=3, deadline=9)
    with pytest.raises(InputError, match=r"^now is 'soon'"):
        auditor.expire("soon")
    assert auditor.step == 0


def test_a_delivery_with_one_bad_reward_enters_nothing():
    auditor = Auditor(2, rng=0)
    one, two = auditor.assign(deadline=9), auditor.assign(deadline=9)
    with pytest.raises(InputError, match="reward is 2"):
        auditor.deliver({one.id: 1.0, two.id: 2})
    assert len(auditor.outstanding) == 2


def test_after_the_end_nothing_is_assigned():
    auditor = Auditor(1, budget=1, rng=0)
    auditor.next()
    with pytest.raises(InputError, match=r"budget of 1 assignments is spent and 1 rewards are outstanding"):
        auditor.next()
    auditor.observe(0, 1.0)
    with pytest.raises(InputError, match=r"^The audit is over \(inconclusive\)"):
        auditor.next()


@pytest.mark.parametrize("state", [{}, {"state": 4}, {"state": 99}, None, []])
def test_states_that_are_none(state):
    with pytest.raises(InputError, match="state"):
        Auditor.from_dict(state)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"means": [0.5]}, "means needs at least two numbers"),
        ({"means": []}, "means needs at least two numbers"),
        ({"means": [0.5, 1.2]}, "means[1] is 1.2, but mean rewards are from 0 to 1"),
        ({"means": [float("nan"), 0.2]}, "means[0] is nan"),
        ({"means": ["a", 0.2]}, "means must be a list of numbers"),
        ({"runs": 0}, "runs is 0"),
        ({"rewards": "poisson"}, "rewards is 'poisson', but must be one of bernoulli, beta, mean."),
        ({"delay": "some"}, "delay is 'some'"),
        ({"longest": -1}, "longest is -1"),
        ({"delay": "random"}, "delay is 'random', but longest is 0, so that no reward would be late"),
        ({"missing": 1.5}, "missing is 1.5"),
        ({"own_missing": -1}, "own_missing is -1"),
        ({"levels": []}, "levels must be a list of finite numbers, one for each step."),
        ({"levels": "up"}, "levels must be a list of numbers"),
        ({"levels": [0.0, 0.6]}, "levels would bring a mean reward below 0 or above 1."),
        ({"concentration": 0}, "concentration is 0"),
    ],
)
def test_simulations(change, message):
    with pytest.raises(InputError, match="^" + re.escape(message)):
        simulate(**{"means": [0.5, 0.4], **change})


def test_plans():
    with pytest.raises(InputError, match=r"^gaps\[1\] is 0.6: with a baseline of 0.5"):
        plan(0.5, [0.1, 0.6])
    with pytest.raises(InputError, match=r"^baseline is 2"):
        plan(2, [0.1])
    with pytest.raises(InputError, match=r"^means needs at least two"):
        plan(0.5, [])


def test_systems():
    with pytest.raises(InputError, match=r"^A system of 1 users has no other"):
        SystemAudit(["ann"], rng=0)
    with pytest.raises(InputError, match=r"^users has the same user more than once"):
        SystemAudit(["ann", "ann", "bob"], rng=0)
    for user in ((1, 2), None, float("nan"), b"ann"):
        with pytest.raises(InputError, match=r"cannot be the id of a user: ids are text or finite numbers"):
            SystemAudit(["ann", user], rng=0)
    with pytest.raises(InputError, match=r"^criterion is 'all'"):
        SystemAudit(["ann", "bob"], criterion="all", rng=0)
    with pytest.raises(InputError, match=r"^gamma is 1, but must be below 1"):
        sample_sizes(gamma=1)
    system = SystemAudit(["ann", "bob"], rng=0)
    with pytest.raises(InputError, match=r"^User 'eve' is not among the 2 drawn"):
        system.next("eve")
    with pytest.raises(InputError, match=r"^The policy of 'eve' is not among those tried for user 'ann'"):
        system.observe("ann", "eve", 1.0)
    with pytest.raises(InputError, match="not the state"):
        SystemAudit.from_dict({})
    with pytest.raises(InputError, match="must be square"):
        simulate_system(np.ones((2, 3)))
    with pytest.raises(InputError, match="from 0 to 1"):
        simulate_system(np.full((2, 2), 3.0))


def some_state(design: str) -> dict:
    auditor = Auditor(2, rng=4, budget=1000, alpha=0.5, design=design)
    made = [auditor.assign(deadline=9) for _ in range(30)]
    for assignment in made[5:]:
        auditor.report(assignment.id, 0.5)
    return json.loads(json.dumps(auditor.to_dict()))


EITHER = [
    (("outcome",), "done"),
    (("step",), 31),
    (("step",), None),
    (("assigned",), [10, 20]),
    (("assigned", 1), -1),
    (("active",), [1, 3]),
    (("active",), []),
    (("settings", "arms"), 3),
    (("digest",), "x"),
    (("made",), 29),
    (("settings",), {"arms": 2}),
]
UNPAIRED = [
    (("arms", 1, "count"), -1),
    (("arms", 1, "total"), float("nan")),
    (("arms", 0, "high"), "1"),
    (("arms",), []),
    (("explored", "count"), 10**6),
    (("pending", "by_arm"), []),
    (("pending", "outstanding"), []),
    (("pending", "settled", 0, 1), 2.0),
    (("arms", 0), {}),
]
BLOCKS = [
    (("evidence", "blocks", 1), 10**6),
    (("evidence", "total", 1, 0), float("nan")),
    (("evidence", "envy", 1, 0, 0), -1.0),
    (("evidence", "clear"), []),
    (("evidence",), {}),
    (("ledger", 4), float("inf")),
    (("ledger",), []),
    (("begun",), [0]),
    (("reached",), {}),
    (("reached", "envy"), [7]),
    (("seen", 0, 0), 3),
    (("seen", 0, 1), 99.0),
    (("blocks", 0, 0), 17),
    (("blocks", 0, 1), [7]),
    (("blocks", 1, 3), [[9, 1.0]]),
    (("blocks", -1, 3, 0, 1), 2.0),
    (("offered",), [[1, 0]]),
    (("outstanding", 0, 1), 2),
    (("number",), 3),
    (("outstanding",), []),
    (("carry_over",), []),
]


@pytest.mark.parametrize(
    ("design", "path", "value"),
    [
        *(("unpaired", *damage) for damage in EITHER + UNPAIRED),
        *(("blocks", *damage) for damage in EITHER + BLOCKS),
    ],
)
def test_damaged_states(design, path, value):
    state = some_state(design)
    Auditor.from_dict(state)
    *way, last = path
    part = state
    for key in way:
        part = part[key]
    part[last] = value
    with pytest.raises(InputError, match=r"^This is not the state of an audit as to_dict\(\) gives it"):
        Auditor.from_dict(state)


def test_damaged_states_of_a_system():
    state = SystemAudit(np.array([3, 5, 8]), rng=0).to_dict()
    assert list(SystemAudit.from_dict(json.loads(json.dumps(state))).arms) == [3, 5, 8]
    state["arms"][0][1].pop()
    with pytest.raises(InputError, match="the audit of 3 is of another number of policies"):
        SystemAudit.from_dict(state)


HUGE = 10**5000


@pytest.mark.parametrize(
    "attempt",
    [
        lambda: Auditor(HUGE, rng=0),
        lambda: Auditor(2, delta=5e-324, rng=0),
        lambda: Auditor(2, drift=5e-324, rng=0),
        lambda: Auditor(2, users=HUGE, rng=0),
        lambda: Auditor(2, rng=0).assign(deadline=HUGE),
        lambda: Auditor(2, rng=0).expire(HUGE),
        lambda: Auditor(2, rng=0).report(HUGE, 1),
        lambda: Auditor(2, rng=0).deliver([1.0]),
        lambda: SystemAudit(3, rng=0),
        lambda: SystemAudit([["ann"], ["bob"]], rng=0),
        lambda: SystemAudit("abc", rng=0),
        lambda: SystemAudit(["ann", "bob"], rng=0).next(["ann"]),
        lambda: sample_sizes(lambda_=1e-320),
        lambda: simulate([0.5, HUGE]),
        lambda: simulate([0.5, 0.4], budget=HUGE),
        lambda: simulate([0.5, 0.4], runs=10**12),
        lambda: simulate([0.5, 0.4], rewards="beta", concentration=1e-310),
        lambda: plan(0.5, 0.1),
        lambda: plan(0.5, [0.1], alpha="x"),
        lambda: verify_files(None),
        lambda: verify(certificate(Auditor(2, rng=0)), None),
    ],
)
def test_things_of_another_kind_or_size(attempt):
    with pytest.raises(InputError) as error:
        attempt()
    assert len(str(error.value)) < 200
