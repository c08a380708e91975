"""A whole system: audits of several users that share one error, stopped at the first envy.

Algorithm 2 (AUDIT) of Do and others (2022) for the probabilistic criterion of their Definition 3.2, and the
exact one (all users, all policies). Two departures, both for the better: users and arms are drawn without
replacement, and the error is shared among users as `rules.py` says.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import partial
from typing import Any

import numpy as np

from evenhand.envy.online.auditor import Auditor, time_of
from evenhand.envy.online.chains import root_of
from evenhand.envy.online.drawing import (
    CRITERIA,
    draw_targets,
    error_for_audits,
    passes_for,
    sample_sizes,
    seeds_for,
    unforeseen_seed,
)
from evenhand.envy.online.pending import Assignment
from evenhand.envy.online.settings import AuditorSettings
from evenhand.errors import InputError
from evenhand.parameters import LARGEST_SEED, shown, text, whole
from evenhand.stats.randomness import seed_of

__all__ = ["SystemAudit", "digest_of", "drawn_places", "sample_sizes"]

SYSTEM_STATE = 1  # the version of what `SystemAudit.to_dict` gives
OPTED_OUT = "The user opted out."


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

    `users` are the ids of all users: text or numbers; none is kept but of those who were drawn. Who does not
    want to hand over everybody's gives `population`, a number, `digest`, that of all ids in their order
    (`digest_of`), and `ids`, those at the places that `drawn_places` names. `rng` draws users and policies,
    and seeds every audit; None takes a seed from the system's randomness. A `listener` hears (user, event)
    for the certificate. Nothing that is reported after the outcome counts.

    Who opts out is never replaced, because people who do may be others than those who stay. `dropouts` plans
    for it: more users are drawn, `no_envy` allows so many audits without a decision, and each must be so
    much surer (`passes`, by default what that takes) that one who stays by error is rare, whoever leaves.
    """

    def __init__(
        self,
        users: Iterable[Any] | None = None,
        epsilon: float = 0.05,
        delta: float = 0.05,
        alpha: float = 0.4,
        bound: str = "mixture",
        choice: str = "adaptive",
        budget: int | None = None,
        rng: int | np.random.Generator | None = None,
        *,
        gamma: float = 0.1,
        lambda_: float = 0.1,
        criterion: str = "probabilistic",
        drift: float = 0.01,
        design: str | None = None,
        unreported: str = "compare",
        unshown: str = "compare",
        dropouts: int = 0,
        population: int | None = None,
        digest: str | None = None,
        ids: Mapping[int, Any] | None = None,
        passes: int | None = None,
    ) -> None:
        if (users is None) == (population is None):
            raise InputError("Give either users, or a population with the ids of those who were drawn.")
        everybody = _checked_ids(users) if users is not None else None
        count = whole("population", population, 0) if everybody is None else len(everybody)
        self.population = count
        self.digest = digest if everybody is None else digest_of(everybody)
        self.seed = _seed_of(rng)
        generator = np.random.default_rng(self.seed)
        drawn = draw_targets(count, criterion, delta, gamma, lambda_, generator, dropouts)
        names = everybody if everybody is not None else _checked_names(ids, drawn)
        self.arms = {names[m]: [names[m], *(names[n] for n in arms)] for m, arms in drawn.items()}
        self.dropouts = dropouts
        seeds = seeds_for(len(self.arms), self.seed, generator)
        left = error_for_audits(criterion, delta)
        if passes is None:
            passes = passes_for(count, criterion, delta, gamma, lambda_, dropouts)
        self._take(
            Auditor(
                len(arms) - 1, epsilon, left, alpha, bound, choice, budget, seed, drift=drift,
                users=len(self.arms), design=design, unreported=unreported, unshown=unshown,
                passes=passes,
            )
            for arms, seed in zip(self.arms.values(), seeds, strict=True)
        )  # fmt: skip
        one = next(iter(self.audits.values())).settings
        self.settings = settings_of(one, criterion, delta, gamma, lambda_, dropouts)

    def _take(self, audits: Iterable[Auditor]) -> None:
        """The audits of the users drawn, before anything has happened."""
        self.audits = dict(zip(self.arms, audits, strict=True))
        self.version: str | None = None
        self.listener: Callable[[Any, list[Any]], None] | None = None
        self._changed: str | None = None
        self.linked_only: set[Any] = set()  # users whose events were deleted, in an audit that is over
        self.agreed: dict[str, Any] | None = None  # what a service asked beside the settings
        self.bound_by_log = False  # whether that, settings and population were found as the log says
        for user, audit in self.audits.items():
            audit.listener = partial(self._heard, user)

    def _heard(self, user: Any, event: list[Any]) -> None:
        if self.listener is not None:
            self.listener(user, event)

    @property
    def events(self) -> int:
        """Events of all users."""
        return sum(audit.events for audit in self.audits.values())

    @property
    def root(self) -> str:
        """A hash over the heads of the users' chains."""
        return root_of(audit.digest for audit in self.audits.values())

    @property
    def outcome(self) -> str | None:
        if self._changed is not None:
            return "inconclusive"
        outcomes = [audit.outcome for audit in self.audits.values()]
        if "envy" in outcomes:
            return "envy"
        if None in outcomes:
            return None
        return "inconclusive" if outcomes.count("inconclusive") > self.dropouts else "no_envy"

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
    def policies_changed(self) -> bool:
        """Whether the outcome is inconclusive because the version of the policies changed."""
        return self._changed is not None

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
        return self._assigned(user, None, None)[1]

    def assign(self, user: Any, *, deadline: float, version: str | None = None) -> tuple[Assignment, Any]:
        """An assignment of this user's audit, and whose policy it is.

        When the version of the policies changes, for whichever user, the system is inconclusive, and this
        last assignment is of the user's own policy.
        """
        return self._assigned(user, time_of("deadline", deadline), version)

    def _assigned(self, user: Any, deadline: float | None, version: str | None) -> tuple[Assignment, Any]:
        if self.outcome is not None:
            raise InputError(
                f"The audit of the system is over ({self.outcome}); there is nothing more to assign."
            )
        audit = self._audit(user)
        version = self.version if version is None else text("version", version)
        if version is not None and self.version is not None and version != self.version:
            if audit.outcome is not None:
                raise InputError(f"The audit is over ({audit.outcome}); there is nothing more to assign.")
            assignment = audit.last_assignment(deadline, version, self.version)
            self._end_of_versions(self.version, version)
        else:
            # That of the system, whoever it was told for, so that the log of each user says it.
            assignment = audit.assign_by(deadline, version)
            self.version = version
        return assignment, self.arms[user][assignment.arm]

    def _end_of_versions(self, before: str, version: str) -> None:
        self._changed = (
            f"The policies changed from version {before!r} to {version!r} after {self.step - 1:,} "
            "steps of the system, and rewards of different policies cannot be put together; start a new "
            "audit."
        )

    def take_versions(self) -> None:
        """What the users' logs, each folded for itself, say of the version of the policies."""
        known = [audit.version for audit in self.audits.values() if audit.version is not None]
        self.version = known[0] if known else None
        changed = [audit.changed for audit in self.audits.values() if audit.changed is not None]
        if changed and self.version is not None:
            self._end_of_versions(self.version, changed[0])

    def assign_earlier(self, user: Any, deadline: float | None, version: str | None) -> None:
        """As earlier versions logged it: a user's events did not say the version that others had told."""
        audit, before = self.audits[user], self.version
        if version is not None and before is not None and version != before:
            audit.last_assignment(deadline, version, before)
        else:
            audit.assign_by(deadline, version)
            self.version = before if version is None else version

    def withdraw(self, user: Any, assignment: int) -> None:
        """As `Auditor.withdraw`: it was never shown. Nothing changes once the audit of the system is over."""
        audit = self._audit(user)
        if self.outcome is None:
            audit.withdraw(assignment)

    def opt_out(self, user: Any) -> None:
        """This user's audit ends without a decision, and nobody takes their place."""
        audit = self._audit(user)
        if self.outcome is None:
            audit.end(OPTED_OUT)

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
                settled += len(audit.expire(now))
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
            "state": SYSTEM_STATE,
            "population": self.population,
            "population_digest": self.digest,
            "settings": dict(self.settings),
            "seed": self.seed,
            "version": self.version,
            "changed": self._changed,
            "arms": [[user, list(arms)] for user, arms in self.arms.items()],
            "audits": [audit.to_dict() for audit in self.audits.values()],
        }

    @classmethod
    def from_dict(cls, state: Mapping[str, Any]) -> SystemAudit:
        system = cls.__new__(cls)
        try:
            audits = [Auditor.from_dict(audit) for audit in state["audits"]]
            if state["state"] != SYSTEM_STATE:
                raise ValueError(f"it is of version {shown(state['state'])}, but {SYSTEM_STATE} is needed")
            system.population, system.digest = state["population"], state["population_digest"]
            system.settings, system.seed = dict(state["settings"]), state["seed"]
            system.dropouts = system.settings["dropouts"]
            system.arms = {user: list(arms) for user, arms in state["arms"]}
            for (user, arms), audit in zip(system.arms.items(), audits, strict=True):
                if arms[:1] != [user] or len(set(arms)) < len(arms):
                    raise ValueError(f"the policies tried for {shown(user)} are not those of users")
                if len(arms) != audit.settings.arms + 1:
                    raise ValueError(f"the audit of {shown(user)} is of another number of policies")
            if system.settings["criterion"] not in CRITERIA or not audits:
                raise ValueError("its criterion or its users are not there")
            if len(audits) != len(state["arms"]):
                raise ValueError("its users and their audits are not as many")
            system._take(audits)
            system.version, system._changed = state["version"], state["changed"]
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            raise InputError(
                f"This is not the state of a system's audit as to_dict() gives it ({error})."
            ) from error
        return system


