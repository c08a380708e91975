"""Disk full and free again, database gone and back: an error, nothing acknowledged that is not kept, and
recovery without help."""

import sys
import threading

import pytest
from sqlalchemy import event
from sqlalchemy.exc import OperationalError

from evenhand.service.log import Log, sweeping
from evenhand.service.log.keeping.checking import check
from evenhand.service.log.requests.settling import Beat
from evenhand.service.log.sweeping import Sweeper
from evenhand.service.log.writer import Writer
from evenhand.store.connecting import open_store
from service.log.standin import COINS


def test_a_full_disk(desk):
    audit = desk.audit()
    ids = [desk("assign", audit, "user-0").body["id"]]
    with desk.store.engine.connect() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar()

    def limited(connection, _):
        connection.execute(f"PRAGMA max_page_count = {pages + 1}")

    event.listen(desk.store.engine, "connect", limited)
    desk.store.engine.dispose()
    answers = [desk("assign", audit, "user-0") for _ in range(60)]
    failed = [one for one in answers if one.status == 503]
    assert failed
    assert "ask again with the same key" in failed[0].body["error"]
    event.remove(desk.store.engine, "connect", limited)
    desk.store.engine.dispose()
    ids += [one.body["id"] for one in answers if one.status == 201]
    made = desk("assign", audit, "user-0")
    assert made.status == 201
    ids.append(made.body["id"])
    events = desk.log.read.events(audit, 1)
    assert [one["kind"] for one in events] == ["person", "agreed"] + ["assign"] * len(ids)
    assert len(set(ids)) == len(ids)
    assert check(desk.store, COINS).faults == []


def test_a_commit_of_which_nobody_knows(desk):
    """The store committed and the answer was lost: the client hears 503, asks again, and it is there once."""
    audit = desk.audit()
    lost = [True]

    def lose(connection):
        if lost[0] and connection.get_execution_options().get("writes"):
            connection.connection.driver_connection.execute("COMMIT")
            lost[0] = False
            raise OSError("the line is dead")

    event.listen(desk.store.engine, "commit", lose)
    assert desk("assign", audit, "user-0", key="k").status == 503
    event.remove(desk.store.engine, "commit", lose)
    again = desk("assign", audit, "user-0", key="k")
    assert again.status == 201
    assert [one["kind"] for one in desk.log.read.events(audit, 1)] == ["person", "agreed", "assign"]
    assert desk("reward", again.body["id"], 1.0).body == {"counted": True}


@pytest.mark.parametrize("moment", ["begin", "commit"])
def test_a_database_that_is_gone_and_back(desk, moment):
    audit = desk.audit()

    def gone(connection):
        raise OperationalError("", {}, Exception("connection refused"))

    event.listen(desk.store.engine, moment, gone)
    assert desk("assign", audit, "user-0").status == 503
    assert desk("assign", audit, "user-1").status == 503
    event.remove(desk.store.engine, moment, gone)
    assert desk("assign", audit, "user-0").status == 201
    assert [one["kind"] for one in desk.log.read.events(audit, 1)] == ["person", "agreed", "assign"]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_log_whose_writer_is_gone_says_so_and_can_be_closed(tmp_path, monkeypatch):
    monkeypatch.setattr(sweeping, "PATIENCE_S", 0.1)
    monkeypatch.setattr(Writer, "_answers", lambda self, requests: sys.exit())
    store = open_store(str(tmp_path / "s.db"))
    log = Log(store, auditors=COINS, sweep_s=0.01)  # its first sweep ends the writer, and is never answered
    log.writer._thread.join(30)
    assert not log.writer.lives
    assert log.writer.submit(Beat()).result(30).status == 503
    log.close()
    store.close()


def test_a_sweep_that_fails_is_said_and_the_next_one_comes(desk, monkeypatch):
    """Were its thread to end, nothing would ever expire again."""
    said, swept = [], threading.Event()
    monkeypatch.setattr(threading, "excepthook", lambda told: said.append(told.exc_type))

    def sweep():
        if not said:
            raise ZeroDivisionError
        swept.set()

    sweeper = Sweeper(desk.log, None)
    monkeypatch.setattr(sweeper, "sweep", sweep)
    sweeper._every = 0.01
    thread = threading.Thread(target=sweeper._work)
    thread.start()
    assert swept.wait(30)
    sweeper._closed.set()
    thread.join()
    assert said == [ZeroDivisionError]
