"""The tables of flags and of messages that wait, as they are after the last migration."""

from __future__ import annotations

from sqlalchemy import Column, ForeignKey, Integer, PrimaryKeyConstraint, Table, Text, UniqueConstraint

from evenhand.store.tables import metadata

# A flag, once, whatever happened to it since.
flag = Table(
    "flag",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("monitor_id", ForeignKey("monitor.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("name", Text, nullable=False),  # short, for people and messages
    Column("rule", Text, nullable=False),
    Column("condition", Text, nullable=False),  # of the rule, when it opened
    Column("finding", Text, nullable=False),  # its id
    Column("state", Text, nullable=False),  # open, closed, withdrawn
    Column("opened", Text, nullable=False),  # the day of the look, and not when somebody ran it
    Column("closed", Text),
    Column("said", Text, nullable=False),  # the sentence that opened it
    Column("acknowledged_by", Text),
    Column("acknowledged_why", Text),
    Column("acknowledged_at", Text),
    UniqueConstraint("monitor_id", "name"),
)

# What happened to a flag and is told, in order; the message is as it was written then.
flag_event = Table(
    "flag_event",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("flag_id", ForeignKey("flag.id", ondelete="CASCADE"), nullable=False),
    Column("number", Integer, nullable=False),  # from 1
    Column("kind", Text, nullable=False),  # opened, closed, withdrawn, reopened, moved
    Column("day", Text, nullable=False),
    Column("message", Text, nullable=False),  # JSON
    Column("made_at", Text, nullable=False),
    UniqueConstraint("flag_id", "number"),
)

# Where every rule stands after a look, so that the next need not read them all.
flag_state = Table(
    "flag_state",
    metadata,
    Column("monitor_id", ForeignKey("monitor.id", ondelete="CASCADE"), nullable=False),
    Column("day", Text, nullable=False),
    Column("content", Text, nullable=False),  # JSON
    PrimaryKeyConstraint("monitor_id", "day"),
)

# A message for one channel, until it is delivered and after; a channel is a name in the plan, so that
# neither addresses nor secrets are here.
outbox = Table(
    "outbox",
    metadata,
    Column("id", Integer, primary_key=True),  # also the order within a channel
    Column("monitor_id", ForeignKey("monitor.id", ondelete="CASCADE"), nullable=False),
    Column("event_id", ForeignKey("flag_event.id", ondelete="CASCADE"), nullable=False),
    Column("channel", Text, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("due_at", Text),  # not before; NULL: at once
    Column("claim", Text),  # who is sending it just now
    Column("claimed_until", Text),
    Column("delivered_at", Text),
    Column("problem", Text, nullable=False),  # why the last attempt failed, without secrets
    UniqueConstraint("event_id", "channel"),
)
