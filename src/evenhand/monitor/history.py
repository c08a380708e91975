"""All that a monitor knows: its days, what is missing among them, and what was found from day to day."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from sqlalchemy import Connection, select

from evenhand.documents import Document, read_document
from evenhand.findings import Finding, Verdict
from evenhand.following import is_of_all_days
from evenhand.monitor import records
from evenhand.monitor.days.dates import Period
from evenhand.monitor.days.remarks import unpacked
from evenhand.pictures import Series
from evenhand.store.connecting import Store
from evenhand.store.damage import sound
from evenhand.store.tables import day, look, regime

_TALLIES = {
    "days_outside": Verdict.VIOLATION,
    "days_undecided": Verdict.INCONCLUSIVE,
    "days_within": Verdict.WITHIN_TOLERANCE,
}


@dataclass(frozen=True)
class KnownDay:
    """A day as it counts. `reason` is that of its last correction."""

    day: str
    regime: int
    revision: int
    reason: str
    added_at: str
    forgotten: bool
    remarks: tuple[str, ...] = ()  # what is unusual about its rows


@dataclass(frozen=True)
class Regime:
    number: int
    first_day: str
    reason: str


@dataclass(frozen=True)
class TakenOut:
    """A day that counts no more, or was `added_again`, and why it was taken out."""

    day: str
    reason: str
    added_again: bool


@dataclass(frozen=True)
class History:
    """`gaps` are the days, or weeks, of the regime that counts which are not there. `document` is that of the
    latest day, with all days of its regime in its pictures; none where nothing was added yet."""

    name: str
    period: Period
    days: tuple[KnownDay, ...]
    regimes: tuple[Regime, ...]
    gaps: tuple[str, ...]
    document: Document | None
    taken_out: tuple[TakenOut, ...] = ()

    @property
    def of_all_days(self) -> frozenset[str]:
        """The ids of what the document says of all days so far."""
        found = () if self.document is None else self.document.findings
        return frozenset(one.id for one in found if is_of_all_days(one))


def history(store: Store, name: str) -> History:
    with store.reading() as connection:
        return _history(connection, name)


def _history(connection: Connection, name: str) -> History:
    found = records.known_monitor(connection, name)
    regimes = connection.execute(
        select(regime).where(regime.c.monitor_id == found.id).order_by(regime.c.number)
    ).all()
    numbers = {row.id: row.number for row in regimes}
    days = tuple(
        KnownDay(
            row.day,
            numbers[row.regime_id],
            row.revision,
            row.reason,
            row.added_at,
            bool(row.forgotten_at),
            tuple(one.said for one in unpacked(row.remarks) if one.new),
        )
        for row in connection.execute(
            select(day).where(day.c.monitor_id == found.id, day.c.current == 1).order_by(day.c.day)
        )
    )
    documents = {}
    if regimes:
        chosen = select(look.c.day, look.c.document).join(day, day.c.id == look.c.day_id)
        looks = chosen.where(day.c.regime_id == regimes[-1].id, look.c.current == 1).order_by(look.c.day)
        with sound("what was found on a day"):
            documents = {row.day: read_document(row.document) for row in connection.execute(looks)}
    period = _period(documents)
    return History(
        name,
        period,
        days,
        tuple(
            Regime(row.number, row.first_day, row.reason)
            for row in regimes
            if row is regimes[-1] or any(one.regime == row.number for one in days)  # or all were taken out
        ),
        _gaps(list(documents), period),
        _joined(documents),
        tuple(TakenOut(*one) for one in records.taken_out(connection, found.id)),
    )


def _period(documents: dict[str, Document]) -> Period:
    units = (
        one.series.unit for each in documents.values() for one in each.findings if one.series is not None
    )
    return next(units, "day")


def _gaps(days: list[str], period: Period) -> tuple[str, ...]:
    if not days:
        return ()
    step, there = timedelta(7 if period == "week" else 1), set(days)
    at, last, missing = date.fromisoformat(min(days)), date.fromisoformat(max(days)), []
    while at < last:
        if at.isoformat() not in there:
            missing.append(at.isoformat())
        at += step
    return tuple(missing)


def _joined(documents: dict[str, Document]) -> Document | None:
    """The last document, its findings with the days of all of them: what each said of its own day."""
    if not documents:
        return None
    entries: dict[str, list[Any]] = {}
    for document in documents.values():
        for finding in document.findings:
            if finding.series is not None:
                entries.setdefault(str(finding.id), []).extend(finding.series.days)
    *_, last = documents.values()
    findings = tuple(with_days(one, entries.get(str(one.id), [])) for one in last.findings)
    return last.model_copy(update={"findings": findings})


def with_days(finding: Finding, days: list[Any]) -> Finding:
    """The finding of a look with the days of all looks, and counts of them."""
    if finding.series is None or not days:
        return finding
    series = Series.of(finding.series.unit, days)
    pictures = tuple(series if isinstance(one, Series) else one for one in finding.pictures)
    details = dict(finding.details)
    if "days" in details:
        details["days"] = len(series.known)
    for key, verdict in _TALLIES.items():
        if key in details:
            details[key] = sum(one.verdict == verdict for one in series.known)
    return finding.amended(pictures=pictures, details=details)
