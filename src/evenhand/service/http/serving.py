"""Run the service until it is told to stop; what is under way is answered first."""

from __future__ import annotations

import logging

import uvicorn

from evenhand.service.http import journal
from evenhand.service.http.app import RATE, make_app
from evenhand.service.http.connections import Connection
from evenhand.store.connecting import Store

_GRACE_S = 10  # for answers under way when the server is told to stop


def serve(store: Store, host: str, port: int, *, verbose: bool = False, rate: float = RATE) -> None:
    """Blocks. On SIGTERM or SIGINT no new connection is taken, and what waits is written and answered."""
    journal.to_stdout(logging.DEBUG if verbose else logging.INFO)
    app = make_app(store, rate=rate)
    config = uvicorn.Config(
        app, host=host, port=port, loop="uvloop", http=Connection, lifespan="on", access_log=False,
        log_config=None, timeout_graceful_shutdown=_GRACE_S, server_header=False, backlog=2048,
        ws="none",
    )  # fmt: skip
    uvicorn.Server(config).run()
