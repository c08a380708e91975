"""Whom it makes sense to ask for: kept in memory, and looked at again every few seconds."""

from __future__ import annotations

import asyncio
import random
import threading

from evenhand.service.client.counts import Counts
from evenhand.service.client.server import Server, UnansweredError

REFRESH_S = 10.0
_FIRST_S, _LONGEST_S = 0.2, 30.0  # between looks while there is no answer
_WITHIN_S = 10.0
_MOST_BYTES = 64 << 20


class Targets:
    """What is known stays known while the server is away."""

    def __init__(self, server: Server, audit: str, counts: Counts) -> None:
        self._server, self._path, self._counts = server, f"/api/audits/{audit}/targets", counts
        self._etag: str | None = None
        self.known: frozenset[str] | None = None
        self.ended = False  # the audit is over, for good
        self.sees: bool | None = None  # whether the token may know of this audit; None where nobody said yet
        self.are_known = threading.Event()

    async def keep_fresh(self) -> None:
        """Until it is cancelled."""
        wait = _FIRST_S
        while True:
            try:
                await self._look()
                wait, pause = _FIRST_S, REFRESH_S
            except UnansweredError as error:
                self._counts.trouble(f"The targets are not known: {error}")
                wait, pause = min(2 * wait, _LONGEST_S), max(wait, min(error.wait_s, _LONGEST_S))
            # Not all clients at once.
            await asyncio.sleep(pause * random.uniform(0.5, 1.0))

    async def _look(self) -> None:
        headers = {} if self._etag is None else {"if-none-match": self._etag}
        said = await self._server.ask("GET", self._path, _WITHIN_S, headers=headers, most_bytes=_MOST_BYTES)
        self.sees = said.status != 404
        if said.status == 304:
            return
        users = said.body.get("targets") if isinstance(said.body, dict) else None
        if said.status != 200 or not isinstance(users, list) or not all(isinstance(u, str) for u in users):
            raise UnansweredError("wrong_answer", f"The server answered {said.sentence}")
        self.ended = said.body.get("ended") is True
        self.known, self._etag = frozenset(users), said.etag
        self.are_known.set()
