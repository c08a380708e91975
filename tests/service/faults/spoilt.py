"""Servers that are broken on purpose: each function breaks something before a server starts, so that tests
which look for it can be seen to fail."""

from __future__ import annotations

from concurrent.futures import Future


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

    event.listen(Engine, "checkout", lambda one, *_: one.execute("PRAGMA synchronous = OFF"))
