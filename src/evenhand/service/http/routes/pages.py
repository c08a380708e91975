"""Routes of pages: they only read, and each has a twin in JSON."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections.abc import AsyncGenerator, Mapping
from contextlib import suppress
from typing import Any, Literal
from urllib.parse import unquote

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse, StreamingResponse
from starlette.types import Receive, Scope, Send

from evenhand.service.http.asking import AuditId, needs
from evenhand.service.http.routes.monitors import MonitorName, name_of
from evenhand.service.http.running import running
from evenhand.service.log.answers import RefusedError
from evenhand.service.showing import monitors as shown
from evenhand.service.showing import pages
from evenhand.service.showing.live import LASTS_S
from evenhand.service.showing.overview import told as overview_told
from evenhand.service.showing.printer import Printed

router = APIRouter(tags=["pages"], dependencies=[needs("read")], include_in_schema=False)
_NO_MONITOR = "There is no such monitor."
_NOT_KEPT = {"cache-control": "no-store"}
_PATIENCE_S = 15.0  # for a viewer who reads slowly
_FOR_GOOD = {"cache-control": "private, max-age=31536000, immutable"}
_FILE = re.compile(r"([1-9][0-9]{0,3})(?:-(wide|narrow)-(light|dark)\.svg|\.csv)")


class Moving(StreamingResponse):
    """Events for a viewer, who is given up where they read nothing: what is sent would wait for ever, and
    keep their place."""

    def __init__(self, events: AsyncGenerator[bytes], headers: Mapping[str, str]) -> None:
        super().__init__(events, media_type="text/event-stream", headers=headers)
        self._events = events

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(LASTS_S + _PATIENCE_S):
                    await super().__call__(scope, receive, send)
        finally:
            await self._events.aclose()


@router.get("/overview.json")
async def overview_json(request: Request) -> JSONResponse:
    return JSONResponse(await _overview(request), headers=_NOT_KEPT)


@router.get("/")
async def overview(request: Request) -> HTMLResponse:
    """All that the caller may see: audits, monitors, open flags."""
    told = await _overview(request)
    if told["monitors"]:
        running(request).printer.get_ready()
    return _page(await asyncio.to_thread(pages.overview, told))


async def _overview(request: Request) -> dict[str, Any]:
    here, token = running(request), request.state.token
    return await asyncio.to_thread(overview_told, here.log, here.store, token)


@router.get("/audits/{audit}.json")
async def audit_json(request: Request, audit: AuditId) -> JSONResponse:
    drawn = await running(request).live.now(audit)
    return JSONResponse(drawn.view, headers=_NOT_KEPT)


@router.get("/audits/{audit}")
async def audit(request: Request, audit: AuditId) -> HTMLResponse:
    """An audit, which moves while it runs."""
    return _page(pages.audit(await running(request).live.now(audit)))


@router.get("/audits/{audit}/live")
async def moving(request: Request, audit: AuditId, after: str | None = None) -> Response:
    """What moves on that page, whenever it does."""
    live = running(request).live
    if live.full:
        raise RefusedError(503, "Too many people watch; load the page again later.")
    await live.now(audit)  # an audit that is not there is refused before anything is sent
    last = request.headers.get("last-event-id") or after
    headers = _NOT_KEPT | {"x-accel-buffering": "no"}
    return Moving(live.events(audit, last), headers)


@router.get("/monitors/{name:path}.json")
async def monitor_json(request: Request, name: MonitorName) -> JSONResponse:
    printed = await _monitor(request, name)
    if printed is not None:
        return JSONResponse(printed.data, headers=_NOT_KEPT)
    return await report_json(request, name)


@router.get("/monitors/{name:path}")
async def monitor(request: Request, name: MonitorName) -> HTMLResponse:
    """A monitor that is followed in this store; else the result that was put under the name."""
    printed = await _monitor(request, name) or await _report(request, name)
    return _page(_there(printed).page)


@router.get("/reports/{name:path}.json")
async def report_json(request: Request, name: MonitorName) -> JSONResponse:
    text = await asyncio.to_thread(shown.latest, running(request).store, name)
    if text is None:
        raise RefusedError(404, _NO_MONITOR)
    return JSONResponse(json.loads(text), headers=_NOT_KEPT)


@router.get("/reports/{name:path}")
async def report(request: Request, name: MonitorName) -> HTMLResponse:
    """The latest result under this name."""
    return _page(_there(await _report(request, name)).page)


@router.get("/pictures/{kind}/{version}/{file}")
async def picture(
    request: Request, kind: Literal["monitors", "reports"], version: str, file: str
) -> Response:
    """A picture of a page that was printed, or its data; the name of the monitor is the query."""
    name = await name_of(request, unquote(request.url.query))
    asked = _FILE.fullmatch(file)
    printer = running(request).printer
    printed = printer.kept(version)
    if printed is None:  # forgotten meanwhile, or printed by another server
        printed = await (_monitor if kind == "monitors" else _report)(request, name)
    if asked is None or printed is None or printed.version != version:
        raise RefusedError(404, "There is no such picture any more; load the page again.")
    number, width, scheme = int(asked[1]), asked[2], asked[3]
    if number > len(printed.pictures):
        raise RefusedError(404, "There is no such picture.")
    if width is None:
        rows = "\ufeff" + printed.pictures[number - 1]["rows"]
        return Response(rows, media_type="text/csv", headers=_FOR_GOOD)
    drawn = await printer.picture(printed, number, width, scheme == "dark")
    return Response(drawn, media_type="image/svg+xml", headers=_FOR_GOOD)


async def _monitor(request: Request, name: str) -> Printed | None:
    here = running(request)
    version = await asyncio.to_thread(shown.version, here.store, name)
    if version is None:
        return None
    address = here.store.engine.url.render_as_string(hide_password=False)
    return await here.printer.monitor(name, version, address)


async def _report(request: Request, name: str) -> Printed | None:
    here = running(request)
    text = await asyncio.to_thread(shown.latest, here.store, name)
    if text is None:
        return None
    version = hashlib.sha256(f"{name}\n{text}".encode()).hexdigest()[:32]
    return await here.printer.report(name, version, text)


def _there(printed: Printed | None) -> Printed:
    if printed is None:
        raise RefusedError(404, _NO_MONITOR)
    return printed


def _page(text: str) -> HTMLResponse:
    return HTMLResponse(text, headers=_NOT_KEPT)
