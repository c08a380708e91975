"""Pages of reports and monitors, and their pictures: printed by another process, kept while they hold."""

from __future__ import annotations

import asyncio
import json
import sys
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any, Literal, NamedTuple
from urllib.parse import quote

from evenhand.errors import EvenhandError
from evenhand.service.log.answers import RefusedError
from evenhand.service.showing.pages import own_style, static_address

Kind = Literal["reports", "monitors"]
WIDTHS = {"wide": 860, "narrow": 340}  # pixels; a page chooses by its own width
_COMMAND = (sys.executable, "-m", "evenhand.service.showing.printing")
_PATIENCE_S = 120.0
_MOST_WAITING = 40
_MOST_PAGES, _MOST_PICTURES = 16, 400
_LONGEST_LINE = 1 << 28  # bytes
_BUSY = "Too many pages are being drawn; try again in a moment."
_LONG = "This takes too long to draw; try again, or look at the .json beside it."


class Printed(NamedTuple):
    version: str
    page: str
    data: Any  # of a monitor
    pictures: list[dict[str, Any]]


class Printer:
    """Of one event loop. The other process is started when it is first needed."""

    def __init__(self) -> None:
        self._process: asyncio.subprocess.Process | None = None
        self._lock = asyncio.Lock()
        self._waiting, self._closed = 0, False
        self._readying: asyncio.Task[None] | None = None
        self._pages: OrderedDict[str, Printed] = OrderedDict()  # by version
        self._pictures: OrderedDict[tuple[str, int, str, bool], str] = OrderedDict()

    async def report(self, name: str, version: str, text: str) -> Printed:
        return await self._page("report", version, {"text": text} | _at("reports", name, version))

    async def monitor(self, name: str, version: str, store: str) -> Printed:
        asked = {"store": store, "monitor": name}
        return await self._page("monitor", version, asked | _at("monitors", name, version))

    def kept(self, version: str) -> Printed | None:
        return self._pages.get(version)

    async def picture(self, printed: Printed, number: int, width: str, dark: bool) -> str:
        """One of a page, counted from 1, as SVG."""
        key = (printed.version, number, width, dark)
        if key not in self._pictures:
            async with self._turn():
                if key not in self._pictures:
                    drawn = printed.pictures[number - 1]["specification"]
                    made = await self._ask("picture", specification=drawn, width=WIDTHS[width], dark=dark)
                    self._pictures[key] = made["svg"]
        return _kept(self._pictures, key, _MOST_PICTURES)

    async def _page(self, do: str, version: str, asked: dict[str, Any]) -> Printed:
        if version not in self._pages:
            async with self._turn():
                if version not in self._pages:
                    made = await self._ask(do, **asked)
                    self._pages[version] = Printed(version, made["page"], made.get("data"), made["pictures"])
        return _kept(self._pages, version, _MOST_PAGES)

    @asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        """One at a time; who comes later finds what was printed meanwhile."""
        if self._waiting >= _MOST_WAITING:
            raise RefusedError(503, _BUSY)
        self._waiting += 1
        try:
            async with self._lock:
                yield
        finally:
            self._waiting -= 1

    async def _ask(self, do: str, **asked: Any) -> dict[str, Any]:
        try:
            made = await asyncio.wait_for(self._told({"do": do} | asked), _PATIENCE_S)
        except TimeoutError:
            raise RefusedError(503, _LONG) from None
        if "error" in made:
            raise RefusedError(503, made["error"])
        if "fault" in made:
            raise RuntimeError(made["fault"])
        return made

    async def _told(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Once more where the process has gone meanwhile, for want of work."""
        for _ in range(2):
            process = await self._running()
            assert process.stdin is not None
            assert process.stdout is not None
            try:
                process.stdin.write(json.dumps(asked).encode() + b"\n")
                await process.stdin.drain()
                if line := await process.stdout.readline():
                    told: dict[str, Any] = json.loads(line)
                    return told
            except ConnectionError:
                pass
            except BaseException:  # nobody waits for its answer any more, which is not that of the next
                await self._end()
                raise
            await self._end()
        raise RuntimeError("the process that prints pages ends at once")

    async def _running(self) -> asyncio.subprocess.Process:
        if self._closed:
            raise RefusedError(503, "The server is stopping.")
        if self._process is None or self._process.returncode is not None:
            self._process = await asyncio.create_subprocess_exec(
                *_COMMAND, limit=_LONGEST_LINE, stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL, start_new_session=True,
            )  # fmt: skip
        return self._process

    def get_ready(self) -> None:
        """Somebody may soon look at a page: to start the process takes seconds."""
        there = self._process is not None and self._process.returncode is None
        if not there and (self._readying is None or self._readying.done()):
            self._readying = asyncio.create_task(self._readied())

    async def _readied(self) -> None:
        with suppress(EvenhandError, RuntimeError):  # whoever then asks for a page is told
            async with self._turn():
                await self._ask("get_ready")

    async def close(self) -> None:
        """For good."""
        self._closed = True
        await self._end()

    async def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None and process.returncode is None:
            process.kill()
            await process.wait()


def _at(kind: Kind, name: str, version: str) -> dict[str, str]:
    """Where a page finds its pictures, its script and its style."""
    return {
        "quoted": quote(name, safe=""),
        "where": f"/pictures/{kind}/{version}",
        "script": static_address("page.js"),
        "style": own_style(),
    }


def _kept(kept: OrderedDict[Any, Any], key: Any, most: int) -> Any:
    """What was asked for, which is forgotten last."""
    kept.move_to_end(key)
    while len(kept) > most:
        kept.popitem(last=False)
    return kept[key]
