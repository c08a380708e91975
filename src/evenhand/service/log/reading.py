"""What can be read of audits, beside the thread that writes."""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from sqlalchemy import Connection, select

from evenhand.envy.online.certificates.certify_system import rests_on_others, without_deleted
from evenhand.service.log.answers import DamagedError, sound
from evenhand.service.log.certifying import certificate_of
from evenhand.service.log.chain import octets
from evenhand.service.log.states import States, Where
from evenhand.service.log.streams import AuditStream, PersonStream
from evenhand.store import audit_tables as tables
from evenhand.store.connecting import Store

_Seen = TypeVar("_Seen")
MOST_EVENTS = 1_000  # a page
_HIDDEN = ("seeds",)  # until the audit is over: they would tell what comes next


class Reader:
    def __init__(self, store: Store, states: States) -> None:
        self._store, self._states, self._lock = store, states, threading.Lock()
        self._stale: deque[str] = deque()  # audits whose states are forgotten before the next is read

    def audit_ids(self) -> list[str]:
        a = tables.audit
        with self._store.reading() as connection:
            return list(connection.execute(select(a.c.id).order_by(a.c.created_at, a.c.id)).scalars())

    def audit(self, audit: str) -> AuditStream | None:
        """The audit as it is now; None where there is none."""
        with self._lock, self._store.reading() as connection:
            self._begin(connection, [Where(audit, 0)])
            self._states.refuse_damaged([Where(audit, 0)])
            found = self._states.kept.get(Where(audit, 0))
            if isinstance(found, AuditStream):
                return found
            a = tables.audit
            if connection.execute(select(a.c.id).where(a.c.id == audit)).first() is not None:
                raise DamagedError(audit, 0, "is not there")
            return None

    def outcome(self, audit: str) -> str | None:
        about = self.audit(audit)
        return None if about is None else about.outcome

    def targets(self, audit: str) -> list[str] | None:
        """Ids of those whom it makes sense to ask for; None where there is no such audit."""
        about = self.audit(audit)
        if about is None:
            return None
        if about.outcome is not None:
            return []
        s = tables.stream
        chosen = select(s.c.user, s.c.number).where(
            s.c.audit == audit, s.c.number.between(1, about.targets), s.c.user.is_not(None)
        )
        gone = about.opted_out | about.deleted | set(about.outcomes)
        with self._store.reading() as connection, sound(audit, 0):
            rows = connection.execute(chosen.order_by(s.c.number)).all()
        return [row.user for row in rows if row.number not in gone]

    def events(self, audit: str, stream: int, after: int = 0) -> list[dict[str, Any]] | None:
        """Events of a stream after one, in order, at most a page; None where there is no such audit."""
        about = self.audit(audit)
        if about is None:
            return None
        e = tables.event
        chosen = (
            select(e.c.seq, e.c.at, e.c.kind, e.c.payload, e.c.salt, e.c.leaf)
            .where(e.c.audit == audit, e.c.stream == stream, e.c.seq > after)
            .order_by(e.c.seq)
            .limit(MOST_EVENTS)
        )
        with self._store.reading() as connection, sound(audit, stream):
            rows = connection.execute(chosen).all()
            return [_told(row, about.outcome is None and row.kind in _HIDDEN) for row in rows]

    def people(self, audit: str) -> list[PersonStream]:
        """The targets as they are now. Look at them within the caller's own thread, and change nothing."""
        about = self.audit(audit)
        if about is None:
            return []
        numbers = range(1, about.targets + 1)
        with self._lock, self._store.reading() as connection:
            self._begin(connection, [Where(audit, number) for number in numbers])
            return [self._states.person(audit, number) for number in numbers] if about.named else []

    def audit_view(self, audit: str) -> dict[str, Any] | None:
        """An audit and its targets in numbers, without ids: arms with intervals, margin, cost, outcome. None
        where there is no such audit."""
        return self.seen(audit, _view)

    def seen(self, audit: str, see: Callable[[AuditStream, list[PersonStream]], _Seen]) -> _Seen | None:
        """What `see` makes of an audit and its targets, while nobody changes them; None where there is no
        such audit."""
        about = self.audit(audit)
        if about is None:
            return None
        people = self.people(audit)
        with self._lock:
            return see(about, people)

    def certificate(self, audit: str) -> dict[str, Any] | None:
        """What is known so far, by people's numbers; None where there is no such audit, and before its people
        are named. Its seed is told when it is over."""
        about = self.audit(audit)
        if about is None or not about.named:
            return None
        people = self.people(audit)
        with self._lock:
            found = certificate_of(about, people)
            return found if about.outcome is not None else found | {"seed": None}

    def overview(self) -> list[dict[str, Any]]:
        return [self.listed(each, summary) for each in self.audit_ids()]

    def listed(self, audit: str, see: Callable[[AuditStream], dict[str, Any]]) -> dict[str, Any]:
        """What `see` makes of one of `audit_ids`; of one that is damaged, that it is: it keeps no other from
        being listed."""
        try:
            about = self.audit(audit)
            assert about is not None, "audits are never taken out of a store"
            with sound(audit, 0):
                return see(about)
        except DamagedError as error:
            return _unreadable(audit, str(error))

    def forget(self, audit: str) -> None:
        """Waits for nobody: the thread that writes must not wait for a certificate that takes seconds."""
        self._stale.append(audit)

    def _begin(self, connection: Connection, where: Sequence[Where]) -> None:
        while self._stale:
            audit = self._stale.popleft()
            for each in [one for one in self._states.kept if one.audit == audit]:
                del self._states.kept[each]
        self._states.begin(connection, where, lock=False)


