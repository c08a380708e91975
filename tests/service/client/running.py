"""A real server in a process of its own, on a store of its own, that can be killed and begun again."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

from evenhand.service.access import tokens
from evenhand.store.connecting import open_store


class RunningServer:
    def __init__(self, folder):
        self.folder = folder
        self.store = f"sqlite:///{folder}/live.db"
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        store = open_store(self.store)
        self.token = tokens.make(store, "tests", ["admin"])[1]
        self.reader = tokens.make(store, "who looks", ["read"])[1]
        store.close()
        self.start()

    def start(self):
        command = [sys.executable, "-m", "evenhand", "serve", "--store", self.store, "--port", str(self.port)]
        with (self.folder / "server.log").open("ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, env=os.environ)
        ends = time.monotonic() + 300
        while not self._is_ready():
            assert self.process.poll() is None, (self.folder / "server.log").read_text()
            assert time.monotonic() < ends
            time.sleep(0.1)

    def _is_ready(self):
        try:
            return self.ask("GET", "/readyz")["ready"]
        except (urllib.error.URLError, ConnectionError):
            return False

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        self.process.terminate()
        self.process.wait(30)

    def ask(self, method, path, said=None, key=None):
        headers = {"authorization": f"Bearer {self.token}", "content-type": "application/json"}
        if method == "POST":
            headers["idempotency-key"] = key or os.urandom(8).hex()
        body = None if said is None else json.dumps(said).encode()
        request = urllib.request.Request(self.url + path, body, headers, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    def audit(self, **asked):
        """As small as those of `simulate`, so that what to expect of them is computed once."""
        told = {"users": ["ann", "ben", "cem"], "criterion": "exact", "epsilon": 0.2, "alpha": 0.5}
        told |= {"deadline_s": 600.0, "window_s": 500.0, "reward": "a click"}
        return self.ask("POST", "/api/audits", told | asked)["id"]

    def events(self, audit):
        """Of the people, by stream, without their ids. What would tell which policy comes next is its kind
        alone."""
        found = {}
        for stream in (1, 2, 3):
            page = self.ask("GET", f"/api/audits/{audit}/events?after={stream}:2")
            found[stream] = [one["event"] or [one["kind"]] for one in page["events"]]
        return found
