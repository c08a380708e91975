"""Fold everything again, and compare: streams without gaps, hashes that hold, states as they were kept."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, select

from evenhand.errors import InputError
from evenhand.service.log.answers import DamagedError, sound
from evenhand.service.log.chain import NO_EVENTS, head_of, leaf_of, octets
from evenhand.service.log.folded import Auditors, online_auditors
from evenhand.service.log.states import States, Where
from evenhand.service.log.streams import AuditStream, PersonStream, Stream, assignment_of
from evenhand.store import audit_tables as tables
from evenhand.store.connecting import Store


@dataclass
class Checked:
    """How much was looked at, and what is wrong: a sentence a fault."""

    streams: int = 0
    events: int = 0
    snapshots: int = 0
    deleted: int = 0
    faults: list[str] = field(default_factory=list)


def check(store: Store, auditors: Auditors | None = None) -> Checked:
    """In one transaction that reads, beside a server that runs."""
    states, found = States(auditors or online_auditors()), Checked()
    s, there = tables.stream, set[Where]()
    with store.reading() as connection:
        states.connection = connection
        for key in connection.execute(select(s.c.audit, s.c.number).order_by(s.c.audit, s.c.number)).all():
            where = Where(*key)
            found.streams += 1
            there.add(where)
            this = select(s.c.seq, s.c.head, s.c.user).where(
                s.c.audit == where.audit, s.c.number == where.number
            )
            try:
                with sound(*where):
                    row = connection.execute(this).one()
                    made = _folded(connection, states, where, found)
                    is_whole = made.head == octets(row.head)
            except DamagedError as error:
                states.kept.pop(where, None)
                states.damaged[where] = error
                it = (
                    ""
                    if (error.audit, error.stream) == where
                    else f"cannot be folded: stream {error.stream} "
                )
                found.faults.append(f"{_name(where)} {it}{error.why}.")
                continue
            if made.seq != row.seq:
                found.faults.append(f"{_name(where)} has {made.seq} events, and says {row.seq}.")
            elif not is_whole:
                found.faults.append(f"{_name(where)} has other events, or in another order, than it says.")
            user = made.user if isinstance(made, PersonStream) else None
            if user != row.user:
                found.faults.append(f"{_name(where)} is of another person than its events say.")
        audits = connection.execute(select(tables.audit).order_by(tables.audit.c.id)).all()
        for audit in audits:
            missing = [where for where in _due(states, audit.id) if where not in there]
            found.faults += [f"{_name(where)} is not there." for where in missing]
            about = states.kept.get(Where(audit.id, 0))
            told = (audit.series, audit.link)
            if isinstance(about, AuditStream) and told != tuple(map(about.settings.get, ("series", "link"))):
                found.faults.append(f"The audit {audit.id} has another series or link than its events say.")
        left = sorted({where.audit for where in there} - {audit.id for audit in audits})
        found.faults += [f"The audit {audit} is not there, though it has events." for audit in left]
    return found


def _due(states: States, audit: str) -> list[Where]:
    """The streams that an audit must have: its own, and one a person drawn, once they are named."""
    about = states.kept.get(Where(audit, 0))
    people = len(about.places) if isinstance(about, AuditStream) and about.named else 0
    return [Where(audit, number) for number in range(people + 1)]


def _folded(connection: Connection, states: States, where: Where, found: Checked) -> Stream:
    """The state of all events of a stream; on the way each is compared with what is kept about it."""
    e, s = tables.event, tables.snapshot
    there = select(s.c.seq, s.c.state).where(s.c.audit == where.audit, s.c.stream == where.number)
    kept = connection.execute(there).first()
    made = states.new(where)
    states.kept[where] = made
    chosen = select(e).where(e.c.audit == where.audit, e.c.stream == where.number).order_by(e.c.seq)
    head, at = NO_EVENTS, 0.0
    for row in connection.execute(chosen):
        found.events += 1
        if row.seq != made.seq + 1:
            raise DamagedError(*where, f"does not have event {made.seq + 1}")
        leaf = octets(row.leaf)
        head = head_of(head, leaf)
        if row.payload is None:
            found.deleted += 1
            made.apply(["deleted"], row.seq, row.at, head)
            continue
        if leaf_of(octets(row.salt), row.payload) != leaf:
            raise DamagedError(*where, f"does not have what was written as event {row.seq}")
        if row.at < at:
            raise DamagedError(*where, f"has event {row.seq} before the one before it")
        at, event = row.at, json.loads(row.payload)
        made.apply(event, row.seq, at, head)
        if (row.kind, row.assignment) != (event[0], assignment_of(event)):
            found.faults.append(f"{_name(where)} has event {row.seq} under another kind or assignment.")
        if kept is not None and kept.seq == row.seq:
            found.snapshots += 1
            if not _same(json.loads(kept.state), made, states, where):
                found.faults.append(f"The snapshot of {_name(where)} is not what its events make.")
    if kept is not None and kept.seq not in range(1, made.seq + 1):
        found.faults.append(f"The snapshot of {_name(where)} is of an event that is not there.")
    return made


def _same(kept: dict[str, Any], made: Stream, states: States, where: Where) -> bool:
    now = _written(made.state() | {"head": made.head.hex()})
    if kept == now:
        return True
    before, after = (one.get("folded") for one in (kept, now))
    if not before or not after or before.get("state") == after.get("state"):
        return False
    try:  # an earlier version wrote it: as it is gone on with
        return bool(_written(states.new(where, kept).state() | {"head": kept["head"]}) == now)
    except (InputError, LookupError, TypeError):
        return False


def _written(state: dict[str, Any]) -> Any:
    return json.loads(json.dumps(state))


def _name(where: Where) -> str:
    return f"Stream {where.number} of the audit {where.audit}"
