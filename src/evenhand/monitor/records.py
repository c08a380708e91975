"""What is asked of the tables of a store, and written to them."""

from __future__ import annotations

import hashlib
import secrets
import zlib
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, delete, func, insert, select, update

from evenhand.documents import Document, read_document
from evenhand.errors import InputError
from evenhand.store.damage import sound
from evenhand.store.tables import day, evidence, look, monitor, regime, state

# A state that looks can be made again from is kept at every so many days.
KEPT_STATES = 28


class Monitor(NamedTuple):
    id: int
    secret: bytes
    plan: str  # as it was told at the last look, JSON


# The reason that is kept of a day which was taken out and came again.
AGAIN = "it had been taken out before"


def find_monitor(connection: Connection, name: str) -> Monitor | None:
    chosen = select(monitor.c.id, monitor.c.secret, monitor.c.plan).where(monitor.c.name == name)
    found = connection.execute(chosen).first()
    return None if found is None else Monitor(*found)


def known_monitor(connection: Connection, name: str) -> Monitor:
    """The monitor of this name, or what there is."""
    found = find_monitor(connection, name)
    if found is None:
        names = connection.execute(select(monitor.c.name).order_by(monitor.c.name)).scalars().all()
        there = f"it has {', '.join(names[:5])}" if names else "it is empty"
        raise InputError(f"The store has no monitor {name!r}; {there}. Name one with --name, or add a day.")
    return found


def made_monitor(connection: Connection, name: str, plan: str, at: str) -> Monitor:
    """The monitor of this name, made if it is not there: whoever comes second finds it."""
    found = find_monitor(connection, name)
    if found is not None:
        return found
    values = {"name": name, "plan": plan, "secret": secrets.token_bytes(32), "created_at": at}
    if connection.dialect.name == "postgresql":
        from sqlalchemy.dialects.postgresql import insert as unless_there

        connection.execute(unless_there(monitor).values(**values).on_conflict_do_nothing())
    else:
        connection.execute(insert(monitor).values(**values))
    return known_monitor(connection, name)


def lock(connection: Connection, monitor_id: int) -> None:
    """Let nobody else write days of this monitor until the transaction ends; SQLite has one writer anyway."""
    connection.execute(select(monitor.c.id).where(monitor.c.id == monitor_id).with_for_update())


def last_regime(connection: Connection, monitor_id: int) -> Row[Any] | None:
    chosen = select(regime).where(regime.c.monitor_id == monitor_id)
    return connection.execute(chosen.order_by(regime.c.number.desc()).limit(1)).first()


def begin_with_first_day(connection: Connection, regime_id: int) -> None:
    """Let a regime begin with the first of its days that count; without one it stays as it is."""
    days = select(func.min(day.c.day)).where(day.c.regime_id == regime_id, day.c.current == 1)
    if (first := connection.execute(days).scalar()) is not None:
        connection.execute(update(regime).where(regime.c.id == regime_id).values(first_day=first))


def current_day(connection: Connection, monitor_id: int, label: str) -> Row[Any] | None:
    chosen = select(day).where(day.c.monitor_id == monitor_id, day.c.day == label, day.c.current == 1)
    return connection.execute(chosen).first()


def revisions(connection: Connection, monitor_id: int, label: str) -> int:
    """How often a day was added or corrected, also one that was taken out."""
    chosen = select(func.max(day.c.revision)).where(day.c.monitor_id == monitor_id, day.c.day == label)
    return connection.execute(chosen).scalar() or 0


def taken_out(connection: Connection, monitor_id: int) -> list[tuple[str, str, bool]]:
    """Days that were taken out, with why, and whether they were added again since: what follows a correction
    has a reason of its own."""
    columns = select(day.c.day, day.c.current, day.c.reason).where(day.c.monitor_id == monitor_id)
    rows = connection.execute(columns.order_by(day.c.day, day.c.revision)).all()
    found = []
    for one, later in zip(rows, [*rows[1:], None], strict=True):
        after = later if later is not None and later.day == one.day else None
        if one.current is None and one.reason and (after is None or after.reason in ("", AGAIN)):
            found.append((one.day, one.reason, after is not None))
    return found


def day_like(connection: Connection, monitor_id: int, fingerprint: str) -> str | None:
    """A day that has these very numbers."""
    there = (day.c.monitor_id == monitor_id, day.c.current == 1, day.c.fingerprint == fingerprint)
    return connection.execute(select(day.c.day).where(*there).order_by(day.c.day.desc()).limit(1)).scalar()


def days_of(connection: Connection, regime_id: int) -> list[Row[Any]]:
    """The days of a regime that count and whose evidence is there, in order of arrival."""
    columns = day.c.id, day.c.day, day.c.number, day.c.fingerprint
    there = (day.c.regime_id == regime_id, day.c.current == 1, day.c.forgotten_at.is_(None))
    return list(connection.execute(select(*columns).where(*there).order_by(day.c.number)))


def latest_day(connection: Connection, regime_id: int, number: int) -> Row[Any]:
    """The last by date of the days that had come when the one in place `number` did, forgotten or not."""
    there = (day.c.regime_id == regime_id, day.c.current == 1, day.c.number <= number)
    return connection.execute(select(day).where(*there).order_by(day.c.day.desc()).limit(1)).one()


def known_days(connection: Connection, monitor_id: int) -> dict[str, bool]:
    """All days that were ever added, and whether they were forgotten."""
    chosen = select(day.c.day, day.c.forgotten_at).where(day.c.monitor_id == monitor_id, day.c.current == 1)
    return {row.day: row.forgotten_at is not None for row in connection.execute(chosen)}


