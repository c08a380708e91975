"""A thread that sweeps: deadlines, signs of life, and files that deleted people must be gone from."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING

from evenhand.errors import EvenhandError
from evenhand.service.log.answers import Answer, DamagedError, RefusedError
from evenhand.service.log.requests.settling import MOST_AT_ONCE, Beat, Settle

if TYPE_CHECKING:
    from evenhand.service.log.log import Log

AT_ONCE = 64  # people whose streams are locked together
BEAT_S = 10.0
ERASE_WITHIN_S = 0.02  # nobody can write meanwhile; a reader who stays, as a backup does, is waited for
PATIENCE_S = 10.0  # for a sweep under way when it is closed: a writer that is gone answers nobody


class Sweeper:
    def __init__(self, log: Log, every_s: float | None) -> None:
        self._log, self._every = log, every_s
        self._closed, self._erase = threading.Event(), threading.Event()
        self._erase.set()  # whoever ran before may have been killed between a deletion and the next sweep
        self._beaten = float("-inf")
        self._ended: set[str] = set()
        self._thread: threading.Thread | None = None
        if every_s is not None:
            self._thread = threading.Thread(target=self._work, name="evenhand-sweeper", daemon=True)
            self._thread.start()

    def sweep(self) -> list[Answer]:
        log = self._log
        self._beat()
        answers: list[Answer] = []
        fault: Exception | None = None
        for audit in log.read.audit_ids():
            try:
                self._sweep_audit(audit, answers)
            except DamagedError as error:  # it keeps no other back
                fault = error
            except Exception as error:
                fault = error
                if isinstance(error, RefusedError) or error.__cause__ is not None:  # the store is away
                    break
        self._erase_now()
        if fault is not None:
            raise fault
        return answers

    def _sweep_audit(self, audit: str, answers: list[Answer]) -> None:
        log = self._log
        if not log.people.knows(audit) and log.read.outcome(audit) is not None:
            self._ended.add(audit)  # after a start: what all its people did need not be read
        known = None if audit in self._ended else log.people.of(audit)
        if known is None or not known.everybody:
            return
        numbers = range(1, len(known.arms) + 1)
        for start in range(0, len(numbers), AT_ONCE):
            some = tuple(numbers[start : start + AT_ONCE])
            while True:
                self._beat()  # here too: a sweep of many may take longer than an outage
                answers.append(log.writer.submit(Settle(audit, some)).result())
                if answers[-1].body.get("settled", 0) < MOST_AT_ONCE:
                    break
        about = log.read.audit(audit)
        if about is not None and not about.deleted.isdisjoint(known.names):  # by another server
            log.people.forget(audit)
            log.read.forget(audit)
        if about is not None and about.outcome is not None:
            self._ended.add(audit)

    def _erase_now(self) -> None:
        """The next sweep tries again what somebody stood in the way of."""
        if self._erase.is_set():
            self._erase.clear()
            left: str | None = "the store is away"
            try:
                left = self._log.store.erase(ERASE_WITHIN_S)
            finally:
                if left is not None:
                    self._erase.set()

    def _beat(self) -> None:
        here = self._log.clock.monotonic()
        if here - self._beaten >= BEAT_S:
            self._beaten = here
            self._log.writer.look_back_soon()
            self._log.writer.submit(Beat()).result()

    def erase_soon(self) -> None:
        self._erase.set()

    def close(self) -> None:
        self._closed.set()
        if self._thread is not None:
            self._thread.join(PATIENCE_S)

    def _work(self) -> None:
        while not self._closed.wait(self._every):
            try:
                self.sweep()
            except EvenhandError:  # the store is away; the next sweep finds it again
                continue
            except Exception:  # said as that of a thread that ends; but without sweeps nothing would expire
                told = (*sys.exc_info(), threading.current_thread())
                threading.excepthook(threading.ExceptHookArgs(told))
