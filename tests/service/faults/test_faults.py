"""Faults of what a server stands on: the client hears an error, nothing is acknowledged that is not kept, and
it goes on without help when the fault is over."""

import contextlib
import signal
import subprocess
import time

import pytest

from evenhand.service.log.keeping.checking import check
from evenhand.store.connecting import open_store
from service.faults.conftest import USERS, Desk, kills, servers

pytestmark = pytest.mark.slow
DAY = 86_400.0


@pytest.fixture
def small_disk(tmp_path):
    """A folder with room for 4 MiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", folder]
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("nothing may be mounted here")
    yield folder
    subprocess.run(["umount", folder], check=True)


def sound(address):
    """The store after all: its faults, and how many visits it has."""
    store = open_store(address)
    found = check(store)
    with store.reading() as connection:
        visits = connection.exec_driver_sql("SELECT count(*) FROM event WHERE kind = 'assign'").scalar_one()
    store.close()
    return found.faults, visits


def asked_until(desk, wanted, most=3_000):
    """Answers by key, asked one after the other until this status came."""
    told = {}
    for number in range(most):
        told[f"key-{number}"] = desk.assign(USERS[number % 3], f"key-{number}")
        if told[f"key-{number}"][0] == wanted:
            return told
    raise AssertionError(f"{wanted} never came")


def asked_again(desk, told):
    """The same keys again: what was acknowledged is answered as before, the rest is done now."""
    for number, (key, (status, body)) in enumerate(told.items()):
        again = desk.assign(USERS[number % 3], key)
        assert again[0] == 201
        assert status != 201 or again[1] == body
    return len(told)


def test_a_disk_that_is_full_and_free_again(nursery, small_disk, tmp_path):
    address = str(small_disk / "s.db")
    desk = Desk(nursery, address, tmp_path)
    assert desk.assign()[0] == 201
    ballast = small_disk / "ballast"
    fill = ["dd", "if=/dev/zero", f"of={ballast}", "bs=4096"]
    assert "No space left" in subprocess.run(fill, capture_output=True, text=True).stderr
    told = asked_until(desk, 503)
    assert "could not be written" in told[list(told)[-1]][1]["error"]
    assert desk.assign()[0] == 503
    ballast.unlink()
    made = asked_again(desk, told)
    assert desk.server.ask("GET", "/readyz")[0] == 200
    assert desk.server.stop() == -signal.SIGTERM
    assert sound(address) == ([], made + 1)


def test_a_database_that_is_gone_and_back(nursery, synced_postgres, tmp_path):
    address = synced_postgres.new_database()
    desk = Desk(nursery, address, tmp_path)
    told = {key: desk.assign(USERS[n % 3], key) for n, key in enumerate(("key-0", "key-1"))}
    synced_postgres.stop()
    told["key-2"] = desk.assign(USERS[2], "key-2")
    assert told["key-2"][0] == 503
    assert desk.server.ask("GET", "/readyz")[0] == 503
    assert desk.server.ask("GET", "/healthz")[0] == 200
    assert desk.server.ask("GET", f"/api/audits/{desk.audit}/certificate", desk.token)[0] == 503
    synced_postgres.start()
    made = asked_again(desk, told)
    desk.server.is_up()
    assert desk.server.stop() == -signal.SIGTERM
    assert sound(address) == ([], made)


class Clock:
    """The wall clock of a store: of SQLite the server's own, of PostgreSQL the database's."""

    def __init__(self, address):
        self._address = address
        self.spoilt = None if "://" in address else "has_a_clock_that_jumps"
        if self.spoilt is None:
            store = open_store(address)
            name = store.engine.url.database
            with store.writing() as connection:
                for said in (
                    "CREATE SCHEMA moved",
                    "CREATE TABLE moved.shift AS SELECT interval '0 s' AS by",
                    "CREATE FUNCTION moved.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS "
                    "'SELECT pg_catalog.clock_timestamp() + by FROM moved.shift'",
                    f"ALTER DATABASE {name} SET search_path = moved, pg_catalog, public",
                ):
                    connection.exec_driver_sql(said)
            store.close()
        else:
            self.jump(0.0)

    def jump(self, seconds):
        if self.spoilt is None:
            store = open_store(self._address)
            with store.writing() as connection:
                connection.exec_driver_sql(f"UPDATE moved.shift SET by = interval '{seconds} s'")
            store.close()
        else:
            with open(f"{self._address}.shift", "w") as file:
                file.write(str(seconds))


def test_a_clock_that_is_a_day_off(nursery, store, tmp_path):
    clock = Clock(store)
    desk = Desk(nursery, store, tmp_path, clock.spoilt)
    for jump, user in ((DAY, USERS[0]), (-DAY, USERS[1])):
        number = USERS.index(user) + 1
        status, made = desk.assign(user)
        assert status == 201
        clock.jump(jump)
        later = desk.assign(user)[1]
        assert abs(later["deadline"] - made["deadline"]) < 600
        assert desk.get("/readyz") == {"ready": True, "clock_trusted": False}
        time.sleep(1.5)  # a sweep
        assert desk.kinds(number) == ["person", "agreed", "assign", "assign"]
        clock.jump(0.0)
        assert desk.reward(made["id"], 1.0) == (200, {"counted": True})
        assert desk.get("/readyz") == {"ready": True, "clock_trusted": True}
    desk.server.stop()
    assert sound(store)[0] == []


def test_a_writer_that_is_killed(nursery, tmp_path):
    address = str(tmp_path / "s.db")
    desk = Desk(nursery, address, tmp_path, "has_a_writer_that_can_be_killed")
    told = {"key-0": desk.assign(key="key-0")}
    (tmp_path / "s.db.kill").touch()
    told["key-1"] = desk.assign(USERS[1], "key-1")
    if told["key-1"][0] == 201:  # the sweep was the one
        told["key-2"] = desk.assign(USERS[2], "key-2")
    made = asked_again(desk, told)
    assert not (tmp_path / "s.db.kill").exists()
    assert desk.server.stop() == -signal.SIGTERM
    assert sound(address) == ([], made)


def test_a_writer_that_is_gone_for_good(nursery, tmp_path):
    """By a fault of ours, and nothing else. It is said at once, so that whoever watches starts it again."""
    address = str(tmp_path / "s.db")
    desk = Desk(nursery, address, tmp_path, "has_a_writer_that_can_end")
    assert desk.server.ask("GET", "/healthz") == (200, {"ok": True})
    (tmp_path / "s.db.kill").touch()
    while desk.server.ask("GET", "/healthz")[0] != 503:
        with contextlib.suppress(TimeoutError):  # what the writer had in hand
            desk.assign(within_s=2)
    assert desk.assign()[0] == 503
    desk.server.kill()
    desk.server.start().is_up()
    assert desk.assign()[0] == 201
    desk.server.stop()
    assert sound(address)[0] == []


def test_a_second_server_on_sqlite_and_a_newer_schema_are_refused(nursery, tmp_path):
    address = str(tmp_path / "s.db")
    desk = Desk(nursery, address, tmp_path)
    second = servers.Server(nursery, address, tmp_path, "second").start()
    assert second.ended() == 2
    said = second.log.read_text()
    assert "Another server runs on the store" in said
    assert said.count("\n") == 1
    assert desk.assign()[0] == 201
    desk.server.stop()
    store = open_store(address)
    with store.writing() as connection:
        connection.exec_driver_sql("INSERT INTO evenhand_migration VALUES (99, 'later', 'then')")
    store.close()
    assert desk.server.start().ended() == 2
    assert "a newer version wrote it" in desk.server.log.read_text().splitlines()[-1]


def test_told_to_stop_while_requests_are_in_flight(nursery, store, tmp_path):
    kills.killed_again_and_again(nursery, store, 2, tmp_path, how=signal.SIGTERM)
