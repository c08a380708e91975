"""The tables of a store, as they are after the last migration."""

from __future__ import annotations

from sqlalchemy import (
    Column,
    ForeignKey,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    Text,
    UniqueConstraint,
)

metadata = MetaData()

# A plan that is followed, by its name.
monitor = Table(
    "monitor",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("plan", Text, nullable=False),  # as it was told at the last look, JSON
    Column("secret", LargeBinary, nullable=False),  # for keyed hashes of user ids; of this monitor alone
    Column("created_at", Text, nullable=False),
)

# Days that were counted alike, and so may be taken together. A monitor has one at a time.
regime = Table(
    "regime",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("monitor_id", ForeignKey("monitor.id", ondelete="CASCADE"), nullable=False),
    Column("number", Integer, nullable=False),  # from 1
    Column("first_day", Text, nullable=False),
    Column("definition", Text, nullable=False),  # what is counted and how, JSON; days agree on all of it
    Column("reason", Text, nullable=False),  # why it began, in words
    Column("created_at", Text, nullable=False),
    UniqueConstraint("monitor_id", "number"),
)

# A day as it was added, and again each time that it was corrected. `current` is 1 for the one that counts
# and NULL for those before it: the constraint then keeps two from counting.
day = Table(
    "day",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("monitor_id", ForeignKey("monitor.id", ondelete="CASCADE"), nullable=False),
    Column("day", Text, nullable=False),  # 2026-01-03
    Column("revision", Integer, nullable=False),  # from 1
    Column("current", Integer),
    Column("regime_id", ForeignKey("regime.id", ondelete="CASCADE"), nullable=False),
    Column("number", Integer, nullable=False),  # its place in its regime in order of arrival, from 1
    Column("fingerprint", Text, nullable=False),  # of all that was counted
    Column("inputs", Text, nullable=False),  # fingerprints of what was read, by name, JSON
    Column("reason", Text, nullable=False),  # of a correction, in words; else empty
    Column("version", Text, nullable=False),  # of Evenhand, that counted it
    Column("added_at", Text, nullable=False),  # said, never ordered by: clocks jump
    Column("forgotten_at", Text),  # when its evidence was deleted
    Column("remarks", Text),  # what is unusual about its rows, JSON
    UniqueConstraint("monitor_id", "day", "revision"),
    UniqueConstraint("monitor_id", "day", "current"),
)

# What a step of the plan keeps of a day: sums, no rows.
evidence = Table(
    "evidence",
    metadata,
    Column("day_id", ForeignKey("day.id", ondelete="CASCADE"), nullable=False),
    Column("step", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("content", LargeBinary, nullable=False),
    PrimaryKeyConstraint("day_id", "step", "kind"),
)

# What a step keeps of the days of a regime up to one of them, so that a look need not read them all again.
# The last is kept, and some before it, from which looks are made again after a correction.
state = Table(
    "state",
    metadata,
    Column("regime_id", ForeignKey("regime.id", ondelete="CASCADE"), nullable=False),
    Column("step", Text, nullable=False),
    Column("number", Integer, nullable=False),  # that of the day
    Column("content", LargeBinary, nullable=False),
    PrimaryKeyConstraint("regime_id", "step", "number"),
)

# What was found when a day was added, and again when it or a day before it was corrected: a findings
# document (schema 2, small cells hidden), of this look alone.
look = Table(
    "look",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("monitor_id", ForeignKey("monitor.id", ondelete="CASCADE"), nullable=False),
    Column("day_id", ForeignKey("day.id", ondelete="CASCADE"), nullable=False),
    Column("day", Text, nullable=False),
    Column("revision", Integer, nullable=False),  # from 1
    Column("current", Integer),
    Column("number", Integer, nullable=False),  # of all looks in its regime, from 1: each spends its error
    Column("document", Text, nullable=False),
    Column("made_at", Text, nullable=False),
    UniqueConstraint("monitor_id", "day", "revision"),
    UniqueConstraint("monitor_id", "day", "current"),
)
