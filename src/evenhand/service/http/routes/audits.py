"""Routes of audits that look at them: in numbers, by their log, as a certificate."""

from __future__ import annotations

import asyncio
import re
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query, Request, Response
from fastapi.responses import JSONResponse

from evenhand.service.access.tokens import Token
from evenhand.service.http import told
from evenhand.service.http.asking import AuditId, Responses, needs
from evenhand.service.http.running import running
from evenhand.service.log.answers import RefusedError

router = APIRouter(tags=["audits"])
_AUDITS: Responses = {200: {"model": list[told.Audit]}}
_VIEW: Responses = {200: {"model": told.View}}
_TARGETS: Responses = {200: {"model": told.Targets}, 304: {"description": "As with the ETag that was sent"}}
_EVENTS: Responses = {200: {"model": told.Events}}
_CERTIFICATE: Responses = {
    200: {"model": told.Certificate},
    409: {"model": told.Error, "description": "Its people have not been named yet"},
}
_After = Annotated[
    str,
    Query(description="stream:number of the last event that you have", pattern=r"^[0-9]{1,9}:[0-9]{1,9}$"),
]
# The first of a block has its order, in which policies come that were not assigned yet. All are hidden alike:
# else it could be seen where a block begins.
_TELLS_NEXT = "assign"
_Etag = Annotated[str | None, Header(description="The ETag of the answer that you have")]


@router.get("/api/audits", dependencies=[needs("read")], responses=_AUDITS)
async def overview(request: Request) -> JSONResponse:
    """All audits, the oldest first, each in a few numbers."""
    token: Token = request.state.token
    found = await asyncio.to_thread(running(request).log.read.overview)
    return JSONResponse([one for one in found if token.sees(one["id"])])


@router.get("/api/audits/{audit}", dependencies=[needs("read")], responses=_VIEW)
async def view(request: Request, audit: AuditId) -> JSONResponse:
    """An audit and its targets in numbers, without ids."""
    log = running(request).log
    about = _there(await asyncio.to_thread(log.read.audit, audit))
    found = _there(await asyncio.to_thread(log.read.audit_view, audit))
    return JSONResponse(found | {"expected": running(request).expectations.known(about)})


@router.get("/api/audits/{audit}/targets", dependencies=[needs("assign")], responses=_TARGETS)
async def targets(request: Request, audit: AuditId, if_none_match: _Etag = None) -> Response:
    """Ids of those whom it makes sense to ask for. All others are served by their own policy."""
    log = running(request).log
    about = _there(await asyncio.to_thread(log.read.audit, audit))
    tag = f'"{about.head.hex()[:32]}"'
    headers = {"etag": tag, "cache-control": "private, no-cache"}
    if tag in (if_none_match or ""):
        return Response(status_code=304, headers=headers)
    users = _there(await asyncio.to_thread(log.read.targets, audit))
    ended = about.outcome is not None
    told = {"targets": users, "paused": about.paused and not ended, "ended": ended}
    return JSONResponse(told | {"version": about.version}, headers=headers)


@router.get("/api/audits/{audit}/events", dependencies=[needs("read")], responses=_EVENTS)
async def events(request: Request, audit: AuditId, after: _After = "0:0") -> JSONResponse:
    """Events of one stream. Stream 0 is the audit itself, 1 and up are its people. Ids of people are for
    `admin`; what would tell which policy comes next is told to nobody before the audit is over."""
    found = re.fullmatch(r"([0-9]{1,9}):([0-9]{1,9})", after)
    if found is None:  # a line's end behind it
        raise RefusedError(422, "after: write the number of a stream and of an event, such as 3:120.")
    stream, seq = int(found[1]), int(found[2])
    log, token = running(request).log, request.state.token
    about = _there(await asyncio.to_thread(log.read.audit, audit))
    rows = _there(await asyncio.to_thread(log.read.events, audit, stream, seq))
    hidden = [
        (row["kind"] == "person" and not token.may("admin"))
        or (about.outcome is None and row["kind"] == _TELLS_NEXT)
        for row in rows
    ]
    rows = [
        row | {"event": None, "salt": None} if hide else row for row, hide in zip(rows, hidden, strict=True)
    ]
    last = rows[-1]["seq"] if rows else seq
    return JSONResponse({"events": rows, "next": f"{stream}:{last}", "streams": 1 + len(about.places)})


@router.get("/api/audits/{audit}/certificate", dependencies=[needs("read")], responses=_CERTIFICATE)
async def certificate(request: Request, audit: AuditId) -> JSONResponse:
    """What is known so far, and by which log. People are called by their numbers."""
    log = running(request).log
    about = _there(await asyncio.to_thread(log.read.audit, audit))
    if not about.named:
        raise RefusedError(409, "The people of this audit have not been named yet.")
    return JSONResponse(_there(await asyncio.to_thread(log.read.certificate, audit)))


def _there(found: Any) -> Any:
    if found is None:
        raise RefusedError(404, "There is no such audit.")
    return found
