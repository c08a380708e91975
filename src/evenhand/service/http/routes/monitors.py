"""Routes of monitors: results under a name, put here or followed from day to day in this store."""

from __future__ import annotations

import asyncio
import json
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Request
from fastapi.responses import JSONResponse

from evenhand.errors import InputError
from evenhand.service.access.tokens import Token
from evenhand.service.http import told
from evenhand.service.http.asking import Keyed, Responses, answer, needs
from evenhand.service.http.reading import raw_json
from evenhand.service.http.running import running
from evenhand.service.log.answers import RefusedError
from evenhand.service.showing import monitors as shown

router = APIRouter(tags=["monitors"])
_SCHEMA = {"application/json": {"schema": {"type": "object", "description": "the findings.json of a result"}}}
_DOCUMENT = {"requestBody": {"required": True, "content": _SCHEMA}}
_PUBLISHED: Responses = {200: {"model": told.Published}}
_MONITORS: Responses = {200: {"model": list[told.Monitor]}}
_FINDINGS: Responses = {200: {"model": told.Findings}}


async def name_of(request: Request, name: Annotated[str, Path(description="The name of a monitor")]) -> str:
    """Monitors are about all users: a token for some audits does not see them."""
    token: Token = request.state.token
    if token.audits is not None or not shown.is_name(name):
        raise RefusedError(404, "There is no such monitor.")
    return name


MonitorName = Annotated[str, Depends(name_of)]


@router.put(
    "/api/monitors/{name:path}",
    dependencies=[needs("admin")],
    openapi_extra=_DOCUMENT,
    responses=_PUBLISHED,
)
async def put(request: Request, name: MonitorName, key: Keyed) -> JSONResponse:
    """Show this result (the content of a findings.json) under this name from now on."""
    raw = await raw_json(request)
    try:
        document = await asyncio.to_thread(shown.checked, raw)
    except InputError as error:
        raise RefusedError(422, str(error)) from None
    found = await answer(request, running(request).log.publish, key, name, document, audit=None)
    return JSONResponse(found.body, found.status)


@router.get("/api/monitors", dependencies=[needs("read")], responses=_MONITORS)
async def overview(request: Request) -> JSONResponse:
    """All monitors: the last day, flags that are open, and when a result was put under the name."""
    if request.state.token.audits is not None:
        return JSONResponse([])
    found = await asyncio.to_thread(shown.overview, running(request).store)
    return JSONResponse([one._asdict() for one in found])


@router.get("/api/monitors/{name:path}", dependencies=[needs("read")], responses=_FINDINGS)
async def view(request: Request, name: MonitorName) -> JSONResponse:
    """The latest findings under this name, as a findings document."""
    found = await asyncio.to_thread(shown.latest, running(request).store, name)
    if found is None:
        raise RefusedError(404, "There is no such monitor.")
    return JSONResponse(json.loads(found))