def settings_of(
    one: AuditorSettings, criterion: str, delta: float, gamma: float, lambda_: float, dropouts: int
) -> dict[str, Any]:
    """Settings of a system, by those of the audit of one user and what is asked of all together."""
    checked = one.to_dict()
    kept = (
        "epsilon",
        "alpha",
        "bound",
        "choice",
        "budget",
        "drift",
        "design",
        "unreported",
        "unshown",
        "passes",
    )
    return {
        "criterion": criterion, "epsilon": checked["epsilon"], "delta": float(delta),
        "gamma": float(gamma), "lambda_": float(lambda_),
        **{name: checked[name] for name in kept if name in checked},
        "dropouts": dropouts,
    }  # fmt: skip


def digest_of(ids: Iterable[Any]) -> str:
    """A hash over the ids of all users in their order, each as JSON in a line: whoever has the ids can see
    later that places stood for the people who are named.
    """
    lines = "".join(json.dumps(_plain(user)) + "\n" for user in ids)
    return hashlib.sha256(lines.encode()).hexdigest()


def drawn_places(
    population: int,
    seed: int,
    *,
    delta: float = 0.05,
    gamma: float = 0.1,
    lambda_: float = 0.1,
    criterion: str = "probabilistic",
    dropouts: int = 0,
) -> list[int]:
    """Places, counted from 0, of the users whose ids an audit with this seed needs: those who are audited,
    and those whose policies they try.
    """
    generator = np.random.default_rng(seed)
    drawn = draw_targets(population, criterion, delta, gamma, lambda_, generator, dropouts)
    return sorted({place for user, arms in drawn.items() for place in (user, *arms)})


