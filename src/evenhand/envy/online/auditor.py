"""One user's audit, a recommendation at a time: would they be better off with somebody else's policy?

Algorithm 1 (OCEF) of Do and others (2022). The estimand: mu_0, the user's mean reward under their own policy,
against mu_1 ... mu_K under those of others; a reward is what was reported by the deadline, else 0. Two
outcomes are certificates, and they mean different things:

    envy        some mu_k > mu_0, whatever epsilon;
    no_envy     every mu_k <= mu_0 + epsilon.

With probability at least 1 - delta the outcome is right and, at every step t, the user has got at least 1 -
alpha of what their own policy gives: sum_{s <= t} mu_{k_s} >= (1 - alpha) t mu_0 (their constraint (3)).
`inconclusive` (budget spent, a policy changed, rewards drifted) is no certificate. How the error is shared
out: `rules.py`.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import fields
from numbers import Real
from typing import Any

import numpy as np

from evenhand.envy.online.arms import ArmEvidence, ExploredEvidence
from evenhand.envy.online.pending import Assignment, Pending
from evenhand.envy.online.rules import anticipated_upper, baseline_wanted, constraint_margin, rules_for
from evenhand.envy.online.settings import Settings
from evenhand.envy.online.states import flaw_of
from evenhand.errors import InputError
from evenhand.parameters import number, shown, text, whole
from evenhand.stats.randomness import seed_of

STATE = 1  # the version of what `to_dict` gives


class Auditor:
    """Says whose policy to show next, takes rewards, and decides as soon as it can.

        auditor = Auditor(arms=9, epsilon=.05, delta=.05, alpha=.4)
        while auditor.outcome is None:
            arm = auditor.next()                      # 0 is the user's own policy
            auditor.observe(arm, reward)              # in [0, 1]

    Rewards may come late and in any order: `assign` gives a numbered assignment with a deadline, `report`
    settles it, `expire` settles the overdue as 0. `bound="lil"` with `choice="uniform"` is the source's
    algorithm; `mixture` and `adaptive` (the arm with the highest upper bound; the bounds hold for any choice)
    keep its guarantees and are several times shorter. `drift` is the probability of calling stationary
    rewards drifting; 0 does not look. `users`: how many audits share `delta`. The random state is part of the
    state: the same observations give the same decisions. Events can be kept by a `listener`; the audit keeps
    their number and a chain of hashes, with which a certificate can be checked.
    """

    def __init__(
        self,
        arms: int,
        epsilon: float = 0.05,
        delta: float = 0.05,
        alpha: float = 0.4,
        bound: str = "mixture",
        choice: str = "adaptive",
        budget: int | None = None,
        rng: int | np.random.Generator = 0,
        *,
        drift: float = 0.01,
        users: int = 1,
    ) -> None:
        self.settings = Settings.checked(arms, epsilon, delta, alpha, bound, choice, budget, drift, users)
        self.seed = seed_of(rng)
        self.outcome: str | None = None
        self.reason: str | None = None
        self.step = 0
        self.events, self.digest = 0, ""
        self.listener: Callable[[list[Any]], None] | None = None
        self.version: str | None = None
        self.expired: set[int] = set()  # settled as 0 by expire(), and not reported since
        size = self.settings.arms + 1
        self.assigned = [0] * size
        self.arms = [ArmEvidence() for _ in range(size)]
        self.explored = ExploredEvidence()
        self.active = list(range(1, size))
        self._pending = Pending.empty(size)
        self._rng = np.random.default_rng(self.seed)
        self._rules = rules_for(*self.settings)

    # Choosing

    def next(self) -> int:
        """The arm to show now, 0 for the user's own; its reward is told to `observe`."""
        return self.assign().arm

    def assign(self, *, deadline: float | None = None, version: str | None = None) -> Assignment:
        """The next assignment. `deadline` is in the caller's own unit of time. `version` names the policies
        in use.

        When the version changes the audit is inconclusive, and this last assignment is of the user's own
        policy.
        """
        if self.outcome is not None:
            raise InputError(f"The audit is over ({self.outcome}); there is nothing more to assign.")
        if self.spent:
            raise InputError(
                f"The budget of {self.step:,} assignments is spent and {len(self._pending.outstanding):,} "
                "rewards are outstanding; report or expire them."
            )
        if deadline is not None:
            deadline = _time("deadline", deadline)
        if version is not None:
            version = text("version", version)
        changed = version is not None and self.version is not None and version != self.version
        if changed:
            self._stop(
                f"The policies changed from version {self.version!r} to {version!r} after {self.step:,} "
                "steps, and rewards of different policies cannot be put together; start a new audit."
            )
        self.version = version if version is not None and self.version is None else self.version
        candidate = self._candidate()
        self.step += 1
        arm = 0 if changed or self._must_stay(candidate) else candidate
        self.assigned[arm] += 1
        assignment = Assignment(self.step, arm, deadline)
        self._pending.add(assignment)
        self._tell(["assign", assignment.id, arm, deadline, version])
        return assignment

    def _candidate(self) -> int:
        if self._rules.adaptive:
            return max(self.active, key=self._anticipated)
        return self.active[int(self._rng.random() * len(self.active))]

    def _anticipated(self, arm: int) -> float:
        known = self.arms[arm]
        return anticipated_upper(known.high, known.count, known.total, self.assigned[arm])

    def _must_stay(self, candidate: int) -> bool:
        """Whether the baseline is shown: it is less known than the arms, or exploring might break (3)."""
        explored_means = self.explored.lower(self.arms, self._rules)
        if self._rules.lil:
            explored_means += self.arms[candidate].low
            narrowest = min(_width(self.arms[k]) for k in self.active)
            known_worse = _width(self.arms[0]) > narrowest
        else:
            pulls = [self.assigned[k] for k in self.active]
            known_worse = self.assigned[0] < baseline_wanted(sum(pulls), max(pulls))
        return known_worse or self._margin(explored_means, self.step) < 0.0

    def _margin(self, explored_means: float, step: int) -> float:
        alpha, upper = self._rules.alpha, self.arms[0].high
        return constraint_margin(explored_means, step, self.assigned[0], alpha, upper)

    # Learning

    def observe(self, arm: int, reward: float) -> None:
        """The reward of the oldest outstanding pull of this arm; once the audit is over it counts nothing."""
        arm = whole("arm", arm, 0, self.settings.arms)
        oldest = self._pending.oldest(arm)
        if oldest is None:
            raise InputError(
                f"No pull of arm {arm} is outstanding: observe an arm after next() gave it, once each."
            )
        self.deliver({oldest: reward})

    def report(self, assignment: int, reward: float, *, now: float | None = None) -> bool:
        """The reward of this assignment, reported at time `now`. Whether it counts.

        False if that is past its deadline, or `expire` was quicker (the assignment counts 0), and once the
        audit is over (nothing counts any more). A second report of an assignment is an InputError.
        """
        assignment = whole("assignment", assignment, 1)
        if assignment in self.expired:
            _checked_reward(reward)
            self.expired.remove(assignment)
            return False
        assignment = self._outstanding(assignment)
        deadline = self._pending.outstanding[assignment].deadline
        late = now is not None and deadline is not None and _time("now", now) > deadline
        reward = _checked_reward(reward)
        if self.outcome is not None:
            return False
        self.deliver({assignment: 0.0 if late else reward})
        return not late

    def expire(self, now: float) -> int:
        """Settle every assignment whose deadline is before `now` as 0; how many there were.

        None once the audit is over.
        """
        overdue = self._pending.overdue(_time("now", now))
        if self.outcome is not None:
            return 0
        self.expired.update(overdue)
        self.deliver(dict.fromkeys(overdue, 0.0))
        return len(overdue)

    def deliver(self, rewards: Mapping[int, float]) -> None:
        """Rewards by number of assignment, all known at the same time; the audit then decides once.

        After the outcome they are checked, and change nothing: a certificate stays what it was.
        """
        if not isinstance(rewards, Mapping):
            raise InputError(f"rewards is {shown(rewards)}, but must be a reward by number of assignment.")
        checked = {self._outstanding(i): _checked_reward(reward) for i, reward in rewards.items()}
        if self.outcome is not None:
            return
        if checked:
            self._tell(["deliver", sorted(checked.items())])
        touched = sorted({self._pending.settle(i, reward) for i, reward in checked.items()})
        for reward in self._pending.enter_by_time():
            self.explored.add(reward, self._rules)
        drifted = []
        for arm in touched:
            for reward in self._pending.enter_by_arm(arm):
                if self.arms[arm].add(reward, self._rules, arm, len(self.arms)):
                    drifted.append(arm)
        self._pending.forget_entered()
        if checked:
            self._decide(drifted)

    def _decide(self, drifted: list[int]) -> None:
        """Algorithm 1, lines 7 to 9."""
        if drifted:
            arm = self.arms[drifted[0]]
            self._stop(
                f"The rewards of arm {drifted[0]} drifted: the two halves of its first {arm.count:,} differ "
                "more than chance allows, and the audit assumes one distribution; find out what changed and "
                "start again."
            )
            return
        baseline = self.arms[0]
        self.active = [k for k in self.active if self.arms[k].high > baseline.low + self._rules.epsilon]
        if any(self.arms[k].low > baseline.high for k in self.active):
            self.outcome = "envy"
        elif not self.active:
            self.outcome = "no_envy"
        elif self.spent and not self._pending.outstanding:
            self._stop(
                f"The budget of {self.step:,} steps was spent with {len(self.active):,} of "
                f"{self.settings.arms:,} arms undecided; `needs` says how many steps an audit would take."
            )

    def _stop(self, reason: str) -> None:
        self.outcome, self.reason = "inconclusive", reason

    def _outstanding(self, assignment: int) -> int:
        assignment = whole("assignment", assignment, 1)
        if assignment not in self._pending.outstanding:
            known = assignment <= self.step
            why = "was settled already" if known else "was never made"
            raise InputError(f"Assignment {shown(assignment)} {why}, so no reward can be reported for it.")
        return assignment

    def _tell(self, event: list[Any]) -> None:
        """Add an event to the chain of hashes, and let the listener keep it."""
        line = json.dumps(event, separators=(",", ":"))
        self.digest = hashlib.sha256(f"{self.digest}\n{line}".encode()).hexdigest()
        self.events += 1
        if self.listener is not None:
            self.listener(json.loads(line))

    # What is known

    @property
    def outstanding(self) -> list[Assignment]:
        """Assignments whose rewards have not been settled."""
        return list(self._pending.outstanding.values())

    @property
    def spent(self) -> bool:
        """Whether the budget allows no further assignment."""
        return self.step >= self._rules.budget

    @property
    def intervals(self) -> list[tuple[float, float]]:
        """Bounds of every arm's mean, the baseline first; how sure each side is: `rules.py`."""
        return [(arm.low, arm.high) for arm in self.arms]

    @property
    def margin(self) -> float:
        """A lower bound for sum mu_{k_s} - (1 - alpha) t mu_0: how far constraint (3) is from broken.

        Where the user's own policy was shown in more than a share 1 - alpha of steps, the least mu_0 gives
        the least margin. A choice goes by the sign alone, which is not below 0 there whatever mu_0 is.
        """
        explored_means = self.explored.lower(self.arms, self._rules)
        own, alpha = self.arms[0], self._rules.alpha
        extreme = own.low if self.assigned[0] > (1.0 - alpha) * self.step else own.high
        return constraint_margin(explored_means, self.step, self.assigned[0], alpha, extreme)

    @property
    def cost(self) -> float | None:
        """Estimated reward lost to the audit, t mu_0 - sum mu_{k_s}; below 0 if the user gained."""
        baseline = self.arms[0].average
        if baseline is None:
            return None
        shown = zip(self.assigned[1:], self.arms[1:], strict=True)
        return sum(n * (baseline - arm.average) for n, arm in shown if arm.average is not None)

    @property
    def needs(self) -> dict[str, Any] | None:
        """What a longer audit would need: the arms left to decide, and about how many steps in all.

        That many steps are needed if every reward were its arm's average so far, and at least a quarter more
        than a budget that was spent; None for the number if it is above 20 million. None when the audit is
        decided.
        """
        if self.outcome in ("envy", "no_envy"):
            return None
        from evenhand.envy.online.planning import typical_duration  # compiled code, for those who ask

        # An arm hardly seen is taken as half-way between 0 and 1 by half a reward of each.
        means = [(arm.total + 0.5) / (arm.count + 1) for arm in self.arms]
        typical = typical_duration(means, self._rules)
        steps = typical
        if steps is not None and self.spent:
            steps = max(steps, self.step + self.step // 4 + 1)
        return {"arms": list(self.active), "steps": steps}

    def to_dict(self) -> dict[str, Any]:
        """The whole state, random state included, as plain JSON."""
        return {
            "state": STATE,
            "settings": self.settings.to_dict(),
            "seed": self.seed,
            "outcome": self.outcome,
            "reason": self.reason,
            "step": self.step,
            "version": self.version,
            "events": self.events,
            "digest": self.digest,
            "assigned": list(self.assigned),
            "arms": [arm.to_dict() for arm in self.arms],
            "explored": vars(self.explored).copy(),
            "active": list(self.active),
            "pending": self._pending.to_dict(),
            "expired": sorted(self.expired),
            "random": self._rng.bit_generator.state,
        }

    @classmethod
    def from_dict(cls, state: Mapping[str, Any]) -> Auditor:
        """An auditor that goes on where `to_dict` was called."""
        try:
            if state["state"] != STATE:
                raise InputError(
                    f"This is an audit's state of version {shown(state['state'])}, but {STATE} is needed."
                )
            auditor = cls(**{name: state["settings"][name] for name in Settings._fields}, rng=state["seed"])
            for name in ("outcome", "reason", "step", "version", "events", "digest"):
                setattr(auditor, name, state[name])
            auditor.assigned, auditor.active = list(state["assigned"]), list(state["active"])
            auditor.arms = [ArmEvidence(**_complete(ArmEvidence, arm)) for arm in state["arms"]]
            auditor.explored = ExploredEvidence(**_complete(ExploredEvidence, state["explored"]))
            auditor._pending = Pending.from_dict(state["pending"])
            auditor.expired = set(state.get("expired", ()))
            auditor._rng.bit_generator.state = state["random"]
            flaw = flaw_of(auditor, auditor._pending)
        except (AttributeError, LookupError, OverflowError, TypeError, ValueError) as error:
            raise InputError(f"This is not the state of an audit as to_dict() gives it ({error}).") from error
        if flaw is not None:
            raise InputError(f"This is not the state of an audit as to_dict() gives it: {flaw}.")
        return auditor


def _complete(kind: type, state: Mapping[str, Any]) -> dict[str, Any]:
    """What a part of the state holds; a KeyError where something is left out, which has no default here."""
    return {field.name: state[field.name] for field in fields(kind)}


def _width(arm: ArmEvidence) -> float:
    return math.inf if arm.radius is None else arm.radius


def _time(name: str, value: float) -> float:
    try:
        time = float(value) if isinstance(value, Real) and not isinstance(value, bool) else math.nan
    except OverflowError:  # a whole number of more than 300 digits
        time = math.inf
    if not math.isfinite(time):
        raise InputError(
            f"{name} is {shown(value)}, but must be a finite number, in the caller's unit of time."
        )
    return time


def _checked_reward(reward: float) -> float:
    if isinstance(reward, bool | np.bool_):  # clicked or not
        return float(reward)
    return number("reward", reward, 0, 1)