def days_before(connection: Connection, regime_id: int, label: str, most: int) -> list[Row[Any]]:
    """The last days before one that count, with what they were read from and what was remarked on."""
    there = (day.c.regime_id == regime_id, day.c.current == 1, day.c.day < label)
    chosen = select(day.c.day, day.c.inputs, day.c.remarks).where(*there)
    return list(connection.execute(chosen.order_by(day.c.day.desc()).limit(most)))


def inputs_of(connection: Connection, day_id: int) -> str:
    """The fingerprints of what a day was read from."""
    return str(connection.execute(select(day.c.inputs).where(day.c.id == day_id)).scalar_one())


def store_evidence(connection: Connection, day_id: int, step: str, contents: Mapping[str, bytes]) -> None:
    for kind, content in contents.items():
        packed = zlib.compress(content)
        connection.execute(insert(evidence).values(day_id=day_id, step=step, kind=kind, content=packed))


@sound("the evidence of a day")
def read_evidence(
    connection: Connection, days: Iterable[int], step: str, kind: str | None = None
) -> dict[int, dict[str, bytes]]:
    """The evidence of these days by kind, or that of one kind alone."""
    found: dict[int, dict[str, bytes]] = {}
    chosen = select(evidence).where(evidence.c.step == step, evidence.c.day_id.in_(list(days)))
    if kind is not None:
        chosen = chosen.where(evidence.c.kind == kind)
    for row in connection.execute(chosen):
        found.setdefault(row.day_id, {})[row.kind] = zlib.decompress(row.content)
    return found


@sound("a state")
def read_state(connection: Connection, regime_id: int, step: str, number: int) -> bytes | None:
    chosen = select(state.c.content).where(
        state.c.regime_id == regime_id, state.c.step == step, state.c.number == number
    )
    found = connection.execute(chosen).scalar()
    return None if found is None else zlib.decompress(found)


def store_state(connection: Connection, regime_id: int, step: str, number: int, content: bytes) -> None:
    """Keep the state after the day `number`, in the place of what is of no use any more."""
    mine = (state.c.regime_id == regime_id, state.c.step == step)
    stale = (state.c.number >= number) | (state.c.number % KEPT_STATES != 0)
    connection.execute(delete(state).where(*mine, stale))
    values = {"regime_id": regime_id, "step": step, "number": number, "content": zlib.compress(content)}
    connection.execute(insert(state).values(**values))


def state_before(connection: Connection, regime_id: int, number: int, steps: int) -> int:
    """The last day before this one after which so many steps have a state; 0 where there is none."""
    mine = (state.c.regime_id == regime_id, state.c.number < number)
    chosen = select(state.c.number).where(*mine).group_by(state.c.number).having(func.count() == steps)
    return connection.execute(chosen.order_by(state.c.number.desc()).limit(1)).scalar() or 0


def refuse_other_evidence(connection: Connection, of: Row[Any]) -> None:
    """Refuse a day whose evidence is not what was counted on it, before it goes into sums."""
    if not is_as_counted(connection, of.id, of.fingerprint):
        raise InputError(
            f"The store is damaged: the evidence of {of.day} is not what was counted; go back to a backup."
        )


def is_as_counted(connection: Connection, day_id: int, fingerprint: str) -> bool:
    """Whether the evidence of a day has the fingerprint that it had."""
    kept: dict[str, dict[str, bytes]] = {}
    try:
        for one in connection.execute(select(evidence).where(evidence.c.day_id == day_id)):
            kept.setdefault(one.step, {})[one.kind] = zlib.decompress(one.content)
        return fingerprint_of(kept) == fingerprint
    except (zlib.error, TypeError):
        return False


def fingerprint_of(evidence_of: Mapping[str, Mapping[str, bytes]]) -> str:
    """The fingerprint of all that was counted on a day, by step and kind."""
    found = hashlib.sha256()
    for step, contents in sorted(evidence_of.items()):
        for kind, content in sorted(contents.items()):
            found.update(f"{step}\0{kind}\0{len(content)}\0".encode() + content)
    return found.hexdigest()


def digest(parts: Iterable[str]) -> str:
    """One fingerprint of several."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def look_numbers(connection: Connection, regime_id: int) -> dict[str, int]:
    """The number of the look that each day of a regime has now."""
    chosen = (
        select(look.c.day, look.c.number)
        .join(day, day.c.id == look.c.day_id)
        .where(day.c.regime_id == regime_id, look.c.current == 1)
    )
    return {row.day: row.number for row in connection.execute(chosen)}


def looks_made(connection: Connection, regime_id: int) -> int:
    """How many looks were ever made in a regime."""
    chosen = select(func.max(look.c.number)).join(day, day.c.id == look.c.day_id)
    return connection.execute(chosen.where(day.c.regime_id == regime_id)).scalar() or 0


@sound("what was found on a day")
def document_of(connection: Connection, monitor_id: int, label: str) -> Document | None:
    """What was found on a day, as it counts now."""
    mine = (look.c.monitor_id == monitor_id, look.c.day == label, look.c.current == 1)
    found = connection.execute(select(look.c.document).where(*mine)).scalar()
    return None if found is None else read_document(found)


def store_look(
    connection: Connection, monitor_id: int, of: Row[Any], number: int, document: str, at: str
) -> None:
    """What was found on a day, in the place of what was found before, which stays beside it."""
    mine = (look.c.monitor_id == monitor_id, look.c.day == of.day)
    before = connection.execute(select(func.max(look.c.revision)).where(*mine)).scalar() or 0
    connection.execute(update(look).where(*mine, look.c.current == 1).values(current=None))
    values = {
        "monitor_id": monitor_id, "day_id": of.id, "day": of.day, "revision": before + 1, "current": 1,
        "number": number, "document": document, "made_at": at,
    }  # fmt: skip
    connection.execute(insert(look).values(**values))
