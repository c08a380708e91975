"""Run the service until it is told to stop; what is under way is answered first."""

from __future__ import annotations

import logging
import resource
import signal
from collections.abc import Sequence
from socket import socket

import uvicorn
from fastapi import FastAPI

from evenhand.errors import InputError
from evenhand.service.http import journal
from evenhand.service.http.app import RATE, make_app
from evenhand.service.http.connections import Connection
from evenhand.service.http.running import Running
from evenhand.store.connecting import Store

SILENT_S = 20.0  # for an answer of the database, before it is away
_GRACE_S = 10  # for answers under way when the server is told to stop
_FILES = 65_536
_KEPT_S = 75  # a connection that is not used; longer than clients and proxies keep theirs


def serve(
    store: Store,
    host: str,
    port: int,
    *,
    verbose: bool = False,
    rate: float = RATE,
    proxies: Sequence[str] = (),
) -> None:
    """Blocks. On SIGTERM, SIGINT or SIGHUP no new connection is taken, and what waits is written and
    answered. A proxy on this machine, or at one of these addresses, is believed about who asks: else all who
    come through it would share what one stranger may ask.
    """
    _allow_many_connections()
    journal.to_stdout(logging.DEBUG if verbose else logging.INFO)
    logging.getLogger("uvicorn.error").addFilter(is_no_traceback)
    app = make_app(store, rate=rate)
    config = uvicorn.Config(
        app, host=host, port=port, loop="uvloop", http=Connection, lifespan="on", access_log=False,
        log_config=None, timeout_graceful_shutdown=_GRACE_S, server_header=False, backlog=2048,
        ws="none", timeout_keep_alive=_KEPT_S, forwarded_allow_ips=["127.0.0.1", "::1", *proxies],
    )  # fmt: skip
    server = _Server(config, app)
    if signal.getsignal(signal.SIGHUP) is signal.SIG_DFL:  # the terminal was closed; `nohup` ignores that
        signal.signal(signal.SIGHUP, lambda *_: server.handle_exit(signal.SIGTERM, None))
    try:
        server.run()
    except SystemExit:
        raise InputError(
            f"The server cannot listen on {host}, port {port} (its journal says why); is another one there? "
            "Give it an address of this machine and a port that is free."
        ) from None


def _allow_many_connections() -> None:
    """As many files as the system lets this process have; what it has by itself is often too few."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _FILES if hard == resource.RLIM_INFINITY else min(_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def is_no_traceback(record: logging.LogRecord) -> bool:
    """What an error says may have somebody's id in it; the journal has its kind and place."""
    return record.exc_info is None


class _Server(uvicorn.Server):
    """Tells those who watch before it waits for them: they would watch for ever."""

    def __init__(self, config: uvicorn.Config, app: FastAPI) -> None:
        super().__init__(config)
        self._running: Running = app.state.running

    async def shutdown(self, sockets: list[socket] | None = None) -> None:
        self._running.stopping.set()
        await super().shutdown(sockets)