def _seed_of(rng: int | np.random.Generator | None) -> int:
    """As given, or as drawn here before, which a log has; None takes one that nobody can foresee."""
    if rng is None:
        return unforeseen_seed()
    return rng if isinstance(rng, int) and rng > LARGEST_SEED else seed_of(rng)


def _checked_ids(users: Any) -> list[Any]:
    """Plain Python, so that a state can be written as JSON."""
    try:
        if isinstance(users, str):
            raise TypeError("text is not a list of users")
        found = [_plain(user) for user in users]
        repeated = len(set(found)) < len(found)
    except TypeError:
        raise InputError(f"users is {shown(users)}, but must be a list of ids, such as names.") from None
    if repeated:
        raise InputError("users has the same user more than once.")
    return found


def _checked_names(ids: Any, drawn: Mapping[int, list[int]]) -> dict[int, Any]:
    """Ids by place, of everybody who was drawn and of nobody else."""
    if not isinstance(ids, Mapping):
        raise InputError(f"ids is {shown(ids)}, but must be the id of each user drawn, by place.")
    places = {place for user, arms in drawn.items() for place in (user, *arms)}
    names = {place: _plain(ids[place]) for place in places if place in ids}
    if len(names) < len(places) or len(ids) > len(places):
        raise InputError(
            f"ids has {len(ids):,} users, of whom {len(names):,} were drawn, but must have the "
            f"{len(places):,} who were drawn; `drawn_places` names their places."
        )
    if len(set(names.values())) < len(names):
        raise InputError("ids has the same user more than once.")
    return names


def _plain(user: Any) -> Any:
    """The id of a user as JSON keeps it."""
    plain = user.item() if isinstance(user, np.generic) else user
    if isinstance(plain, str | int) or (isinstance(plain, float) and math.isfinite(plain)):
        return plain
    raise InputError(
        f"{user!r} cannot be the id of a user: ids are text or finite numbers, which JSON keeps."
    )
