"""What an audit of a system was begun with, bound to its log: a service writes ["agreed", sha256] into that
of each user audited, right after the event that names them, and so before anybody is served.

The hash is over `agreed`, `settings`, `population` and `population_digest` of the certificate, as JSON with
sorted names and without spaces. A setting that comes later must be left out where it has its default: else
audits that were begun before would seem to be changed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from evenhand.errors import ChangedError

AGREED = "agreed"  # the kind of the event
_FIELDS = ("agreed", "settings", "population", "population_digest")


def agreed_event(document: Mapping[str, Any]) -> list[Any]:
    """The event for what these fields of a certificate say."""
    said = {name: document.get(name) for name in _FIELDS}
    line = json.dumps(said, sort_keys=True, separators=(",", ":"))
    return [AGREED, hashlib.sha256(line.encode()).hexdigest()]


def is_bound(events: Mapping[Any, Any], document: Mapping[str, Any]) -> bool:
    """Whether the logs of these users, by their events of this kind or None, say what was agreed: those of
    earlier versions did not. A ChangedError if that is not what the certificate says.
    """
    there = [event for event in events.values() if event is not None]
    if not there:
        return False
    if len(there) < len(events):
        raise ChangedError("The logs of some users say what was agreed when the audit began, others do not.")
    if any(event != there[0] for event in there):
        raise ChangedError("The logs of users do not agree about what was agreed when the audit began.")
    if there[0] != agreed_event(document):
        raise ChangedError(
            "The certificate and its event log disagree about what the audit was begun with: one of "
            f"{', '.join(_FIELDS)} was changed later, or the hash of them in the log was."
        )
    return True
