"""Flags, what happened to them, and messages that wait."""

from __future__ import annotations

from sqlalchemy import (
    Column,
    Connection,
    ForeignKey,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    Text,
    UniqueConstraint,
)

_metadata = MetaData()
# Only named, for the references to it.
_monitor = Table("monitor", _metadata, Column("id", Integer, primary_key=True))

Table(
    "flag",
    _metadata,
    Column("id", Integer, primary_key=True),
    Column("monitor_id", ForeignKey("monitor.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("name", Text, nullable=False),
    Column("rule", Text, nullable=False),
    Column("condition", Text, nullable=False),
    Column("finding", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("opened", Text, nullable=False),
    Column("closed", Text),
    Column("said", Text, nullable=False),
    Column("acknowledged_by", Text),
    Column("acknowledged_why", Text),
    Column("acknowledged_at", Text),
    UniqueConstraint("monitor_id", "name"),
)

Table(
    "flag_event",
    _metadata,
    Column("id", Integer, primary_key=True),
    Column("flag_id", ForeignKey("flag.id", ondelete="CASCADE"), nullable=False),
    Column("number", Integer, nullable=False),
    Column("kind", Text, nullable=False),
    Column("day", Text, nullable=False),
    Column("message", Text, nullable=False),
    Column("made_at", Text, nullable=False),
    UniqueConstraint("flag_id", "number"),
)

Table(
    "flag_state",
    _metadata,
    Column("monitor_id", ForeignKey("monitor.id", ondelete="CASCADE"), nullable=False),
    Column("day", Text, nullable=False),
    Column("content", Text, nullable=False),
    PrimaryKeyConstraint("monitor_id", "day"),
)

Table(
    "outbox",
    _metadata,
    Column("id", Integer, primary_key=True),
    Column("monitor_id", ForeignKey("monitor.id", ondelete="CASCADE"), nullable=False),
    Column("event_id", ForeignKey("flag_event.id", ondelete="CASCADE"), nullable=False),
    Column("channel", Text, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("due_at", Text),
    Column("claim", Text),
    Column("claimed_until", Text),
    Column("delivered_at", Text),
    Column("problem", Text, nullable=False),
    UniqueConstraint("event_id", "channel"),
)


def change(connection: Connection) -> None:
    made = [table for table in _metadata.sorted_tables if table is not _monitor]
    _metadata.create_all(connection, made, checkfirst=False)
