"""What every request passes first: who is it, how often, how much, and what every answer carries.

Before a body is read it is known who sends it. A plain ASGI application, so that this costs little.
"""

from __future__ import annotations

import asyncio
import json
import logging
import math
import time
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from evenhand.service.access.sessions import COOKIE
from evenhand.service.access.tokens import Token
from evenhand.service.http import journal
from evenhand.service.http.errors import wants_page
from evenhand.service.http.running import Running
from evenhand.service.showing import pages

_Scope = MutableMapping[str, Any]
_Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
_Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

# Whoever asks: what says nothing of anybody.
PUBLIC = ("/healthz", "/readyz", "/metrics", "/login", "/openapi.json")
PROBES = ("/healthz", "/readyz")
_PUBLIC_UNDER = ("/static/",)
SLOWEST_S = 20.0  # for a body; more for one that is large
_BYTES_A_SECOND = 100_000
_LEFT = 499  # what is noted, as other servers do, of a caller who left before the answer
_MOST_BYTES = 1 << 20
_MOST_BYTES_OF = {"/api/audits": 64 << 20, "/people": 64 << 20, "/api/monitors": 32 << 20}
_HEADERS = [
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
        b"connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
]


def is_public(path: str) -> bool:
    return path in PUBLIC or path.startswith(_PUBLIC_UNDER)


class Door:
    def __init__(self, app: Callable[[_Scope, _Receive, _Send], Awaitable[None]], running: Running) -> None:
        self._app, self._running = app, running

    async def __call__(self, scope: _Scope, receive: _Receive, send: _Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status = time.perf_counter(), 0

        async def answer(message: MutableMapping[str, Any]) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                there = {name for name, _ in message["headers"]}
                always = [*_HEADERS, *_retry(1.0)] if status == 503 else _HEADERS
                message["headers"] = [*message["headers"], *(one for one in always if one[0] not in there)]
            await send(message)

        try:
            await self._admit(scope, receive, answer)
        except ClientDisconnect:  # in the midst of a body: no fault of ours, and nobody hears an answer
            status = status or _LEFT
        except Exception as error:  # goes no further: others would print what it says
            journal.fault(error)
            if not status:
                await _refuse(answer, 500, "This is a fault of Evenhand; nothing more is known here.")
        finally:
            self._note(scope, status or 500, time.perf_counter() - began)

    async def _admit(self, scope: _Scope, receive: _Receive, send: _Send) -> None:
        path, running = scope["path"], self._running
        headers = dict(scope["headers"])
        page = wants_page(path, headers.get(b"accept", b"").decode("latin-1"))
        state = scope.setdefault("state", {})
        if is_public(path):
            # Whoever watches the server hears it, however often others behind the same proxy ask.
            wait = running.public.wait(f"{_address(scope)} {path}" if path in PROBES else _address(scope))
            if wait:
                await _refuse(send, 429, "Too many requests; wait a little.", _retry(wait))
                return
        else:
            if not running.is_ready and path.startswith("/api/"):
                # Before anything is said of a token: tokens may not have been read yet.
                await _refuse(send, 503, "The server is starting; try again.", _retry(1.0))
                return
            token = await self._who(scope, headers)
            if token is None:
                await self._refuse_stranger(scope, send, page)
                return
            wait = running.rate.wait(token.id)
            if wait:
                await _refuse(send, 429, "This token asks too often; wait a little.", _retry(wait), page)
                return
            state["token"] = token
        most = _most_bytes(scope["method"], path)
        length = headers.get(b"content-length", b"")
        if length.isdigit() and int(length) > most:
            await _refuse(send, 413, _too_large(most), page=page)
            return
        await self._app(scope, _Counted(receive, most), send)

    async def _who(self, scope: _Scope, headers: dict[bytes, bytes]) -> Token | None:
        if sum(name == b"authorization" for name, _ in scope["headers"]) > 1:
            return None  # who of them asks is not known
        kind, _, text = headers.get(b"authorization", b"").decode("latin-1").partition(" ")
        if kind.lower() == "bearer":
            return await self._running.access.by_token(text.strip())
        if scope["path"].startswith("/api/"):
            return None  # cookies are for pages, which only read
        try:
            found = SimpleCookie(headers.get(b"cookie", b"").decode("latin-1")).get(COOKIE)
        except CookieError:
            return None
        return None if found is None else await self._running.access.by_session(found.value)

    async def _refuse_stranger(self, scope: _Scope, send: _Send, page: bool) -> None:
        wait = self._running.strangers.wait(_address(scope))
        if wait:
            await _refuse(send, 429, "Too many requests without a token that is known.", _retry(wait), page)
        elif not page:
            said = "This needs a token that is known: Authorization: Bearer ..."
            await _refuse(send, 401, said, [(b"www-authenticate", b"Bearer")])
        else:
            await _respond(send, 303, b"", [(b"location", b"/login")])

    def _note(self, scope: _Scope, status: int, seconds: float) -> None:
        """The route and not the path: a path may name somebody."""
        route = getattr(scope.get("route"), "path", "none")
        metrics = self._running.metrics
        metrics.requests.labels(scope["method"], route, status).inc()
        metrics.seconds.labels(route).observe(seconds)
        level = logging.ERROR if status >= 500 and route != "/readyz" else logging.DEBUG
        token = scope.get("state", {}).get("token")
        who = {"method": scope["method"], "route": route, "token": token.id if token else None}
        journal.write("request", level, **who, status=status, ms=round(seconds * 1e3, 1))


class _Counted:
    """A body, as far as it is allowed to go, whatever length was announced, and as fast as anybody sends."""

    def __init__(self, receive: _Receive, most: int) -> None:
        self._receive, self._read, self._most = receive, 0, most
        self._began = asyncio.get_running_loop().time()
        self._whole = False

    async def __call__(self) -> MutableMapping[str, Any]:
        if self._whole:  # what comes now is that the caller has gone, or never comes
            return await self._receive()
        try:
            async with asyncio.timeout_at(self._began + SLOWEST_S + self._read / _BYTES_A_SECOND):
                message = await self._receive()
        except TimeoutError:
            raise HTTPException(408, "The body comes too slowly; send it again.") from None
        self._read += len(message.get("body", b""))
        self._whole = not message.get("more_body", False)
        if self._read > self._most:
            raise HTTPException(413, _too_large(self._most))
        return message


def _address(scope: _Scope) -> str:
    return str((scope.get("client") or ("",))[0])


def _too_large(most: int) -> str:
    return f"The body is too large; {most:,} bytes are the most."


def _most_bytes(method: str, path: str) -> int:
    if method in ("POST", "PUT"):
        for part, most in _MOST_BYTES_OF.items():
            if path == part or path.endswith(part) or (part == "/api/monitors" and path.startswith(part)):
                return most
    return _MOST_BYTES


def _retry(seconds: float) -> list[tuple[bytes, bytes]]:
    return [(b"retry-after", str(max(1, math.ceil(seconds))).encode())]


async def _refuse(
    send: _Send, status: int, sentence: str, headers: Iterable[tuple[bytes, bytes]] = (), page: bool = False
) -> None:
    kind = b"text/html; charset=utf-8" if page else b"application/json"
    body = pages.error(status, sentence) if page else json.dumps({"error": sentence})
    await _respond(send, status, body.encode(), [(b"content-type", kind), *headers])


async def _respond(send: _Send, status: int, body: bytes, headers: list[tuple[bytes, bytes]]) -> None:
    length = (b"content-length", str(len(body)).encode())
    await send({"type": "http.response.start", "status": status, "headers": [length, *headers]})
    await send({"type": "http.response.body", "body": body})
