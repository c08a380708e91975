"""The flags of a store, each once, and who has seen them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import Connection, select, update

from evenhand.errors import InputError
from evenhand.parameters import shown
from evenhand.store.flag_tables import flag, flag_event
from evenhand.store.tables import monitor

_LONGEST = 1_000


@dataclass(frozen=True)
class Acknowledged:
    """Who has seen a flag, and why it may stand."""

    by: str
    why: str
    at: str


@dataclass(frozen=True)
class Flag:
    """A flag as people see it: from a day to a day, whatever was corrected meanwhile."""

    name: str
    monitor: str
    rule: str
    finding: str
    state: str  # open, closed, withdrawn
    opened: str
    closed: str | None
    said: str
    acknowledged: Acknowledged | None
    events: tuple[tuple[str, str], ...]  # what happened and on which day, in order


def listed(connection: Connection, monitor_id: int | None = None, *, only_open: bool = False) -> list[Flag]:
    """The flags of a monitor, or of all: those that are open first, the latest first."""
    query = select(flag, monitor.c.name.label("of")).join(monitor, monitor.c.id == flag.c.monitor_id)
    told = select(flag_event.c.flag_id, flag_event.c.kind, flag_event.c.day).order_by(flag_event.c.id)
    if monitor_id is not None:
        query = query.where(flag.c.monitor_id == monitor_id)
    if only_open:
        query = query.where(flag.c.state == "open")
    events: dict[int, list[tuple[str, str]]] = {}
    for of, kind, day in connection.execute(told):
        events.setdefault(of, []).append((kind, day))
    found = [
        Flag(
            name=row.name,
            monitor=row.of,
            rule=row.rule,
            finding=row.finding,
            state=row.state,
            opened=row.opened,
            closed=row.closed,
            said=row.said,
            acknowledged=None
            if row.acknowledged_by is None
            else Acknowledged(row.acknowledged_by, row.acknowledged_why, row.acknowledged_at),
            events=tuple(events.get(row.id, ())),
        )
        for row in connection.execute(query.order_by(flag.c.opened.desc(), flag.c.id.desc()))
    ]
    return sorted(found, key=lambda one: one.state != "open")


def acknowledge(connection: Connection, monitor_id: int, name: str, *, who: str, why: str) -> None:
    """Write down who has seen a flag and why it may stand; it stays open. The last one counts."""
    for what, text in (("who", who), ("why", why)):
        if not text.strip() or len(text) > _LONGEST:
            raise InputError(f"{what} is {shown(text)}, but must be 1 to {_LONGEST:,} characters.")
    now = datetime.now(UTC).isoformat(timespec="seconds")
    changed = connection.execute(
        update(flag)
        .where(flag.c.monitor_id == monitor_id, flag.c.name == name)
        .values(acknowledged_by=who, acknowledged_why=why, acknowledged_at=now)
    )
    if changed.rowcount == 0:
        raise InputError(
            f"This monitor has no flag {shown(name)}; `evenhand monitor flags` lists those that it has."
        )
