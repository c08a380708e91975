"""Monitors, regimes, days, evidence and looks."""

from __future__ import annotations

from sqlalchemy import (
    Column,
    Connection,
    ForeignKey,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    Text,
    UniqueConstraint,
)

_metadata = MetaData()

Table(
    "monitor",
    _metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("plan", Text, nullable=False),
    Column("secret", LargeBinary, nullable=False),
    Column("created_at", Text, nullable=False),
)

Table(
    "regime",
    _metadata,
    Column("id", Integer, primary_key=True),
    Column("monitor_id", ForeignKey("monitor.id", ondelete="CASCADE"), nullable=False),
    Column("number", Integer, nullable=False),
    Column("first_day", Text, nullable=False),
    Column("definition", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("created_at", Text, nullable=False),
    UniqueConstraint("monitor_id", "number"),
)

Table(
    "day",
    _metadata,
    Column("id", Integer, primary_key=True),
    Column("monitor_id", ForeignKey("monitor.id", ondelete="CASCADE"), nullable=False),
    Column("day", Text, nullable=False),
    Column("revision", Integer, nullable=False),
    Column("current", Integer),
    Column("regime_id", ForeignKey("regime.id", ondelete="CASCADE"), nullable=False),
    Column("number", Integer, nullable=False),
    Column("fingerprint", Text, nullable=False),
    Column("inputs", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("version", Text, nullable=False),
    Column("added_at", Text, nullable=False),
    Column("forgotten_at", Text),
    UniqueConstraint("monitor_id", "day", "revision"),
    UniqueConstraint("monitor_id", "day", "current"),
)

Table(
    "evidence",
    _metadata,
    Column("day_id", ForeignKey("day.id", ondelete="CASCADE"), nullable=False),
    Column("step", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("content", LargeBinary, nullable=False),
    PrimaryKeyConstraint("day_id", "step", "kind"),
)

Table(
    "state",
    _metadata,
    Column("regime_id", ForeignKey("regime.id", ondelete="CASCADE"), nullable=False),
    Column("step", Text, nullable=False),
    Column("number", Integer, nullable=False),
    Column("content", LargeBinary, nullable=False),
    PrimaryKeyConstraint("regime_id", "step", "number"),
)

Table(
    "look",
    _metadata,
    Column("id", Integer, primary_key=True),
    Column("monitor_id", ForeignKey("monitor.id", ondelete="CASCADE"), nullable=False),
    Column("day_id", ForeignKey("day.id", ondelete="CASCADE"), nullable=False),
    Column("day", Text, nullable=False),
    Column("revision", Integer, nullable=False),
    Column("current", Integer),
    Column("number", Integer, nullable=False),
    Column("document", Text, nullable=False),
    Column("made_at", Text, nullable=False),
    UniqueConstraint("monitor_id", "day", "revision"),
    UniqueConstraint("monitor_id", "day", "current"),
)


def change(connection: Connection) -> None:
    _metadata.create_all(connection, checkfirst=False)
