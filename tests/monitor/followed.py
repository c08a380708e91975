"""A monitor without audits: looks are put into a real store as they would be found, and corrected."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import Insert, Integer, LargeBinary, Table, Text, insert, select, update

from evenhand.documents import Document, text_of
from evenhand.findings import Finding, Interval
from evenhand.monitor.flags import Raised, after_looks
from evenhand.plan.watched.monitoring import Monitoring
from evenhand.store.connecting import Store, open_store
from evenhand.store.flag_tables import flag, flag_event, outbox
from evenhand.store.tables import day, look, monitor, regime

TOLERANCE = 0.1
BAD, GOOD, UNSURE, NOTHING = (0.2, 0.3), (0.0, 0.05), (0.05, 0.3), None
Limits = tuple[float, float] | None
RULE = {"name": "penalty", "measure": "reo_penalty"}


def penalty(limits: Limits, group: str = "creator_age", validity: Any = "anytime") -> Finding:
    """The spread of opportunity with these limits, or one that could not be computed."""
    about = {"by": {"creators": (group,)}}
    common: dict[str, Any] = {"audit": "opportunity", "measure": "reo_penalty", "about": about}
    if limits is None:
        return Finding(**common, estimate=None, tolerance=TOLERANCE, warnings=("Too few rows.",))
    low, high = limits
    interval = Interval(low=low, high=high, level=0.95, method="hull", validity=validity)
    return Finding(**common, estimate=(low + high) / 2, interval=interval, tolerance=TOLERANCE)


def monitoring(
    rules: list[dict[str, Any]] | None = None, tell: list[dict[str, Any]] | None = None
) -> Monitoring:
    return Monitoring.model_validate({"flags": rules or [RULE], "tell": tell or []})


@dataclass
class Followed:
    """A store with one monitor; days are numbered from 1 January 2026."""

    address: str
    store: Store = field(init=False)
    monitor_id: int = 1

    def __post_init__(self) -> None:
        self.store = open_store(self.address)
        with self.store.writing() as connection:
            if connection.execute(select(monitor.c.id)).scalar() is None:
                connection.execute(_row(monitor, id=1, name="Home feed"))
                connection.execute(_row(regime, id=1, monitor_id=1, number=1))

    def look(self, number: int, *findings: Finding, plan: Monitoring | None) -> Raised:
        """Add the look of a day, or that of a day that was corrected, as the monitor does."""
        with self.store.writing() as connection:
            self.put(connection, number, *findings)
            return after_looks(connection, 1, plan, since=date(number))

    def put(self, connection: Any, number: int, *findings: Finding) -> None:
        at = date(number)
        revision = 1 + len(connection.execute(select(look.c.id).where(look.c.day == at)).all())
        for table in (look, day):
            connection.execute(update(table).where(table.c.day == at).values(current=None))
        values = {"monitor_id": 1, "day": at, "revision": revision, "current": 1}
        made = connection.execute(_row(day, regime_id=1, number=number, **values)).inserted_primary_key[0]
        document = text_of(Document(findings=findings, version="0"))
        connection.execute(_row(look, day_id=made, document=document, **values))

    def looks(self, several: list[Limits], plan: Monitoring, first: int = 1) -> list[str]:
        """One finding a day; what was told, in order."""
        told: list[str] = []
        for number, limits in enumerate(several, first):
            told += self.look(number, penalty(limits), plan=plan).texts
        return told

    def flags(self) -> list[tuple[str, str, str | None]]:
        """State, day of opening and of closing of every flag."""
        return self._read(select(flag.c.state, flag.c.opened, flag.c.closed).order_by(flag.c.id))

    def said(self) -> list[str]:
        """What each flag says."""
        return [said for (said,) in self._read(select(flag.c.said).order_by(flag.c.id))]

    def events(self) -> list[tuple[str, str]]:
        """What was told, in order."""
        return self._read(select(flag_event.c.kind, flag_event.c.day).order_by(flag_event.c.id))

    def messages(self) -> list[dict[str, Any]]:
        told = self._read(select(flag_event.c.message).order_by(flag_event.c.id))
        return [json.loads(one) for (one,) in told]

    def _read(self, query: Any) -> list[Any]:
        with self.store.reading() as connection:
            return [tuple(row) for row in connection.execute(query)]

    def waiting(self, channel: str) -> list[str]:
        """Ids of what waits for a channel."""
        with self.store.reading() as connection:
            found = connection.execute(
                select(flag_event.c.message)
                .join(outbox, outbox.c.event_id == flag_event.c.id)
                .where(outbox.c.channel == channel, outbox.c.delivered_at.is_(None))
                .order_by(outbox.c.id)
            ).scalars()
            return [json.loads(one)["id"] for one in found]


def _row(table: Table, **values: Any) -> Insert:
    """A new row; of what nobody here reads, something that the table takes."""
    anything = {Integer: 0, Text: "{}", LargeBinary: b""}
    others = {
        column.name: anything[type(column.type)]
        for column in table.columns
        if not column.nullable and not column.primary_key and column.name not in values
    }
    return insert(table).values(**values, **others)


def date(number: int) -> str:
    return f"2026-{(number - 1) // 28 + 1:02}-{(number - 1) % 28 + 1:02}"


def followed(folder: Path) -> Followed:
    return Followed(str(folder / "monitor.db"))
