"""An audit as it is now, drawn once for everybody who looks, and again when something happened."""

from __future__ import annotations

import asyncio
import json
import time
from collections import OrderedDict
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from evenhand.errors import EvenhandError

EVERY_S = 1.0  # an audit is looked at this often at most, whoever watches it
_SHARE = 0.05  # of the time is spent on drawing at most: of an audit of very many it takes long
MOST_VIEWERS = 200
LASTS_S = 60.0  # then a viewer comes again, through the door: who may no longer look is not let in
_SIGN_S = 15.0  # without a word in between a proxy hangs up
_MOST_KEPT = 64


class Drawn(NamedTuple):
    version: str
    html: str
    said: str  # what is said to those who do not see it, when it changes
    over: bool  # nothing more will happen
    view: Mapping[str, Any]  # in numbers

    def event(self) -> bytes:
        told = json.dumps({"html": self.html, "said": self.said, "over": self.over})
        return f"event: audit\nid: {self.version}\ndata: {told}\n\n".encode()


Version = Callable[[str], Awaitable[str]]
Draw = Callable[[str, str], Awaitable[Drawn]]


class Live:
    """Of one event loop. `version` says what an audit is at, `draw` draws it."""

    def __init__(self, version: Version, draw: Draw, stopping: asyncio.Event) -> None:
        self._version, self._draw, self._stopping = version, draw, stopping
        self._kept: OrderedDict[str, tuple[float, Drawn]] = OrderedDict()  # with when to look again
        self._locks: dict[str, asyncio.Lock] = {}
        self.viewers = 0

    @property
    def full(self) -> bool:
        return self.viewers >= MOST_VIEWERS

    async def now(self, audit: str) -> Drawn:
        """The audit as it was a second ago, or a little more where drawing takes long."""
        async with self._locks.setdefault(audit, asyncio.Lock()):
            try:
                return await self._looked_at(audit)
            finally:
                if audit not in self._kept:  # it is not there: whoever guesses leaves nothing behind
                    self._locks.pop(audit, None)

    async def _looked_at(self, audit: str) -> Drawn:
        again, drawn = self._kept.get(audit, (float("-inf"), None))
        began = time.monotonic()
        if drawn is None or began >= again:
            version = await self._version(audit)
            if drawn is None or drawn.version != version:
                drawn = await self._draw(audit, version)
            now = time.monotonic()
            self._kept[audit] = now + max(EVERY_S, (now - began) / _SHARE), drawn
            self._kept.move_to_end(audit)
        while len(self._kept) > _MOST_KEPT:
            self._locks.pop(self._kept.popitem(last=False)[0], None)
        return drawn

    async def events(self, audit: str, last: str | None) -> AsyncGenerator[bytes]:
        """Server-sent events for one viewer, who has seen the version `last`."""
        self.viewers += 1
        began = spoke = time.monotonic()
        try:
            yield b"retry: 1000\n\n"
            while not self._stopping.is_set() and time.monotonic() - began < LASTS_S:
                with suppress(EvenhandError):  # the store is away; it is asked again
                    drawn = await self.now(audit)
                    if drawn.version != last:
                        last, spoke = drawn.version, time.monotonic()
                        yield drawn.event()
                    if drawn.over:
                        return
                if time.monotonic() - spoke >= _SIGN_S:
                    spoke = time.monotonic()
                    yield b": nothing new\n\n"
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._stopping.wait(), EVERY_S)
        finally:
            self.viewers -= 1
