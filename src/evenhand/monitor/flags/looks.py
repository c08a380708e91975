"""The looks that a change of flags follows, and where the rules stood before and stand after each."""

from __future__ import annotations

import json
from collections.abc import Iterator

from sqlalchemy import Connection, delete, insert, select

from evenhand.documents import Document
from evenhand.monitor.flags.changes import Told
from evenhand.monitor.flags.debounce import Look, State
from evenhand.monitor.records import document_of
from evenhand.store.damage import sound
from evenhand.store.flag_tables import flag, flag_state
from evenhand.store.tables import look


class Looks:
    """The current looks of a monitor from the day `since` on; only these are read."""

    def __init__(self, connection: Connection, monitor_id: int, since: str) -> None:
        self.connection, self.monitor_id, self.since = connection, monitor_id, since
        self.last: Document | None = None
        self.last_day = since

    @sound("where its flags stood")
    def state_before(self) -> State:
        """Where the rules stood before the first of these looks."""
        found = self.connection.execute(
            select(flag_state.c.content)
            .where(flag_state.c.monitor_id == self.monitor_id, flag_state.c.day < self.since)
            .order_by(flag_state.c.day.desc())
            .limit(1)
        ).scalar()
        return State() if found is None else State.read(json.loads(found))

    def each(self) -> Iterator[Look]:
        """In the order of their days, one at a time."""
        states = self.connection.execute(
            select(flag_state.c.day, flag_state.c.content).where(
                flag_state.c.monitor_id == self.monitor_id, flag_state.c.day >= self.since
            )
        )
        asked = {day: json.loads(content)["conditions"] for day, content in states}
        days = self.connection.execute(
            select(look.c.day)
            .where(look.c.monitor_id == self.monitor_id, look.c.current == 1, look.c.day >= self.since)
            .order_by(look.c.day)
        ).scalars()
        for day in days.all():
            self.last, self.last_day = self.document(day), day
            assert self.last is not None
            yield Look(day, self.last.findings, asked.get(day))

    def document(self, day: str) -> Document | None:
        """What was found on a day, as it counts now."""
        return document_of(self.connection, self.monitor_id, day)

    def told(self) -> list[Told]:
        """The flags that these looks can change."""
        columns = [flag.c[name] for name in Told._fields]
        found = self.connection.execute(
            select(*columns)
            .where(flag.c.monitor_id == self.monitor_id, flag.c.state != "withdrawn")
            .where(flag.c.closed.is_(None) | (flag.c.closed >= self.since))
            .order_by(flag.c.opened, flag.c.id)
        )
        return [Told(*row) for row in found]

    def keep(self, states: list[tuple[str, State]]) -> None:
        """The state after each look, in place of those from `since` on."""
        mine = (flag_state.c.monitor_id == self.monitor_id, flag_state.c.day >= self.since)
        self.connection.execute(delete(flag_state).where(*mine))
        for day, state in states:
            content = json.dumps(state.told(), ensure_ascii=False, separators=(",", ":"))
            self.connection.execute(
                insert(flag_state).values(monitor_id=self.monitor_id, day=day, content=content)
            )
