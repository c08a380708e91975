"""The days of a regime as a look sees them: `evenhand.following.Days`, from the store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sqlalchemy import Connection, Row

from evenhand.monitor.days.dates import Period
from evenhand.monitor.records import read_evidence
from evenhand.store.damage import sound


@dataclass(frozen=True)
class StoredDays:
    """Days up to the one that is looked at; `rows` are theirs, in order of arrival."""

    connection: Connection
    step: str
    rows: Sequence[Row[Any]]
    numbers: Sequence[int]
    state: bytes | None
    period: Period
    were_together: bool = False

    @cached_property
    def labels(self) -> list[str]:
        return [row.day for row in self.rows]

    @property
    def number(self) -> int:
        return self.numbers[-1]

    @sound("the evidence of a day")
    def content(self, label: str, kind: str) -> bytes:
        (found,) = (row.id for row in self.rows if row.day == label)
        return read_evidence(self.connection, [found], self.step, kind)[found][kind]

    @sound("the evidence of a day")
    def contents(self, kind: str) -> list[bytes]:
        ids = [row.id for row in self.rows]
        found = read_evidence(self.connection, ids, self.step, kind)
        return [found[each][kind] for each in ids]