def _told(row: Any, hidden: bool) -> dict[str, Any]:
    event = None if hidden or row.payload is None else json.loads(row.payload)
    salt = None if hidden or row.salt is None else octets(row.salt).hex()
    return {
        "seq": row.seq, "at": row.at, "kind": row.kind, "event": event, "salt": salt,
        "leaf": octets(row.leaf).hex(),
    }  # fmt: skip


def _view(about: AuditStream, people: list[PersonStream]) -> dict[str, Any]:
    return summary(about) | {"notes": notes_of(about), "people": [_person(about, one) for one in people]}


def notes_of(about: AuditStream) -> list[str]:
    """What a reader of its numbers must know."""
    gone = _audited(about, about.deleted)
    return [without_deleted(gone)] if gone else []


def _audited(about: AuditStream, people: Iterable[int]) -> int:
    return sum(number <= about.targets for number in people)


def is_checkable(about: AuditStream) -> bool:
    """Whether the outcome still follows from people who were not deleted, so that others can check it."""
    gone = _audited(about, about.deleted)
    there = (number for number in range(1, about.targets + 1) if number not in about.deleted)
    seen = [about.outcomes.get(number, "inconclusive") for number in there]  # or not when it ended
    return not gone or not rests_on_others(about.outcome, seen, gone, about.settings["dropouts"])


def left_out(one: PersonStream) -> int:
    """Visits with others' recommendations that are not compared with the own yet, which is when all rewards
    of their block are there: in a cost they are taken to be as the rest."""
    audit: Any = one.audited
    unshown = sum(each.arm > 0 for each in map(audit.open, one.unshown) if each is not None)
    return int(audit.design.not_compared - unshown)


def _person(about: AuditStream, one: PersonStream) -> dict[str, Any]:
    told: dict[str, Any] = {"number": one.number, "opted_out": one.number in about.opted_out}
    if one.number in about.deleted:
        return told | {"deleted": True, "outcome": about.outcomes.get(one.number)}
    folded: Any = one.audited
    numbers = {
        name: getattr(folded, name, None) for name in ("step", "assigned", "intervals", "margin", "cost")
    }
    waiting = len(folded.outstanding) - len(one.unshown)
    numbers |= {"outcome": folded.outcome, "reason": folded.reason}
    numbers |= {"open": waiting, "unshown": len(one.unshown)}
    if hasattr(folded, "design"):
        numbers["left_out"] = left_out(one)
    return told | {"deleted": False, "policies": about.arms[one.number - 1]} | numbers


def summary(about: AuditStream) -> dict[str, Any]:
    """An audit in a few numbers, without ids. People are those who are audited, and not those whose policies
    are only tried. Who opted out, was deleted or was stopped is not decided."""
    outcomes = list(about.outcomes.values())
    return {
        "id": about.audit,
        "reward": about.settings["reward"],
        "outcome": about.outcome,
        "checkable": is_checkable(about),
        "reason": about.reason,
        "paused": about.paused and about.outcome is None,
        "version": about.version,
        "named": about.named,
        "targets": about.targets,
        "decided": outcomes.count("envy") + outcomes.count("no_envy"),
        "undecided": outcomes.count("inconclusive"),
        "opted_out": _audited(about, about.opted_out),
        "deleted": _audited(about, about.deleted),
        "series": about.settings.get("series"),
        "link": about.settings.get("link"),
        "damaged": None,
    }


def _unreadable(audit: str, why: str) -> dict[str, Any]:
    """As `summary`, of an audit of which nothing is known but why."""
    nothing = dict.fromkeys(("outcome", "reason", "version", "series", "link"))
    counts = dict.fromkeys(("targets", "decided", "undecided", "opted_out", "deleted"), 0)
    flags = dict.fromkeys(("checkable", "paused", "named"), False)
    return {"id": audit, "reward": "", **nothing, **counts, **flags, "damaged": why}
