"""The application: routes behind the door, and errors as one sentence."""

from __future__ import annotations

import asyncio
import gc
import logging
import traceback
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from evenhand.errors import EvenhandError
from evenhand.service.access.known import Access
from evenhand.service.access.limits import Rate
from evenhand.service.http import audits, health, journal, monitors, visits
from evenhand.service.http.bodies import sentence
from evenhand.service.http.door import Door
from evenhand.service.http.metrics import Metrics
from evenhand.service.http.running import Running
from evenhand.service.log import Log
from evenhand.service.log.answers import UNAVAILABLE, RefusedError
from evenhand.service.log.folded import online_auditors, warm_up
from evenhand.store.connecting import Store

RATE = 2_000.0  # requests a second and token
_STRANGERS = 5.0  # a second and address
_AGAIN_S = 0.5  # between two looks at a store that is away while the server starts


def make_app(store: Store, log: Log | None = None, rate: float = RATE) -> FastAPI:
    """The service on this store. It is closed with the application, and so is the log."""
    running = Running(store, log or Log(store), Access(store), Metrics(), Rate(rate), Rate(_STRANGERS))

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        tasks = [asyncio.create_task(_warm_up(running)), asyncio.create_task(running.access.keep_fresh())]
        try:
            yield
        finally:
            running.stopping.set()
            for task in tasks:
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
            await asyncio.to_thread(running.log.close)
            running.store.close()
            journal.write("stopped")

    app = FastAPI(
        title="Evenhand", docs_url=None, redoc_url=None, lifespan=lifespan, openapi_url="/openapi.json",
        description="Audits of a live system: which policy serves a user now, and what came of it.",
    )  # fmt: skip
    app.state.running = running
    for module in (visits, audits, monitors, health):
        app.include_router(module.router)
    app.add_exception_handler(RefusedError, _refused)
    app.add_exception_handler(EvenhandError, _store_is_away)
    app.add_exception_handler(RequestValidationError, _not_understood)
    app.add_exception_handler(HTTPException, _plain)
    app.add_exception_handler(Exception, _our_fault)
    app.add_middleware(Door, running=running)
    return app


async def _warm_up(running: Running) -> None:
    """Compile what is compiled at first use; then let the collector leave alone what stays for good."""
    while not await running.access.look():  # nobody would be known
        await asyncio.sleep(_AGAIN_S)
    await asyncio.to_thread(warm_up, online_auditors())
    gc.collect()
    gc.freeze()
    running.is_ready = True
    journal.write("ready", store=running.store.name)


async def _refused(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RefusedError)
    return JSONResponse(error.answer.body, error.answer.status)


async def _store_is_away(_: Request, error: Exception) -> JSONResponse:
    journal.write("store away", logging.ERROR, error=type(error).__name__)
    return JSONResponse(UNAVAILABLE.body, UNAVAILABLE.status)


async def _not_understood(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    return JSONResponse({"error": sentence(error.errors())}, 422)


async def _plain(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    said = {404: "There is nothing here.", 405: "This address takes no such request."}
    return JSONResponse(
        {"error": said.get(error.status_code, error.detail)}, error.status_code, error.headers
    )


async def _our_fault(_: Request, error: Exception) -> JSONResponse:
    """Which kind of error, and where: what it says may have somebody's id in it."""
    last = traceback.extract_tb(error.__traceback__)[-1:]
    where = [f"{frame.filename.rpartition('evenhand/')[2]}:{frame.lineno}" for frame in last]
    journal.write("fault", logging.CRITICAL, error=type(error).__name__, where=where)
    return JSONResponse({"error": "This is a fault of Evenhand; nothing more is known here."}, 500)
