"""A copy of a store as one file, of one moment, that any store can be made from again."""

from __future__ import annotations

import base64
import gzip
import json
import os
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Integer, Table, func, insert, select, text

from evenhand.errors import InputError
from evenhand.files import filled
from evenhand.service.log.holding import Hold
from evenhand.store import audit_tables, flag_tables, service_tables
from evenhand.store.connecting import Store
from evenhand.store.migrating import schema_of

TABLES = audit_tables.metadata.sorted_tables  # those that others refer to first
assert flag_tables.metadata is service_tables.metadata is audit_tables.metadata
_AT_ONCE = 1_000  # rows
_BY_AND_BY = {"yield_per": _AT_ONCE}  # a client of PostgreSQL would take a whole table into its memory first


def backup(store: Store, path: Path) -> int:
    """Write all tables beside a server that runs: how many rows. The file is there whole or not at all; it
    has what the store has, so that who is deleted later is still in it: keep it as long as you may."""
    count = 0
    with (
        store.reading() as connection,
        filled(path.parent) as waiting,
        (waiting / path.name).open("wb") as file,
    ):
        os.chmod(file.fileno(), 0o600)
        with gzip.open(file, "wt", encoding="utf-8", compresslevel=3) as lines:
            lines.write(json.dumps({"evenhand": "backup", "schema": schema_of(connection)}) + "\n")
            for table in TABLES:
                for row in connection.execute(select(table), execution_options=_BY_AND_BY):
                    lines.write(json.dumps([table.name, [_plain(value) for value in row]]) + "\n")
                    count += 1
            lines.write(json.dumps({"rows": count}) + "\n")
        file.flush()
        os.fsync(file.fileno())
    return count


def restore(path: Path, store: Store) -> int:
    """Fill an empty store from a backup, all or nothing: how many rows. Refused beside a server that still
    runs on a file of this name, which was moved away: what it acknowledges is not in the new one.
    """
    with closing(Hold(store)), store.writing() as connection:
        for table in TABLES:
            if connection.execute(select(func.count()).select_from(table)).scalar_one():
                raise InputError(f"The store {store.name} is not empty; restore into a new one.")
        count = 0
        for table, rows in _batches(path, schema_of(connection)):
            connection.execute(insert(table), rows)
            count += len(rows)
        if not store.is_sqlite:
            _count_on(connection)
    return count


def _batches(path: Path, schema: int) -> Iterator[tuple[Table, list[dict[str, Any]]]]:
    tables = {table.name: table for table in TABLES}
    try:
        _read_to_its_end(path)
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            first = json.loads(next(lines))
            if first.get("evenhand") != "backup":
                raise ValueError("it is no backup")
            if first["schema"] != schema:
                raise InputError(
                    f"{path} is a backup of schema {first['schema']}, and this version of Evenhand knows "
                    f"{schema}; restore it with the version that made it, then open that store with this one."
                )
            name, count = "", 0
            rows: list[dict[str, Any]] = []
            for line in lines:
                said = json.loads(line)
                if isinstance(said, dict):
                    break
                if (said[0] != name or len(rows) == _AT_ONCE) and rows:
                    yield tables[name], rows
                    rows = []
                name = said[0]
                values = [_value(value) for value in said[1]]
                rows.append(dict(zip(tables[name].columns.keys(), values, strict=True)))
                count += 1
            else:
                raise ValueError("its end is missing")
            if said["rows"] != count:
                raise ValueError("rows are missing")
            if rows:
                yield tables[name], rows
    except (OSError, EOFError, ValueError, LookupError, StopIteration, zlib.error) as error:
        raise InputError(f"{path} cannot be restored ({error}); nothing was changed.") from None


def _read_to_its_end(path: Path) -> None:
    """Where the checksum is: a file that was damaged on its way may still look like a backup."""
    with gzip.open(path, "rb") as file:
        while file.read(1 << 20):
            pass


def _plain(value: Any) -> Any:
    return {"b": base64.b64encode(bytes(value)).decode()} if isinstance(value, bytes | memoryview) else value


def _value(value: Any) -> Any:
    return base64.b64decode(value["b"]) if isinstance(value, dict) else value


def _count_on(connection: Connection) -> None:
    """PostgreSQL counts numbers of rows by itself; let it go on after those that were restored."""
    for table in TABLES:
        keys = list(table.primary_key.columns)
        if len(keys) == 1 and isinstance(keys[0].type, Integer):
            at = f"pg_get_serial_sequence('{table.name}', '{keys[0].name}')"
            last = f"(SELECT max({keys[0].name}) FROM {table.name})"
            connection.execute(text(f"SELECT setval({at}, {last}) WHERE {last} IS NOT NULL"))
