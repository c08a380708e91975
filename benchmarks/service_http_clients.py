"""Clients that ask a live service over HTTP without a pause, or at a rate; in one thread of one process.

What is sent and read is written out by hand, so that the clients take little of the processor that the
server needs.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import time
from typing import Any, NamedTuple

import uvloop

CLIENTS = 32


class Load(NamedTuple):
    pairs: float  # a second
    p50: float  # of a request, ms
    p99: float
    p999: float
    worst: float
    loop_p99: float  # of a request that asks nothing of the store, ms
    loop_worst: float
    client: float  # share of a core that the clients took


class _Connection(asyncio.Protocol):
    """One request at a time."""

    def __init__(self) -> None:
        self._read = b""
        self._answer: asyncio.Future[tuple[int, bytes]] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport: Any = transport

    def data_received(self, data: bytes) -> None:
        self._read += data
        head, found, body = self._read.partition(b"\r\n\r\n")
        if found and self._answer is not None:
            length = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
            if len(body) >= length:
                self._read = b""
                self._answer.set_result((int(head[9:12]), body))

    def connection_lost(self, error: Exception | None) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(ConnectionError("the server closed the connection"))

    async def ask(self, request: bytes) -> tuple[int, Any]:
        self._answer = asyncio.get_running_loop().create_future()
        self._transport.write(request)
        status, body = await self._answer
        return status, json.loads(body)

    def close(self) -> None:
        self._transport.close()


class Crowd:
    def __init__(self, port: int, token: str, audit: str, users: tuple[str, ...]) -> None:
        self._port, self._audit, self._users = port, audit, users
        self._head = f"HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n"
        self._run, self._number = time.time_ns(), itertools.count()
        self.done = 0
        self.lasted: list[float] = []
        self.looked: list[float] = []

    def _post(self, path: str, said: dict[str, Any], number: int) -> bytes:
        body = json.dumps(said)
        return (
            f"POST {path} {self._head}Idempotency-Key: {self._run}-{number}\r\nContent-Type: application/json"
            f"\r\nContent-Length: {len(body)}\r\n\r\n{body}"
        ).encode()

    async def _pair(self, to: _Connection, due: float) -> None:
        """An assignment and its reward. What began late has lasted since it was due."""
        number = next(self._number)
        user = self._users[number % len(self._users)]
        status, made = await to.ask(
            self._post(f"/api/audits/{self._audit}/assignments", {"user": user}, 2 * number)
        )
        now = time.perf_counter()
        self.lasted.append(now - due)
        assert status == 201, made
        told = self._post(
            f"/api/assignments/{made['id']}/reward", {"reward": (number % 7) / 6}, 2 * number + 1
        )
        status, said = await to.ask(told)
        self.lasted.append(time.perf_counter() - now)
        assert (status, said) == (200, {"counted": True})
        self.done += 1

    async def _client(self, number: int, clients: int, until: float, rate: float | None) -> None:
        to = await self._connected()
        due = time.perf_counter()
        if rate is not None:
            due += number / rate  # one after the other
        while due < until:
            if rate is not None:
                await asyncio.sleep(due - time.perf_counter())
            await self._pair(to, due)
            due = time.perf_counter() if rate is None else due + clients / rate
        to.close()

    async def _look(self, until: float) -> None:
        """Something that needs neither store nor token: who waits here waits for the event loop."""
        to = await self._connected()
        request = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
        while time.perf_counter() < until:
            began = time.perf_counter()
            await to.ask(request)
            self.looked.append(time.perf_counter() - began)
            await asyncio.sleep(0.02)
        to.close()

    async def _connected(self) -> _Connection:
        loop = asyncio.get_running_loop()
        return (await loop.create_connection(_Connection, "127.0.0.1", self._port))[1]

    async def run(self, seconds: float, clients: int, rate: float | None) -> float:
        """How long it took."""
        began = time.perf_counter()
        until = began + seconds
        each = [self._client(number, clients, until, rate) for number in range(clients)]
        await asyncio.gather(self._look(until), *each)
        return time.perf_counter() - began


def load(crowd: Crowd, seconds: float, *, clients: int = CLIENTS, rate: float | None = None) -> Load:
    """Each client asks again as soon as it is answered, or at a rate of all of them together."""
    used = time.process_time()
    took = uvloop.run(crowd.run(seconds, clients, rate))
    used = time.process_time() - used
    lasted, looked = sorted(crowd.lasted), sorted(crowd.looked)

    def at(values: list[float], share: float) -> float:
        return 1e3 * values[min(int(len(values) * share), len(values) - 1)]

    return Load(
        crowd.done / took, at(lasted, 0.5), at(lasted, 0.99), at(lasted, 0.999), at(lasted, 1.0),
        at(looked, 0.99), at(looked, 1.0), used / took,
    )  # fmt: skip
