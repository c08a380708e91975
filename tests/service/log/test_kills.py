"""Servers that are killed while requests are in flight: nothing acknowledged is lost or doubled."""

import importlib.util
import sys
import threading
import time as clocks
from pathlib import Path

import pytest
from sqlalchemy import text

from databases import PostgreSQL
from evenhand.errors import InputError
from evenhand.service.log import Log
from evenhand.service.log.keeping.backups import backup, restore
from evenhand.service.log.keeping.checking import check
from evenhand.store.connecting import open_store
from service.log.conftest import Desk
from service.log.standin import COINS

PATH = Path(__file__).parents[3] / "benchmarks" / "service_kills.py"


@pytest.fixture(scope="module")
def kills():
    spec = importlib.util.spec_from_file_location("benchmark_of_service_kills", PATH)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


@pytest.fixture(scope="module")
def server():
    """PostgreSQL with everything synced."""
    made = PostgreSQL(lasts_s=300)
    made.start()
    yield made
    made.stop()
    made.remove()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_killed_on_sqlite(tmp_path, kills):
    found = kills.killed_again_and_again(str(tmp_path / "s.db"), 5, tmp_path, COINS, longest=0.4)
    assert found["acknowledged"] > 50


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_two_servers_killed_on_postgresql(tmp_path, kills, server):
    found = kills.killed_again_and_again(server.new_database(), 5, tmp_path, COINS, longest=0.6)
    assert found["repeated"] > 0


@pytest.mark.slow
def test_the_same_requests_to_two_servers_at_once_are_done_once(server, time):
    address = server.new_database()
    one, other = Desk(address, time), Desk(address, time)
    audit = one.audit()
    answers = [
        log.assign(one.key(f"k{i}"), audit, f"user-{i % 6}")
        for i in range(200)
        for log in (one.log, other.log)
    ]
    bodies = [each.result(60) for each in answers]
    assert {each.status for each in bodies} == {201}
    assert bodies[::2] == bodies[1::2]
    assert len({each.body["id"] for each in bodies}) == 200
    one("pause", audit)
    assert other("assign", audit, "user-0", key="p").body["reason"] == "paused"
    assert check(one.store, COINS).faults == []
    one.close()
    other.close()


@pytest.mark.slow
def test_a_database_that_goes_away_and_comes_back(server, time, tmp_path):
    desk = Desk(server.new_database(), time)
    audit = desk.audit()
    acknowledged, stopped = [], threading.Event()

    def ask():
        while not stopped.is_set():
            answer = desk("assign", audit, "user-0")
            acknowledged.append(answer)

    asks = threading.Thread(target=ask)
    asks.start()
    clocks.sleep(0.3)
    server.stop()
    clocks.sleep(0.3)
    server.start()
    before = len(acknowledged)
    while len(acknowledged) < before + 20:
        clocks.sleep(0.01)
    stopped.set()
    asks.join()
    assert {each.status for each in acknowledged} == {201, 503}
    ids = [each.body["id"] for each in acknowledged if each.status == 201]
    kinds = [one["kind"] for one in desk.log.read.events(audit, 1)]
    assert len(set(ids)) == len(ids) <= kinds.count("assign")
    assert acknowledged[-1].status == 201
    assert check(desk.store, COINS).faults == []
    backup(desk.store, tmp_path / "b.gz")
    other = open_store(str(tmp_path / "o.db"))
    restore(tmp_path / "b.gz", other)
    assert check(other, COINS).faults == []
    other.close()
    desk.close()


@pytest.mark.slow
def test_a_database_that_forgets_is_refused(server):
    address = server.new_database()
    name = address.partition("@/")[2].partition("?")[0]
    server.sql(f"ALTER DATABASE {name} SET synchronous_commit = off")
    store = open_store(address)
    with pytest.raises(InputError, match="has synchronous_commit off"):
        Log(store, auditors=COINS)
    with store.writing() as connection:
        assert connection.execute(text("SHOW fsync")).scalar_one() == "on"
    store.close()
