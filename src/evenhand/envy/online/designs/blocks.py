"""The design in randomised blocks, step by step: which block comes next, and what its rewards say.

Every step belongs to a block; one of the user's own policy alone is a block of one step, and no evidence. A
begun block is shown to its end at the user's next visits, whatever its rewards are: a place whose assignment
was withdrawn is offered again, before anything else; but not for ever, for where only what is liked is said
to be shown a policy that nobody likes would be all that is shown. Blocks may be settled in any order; what
enters, and in which order, depends on the order in which they were begun alone.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping
from copy import deepcopy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.envy.online.designs.block import AS_SHOWN, MOST_WITHDRAWN, Block, Place, SettledRewards
from evenhand.envy.online.designs.block_rules import (
    DRAWS,
    Evidence,
    Ledger,
    Shown,
    bet,
    bet_on_missing,
    bet_on_withdrawn,
    block_rules_for,
    cleared,
    constraint_lower,
    crossed,
    differences_lower,
    doubtful,
    entered,
    envied,
    in_doubt,
    next_block,
    no_evidence,
    owes,
    put_in_order,
    readings,
    told_differences_lower,
    unequal,
    withdrawn_unequally,
)
from evenhand.envy.online.designs.carry_over import CarryOver
from evenhand.envy.online.designs.draws import Draws
from evenhand.envy.online.designs.kept_blocks import read, written
from evenhand.envy.online.designs.unpaired import Ending
from evenhand.envy.online.pending import Assignment
from evenhand.envy.online.settings import AGAIN, AuditorSettings
from evenhand.errors import InputError
from evenhand.parameters import shown
from evenhand.stats.many_looks.changing_sums import changing_sum_lower, sum_bets, told_mean_lower


class Blocks:
    """Evidence, choice and decision of an audit in blocks; the rules, and how sure they are:
    `block_rules.py`.
    """

    def __init__(self, settings: AuditorSettings, draws: Draws) -> None:
        size = settings.arms + 1
        self.settings, self.draws = settings, draws
        self.evidence = no_evidence(size)
        self.doubted: Evidence | None = None  # with what was withdrawn as missing, once something was
        self.crossed: Evidence | None = None  # the same, crossed with what is missing, once something is
        self.at_once = np.zeros(size, np.int64)  # blocks that have entered, the arm's place never withdrawn
        self.ledger, self.if_liked = Ledger(), Ledger()  # what is missing counts 0, and 1
        self.active = list(range(1, size))
        self.brought_back = False  # by the last rewards: given up before, and in doubt again
        self.reached: dict[str, list[int]] = {"envy": [], "clear": []}  # claims, by arm
        self.assigned, self.begun = [0] * size, np.zeros(size, np.int64)
        self.seen = [SettledRewards() for _ in range(size)]
        self.blocks: deque[Block] = deque()  # shown or begun, and not yet in the ledger
        self.offered: list[Place] = []  # places that are still to be shown, the next one first
        self.number, self.alone, self.last = 0, 0, 0
        self.outstanding: dict[int, Assignment] = {}
        self.places: dict[int, Place] = {}  # of outstanding assignments
        self.carry_over = CarryOver()
        self._rules = block_rules_for(settings)
        # What is withdrawn may be taken as the worst, too, and is where all that is not told is.
        self._of_unshown = self._rules._replace(worst=self._rules.worst or settings.unshown == "worst")
        self._limits = sum_bets(settings.delta / 2, 1.0)

    # Choosing

    def next_arm(self, step: int) -> tuple[int, list[int] | None]:
        """The arm of this step, counted from 1, and the order of the block that begins with it, if one does.

        Nothing is changed: that is done by `add`, with what was logged.
        """
        if not self.offered:
            order = self._next_order(step)
            return order[0], order
        number, place = self.offered[0]
        return self._block(number).order[place], None

    def _next_order(self, step: int) -> list[int]:
        active, chosen = np.array(self.active), np.empty(len(self.assigned), np.int64)
        so_far = Shown(self.begun, step - 1, self.alone)
        drawn = self.draws.of(self.number + 1, DRAWS)
        others, steps = next_block(self.evidence, so_far, active, self._bound(), self._rules, drawn, chosen)
        order = np.zeros(steps, np.int64)
        if others:
            put_in_order(chosen, others, steps, self.draws.for_order(drawn, others), order)
        return order.tolist()

    def add(self, assignment: Assignment, order: list[int] | None) -> None:
        """A step that is shown: the first of a block with this order, or the place that is offered next.

        With an empty order it belongs to no block: the last step of an audit, when its policies changed.
        """
        if order:
            self._begin(order)
        if order is None or order:
            place = self._taken(assignment.arm)
            self.places[assignment.id] = place
        self.assigned[assignment.arm] += 1
        self.outstanding[assignment.id] = assignment
        self.last = assignment.arm

    def _begin(self, order: list[int]) -> None:
        block = Block(self.number + 1, list(order), self.last)
        others = block.others
        if self.offered or max(order) >= len(self.assigned) or min(order) < 0 or len(others) == len(order):
            raise InputError(f"a block with the order {shown(order)} cannot begin there.")
        if len(set(others)) < len(others):
            raise InputError(f"a block with the order {shown(order)} has an arm twice.")
        self.number += 1
        self.alone += not others
        self.begun[others] += 1
        self.blocks.append(block)
        self.offered = [(block.number, place) for place in range(len(order))]

    def _taken(self, arm: int) -> Place:
        """The place that is offered next, which is of this arm."""
        if not self.offered:
            raise InputError("no place of a block is left, and no new block begins.")
        number, place = self.offered[0]
        due = self._block(number).order[place]
        if due != arm:
            raise InputError(f"arm {arm} is assigned where arm {due} is due.")
        return self.offered.pop(0)

    def withdraw(self, assignment: int) -> None:
        """The assignment was never shown: it is no step, and its place is offered again."""
        arm = self.outstanding.pop(assignment).arm
        self.assigned[arm] -= 1
        self.seen[arm].withdrawn += 1
        number, place = self.places.pop(assignment)
        block = self._block(number)
        if place not in block.withdrawn or self.settings.unshown != AGAIN:
            block.withdrawn = sorted([*block.withdrawn, place])
        self.offered = sorted([*self.offered, (number, place)])

    def is_given_up(self, assignment: int) -> bool:
        """Whether its place, if it is withdrawn now, was so too often to be offered again. The own policy can
        be shown for ever, and must be, or the user would get less of it than the constraint counts.
        """
        number, place = self.places.get(assignment, (0, 0))
        if self.settings.unshown == AGAIN or number == 0 or self.outstanding[assignment].arm == 0:
            return False
        return self._block(number).withdrawn.count(place) >= MOST_WITHDRAWN - 1

    def _block(self, number: int) -> Block:
        return self.blocks[number - self.blocks[0].number]

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
            of, place = self.places.pop(number)
            self._block(of).rewards[place] = reward
        touched = self._enter_differences()
        while self.blocks and self.blocks[0].settled:
            self._enter_ledger(self.blocks.popleft())
        return self._decided(touched)

    def _enter_differences(self) -> list[int]:
        """Differences of settled blocks whose arms wait for no earlier block; the arms that they are of."""
        touched: list[int] = []
        held: set[int] = set()
        for block in self.blocks:
            if len(held) == self.settings.arms:  # of thousands that are open the first hold all others
                break
            for arm in block.others:
                if not block.settled or arm in held:
                    held.add(arm)
                elif arm not in block.entered:
                    self._enter(block, arm)
                    touched.append(arm)
        return touched

    def _enter(self, block: Block, arm: int) -> None:
        self._begin_to_doubt(block)
        place = block.order.index(arm)
        at_once = int(place not in block.withdrawn)
        for way, known in enumerate(self.readings):
            reward, lost = block.told(place, way)
            own, gone = block.own(way)
            rules = self._rules if way == AS_SHOWN else self._of_unshown
            first, second = readings(reward, lost, own, gone, rules)
            if way == AS_SHOWN and block.given_up(place):
                pass  # it was never shown, which what is doubted takes in
            elif way == AS_SHOWN:
                more_lost = lost - gone - block.more_given_up([arm])
                bet(known, arm, first, second, more_lost, self._rules)
            elif rules.worst:  # the worst that it can be owes epsilon always
                bet(known, arm, first, second, 0.0, rules)
            else:
                usually = self._usually(arm)
                owed = owes(first, second, block.most(place), at_once, usually, self._rules)
                bet(known, arm, first, second, 0.0, self._rules, owed.readings, usually, owed.usually)
        self.at_once[arm] += at_once
        if block.withdrawn:
            bet_on_withdrawn(self.evidence, arm, block.more_withdrawn([arm]), self._rules)
        block.entered.append(arm)
        for claim, refuted in (("envy", envied), ("clear", cleared)):
            sure = all(refuted(known, arm, self._rules) for known in self.readings)
            if sure and arm not in self.reached[claim]:
                self.reached[claim].append(arm)

    def _begin_to_doubt(self, block: Block) -> None:
        """What a block that now enters calls for: up to there what is withdrawn, or missing, made no
        difference.
        """
        if self.settings.unshown == AGAIN:
            return
        if block.withdrawn and self.doubted is None:
            self.doubted = deepcopy(self.evidence)
            if self.evidence.apart.any() and not self._of_unshown.worst:
                self.crossed = crossed(self.evidence)
        if block.lost and self.doubted is not None and self.crossed is None and not self._of_unshown.worst:
            self.crossed = deepcopy(self.doubted)

    def _usually(self, arm: int) -> float:
        """The share of the arm's blocks in which it was shown at once, as if it had been in one more."""
        known = self.evidence if self.doubted is None else self.doubted
        return float((self.at_once[arm] + 1) / (known.blocks[arm] + 1))

    @property
    def readings(self) -> list[Evidence]:
        """The evidence, with what was withdrawn as missing if that is doubted, and that crossed with what is
        missing: a claim needs all of them.
        """
        return [known for known in (self.evidence, self.doubted, self.crossed) if known is not None]

    def _enter_ledger(self, block: Block) -> None:
        own, gone = block.own()
        rewards, lost = 0.0, 0.0
        for place, arm in enumerate(block.order):
            if arm > 0:
                reward, unknown = block.told(place)
                rewards += reward
                lost += unknown
        others, steps = len(block.others), len(block.order)
        feared = gone if self._rules.worst else 0.0
        self.ledger = entered(self.ledger, others, steps, own, feared, rewards, self._rules.alpha)
        self.if_liked = entered(
            self.if_liked, others, steps, own + gone, 0.0, rewards + lost, self._rules.alpha
        )
        if others:
            more_lost = lost / others - gone - block.more_given_up(block.others)
            bet_on_missing(self.evidence, 0, more_lost, self._rules)
        if others and block.withdrawn:
            bet_on_withdrawn(self.evidence, 0, block.more_withdrawn(block.others), self._rules)
        elif others:  # a block that was shown in its order
            self.carry_over.add(block.order, block.before, rewards / others - own)

    def _decided(self, touched: list[int]) -> Ending | None:
        """A claim of an arm whose rewards seem to be missing unequally waits until that is settled, also one
        that was sure before."""
        apart = next((k for k in (0, *touched) if unequal(self.evidence, k, self._rules)), None)
        if apart is not None:
            return Ending("inconclusive", self._missing_unequally(apart))
        self._give_up()
        if self.better:
            return Ending("envy")
        return None if self.active else Ending("no_envy")

    def _give_up(self) -> None:
        """Arms that are surely not better by epsilon are not tried any more. Where no other is left, those of
        which that is in doubt again are.
        """
        sure = [k for k in self.reached["clear"] if self._is_clear(k)]
        self.active = [k for k in self.active if k not in sure]
        self.brought_back = not self.active and len(sure) < self.settings.arms
        if self.brought_back:
            self.active = [k for k in range(1, len(self.assigned)) if k not in sure]

    def _is_clear(self, arm: int) -> bool:
        """Whether it is certified that this arm is not better by epsilon."""
        return arm in self.reached["clear"] and not doubtful(self.evidence, arm, self._rules)

    def _missing_unequally(self, arm: int) -> str:
        of, whose = ([self.seen[arm]], f"of arm {arm}") if arm else (self.seen[1:], "of the other policies")
        own = self.seen[0]
        if withdrawn_unequally(self.evidence, arm, self._rules):
            offers = sum(one.withdrawn + one.count for one in of), own.withdrawn + own.count
            return (
                "Assignments are withdrawn in other shares under different policies "
                f"({sum(one.withdrawn for one in of) / offers[0]:.1%} {whose}, "
                f"{own.withdrawn / offers[1]:.1%} of the user's own), so those who were shown a policy are "
                "not those who were to see it; find out why one is shown less often, and start again."
            )
        share = sum(one.lost for one in of) / sum(one.count for one in of)
        return (
            f"Rewards are missing in other shares under different policies ({share:.1%} {whose}, "
            f"{own.lost / own.count:.1%} of the user's own), so counting them as 0 would compare what is "
            "reported and not what is liked; report all of them, also those that are 0, and start again."
        )

    # What is known

    @property
    def in_doubt(self) -> list[str]:
        """What seems to differ by policy, and keeps claims back: "missing" rewards, "withdrawn" assignments.
        Nothing once an arm is better that is in no doubt, for that claim needs no other arm.
        """
        return [] if self.better else in_doubt(self.evidence, self._rules)

    @property
    def better(self) -> list[int]:
        """Arms that are certified to be better than the user's own."""
        return [k for k in self.reached["envy"] if not doubtful(self.evidence, k, self._rules)]

    def bounds(self, arm: int) -> tuple[float, float | None, float]:
        """Limits of how much better this arm was than the user's own, on average over its blocks, around the
        estimate, whichever reading of what is missing is right, or if it is lost by chance, which leaves of
        a difference the share that is told; each side fails at any time with at most delta/2, for each arm by
        itself. What was decided of the arm is a limit, too, with the error of that
        decision: an arm that is better by epsilon is discarded with up to .9 delta.
        """
        if arm == 0 or self.evidence.blocks[arm] == 0:
            return (0.0, 0.0, 0.0) if arm == 0 else (-1.0, None, 1.0)
        low, high = math.inf, -math.inf
        for way, known in enumerate(self.readings):
            n = int(known.blocks[arm])
            # Rewards that are lost in blocks which have not entered count, too: that only makes limits wider.
            worst = (self._rules if way == AS_SHOWN else self._of_unshown).worst
            told = n if way == AS_SHOWN or worst else int(self.at_once[arm])
            told -= 0 if self._rules.worst else self.seen[arm].lost
            all_told = self._rules.worst or ((way == AS_SHOWN or worst) and not self.something_lost)
            for reading in range(1 + int(known.apart[arm])):
                total, squares = float(known.total[arm, reading]), float(known.squares[arm, reading])
                low = min(low, changing_sum_lower(total, squares, self._limits) / n)
                high = max(high, -changing_sum_lower(-total, squares, self._limits) / n)
                if not all_told:
                    # Of what was withdrawn the larger reading may have half of the share that is told.
                    share = 1.0 if way == AS_SHOWN or worst else 0.5
                    below, above = (
                        told_mean_lower(each, squares, told, n - told, self._limits) / share
                        for each in (total, -total)
                    )
                    low, high = min(low, below), max(high, -above)
        # What is clear is so of rewards as they are reported: of those that are lost, too, more may be true.
        clear = self._is_clear(arm) and (self._rules.worst or not self.something_lost)
        return (
            max(low, 0.0 if arm in self.better else -1.0),
            float(self._totals[arm] / self.evidence.blocks[arm]),
            min(high, self.settings.epsilon if clear else 1.0),
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
        """Visits with others' policies times how much worse each was in its settled blocks; where a policy
        has none yet, than all others together. What is missing is taken to be as what is reported.
        """
        if not self.seen[0].count:
            return None
        if not sum(self.assigned[1:]):
            return 0.0
        n, total = self._compared
        if not n.sum():
            return None
        differences = np.divide(total, n, out=np.full(len(n), total.sum() / n.sum()), where=n > 0)
        return float(-np.dot(self.assigned[1:], self._as_reported(differences)))

    @property
    def not_compared(self) -> int:
        """Visits with others' policies whose blocks are not settled: in the cost they are as the rest."""
        return sum(self.assigned[1:]) - int(self._compared[0].sum())

    @property
    def _compared(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Settled blocks of each of the others, also those that wait for earlier ones, and the sum of their
        differences, half-way between the readings.
        """
        n, total = self.evidence.blocks[1:].astype(float), self._totals[1:].copy()
        for block in self.blocks:
            for place, arm in enumerate(block.order):
                if arm > 0 and block.settled and arm not in block.entered:
                    (own, gone), (reward, lost) = block.own(), block.told(place)
                    n[arm - 1] += 1
                    total[arm - 1] += reward - own + (lost - gone) / 2
        return n, total

    def _as_reported(self, differences: NDArray[np.float64]) -> NDArray[np.float64]:
        """Differences in which a missing reward is 1/2, as if it were the average of those reported."""
        own, others = self.seen[0], self.seen[1:]
        count, lost = sum(one.count for one in others), sum(one.lost for one in others)
        if lost == count or own.lost == own.count:
            return differences
        more_lost = lost / count - own.lost / own.count
        average = own.total / (own.count - own.lost)
        return (differences + more_lost * (average - 0.5)) / (1 - lost / count)

    @property
    def something_lost(self) -> bool:
        """Whether a reward is missing, and so what is told may be less than what there is."""
        return any(one.lost for one in self.seen)

    @property
    def takes_as_others(self) -> bool:
        """Whether something was not told that is not taken as the worst that it can be."""
        withdrawn = any(one.withdrawn for one in self.seen)
        as_worst = self._of_unshown.worst and self.settings.unshown != AGAIN
        return (self.something_lost and not self._rules.worst) or (withdrawn and not as_worst)

    @property
    def not_counted(self) -> int:
        """Assignments of others' policies that were withdrawn: in no cost, though some may have been seen."""
        return sum(one.withdrawn for one in self.seen[1:])

    @property
    def differences_lower(self) -> float:
        """A lower bound for the sum of settled differences: the user lost no more than that."""
        known = (self.ledger,) if self._rules.worst else (self.ledger, self.if_liked)
        if self._rules.worst or not self.something_lost:
            return differences_lower(known, self._rules)
        return told_differences_lower(known, sum(one.lost for one in self.seen[1:]), self._rules)

    @property
    def likely_means(self) -> list[float]:
        own = (self.seen[0].total + 0.5) / (self.seen[0].count + 1)
        shrunk = self._totals / (self.evidence.blocks + 1)
        return [own, *np.clip(own + shrunk[1:], 0, 1).tolist()]

    def to_dict(self) -> dict[str, Any]:
        return written(self)

    def load(self, state: Mapping[str, Any]) -> None:
        read(self, state)
