"""Routes for whoever runs the server: does it live, can it be asked, what does it do."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse, PlainTextResponse

from evenhand.errors import EvenhandError
from evenhand.service.http import told
from evenhand.service.http.running import running
from evenhand.store.migrating import NewerSchemaError, refuse_newer

router = APIRouter(tags=["health"])
_PATIENCE_S = 2.0


@router.get("/healthz", responses={200: {"model": told.Lives}, 503: {"model": told.Error}})
async def healthz(request: Request) -> JSONResponse:
    """Whether the process lives, and the thread that writes; without it only a restart helps."""
    if not running(request).log.writer.lives:
        return JSONResponse({"error": "The thread that writes has ended; start the server again."}, 503)
    return JSONResponse({"ok": True})


@router.get("/readyz", responses={200: {"model": told.Ready}, 503: {"model": told.NotReady}})
async def readyz(request: Request) -> JSONResponse:
    """Whether it has warmed up, and the store can be reached and written."""
    here = running(request)
    if not here.is_ready or here.stopping.is_set():
        return JSONResponse({"ready": False, "error": "The server is starting or stopping."}, 503)

    def reach() -> None:
        with here.store.reading() as connection:
            refuse_newer(connection, here.store.name)

    try:
        await asyncio.wait_for(asyncio.to_thread(reach), _PATIENCE_S)
    except NewerSchemaError:
        said = "A newer version of Evenhand changed the store; this server writes nothing more."
        return JSONResponse({"ready": False, "error": said}, 503)
    except (EvenhandError, TimeoutError):
        return JSONResponse({"ready": False, "error": "The store cannot be reached."}, 503)
    return JSONResponse({"ready": True, "clock_trusted": here.log.clock.trusted})


@router.get("/metrics", response_class=PlainTextResponse)
async def metrics(request: Request) -> Response:
    """How much is asked, and how long answers take, for Prometheus."""
    here = running(request)
    here.metrics.waiting.set(here.log.writer.waiting)
    here.metrics.commits.set(here.log.writer.commits)
    here.metrics.trusted.set(here.log.clock.trusted)
    return Response(here.metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")
