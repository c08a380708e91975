"""An event loop in a thread of its own, which never keeps a process from ending."""

from __future__ import annotations

import asyncio
import atexit
import socket
import threading
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, TypeVar

Result = TypeVar("Result")
_PATIENCE_S = 5.0  # for tasks that are told to stop


class _Loop(asyncio.SelectorEventLoop):
    """Names are looked up in threads that end with the process: those of asyncio are waited for at its end.
    One that hangs is one thread, however often it is asked for."""

    def __init__(self) -> None:
        super().__init__()
        self._lookups: dict[tuple[Any, ...], asyncio.Future[Any]] = {}

    async def getaddrinfo(
        self, host: Any, port: Any, *, family: int = 0, type: int = 0, proto: int = 0, flags: int = 0
    ) -> Any:
        asked = (host, port, family, type, proto, flags)
        found = self._lookups.get(asked)
        if found is None:
            found = self._lookups[asked] = self.create_future()
            name = "evenhand-client-lookup"
            threading.Thread(target=self._look_up, args=(asked, found), name=name, daemon=True).start()
        return await asyncio.shield(found)

    def _look_up(self, asked: tuple[Any, ...], found: asyncio.Future[Any]) -> None:
        addresses: Any = None
        error: Exception | None = None
        try:
            addresses = socket.getaddrinfo(*asked)
        except Exception as refused:  # also a name that no name can be
            error = refused

        def settle() -> None:
            del self._lookups[asked]
            if error is None:
                found.set_result(addresses)
            else:
                found.set_exception(error)
                found.exception()  # whoever asked may have gone

        with suppress(RuntimeError):  # the loop is closed
            self.call_soon_threadsafe(settle)


class Background:
    def __init__(self, at_end: Callable[[], Awaitable[None]]) -> None:
        self.loop, self._at_end = _Loop(), at_end
        self._tasks: set[asyncio.Task[Any]] = set()
        self._thread = threading.Thread(target=self._work, name="evenhand-client", daemon=True)
        self._thread.start()
        atexit.register(self.close)

    def call(self, work: Coroutine[Any, Any, Result]) -> Future[Result]:
        """Begin `work` there; RuntimeError where it is closed."""
        kept = self._kept(work)
        try:
            return asyncio.run_coroutine_threadsafe(kept, self.loop)
        except RuntimeError:
            kept.close()
            work.close()
            raise

    async def _kept(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Tasks that were begun here: theirs are for them to cancel, and only they know how."""
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            return await work
        finally:
            self._tasks.discard(task)

    def close(self) -> None:
        """What is under way is cancelled."""
        atexit.unregister(self.close)
        if not self._thread.is_alive():
            return  # in a process that was forked, it is not there
        with suppress(RuntimeError):
            self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(_PATIENCE_S)

    def _work(self) -> None:
        asyncio.set_event_loop(self.loop)
        self.loop.run_forever()
        # Twice: what was begun at the last moment has only become a task now.
        for _ in range(2):
            tasks = set(self._tasks)
            for task in tasks:
                task.cancel()
            self.loop.run_until_complete(_ended(tasks))
        self.loop.run_until_complete(self._at_end())
        self.loop.run_until_complete(asyncio.sleep(0))  # a transport is closed in the next round
        self.loop.close()


async def _ended(tasks: set[asyncio.Task[Any]]) -> None:
    await asyncio.sleep(0)
    if tasks:
        await asyncio.wait(tasks, timeout=_PATIENCE_S)
