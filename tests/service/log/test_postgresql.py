"""Logs on PostgreSQL: several at once, a database that goes away, one that would forget."""

import itertools
import threading
import time as clocks

import psycopg
import pytest
from sqlalchemy import event, text

from evenhand.errors import InputError
from evenhand.service.log import Log
from evenhand.service.log.keeping.backups import TABLES, backup, restore
from evenhand.service.log.keeping.checking import check
from evenhand.store.connecting import open_store
from service.log.conftest import USERS, Desk
from service.log.standin import COINS


@pytest.mark.slow
def test_the_same_requests_to_two_servers_at_once_are_done_once(synced_postgres, time):
    address = synced_postgres.new_database()
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
def test_a_database_that_goes_away_and_comes_back(synced_postgres, time, tmp_path):
    desk = Desk(synced_postgres.new_database(), time)
    audit = desk.audit()
    acknowledged, stopped = [], threading.Event()

    def ask():
        while not stopped.is_set():
            answer = desk("assign", audit, "user-0")
            acknowledged.append(answer)

    asks = threading.Thread(target=ask)
    asks.start()
    clocks.sleep(0.3)
    synced_postgres.stop()
    clocks.sleep(0.3)
    synced_postgres.start()
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
    cursors = []
    event.listen(desk.store.engine, "before_cursor_execute", lambda _, cursor, *__: cursors.append(cursor))
    backup(desk.store, tmp_path / "b.gz")
    # Else a client takes a whole table into its memory first.
    assert sum(isinstance(one, psycopg.ServerCursor) for one in cursors) == len(TABLES)
    other = open_store(str(tmp_path / "o.db"))
    restore(tmp_path / "b.gz", other)
    assert check(other, COINS).faults == []
    other.close()
    desk.close()


@pytest.mark.slow
def test_a_database_that_forgets_is_refused(synced_postgres):
    address = synced_postgres.new_database()
    name = address.partition("@/")[2].partition("?")[0]
    synced_postgres.sql(f"ALTER DATABASE {name} SET synchronous_commit = off")
    store = open_store(address)
    with pytest.raises(InputError, match="has synchronous_commit off"):
        Log(store, auditors=COINS)
    with store.writing() as connection:
        assert connection.execute(text("SHOW fsync")).scalar_one() == "on"
    store.close()


def two(address, time):
    """Of which each calls its requests otherwise."""
    one, other = Desk(address, time), Desk(address, time)
    other.numbers = itertools.count(1_001)
    return one, other


def names_in(store):
    """Every id of a user that the store has, wherever it stands."""
    with store.reading() as connection:
        rows = [connection.execute(table.select()).all() for table in TABLES]
    return {user for user in USERS if user in str(rows)}


@pytest.mark.slow
def test_a_deletion_waits_for_one_who_writes_at_the_same_time(synced_postgres, time, monkeypatch):
    """Without locks on rows the id would be written again: no two events have the same number here."""
    address = synced_postgres.new_database()
    one, other = two(address, time)
    audit = one.audit()
    other("assign", audit, "user-0")  # has their state in memory
    decided, go_on, flush = threading.Event(), threading.Event(), other.log.writer.states.flush

    def slowly(rows):
        decided.set()
        go_on.wait(30)
        flush(rows)

    monkeypatch.setattr(other.log.writer.states, "flush", slowly)
    writes = other.log.assign(other.key(), audit, "user-0")
    assert decided.wait(30)
    deletes = one.log.delete_user(one.key(), audit, "user-0")
    while not deletes.done() and not waits_for_a_lock(one.store):
        clocks.sleep(0.01)
    go_on.set()
    assert (writes.result(30).status, deletes.result(30).status) == (201, 200)
    assert "user-0" not in names_in(one.store)
    assert check(one.store, COINS).faults == []
    one.close()
    other.close()


def waits_for_a_lock(store):
    waiting = text("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'")
    with store.reading() as connection:
        return connection.execute(waiting).scalar_one() > 0


@pytest.mark.slow
def test_who_is_deleted_by_one_server_is_not_written_again_by_another(synced_postgres, time):
    address = synced_postgres.new_database()
    one, other = two(address, time)
    audit = one.audit(activation="on_shown", window_s=50.0)
    id_ = other("assign", audit, "user-0").body["id"]
    other.log.settle()
    one("delete_user", audit, "user-0")
    assert other("shown", id_).body == {"counted": False}
    assert other("reward", id_, 1.0).body == {"counted": False}
    assert other("assign", audit, "user-0").body["id"] is None
    other.log.settle()
    assert "user-0" not in names_in(one.store)
    assert check(one.store, COINS).faults == []
    assert "user-0" not in str(vars(other.log.people)) + str(
        [vars(each) for each in other.log.read.people(audit)]
    )
    one.close()
    other.close()


@pytest.mark.slow
def test_very_many_people_may_take_longer_to_draw_than_others_may_be_silent(
    synced_postgres, time, monkeypatch
):
    """What is locked meanwhile is their own: nobody waits for it."""
    from evenhand.service.log.requests import managing

    monkeypatch.setattr("evenhand.store.watching.THINKING_S", 0.3)
    desk = Desk(synced_postgres.new_database(), time, silent_s=20.0)
    draw, begun_with = managing.draw, managing.begun_with

    def slowly(drawn):
        def found(*asked):
            clocks.sleep(1.0)
            return drawn(*asked)

        return found

    monkeypatch.setattr(managing, "draw", slowly(draw))
    monkeypatch.setattr(managing, "begun_with", slowly(begun_with))
    audit = desk.audit()
    assert desk("assign", audit, "user-0").status == 201
    desk.close()
