"""Ask whose policy serves a user, and wait so long and no longer."""

from __future__ import annotations

import json
import threading
import time
import uuid
from concurrent.futures import CancelledError

from evenhand.service.client.assignment import Assignment, read
from evenhand.service.client.background import Background
from evenhand.service.client.breaker import Breaker
from evenhand.service.client.counts import Counts
from evenhand.service.client.server import Said, Server, UnansweredError

_AT_ONCE = 200  # questions under way; more are not asked
_MOST_TOLD = 10**9  # fallbacks, which is what a server takes


class Asking:
    """The answer is waited for in the thread of the caller, and the question is asked in another: whatever
    hangs there, the wait ends."""

    def __init__(
        self, server: Server, background: Background, audit: str, version: str | None, counts: Counts
    ) -> None:
        self._server, self._background, self._counts = server, background, counts
        self._path, self._version = f"/api/audits/{audit}/assignments", version
        self._breaker, self._free = Breaker(), threading.Semaphore(_AT_ONCE)

    def ask(self, user: str, known_as: str, until: float) -> Assignment:
        """`until` is a time of the monotonic clock. UnansweredError where there is no answer by then."""
        if not self._breaker.may():
            raise UnansweredError("resting", "The server is left alone for a while.")
        if not self._free.acquire(blocking=False):
            raise UnansweredError("busy", "Too many questions are under way.")
        try:
            found = self._asked(user, known_as, until)
        except UnansweredError:
            self._breaker.failed()
            raise
        finally:
            self._free.release()
        self._breaker.worked()
        return found

    def _asked(self, user: str, known_as: str, until: float) -> Assignment:
        self._counts.add("asked")
        told = min(self._counts.take_untold(), _MOST_TOLD)
        try:
            answer = self._answer(known_as, told, until)
            found = read(answer.status, answer.body, user, known_as)
            if found is None:
                why = "refused" if answer.status >= 400 else "wrong_answer"
                raise UnansweredError(why, f"The server answered {answer.sentence}")
        except UnansweredError:
            self._counts.give_back(told)
            raise
        return found

    def _answer(self, known_as: str, told: int, until: float) -> Said:
        said = {"user": known_as} if self._version is None else {"user": known_as, "version": self._version}
        headers = {"idempotency-key": uuid.uuid4().hex, "evenhand-fallbacks": str(told)}

        async def asked() -> Said:
            left = max(until - time.monotonic(), 0.0)
            return await self._server.ask(
                "POST", self._path, left, said=json.dumps(said).encode(), headers=headers
            )

        try:
            answer = self._background.call(asked())
        except RuntimeError:
            raise UnansweredError("closed", "The client is closed.") from None
        try:
            return answer.result(max(until - time.monotonic(), 0.0))
        except TimeoutError:
            # It ends by itself; one that is cut off would leave its connection open.
            raise UnansweredError("timeout", "The server did not answer in time.") from None
        except CancelledError:
            raise UnansweredError("closed", "The client is closed.") from None
