"""What of a store cannot be what Evenhand wrote there: asked after a fault, to tell damage from our own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from sqlalchemy import Column, Connection, exists, not_, select

from evenhand.documents import read_document
from evenhand.errors import InputError
from evenhand.monitor.looking import INPUTS
from evenhand.monitor.records import is_as_counted
from evenhand.store.connecting import Store
from evenhand.store.flag_tables import flag, flag_event, flag_state, outbox
from evenhand.store.tables import day, evidence, look, monitor, regime, state

_TABLES = (monitor, regime, day, evidence, state, look, flag, flag_event, flag_state, outbox)
# Columns that hold JSON or a time, and what reads them.
_READ_BY: dict[Column[Any], Any] = {
    monitor.c.plan: json.loads, regime.c.definition: json.loads, day.c.inputs: INPUTS.validate_json,
    day.c.remarks: json.loads, look.c.document: lambda text: read_document(text).model_dump(),
    flag_event.c.message: json.loads,
    flag_state.c.content: json.loads, regime.c.first_day: datetime.fromisoformat,
    day.c.day: datetime.fromisoformat, look.c.day: datetime.fromisoformat,
    look.c.made_at: datetime.fromisoformat, flag_state.c.day: datetime.fromisoformat,
    outbox.c.due_at: datetime.fromisoformat, outbox.c.claimed_until: datetime.fromisoformat,
}  # fmt: skip
# A larger one is in no column of PostgreSQL, and cannot be counted on from.
_MOST = 1 << 31
# All of them are counted from 1.
_NUMBERS = frozenset(
    {regime.c.number, day.c.number, day.c.revision, state.c.number, look.c.number, look.c.revision}
    | {flag_event.c.number}
)


def damage(store: Store) -> str | None:
    """The first thing that is not as it was written, in words; None where nothing is found. Reads all."""
    with store.reading() as connection:
        found = (_wrong_values(connection), _missing_rows(connection), _other_evidence(connection))
        return next((what for each in found for what in each), None)


def _wrong_values(connection: Connection) -> Iterator[str]:
    for table in _TABLES:
        for row in connection.execute(select(table)):
            for column, value in zip(table.columns, row, strict=True):
                if not _is_sound(column, value):
                    yield f"{column.name} in a row of the table {table.name} is not what was written there"


def _is_sound(column: Column[Any], value: Any) -> bool:
    if value is None:
        return bool(column.nullable)
    if not isinstance(value, column.type.python_type):
        return False
    if isinstance(value, int) and not (1 if column in _NUMBERS else -_MOST) <= value < _MOST:
        return False
    if column not in _READ_BY:
        return True
    try:
        told = _READ_BY[column](value)
    except (ValueError, InputError):
        return False
    # An object, but for remarks, which are a list of them.
    return isinstance(told, datetime | (list if column is day.c.remarks else dict))


def _missing_rows(connection: Connection) -> Iterator[str]:
    """Days that count and lack what every one of them has."""
    kept = select(day.c.day).where(day.c.current == 1).order_by(day.c.day).limit(1)
    lacks = {
        "its regime": kept.where(not_(exists().where(regime.c.id == day.c.regime_id))),
        "its evidence": kept.where(day.c.forgotten_at.is_(None)).where(
            not_(exists().where(evidence.c.day_id == day.c.id))
        ),
        "what was found on it": kept.where(
            not_(
                exists().where(
                    look.c.monitor_id == day.c.monitor_id, look.c.day == day.c.day, look.c.current == 1
                )
            )
        ),
    }
    for what, query in lacks.items():
        if (label := connection.execute(query).scalar()) is not None:
            yield f"the day {label} lacks {what}"
    if connection.execute(
        select(regime.c.id).where(not_(exists().where(day.c.regime_id == regime.c.id)))
    ).first():
        yield "a regime has no day"
    if connection.execute(select(look.c.id).where(not_(exists().where(day.c.id == look.c.day_id)))).first():
        yield "what was found on a day is of a day that is not there"


def _other_evidence(connection: Connection) -> Iterator[str]:
    """Days that count and whose evidence is not what was counted."""
    there = (day.c.current == 1, day.c.forgotten_at.is_(None))
    for row in connection.execute(select(day.c.id, day.c.day, day.c.fingerprint).where(*there)).all():
        if not is_as_counted(connection, row.id, row.fingerprint):
            yield f"the evidence of {row.day} is not what was counted"
