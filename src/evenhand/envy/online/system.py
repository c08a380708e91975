"""A whole system: audits of several users that share one error, stopped at the first envy.

Algorithm 2 (AUDIT) of Do and others (2022) for the probabilistic criterion of their Definition 3.2, and the
exact one (all users, all policies). Two departures, both for the better: users and arms are drawn without
replacement, and the error is shared among users as `rules.py` says.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import partial
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
    user_count: int, criterion: str, delta: float, gamma: float, lambda_: float, rng: np.random.Generator
) -> dict[int, list[int]]:
    """Users to audit, by place, each with the users whose policies to try; all of them if few."""
    if user_count < 2:
        raise InputError(
            f"A system of {user_count:,} users has no other user's policy to try; at least 2 are needed."
        )
    targets, arms = targets_and_arms(user_count, criterion, delta, gamma, lambda_)
    chosen = (
        np.arange(user_count)
        if targets == user_count
        else np.sort(rng.choice(user_count, targets, replace=False))
    )
    found = {}
    for user in chosen.tolist():
        # Places among the others: nothing of the size of the population is made for each user.
        others = (
            np.arange(arms) if arms == user_count - 1 else rng.choice(user_count - 1, arms, replace=False)
        )
        found[user] = (others + (others >= user)).tolist()
    return found


def targets_and_arms(
    user_count: int, criterion: str, delta: float, gamma: float, lambda_: float
) -> tuple[int, int]:
    """How many of so many users are drawn, and how many others for each."""
    targets, arms = sample_sizes(delta, gamma, lambda_)
    if one_of("criterion", criterion, CRITERIA) == "exact":
        targets = arms = user_count
    return min(targets, user_count), min(arms, user_count - 1)


class Unnamed(Sequence[Any]):
    """So many users, of whom only some have names: nobody hears of the others, and any id will do."""

    def __init__(self, names: Mapping[int, Any], count: int) -> None:
        self.names, self.size = names, count

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, place: Any) -> Any:
        if not 0 <= place < self.size:
            raise IndexError(place)
        return self.names.get(place, f"\0{place}")


def error_for_audits(criterion: str, delta: float) -> float:
    """What is left of `delta` for the audits: a third when two go to the drawing of users and arms."""
    return delta if criterion == "exact" else delta / 3


def _ids(users: Any) -> list[Any]:
    """Plain Python, so that a state can be written as JSON."""
    if isinstance(users, str):
        raise TypeError("text is not a list of users")
    return [_plain(user) for user in users]


class SystemAudit:
    """Audits of the users drawn, run side by side in whatever order these users turn up.

        system = SystemAudit(user_ids, epsilon=.05, delta=.05, alpha=.2)
        while system.outcome is None:
            for user in system.waiting:
                policy_of = system.next(user)                     # the user whose policy to show
                system.observe(user, policy_of, reward)

    `envy` as soon as one user has it; `no_envy` when all users drawn have none: then, with probability at
    least 1 - delta, the system is (epsilon, gamma, lambda)-envy-free (`exact`: epsilon-envy-free).
    `inconclusive` at once when the version of the policies changes, for whichever user. When one user's
    audit ends by drift or budget, `no_envy` is out of reach, but the others go on: they may find envy.

    `users` are the ids of all users: text or numbers. `rng` draws users and policies, and seeds every audit.
    A `listener` hears (user, event) for the certificate. Nothing that is reported after the outcome counts.
    """

    def __init__(
        self,
        users: Iterable[Any],
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
        design: str | None = None,
        unreported: str = "compare",
    ) -> None:
        try:
            self.users: Sequence[Any] = users if isinstance(users, Unnamed) else _ids(users)
            named = users.names.values() if isinstance(users, Unnamed) else self.users
            repeated = len(set(named)) < len(named)
        except TypeError:
            raise InputError(f"users is {shown(users)}, but must be a list of ids, such as names.") from None
        if repeated:
            raise InputError("users has the same user more than once.")
        self.seed = seed_of(rng)
        self.settings: dict[str, Any] = {
            "criterion": one_of("criterion", criterion, CRITERIA),
            "epsilon": epsilon, "delta": delta, "gamma": gamma, "lambda_": lambda_, "alpha": alpha,
            "bound": bound, "choice": choice, "budget": budget, "drift": drift,
        }  # fmt: skip
        generator = np.random.default_rng(self.seed)
        drawn = draw_targets(len(self.users), criterion, delta, gamma, lambda_, generator)
        self.arms = {
            self.users[m]: [self.users[m], *(self.users[n] for n in arms)] for m, arms in drawn.items()
        }
        seeds = generator.integers(2**32, size=len(self.arms)).tolist()
        left = error_for_audits(criterion, delta)
        self._take(
            Auditor(
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
                design=design,
                unreported=unreported,
            )
            for arms, seed in zip(self.arms.values(), seeds, strict=True)
        )
        checked = next(iter(self.audits.values())).settings.to_dict()
        names = ("epsilon", "alpha", "bound", "choice", "budget", "drift", "design", "unreported")
        kept = {name: checked[name] for name in names}
        shares = {"delta": float(delta), "gamma": float(gamma), "lambda_": float(lambda_)}
        self.settings |= kept | shares

    def _take(self, audits: Iterable[Auditor]) -> None:
        """The audits of the users drawn, before anything has happened."""
        self.audits = dict(zip(self.arms, audits, strict=True))
        self.version: str | None = None
        self.events, self.digest = 0, ""
        self.listener: Callable[[Any, list[Any]], None] | None = None
        self._changed: str | None = None
        for user, audit in self.audits.items():
            audit.listener = partial(self._heard, user)

    def _heard(self, user: Any, event: list[Any]) -> None:
        """Events of all users in their order have a chain of hashes, too."""
        line = json.dumps([user, event], separators=(",", ":"))
        self.digest = hashlib.sha256(f"{self.digest}\n{line}".encode()).hexdigest()
        self.events += 1
        if self.listener is not None:
            self.listener(user, event)

    @property
    def outcome(self) -> str | None:
        if self._changed is not None:
            return "inconclusive"
        outcomes = [audit.outcome for audit in self.audits.values()]
        if "envy" in outcomes:
            return "envy"
        if None in outcomes:
            return None
        return "inconclusive" if "inconclusive" in outcomes else "no_envy"

    @property
    def reason(self) -> str | None:
        """Why the outcome is inconclusive."""
        if self.outcome != "inconclusive" or self._changed is not None:
            return self._changed
        ended = {user: audit for user, audit in self.audits.items() if audit.outcome == "inconclusive"}
        user, first = next(iter(ended.items()))
        return (
            f"The audits of {len(ended):,} of {len(self.audits):,} users ended without a decision; "
            f"that of user {user!r}: {first.reason}"
        )

    @property
    def needs(self) -> dict[str, Any] | None:
        """The users left to decide, and about how many steps their audits would take, all together.

        As `Auditor.needs` says it for each: None for the number if one of them has none, and None when the
        system is decided.
        """
        if self.outcome in ("envy", "no_envy"):
            return None
        needs = {user: audit.needs for user, audit in self.audits.items()}
        steps = [need["steps"] for need in needs.values() if need is not None]
        return {
            "users": [user for user, need in needs.items() if need is not None],
            "steps": None if None in steps else sum(steps),
        }

    @property
    def step(self) -> int:
        """Recommendations of all users so far."""
        return sum(audit.step for audit in self.audits.values())

    @property
    def cost(self) -> float | None:
        """Estimated reward that all users together lost to the audit; None before anything is known."""
        known = [audit.cost for audit in self.audits.values() if audit.cost is not None]
        return sum(known) if known else None

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
        """An assignment of this user's audit, and whose policy it is.

        When the version of the policies changes, for whichever user, the system is inconclusive, and this
        last assignment is of the user's own policy.
        """
        if self.outcome is not None:
            raise InputError(
                f"The audit of the system is over ({self.outcome}); there is nothing more to assign."
            )
        audit = self._audit(user)
        audit.version = self.version  # that of the system, whoever it was told for
        assignment = audit.assign(deadline=deadline, version=version)
        self.version = audit.version
        if audit.outcome is not None:  # an assignment ends an audit only by its version
            self._changed = (
                f"The policies changed from version {self.version!r} to {version!r} after {self.step - 1:,} "
                "steps of the system, and rewards of different policies cannot be put together; start a new "
                "audit."
            )
        return assignment, self.arms[user][assignment.arm]

    def observe(self, user: Any, policy_of: Any, reward: float) -> None:
        """The reward of the oldest outstanding recommendation of that policy to this user."""
        audit = self._audit(user)
        if not isinstance(policy_of, Hashable) or policy_of not in self.arms[user]:
            raise InputError(
                f"The policy of {shown(policy_of)} is not among those tried for user {shown(user)}."
            )
        if self.outcome is None:
            audit.observe(self.arms[user].index(policy_of), reward)

    def report(self, user: Any, assignment: int, reward: float, *, now: float | None = None) -> bool:
        """As `Auditor.report`: whether the reward counts. None does once the audit of the system is over."""
        audit = self._audit(user)
        return self.outcome is None and audit.report(assignment, reward, now=now)

    def deliver(self, user: Any, rewards: Mapping[int, float]) -> None:
        """As `Auditor.deliver`: rewards of this user that are known at the same time."""
        audit = self._audit(user)
        if self.outcome is None:
            audit.deliver(rewards)

    def expire(self, now: float) -> int:
        """Settle what is overdue, for all users until the first envy; how many assignments there were."""
        settled = 0
        for audit in self.audits.values():
            if self.outcome is None:
                settled += audit.expire(now)
        return settled

    def _audit(self, user: Any) -> Auditor:
        if not isinstance(user, Hashable) or _plain(user) not in self.audits:
            raise InputError(
                f"User {shown(user)} is not among the {len(self.audits):,} drawn for this audit."
            )
        return self.audits[user]

    def to_dict(self) -> dict[str, Any]:
        """The whole state as plain JSON; the listener is no part of it."""
        return {
            "users": list(self.users),
            "settings": dict(self.settings),
            "seed": self.seed,
            "version": self.version,
            "changed": self._changed,
            "events": self.events,
            "digest": self.digest,
            "arms": [[user, list(arms)] for user, arms in self.arms.items()],
            "audits": [audit.to_dict() for audit in self.audits.values()],
        }

    @classmethod
    def from_dict(cls, state: Mapping[str, Any]) -> SystemAudit:
        system = cls.__new__(cls)
        try:
            system.users, system.settings = list(state["users"]), dict(state["settings"])
            system.seed = state["seed"]
            system.arms = {user: list(arms) for user, arms in state["arms"]}
            audits = [Auditor.from_dict(audit) for audit in state["audits"]]
            known = set(system.users)
            for (user, arms), audit in zip(system.arms.items(), audits, strict=True):
                if arms[:1] != [user] or len(set(arms)) < len(arms) or not known.issuperset(arms):
                    raise ValueError(f"the policies tried for {shown(user)} are not those of users")
                if len(arms) != audit.settings.arms + 1:
                    raise ValueError(f"the audit of {shown(user)} is of another number of policies")
            if system.settings["criterion"] not in CRITERIA or not audits:
                raise ValueError("its criterion or its users are not there")
            if len(audits) != len(state["arms"]):
                raise ValueError("its users and their audits are not as many")
            system._take(audits)
            system.version, system._changed = state["version"], state["changed"]
            system.events, system.digest = state["events"], state["digest"]
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            raise InputError(
                f"This is not the state of a system's audit as to_dict() gives it ({error})."
            ) from error
        return system


def _plain(user: Any) -> Any:
    """The id of a user as JSON keeps it."""
    plain = user.item() if isinstance(user, np.generic) else user
    if isinstance(plain, str | int) or (isinstance(plain, float) and math.isfinite(plain)):
        return plain
    raise InputError(
        f"{user!r} cannot be the id of a user: ids are text or finite numbers, which JSON keeps."
    )
