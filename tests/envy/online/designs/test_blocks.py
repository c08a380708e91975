"""Randomised blocks: what is evidence and what is not, against the same in plain loops."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest

from envy import plain
from envy.online.driver import follow, immediate
from evenhand.envy import Auditor, certificate, simulate, verify
from evenhand.envy.online.designs.block import Block
from evenhand.envy.online.designs.block_rules import block_rules_for, cleared, envied
from evenhand.envy.online.designs.carry_over import CarryOver
from evenhand.envy.online.simulated.worlds import World

LATE = World(delay=1, longest=30, lost=0.1, own_lost=0.1)


def with_blocks(auditor: Auditor, means, world: World, seed: int = 1) -> list[Block]:
    """Audit, and keep every block that was begun."""
    kept: dict[int, Block] = {}

    def keep(auditor: Auditor) -> Auditor:
        kept.update({block.number: block for block in auditor.design.blocks})
        return auditor

    # A block of one step that is settled at once is gone before anybody sees it: it is no evidence.
    follow(auditor, means, world, np.random.default_rng(seed), keep)
    return [kept[number] for number in sorted(kept)]


@pytest.mark.parametrize("unreported", ["compare", "worst"])
@pytest.mark.parametrize("choice", ["adaptive", "uniform"])
def test_the_evidence_is_that_of_the_definitions(unreported, choice):
    auditor = Auditor(5, epsilon=0.1, alpha=0.3, choice=choice, unreported=unreported, budget=900, rng=2)
    blocks = with_blocks(auditor, (0.4, 0.4, 0.5, 0.3, 0.4, 0.45), LATE)
    settled = [(block.order, block.rewards) for block in blocks if block.settled]
    assert len(settled) > 100
    for arm in range(1, 6):
        differences = plain.block_differences(settled, arm, worst=unreported == "worst")
        evidence, rules = auditor.design.evidence, block_rules_for(auditor.settings)
        assert len(differences) == evidence.blocks[arm]
        assert evidence.apart[arm] == 1  # something is missing
        enough = 5 / (0.9 * 0.05), 1 / (0.9 * 0.05)
        held = [plain.capitals(reading, 0.1) for reading in zip(*differences, strict=True)]
        shares = np.array([0.10, 0.35, 0.20, 0.15, 0.10, 0.10])
        for reading, (against_none, against_epsilon) in enumerate(held):
            assert shares @ evidence.envy[arm, reading] == pytest.approx(against_none)
            assert shares @ evidence.clear[arm, reading] == pytest.approx(against_epsilon)
        assert envied(evidence, arm, rules) == (min(none for none, _ in held) >= enough[0])
        assert cleared(evidence, arm, rules) == (min(some for _, some in held) >= enough[1])


def test_a_reward_looks_at_few_of_the_blocks_that_are_open(monkeypatch):
    """Of a user who is asked for all the time thousands are, and the writer of a service waits for it."""
    auditor, looked, settled = Auditor(3, alpha=0.9, rng=1), [], Block.settled.fget
    made = [auditor.assign(deadline=1.0).id for _ in range(1_000)]
    monkeypatch.setattr(Block, "settled", property(lambda self: looked.append(self) or settled(self)))
    for assignment in made[-100:]:
        auditor.deliver({assignment: 1.0})
    assert len(auditor.design.blocks) > 300
    assert len(looked) < 100 * 30


def test_only_blocks_are_evidence_and_a_begun_block_is_shown_to_its_end():
    """However bad the others are: rewards of the own policy only."""
    auditor = Auditor(3, alpha=0.1, budget=600, rng=0)
    blocks = with_blocks(auditor, (1.0, 0.0, 0.0, 0.0), World(longest=2, delay=1))
    for one, other in itertools.pairwise(blocks):
        assert other.number == one.number + 1
    compared = [block.order for block in blocks if any(block.order)]
    assert all(len(order) > 1 and 0 in order for order in compared)
    shown = [arm for block in blocks for arm in block.order][: auditor.step]
    assert [shown.count(k) for k in range(4)] == auditor.assigned
    settled = [block.order for block in blocks if block.settled]
    assert auditor.design.evidence.blocks.sum() == sum(len(order) - order.count(0) for order in settled)
    assert auditor.assigned[0] > sum(order.count(0) for order in compared)


def test_every_step_of_a_pair_is_as_likely_to_be_the_other_policys():
    auditor = Auditor(1, alpha=0.5, epsilon=0.01, budget=4_000, rng=0)
    blocks = with_blocks(auditor, (0.5, 0.5), World(longest=1, delay=1))
    pairs = [block.order for block in blocks if len(block.order) == 2]
    assert len(pairs) > 1_000
    assert abs(np.mean([order[0] == 1 for order in pairs]) - 0.5) < 4 * 0.5 / np.sqrt(len(pairs))


def test_a_level_that_moves_leaves_the_differences_alone():
    """All rewards are equal at each step: no difference, whatever the level does."""
    auditor = Auditor(2, alpha=0.5, epsilon=0.2, rng=0)
    step = 0
    while auditor.outcome is None:
        step += 1
        auditor.observe(auditor.next(), min(1.0, 0.2 + step / 500))
    assert auditor.outcome == "no_envy"
    assert auditor.intervals[0] == (0, 0)
    for low, high in auditor.intervals[1:]:
        assert low < 0 < high


def test_exploring_steps_are_a_share_of_at_most_alpha_where_the_others_are_useless():
    for alpha in (0.05, 0.3, 0.5):
        auditor = Auditor(4, alpha=alpha, epsilon=0.05, rng=0)
        explored = 0
        for step, (arm, _) in enumerate(immediate(auditor, (0.5, 0, 0, 0, 0), seed=3), 1):
            explored += arm > 0
            assert explored <= alpha * step + 1e-9
        assert auditor.outcome == "no_envy"


def test_while_rewards_are_outstanding_their_blocks_count_as_badly_as_they_can_end():
    """After steps in which others cost nothing the bound allows some blocks, and no more than it does if all
    that is open comes to nothing."""
    alpha = 0.3
    auditor, rng = Auditor(4, alpha=alpha, epsilon=0.05, rng=0), np.random.default_rng(1)
    while auditor.step < 500 or auditor.design.offered:
        auditor.deliver({auditor.assign(deadline=1).id: float(rng.random() < 0.8)})
    left = auditor.margin
    assert left > 1
    begun = explored = 0
    while auditor.step < 800 or auditor.design.offered:
        begun, explored = begun + 1, explored + (auditor.assign(deadline=1).arm > 0)
        if not auditor.design.offered:
            within = sum(auditor.assigned[1:]) <= alpha * auditor.step
            assert within or left - (explored - alpha * begun) >= -1e-9
    assert explored > 3


def test_what_is_not_reported_is_missing_and_not_nothing():
    auditor, log = Auditor(1, alpha=0.5, rng=0), []
    auditor.listener = log.append
    late, never, soon = (auditor.assign(deadline=d) for d in (10, 11, 12))
    assert auditor.report(soon.id, 1.0, now=12)
    assert not auditor.report(late.id, 1.0, now=10.5)
    assert auditor.expire(now=11.5) == [never.id]
    assert [event[1] for event in log if event[0] == "deliver"] == [[[3, 1.0]], [[1, None]], [[2, None]]]
    assert auditor.report(never.id, 1.0, now=13) is False
    assert sum(seen.lost for seen in auditor.design.seen) == 2
    again = verify(certificate(auditor), log)
    assert again.to_dict()["seen"] == auditor.to_dict()["seen"]


def test_the_worst_that_missing_rewards_can_be_is_further_from_both_claims():
    given = {"runs": 60, "epsilon": 0.2, "alpha": 0.5, "missing": 0.05}
    for means in ([0.5, 0.5], [0.3, 0.6]):
        plainly = simulate(means, **given)
        worst = simulate(means, unreported="worst", **given)
        assert np.median(worst.durations) > np.median(plainly.durations)


def test_what_a_certificate_in_blocks_says():
    auditor = Auditor(3, epsilon=0.2, alpha=0.3, rng=0)
    immediate(auditor, (0.6, 0.3, 0.3, 0.3), seed=4)
    document = json.loads(json.dumps(certificate(auditor)))
    assert document["settings"]["design"] == "blocks"
    assert document["assumptions"][0].startswith("The level of rewards may move, as long as it moves by")
    assert document["exploring_share"] == sum(auditor.assigned[1:]) / auditor.step
    assert document["cost_at_most"] > document["cost"] > 0
    assert "carry_over" not in document  # no limits of it hold
    assert not any("hint" in each for each in document["assumptions"])
    assert any("was withdrawn because nobody told that it was shown" in e for e in document["assumptions"])
    other = certificate(Auditor(3, rng=0, unshown="again"))
    assert any(each.startswith("Whether a recommendation is shown, ") for each in other["assumptions"])
    assert any("assigned and are not shown" in each for each in document["assumptions"])
    assert document["constraint_margin"] >= 0
    own, other = document["arms"][0], document["arms"][1]
    assert set(own) == {"assigned", "settled", "missing", "withdrawn", "average"}
    assert other["low"] < other["difference"] < other["high"] <= 0.2
    unpaired = certificate(Auditor(3, design="unpaired", rng=0))
    assert unpaired["assumptions"][0].startswith("Mean rewards do not change while the audit lasts.")


def test_errors_are_shared_among_users_where_a_union_is_needed_and_only_there():
    alone, many = (block_rules_for(Auditor(9, delta=0.05, users=n, rng=0).settings) for n in (1, 41))
    assert many.clear == alone.clear == pytest.approx(1 / 0.045)
    assert many.envy == pytest.approx(41 * alone.envy) == pytest.approx(41 * 9 / 0.045)
    assert np.exp(many.constraint[:, 2] - alone.constraint[:, 2]) == pytest.approx(41)
    # Whichever outcome is wrong, it and the two bounds of the user's cost fail with at most delta.
    assert 1 / alone.clear + sum(np.exp(-part[:, 2]).sum() for part in (alone.constraint, alone.cost)) <= 0.05


@pytest.mark.parametrize("before", [0, 1])
@pytest.mark.parametrize("arms", [[1, 0], [1, 0, 0], [1, 2, 0], [1, 2, 3, 0, 0]])
def test_over_the_drawing_of_the_order_the_carry_over_has_no_part_of_the_difference(arms, before):
    """The mean of h over all orders is 0, and one that follows the law of the model gives its constant."""
    sums = CarryOver()
    orders = list(itertools.permutations(arms))
    for order in orders:
        after = list(itertools.pairwise([before, *order]))
        own = [0.06 * (last > 0) for last, arm in after if arm == 0]
        others = [0.3 + 0.06 * (last > 0) for last, arm in after if arm > 0]
        sums.add(list(order), before, np.mean(others) - np.mean(own))
    while sums.blocks < 30:  # as many again, for the least number that is told
        sums = CarryOver(sums.blocks * 30, *(30 * value for value in sums.to_list()[1:]))
    middle, low, high = sums.estimate
    assert middle == pytest.approx(0.06)
    assert low < middle < high


def test_what_a_step_does_to_the_next_is_found_with_its_sign():
    """A step of another policy lowers the next reward by .4; policies are equal."""
    auditor, rng, last = Auditor(1, alpha=0.5, budget=2_000, rng=0), np.random.default_rng(5), 0
    while auditor.outcome is None:
        arm = auditor.next()
        auditor.observe(arm, float(rng.random() < 0.5 - 0.4 * (last > 0)))
        last = arm
    _, low, high = auditor.design.carry_over.estimate
    assert low < high < 0  # approximate limits, and the audit ends when the difference is large
