"""Open a store: which database an address names, how it keeps what it was told, and what is wrong with it."""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from evenhand.addresses import without_password
from evenhand.errors import InputError
from evenhand.store.cut_short import refuse_cut_short
from evenhand.store.damage import damaged
from evenhand.store.migrating import is_current, migrate
from evenhand.store.one_file import keep_to, refuse_log_alone
from evenhand.store.watching import Watch

# How long one waits for another writer, in seconds.
PATIENCE = 60
# How long one waits for PostgreSQL to let one in and for a machine that is gone, if the address is silent.
_LINES = {
    "connect_timeout": 10,
    "keepalives_idle": 20,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}
_DRIVERS = {"sqlite": "sqlite+pysqlite", "postgresql": "postgresql+psycopg", "postgres": "postgresql+psycopg"}
_NO_TEXT = re.compile(r"Could not decode to UTF-8 column '(\w+)'")
_KINDS = "sqlite:///monitor.db (or just the path of a file), or postgresql://user@host/database"


@dataclass(frozen=True)
class Store:
    """An open store. Everything that is read or written is in one of the two kinds of transaction."""

    engine: Engine
    name: str  # the address without its password
    watch: Watch | None = None

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that sees one state of the store throughout."""
        with self._explained(), self.engine.connect() as connection:
            if not self.is_sqlite:
                connection = connection.execution_options(isolation_level="REPEATABLE READ")
            with connection.begin():
                yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that writes: all of it or nothing. On SQLite there is one writer at a time from here
        on; on PostgreSQL whoever writes days of a monitor locks its row first."""
        with self._explained(), self.engine.connect() as connection:
            connection = connection.execution_options(writes=True)
            with connection.begin():
                yield connection

    @property
    def is_sqlite(self) -> bool:
        return self.engine.dialect.name == "sqlite"

    def erase(self, within_s: float = PATIENCE) -> str | None:
        """Let what was deleted be gone from the files, too, as far as that is in our hands: PostgreSQL does
        so by itself, some time later (vacuum). Gives what stood in the way, if anything did. While it waits
        for those who read an older state, `within_s` at most, nobody can write."""
        if not self.is_sqlite:
            return None
        with self._explained(), self.engine.connect() as connection:
            driver = connection.connection.driver_connection
            assert isinstance(driver, sqlite3.Connection)
            try:
                driver.execute(f"PRAGMA busy_timeout = {within_s * 1000:.0f}")
                busy, *_ = driver.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            except sqlite3.Error as error:
                return str(error)
            finally:
                driver.execute(f"PRAGMA busy_timeout = {PATIENCE * 1000}")
        return "another program is reading or writing the store" if busy else None

    def close(self) -> None:
        if self.watch is not None:
            self.watch.close()
        self.engine.dispose()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except DBAPIError as error:
            raise InputError(_why(error, self.name)) from error
        except PoolTimeoutError as error:
            raise InputError(f"Too many use the store {self.name} at once; try again later.") from error
        except UnicodeDecodeError as error:  # SQLite says what is wrong in the words of a page that is
            raise InputError(damaged(self.name, "a page of it is no text")) from error


def open_store(address: str, *, make: bool = True, silent_s: float | None = None) -> Store:
    """The store at this address, brought to the schema of this version; with `make`, made if it is not
    there. A PostgreSQL that leaves a single question unanswered for `silent_s` seconds is away."""
    url = _url(address)
    shown = without_password(url.render_as_string(hide_password=True))
    name = shown.replace("+pysqlite", "").replace("+psycopg", "")
    if url.get_backend_name() == "sqlite":
        _refuse_folder(url, name)
        path = Path(str(url.database))
        refuse_log_alone(path, name)
        if path.is_file():
            refuse_cut_short(path, name)
        elif not make and not path.exists():
            raise InputError(f"There is no store {name}; check the address.")
    of_sqlite = url.get_backend_name() == "sqlite"
    watched = silent_s is not None and not of_sqlite
    lines = {"timeout": PATIENCE} if of_sqlite else {**_LINES, **url.query}
    engine = create_engine(url, connect_args=lines, pool_pre_ping=not watched)
    if of_sqlite:
        event.listen(engine, "connect", _durable)
        keep_to(engine, Path(str(url.database)))
        event.listen(engine, "begin", _begin)
    store = Store(engine, name, Watch(engine, silent_s) if watched and silent_s is not None else None)
    try:
        # Whoever only reads must not wait for a writer, so one writes here only where there is need.
        with store.reading() as connection:
            current = is_current(connection)
        if not current:
            with store.writing() as connection:
                migrate(connection, name)
    except BaseException:
        store.close()
        raise
    return store


