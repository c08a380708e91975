"""The application: routes behind the door, and errors as one sentence."""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from importlib.metadata import version

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from evenhand.errors import EvenhandError
from evenhand.service.access.known import Access
from evenhand.service.access.limits import Rate
from evenhand.service.http import journal
from evenhand.service.http.describing import described
from evenhand.service.http.door import Door
from evenhand.service.http.errors import error_response
from evenhand.service.http.metrics import Metrics
from evenhand.service.http.reading import sentence
from evenhand.service.http.routes import audits, entering, health, managing, monitors, pages, visits
from evenhand.service.http.running import Running
from evenhand.service.log import Log
from evenhand.service.log.answers import UNAVAILABLE, RefusedError
from evenhand.service.log.folded import online_auditors, warm_up
from evenhand.store.connecting import Store

_ABOUT = (
    "Audits of a live system: which policy serves a user now, and what came of it. Bodies are JSON in UTF-8. "
    'Errors are answered as {"error": a sentence}.'
)
RATE = 2_000.0  # requests a second and token
_STRANGERS = 5.0  # a second and address
_PUBLIC = 100.0  # of what anybody may ask, such as /healthz, a second and address
_AGAIN_S = 0.5  # between two looks at a store that is away while the server starts


def make_app(store: Store, log: Log | None = None, rate: float = RATE) -> FastAPI:
    """The service on this store. It is closed with the application, and so is the log."""
    rates = Rate(rate), Rate(_STRANGERS), Rate(_PUBLIC)
    running = Running(store, log or Log(store), Access(store), Metrics(), *rates)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        keeping = running.access.keep_fresh(journal.fault)
        tasks = [asyncio.create_task(_warm_up(running)), asyncio.create_task(keeping)]
        try:
            yield
        finally:
            running.stopping.set()
            for task in tasks:
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
            await running.printer.close()
            await asyncio.to_thread(running.log.close)
            running.store.close()
            journal.write("stopped")

    app = FastAPI(
        title="Evenhand", docs_url=None, redoc_url=None, lifespan=lifespan, openapi_url="/openapi.json",
        version=version("evenhand"), redirect_slashes=False, description=_ABOUT,
    )  # fmt: skip
    app.state.running = running
    for module in (visits, audits, managing, monitors, health, entering, pages):
        # As they are, and not as a router within a router: so they can be listed, by tests too.
        app.router.routes.extend(module.router.routes)
    app.openapi = partial(described, app)  # type: ignore[method-assign]
    app.add_exception_handler(RefusedError, _refused)
    app.add_exception_handler(EvenhandError, _store_is_away)
    app.add_exception_handler(RequestValidationError, _not_understood)
    app.add_exception_handler(HTTPException, _plain)
    app.add_middleware(Door, running=running)
    return app


async def _warm_up(running: Running) -> None:
    """Compile what is compiled at first use; then let the collector leave alone what stays for good."""
    try:
        while not await running.access.look():  # nobody would be known
            await asyncio.sleep(_AGAIN_S)
        await asyncio.to_thread(warm_up, online_auditors())
    except Exception as error:  # it stays not ready, and says why
        journal.fault(error)
        return
    gc.collect()
    gc.freeze()
    running.is_ready = True
    journal.write("ready", store=running.store.name)


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, RefusedError)
    return error_response(request, error.answer.status, error.answer.body["error"])


async def _store_is_away(request: Request, error: Exception) -> Response:
    journal.write("store away", logging.ERROR, error=type(error).__name__)
    return error_response(request, UNAVAILABLE.status, UNAVAILABLE.body["error"])


async def _not_understood(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    return error_response(request, 422, sentence(error.errors()))


async def _plain(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    said = {404: "There is nothing here.", 405: "This address takes no such request."}
    headers = {name.lower(): value for name, value in (error.headers or {}).items()}
    if error.status_code == 405:  # of all routes of this address; Starlette names those of one
        here = [one for one in request.app.routes if one.path_regex.match(request.scope["path"])]
        headers["allow"] = ", ".join(
            sorted({way for one in here for way in getattr(one, "methods", ()) or ()})
        )
    told = said.get(error.status_code, error.detail)
    return error_response(request, error.status_code, told, headers)
