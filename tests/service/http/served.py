"""A server of the tests' own in a thread, with clocks that stand still until they are told."""

from __future__ import annotations

import itertools
import socket
import threading
import time as real

import httpx
import uvicorn

from evenhand.service.access import tokens
from evenhand.service.http.app import make_app
from evenhand.service.http.connections import Connection
from evenhand.service.log import Log
from evenhand.service.log.clock import Clock
from evenhand.store.connecting import open_store

ASKED = {
    "users": ["ann", "ben", "cem"],
    "criterion": "exact",
    "deadline_s": 100.0,
    "grace_s": 10.0,
    "reward": "a click",
    "activation": "on_assign",
    "alpha": 0.5,
    "epsilon": 0.2,
}
NO_EXPECTATION = {
    "steps_a_user": dict.fromkeys(("nobody_better_off", "another_is_better", "own_is_better"), 1)
}


class Served:
    def __init__(self, path, time, rate=1e9, ready=True):
        self.path, self.time, self.rate = path, time, rate
        self.numbers = itertools.count(1)
        self.begin(ready)

    def begin(self, ready=True):
        self.store = open_store(str(self.path))
        clock = Clock(lambda: self.time.monotonic)
        self.log = Log(self.store, clock=clock, wall=lambda: self.time.wall, sweep_s=None)
        self.app = make_app(self.store, self.log, rate=self.rate)
        running = self.app.state.running
        running.strangers, running.public = type(running.rate)(1e9), type(running.rate)(1e9)
        config = uvicorn.Config(
            self.app,
            http=Connection,
            loop="uvloop",
            lifespan="on",
            log_config=None,
            access_log=False,
            ws="none",
        )
        self.server = uvicorn.Server(config)
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.thread = threading.Thread(target=self.server.run, args=([self.socket],), daemon=True)
        self.thread.start()
        self.client = httpx.Client(base_url=self.url, timeout=60)
        self.wait(lambda: self.server.started)
        if ready:
            self.wait(lambda: running.is_ready)

    def wait(self, is_so):
        for _ in range(6000):
            if is_so():
                return
            assert self.thread.is_alive()
            real.sleep(0.01)
        raise AssertionError("it does not come")

    def token(self, *scopes, audits=None):
        """The text of a new token."""
        return tokens.make(self.store, "a test", scopes or ("admin",), audits)[1]

    @property
    def admin(self):
        if not hasattr(self, "_admin"):
            self._admin = self.token("admin")
        return self._admin

    def ask(self, method, path, json=None, *, token=None, key=None, headers=None, **more):
        told = {"authorization": f"Bearer {self.admin if token is None else token}"}
        if method in ("POST", "PUT"):
            told["idempotency-key"] = key or f"key-{next(self.numbers)}"
        found = {"json": json} if json is not None else {}
        return self.client.request(method, path, headers=told | (headers or {}), **found, **more)

    def post(self, path, json=None, **more):
        return self.ask("POST", path, json, **more)

    def get(self, path, **more):
        return self.ask("GET", path, **more)

    def audit(self, **asked):
        made = self.post("/api/audits", ASKED | asked)
        assert made.status_code == 201, made.text
        return made.json()["id"]

    def raw(self, said, shut=False, patience=10.0):
        """What comes back on a connection of its own, until the server closes it or says no more."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=patience) as there:
            there.sendall(said)
            if shut:
                there.shutdown(socket.SHUT_WR)
            found = b""
            try:
                while part := there.recv(65536):
                    found += part
            except (TimeoutError, ConnectionResetError):
                pass
        return found

    def end(self):
        self.client.close()
        self.server.should_exit = True
        self.thread.join(30)
        assert not self.thread.is_alive()

    def again(self):
        self.end()
        self.begin()
