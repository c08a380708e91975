"""From a request to the log and back: who asks, under which key, and what was answered."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import re
from collections.abc import Callable
from concurrent.futures import Future
from typing import Annotated, Any

from fastapi import Depends, Path, Request
from fastapi.responses import JSONResponse

from evenhand.service.access.tokens import SCOPES, Token
from evenhand.service.http import journal
from evenhand.service.http.running import running
from evenhand.service.log import Answer, Key
from evenhand.service.log.answers import RefusedError
from evenhand.service.log.people import is_audit_id

_PATIENCE_S = 30.0  # for the store; whoever asked may ask again under the same key
_MOST_WAITING = 20_000  # requests; more would wait longer than anybody does
_KEY = re.compile(r"[\x21-\x7e]{1,200}")
_UNKNOWN = "The store takes long, and whether this was recorded is not known; ask again with the same key."
_Ask = Callable[..., Future[Answer]]
Responses = dict[int | str, dict[str, Any]]  # what a route answers, for its description


def needs(*scopes: str) -> Any:
    """A dependency: the token of the caller, which has one of these scopes."""
    unknown = [one for one in scopes if one not in SCOPES]
    assert not unknown, unknown

    # Like all that routes depend on it is `async`, though it waits for nothing: else a thread would run it.
    async def let_in(request: Request) -> Token:
        token: Token = request.state.token
        if not token.may(*scopes):
            needed = " or ".join(f"'{one}'" for one in scopes)
            raise RefusedError(403, f"This token may not do that; it needs the scope {needed}.")
        return token

    let_in.scopes = scopes  # type: ignore[attr-defined]  # for the test that tries every scope on every route
    return Depends(let_in)


async def key_of(request: Request) -> Key:
    """What a write is called, so that it can be sent again."""
    keys = request.headers.getlist("idempotency-key")
    if not keys:
        raise RefusedError(400, "Every write needs an Idempotency-Key; take a new random one for each.")
    if len(keys) > 1 or not _KEY.fullmatch(keys[0]):
        raise RefusedError(400, "An Idempotency-Key is one, of 1 to 200 printable characters without spaces.")
    said = hashlib.sha256(f"{request.method} {request.scope['path']}\n".encode())
    said.update(await request.body())
    return Key(keys[0], request.state.token.id, said.hexdigest())


Keyed = Annotated[Key, Depends(key_of)]


async def audit_of(request: Request, audit: Annotated[str, Path(description="The id of an audit")]) -> str:
    """An audit that the caller may know of; of another nothing is said, not even that it is there."""
    token: Token = request.state.token
    if not is_audit_id(audit) or not token.sees(audit):
        raise RefusedError(404, "There is no such audit.")
    return audit


AuditId = Annotated[str, Depends(audit_of)]


async def answer(request: Request, ask: _Ask, *said: Any, audit: str | None) -> Answer:
    """What the log answers. `audit` is the one that is asked about: what is known of it is asked at once;
    else a thread reads it first, and nobody else waits."""
    log = running(request).log
    if log.writer.visits_waiting > _MOST_WAITING:
        raise RefusedError(503, "Too many requests wait; try again later.")
    if audit is not None and log.people.knows(audit):
        future = ask(*said)
    else:
        future = await asyncio.to_thread(ask, *said)
    try:
        return await asyncio.wait_for(asyncio.wrap_future(future), _PATIENCE_S)
    except TimeoutError:
        raise RefusedError(503, _UNKNOWN) from None


async def answered(request: Request, ask: _Ask, *said: Any, audit: str | None) -> JSONResponse:
    found = await answer(request, ask, *said, audit=audit)
    return JSONResponse(found.body, found.status)


async def managed(request: Request, what: str, ask: _Ask, *said: Any, audit: str) -> JSONResponse:
    """As `answered`; and the journal says that somebody did this to an audit."""
    found = await answered(request, ask, *said, audit=audit)
    journal.write(what, logging.INFO, audit=audit, token=request.state.token.id, status=found.status_code)
    return found
