"""The certificate of a whole system: what was drawn, what came out for everybody drawn, and what it means.

Its log has the events of all users, each as [user, event]; each user has a chain of hashes, and the root is
over their heads. The draw follows from the seed and the number of users, so that a certificate can be checked
without the ids of those who were not drawn.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from evenhand.envy.online.assumptions import ASSUMED_BY, assumptions_of
from evenhand.envy.online.auditor import Auditor
from evenhand.envy.online.certificates.doubts import warnings_of, warnings_of_rows
from evenhand.envy.online.chains import root_of
from evenhand.envy.online.designs.blocks import Blocks
from evenhand.envy.online.drawing import draw_targets, targets_and_arms
from evenhand.envy.online.settings import with_later
from evenhand.envy.online.system import SystemAudit
from evenhand.errors import InputError
from evenhand.parameters import whole

KIND = "envy of a system"
# Of users whose events were deleted.
_NOT_MEASURED = dict.fromkeys(("duration", "cost", "constraint_margin", "exploring_share"))
_OF_ONE, _OF_ONE_EARLIER = "The audit of 1 user", "The audits of 1 users"
OTHERS_DRAWN = "The users or policies of the certificate are not those that its seed draws."


def about_system(system: SystemAudit, chains: Mapping[Any, tuple[int, str]] | None = None) -> dict[str, Any]:
    """Fields of a system's certificate after its schema, kind and software."""
    if chains is None:
        chains = {user: (audit.events, audit.digest) for user, audit in system.audits.items()}
    rows = [
        {
            "user": user,
            "policies_of": system.arms[user],
            "outcome": audit.outcome,
            **_better(system, user),
            "reason": audit.reason,
            "warnings": warnings_of(audit),
            **(_NOT_MEASURED if user in system.linked_only else _measured(audit)),
            "events": dict(zip(("count", "sha256"), chains[user], strict=True)),
        }
        for user, audit in system.audits.items()
    ]
    return {
        "settings": dict(system.settings),
        **({} if system.agreed is None else {"agreed": system.agreed}),
        "seed": system.seed,
        "population": system.population,
        "population_digest": system.digest,
        "users_drawn": len(system.arms),
        "arms_each": len(next(iter(system.arms.values()))) - 1,
        "outcome": system.outcome,
        "meaning": _meaning(system),
        "assumptions": list(
            assumptions_of(
                **{name: with_later(system.settings)[name] for name in ASSUMED_BY},
                untold=any(takes_as_others(audit) for audit in system.audits.values()),
            )
        ),
        "reason": system.reason,
        "warnings": warnings_of_rows(rows),
        "duration": system.step,
        "cost": system.cost,
        **_sums(rows),
        **({"notes": [without_deleted(len(system.linked_only))]} if system.linked_only else {}),
        "policy_version": system.version,
        "users": rows,
        "events": {
            "count": sum(count for count, _ in chains.values()),
            "root": root_of(chains[user][1] for user in system.audits),
        },
    }


def _measured(audit: Auditor) -> dict[str, Any]:
    return {
        "duration": audit.step,
        "cost": audit.cost,
        **_limits(audit),
        "constraint_margin": audit.margin,
        "exploring_share": sum(audit.assigned[1:]) / audit.step if audit.step else None,
    }


def takes_as_others(audit: Auditor) -> bool:
    """Whether what was not told in this audit is taken to be like what was."""
    return isinstance(audit.design, Blocks) and audit.design.takes_as_others


def _limits(audit: Auditor) -> dict[str, Any]:
    """Visits that the cost takes to be as the rest, the most that settled blocks have cost this user, and
    how many others' visits that leaves out because they were withdrawn."""
    if not isinstance(audit.design, Blocks):
        return {}
    return {
        "not_compared": audit.design.not_compared,
        "cost_at_most": 0.0 - audit.design.differences_lower,
        **({"not_counted": audit.design.not_counted} if audit.design.not_counted else {}),
    }


