"""A server that runs: what it writes, and how it ends while somebody watches."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time

import httpx
import pytest

from evenhand.service.access import tokens
from evenhand.store.connecting import open_store

# What a fault says is somebody's name; the rest is the service as it is.
FAULTY = """
import sys
from evenhand.service.http import serving
from evenhand.service.log.reading import Reader
from evenhand.store.connecting import open_store

def overview(self):
    raise ValueError("ann@example.org")

Reader.overview = overview
serving.serve(open_store(sys.argv[1]), "127.0.0.1", int(sys.argv[2]))
"""


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as one:
        return one.getsockname()[1]


@pytest.mark.slow
@pytest.mark.parametrize("told", [signal.SIGTERM, signal.SIGHUP])
def test_a_server_ends_though_somebody_watches_and_says_nothing_of_anybody(tmp_path, told):
    store = open_store(str(tmp_path / "s.db"))
    token = tokens.make(store, "admin", ["admin"])[1]
    store.close()
    port = free_port()
    command = [sys.executable, "-c", FAULTY, str(tmp_path / "s.db"), str(port)]
    with (tmp_path / "said").open("w") as output:
        server = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
    try:
        headers = {"authorization": f"Bearer {token}", "idempotency-key": "k"}
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", headers=headers, timeout=60) as client:
            until = time.monotonic() + 120
            while not _is_ready(client):
                assert time.monotonic() < until
                assert server.poll() is None, (tmp_path / "said").read_text()
                time.sleep(0.1)
            asked = {"users": ["a", "b"], "criterion": "exact", "deadline_s": 60.0, "reward": "a click"}
            audit = client.post("/api/audits", json=asked).json()["id"]
            faulty = {**headers, "connection": "close"}  # which a fault closes in any case
            assert client.get("/api/audits", headers=faulty).status_code == 500
            with client.stream("GET", f"/audits/{audit}/live") as watched:
                parts = watched.iter_text()
                assert next(parts).startswith("retry")
                killed = threading.Timer(0.5, os.kill, (server.pid, told))
                killed.start()
                began = time.monotonic()
                list(parts)  # until the server ends it
            assert server.wait(60) == -signal.SIGTERM
            # It would be cut off after 10 seconds, and the stream itself ends after 60.
            assert time.monotonic() - began < 9
    finally:
        server.kill()
        server.wait()
    said = (tmp_path / "said").read_text()
    assert '"what": "stopped"' in said
    assert "ValueError" in said
    assert "ann@example.org" not in said


@pytest.mark.slow
def test_a_server_that_cannot_listen_does_not_end_as_if_all_were_well(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        command = [
            sys.executable,
            "-m",
            "evenhand",
            "serve",
            "--store",
            str(tmp_path / "s.db"),
            "--port",
            port,
        ]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 2
    assert done.stderr.startswith(f"Error: The server cannot listen on 127.0.0.1, port {port}")
    assert "address already in use" in done.stdout


def _is_ready(client):
    try:
        return client.get("/readyz").status_code == 200
    except httpx.HTTPError:
        return False
