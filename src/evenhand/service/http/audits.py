"""Routes of audits: begin, look at, change, end."""

from __future__ import annotations

import asyncio
import re
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import JSONResponse
from pydantic import ValidationError

from evenhand.service.access.tokens import Token
from evenhand.service.http import bodies
from evenhand.service.http.asking import AuditId, Keyed, answer, managed, needs
from evenhand.service.http.running import running
from evenhand.service.log import AskedLiveAudit
from evenhand.service.log.answers import RefusedError

router = APIRouter(tags=["audits"])
_NOBODY = "There is no such audit."
_SCHEMA = {"application/json": {"schema": AskedLiveAudit.model_json_schema()}}
_ASKED = {"requestBody": {"required": True, "content": _SCHEMA}}
_After = Annotated[str, Query(description="stream:number of the last event that you have", max_length=40)]


@router.post("/api/audits", dependencies=[needs("admin")], status_code=201, openapi_extra=_ASKED)
async def create(request: Request, key: Keyed) -> JSONResponse:
    """Begin an audit. It is recorded first; what to expect of it is computed in another process."""
    token: Token = request.state.token
    if token.audits is not None:
        raise RefusedError(403, "This token is for some audits only; it may not begin another.")
    raw = await request.body()
    try:
        asked = await asyncio.to_thread(AskedLiveAudit.model_validate_json, raw)
    except ValidationError as error:
        raise RefusedError(422, bodies.sentence(error.errors())) from None
    log = running(request).log
    made = await answer(request, log.create_audit, key, asked, audit=None)
    if made.status != 201:
        return JSONResponse(made.body, made.status)
    about = await asyncio.to_thread(log.read.audit, made.body["id"])
    expected = None if about is None else await running(request).expectations.soon(about)
    return JSONResponse(made.body | {"expected": expected}, 201)


@router.get("/api/audits", dependencies=[needs("read")])
async def overview(request: Request) -> list[dict[str, Any]]:
    """All audits, the oldest first, each in a few numbers."""
    token: Token = request.state.token
    told = await asyncio.to_thread(running(request).log.read.overview)
    return [one for one in told if token.sees(one["id"])]


@router.get("/api/audits/{audit}", dependencies=[needs("read")])
async def view(request: Request, audit: AuditId) -> dict[str, Any]:
    """An audit and its targets in numbers, without ids."""
    log = running(request).log
    about = _there(await asyncio.to_thread(log.read.audit, audit))
    told: dict[str, Any] = _there(await asyncio.to_thread(log.read.audit_view, audit))
    return told | {"expected": running(request).expectations.known(about)}


@router.get("/api/audits/{audit}/targets", dependencies=[needs("assign")])
async def targets(request: Request, audit: AuditId) -> Response:
    """Ids of those whom it makes sense to ask for; all others are served by their own policy."""
    log = running(request).log
    about = _there(await asyncio.to_thread(log.read.audit, audit))
    tag = f'"{about.head.hex()[:32]}"'
    headers = {"etag": tag, "cache-control": "private, no-cache"}
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    users = _there(await asyncio.to_thread(log.read.targets, audit))
    return JSONResponse({"targets": users, "paused": about.paused, "version": about.version}, headers=headers)


@router.get("/api/audits/{audit}/events", dependencies=[needs("read")])
async def events(request: Request, audit: AuditId, after: _After = "0:0") -> dict[str, Any]:
    """Events of one stream: 0 is the audit itself, 1 and up are its people. Ids of people are for `admin`."""
    found = re.fullmatch(r"(\d{1,9}):(\d{1,9})", after, re.ASCII)
    if found is None:
        raise RefusedError(422, "after: write the number of a stream and of an event, such as 3:120.")
    stream, seq = int(found[1]), int(found[2])
    log, token = running(request).log, request.state.token
    about = _there(await asyncio.to_thread(log.read.audit, audit))
    rows = _there(await asyncio.to_thread(log.read.events, audit, stream, seq))
    if not token.may("admin"):
        rows = [row | {"event": None, "salt": None} if row["kind"] == "person" else row for row in rows]
    last = rows[-1]["seq"] if rows else seq
    return {"events": rows, "next": f"{stream}:{last}", "streams": 1 + len(about.places)}


@router.get("/api/audits/{audit}/certificate", dependencies=[needs("read")])
async def certificate(request: Request, audit: AuditId) -> dict[str, Any]:
    """What is known so far, and by which log; people are called by their numbers."""
    log = running(request).log
    about = _there(await asyncio.to_thread(log.read.audit, audit))
    if not about.named:
        raise RefusedError(409, "The people of this audit have not been named yet.")
    told: dict[str, Any] = _there(await asyncio.to_thread(log.read.certificate, audit))
    return told


@router.post("/api/audits/{audit}/people", dependencies=[needs("admin")])
async def name_people(request: Request, audit: AuditId, key: Keyed, said: bodies.People) -> JSONResponse:
    """Who the people are that were drawn from a population."""
    ask = running(request).log.name_people
    return await managed(request, "people named", ask, key, audit, said.users, audit=audit)


@router.post("/api/audits/{audit}/pause", dependencies=[needs("admin")])
async def pause(request: Request, audit: AuditId, key: Keyed) -> JSONResponse:
    """Everybody is served by their own policy until the audit is resumed."""
    return await managed(request, "audit paused", running(request).log.pause, key, audit, audit=audit)


@router.post("/api/audits/{audit}/resume", dependencies=[needs("admin")])
async def resume(request: Request, audit: AuditId, key: Keyed) -> JSONResponse:
    """Go on after a pause."""
    return await managed(request, "audit resumed", running(request).log.resume, key, audit, audit=audit)


@router.post("/api/audits/{audit}/end", dependencies=[needs("admin")])
async def end(request: Request, audit: AuditId, key: Keyed, said: bodies.Ending) -> JSONResponse:
    """End it now. Nothing is certified by that."""
    return await managed(
        request, "audit ended", running(request).log.end, key, audit, said.reason, audit=audit
    )


@router.post("/api/audits/{audit}/version", dependencies=[needs("admin")])
async def new_version(request: Request, audit: AuditId, key: Keyed, said: bodies.Version) -> JSONResponse:
    """The policies have changed: the audit ends."""
    ask = running(request).log.new_version
    return await managed(request, "policies changed", ask, key, audit, said.version, audit=audit)


@router.post("/api/audits/{audit}/deletions", dependencies=[needs("admin")])
async def delete_user(request: Request, audit: AuditId, key: Keyed, said: bodies.User) -> JSONResponse:
    """Erase a person from this audit: id and all that they did; hashes stay."""
    ask = running(request).log.delete_user
    return await managed(request, "person deleted", ask, key, audit, said.user, audit=audit)


def _there(found: Any) -> Any:
    if found is None:
        raise RefusedError(404, _NOBODY)
    return found
