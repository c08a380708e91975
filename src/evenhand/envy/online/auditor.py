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

import json
import math
from collections.abc import Callable, Iterable, Mapping
from numbers import Real
from typing import Any

import numpy as np

from evenhand.asked.declared.envy_online import AskedAuditor
from evenhand.envy.online.chains import grown, leaf_of
from evenhand.envy.online.designs.blocks import Blocks
from evenhand.envy.online.designs.draws import Draws, seed_for
from evenhand.envy.online.designs.unpaired import NO_WITHDRAWAL, Ending, Unpaired
from evenhand.envy.online.pending import Assignment
from evenhand.envy.online.settings import AuditorSettings, with_later
from evenhand.envy.online.states import flaw_of, of_this_version
from evenhand.errors import InputError
from evenhand.parameters import number, shown, text, whole

# The version of what `to_dict` gives; of the fourth to sixth nothing is missing while nothing is doubted.
STATE = 7
# Events that a service keeps in a user's log beside those of the audit, to which they are nothing.
OF_THE_SERVICE = ("person", "agreed", "shown")


class Auditor:
    """Says whose policy to show next, takes rewards, and decides as soon as it can.

        auditor = Auditor(arms=9, epsilon=.05, delta=.05, alpha=.4)
        while auditor.outcome is None:
            arm = auditor.next()                      # 0 is the user's own policy
            auditor.observe(arm, reward)              # in [0, 1]

    Rewards may come late and in any order: `assign` gives a numbered assignment with a deadline, `report`
    settles it, `expire` settles the overdue as missing, and `withdraw` takes back what was never shown.

    `design="blocks"` compares policies within randomised blocks of steps, so that a level which moves for all
    policies alike changes nothing. `"unpaired"` compares averages of different times, and assumes that means
    stay; `drift` is the probability that it calls stationary rewards drifting (0 does not look). There
    `bound="lil"` with `choice="uniform"` is Do and others' algorithm, and `mixture` one of tighter bounds;
    the published bound alone asks for the unpaired design. `adaptive` tries the arms with the highest upper
    bounds; the guarantees hold for any choice. `unreported`: with "compare" a missing reward is 0, and the
    audit is inconclusive where policies lose different shares; with "worst" it is the worst that it can be,
    for each claim (blocks only). `unshown`: what is withdrawn is offered again, and with "compare" a claim
    must also hold with it as 0 and as 1, so that dislikes nobody tells were shown hide nothing; with "worst"
    with it as the worst that it can be; with "again" it need not. `users`: how many audits share `delta`;
    `passes`: among how many of them the error of one that passes is shared, because others may leave.

    Whatever happens is an event, and the state is exactly what `apply` makes of the events in their order:
    `Auditor.fold(settings, seed, events)` is the same audit again. Events, a JSON list each:

        ["assign", id, arm, deadline, version, order]     order: of the block that begins here, else null;
                                                          [] where the step belongs to no block
        ["withdraw", id]
        ["deliver", [[id, reward or null], ...]]          known at the same time
        ["end", outcome, reason]

    A `listener` hears each before it counts; the audit keeps their number and a chain of hashes, with which
    a certificate can be checked. What is drawn for a block follows from the seed and the number of the block;
    `rng=None` takes a seed from the system's randomness.
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
        rng: int | np.random.Generator | None = None,
        *,
        drift: float = 0.01,
        users: int = 1,
        design: str | None = None,
        unreported: str = "compare",
        unshown: str = "compare",
        passes: int = 1,
    ) -> None:
        asked = AskedAuditor.checked(
            epsilon=epsilon, delta=delta, alpha=alpha, bound=bound, choice=choice, budget=budget, drift=drift,
            users=users, design=design, unreported=unreported, unshown=unshown, passes=passes,
        )  # fmt: skip
        self.settings = AuditorSettings.of(arms, asked, asked.unshown, asked.passes)
        self.seed = seed_for(rng)
        self.outcome: str | None = None
        self.reason: str | None = None
        self.step, self.made = 0, 0  # steps are those assignments that were not withdrawn
        self.events, self.digest = 0, ""
        self.listener: Callable[[list[Any]], None] | None = None
        self.version: str | None = None
        self.changed: str | None = None  # the version that ended the audit
        kind = Blocks if self.settings.design == "blocks" else Unpaired
        self.design: Blocks | Unpaired = kind(self.settings, Draws(self.seed))

    # Choosing

    def next(self) -> int:
        """The arm to show now, 0 for the user's own; its reward is told to `observe`, at once."""
        return self.assign_by(None, None).arm

    def assign(self, *, deadline: float, version: str | None = None) -> Assignment:
        """The next assignment. `deadline` is in the caller's own unit of time: without one, a reward that
        never comes would hold up all later ones. `version` names the policies in use.

        When the version changes the audit is inconclusive, and this last assignment is of the user's own
        policy.
        """
        return self.assign_by(time_of("deadline", deadline), version)

    def assign_by(self, deadline: float | None, version: str | None) -> Assignment:
        """As `assign`; without a deadline for those alone who tell the reward at once."""
        if self.outcome is not None:
            raise InputError(f"The audit is over ({self.outcome}); there is nothing more to assign.")
        if self.spent:
            raise InputError(
                f"The budget of {self.step:,} assignments is spent and {len(self.design.outstanding):,} "
                "rewards are outstanding; report or expire them."
            )
        if version is not None:
            version = text("version", version)
        if version is not None and self.version is not None and version != self.version:
            return self.last_assignment(deadline, version, self.version)
        arm, order = self.design.next_arm(self.step + 1)
        self._record(["assign", self.made + 1, arm, deadline, version, order])
        return self.design.outstanding[self.made]

    def last_assignment(self, deadline: float | None, version: str, before: str) -> Assignment:
        """Of the user's own policy, after which the audit ends because the policies changed."""
        reason = (
            f"The policies changed from version {before!r} to {version!r} after {self.step:,} "
            "steps, and rewards of different policies cannot be put together; start a new audit."
        )
        self._record(["assign", self.made + 1, 0, deadline, version, []])
        self.end(reason)
        return self.design.outstanding[self.made]

    def withdraw(self, assignment: int) -> None:
        """Take back an assignment that was never shown: it is no step, has no reward, and its place in its
        block is offered again at the next visit. When that is to happen for the third time to another's
        policy, its reward is missing instead, unless `unshown` is "again". Once the audit is over nothing
        changes any more.
        """
        assignment = self._outstanding(assignment)
        if not isinstance(self.design, Blocks):
            raise InputError(NO_WITHDRAWAL)
        if self.outcome is None and self.design.is_given_up(assignment):
            self.deliver({assignment: None})
        elif self.outcome is None:
            self._record(["withdraw", assignment])

    def end(self, reason: str) -> None:
        """End the audit without a decision; nothing where it is over."""
        if self.outcome is None:
            self._record(["end", "inconclusive", text("reason", reason)])

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

        False if that is past its deadline (it is missing then), if it was settled or withdrawn before, and
        once the audit is over: nothing of that counts.
        """
        assignment = whole("assignment", assignment, 1)
        reward = _checked_reward(reward)
        if 1 <= assignment <= self.made and assignment not in self.design.outstanding:
            return False
        assignment = self._outstanding(assignment)
        deadline = self.design.outstanding[assignment].deadline
        late = now is not None and deadline is not None and time_of("now", now) > deadline
        if self.outcome is not None:
            return False
        self.deliver({assignment: None if late else reward})
        return not late

    def expire(self, now: float) -> list[int]:
        """Settle every assignment whose deadline is before `now` as missing; which these were.

        None once the audit is over.
        """
        now = time_of("now", now)
        waiting = self.design.outstanding.values()
        overdue = [one.id for one in waiting if one.deadline is not None and one.deadline < now]
        if self.outcome is not None:
            return []
        self.deliver(dict.fromkeys(overdue))
        return overdue

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
        ending = self._record(["deliver", [[i, checked[i]] for i in sorted(checked)]])
        if ending is None and self.spent and not self.design.outstanding:
            ending = Ending(
                "inconclusive",
                f"The budget of {self.step:,} steps was spent with {len(self.active):,} of "
                f"{self.settings.arms:,} arms undecided; `needs` says how many steps an audit would take.",
            )
        if ending is not None:
            self._record(["end", ending.outcome, ending.reason])

    def _outstanding(self, assignment: int) -> int:
        assignment = whole("assignment", assignment, 1)
        if assignment not in self.design.outstanding:
            known = assignment <= self.made
            why = "was settled or withdrawn already" if known else "was never made"
            raise InputError(f"Assignment {shown(assignment)} {why}, so no reward can be reported for it.")
        return assignment

    # Events

    @classmethod
    def fold(
        cls, settings: AuditorSettings | Mapping[str, Any], seed: int, events: Iterable[list[Any]]
    ) -> Auditor:
        """The audit that these events make."""
        asked = settings.to_dict() if isinstance(settings, AuditorSettings) else dict(settings)
        auditor = cls(**with_later(asked), rng=seed)
        for event in events:
            auditor.apply(event)
        return auditor

    def apply(self, event: list[Any]) -> None:
        """Let this event, as it was logged, happen here: its arm, order, time and outcome are taken as they
        are, nothing is drawn and nothing is decided. An InputError where it cannot have happened.
        """
        try:
            self._apply(event)
        except InputError as error:
            raise InputError(f"Event {self.events + 1:,} of the log is not possible: {error}") from error
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            raise InputError(f"Event {self.events + 1:,} of the log cannot be read ({error}).") from error

    def _record(self, event: list[Any]) -> Ending | None:
        """An event that happens now: the listener hears it first, so that nothing counts that is not kept.
        What the rewards, if it has some, decide.
        """
        if self.listener is not None:
            self.listener(json.loads(json.dumps(event)))
        return self._apply(event)

    def _apply(self, event: list[Any]) -> Ending | None:
        kind, *rest = event
        if kind in OF_THE_SERVICE:
            return None
        if self.outcome is not None:
            raise InputError(f"the audit is over ({self.outcome}).")
        ending = None
        if kind == "assign":
            self._assigned(*rest)
        elif kind == "withdraw":
            (assignment,) = rest
            self.design.withdraw(self._outstanding(assignment))
            self.step -= 1
        elif kind == "deliver":
            (delivered,) = rest
            rewards = {self._outstanding(i): reward for i, reward in delivered}
            if not all(reward is None or 0 <= reward <= 1 for reward in rewards.values()):
                raise InputError("a reward is not from 0 to 1.")
            ending = self.design.settle(rewards)
        elif kind == "end":
            self.outcome, self.reason = rest
            if self.outcome == "no_envy":
                self.design.active = []  # also where an earlier version decided in doubt
        else:
            raise InputError(f"it is {shown(kind)}, but must be assign, withdraw, deliver or end.")
        self.events += 1
        self.digest = grown(self.digest, leaf_of(event))
        return ending

    def _assigned(
        self, number: int, arm: int, deadline: float | None, version: str | None, order: list[int] | None
    ) -> None:
        if number != self.made + 1:
            raise InputError(f"assignment {shown(number)} cannot come after {self.made:,}.")
        self.design.add(Assignment(number, arm, deadline), order)
        self.made += 1
        self.step += 1
        if order == []:
            self.changed = version
        elif self.version is None:
            self.version = version

    # What is known

    @property
    def outstanding(self) -> list[Assignment]:
        """Assignments whose rewards have not been settled."""
        return list(self.design.outstanding.values())

    def open(self, assignment: int) -> Assignment | None:
        """The assignment of this number, if its reward has not been settled."""
        return self.design.outstanding.get(assignment)

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
        """The whole state as plain JSON: it grows with what is outstanding, and not with the steps."""
        return {
            "state": STATE,
            "settings": self.settings.to_dict(),
            "seed": self.seed,
            "outcome": self.outcome,
            "reason": self.reason,
            "step": self.step,
            "made": self.made,
            "version": self.version,
            "changed": self.changed,
            "events": self.events,
            "digest": self.digest,
            "assigned": list(self.assigned),
            **self.design.to_dict(),
        }

    @classmethod
    def from_dict(cls, state: Mapping[str, Any]) -> Auditor:
        """An auditor that goes on where `to_dict` was called."""
        try:
            state = of_this_version(state, (4, 5, 6, STATE))
            settings = with_later(state["settings"])
            auditor = cls(**{name: settings[name] for name in AuditorSettings._fields}, rng=state["seed"])
            for name in ("outcome", "reason", "step", "made", "version", "changed", "events", "digest"):
                setattr(auditor, name, state[name])
            auditor.design.load(state)
            auditor.design.assigned = list(state["assigned"])
            flaw = flaw_of(auditor)
        except (AttributeError, LookupError, OverflowError, TypeError, ValueError) as error:
            raise InputError(f"This is not the state of an audit as to_dict() gives it ({error}).") from error
        if flaw is not None:
            raise InputError(f"This is not the state of an audit as to_dict() gives it: {flaw}.")
        return auditor


def time_of(name: str, value: float) -> float:
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
