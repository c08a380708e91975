"""Servers that are broken on purpose: each function breaks something before a server starts, so that tests
which look for it can be seen to fail."""

from __future__ import annotations

import sys
import time
from concurrent.futures import Future
from pathlib import Path


def answers_before_the_commit():
    from evenhand.service.log.writer import Writer

    submit, decide, waiting = Writer.submit, Writer._one, {}

    def submitted(self, request):
        waiting[id(request)] = answered = Future()
        submit(self, request).add_done_callback(
            lambda done: answered.done() or answered.set_result(done.result())
        )
        return answered

    def decided(self, request, given, now):
        answer, rows = decide(self, request, given, now)
        answered = waiting.pop(id(request), None)
        if answered is not None:
            answered.set_result(answer)
        return answer, rows

    Writer.submit, Writer._one = submitted, decided


def locks_no_rows():
    from evenhand.service.log.states import States

    rows = States._rows
    States._rows = lambda self, where, lock: rows(self, where, False)


def forgets_keys():
    from sqlalchemy import delete, tuple_

    from evenhand.service.log.states import States
    from evenhand.service.log.writer import Writer
    from evenhand.store.audit_tables import answered

    flush = States.flush

    def forgetful(self, answers):
        keys = [(row["token"], row["key"]) for row in answers]
        self.connection.execute(delete(answered).where(tuple_(answered.c.token, answered.c.key).in_(keys)))
        flush(self, answers)

    Writer._given = lambda self, connection, keys: {}
    States.flush = forgetful


def syncs_nothing():
    from sqlalchemy import event
    from sqlalchemy.engine import Engine

    from evenhand.service.log import holding

    if "postgresql" in sys.argv[sys.argv.index("--store") + 1]:
        event.listen(Engine, "begin", lambda one: one.exec_driver_sql("SET synchronous_commit = off"))
    else:
        event.listen(Engine, "checkout", lambda one, *_: one.execute("PRAGMA synchronous = OFF"))
    holding._refuse_forgetful = lambda store: None


def store_file(ending):
    """Of a server about to start: a file beside its store, by which a test tells it something."""
    return Path(sys.argv[sys.argv.index("--store") + 1] + ending)


def has_a_clock_that_jumps():
    """By as many seconds as a file says."""
    shift, real = store_file(".shift"), time.time
    time.time = lambda: real() + float(shift.read_text() or 0)

    from evenhand.service.log.log import Log

    Log.__init__.__kwdefaults__["wall"] = time.time


def has_a_writer_that_can_be_killed(at="_transaction"):
    """When a file is there, its thread is told to end: in the middle of a transaction, or around it."""
    from evenhand.service.log.writer import Writer

    order, whole = store_file(".kill"), getattr(Writer, at)

    def killed(self, requests):
        if order.exists():
            order.unlink()
            sys.exit()
        return whole(self, requests)

    setattr(Writer, at, killed)


def has_a_writer_that_can_end():
    has_a_writer_that_can_be_killed("_answers")


def knows_a_later_schema():
    """As the next version will."""
    from evenhand.store import migrating

    later = migrating.MIGRATIONS[-1]._replace(name="later", change=add_a_column)
    migrating.MIGRATIONS = (*migrating.MIGRATIONS, later)


def add_a_column(connection):
    connection.exec_driver_sql("ALTER TABLE event ADD COLUMN later TEXT NOT NULL DEFAULT 'new'")


def makes_many_snapshots():
    from evenhand.service.log import states

    states.SNAPSHOT_EVERY = 10
