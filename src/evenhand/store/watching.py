"""Connections that say nothing any more, though nobody closed them: a machine that vanished, a pooler or a
database that hangs. Whoever waits for an answer over one would wait for ever; and whoever waits for rows that
a server has locked, which vanished or was frozen just then.
"""

from __future__ import annotations

import os
import socket
import threading
import time
from typing import Any

from sqlalchemy import Connection, Engine, event
from sqlalchemy.exc import DisconnectionError

_EVERY_S = 1.0
THINKING_S = 30.0  # within a transaction between two questions; then the database ends it
_PROMISE = "SELECT set_config('idle_in_transaction_session_timeout', %s, false)"


class Watch:
    """Hangs up where a single answer takes longer than `silent_s`; whoever waits hears that the store is
    away, and the next one gets a new connection. It also asks each connection before it is used whether it
    is there, as nobody else could be hung up on then.
    """

    def __init__(self, engine: Engine, silent_s: float) -> None:
        self._silent_s, self._dialect = silent_s, engine.dialect
        self._since: dict[int, tuple[float, Any]] = {}  # connections that are waited for
        self._lock, self._closed = threading.Lock(), threading.Event()
        # SQLAlchemy asks the first connection what database it is, before anybody else hears of it.
        event.listen(engine, "connect", lambda connection, *_: self._wait(connection), insert=True)
        event.listen(engine, "connect", self._promise)
        event.listen(engine, "checkout", self._ask)
        event.listen(engine, "checkin", self._heard)
        event.listen(engine, "reset", lambda connection, *_: self._wait(connection))
        event.listen(engine, "before_cursor_execute", lambda of, *_: self._wait(_driver(of)))
        event.listen(engine, "after_cursor_execute", lambda of, *_: self._heard(_driver(of)))
        for ending in ("commit", "rollback"):  # the connection goes back to the pool next
            event.listen(engine, ending, lambda of: self._wait(_driver(of)))
        threading.Thread(target=self._work, name="evenhand-store-watch", daemon=True).start()

    def close(self) -> None:
        self._closed.set()

    def _promise(self, connection: Any, *_: Any) -> None:
        """The database is told to let go of what we lock, should we be the one that says nothing."""
        self._wait(connection)
        try:
            connection.autocommit = True
            connection.execute(_PROMISE, [f"{THINKING_S * 1000:.0f}"])
            connection.autocommit = False
        finally:
            self._heard(connection)

    def _ask(self, connection: Any, *_: Any) -> None:
        self._wait(connection)
        try:
            self._dialect.do_ping(connection)
        except self._dialect.loaded_dbapi.Error as error:
            raise DisconnectionError(str(error)) from error  # the pool makes a new one
        finally:
            self._heard(connection)

    def _wait(self, connection: Any) -> None:
        if connection is not None:
            with self._lock:
                self._since[id(connection)] = time.monotonic(), connection

    def _heard(self, connection: Any, *_: Any) -> None:
        with self._lock:
            self._since.pop(id(connection), None)

    def _work(self) -> None:
        while not self._closed.wait(_EVERY_S):
            now = time.monotonic()
            with self._lock:
                silent = [one for since, one in self._since.values() if now - since > self._silent_s]
                for one in silent:
                    del self._since[id(one)]
            for one in silent:
                _hang_up(one)


def _driver(connection: Connection) -> Any:
    return None if connection.invalidated else connection.connection.dbapi_connection


def _hang_up(connection: Any) -> None:
    """From this side, whoever is waiting in another thread: closing it there would wait for them."""
    try:
        line = socket.socket(fileno=os.dup(connection.fileno()))
    except Exception:  # it is closed
        return
    with line:
        try:
            line.shutdown(socket.SHUT_RDWR)
        except OSError:  # the other side was quicker
            return
