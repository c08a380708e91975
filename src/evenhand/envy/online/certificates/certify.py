"""A certificate of an audit: a JSON document that says what was found and can be checked against the event
log.

The events of an audit (`Auditor.listener` hears them, that of a `SystemAudit` with the user) are assignments,
those of them that were withdrawn, deliveries of rewards, and the end. Everything else follows from them and
the seed, so whoever has the log can run the audit again: `verify` does, and refuses a log in which a single
arm, reward or order differs. Nothing is simulated for a certificate: `Auditor.needs` is for those who ask.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from itertools import chain
from typing import Any

from evenhand.envy.online.assumptions import ASSUMED_BY, assumptions_of
from evenhand.envy.online.auditor import Auditor
from evenhand.envy.online.certificates.agreed import is_bound
from evenhand.envy.online.certificates.certify_system import KIND as SYSTEM
from evenhand.envy.online.certificates.certify_system import (
    about_system,
    as_stated,
    as_written,
    rests_on_deleted,
    said_as_in,
    system_of,
    take_stated,
    takes_as_others,
)
from evenhand.envy.online.certificates.doubts import warnings_of
from evenhand.envy.online.certificates.earlier import (
    LATER_SETTINGS,
    FourthReplay,
    assumed_as_in,
    earlier_replay,
)
from evenhand.envy.online.certificates.earlier import SCHEMAS as EARLIER
from evenhand.envy.online.certificates.replay import Replay
from evenhand.envy.online.designs.blocks import Blocks
from evenhand.envy.online.settings import chose_by_an_earlier_rule, with_later
from evenhand.envy.online.system import SystemAudit
from evenhand.errors import ChangedError, InputError, UncheckableError
from evenhand.parameters import shown

SCHEMA = 5  # earlier ones: `earlier.py`
USER = "envy of one user"


def certificate(
    audit: Auditor | SystemAudit, chains: Mapping[Any, tuple[int, str]] | None = None
) -> dict[str, Any]:
    """What is known so far of this audit, of a user or of a system; `outcome` is null while it runs.

    `chains`: for a system whose leaves are salted, the number of events of each user and the head of their
    chain.
    """
    if not isinstance(audit, Auditor | SystemAudit):
        raise InputError(f"A certificate is of an Auditor or a SystemAudit, but this is {_briefly(audit)}.")
    return {
        "schema": SCHEMA,
        "kind": SYSTEM if isinstance(audit, SystemAudit) else USER,
        "software": f"evenhand {version('evenhand')}",
        **(about_system(audit, chains) if isinstance(audit, SystemAudit) else _about_user(audit)),
    }


def _about_user(auditor: Auditor) -> dict[str, Any]:
    return {
        "settings": auditor.settings.to_dict(),
        "seed": auditor.seed,
        "outcome": auditor.outcome,
        "meaning": _meaning(auditor),
        "assumptions": list(
            assumptions_of(
                **{name: getattr(auditor.settings, name) for name in ASSUMED_BY},
                untold=takes_as_others(auditor),
            )
        ),
        "reason": auditor.reason,
        "warnings": warnings_of(auditor),
        "duration": auditor.step,
        "cost": auditor.cost,
        "constraint_margin": auditor.margin,
        "exploring_share": sum(auditor.assigned[1:]) / auditor.step if auditor.step else None,
        **(_about_blocks(auditor.design) if isinstance(auditor.design, Blocks) else {}),
        "policy_version": auditor.version,
        "arms": [_about_arm(auditor, arm) for arm in range(len(auditor.assigned))],
        "outstanding": len(auditor.outstanding),
        "events": {"count": auditor.events, "sha256": auditor.digest},
    }


def _about_blocks(design: Blocks) -> dict[str, Any]:
    """Visits with others' policies that the cost takes to be as the rest, the most that settled blocks have
    cost the user, and how many of others' visits, if any, that leaves out because they were withdrawn.
    """
    left_out = {"not_counted": design.not_counted} if design.not_counted else {}
    return {"not_compared": design.not_compared, "cost_at_most": -design.differences_lower, **left_out}


def _about_arm(auditor: Auditor, arm: int) -> dict[str, Any]:
    """How often an arm was shown, and limits: of its mean, or in blocks of its difference from the own."""
    design, assigned = auditor.design, auditor.assigned[arm]
    low, middle, high = design.bounds(arm)
    if not isinstance(design, Blocks):
        settled = design.arms[arm].count
        return {"assigned": assigned, "settled": settled, "average": middle, "low": low, "high": high}
    seen = design.seen[arm]
    about = {
        "assigned": assigned,
        "settled": seen.count,
        "missing": seen.lost,
        "withdrawn": seen.withdrawn,
        "average": seen.total / seen.count if seen.count else None,
    }
    if arm > 0:
        count = int(design.evidence.blocks[arm])
        about |= {"blocks": count, "difference": middle, "low": low, "high": high}
    return about


def _meaning(auditor: Auditor) -> str:
    epsilon, delta = auditor.settings.epsilon, auditor.settings.delta
    many = "" if auditor.settings.users == 1 else f" (shared by {auditor.settings.users:,} users' audits)"
    sure = f"The error is at most {delta:g}{many}, that of the conservative constraint included."
    if auditor.outcome == "envy":
        arms = ", ".join(str(k) for k in auditor.design.better)
        return f"The user would be better off with the policy of arm {arms}, by any amount above 0. {sure}"
    if auditor.outcome == "no_envy":
        lost = isinstance(auditor.design, Blocks) and auditor.design.something_lost
        reported = ", of rewards as they are reported" if lost else ""
        told = f"No other policy tried would give the user more than {epsilon:g} above their own{reported}."
        return f"{told} {sure}"
    if auditor.outcome == "inconclusive":
        return (
            "Nothing is certified: the audit ended before it could decide. One that is begun in its place "
            "has an error of its own, and the errors add up: give it a smaller delta."
        )
    return "Nothing is certified yet: the audit is running."


def verify(document: Mapping[str, Any], events: Iterable[Any]) -> Auditor | SystemAudit:
    """The audit that these events make, if it is the one of this certificate; a ChangedError, which is an
    InputError, if not; an UncheckableError, which is one, too, if the outcome rests on users whose events
    were deleted.

    Events are as the listener heard them; those of a system are pairs of user and event, or have a salt as
    a third (`replay.py`). `not_checked` names the fields that no log can tell anything about.
    """
    audit = _empty(document)
    if not isinstance(events, Iterable):
        raise InputError(f"events is {shown(events)}, but must be the events of the audit.")
    schema = document["schema"]
    replay = earlier_replay(audit, schema) if schema in EARLIER else Replay(audit)
    for place, event in enumerate(events, 1):
        replay.take(event, place)
    replay.ended()
    try:
        found = _found(audit, replay, document)
    except (AttributeError, LookupError, TypeError, ValueError) as error:  # a user who has no outcome, say
        raise _no_certificate(error) from error
    if isinstance(replay, FourthReplay):
        found = replay.as_written(found, document)
    else:
        found["assumptions"] = assumed_as_in(document, found["assumptions"])
    if not str(document.get("software", "")).startswith("evenhand "):
        raise ChangedError("The certificate does not say which software made it (software).")
    unknown = [name for name in document if name not in found]
    if unknown:
        raise ChangedError(f"The certificate has the field {_briefly(unknown[0])}, which no certificate has.")
    different = [
        name for name in found if name != "software" and _written(found, name) != _written(document, name)
    ]
    if different:
        raise ChangedError(_disagreement(document, found, different))
    if isinstance(audit, SystemAudit):
        there = (user for user in audit.audits if user not in audit.linked_only)
        audit.bound_by_log = is_bound({user: replay.agreed.get(user) for user in there}, document)
    if isinstance(audit, SystemAudit) and rests_on_deleted(audit):
        raise UncheckableError(_uncheckable(audit, found["events"]["count"]))
    return audit


def _found(audit: Auditor | SystemAudit, replay: Replay, document: Mapping[str, Any]) -> dict[str, Any]:
    """The certificate that the log makes; of users whose events were deleted it says what is stated."""
    if not isinstance(audit, SystemAudit):
        return said_as_in(document, certificate(audit))
    # With an outcome there was more than a name; without, nothing happened that could be replayed.
    stated = {row["user"] for row in document["users"] if row["outcome"] is not None}
    deleted = replay.deleted | (replay.untold & stated)
    take_stated(audit, document, deleted)
    return as_written(as_stated(certificate(audit, replay.chains), document, deleted), document)


def not_checked(audit: Auditor | SystemAudit) -> list[str]:
    """Fields of this certificate that `verify` takes as they are: nothing in the log follows from them."""
    if isinstance(audit, SystemAudit):
        design, choice = (audit.settings[name] for name in ("design", "choice"))
        everybody = audit.population
        drawn = any(len(some) < everybody for some in (audit.arms, *audit.arms.values()))
        # The log has arms by number; only those who were audited themselves are in it by name.
        named = set(chain(*audit.arms.values())) <= set(audit.arms)
    else:
        design, choice = audit.settings.design, audit.settings.choice
        drawn, named = False, True
    gone = len(audit.linked_only) if isinstance(audit, SystemAudit) else 0
    bound = isinstance(audit, SystemAudit) and audit.bound_by_log
    whose = (
        "1 deleted user did and their outcome"
        if gone == 1
        else f"{gone:,} deleted users did and their outcomes"
    )
    found = {
        "seed": not (drawn or choice == "uniform" or design == "blocks"),
        "settings.drift": design == "blocks" and not bound,  # which nothing in blocks asks for
        "software": True,
        "users.policies_of": not named,
        "population_digest": isinstance(audit, SystemAudit) and audit.digest is not None and not bound,
        "agreed": isinstance(audit, SystemAudit) and audit.agreed is not None and not bound,
        f"what {whose} (linked, not replayable)": gone > 0,
    }
    return [name for name, unchecked in found.items() if unchecked]


def _empty(document: Mapping[str, Any]) -> Auditor | SystemAudit:
    """The audit of this certificate, before its first event."""
    try:
        schema = document["schema"]
        settings = with_later({**(LATER_SETTINGS if schema == 1 else {}), **document["settings"]})
        replayable = schema != 2 or not chose_by_an_earlier_rule(settings)
    except (KeyError, TypeError, ValueError) as error:
        raise _no_certificate(error) from error
    if schema not in (*EARLIER, SCHEMA):
        raise InputError(f"This is a certificate of schema {shown(schema)}, but {SCHEMA} is needed.")
    if not replayable:
        raise InputError(
            "This certificate is of an audit in blocks that chose policies by an earlier rule: it says what "
            "it said, but its log can be checked only with the evenhand that made it."
        )
    try:
        if document["kind"] == SYSTEM:
            return system_of({**document, "settings": settings})
        return Auditor(**settings, rng=document["seed"])
    except InputError as error:  # what no audit can have been asked
        raise ChangedError(str(error)) from error
    except (KeyError, TypeError, ValueError, MemoryError) as error:
        raise _no_certificate(error) from error


def _no_certificate(error: Exception) -> InputError:
    return InputError(f"This is not a certificate of an audit ({_briefly(error)}).")


def _written(values: Mapping[str, Any], name: str) -> str:
    """A value as a file has it; nothing at all is not null."""
    return _as_json(values[name]) if name in values else "missing"


def _as_json(value: Any) -> str:
    """As text, in which 1, 1.0 and true differ."""
    try:
        return json.dumps(value, sort_keys=True)
    except (TypeError, ValueError):  # nothing that a file could hold
        return shown(value)


def _disagreement(document: Mapping[str, Any], found: Mapping[str, Any], different: list[str]) -> str:
    """What differs; both values, where they are short enough to be read; and whether versions differ, too."""
    first = different[0]
    stated, replayed = (_written(values, first) for values in (document, found))
    both = f": {first} is {stated} in the certificate, but {replayed} by the log"
    said = f"The certificate and its event log disagree about {', '.join(different)}"
    said += both if len(stated) + len(replayed) <= 60 else ""
    if document.get("software") != found["software"]:
        said += f" (it was made by {_briefly(document.get('software'))}, and this is {found['software']})"
    return f"{said}."


def _uncheckable(system: SystemAudit, count: int) -> str:
    gone, everybody = len(system.linked_only), len(system.audits)
    # No envy rests on all who are gone, another outcome on those who are said to have had it.
    had_it = sum(system.audits[user].outcome == system.outcome for user in system.linked_only)
    resting = gone if system.outcome == "no_envy" else had_it
    whom = "1 user who was deleted" if resting == 1 else f"{resting:,} users who were deleted"
    return (
        f"The certificate and its log of {count:,} events agree about the {everybody - gone:,} of "
        f"{everybody:,} users whose events are there, but the outcome {system.outcome} cannot be checked: it "
        f"rests on {whom}, of whom only hashes are left."
    )


def _briefly(value: Any) -> str:
    return " ".join(str(value).split())[:100] if isinstance(value, Exception) else shown(value)
