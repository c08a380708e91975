"""A whole system: audits of several users that share one error, stopped at the first envy.

Algorithm 2 (AUDIT) of Do and others (2022) for the probabilistic criterion of their Definition 3.2, and the
exact one (all users, all policies). Two departures, both for the better: users and arms are drawn without
replacement, and the error is shared among users as `rules.py` says.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from evenhand.envy.online.auditor import Auditor
from evenhand.envy.online.pending import Assignment
from evenhand.errors import InputError
from evenhand.parameters import choice as one_of
from evenhand.parameters import number, shown
from evenhand.stats.randomness import seed_of

# Of a smaller share than this no system has a user.
LEAST_SHARE = 1e-12
CRITERIA = ("probabilistic", "exact")


def sample_sizes(delta: float = 0.05, gamma: float = 0.1, lambda_: float = 0.1) -> tuple[int, int]:
    """How many users to audit, and against how many others' policies each (Theorem 2):

    M = ceil(log(3/delta)/lambda), K = ceil(log(3 M/delta)/log(1/(1 - gamma))).

    If more than a share `lambda_` of users are (epsilon, gamma)-envious, then M users drawn at random include
    one but for delta/3, and the K policies drawn for that user include one they envy but for delta/(3 M).
    """
    delta = number("delta", delta, 0, 0.5, above=True)
    gamma, lambda_ = (_share(name, value) for name, value in (("gamma", gamma), ("lambda_", lambda_)))
    for name, value in (("delta", delta), ("gamma", gamma), ("lambda_", lambda_)):
        if value < LEAST_SHARE:
            raise InputError(f"{name} is {value:g}, but must be at least {LEAST_SHARE:g}.")
    users = math.ceil(math.log(3 / delta) / lambda_)
    return users, math.ceil(math.log(3 * users / delta) / -math.log1p(-gamma))


def _share(name: str, value: float) -> float:
    share = number(name, value, 0, 1, above=True)
    if share == 1:
        raise InputError(f"{name} is 1, but must be below 1: a share of everybody allows any envy.")
    return share


def draw_targets(
    users: int, criterion: str, delta: float, gamma: float, lambda_: float, rng: np.random.Generator
) -> dict[int, list[int]]:
    """Users to audit, by place, each with the users whose policies to try; all of them if few."""
    if users < 2:
        raise InputError(
            f"A system of {users:,} users has no other user's policy to try; at least 2 are needed."
        )
    targets, arms = sample_sizes(delta, gamma, lambda_)
    if one_of("criterion", criterion, CRITERIA) == "exact":
        targets = arms = users
    everybody = np.arange(users)
    chosen = everybody if targets >= users else np.sort(rng.choice(users, targets, replace=False))
    found = {}
    for user in chosen.tolist():
        others = np.delete(everybody, user)
        found[user] = (others if arms >= users - 1 else rng.choice(others, arms, replace=False)).tolist()
    return found


def error_for_audits(criterion: str, delta: float) -> float:
    """What is left of `delta` for the audits: a third when two go to the drawing of users and arms."""
    return delta if criterion == "exact" else delta / 3


def _ids(users: Any) -> list[Any]:
    """Plain Python, so that a state can be written as JSON."""
    if isinstance(users, str):
        raise TypeError("text is not a list of users")
    return [user.item() if isinstance(user, np.generic) else user for user in users]


class SystemAudit:
    """Audits of the users drawn, run side by side in whatever order these users turn up.

        system = SystemAudit(user_ids, epsilon=.05, delta=.05, alpha=.2)
        while system.outcome is None:
            for user in system.waiting:
                policy_of = system.next(user)                     # the user whose policy to show
                system.observe(user, policy_of, reward)

    `envy` as soon as one user has it; `no_envy` when all users drawn have none: then, with probability at
    least 1 - delta, the system is (epsilon, gamma, lambda)-envy-free (`exact`: epsilon-envy-free).
    """

    def __init__(
        self,
        users: Sequence[Hashable],
        epsilon: float = 0.05,
        delta: float = 0.05,
        alpha: float = 0.4,
        bound: str = "mixture",
        choice: str = "adaptive",
        budget: int | None = None,
        rng: int | np.random.Generator = 0,
        *,
        gamma: float = 0.1,
        lambda_: float = 0.1,
        criterion: str = "probabilistic",
        drift: float = 0.01,
    ) -> None:
        try:
            self.users = _ids(users)
            repeated = len(set(self.users)) < len(self.users)
        except TypeError:
            raise InputError(f"users is {shown(users)}, but must be a list of ids, such as names.") from None
        if repeated:
            raise InputError("users has the same user more than once.")
        self.criterion = one_of("criterion", criterion, CRITERIA)
        self.seed = seed_of(rng)
        generator = np.random.default_rng(self.seed)
        drawn = draw_targets(len(self.users), criterion, delta, gamma, lambda_, generator)
        self.arms = {
            self.users[m]: [self.users[m], *(self.users[n] for n in arms)] for m, arms in drawn.items()
        }
        seeds = generator.integers(2**32, size=len(self.arms)).tolist()
        left = error_for_audits(self.criterion, delta)
        self.audits = {
            user: Auditor(
                len(arms) - 1,
                epsilon,
                left,
                alpha,
                bound,
                choice,
                budget,
                seed,
                drift=drift,
                users=len(self.arms),
            )
            for (user, arms), seed in zip(self.arms.items(), seeds, strict=True)
        }

    @property
    def outcome(self) -> str | None:
        outcomes = [audit.outcome for audit in self.audits.values()]
        if "envy" in outcomes:
            return "envy"
        if None in outcomes:
            return None
        return "inconclusive" if "inconclusive" in outcomes else "no_envy"

    @property
    def waiting(self) -> list[Any]:
        """Users whose next recommendation the audit wants to choose; none once the outcome is known."""
        if self.outcome is not None:
            return []
        return [user for user, audit in self.audits.items() if audit.outcome is None and not audit.spent]

    @property
    def envious(self) -> list[Any]:
        return [user for user, audit in self.audits.items() if audit.outcome == "envy"]

    def next(self, user: Any) -> Any:
        """The user whose policy to show to this one, who may be the same."""
        return self.assign(user)[1]

    def assign(
        self, user: Any, *, deadline: float | None = None, version: str | None = None
    ) -> tuple[Assignment, Any]:
        """An assignment of this user's audit, and whose policy it is."""
        if self.outcome is not None:
            raise InputError(
                f"The audit of the system is over ({self.outcome}); there is nothing more to assign."
            )
        assignment = self._audit(user).assign(deadline=deadline, version=version)
        return assignment, self.arms[user][assignment.arm]

    def observe(self, user: Any, policy_of: Any, reward: float) -> None:
        """The reward of the oldest outstanding recommendation of that policy to this user."""
        audit = self._audit(user)
        if not isinstance(policy_of, Hashable) or policy_of not in self.arms[user]:
            raise InputError(
                f"The policy of {shown(policy_of)} is not among those tried for user {shown(user)}."
            )
        audit.observe(self.arms[user].index(policy_of), reward)

    def report(self, user: Any, assignment: int, reward: float, *, now: float | None = None) -> bool:
        return self._audit(user).report(assignment, reward, now=now)

    def expire(self, now: float) -> int:
        return sum(audit.expire(now) for audit in self.audits.values())

    def _audit(self, user: Any) -> Auditor:
        if not isinstance(user, Hashable) or user not in self.audits:
            raise InputError(
                f"User {shown(user)} is not among the {len(self.audits):,} drawn for this audit."
            )
        return self.audits[user]

    def to_dict(self) -> dict[str, Any]:
        """The whole state; JSON if the names of users are."""
        return {
            "users": list(self.users),
            "criterion": self.criterion,
            "seed": self.seed,
            "arms": [[user, list(arms)] for user, arms in self.arms.items()],
            "audits": [audit.to_dict() for audit in self.audits.values()],
        }

    @classmethod
    def from_dict(cls, state: Mapping[str, Any]) -> SystemAudit:
        system = cls.__new__(cls)
        try:
            system.users, system.criterion = list(state["users"]), state["criterion"]
            system.seed = state["seed"]
            system.arms = {user: list(arms) for user, arms in state["arms"]}
            audits = [Auditor.from_dict(audit) for audit in state["audits"]]
            system.audits = dict(zip(system.arms, audits, strict=True))
            known = set(system.users)
            for (user, arms), audit in zip(system.arms.items(), audits, strict=True):
                if arms[:1] != [user] or len(set(arms)) < len(arms) or not known.issuperset(arms):
                    raise ValueError(f"the policies tried for {shown(user)} are not those of users")
                if len(arms) != audit.settings.arms + 1:
                    raise ValueError(f"the audit of {shown(user)} is of another number of policies")
            if system.criterion not in CRITERIA or not audits or len(audits) != len(state["arms"]):
                raise ValueError("its criterion or its users are not there")
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            raise InputError(
                f"This is not the state of a system's audit as to_dict() gives it ({error})."
            ) from error
        return system
