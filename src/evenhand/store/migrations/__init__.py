"""Numbered steps from an empty database to the schema of this version.

A migration is a module with `change(connection)`. It never changes once it has landed, so it writes its
tables down itself and does not take them from `tables.py`, which has the last state.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from sqlalchemy import Connection

from evenhand.store.migrations import (
    m0001_days,
    m0002_flags,
    m0003_remarks,
    m0004_audits,
    m0005_service,
)


class Migration(NamedTuple):
    name: str
    change: Callable[[Connection], None]


# By number, from 1, without a gap.
MIGRATIONS: tuple[Migration, ...] = (
    Migration("days", m0001_days.change),
    Migration("flags", m0002_flags.change),
    Migration("remarks", m0003_remarks.change),
    Migration("audits", m0004_audits.change),
    Migration("service", m0005_service.change),
)
