"""Tokens and sessions in memory: a request waits for no database to be let in."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from evenhand.errors import EvenhandError
from evenhand.service.access import sessions, tokens
from evenhand.service.access.tokens import Token
from evenhand.store.connecting import Store

FRESH_S = 2.0  # what was revoked is refused after so long at most
_AT_ONCE_S = 0.2  # so long lies between two looks for those who are not known


class Access:
    """Of one event loop. What is known stays known while the store is away."""

    def __init__(self, store: Store, wall: Callable[[], float] = time.time) -> None:
        self._store, self._wall = store, wall
        self._tokens: dict[str, Token] = {}
        self._sessions: dict[str, sessions.Session] = {}
        self._looked = float("-inf")
        self._looking = asyncio.Lock()

    async def by_token(self, text: str) -> Token | None:
        claimed = tokens.parts(text)
        if claimed is None:
            return None
        if claimed[0] not in self._tokens:
            await self._look_again()
        token = self._tokens.get(claimed[0])
        if token is None or not tokens.is_it(token, claimed[1]) or token.revoked_at is not None:
            return None
        return token

    async def by_session(self, secret: str) -> Token | None:
        """The token that a session was given for; it may read, whatever else the token may."""
        hashed = tokens.hash_of(secret)
        if hashed not in self._sessions:
            await self._look_again()
        session = self._sessions.get(hashed)
        if session is None or session.until < self._wall():
            return None
        token = self._tokens.get(session.token)
        if token is None or token.revoked_at is not None:
            return None
        return token._replace(scopes=frozenset({"read"}))

    async def keep_fresh(self, failed: Callable[[Exception], None]) -> None:
        """Until it is cancelled. Whatever goes wrong, it looks again: else nobody could be shut out."""
        while True:
            await asyncio.sleep(FRESH_S)
            try:
                await self.look()
            except Exception as error:
                failed(error)

    async def look(self) -> bool:
        """Read them again; whether the store could be read."""
        async with self._looking:
            return await self._look()

    async def _look(self) -> bool:
        self._looked = time.monotonic()
        try:
            known = await asyncio.to_thread(tokens.listed, self._store)
            logged_in = await asyncio.to_thread(sessions.listed, self._store)
        except EvenhandError:
            return False  # the store is away
        self._tokens = {one.id: one for one in known}
        self._sessions = {one.hash: one for one in logged_in}
        return True

    async def _look_again(self) -> None:
        """Once for all who ask meanwhile, and not too often, whoever asks: they wait a moment."""
        asked = time.monotonic()
        async with self._looking:
            if self._looked < asked:
                await asyncio.sleep(self._looked + _AT_ONCE_S - time.monotonic())
                await self._look()
