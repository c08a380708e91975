"""Who is in an audit, as far as that never changes but by deletion: kept in memory, read once an audit."""

from __future__ import annotations

import json
import re
import threading
from typing import NamedTuple

from sqlalchemy import select

from evenhand.errors import InputError
from evenhand.service.log.answers import UNAVAILABLE, RefusedError, sound
from evenhand.store import audit_tables as tables
from evenhand.store.connecting import Store


def is_audit_id(text: str) -> bool:
    """Whether it looks like one: whatever else a client says is not asked of a store."""
    return re.fullmatch("[0-9a-f]{16}", text) is not None


class Known(NamedTuple):
    secret: bytes
    version: str | None
    arms: list[list[int]]
    targets: dict[str, int]  # by id
    everybody: dict[str, int]
    names: dict[int, str]


class People:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: dict[str, Known] = {}
        self._lock = threading.Lock()

    def knows(self, audit: str) -> bool:
        """Whether `of` answers without reading."""
        return audit in self._known

    def of(self, audit: str) -> Known:
        """One whose people are not named is read again each time."""
        found = self._known.get(audit)
        if found is not None:
            return found
        with self._lock:
            try:
                found = self._known.get(audit) or self._read(audit)
            except InputError:  # the store is away
                raise RefusedError(503, UNAVAILABLE.body["error"]) from None
            if found.everybody:
                self._known[audit] = found
            return found

    def name(self, audit: str, number: int) -> str | None:
        return self.of(audit).names.get(number)

    def forget(self, audit: str) -> None:
        with self._lock:
            self._known.pop(audit, None)

    def _read(self, audit: str) -> Known:
        a, s, e = tables.audit, tables.stream, tables.event
        if not is_audit_id(audit):
            raise RefusedError(404, "There is no such audit.")
        with self._store.reading() as connection, sound(audit, 0):
            secret = connection.execute(select(a.c.secret).where(a.c.id == audit)).scalar()
            if secret is None:
                raise RefusedError(404, "There is no such audit.")
            first = select(e.c.payload).where(e.c.audit == audit, e.c.stream == 0, e.c.seq <= 2)
            created, drawn = connection.execute(first.order_by(e.c.seq)).scalars()
            assert isinstance(secret, bytes | memoryview)
            people = select(s.c.user, s.c.number).where(s.c.audit == audit, s.c.user.is_not(None))
            everybody: dict[str, int] = {row.user: row.number for row in connection.execute(people)}
            arms, version = json.loads(drawn)[2], json.loads(created)[1].get("version")
            targets = {user: number for user, number in everybody.items() if number <= len(arms)}
            names = {number: user for user, number in everybody.items()}
        return Known(bytes(secret), version, arms, targets, everybody, names)
