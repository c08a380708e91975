"""A monitor out of its store, in one snapshot."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, exists, func, select

from evenhand.documents import read_document
from evenhand.errors import InputError
from evenhand.findings import Finding
from evenhand.monitor import records
from evenhand.monitor.days.remarks import unpacked
from evenhand.monitor.history import with_days
from evenhand.monitor.page.model import Correction, Flag, Point, Regime, Watch
from evenhand.store.connecting import Store
from evenhand.store.flag_tables import flag
from evenhand.store.tables import day, look, monitor, regime


def watch(store: Store, name: str) -> Watch:
    """The monitor of this name, as it is now."""
    with store.reading() as connection:
        found = connection.execute(select(monitor.c.id, monitor.c.plan).where(monitor.c.name == name)).first()
        if found is None:
            names = connection.execute(select(monitor.c.name).order_by(monitor.c.name)).scalars().all()
            there = ", ".join(names) or "no monitor at all"
            raise InputError(f"The store {store.name} has no monitor {name!r}; it has: {there}.")
        return _watch(connection, found.id, name, json.loads(found.plan))


def _watch(connection: Connection, monitor_id: int, name: str, plan: Mapping[str, Any]) -> Watch:
    looks = connection.execute(
        select(look.c.day, look.c.document, look.c.made_at)
        .where(look.c.monitor_id == monitor_id, look.c.current == 1)
        .order_by(look.c.day)
    )
    points: dict[str, dict[str, Point]] = defaultdict(dict)
    last_of: dict[str, str] = {}
    documents: dict[str, str] = {}
    entries: dict[str, list[Any]] = defaultdict(list)
    regimes = _regimes(connection, monitor_id)
    made_at = ""
    for label, document, made in looks:
        documents[label], made_at = document, max(made_at, made)
        for finding in json.loads(document)["findings"]:
            points[finding["id"]][label] = point_of(finding, label)
            last_of[finding["id"]] = label
            if not regimes or label >= regimes[-1].first_day:
                entries[finding["id"]] += _days_of(finding)
    if not documents:
        raise InputError(f"The monitor {name!r} has no day yet; add one with `evenhand monitor add`.")
    read = {label: read_document(documents[label]) for label in {*last_of.values(), [*documents][-1]}}
    latest = read[[*documents][-1]]
    findings: dict[str, Finding] = {
        one.id: with_days(one, entries[one.id])
        for label in sorted(read)
        for one in read[label].findings
        if last_of[one.id] == label
    }
    monitoring = plan.get("monitoring") or {}
    return Watch(
        name=name,
        unit=monitoring.get("cadence", "day"),
        days=tuple(documents),
        latest=latest,
        findings=findings,
        points=points,
        flags=_flags(connection, monitor_id),
        regimes=regimes,
        corrections=_corrections(connection, monitor_id),
        taken_out=tuple(records.taken_out(connection, monitor_id)),
        remarks=_remarks(connection, monitor_id),
        forgotten=connection.execute(
            select(func.max(day.c.day)).where(
                day.c.monitor_id == monitor_id, day.c.current == 1, day.c.forgotten_at.is_not(None)
            )
        ).scalar(),
        looked_at=None if not made_at else datetime.fromisoformat(made_at).timestamp(),
        scope=latest.scope,
    )


def _days_of(finding: Mapping[str, Any]) -> list[Any]:
    """What a look has in its picture of days: the look itself knows one, and words are about all."""
    return [
        day for one in finding.get("pictures") or () if one.get("kind") == "series" for day in one["days"]
    ]


def point_of(finding: Mapping[str, Any], label: str) -> Point:
    """What a finding of a look says of its day: the entry of that day in its series, which has the limits of
    all days at once, or else its own numbers."""
    for picture in finding.get("pictures") or ():
        if picture.get("kind") == "series":
            for entry in picture["days"]:
                if entry["day"] == label and entry.get("estimate") is not None:
                    return Point(entry["estimate"], entry["low"], entry["high"], entry.get("verdict"))
    interval = finding.get("interval") or {}
    return Point(finding["estimate"], interval.get("low"), interval.get("high"), finding.get("verdict"))


def _flags(connection: Connection, monitor_id: int) -> tuple[Flag, ...]:
    found = connection.execute(
        select(flag).where(flag.c.monitor_id == monitor_id).order_by(flag.c.opened, flag.c.id)
    )
    return tuple(
        Flag(
            one.rule,
            one.name,
            one.finding,
            one.state,
            one.opened,
            one.closed,
            one.said,
            one.acknowledged_by or "",
        )
        for one in found
    )


def _regimes(connection: Connection, monitor_id: int) -> tuple[Regime, ...]:
    counts = exists().where(day.c.regime_id == regime.c.id, day.c.current == 1)  # not all were taken out
    found = connection.execute(
        select(regime.c.number, regime.c.first_day, regime.c.reason)
        .where(regime.c.monitor_id == monitor_id, counts)
        .order_by(regime.c.number)
    )
    return tuple(Regime(*row) for row in found)


def _remarks(connection: Connection, monitor_id: int) -> tuple[tuple[str, str], ...]:
    current = (day.c.monitor_id == monitor_id, day.c.current == 1, day.c.remarks.is_not(None))
    found = connection.execute(select(day.c.day, day.c.remarks).where(*current).order_by(day.c.day.desc()))
    return tuple((label, one.said) for label, remarks in found for one in unpacked(remarks) if one.new)


def _corrections(connection: Connection, monitor_id: int) -> tuple[Correction, ...]:
    found = connection.execute(
        select(day.c.day, day.c.revision, day.c.reason)
        .where(day.c.monitor_id == monitor_id, day.c.current == 1, day.c.revision > 1)
        .order_by(day.c.day)
    )
    return tuple(Correction(label, revision - 1, reason) for label, revision, reason in found)
