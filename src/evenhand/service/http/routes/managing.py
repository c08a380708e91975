"""Routes of audits that change them: begin, name people, pause, end, delete."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse

from evenhand.service.access.tokens import Token
from evenhand.service.http import bodies, told
from evenhand.service.http.asking import AuditId, Keyed, Responses, answer, managed, needs
from evenhand.service.http.reading import body
from evenhand.service.http.running import running
from evenhand.service.log import AskedLiveAudit
from evenhand.service.log.answers import RefusedError

router = APIRouter(tags=["audits"])
_MADE: Responses = {201: {"model": told.Made}}
_OVER: Responses = {409: {"model": told.Error, "description": "The audit is over"}}
_PAUSED: Responses = {200: {"model": told.Paused}, **_OVER}
_ENDED: Responses = {200: {"model": told.Ended}}
_NAMED: Responses = {
    200: {"model": told.Named},
    409: {"model": told.Error, "description": "They have been named"},
}
_DELETED: Responses = {200: {"model": told.Deleted}}


@router.post("/api/audits", dependencies=[needs("admin")], status_code=201, responses=_MADE)
async def create(
    request: Request, key: Keyed, said: Annotated[AskedLiveAudit, body(AskedLiveAudit)]
) -> JSONResponse:
    """Begin an audit. It is recorded first; what to expect of it is computed in another process."""
    token: Token = request.state.token
    if token.audits is not None:
        raise RefusedError(403, "This token is for some audits only; it may not begin another.")
    log, expectations = running(request).log, running(request).expectations
    made = await answer(request, log.create_audit, key, said, audit=None)
    if made.status == 201 and "expected" not in made.body:
        about = await asyncio.to_thread(log.read.audit, made.body["id"])
        expected = None if about is None else await expectations.soon(about)
        # Kept before it is told: the same request again hears the same.
        made = await answer(request, log.tell_too, key, made, {"expected": expected}, audit=None)
    return JSONResponse(made.body, made.status)


@router.post("/api/audits/{audit}/people", dependencies=[needs("admin")], responses=_NAMED)
async def name_people(
    request: Request, audit: AuditId, key: Keyed, said: Annotated[bodies.People, body(bodies.People)]
) -> JSONResponse:
    """Who the people are that were drawn from a population."""
    ask = running(request).log.name_people
    return await managed(request, "people named", ask, key, audit, said.users, audit=audit)


@router.post("/api/audits/{audit}/pause", dependencies=[needs("admin")], responses=_PAUSED)
async def pause(request: Request, audit: AuditId, key: Keyed) -> JSONResponse:
    """Pause an audit. Everybody is served by their own policy until it is resumed."""
    return await managed(request, "audit paused", running(request).log.pause, key, audit, audit=audit)


@router.post("/api/audits/{audit}/resume", dependencies=[needs("admin")], responses=_PAUSED)
async def resume(request: Request, audit: AuditId, key: Keyed) -> JSONResponse:
    """Go on after a pause."""
    return await managed(request, "audit resumed", running(request).log.resume, key, audit, audit=audit)


@router.post("/api/audits/{audit}/end", dependencies=[needs("admin")], responses=_ENDED | _OVER)
async def end(
    request: Request, audit: AuditId, key: Keyed, said: Annotated[bodies.Ending, body(bodies.Ending)]
) -> JSONResponse:
    """End it now. Nothing is certified by that."""
    ask = running(request).log.end
    return await managed(request, "audit ended", ask, key, audit, said.reason, audit=audit)


@router.post("/api/audits/{audit}/version", dependencies=[needs("admin")], responses=_ENDED)
async def new_version(
    request: Request, audit: AuditId, key: Keyed, said: Annotated[bodies.Version, body(bodies.Version)]
) -> JSONResponse:
    """Say that the policies have changed. The audit ends, unless this is its version."""
    ask = running(request).log.new_version
    return await managed(request, "policies changed", ask, key, audit, said.version, audit=audit)


@router.post("/api/audits/{audit}/deletions", dependencies=[needs("admin")], responses=_DELETED)
async def delete_user(
    request: Request, audit: AuditId, key: Keyed, said: Annotated[bodies.User, body(bodies.User)]
) -> JSONResponse:
    """Erase a person from this audit. Their id and all that they did go; hashes, the place that was drawn and
    the outcome stay, which the certificate needs. Other audits have them still."""
    ask = running(request).log.delete_user
    return await managed(request, "person deleted", ask, key, audit, said.user, audit=audit)
