"""The design in randomised blocks, step by step: which block comes next, and what its rewards say.

Every step belongs to a block; one of the user's own policy alone is a block of one step, and no evidence. A
begun block is shown to its end at the user's next visits, whatever its rewards are. Blocks may be settled in
any order; what enters, and in which order, depends on the order in which they were shown alone.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.envy.online.designs.block_rules import (
    Ledger,
    Shown,
    bet,
    bet_on_missing,
    block_rules_for,
    cleared,
    constraint_lower,
    differences_lower,
    doubtful,
    entered,
    envied,
    next_block,
    no_evidence,
    put_in_order,
    readings,
    unequal,
)
from evenhand.envy.online.designs.carry_over import CarryOver
from evenhand.envy.online.designs.unpaired import Ending
from evenhand.envy.online.pending import Assignment
from evenhand.envy.online.settings import AuditorSettings
from evenhand.stats.many_looks.changing_sums import changing_sum_lower, sum_bets


@dataclass
class Block:
    """Arms in the order in which they are shown, the number of the first assignment, the arm that was shown
    before it; settled rewards by place, None where one is missing; arms whose difference has entered.
    """

    first: int
    order: list[int]
    before: int
    rewards: dict[int, float | None] = field(default_factory=dict)
    entered: list[int] = field(default_factory=list)

    @property
    def settled(self) -> bool:
        return len(self.rewards) == len(self.order)

    @property
    def others(self) -> list[int]:
        return [arm for arm in self.order if arm > 0]

    def told(self, place: int) -> float:
        """The reward of this step as it was reported; 0 if it was not."""
        return self.rewards[place] or 0.0

    @property
    def own(self) -> tuple[float, float]:
        """The mean of the own rewards, and the share of them that is missing."""
        places = [place for place, arm in enumerate(self.order) if arm == 0]
        total, gone = 0.0, 0
        for place in places:
            total += self.told(place)
            gone += self.rewards[place] is None
        return total / len(places), gone / len(places)


@dataclass
class SettledRewards:
    """Settled rewards of one arm, in and outside blocks."""

    count: int = 0
    total: float = 0.0
    lost: int = 0


class Blocks:
    """Evidence, choice and decision of an audit in blocks; the rules, and how sure they are:
    `block_rules.py`.
    """

    def __init__(self, settings: AuditorSettings, rng: np.random.Generator) -> None:
        size = settings.arms + 1
        self.settings, self.rng = settings, rng
        self.evidence = no_evidence(size)
        self.ledger, self.if_liked = Ledger(), Ledger()  # what is missing counts 0, and 1
        self.active = list(range(1, size))
        self.reached: dict[str, list[int]] = {"envy": [], "clear": []}  # claims, by arm
        self.assigned, self.begun = [0] * size, np.zeros(size, np.int64)
        self.seen = [SettledRewards() for _ in range(size)]
        self.blocks: deque[Block] = deque()  # shown or begun, and not yet in the ledger
        self.left: list[int] = []  # steps of the last block that are still to be shown
        self.alone, self.last = 0, 0
        self.outstanding: dict[int, Assignment] = {}
        self.carry_over = CarryOver()
        self._rules = block_rules_for(settings)
        self._limits = sum_bets(settings.delta / 2, 1.0)

    # Choosing

    def next_arm(self, step: int) -> int:
        """The arm of this step, counted from 1."""
        if not self.left:
            self._begin(step)
        return self.left[0]

    def _begin(self, step: int) -> None:
        active, chosen = np.array(self.active), np.empty(len(self.assigned), np.int64)
        so_far = Shown(self.begun, step - 1, self.alone)
        others, steps = next_block(
            self.evidence, so_far, active, self._bound(), self._rules, self.rng, chosen
        )
        shown = np.zeros(steps, np.int64)
        if others:
            put_in_order(chosen, others, steps, self.rng, shown)
        else:
            self.alone += 1
        self.begun[chosen[:others]] += 1
        self.left = shown.tolist()
        self.blocks.append(Block(step, list(self.left), self.last))

    def add(self, assignment: Assignment) -> None:
        """A step that is shown; the last one of an audit may be the own policy in place of its block's."""
        self.assigned[assignment.arm] += 1
        self.outstanding[assignment.id] = assignment
        self.last = assignment.arm
        if self.left and self.left[0] == assignment.arm:
            self.left.pop(0)

    def _bound(self) -> float:
        """Of the constraint, after the blocks that were shown."""
        waiting = [block for block in self.blocks if len(block.others) > self._rules.alpha * len(block.order)]
        others, steps = sum(len(b.others) for b in waiting), sum(len(b.order) for b in waiting)
        return constraint_lower(self.ledger, others, steps, self._rules)

    # Learning

    def oldest(self, arm: int) -> int | None:
        """The first outstanding assignment of this arm."""
        return next((i for i, assignment in self.outstanding.items() if assignment.arm == arm), None)

    def settle(self, rewards: Mapping[int, float | None]) -> Ending | None:
        """Take these rewards (None is missing), enter what waits for nothing else, and decide."""
        for number, reward in rewards.items():
            arm = self.outstanding.pop(number).arm
            seen = self.seen[arm]
            seen.count += 1
            seen.total += reward or 0.0
            seen.lost += reward is None
            block = next(b for b in self.blocks if b.first <= number < b.first + len(b.order))
            block.rewards[number - block.first] = reward
        touched = self._enter_differences()
        while self.blocks and self.blocks[0].settled:
            self._enter_ledger(self.blocks.popleft())
        return self._decided(touched)

    def _enter_differences(self) -> list[int]:
        """Differences of settled blocks whose arms wait for no earlier block; the arms that they are of."""
        touched: list[int] = []
        held: set[int] = set()
        for block in self.blocks:
            for arm in block.others:
                if not block.settled or arm in held:
                    held.add(arm)
                elif arm not in block.entered:
                    self._enter(block, arm)
                    touched.append(arm)
        return touched

    def _enter(self, block: Block, arm: int) -> None:
        place = block.order.index(arm)
        own, gone = block.own
        lost = 1.0 if block.rewards[place] is None else 0.0
        first, second = readings(block.told(place), lost, own, gone, self._rules)
        bet(self.evidence, arm, first, second, lost - gone, self._rules)
        block.entered.append(arm)
        for claim, refuted in (("envy", envied), ("clear", cleared)):
            if refuted(self.evidence, arm, self._rules) and arm not in self.reached[claim]:
                self.reached[claim].append(arm)

    def _enter_ledger(self, block: Block) -> None:
        own, gone = block.own
        rewards, lost = 0.0, 0.0
        for place, arm in enumerate(block.order):
            if arm > 0:
                rewards += block.told(place)
                lost += block.rewards[place] is None
        others, steps = len(block.others), len(block.order)
        feared = gone if self._rules.worst else 0.0
        self.ledger = entered(self.ledger, others, steps, own, feared, rewards, self._rules.alpha)
        self.if_liked = entered(
            self.if_liked, others, steps, own + gone, 0.0, rewards + lost, self._rules.alpha
        )
        if others:
            bet_on_missing(self.evidence, 0, lost / others - gone, self._rules)
            self.carry_over.add(block.order, block.before, rewards / others - own)

    def _decided(self, touched: list[int]) -> Ending | None:
        """A claim of an arm whose rewards seem to be missing unequally waits until that is settled."""
        apart = next((k for k in (0, *touched) if unequal(self.evidence, k, self._rules)), None)
        if apart is not None:
            return Ending("inconclusive", self._missing_unequally(apart))
        clear = [k for k in self.reached["clear"] if not doubtful(self.evidence, k, self._rules)]
        self.active = [k for k in self.active if k not in clear]
        if self.better:
            return Ending("envy")
        return None if self.active else Ending("no_envy")

    def _missing_unequally(self, arm: int) -> str:
        of = [self.seen[arm]] if arm else self.seen[1:]
        share = sum(one.lost for one in of) / sum(one.count for one in of)
        whose = f"of arm {arm}" if arm else "of the other policies"
        return (
            f"Rewards are missing in other shares under different policies ({share:.1%} {whose}, "
            f"{self.seen[0].lost / self.seen[0].count:.1%} of the user's own), so counting them as 0 "
            "would compare what is reported and not what is liked; report them, or start again with "
            "unreported='worst' (--unreported)."
        )

    # What is known

    @property
    def better(self) -> list[int]:
        """Arms that are certified to be better than the user's own."""
        return [k for k in self.reached["envy"] if not doubtful(self.evidence, k, self._rules)]

    def bounds(self, arm: int) -> tuple[float, float | None, float]:
        """Limits of how much better this arm was than the user's own, on average over its blocks, around the
        estimate, whichever reading of what is missing is right; each side fails at any time with at most
        delta/2, for each arm by itself. What was decided of the arm is a limit, too, with the error of that
        decision: an arm that is better by epsilon is discarded with up to .9 delta.
        """
        n = int(self.evidence.blocks[arm])
        if arm == 0 or n == 0:
            return (0.0, 0.0, 0.0) if arm == 0 else (-1.0, None, 1.0)
        low, high = math.inf, -math.inf
        for reading in range(1 + int(self.evidence.apart[arm])):
            total = float(self.evidence.total[arm, reading])
            squares = float(self.evidence.squares[arm, reading])
            low = min(low, changing_sum_lower(total, squares, self._limits) / n)
            high = max(high, -changing_sum_lower(-total, squares, self._limits) / n)
        return (
            max(low, 0.0 if arm in self.better else -1.0),
            float(self._totals[arm]) / n,
            min(high, 1.0 if arm in self.active else self.settings.epsilon),
        )

    @property
    def _totals(self) -> NDArray[np.float64]:
        """Sums of differences, half-way between the readings."""
        known = self.evidence
        return np.where(known.apart == 1, known.total.mean(axis=1), known.total[:, 0])

    def margin(self, step: int) -> float:
        """A lower bound for how far constraint (3) is from broken, of the settled blocks; at least 0 while
        exploring steps are a share of at most alpha, if differences stay.
        """
        explored = step - self.assigned[0]
        return max(self._bound(), 0.0 if explored <= self._rules.alpha * step else -math.inf)

    @property
    def cost(self) -> float | None:
        if not self.seen[0].count:
            return None
        n, total = self.evidence.blocks, self._totals
        shown = [(self.assigned[k], total[k] / n[k]) for k in range(1, len(n)) if n[k]]
        return float(sum(-times * difference for times, difference in shown))

    @property
    def differences_lower(self) -> float:
        """A lower bound for the sum of settled differences: the user lost no more than that."""
        known = (self.ledger,) if self._rules.worst else (self.ledger, self.if_liked)
        return differences_lower(known, self._rules)

    @property
    def likely_means(self) -> list[float]:
        own = (self.seen[0].total + 0.5) / (self.seen[0].count + 1)
        shrunk = self._totals / (self.evidence.blocks + 1)
        return [own, *np.clip(own + shrunk[1:], 0, 1).tolist()]

    def to_dict(self) -> dict[str, Any]:
        return {
            "evidence": {name: part.tolist() for name, part in self.evidence._asdict().items()},
            "ledger": list(self.ledger),
            "if_liked": list(self.if_liked),
            "active": list(self.active),
            "reached": {claim: list(arms) for claim, arms in self.reached.items()},
            "begun": self.begun.tolist(),
            "seen": [[one.count, one.total, one.lost] for one in self.seen],
            "blocks": [
                [b.first, list(b.order), b.before, sorted(map(list, b.rewards.items())), list(b.entered)]
                for b in self.blocks
            ],
            "left": list(self.left),
            "alone": self.alone,
            "last": self.last,
            "outstanding": [[a.id, a.arm, a.deadline] for a in self.outstanding.values()],
            "carry_over": self.carry_over.to_list(),
        }

    def load(self, state: Mapping[str, Any]) -> None:
        for name, part in self.evidence._asdict().items():
            part[...] = np.array(state["evidence"][name], dtype=part.dtype).reshape(part.shape)
        self.ledger = _ledger(state["ledger"])
        # States were once without it: then it is right where nothing was missing.
        self.if_liked = _ledger(state.get("if_liked", state["ledger"]))
        self.active = list(state["active"])
        self.reached = {claim: list(state["reached"][claim]) for claim in ("envy", "clear")}
        self.begun[...] = np.array(state["begun"], dtype=np.int64).reshape(self.begun.shape)
        self.seen = [SettledRewards(count, float(total), lost) for count, total, lost in state["seen"]]
        self.blocks = deque(
            Block(first, list(order), before, dict(rewards), list(done))
            for first, order, before, rewards, done in state["blocks"]
        )
        self.left, self.alone, self.last = list(state["left"]), state["alone"], state["last"]
        self.outstanding = {i: Assignment(i, arm, deadline) for i, arm, deadline in state["outstanding"]}
        self.carry_over = CarryOver.from_list(state["carry_over"])


def _ledger(values: Any) -> Ledger:
    named = dict(zip(Ledger._fields, values, strict=True))
    return Ledger(**{name: type(Ledger._field_defaults[name])(value) for name, value in named.items()})
