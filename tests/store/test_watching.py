"""A database that says nothing any more, though nobody closed the connection: whoever waits is not kept for
ever, and the next one is served.
"""

from __future__ import annotations

import math
import select
import socket
import threading
import time

import pytest
from sqlalchemy import make_url, text

from evenhand.errors import InputError
from evenhand.store.connecting import open_store

pytestmark = pytest.mark.slow


class Hole:
    """Stands before a server and passes on what is said. From `swallow` on the connections that are there
    stay open and say nothing; new ones are as before. With `most` each falls silent after so many answers.
    """

    def __init__(self, to: str, most: float = math.inf) -> None:
        self._to, self._most, self._silent = to, most, threading.Event()
        self._door = socket.create_server(("127.0.0.1", 0))
        self._ends: list[socket.socket] = []
        self.port = self._door.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def swallow(self) -> None:
        self._silent.set()
        self._silent = threading.Event()

    def _accept(self) -> None:
        while True:
            try:
                here = self._door.accept()[0]
            except OSError:
                return  # closed
            there = socket.socket(socket.AF_UNIX)
            self._ends += [here, there]
            there.connect(self._to)
            threading.Thread(target=_pump, args=(here, there, self._silent, self._most), daemon=True).start()

    def close(self) -> None:
        """Both ends of what was passed on stay open until then."""
        if self._door.fileno() < 0:
            return
        self._door.shutdown(socket.SHUT_RDWR)
        for one in [self._door, *self._ends]:
            one.close()
        self._silent.set()


def _pump(here: socket.socket, there: socket.socket, silent: threading.Event, most: float) -> None:
    answers = 0
    try:
        while not silent.is_set() and answers <= most:
            for one in select.select([here, there], [], [], 0.05)[0]:
                said = one.recv(65_536)
                if not said:
                    return
                answers += one is there
                if not silent.is_set() and answers <= most:
                    (there if one is here else here).sendall(said)
    except (OSError, ValueError):  # closed
        return


@pytest.fixture
def before(synced_postgres):
    """A hole before a new database, and the address that leads through it."""
    holes = []

    def made(**options):
        address = make_url(synced_postgres.new_database())
        holes.append(Hole(f"{address.query['host']}/.s.PGSQL.{address.port or 5432}", **options))
        through = address.set(host="127.0.0.1", port=holes[-1].port, query={})
        return holes[-1], through.render_as_string(hide_password=False)

    yield made
    for one in holes:
        one.close()


@pytest.fixture
def held(before):
    hole, through = before()
    store = open_store(through, silent_s=1.0)
    yield store, hole
    store.close()


def ask(store):
    with store.reading() as connection:
        return connection.execute(text("SELECT 1")).scalar_one()


@pytest.mark.parametrize("most", [2, 4])  # it is let in with two
def test_a_server_does_not_wait_for_ever_while_it_starts(before, most):
    """For a pooler that lets everybody in, before a database that hangs."""
    hole, through = before(most=most)
    over, began = threading.Timer(30.0, hole.close), time.monotonic()
    over.start()
    with pytest.raises(InputError, match="cannot be reached"):
        open_store(through, silent_s=1.0)
    over.cancel()
    assert time.monotonic() - began < 20


def test_a_connection_that_fell_silent_before_it_is_used_is_replaced(held):
    store, hole = held
    assert ask(store) == 1
    hole.swallow()
    assert ask(store) == 1


@pytest.mark.parametrize("at", ["while it answers", "at the end"])
def test_who_waits_for_an_answer_hears_that_the_store_is_away(held, at):
    store, hole = held

    def write():
        with store.writing() as connection:
            connection.execute(text("SELECT 1"))
            hole.swallow()
            if at == "while it answers":
                connection.execute(text("SELECT 2"))

    with pytest.raises(InputError, match="cannot be reached"):
        write()
    assert ask(store) == 1


def test_an_answer_that_takes_less_is_waited_for_however_many_there_are(held):
    store, _ = held
    with store.writing() as connection:
        for _ in range(4):
            connection.execute(text("SELECT pg_sleep(0.5)"))
        time.sleep(1.5)  # the program itself may think as long as it likes
        assert connection.execute(text("SELECT 1")).scalar_one() == 1


def test_rows_of_one_who_says_nothing_in_the_midst_are_free_again(synced_postgres, monkeypatch):
    """As of a server that is frozen, or whose machine vanished: others wait for a while, and not for ever."""
    monkeypatch.setattr("evenhand.store.watching.THINKING_S", 1.0)
    address = synced_postgres.new_database()
    frozen, other = (open_store(address, silent_s=20.0) for _ in range(2))
    lock = text("SELECT * FROM evenhand_migration WHERE number = 1 FOR UPDATE")

    def freeze():
        with frozen.writing() as connection:
            connection.execute(lock)
            began = time.monotonic()
            with other.writing() as waits:
                waits.execute(lock)
            assert 0.5 < time.monotonic() - began < 15
            connection.execute(text("SELECT 1"))

    with pytest.raises(InputError, match="cannot be reached"):
        freeze()
    assert ask(frozen) == 1
    for store in (frozen, other):
        store.close()
