"""What is shown under a name: days that are followed in this store, and results that were put there."""

from __future__ import annotations

import hashlib
import json
from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, func, select

from evenhand.errors import InputError
from evenhand.store.connecting import Store
from evenhand.store.flag_tables import flag, flag_event
from evenhand.store.service_tables import published
from evenhand.store.tables import day, look, monitor, regime

_MOST_LETTERS = 200


class Shown(NamedTuple):
    """A name: its last day and open flags, if it is followed; and when a result was put there, if one was."""

    name: str
    last_day: str | None
    open_flags: int
    published_at: float | None


def is_name(text: str) -> bool:
    return bool(text.strip()) and text.isprintable() and len(text) <= _MOST_LETTERS


def checked(raw: bytes) -> str:
    """A findings document as it is kept; refused where it is none."""
    from evenhand.documents import read_document, text_of
    from evenhand.schema_1 import UnlikeError

    try:
        return text_of(read_document(raw.decode()))
    except UnicodeDecodeError:
        raise InputError("The body is not a text in UTF-8; send the content of a findings.json.") from None
    except (ValueError, UnlikeError, RecursionError):
        raise InputError("The body is no findings document; send the content of a findings.json.") from None


def overview(store: Store) -> list[Shown]:
    """All names, in order."""
    with store.reading() as connection:
        days = select(monitor.c.name, func.max(look.c.day)).join(look, look.c.monitor_id == monitor.c.id)
        last = _by_name(connection, days.where(look.c.current == 1).group_by(monitor.c.name))
        raised = select(monitor.c.name, func.count()).join(flag, flag.c.monitor_id == monitor.c.id)
        flags = _by_name(connection, raised.where(flag.c.state == "open").group_by(monitor.c.name))
        put = select(published.c.name, func.max(published.c.at)).group_by(published.c.name)
        times = _by_name(connection, put)
    return [
        Shown(name, last.get(name), flags.get(name, 0), times.get(name)) for name in sorted({*last, *times})
    ]


def _by_name(connection: Connection, chosen: Select[Any]) -> dict[str, Any]:
    return {name: value for name, value in connection.execute(chosen).all()}  # noqa: C416  # rows are no pairs


def latest(store: Store, name: str) -> str | None:
    """The findings document that was put or found last under this name; None where there is none."""
    with store.reading() as connection:
        put = select(published.c.document).where(published.c.name == name).order_by(published.c.at.desc())
        found = connection.execute(put.limit(1)).scalar()
        if found is None:
            days = select(look.c.document).join(monitor, monitor.c.id == look.c.monitor_id)
            there = (monitor.c.name == name, look.c.current == 1)
            found = connection.execute(days.where(*there).order_by(look.c.day.desc()).limit(1)).scalar()
        return found


def version(store: Store, name: str) -> str | None:
    """A text that changes whenever the page of a monitor does; None where it is not followed here."""
    with store.reading() as connection:
        of = connection.execute(select(monitor.c.id).where(monitor.c.name == name)).scalar()
        if of is None:
            return None
        events = select(func.max(flag_event.c.id)).join(flag, flag.c.id == flag_event.c.flag_id)
        asked = (
            select(func.max(look.c.id), func.count(look.c.current)).where(look.c.monitor_id == of),
            select(func.max(day.c.id), func.max(day.c.forgotten_at)).where(day.c.monitor_id == of),
            select(func.max(flag.c.acknowledged_at)).where(flag.c.monitor_id == of),
            select(func.max(regime.c.id)).where(regime.c.monitor_id == of),
            events.where(flag.c.monitor_id == of),
        )
        told = [[of, *row] for one in asked for row in connection.execute(one)]
    if not told[0][2]:
        return None  # no day yet
    return hashlib.sha256(json.dumps([name, told], default=str).encode()).hexdigest()[:32]


def open_flags(store: Store) -> list[dict[str, str]]:
    """Of all monitors, the latest first."""
    told = select(monitor.c.name.label("monitor"), flag.c.name, flag.c.rule, flag.c.opened, flag.c.said)
    there = told.join(monitor, monitor.c.id == flag.c.monitor_id).where(flag.c.state == "open")
    with store.reading() as connection:
        rows = connection.execute(there.order_by(flag.c.opened.desc(), flag.c.id.desc())).mappings()
        return [{key: str(value) for key, value in row.items()} for row in rows]
