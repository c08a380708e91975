"""A service in a thread of this process, asked over HTTP as a browser or a program would."""

from __future__ import annotations

import itertools
import socket
import threading
import time
from contextlib import contextmanager
from unittest.mock import patch

import httpx
import uvicorn

from evenhand.service.access import tokens
from evenhand.service.expected import Expectations
from evenhand.service.http.app import make_app
from evenhand.store.connecting import open_store

USERS = [f"user-{number}@example.org" for number in range(4)]
PAGE = {"accept": "text/html,application/xhtml+xml"}


class Served:
    def __init__(self, client, app, store):
        self.client, self.store = client, store
        self.running = app.state.running
        self._keys = itertools.count()
        self.admin, self.reader = self.token("admin"), self.token("read")

    def token(self, *scopes, audits=None):
        """A new one; the server looks for tokens that it does not know now and then."""
        made = tokens.make(self.store, "another", scopes, audits)[1]
        while self.client.get("/nothing", headers={"authorization": f"Bearer {made}"}).status_code in (
            401,
            429,
        ):
            time.sleep(0.1)
        return made

    def ask(self, method, path, body=None, token=None):
        headers = {
            "authorization": f"Bearer {token or self.admin}",
            "idempotency-key": f"k{next(self._keys)}",
        }
        return self.client.request(method, path, json=body, headers=headers)

    def page(self, path, token=None):
        """As a browser that is let in asks for it."""
        headers = PAGE | {"authorization": f"Bearer {token or self.reader}"}
        return self.client.get(path, headers=headers, follow_redirects=False)

    def audit(self, **asked):
        told = {"users": USERS, "criterion": "exact", "deadline_s": 3600.0, "reward": "a <b>click</b>"}
        told |= {"activation": "on_assign", "epsilon": 0.2, "alpha": 0.5} | asked
        made = self.ask("POST", "/api/audits", told)
        assert made.status_code == 201, made.text
        return made.json()["id"]

    def visit(self, audit, user, reward=None):
        """Serve somebody, and say what came of it: a number, or a function of whose policy it was."""
        made = self.ask("POST", f"/api/audits/{audit}/assignments", {"user": user}).json()
        if made["id"] is not None and reward is not None:
            value = reward(made["policy_of"]) if callable(reward) else reward
            said = self.ask("POST", f"/api/assignments/{made['id']}/reward", {"reward": value})
            assert said.status_code == 200, said.text
        return made


async def _at_once(self, key):
    """What to expect, without the seconds that it takes to simulate it."""
    self._known[key] = {"nobody_better_off": 4_077, "another_is_better": 1_108, "own_is_better": None}
    del self._running[key]


@contextmanager
def served(folder):
    with patch.object(Expectations, "_compute", _at_once):
        yield from _served(folder)


def _served(folder):
    store = open_store(str(folder / "s.db"))
    app = make_app(store)
    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, lifespan="on", timeout_graceful_shutdown=5))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    address = f"http://127.0.0.1:{listening.getsockname()[1]}"
    try:
        with httpx.Client(base_url=address, timeout=120) as client:
            until = time.monotonic() + 120
            while client.get("/readyz").status_code != 200:
                assert time.monotonic() < until, "the service does not get ready"
                time.sleep(0.05)
            yield Served(client, app, store)
    finally:
        server.should_exit = True
        thread.join(30)
        listening.close()
