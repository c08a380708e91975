"""The certificate of a whole system: what was drawn, what came out for everybody drawn, and what it means.

Its log has the events of all users in their order, each as [user, event]. The draw follows from the seed and
the number of users, so that a certificate can be checked without the ids of those who were not drawn.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Any

import numpy as np

from evenhand.envy.online.assumptions import assumptions_of
from evenhand.envy.online.system import SystemAudit, Unnamed, draw_targets, targets_and_arms
from evenhand.errors import InputError
from evenhand.parameters import whole

KIND = "envy of a system"
OTHERS_DRAWN = "The users or policies of the certificate are not those that its seed draws."


def about_system(system: SystemAudit) -> dict[str, Any]:
    """Fields of a system's certificate after its schema, kind and software."""
    return {
        "settings": dict(system.settings),
        "seed": system.seed,
        "population": len(system.users),
        "users_drawn": len(system.arms),
        "arms_each": len(next(iter(system.arms.values()))) - 1,
        "outcome": system.outcome,
        "meaning": _meaning(system),
        "assumptions": list(assumptions_of(*(system.settings[n] for n in ("design", "bound", "unreported")))),
        "reason": system.reason,
        "duration": system.step,
        "cost": system.cost,
        "policy_version": system.version,
        "users": [
            {
                "user": user,
                "policies_of": system.arms[user],
                "outcome": audit.outcome,
                "duration": audit.step,
                "cost": audit.cost,
                "constraint_margin": audit.margin,
                "exploring_share": sum(audit.assigned[1:]) / audit.step if audit.step else None,
                "events": {"count": audit.events, "sha256": audit.digest},
            }
            for user, audit in system.audits.items()
        ],
        "events": {"count": system.events, "sha256": system.digest},
    }


def _meaning(system: SystemAudit) -> str:
    asked = system.settings
    sure = f"The error is at most {asked['delta']:g}, those of the constraints of all users included."
    if system.outcome == "envy":
        users = ", ".join(repr(user) for user in system.envious)
        return f"User {users} would be better off with a policy tried, by any amount above 0. {sure}"
    if system.outcome == "no_envy" and asked["criterion"] == "exact":
        return f"No user would get more than {asked['epsilon']:g} above their own by another's policy. {sure}"
    if system.outcome == "no_envy":
        return (
            f"At most a share {asked['lambda_']:g} of users would get more than {asked['epsilon']:g} above "
            f"their own by more than a share {asked['gamma']:g} of the policies of others. {sure}"
        )
    if system.outcome == "inconclusive":
        return (
            "Nothing is certified: the audit ended before it could decide. One that is begun in its place "
            "has an error of its own, and the errors add up: give it a smaller delta."
        )
    return "Nothing is certified yet: the audit is running."


def system_of(document: Mapping[str, Any]) -> SystemAudit:
    """The audit of this certificate, before its first event; an InputError if its seed draws other users."""
    options, seed = dict(document["settings"]), document["seed"]
    population = whole("population", document["population"], 2)
    stated = [list(row["policies_of"]) for row in document["users"]]
    criterion, delta, gamma, lambda_ = (options[name] for name in ("criterion", "delta", "gamma", "lambda_"))
    # Before anything is drawn: a population of millions must not take long to be refused.
    targets, arms = targets_and_arms(population, criterion, delta, gamma, lambda_)
    if len(stated) != targets or any(len(row) != arms + 1 for row in stated):
        raise InputError("The certificate does not have as many users and policies as its settings draw.")
    generator = np.random.default_rng(whole("seed", seed, 0))
    drawn = draw_targets(population, criterion, delta, gamma, lambda_, generator)
    places = [[user, *arms] for user, arms in drawn.items()]
    names: dict[int, Any] = {}
    for place, name in zip(chain(*places), chain(*stated), strict=True):
        if names.setdefault(place, name) != name:
            raise InputError(OTHERS_DRAWN)
    if len(set(names.values())) < len(names):
        raise InputError(OTHERS_DRAWN)
    return SystemAudit(Unnamed(names, population), **options, rng=seed)
