"""The one thread that writes: it takes everything that waits, decides each request in memory, writes all of
it in one transaction, commits once, and only then answers."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from typing import Any, Protocol

from sqlalchemy import bindparam, select, text
from sqlalchemy.exc import IntegrityError, OperationalError

from evenhand.errors import InputError
from evenhand.service.log.answers import CHANGED, STOPPING, TOO_MANY, UNAVAILABLE, Answer, Key, RefusedError
from evenhand.service.log.clock import Clock
from evenhand.service.log.holding import Hold
from evenhand.service.log.requests.managing import End, NewVersion
from evenhand.service.log.requests.settling import LAPSE, Beat, Outage
from evenhand.service.log.states import States, Where
from evenhand.service.log.waiting import Waiting
from evenhand.store import audit_tables as tables
from evenhand.store.connecting import Store
from evenhand.store.migrating import NewerSchemaError, hold_schema

_CLOSING_S = 30.0
_ANSWERED = tables.answered
# A token at a time: pairs of token and key would be looked for in every row by SQLite.
_GIVEN = select(
    _ANSWERED.c.key, _ANSWERED.c.fingerprint, _ANSWERED.c.status, _ANSWERED.c.body, _ANSWERED.c.person
).where(_ANSWERED.c.token == bindparam("of"), _ANSWERED.c.key.in_(bindparam("said", expanding=True)))


class Request(Protocol):
    """Something to be done to streams. `decide` records events through `states`; what it refuses it refuses
    before it has recorded anything. Where one of its streams is damaged it is refused, unless it says
    `each_alone`: then it refuses what is damaged itself, and does the rest."""

    @property
    def key(self) -> Key | None: ...
    @property
    def streams(self) -> Sequence[Where]: ...
    def decide(self, states: States, now: float) -> Answer: ...


class Writer:
    def __init__(
        self, store: Store, states: States, clock: Clock, wall: Callable[[], float], hold: Hold
    ) -> None:
        self.store, self.states, self.clock, self.wall, self._hold = store, states, clock, wall, hold
        self.commits = 0
        self._waiting: Waiting[tuple[Request, Future[Answer]]] = Waiting()
        self._stopping = False
        self._must_look_back, self._looked_back = True, 0.0
        self._thread = threading.Thread(target=self._work, name="evenhand-writer", daemon=True)
        self._thread.start()

    def submit(self, request: Request) -> Future[Answer]:
        future: Future[Answer] = Future()
        if self._stopping:
            future.set_result(STOPPING)
        elif not self.lives:
            future.set_result(UNAVAILABLE)
        elif not self._waiting.put((request, future), getattr(request, "size", 1)):
            future.set_result(STOPPING if self._stopping else TOO_MANY)
        return future

    @property
    def lives(self) -> bool:
        return self._thread.is_alive()

    @property
    def visits_waiting(self) -> int:
        return self._waiting.single

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    def at_once(self, most: int) -> None:
        """How many requests a transaction has at most."""
        self._waiting.at_once = most

    def close(self) -> None:
        """Do what waits, then stop."""
        self._stopping = True
        self._waiting.close()
        self._thread.join(_CLOSING_S)  # a store that hangs does not keep the process

    def _work(self) -> None:
        while taken := self._waiting.take():
            asked = [one for one in taken if one[1].set_running_or_notify_cancel()]
            if asked:
                answers = self._answers([request for request, _ in asked])
                for (_, future), answer in zip(asked, answers, strict=True):
                    future.set_result(answer)

    def _answers(self, requests: list[Request]) -> list[Answer]:
        """A batch that one request spoiled is done again, one at a time: it fails alone."""
        try:
            return self._done(requests)
        except BaseException as error:  # whatever it is: whoever waits hears of it, and this thread goes on
            self.states.drop()
            if len(requests) > 1 and _is_of_one(error):
                return [answer for one in requests for answer in self._answers([one])]
            if len(requests) == 1 and _is_conflict(error):
                return self._again(requests)
            self.look_back_soon()
            return [UNAVAILABLE] * len(requests)

    def _again(self, requests: list[Request]) -> list[Answer]:
        """Another server was quicker; what it did can be seen now."""
        try:
            return self._done(requests)
        except BaseException:
            self.states.drop()
            self.look_back_soon()
            return [UNAVAILABLE]

    def look_back_soon(self) -> None:
        """Before anything else is done."""
        self._must_look_back = True

    def _done(self, requests: list[Request]) -> list[Answer]:
        self._hold.refuse_another_file()
        asleep = self.clock.monotonic() - self._looked_back > LAPSE  # a disk that hung, or the machine did
        if self._must_look_back or asleep or self.clock.jumped is not None:
            self._look_back()
        return self._transaction(requests)

    def _look_back(self) -> None:
        """If the last sign of life was long ago, or the clock skipped some time, the audits hear of it first:
        whoever comes after a start, or when the store is back, could not report before."""
        with self.store.reading() as connection:
            last = connection.execute(select(tables.alive.c.at)).scalar()
            audits = list(connection.execute(select(tables.audit.c.id).order_by(tables.audit.c.id)).scalars())
            now = self.clock.now(self._wall(connection))
        gone = self.clock.jumped
        if last is not None and now - last > LAPSE:
            gone = (last, now)
        outages = [] if gone is None else [Outage(audit, *gone) for audit in audits]
        for outage in outages:
            try:
                self._transaction([outage])
            except Exception as error:
                if _is_conflict(error) or not _is_of_one(error):
                    raise
                self.states.drop()  # an audit that is damaged keeps no other back
        if last is not None:
            self._transaction([Beat()])
        self._must_look_back, self.clock.jumped = False, None
        self._looked_back = self.clock.monotonic()

    def _transaction(self, requests: list[Request]) -> list[Answer]:
        states = self.states
        with self.store.writing() as connection:
            hold_schema(connection, self.store.name)
            where = sorted({one for request in requests for one in request.streams})
            states.begin(connection, where)
            now = self.clock.now(self._wall(connection))
            states.trusted = self.clock.trusted
            given = self._given(connection, [request.key for request in requests if request.key])
            answers, rows = [], []
            for request in requests:
                answer, row = self._one(request, given, now)
                answers.append(answer)
                rows += row
            if states.flush(rows):
                self.commits += 1
        states.committed()
        return answers

    def _one(
        self, request: Request, given: dict[tuple[str, str], tuple[str, Answer]], now: float
    ) -> tuple[Answer, list[dict[str, Any]]]:
        key = request.key
        before = given.get((key.token, key.key)) if key else None
        if key and before:
            return (before[1] if before[0] in (key.fingerprint, tables.FORGOTTEN) else CHANGED), []
        streams = request.streams
        written = self.states.pending(streams)
        try:
            if not getattr(request, "each_alone", False):
                self.states.refuse_damaged(streams)
            answer = request.decide(self.states, now)
        except RefusedError as error:
            answer = error.answer
        except InputError as error:
            answer = Answer(422, {"error": str(error)})
        wrote = self.states.pending(streams) > written
        if answer.status >= 400 and wrote:
            raise _SpoiledError
        if not key or not wrote:
            return answer, []
        given[key.token, key.key] = key.fingerprint, answer
        return answer, [
            {
                "token": key.token, "key": key.key, "fingerprint": key.fingerprint, "status": answer.status,
                "body": json.dumps(answer.body, allow_nan=False), "person": answer.person, "at": now,
                **self._whose(request),
            }
        ]  # fmt: skip

    def _whose(self, request: Request) -> dict[str, Any]:
        """With whom an answer goes when they are deleted, or that it is of a batch; one who is in it may be
        deleted already. What was done to all goes with nobody."""
        streams = request.streams
        if len(streams) > 1 and all(one.number for one in streams):
            audits = {one.audit for one in streams}
            about = {"audit": audits.pop() if len(audits) == 1 else None, "stream": tables.OF_A_BATCH}
            sound = [one for one in streams if one not in self.states.damaged]
            gone = any(one.number in self.states.audit(one.audit).deleted for one in sound)
            return about | ({"fingerprint": tables.FORGOTTEN} if gone else {})
        to_all = isinstance(request, End | NewVersion)
        person = None if to_all else next((one for one in streams if one.number), None)
        return {"audit": person.audit if person else None, "stream": person.number if person else None}

    def _given(self, connection: Any, keys: Iterable[Key]) -> dict[tuple[str, str], tuple[str, Answer]]:
        """What was answered to these keys before. Asked once the streams are locked: by then another server
        that was given the same request has committed it."""
        by_token: dict[str, list[str]] = {}
        for key in keys:
            by_token.setdefault(key.token, []).append(key.key)
        found = {}
        for token, said in by_token.items():
            for start in range(0, len(said), 500):
                for row in connection.execute(_GIVEN, {"of": token, "said": said[start : start + 500]}):
                    answer = Answer(row.status, json.loads(row.body), row.person)
                    found[token, row.key] = row.fingerprint, answer
        return found

    def _wall(self, connection: Any) -> float:
        if self.store.is_sqlite:
            return self.wall()
        return float(connection.execute(text("SELECT extract(epoch FROM clock_timestamp())")).scalar_one())


class _SpoiledError(Exception):
    """A request was refused after it had recorded something: the batch is done again without it."""


def _is_conflict(error: BaseException) -> bool:
    cause = error.__cause__
    locked = isinstance(cause, OperationalError) and "deadlock" in str(cause)
    return isinstance(cause, IntegrityError) or locked


def _is_of_one(error: BaseException) -> bool:
    """Whether the requests are to blame, one of them or two together; else the store is."""
    if isinstance(error, NewerSchemaError):
        return False
    return _is_conflict(error) or not isinstance(error, InputError) or error.__cause__ is None
