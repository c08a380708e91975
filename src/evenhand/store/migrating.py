"""Bring a store to the schema of this version, once, whoever comes first."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import Column, Connection, Integer, MetaData, Table, Text, func, inspect, select, text

from evenhand.errors import InputError
from evenhand.store.migrations import MIGRATIONS

# Any number that nobody else locks by.
_LOCK = 0x6576656E


class NewerSchemaError(InputError):
    """A newer version wrote the store."""


migration = Table(
    "evenhand_migration",
    MetaData(),
    Column("number", Integer, primary_key=True),
    Column("name", Text, nullable=False),
    Column("applied_at", Text, nullable=False),
)


def migrate(connection: Connection, store: str) -> None:
    """Apply the migrations that a store does not have, all or none, in a transaction that writes.

    On SQLite that is the only one there is; on PostgreSQL a lock of the transaction holds others off.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
    at = schema_of(connection)
    _refuse_newer(at, store)
    if at == 0:
        _refuse_others(connection, store)
        migration.create(connection)
    elif connection.dialect.name == "postgresql":
        # Wait for those who write with the schema of before (`hold_schema`); others wait for us.
        connection.execute(text(f"LOCK TABLE {migration.name} IN EXCLUSIVE MODE"))
    for number, each in enumerate(MIGRATIONS[at:], start=at + 1):
        each.change(connection)
        now = datetime.now(UTC).isoformat(timespec="seconds")
        connection.execute(migration.insert().values(number=number, name=each.name, applied_at=now))


def hold_schema(connection: Connection, store: str) -> None:
    """For a program that stays, first in each transaction that writes: refuse where a newer version has
    changed the schema meanwhile; until the transaction ends none does."""
    if connection.dialect.name == "postgresql":
        connection.execute(text(f"LOCK TABLE {migration.name} IN ROW SHARE MODE"))
    refuse_newer(connection, store)


def refuse_newer(connection: Connection, store: str) -> None:
    _refuse_newer(int(connection.execute(select(func.max(migration.c.number))).scalar_one()), store)


def _refuse_newer(at: int, store: str) -> None:
    if at > len(MIGRATIONS):
        raise NewerSchemaError(
            f"The store {store} has schema {at}, and this version of Evenhand knows {len(MIGRATIONS)}: a "
            "newer version wrote it. Install that one; nothing was changed."
        )


def is_current(connection: Connection) -> bool:
    """Whether there is nothing to migrate, and nothing to refuse."""
    return schema_of(connection) == len(MIGRATIONS)


def schema_of(connection: Connection) -> int:
    """The number of the last migration; 0 where there is none."""
    if not inspect(connection).has_table(migration.name):
        return 0
    return int(connection.execute(select(func.coalesce(func.max(migration.c.number), 0))).scalar_one())


def _refuse_others(connection: Connection, store: str) -> None:
    """A database that is used for something else is not ours to change."""
    from evenhand.store import audit_tables, flag_tables, service_tables

    metadata = audit_tables.metadata
    assert flag_tables.metadata is service_tables.metadata is metadata  # one schema, in four modules

    there = set(inspect(connection).get_table_names())
    # Several programs may share a PostgreSQL database; a file of SQLite is of one.
    is_file = connection.dialect.name == "sqlite"
    taken = sorted(there & set(metadata.tables)) or (sorted(there) if is_file else [])
    if taken:
        raise InputError(
            f"The database {store} has a table {taken[0]!r} already, which is not of Evenhand; give the "
            "monitor a database (or, on PostgreSQL, a schema) of its own."
        )
