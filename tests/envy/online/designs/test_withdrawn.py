"""Assignments that were never shown: no steps, offered again, and counted by policy."""

from __future__ import annotations

import json

import numpy as np
import pytest

from evenhand import InputError
from evenhand.envy import Auditor, certificate, verify


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


def test_what_is_offered_again_is_no_evidence_about_rewards():
    """With every place withdrawn twice before it is shown, the audit is the same, if that is not doubted."""
    plain, tried = (Auditor(3, alpha=0.5, epsilon=0.3, rng=3, unshown="again") for _ in range(2))
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


@pytest.mark.parametrize("unreported", ["compare", "worst"])
def test_what_was_once_withdrawn_is_read_again_as_a_reward_that_is_missing(unreported):
    """The same blocks, in which what was withdrawn before it was shown is in truth never reported: the second
    evidence of the one is the evidence of the other."""
    options = {"alpha": 0.5, "epsilon": 0.01, "unreported": unreported, "rng": 3}
    again, missing = Auditor(2, **options), Auditor(2, **options)
    rng, log = np.random.default_rng(5), []
    again.listener = log.append
    for number in range(1, 401):
        one = again.assign(deadline=1)
        missing.apply(["assign", number, *log[-1][2:]])
        hidden, reward = rng.random() < 0.3, float(rng.random() < 0.5)
        if hidden:
            again.withdraw(one.id)
            one = again.assign(deadline=1)
        again.deliver({one.id: reward})
        missing.apply(["deliver", [[number, None if hidden else reward]]])
    assert again.outcome is None
    # Where it is not the worst, what was withdrawn owes no epsilon, and bets are smaller.
    bets = ("envy", "clear") if unreported == "worst" else ()
    for name in ("blocks", "apart", "total", "squares", *bets):
        assert np.array_equal(getattr(again.design.doubted, name), getattr(missing.design.evidence, name))
    low, _, high = again.design.bounds(1)
    assert low <= missing.design.bounds(1)[0]
    assert high >= missing.design.bounds(1)[2]


def test_what_is_missing_and_what_was_withdrawn_are_read_apart():
    """In blocks of two, whatever comes first: all four readings are sums that can be made by hand."""
    for first in ("withdrawn", "missing"):
        auditor = Auditor(1, alpha=0.5, epsilon=0.01, rng=3)
        rng, told = np.random.default_rng(5), {}
        for number in range(300):
            one = auditor.assign(deadline=1)
            fate = rng.choice(["missing", "withdrawn", "shown"]) if number > 40 else "shown"
            if number in (20, 21):
                fate = first
            if number in (30, 31):
                fate = "missing" if first == "withdrawn" else "withdrawn"
            (block, place), reward = auditor.design.places[one.id], float(rng.random() < 0.5)
            order = auditor.design.blocks[-1].order
            if fate == "withdrawn":
                auditor.withdraw(one.id)
                one = auditor.assign(deadline=1)
            told.setdefault(block, (order, {}))[1][place] = (fate, reward)
            auditor.deliver({one.id: None if fate == "missing" else reward})
        design, blocks = auditor.design, [b for b in told.values() if len(b[0]) == len(b[1]) == 2]
        assert len(blocks) == design.evidence.blocks[1] > 100

        def total(missing, withdrawn, blocks=blocks):
            read = {"missing": missing, "withdrawn": withdrawn}
            return sum(
                (1 if order[place] else -1) * read.get(fate, reward)
                for order, places in blocks
                for place, (fate, reward) in places.items()
            )

        assert design.doubted.total[1].tolist() == [total(0, 0), total(1, 1)]
        assert design.crossed.total[1].tolist() == [total(1, 0), total(0, 1)]
        assert design.at_once[1] == sum(places[order.index(1)][0] != "withdrawn" for order, places in blocks)
        state = json.loads(json.dumps(auditor.to_dict()))
        assert Auditor.from_dict(state).to_dict() == state


