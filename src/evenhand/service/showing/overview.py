"""What somebody may see, at a glance: audits, monitors, and flags that are open."""

from __future__ import annotations

from typing import Any

from evenhand.report.words.numbers import count
from evenhand.service.access.tokens import Token
from evenhand.service.log import Log
from evenhand.service.log.reading import summary
from evenhand.service.log.streams import AuditStream
from evenhand.service.showing import monitors
from evenhand.service.showing.audit_view import policies_each
from evenhand.store.connecting import Store

MOST_AUDITS = 200


def told(log: Log, store: Store, token: Token) -> dict[str, Any]:
    """Audits the newest first. Who may see some audits only sees no monitors: they are about all users."""
    ids = [one for one in reversed(log.read.audit_ids()) if token.sees(one)]
    audits = [log.read.listed(one, _audit) for one in ids[:MOST_AUDITS]]
    everything = token.audits is None
    followed = [one._asdict() for one in monitors.overview(store)] if everything else None
    flags = monitors.open_flags(store) if everything else []
    return {
        "overall": _overall(audits, len(flags) if everything else None),
        "audits": audits,
        "older": len(ids) - len(audits),
        "monitors": followed,
        "flags": flags,
    }


def _audit(about: AuditStream) -> dict[str, Any]:
    outcomes = list(about.outcomes.values())
    said = {name: outcomes.count(name) for name in ("envy", "no_envy", "inconclusive")}
    names = ("epsilon", "delta", "gamma", "lambda_", "criterion", "population")
    asked = {name: about.settings[name] for name in names}
    return summary(about) | {"outcomes": said, "asked": asked, "policies_each": policies_each(about)}


def _overall(audits: list[dict[str, Any]], flags: int | None) -> list[str]:
    running = sum(one["outcome"] is None and one["damaged"] is None for one in audits)
    damaged = sum(one["damaged"] is not None for one in audits)
    better = sum(one["outcome"] == "envy" for one in audits)
    said = [f"{_some(running, 'audit is', 'audits are')} running."]
    if better:
        found = _some(better, "audit", "audits")
        said.append(f"{found} found somebody who would be better off with another's recommendations.")
    if damaged:
        said.append(f"{_some(damaged, 'audit is', 'audits are')} damaged in the store.")
    if flags is not None:
        said.append(f"{_some(flags, 'flag of a monitor is', 'flags of monitors are')} open.")
    return said


def _some(number: int, one: str, several: str) -> str:
    return f"{count(number) if number else 'No'} {one if number < 2 else several}"
