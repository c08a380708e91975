"""One user's audit, a recommendation at a time: would they be better off with somebody else's policy?

Algorithm 1 (OCEF) of Do and others (2022). The estimand: mu_0, the user's mean reward under their own policy,
against mu_1 ... mu_K under those of others; a reward is what was reported by the deadline, else 0. Two
outcomes are certificates, and they mean different things:

    envy        some mu_k > mu_0, whatever epsilon;
    no_envy     every mu_k <= mu_0 + epsilon.

With probability at least 1 - delta the outcome is right and, at every step t, the user has got at least 1 -
alpha of what their own policy gives: sum_{s <= t} mu_{k_s} >= (1 - alpha) t mu_0 (their constraint (3)).
`inconclusive` (budget spent, a policy changed, rewards drifted or missing unequally) is no certificate. How
the error is shared out, and what is assumed: `block_rules.py` for randomised blocks, `rules.py` for the
unpaired design.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping
from numbers import Real
from typing import Any

import numpy as np

from evenhand.asked.declared.envy_online import AskedAuditor
from evenhand.envy.online.designs.blocks import Blocks
from evenhand.envy.online.designs.unpaired import Ending, Unpaired
from evenhand.envy.online.pending import Assignment
from evenhand.envy.online.settings import AuditorSettings
from evenhand.envy.online.states import flaw_of, of_this_version
from evenhand.errors import InputError
from evenhand.parameters import number, shown, text, whole
from evenhand.stats.randomness import seed_of

STATE = 3  # the version of what `to_dict` gives


class Auditor:
    """Says whose policy to show next, takes rewards, and decides as soon as it can.

        auditor = Auditor(arms=9, epsilon=.05, delta=.05, alpha=.4)
        while auditor.outcome is None:
            arm = auditor.next()                      # 0 is the user's own policy
            auditor.observe(arm, reward)              # in [0, 1]

    Rewards may come late and in any order: `assign` gives a numbered assignment with a deadline, `report`
    settles it, `expire` settles the overdue as missing.

    `design="blocks"` compares policies within randomised blocks of steps, so that a level which moves for all
    policies alike changes nothing. `"unpaired"` compares averages of different times, and assumes that means
    stay; `drift` is the probability that it calls stationary rewards drifting (0 does not look). There
    `bound="lil"` with `choice="uniform"` is the source's algorithm, and `mixture` one of tighter bounds; the
    published bound alone asks for the unpaired design. `adaptive` tries the arms with the highest upper
    bounds; the guarantees hold for any choice. `unreported`: with "compare" a missing reward is 0, and the
    audit is inconclusive where policies lose different shares; with "worst" it is the worst that it can be,
    for each claim (blocks only). `users`: how many audits share `delta`.

    The random state is part of the state: the same observations give the same decisions. Events can be kept
    by a `listener`; the audit keeps their number and a chain of hashes, with which a certificate can be
    checked.
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
        design: str | None = None,
        unreported: str = "compare",
    ) -> None:
        asked = AskedAuditor.checked(
            epsilon=epsilon, delta=delta, alpha=alpha, bound=bound, choice=choice, budget=budget, drift=drift,
            users=users, design=design, unreported=unreported,
        )  # fmt: skip
        self.settings = AuditorSettings.of(arms, asked)
        self.seed = seed_of(rng)
        self.outcome: str | None = None
        self.reason: str | None = None
        self.step = 0
        self.events, self.digest = 0, ""
        self.listener: Callable[[list[Any]], None] | None = None
        self.version: str | None = None
        self.expired: set[int] = set()  # settled as 0 by expire(), and not reported since
        self._rng = np.random.default_rng(self.seed)
        kind = Blocks if self.settings.design == "blocks" else Unpaired
        self.design: Blocks | Unpaired = kind(self.settings, self._rng)

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
                f"The budget of {self.step:,} assignments is spent and {len(self.design.outstanding):,} "
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
        arm = 0 if changed else self.design.next_arm(self.step + 1)
        self.step += 1
        assignment = Assignment(self.step, arm, deadline)
        self.design.add(assignment)
        self._tell(["assign", assignment.id, arm, deadline, version])
        return assignment

    # Learning

    def observe(self, arm: int, reward: float) -> None:
        """The reward of the oldest outstanding pull of this arm; once the audit is over it counts nothing."""
        arm = whole("arm", arm, 0, self.settings.arms)
        oldest = self.design.oldest(arm)
        if oldest is None:
            raise InputError(
                f"No pull of arm {arm} is outstanding: observe an arm after next() gave it, once each."
            )
        self.deliver({oldest: _checked_reward(reward)})

    def report(self, assignment: int, reward: float, *, now: float | None = None) -> bool:
        """The reward of this assignment, reported at time `now`. Whether it counts.

        False if that is past its deadline, or `expire` was quicker (it is missing then), and once the audit
        is over (nothing counts any more). A second report of an assignment is an InputError.
        """
        assignment = whole("assignment", assignment, 1)
        if assignment in self.expired:
            _checked_reward(reward)
            self.expired.remove(assignment)
            return False
        assignment = self._outstanding(assignment)
        deadline = self.design.outstanding[assignment].deadline
        late = now is not None and deadline is not None and _time("now", now) > deadline
        reward = _checked_reward(reward)
        if self.outcome is not None:
            return False
        self.deliver({assignment: None if late else reward})
        return not late

    def expire(self, now: float) -> int:
        """Settle every assignment whose deadline is before `now` as missing; how many there were.

        None once the audit is over.
        """
        now = _time("now", now)
        waiting = self.design.outstanding.values()
        overdue = [one.id for one in waiting if one.deadline is not None and one.deadline < now]
        if self.outcome is not None:
            return 0
        self.expired.update(overdue)
        self.deliver(dict.fromkeys(overdue))
        return len(overdue)

    def deliver(self, rewards: Mapping[int, float | None]) -> None:
        """Rewards by number of assignment, all known at the same time; the audit then decides once.

        None is a reward that is missing for good. After the outcome they are checked, and change nothing: a
        certificate stays what it was.
        """
        if not isinstance(rewards, Mapping):
            raise InputError(f"rewards is {shown(rewards)}, but must be a reward by number of assignment.")
        none = None if self.settings.design == "blocks" else 0.0
        checked = {
            self._outstanding(i): none if reward is None else _checked_reward(reward)
            for i, reward in rewards.items()
        }
        if self.outcome is not None or not checked:
            return
        self._tell(["deliver", [list(one) for one in sorted(checked.items(), key=lambda one: one[0])]])
        ending = self.design.settle(checked)
        if ending is None and self.spent and not self.design.outstanding:
            ending = Ending(
                "inconclusive",
                f"The budget of {self.step:,} steps was spent with {len(self.active):,} of "
                f"{self.settings.arms:,} arms undecided; `needs` says how many steps an audit would take.",
            )
        if ending is not None:
            self.outcome, self.reason = ending.outcome, ending.reason

    def _stop(self, reason: str) -> None:
        self.outcome, self.reason = "inconclusive", reason

    def _outstanding(self, assignment: int) -> int:
        assignment = whole("assignment", assignment, 1)
        if assignment not in self.design.outstanding:
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
        return list(self.design.outstanding.values())

    @property
    def active(self) -> list[int]:
        """Arms that are not yet discarded."""
        return self.design.active

    @property
    def assigned(self) -> list[int]:
        """How often each arm was shown, the user's own first."""
        return self.design.assigned

    @property
    def spent(self) -> bool:
        """Whether the budget allows no further assignment."""
        return self.settings.budget is not None and self.step >= self.settings.budget

    @property
    def intervals(self) -> list[tuple[float, float]]:
        """Bounds of every arm, the user's own first. In blocks, of how much better it is than the own policy
        (which is 0, 0); unpaired, of its mean. How sure each side is: `Blocks.bounds`, `rules.py`.
        """
        return [self.design.bounds(arm)[::2] for arm in range(len(self.assigned))]

    @property
    def margin(self) -> float:
        """A lower bound for sum mu_{k_s} - (1 - alpha) t mu_0: how far constraint (3) is from broken."""
        return self.design.margin(self.step)

    @property
    def cost(self) -> float | None:
        """Estimated reward lost to the audit, t mu_0 - sum mu_{k_s}; below 0 if the user gained."""
        return self.design.cost

    @property
    def needs(self) -> dict[str, Any] | None:
        """What a longer audit would need: the arms left to decide, and about how many steps in all.

        That many steps are needed if arms are as they seem so far (unpaired: if every reward were its arm's
        average), and at least a quarter more than a budget that was spent; None for the number if it is above
        20 million. None when the audit is decided.
        """
        if self.outcome in ("envy", "no_envy"):
            return None
        from evenhand.envy.online.simulated.planning import (
            typical_duration,  # compiled code, for those who ask
        )

        steps = typical_duration(self.design.likely_means, self.settings)
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
            **self.design.to_dict(),
            "expired": sorted(self.expired),
            "random": self._rng.bit_generator.state,
        }

    @classmethod
    def from_dict(cls, state: Mapping[str, Any]) -> Auditor:
        """An auditor that goes on where `to_dict` was called."""
        try:
            state = of_this_version(state, STATE)
            auditor = cls(
                **{name: state["settings"][name] for name in AuditorSettings._fields}, rng=state["seed"]
            )
            for name in ("outcome", "reason", "step", "version", "events", "digest"):
                setattr(auditor, name, state[name])
            auditor.design.load(state)
            auditor.design.assigned = list(state["assigned"])
            auditor.expired = set(state.get("expired", ()))
            auditor._rng.bit_generator.state = state["random"]
            flaw = flaw_of(auditor)
        except (AttributeError, LookupError, OverflowError, TypeError, ValueError) as error:
            raise InputError(f"This is not the state of an audit as to_dict() gives it ({error}).") from error
        if flaw is not None:
            raise InputError(f"This is not the state of an audit as to_dict() gives it: {flaw}.")
        return auditor


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