def _sums(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The same of all users. Each limit fails with a share of .03 delta, one of as many as there are users,
    so all hold together, and so does their sum.
    """
    names = [
        name for name in ("not_compared", "cost_at_most", "not_counted") if any(name in row for row in rows)
    ]
    return {name: sum(row.get(name) or 0 for row in rows) for name in names}


def without_deleted(number: int) -> str:
    """What is said of sums over people, some of whom were deleted."""
    whom = "1 person who was deleted" if number == 1 else f"{number:,} people who were deleted"
    return f"Numbers of visits and costs are without {whom}: of them only outcome and hashes are kept."


def _better(system: SystemAudit, user: Any) -> dict[str, Any]:
    """Whose policies an envious user would be better off with, and by how much (unpaired: their means)."""
    audit = system.audits[user]
    if audit.outcome != "envy" or user in system.linked_only:
        return {}
    what, told = "difference" if isinstance(audit.design, Blocks) else "average", []
    for arm in audit.design.better:
        low, middle, high = (
            None if each is None or math.isinf(each) else each for each in audit.design.bounds(arm)
        )
        told.append({"policy_of": system.arms[user][arm], what: middle, "low": low, "high": high})
    return {"better": told}


def as_written(found: dict[str, Any], document: Mapping[str, Any]) -> dict[str, Any]:
    """The certificate without what it need not say, and in the words it has: certificates said less before,
    and one thing otherwise."""
    rows = [
        said_as_in(stated, row, "better")
        for row, stated in zip(found["users"], document["users"], strict=True)
    ]
    meaning = found["meaning"].replace(_OF_ONE, _OF_ONE_EARLIER)
    words = {"meaning": meaning} if document.get("meaning") == meaning else {}
    return said_as_in(document, found, "notes") | {"users": rows} | words


def said_as_in(document: Mapping[str, Any], found: dict[str, Any], *names: str) -> dict[str, Any]:
    """Without these fields, and `not_counted`, where the document does not have them: not all had."""
    later = {"not_counted", *names} - document.keys()
    return {name: value for name, value in found.items() if name not in later}


def take_stated(system: SystemAudit, document: Mapping[str, Any], deleted: set[Any]) -> None:
    """What was agreed and the outcomes of users whose events were deleted are as the certificate states."""
    system.linked_only = set(deleted)
    if isinstance(document.get("agreed"), dict):
        system.agreed = document["agreed"]
    for row in document["users"]:
        if row["user"] in deleted:
            audit = system.audits[row["user"]]
            audit.outcome, audit.reason = row["outcome"], row["reason"]


def as_stated(found: dict[str, Any], document: Mapping[str, Any], deleted: set[Any]) -> dict[str, Any]:
    """The certificate, with what it states of users whose events were deleted; their chains are checked."""
    if not deleted:
        return found
    rows = [
        {**stated, "events": row["events"]} if row["user"] in deleted else row
        for row, stated in zip(found["users"], document["users"], strict=True)
    ]
    costs = [row["cost"] for row in rows if row["cost"] is not None]
    total = sum(row["duration"] or 0 for row in rows)
    sums = {"duration": total, "cost": sum(costs) if costs else None}
    return {**found, "users": rows, **sums, **_sums(rows), "warnings": warnings_of_rows(rows)}


def rests_on_deleted(system: SystemAudit) -> bool:
    """Whether the outcome would not follow from the users whose events are there."""
    seen = [audit.outcome for user, audit in system.audits.items() if user not in system.linked_only]
    if system.policies_changed and system.outcome == "inconclusive":
        return False
    return rests_on_others(system.outcome, seen, len(system.linked_only), system.dropouts)


def rests_on_others(outcome: str | None, seen: Sequence[str | None], gone: int, dropouts: int) -> bool:
    """Whether an outcome would not follow from those that are seen, whatever became of those who are gone.
    Those who were planned for as dropouts may have had any outcome (`sample_sizes`).
    """
    undecided = seen.count("inconclusive")
    if outcome == "envy":
        return "envy" not in seen
    if outcome == "no_envy":
        return gone > 0 and undecided + gone > dropouts
    if outcome == "inconclusive":
        return undecided <= dropouts
    return False  # nothing is claimed yet


def _meaning(system: SystemAudit) -> str:
    asked = system.settings
    sure = f"The error is at most {asked['delta']:g}, those of the constraints of all users included."
    if system.outcome == "envy":
        users = ", ".join(repr(user) for user in system.envious)
        return f"User {users} would be better off with a policy tried, by any amount above 0. {sure}"
    if system.outcome == "no_envy" and asked["criterion"] == "exact":
        return f"No user would get more than {asked['epsilon']:g} above their own by another's policy. {sure}"
    if system.outcome == "no_envy":
        left = sum(audit.outcome == "inconclusive" for audit in system.audits.values())
        whose = _OF_ONE if left == 1 else f"The audits of {left:,} users"
        planned = f" {whose} ended without a decision, as was planned for." if left else ""
        return (
            f"At most a share {asked['lambda_']:g} of users would get more than {asked['epsilon']:g} above "
            f"their own by more than a share {asked['gamma']:g} of the policies of others. {sure}{planned}"
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
    dropouts = options.get("dropouts", 0)
    targets, arms = targets_and_arms(population, criterion, delta, gamma, lambda_, dropouts)
    if len(stated) != targets or any(len(row) != arms + 1 for row in stated):
        raise InputError("The certificate does not have as many users and policies as its settings draw.")
    generator = np.random.default_rng(whole("seed", seed, 0))
    drawn = draw_targets(population, criterion, delta, gamma, lambda_, generator, dropouts)
    places = [[user, *arms] for user, arms in drawn.items()]
    names: dict[int, Any] = {}
    for place, name in zip(chain(*places), chain(*stated), strict=True):
        if names.setdefault(place, name) != name:
            raise InputError(OTHERS_DRAWN)
    if len(set(names.values())) < len(names):
        raise InputError(OTHERS_DRAWN)
    return SystemAudit(
        population=population, digest=document.get("population_digest"), ids=names, **options, rng=seed
    )
