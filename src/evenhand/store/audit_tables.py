"""The tables of live audits, as they are after the last migration."""

from __future__ import annotations

from sqlalchemy import (
    Column,
    Float,
    Index,
    Integer,
    LargeBinary,
    PrimaryKeyConstraint,
    Table,
    Text,
    UniqueConstraint,
)

from evenhand.store.tables import metadata

# An audit. All that it is stands in its events; here is what must be known before they are read.
audit = Table(
    "audit",
    metadata,
    Column("id", Text, primary_key=True),
    Column("secret", LargeBinary, nullable=False),  # for the ids of assignments
    Column("series", Text),
    Column("link", Integer),  # its place in the series, from 1
    Column("created_at", Float(53), nullable=False),
    UniqueConstraint("series", "link"),
)

# What happens in one order: 0 is the audit itself, 1 and up are its people by place (targets first, then
# those whose policies are tried). `seq` and `head` are the number and the chained hash of its last event.
stream = Table(
    "stream",
    metadata,
    Column("audit", Text, nullable=False),
    Column("number", Integer, nullable=False),
    Column("user", Text),  # NULL for the audit itself, before people are named, and once deleted
    Column("seq", Integer, nullable=False),
    Column("head", LargeBinary, nullable=False),
    Column("at", Float(53), nullable=False),
    PrimaryKeyConstraint("audit", "number"),
)

# The truth. Everything else (but secrets and tokens) can be made again from it.
event = Table(
    "event",
    metadata,
    Column("audit", Text, nullable=False),
    Column("stream", Integer, nullable=False),
    Column("seq", Integer, nullable=False),
    Column("at", Float(53), nullable=False),
    Column("kind", Text, nullable=False),
    Column("assignment", Integer),
    Column("payload", Text),  # JSON; NULL once deleted
    Column("salt", LargeBinary),
    Column("leaf", LargeBinary, nullable=False),  # sha256(salt || payload)
    PrimaryKeyConstraint("audit", "stream", "seq"),
)
Index("event_of_assignment", event.c.audit, event.c.stream, event.c.assignment)

# A state as the events up to `seq` make it, so that not all of them are read again.
snapshot = Table(
    "snapshot",
    metadata,
    Column("audit", Text, nullable=False),
    Column("stream", Integer, nullable=False),
    Column("seq", Integer, nullable=False),
    Column("state", Text, nullable=False),
    PrimaryKeyConstraint("audit", "stream"),
)

# What was answered to a key, so that the same request again gets the same answer. `person` is whose policy
# was answered, by place: no answer has a user id in it. `audit` and `stream` say with whom it is deleted. A
# batch of several people, who may be of several audits (NULL then), is answered as before, but when somebody
# is deleted its fingerprint goes: by a hash of all that was reported theirs could be guessed.
OF_A_BATCH, FORGOTTEN = -1, "forgotten"
answered = Table(
    "answered",
    metadata,
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

# Rewards that came when their assignment was settled; they count nothing.
late_reward = Table(
    "late_reward",
    metadata,
    Column("audit", Text, nullable=False),
    Column("stream", Integer, nullable=False),
    Column("assignment", Integer, nullable=False),
    Column("reward", Float(53), nullable=False),
    Column("observed_at", Float(53)),
    Column("at", Float(53), nullable=False),
    PrimaryKeyConstraint("audit", "stream", "assignment"),
)

# Who may do what. A token itself is kept nowhere.
token = Table(
    "token",
    metadata,
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("hash", Text, nullable=False, unique=True),
    Column("scopes", Text, nullable=False),
    Column("audits", Text),  # JSON; NULL: all
    Column("created_at", Float(53), nullable=False),
    Column("revoked_at", Float(53)),
)

# One row: when a server last said that it runs, by which an outage is known.
alive = Table(
    "alive",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("at", Float(53), nullable=False),
)
