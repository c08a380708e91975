"""Live audits: streams of events, snapshots, answers that were given, rewards that came late, and tokens."""

from __future__ import annotations

from sqlalchemy import (
    Column,
    Connection,
    Float,
    Index,
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
    "audit",
    _metadata,
    Column("id", Text, primary_key=True),
    Column("secret", LargeBinary, nullable=False),
    Column("series", Text),
    Column("link", Integer),
    Column("created_at", Float(53), nullable=False),
    UniqueConstraint("series", "link"),
)

Table(
    "stream",
    _metadata,
    Column("audit", Text, nullable=False),
    Column("number", Integer, nullable=False),
    Column("user", Text),
    Column("seq", Integer, nullable=False),
    Column("head", LargeBinary, nullable=False),
    Column("at", Float(53), nullable=False),
    PrimaryKeyConstraint("audit", "number"),
)

_event = Table(
    "event",
    _metadata,
    Column("audit", Text, nullable=False),
    Column("stream", Integer, nullable=False),
    Column("seq", Integer, nullable=False),
    Column("at", Float(53), nullable=False),
    Column("kind", Text, nullable=False),
    Column("assignment", Integer),
    Column("payload", Text),
    Column("salt", LargeBinary),
    Column("leaf", LargeBinary, nullable=False),
    PrimaryKeyConstraint("audit", "stream", "seq"),
)
Index("event_of_assignment", _event.c.audit, _event.c.stream, _event.c.assignment)

Table(
    "snapshot",
    _metadata,
    Column("audit", Text, nullable=False),
    Column("stream", Integer, nullable=False),
    Column("seq", Integer, nullable=False),
    Column("state", Text, nullable=False),
    PrimaryKeyConstraint("audit", "stream"),
)

Table(
    "answered",
    _metadata,
    Column("token", Text, nullable=False),
    Column("key", Text, nullable=False),
    Column("fingerprint", Text, nullable=False),
    Column("status", Integer, nullable=False),
    Column("body", Text, nullable=False),
    Column("audit", Text),
    Column("stream", Integer),
    Column("person", Integer),
    Column("at", Float(53), nullable=False),
    PrimaryKeyConstraint("token", "key"),
)

Table(
    "late_reward",
    _metadata,
    Column("audit", Text, nullable=False),
    Column("stream", Integer, nullable=False),
    Column("assignment", Integer, nullable=False),
    Column("reward", Float(53), nullable=False),
    Column("observed_at", Float(53)),
    Column("at", Float(53), nullable=False),
    PrimaryKeyConstraint("audit", "stream", "assignment"),
)

Table(
    "token",
    _metadata,
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("hash", Text, nullable=False, unique=True),
    Column("scopes", Text, nullable=False),
    Column("audits", Text),
    Column("created_at", Float(53), nullable=False),
    Column("revoked_at", Float(53)),
)

Table(
    "alive",
    _metadata,
    Column("id", Integer, primary_key=True),
    Column("at", Float(53), nullable=False),
)


def change(connection: Connection) -> None:
    _metadata.create_all(connection, checkfirst=False)