def _url(address: str) -> URL:
    if "://" not in address:
        _refuse_memory(address)
        return URL.create(_DRIVERS["sqlite"], database=address)
    try:
        url = make_url(address)
    except (ArgumentError, ValueError):
        raise InputError(f"The store's address cannot be read; write {_KINDS}.") from None
    if "@" in (url.host or ""):  # the rest of a password, which an error would show as a part of the host
        raise InputError("The store's address has a second '@'; write one that is in a password as %40.")
    kind = url.drivername.partition("+")[0]
    if kind not in _DRIVERS:
        raise InputError(f"There is no store of the kind {kind!r}; write {_KINDS}.")
    if kind == "sqlite" and not url.database:
        raise InputError("The store's address names no file; write sqlite:///monitor.db.")
    if kind == "sqlite":
        _refuse_memory(str(url.database), of_uri="uri" in url.query or url.query.get("mode") == "memory")
    return url.set(drivername=_DRIVERS[kind])


def _refuse_memory(database: str, of_uri: bool = False) -> None:
    """What is in memory alone ends with the command: days would be said to be added, and be nowhere."""
    if of_uri or database.strip() in ("", ":memory:"):
        raise InputError(
            "The store must be a file on disk, or nothing would be left of the days that are added; name "
            "one, such as monitor.db or sqlite:///monitor.db."
        )


def _refuse_folder(url: URL, name: str) -> None:
    path = Path(str(url.database))
    if path.is_dir():
        raise InputError(f"The store {name} is a folder; name a file in it, such as {path / 'monitor.db'}.")
    if not path.parent.exists():
        raise InputError(f"There is no folder {path.parent} for the store {name}; make it first.")


def _durable(connection: sqlite3.Connection, _: Any) -> None:
    """What is committed is on the disk, and readers do not wait for a writer."""
    connection.isolation_level = None  # transactions are begun by `_begin` alone
    _write_ahead(connection)
    for pragma in ("synchronous = FULL", "foreign_keys = ON", "secure_delete = ON"):
        connection.execute(f"PRAGMA {pragma}")


def _write_ahead(connection: sqlite3.Connection) -> None:
    """SQLite does not wait for its turn where several turn a new file to its write-ahead log at once: it
    says at once that the file is locked, however long one is ready to wait."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > until:
                raise
        time.sleep(0.01)


def _begin(connection: Connection) -> None:
    writes = connection.get_execution_options().get("writes", False)
    # A writer that begins as a reader could meet another on the way, and would have to start again.
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _why(error: DBAPIError, name: str) -> str:
    """What a database said, as one sentence with what to do."""
    said = str(error.orig).strip().partition("\n")[0].rstrip(".")
    if "locked" in said:
        return f"The store {name} is being written by another for {PATIENCE} seconds; try again later."
    if "disk is full" in said or "No space left" in said:
        return (
            f"The disk of the store {name} is full: what was to be written now is not stored. Make room and "
            "run it again."
        )
    if "readonly" in said or "unable to open" in said or "permission denied" in said:
        return f"The store {name} cannot be written ({said}); check the path and who may write there."
    if "not a database" in said or "malformed" in said:
        return damaged(name, said)
    # What stands there follows, and may have somebody's id in it.
    if (column := _NO_TEXT.search(said)) is not None:
        return damaged(name, f"the column {column[1]} of a row is no text")
    lacks = said.startswith(("relation", "column")) and "does not exist" in said
    if lacks or "no such" in said or "already exists" in said:
        return f"The store {name} is damaged ({said}); go back to a backup."
    if "disk I/O" in said:  # also of a full disk, which has no room for the log that is written first
        return f"The store {name} cannot be read or written ({said}): is its disk full, or failing?"
    if error.connection_invalidated or "connection" in said or "resolve host" in said:
        return f"The store {name} cannot be reached ({said}); check the address, and that the server runs."
    return f"The store {name} failed ({said}); nothing was changed."


def is_no_text(error: DBAPIError) -> bool:
    """Whether a text that is kept cannot be read as one; SQLite finds that out when it is fetched."""
    return _NO_TEXT.search(str(error.orig)) is not None