def test_a_claim_needs_what_was_withdrawn_as_0_and_as_1():
    """The other policy is liked whenever it is shown a second time, and never was the first time."""
    found = {}
    for unshown in ("again", "compare"):
        auditor = Auditor(1, alpha=0.5, epsilon=0.3, budget=1_500, rng=3, unshown=unshown)
        rng = np.random.default_rng(5)
        while auditor.outcome is None:
            one = auditor.assign(deadline=1)
            if rng.random() < 0.5:  # as often, but nobody sees whether it would have been liked
                auditor.withdraw(one.id)
                one = auditor.assign(deadline=1)
            auditor.deliver({one.id: float(one.arm == 1 or rng.random() < 0.7)})
        found[unshown] = auditor
    assert found["again"].outcome == "envy"
    assert found["compare"].step > found["again"].step
    assert found["again"].design.doubted is None


def test_a_state_keeps_what_is_doubted_and_one_from_before_goes_on_without():
    auditor = Auditor(2, alpha=0.5, epsilon=0.01, rng=3)
    while auditor.step < 60:
        one = auditor.assign(deadline=1)
        if auditor.made % 5 == 0:
            auditor.withdraw(one.id)
        else:
            auditor.report(one.id, float(auditor.made % 2))
    state = json.loads(json.dumps(auditor.to_dict()))
    assert state["doubted"]["total"] != state["evidence"]["total"]
    assert Auditor.from_dict(state).to_dict() == auditor.to_dict()
    state["doubted"]["clear"][1][0][0] = -1.0
    with pytest.raises(InputError, match="a capital is below 0"):
        Auditor.from_dict(state)
    with pytest.raises(InputError, match="read what was withdrawn in another way"):
        Auditor.from_dict(state | {"state": 6})
    later = ("doubted", "crossed", "at_once")
    before = {name: part for name, part in state.items() if name not in later} | {"state": 4}
    before["settings"] = {name: asked for name, asked in state["settings"].items() if name != "unshown"}
    earlier = Auditor.from_dict(before)
    assert (earlier.settings.unshown, earlier.design.doubted) == ("again", None)
    assert "unshown" not in certificate(earlier)["settings"]  # as it was written then
    assert certificate(auditor)["settings"]["unshown"] == "compare"


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


def test_a_policy_that_nobody_likes_is_not_offered_for_ever_where_only_likes_are_said_to_be_shown():
    """The others are never liked, so that a place of theirs is withdrawn whenever it is shown."""
    auditor, log = Auditor(2, epsilon=0.2, alpha=0.2, rng=1), []
    auditor.listener = log.append
    rng, in_a_row, longest, visits = np.random.default_rng(1), 0, 0, 0
    while auditor.outcome is None and visits < 2_000:
        visits += 1
        one = auditor.assign(deadline=1)
        in_a_row = in_a_row + 1 if one.arm else 0
        longest = max(longest, in_a_row)
        if one.arm == 0 and rng.random() < 0.8:
            auditor.deliver({one.id: 1.0})
        else:
            auditor.withdraw(one.id)
    assert auditor.outcome == "inconclusive"
    assert auditor.reason.startswith("Assignments are withdrawn in other shares")
    assert longest <= 3 * 4  # there are two of them, in two blocks that follow each other
    document = json.loads(json.dumps(certificate(auditor)))
    assert verify(document, log).outcome == auditor.outcome
    assert sum(arm["missing"] for arm in document["arms"]) > 0
    assert Auditor.from_dict(json.loads(json.dumps(auditor.to_dict()))).to_dict() == auditor.to_dict()


def test_an_audit_ends_where_most_is_withdrawn_and_a_policy_is_better_by_nearly_epsilon():
    """Of what is assigned seven tenths are never shown, so that .16 is a difference of .05 in what is shown
    at once: too little for bets on .1 to find, and as shown in the end too much to be given up."""
    auditor, rng = Auditor(2, epsilon=0.2, alpha=0.5, budget=15_000, rng=0), np.random.default_rng(0)
    while auditor.outcome is None:
        one = auditor.assign(deadline=1)
        if rng.random() < 0.7:
            auditor.withdraw(one.id)
        else:
            auditor.report(one.id, float(rng.random() < (0.4, 0.56, 0.4)[one.arm]))
    assert auditor.outcome == "envy"


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
