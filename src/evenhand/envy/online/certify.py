"""A certificate of an audit: a JSON document that says what was found and can be checked against the event
log.

The events of an audit (`Auditor.listener` hears them) are assignments and deliveries of rewards. Everything
else follows from them and the seed, so whoever has the log can run the audit again: `verify` does, and
refuses a log in which a single arm, reward or order differs.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from typing import Any

from evenhand.envy.online.auditor import Auditor
from evenhand.errors import InputError
from evenhand.parameters import shown

SCHEMA = 1


def certificate(auditor: Auditor) -> dict[str, Any]:
    """What is known of this audit so far; `outcome` is null while it runs."""
    settings = auditor.settings.to_dict()
    return {
        "schema": SCHEMA,
        "kind": "envy of one user",
        "software": f"evenhand {version('evenhand')}",
        "settings": settings,
        "seed": auditor.seed,
        "outcome": auditor.outcome,
        "meaning": _meaning(auditor),
        "reason": auditor.reason,
        "needs": auditor.needs if auditor.outcome == "inconclusive" else None,
        "duration": auditor.step,
        "cost": auditor.cost,
        "constraint_margin": auditor.margin,
        "policy_version": auditor.version,
        "arms": [
            {"assigned": n, "settled": arm.count, "average": arm.average, "low": arm.low, "high": arm.high}
            for n, arm in zip(auditor.assigned, auditor.arms, strict=True)
        ],
        "outstanding": len(auditor.outstanding),
        "events": {"count": auditor.events, "sha256": auditor.digest},
    }


def _meaning(auditor: Auditor) -> str:
    epsilon, delta = auditor.settings.epsilon, auditor.settings.delta
    many = "" if auditor.settings.users == 1 else f" (shared by {auditor.settings.users:,} users' audits)"
    sure = f"The error is at most {delta:g}{many}, that of the conservative constraint included."
    if auditor.outcome == "envy":
        better = [k for k in auditor.active if auditor.arms[k].low > auditor.arms[0].high]
        arms = ", ".join(str(k) for k in better)
        return f"The user would be better off with the policy of arm {arms}, by any amount above 0. {sure}"
    if auditor.outcome == "no_envy":
        return f"No other policy tried would give the user more than {epsilon:g} above their own. {sure}"
    if auditor.outcome == "inconclusive":
        return "Nothing is certified: the audit ended before it could decide."
    return "Nothing is certified yet: the audit is running."


def verify(document: Mapping[str, Any], events: Iterable[Any]) -> Auditor:
    """The audit that these events make, if it is the one of this certificate; an InputError if not."""
    try:
        if document["schema"] != SCHEMA:
            raise InputError(
                f"This is a certificate of schema {shown(document['schema'])}, but {SCHEMA} is needed."
            )
        auditor = Auditor(**document["settings"], rng=document["seed"])
    except (LookupError, TypeError) as error:
        raise InputError(f"This is not a certificate of an audit ({_briefly(error)}).") from error
    told: list[Any] = []
    auditor.listener = told.append
    if not isinstance(events, Iterable):
        raise InputError(f"events is {shown(events)}, but must be the events of the audit.")
    for place, event in enumerate(events, 1):
        _replay(auditor, event, place)
        if [_as_json(one) for one in told] != [_as_json(event)]:
            raise InputError(f"Event {place:,} of the log is not as an audit writes it; it was changed.")
        told.clear()
    auditor.listener = None
    found = certificate(auditor)
    names = [name for name in {**found, **document} if name != "software"]
    different = [name for name in names if _written(found, name) != _written(document, name)]
    if different:
        raise InputError(_disagreement(document, found, different))
    return auditor


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


def _briefly(value: Any) -> str:
    return " ".join(str(value).split())[:100] if isinstance(value, Exception) else shown(value)


def _replay(auditor: Auditor, event: Any, place: int) -> None:
    try:
        kind, *rest = event
        if kind == "assign":
            number, arm, deadline, policies = rest
            assignment = auditor.assign(deadline=deadline, version=policies)
        elif kind == "deliver":
            auditor.deliver(dict(rest[0]))
            return
        else:
            raise InputError(f"it is {_briefly(kind)}, but must be assign or deliver.")
    except InputError as error:
        raise InputError(f"Event {place:,} of the log is not possible: {error}") from error
    except (TypeError, ValueError, IndexError) as error:
        raise InputError(f"Event {place:,} of the log cannot be read ({_briefly(error)}).") from error
    if assignment.id != number:
        raise InputError(
            f"Event {place:,} of the log is assignment {_briefly(number)}, but the next is {assignment.id}."
        )
    if assignment.arm != arm:
        raise InputError(
            f"Event {place:,} of the log assigns arm {_briefly(arm)}, but these events make it arm "
            f"{assignment.arm}."
        )
