"""The state of an audit is what its log makes of it, whatever happened and wherever it was saved."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envy.online.driver import saved_and_loaded
from evenhand import InputError
from evenhand.envy import Auditor, certificate, verify
from evenhand.envy.online.designs.draws import Draws

DOES = ("assign", "assign", "assign", "deliver", "deliver", "withdraw", "expire", "save", "lose")
STEPS = st.lists(
    st.tuples(st.sampled_from(DOES), st.integers(0, 10**6), st.floats(0, 1)), min_size=1, max_size=120
)


def lived(auditor: Auditor, steps) -> tuple[Auditor, list]:
    """Any sequence of what can happen; the audit, and its log."""
    log: list = []
    for now, (what, which, reward) in enumerate(steps):
        auditor.listener = log.append
        if auditor.outcome is not None:
            break
        waiting = [one.id for one in auditor.outstanding]
        some = waiting[which % len(waiting)] if waiting else None
        if what == "assign" and not auditor.spent:
            auditor.assign(deadline=now + which % 7, version="a" if which % 50 else "b")
        elif what == "deliver" and some:
            auditor.deliver({some: reward})
        elif what == "lose" and some:
            auditor.deliver({some: None})
        elif what == "withdraw" and some and auditor.settings.design == "blocks":
            auditor.withdraw(some)
        elif what == "expire":
            auditor.expire(now)
        elif what == "save":
            auditor = saved_and_loaded(auditor)
    return auditor, json.loads(json.dumps(log))


@settings(max_examples=150, deadline=None)
@given(
    steps=STEPS,
    seed=st.integers(0, 10**9),
    design=st.sampled_from(["blocks", "blocks", "unpaired"]),
    options=st.sampled_from([{}, {"budget": 15}, {"choice": "uniform"}, {"epsilon": 0.9, "delta": 0.49}]),
    at=st.integers(0, 200),
)
def test_the_log_folded_again_is_the_state(steps, seed, design, options, at):
    asked = {"alpha": 0.6, "epsilon": 0.3, "design": design, **options}
    live, log = lived(Auditor(3, **asked, rng=seed), steps)
    folded = Auditor.fold(live.settings, seed, log)
    assert folded.to_dict() == live.to_dict()
    half = saved_and_loaded(Auditor.fold(live.settings, seed, log[:at]))
    for event in log[at:]:
        half.apply(event)
    assert json.dumps(half.to_dict()) == json.dumps(live.to_dict())
    document = json.loads(json.dumps(certificate(live)))
    assert verify(document, log).to_dict() == live.to_dict()


def test_a_fold_neither_draws_nor_decides(monkeypatch):
    live, log = Auditor(3, alpha=0.5, rng=5), []
    live.listener = log.append
    for _ in range(60):
        live.report(live.assign(deadline=9).id, 1.0)
    for name in ("of", "alone"):
        monkeypatch.setattr(Draws, name, None)
    assert Auditor.fold(live.settings, 5, log).to_dict() == live.to_dict()
    # An outcome that this version would not have come to is the outcome all the same.
    ended = Auditor.fold(live.settings, 5, [*log, ["end", "envy", None]])
    assert (live.outcome, ended.outcome) == (None, "envy")


def test_what_is_drawn_for_a_block_depends_on_the_seed_and_its_number_alone():
    draws = Draws(7)
    fifth = draws.of(5, 8)
    for number in (1, 9, 5):
        draws.of(number, 3)
    assert (draws.of(5, 8) == fifth).all()
    assert (Draws(7).of(5, 8) == fifth).all()
    assert not (Draws(8).of(5, 8) == fifth).any()


def test_the_numbers_drawn_are_uniform_and_independent():
    """20,000 blocks of an audit, and the first block of 20,000 audits."""
    of_blocks = np.array([Draws(3).of(number, 8) for number in range(1, 20_001)])
    of_audits = np.array([Draws(seed).of(1, 8) for seed in range(20_000)])
    for drawn in (of_blocks, of_audits):
        counts = np.array([np.histogram(column, 50, (0, 1))[0] for column in drawn.T])
        chi_squared = ((counts - 400) ** 2 / 400).sum(axis=1)
        assert chi_squared.max() < 49 + 5 * np.sqrt(2 * 49)
        correlated = np.corrcoef(drawn.T) - np.eye(8)
        assert np.abs(correlated).max() < 4.5 / np.sqrt(20_000)
        following = [np.corrcoef(drawn[:-1, i], drawn[1:, i])[0, 1] for i in range(8)]
        assert np.abs(following).max() < 4.5 / np.sqrt(20_000)


def test_without_a_seed_no_two_audits_are_the_same():
    seeds = {Auditor(2).seed for _ in range(20)}
    assert len(seeds) == 20
    assert 0 not in seeds


def test_a_state_does_not_grow_with_the_steps():
    auditor, sizes = Auditor(3, epsilon=0.001, alpha=0.5, rng=1), []
    for step in range(1, 3_001):
        auditor.assign(deadline=step + 3)
        auditor.expire(step)  # nothing is reported, ever
        if step in (300, 3_000):
            state = json.dumps(auditor.to_dict())
            sizes.append(len(state) - sum(len(str(value)) for value in (auditor.step, auditor.events)))
    assert sizes[1] < sizes[0] + 400  # digits of the sums


@pytest.mark.parametrize(
    ("event", "message"),
    [
        (["assign", 1, 0, 5.0, None, None], "assignment 1 cannot come after 1"),
        (["assign", 2, 1, 5.0, None, None], "no place of a block is left"),
        (["assign", 2, 0, 5.0, None, [0, 7]], r"order \[0, 7\] cannot begin there"),
        (["assign", 2, 1, 5.0, None, [1, 1, 0]], "has an arm twice"),
        (["assign", 2, 1, 5.0, None, [0, 1]], "arm 1 is assigned where arm 0 is due"),
        (["withdraw", 4], "Assignment 4 was never made"),
        (["deliver", [[1, 2.0]]], "a reward is not from 0 to 1"),
        (["deliver", [[3, 1.0]]], "Assignment 3 was never made"),
        (["begin"], "it is 'begin', but must be assign, withdraw, deliver or end"),
        (["assign", 2], "cannot be read"),
        ([], "cannot be read"),
    ],
)
def test_events_that_cannot_have_happened(event, message):
    auditor = Auditor(3, rng=0)
    auditor.apply(["assign", 1, 0, 5.0, None, [0]])
    with pytest.raises(InputError, match=rf"^Event 2 of the log .*{message}"):
        auditor.apply(event)


def test_nothing_counts_before_it_is_kept():
    """A listener that fails (a full disk) leaves the audit as it was."""

    def full(event):
        raise OSError("no space left")

    auditor = Auditor(2, rng=0)
    pull = auditor.assign(deadline=3)
    before = auditor.to_dict()
    auditor.listener = full
    for attempt in (
        lambda: auditor.assign(deadline=4),
        lambda: auditor.withdraw(pull.id),
        lambda: auditor.report(pull.id, 1.0),
        lambda: auditor.expire(9),
        lambda: auditor.end("enough"),
    ):
        with pytest.raises(OSError, match="no space"):
            attempt()
        assert auditor.to_dict() == before
