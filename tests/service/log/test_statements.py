"""What is executed for a request looks at a few rows, however many there are."""

import pytest
from sqlalchemy import event

from evenhand.service.log.requests.settling import MOST_AT_ONCE


@pytest.fixture
def executed(desk):
    """Statements of the log on SQLite, with what was filled in."""
    found = []

    def note(connection, cursor, statement, parameters, context, executemany):
        found.append((statement, parameters[0] if executemany else parameters))

    event.listen(desk.store.engine, "before_cursor_execute", note)
    return found


def test_no_table_that_grows_is_looked_through(desk, executed):
    audit = desk.audit(activation="on_shown", window_s=50.0)
    executed.clear()
    for number in range(3):
        id_ = desk("assign", audit, f"user-{number}").body["id"]
        desk("shown", id_)
        desk("reward", id_, 0.5)
        desk("reward", id_, 0.5)  # settled before: looked for among events
    desk("rewards", [(id_, 0.5, None)])
    lost = desk("assign", audit, "user-0").body["id"]
    desk("shown", lost)
    desk.time.pass_(200.0)
    desk.log.settle()
    desk("reward", lost, 0.5)  # too late
    asked = [one for one in executed if one[0].startswith(("SELECT", "UPDATE", "DELETE"))]
    assert len(asked) > 30
    grows = ("event", "answered", "stream", "late_reward", "snapshot")
    with desk.store.engine.connect() as connection:
        for statement, parameters in asked:
            plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)
            steps = [row.detail for row in plan]
            assert not [one for one in steps if one in [f"SCAN {table}" for table in grows]], statement


def test_one_sweep_settles_all_that_is_due_in_parts(desk):
    audit = desk.audit()
    for _ in range(MOST_AT_ONCE + 50):
        desk("assign", audit, "user-0")
    kept = desk("assign", audit, "user-1").body["id"]
    desk.time.pass_(105.0)
    assert desk("assign", audit, "user-0").status == 201
    desk.time.pass_(6.0)
    settled = [answer.body["settled"] for answer in desk.log.settle()]
    assert settled == [MOST_AT_ONCE, 51]
    assert len(desk.log.read.people(audit)[0].audited.outstanding) == 1
    assert desk("reward", kept, 0.5).body == {"counted": False}


def test_very_many_people_are_written_in_parts(desk, monkeypatch):
    """A database that leaves one question unanswered for long is taken to be away."""
    monkeypatch.setattr("evenhand.service.log.states.AT_ONCE", 4)
    written = []

    def note(connection, cursor, statement, parameters, context, executemany):
        written.append((statement, len(parameters) if executemany else 1))

    event.listen(desk.store.engine, "before_cursor_execute", note)
    desk.audit()
    people = [many for statement, many in written if statement.startswith("INSERT INTO stream")]
    assert people == [4, 3]
    assert max(many for _, many in written) == 4
