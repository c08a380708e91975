"""The unpaired design: policies are shown one at a time, as the published algorithm does, and the average
rewards of an arm and of the user's own are held against each other although they were seen at different
times.

It assumes that mean rewards stay. Where the level of all policies moves while the choice moves from arm to
arm, the time is taken for the policy: with equal policies and a level that rises from .3 to .5 most audits
say "envy". `drift` looks for such changes, and finds large ones only.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from evenhand.envy.online.designs.draws import Draws
from evenhand.envy.online.designs.rules import (
    anticipated_upper,
    baseline_wanted,
    constraint_margin,
    rules_for,
)
from evenhand.envy.online.designs.unpaired_evidence import ArmEvidence, ExploredEvidence
from evenhand.envy.online.pending import Assignment, Pending
from evenhand.envy.online.settings import AuditorSettings
from evenhand.errors import InputError

NO_WITHDRAWAL = (
    "The unpaired design cannot take an assignment back: it has no test of whether one policy's are taken "
    "back more often; take design 'blocks' (--design)."
)


@dataclass(frozen=True)
class Ending:
    """The outcome of an audit, and why it is inconclusive."""

    outcome: str
    reason: str | None = None


class Unpaired:
    """Evidence, choice and decision of an audit by arms' means; how the error is shared out: `rules.py`."""

    def __init__(self, settings: AuditorSettings, draws: Draws) -> None:
        size = settings.arms + 1
        self.settings, self.draws = settings, draws
        self.arms = [ArmEvidence() for _ in range(size)]
        self.explored = ExploredEvidence()
        self.active = list(range(1, size))
        self.pending = Pending.empty(size)
        self.assigned = [0] * size
        self._rules = rules_for(settings)

    # Choosing

    def next_arm(self, step: int) -> tuple[int, None]:
        """The arm of this step, counted from 1; there are no blocks, and no order of one."""
        candidate = self._candidate(step)
        return (0 if self._must_stay(candidate, step) else candidate), None

    def add(self, assignment: Assignment, order: list[int] | None) -> None:
        self.assigned[assignment.arm] += 1
        self.pending.add(assignment)

    def withdraw(self, assignment: int) -> None:
        raise InputError(NO_WITHDRAWAL)

    def _candidate(self, step: int) -> int:
        if self._rules.adaptive:
            return max(self.active, key=self._anticipated)
        return self.active[int(self.draws.alone(step) * len(self.active))]

    def _anticipated(self, arm: int) -> float:
        known = self.arms[arm]
        return anticipated_upper(known.high, known.count, known.total, self.assigned[arm])

    def _must_stay(self, candidate: int, step: int) -> bool:
        """Whether the baseline is shown: it is less known than the arms, or exploring might break (3)."""
        explored_means = self.explored.lower(self.arms, self._rules)
        if self._rules.lil:
            explored_means += self.arms[candidate].low
            narrowest = min(_width(self.arms[k]) for k in self.active)
            known_worse = _width(self.arms[0]) > narrowest
        else:
            pulls = [self.assigned[k] for k in self.active]
            known_worse = self.assigned[0] < baseline_wanted(sum(pulls), max(pulls))
        alpha, upper = self._rules.alpha, self.arms[0].high
        return known_worse or constraint_margin(explored_means, step, self.assigned[0], alpha, upper) < 0.0

    # Learning

    @property
    def outstanding(self) -> dict[int, Assignment]:
        return self.pending.outstanding

    def oldest(self, arm: int) -> int | None:
        """The first outstanding assignment of this arm."""
        return self.pending.oldest(arm)

    def settle(self, rewards: Mapping[int, float | None]) -> Ending | None:
        """Take these rewards (what is missing is 0), enter what waits for nothing else, and decide."""
        known = {i: 0.0 if reward is None else reward for i, reward in rewards.items()}
        touched = sorted({self.pending.settle(i, reward) for i, reward in known.items()})
        for reward in self.pending.enter_by_time():
            self.explored.add(reward, self._rules)
        drifted = []
        for arm in touched:
            for reward in self.pending.enter_by_arm(arm):
                if self.arms[arm].add(reward, self._rules, arm, len(self.arms)):
                    drifted.append(arm)
        self.pending.forget_entered()
        return self._decided(drifted) if rewards else None

    def _decided(self, drifted: list[int]) -> Ending | None:
        """Algorithm 1, lines 7 to 9."""
        if drifted:
            arm = self.arms[drifted[0]]
            return Ending(
                "inconclusive",
                f"The rewards of arm {drifted[0]} drifted: the two halves of its first {arm.count:,} differ "
                "more than chance allows, and the audit assumes one distribution; take design 'blocks', or "
                "find out what changed and start again.",
            )
        baseline = self.arms[0]
        self.active = [k for k in self.active if self.arms[k].high > baseline.low + self._rules.epsilon]
        if any(self.arms[k].low > baseline.high for k in self.active):
            return Ending("envy")
        return None if self.active else Ending("no_envy")

    # What is known

    @property
    def better(self) -> list[int]:
        """Arms that are certified to be better than the user's own."""
        return [k for k in self.active if self.arms[k].low > self.arms[0].high]

    def bounds(self, arm: int) -> tuple[float, float | None, float]:
        """Limits of the arm's mean, around its average; how sure each side is: `rules.py`."""
        known = self.arms[arm]
        return known.low, known.average, known.high

    def margin(self, step: int) -> float:
        """A lower bound for how far constraint (3) is from broken.

        Where the user's own policy was shown in more than a share 1 - alpha of steps, the least mu_0 gives
        the least margin. A choice goes by the sign alone, which is not below 0 there whatever mu_0 is.
        """
        explored_means = self.explored.lower(self.arms, self._rules)
        own, alpha = self.arms[0], self._rules.alpha
        extreme = own.low if self.assigned[0] > (1.0 - alpha) * step else own.high
        return constraint_margin(explored_means, step, self.assigned[0], alpha, extreme)

    @property
    def cost(self) -> float | None:
        baseline = self.arms[0].average
        if baseline is None:
            return None
        shown = zip(self.assigned[1:], self.arms[1:], strict=True)
        return sum(n * (baseline - arm.average) for n, arm in shown if arm.average is not None)

    @property
    def likely_means(self) -> list[float]:
        """An arm hardly seen is taken as half-way between 0 and 1 by half a reward of each."""
        return [(arm.total + 0.5) / (arm.count + 1) for arm in self.arms]

    def to_dict(self) -> dict[str, Any]:
        return {
            "arms": [asdict(arm) for arm in self.arms],
            "explored": asdict(self.explored),
            "active": list(self.active),
            "pending": self.pending.to_dict(),
        }

    def load(self, state: Mapping[str, Any]) -> None:
        self.active = list(state["active"])
        self.arms = [ArmEvidence(**_complete(ArmEvidence, arm)) for arm in state["arms"]]
        self.explored = ExploredEvidence(**_complete(ExploredEvidence, state["explored"]))
        self.pending = Pending.from_dict(state["pending"])


def _complete(kind: type, state: Mapping[str, Any]) -> dict[str, Any]:
    """What a part of the state holds; a KeyError where something is left out, which has no default here."""
    return {field.name: state[field.name] for field in fields(kind)}


def _width(arm: ArmEvidence) -> float:
    return math.inf if arm.radius is None else arm.radius
