"""Real servers, `evenhand serve` in processes of their own, that start within a second: a nursery imports and
compiles everything once, and each server is forked from it.

    nursery = Nursery()
    server = Server(nursery, "sqlite:///live.db", folder, "a")
    server.start().is_up()
    server.kill()
    nursery.close()
"""

from __future__ import annotations

import contextlib
import gc
import http.client
import importlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

_PATIENCE_S = 60.0


class Nursery:
    """A process that others are forked from. All of them end with it, and it ends with whoever made it."""

    def __init__(self, *folders: Path) -> None:
        """`folders` are where `Server.spoilt` looks for what it names."""
        self._lock = threading.Lock()
        self._process = subprocess.Popen(
            [sys.executable, __file__, *map(str, folders)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._read() == "ready"

    def _read(self) -> Any:
        assert self._process.stdout is not None
        return json.loads(self._process.stdout.readline())

    def _ask(self, **said: Any) -> Any:
        assert self._process.stdin is not None
        with self._lock:
            self._process.stdin.write(json.dumps(said) + "\n")
            self._process.stdin.flush()
            return self._read()

    def begin(self, command: list[str], log: Path, spoilt: str | None = None) -> int:
        """The id of a process that runs `evenhand` with this command."""
        return int(self._ask(command=command, log=str(log), spoilt=spoilt))

    def ended(self, process: int, within_s: float = _PATIENCE_S) -> int:
        """How a process ended, as in `subprocess`; one that does not end by then is killed."""
        return int(self._ask(process=process, within_s=within_s))

    def close(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(_PATIENCE_S)
        self._process.stdout.close()


class Server:
    def __init__(
        self, nursery: Nursery, address: str, folder: Path, name: str, spoilt: str | None = None
    ) -> None:
        """`spoilt` names a function, `module:function`, that breaks something before the server starts."""
        self.nursery, self.address, self.name, self.spoilt = nursery, address, name, spoilt
        self.port, self.log = free_port(), folder / f"{name}.log"
        self.process = 0

    def start(self) -> Server:
        command = ["serve", "--store", self.address, "--port", str(self.port), "--rate", "1000000"]
        self.process = self.nursery.begin(command, self.log, self.spoilt)
        return self

    def is_up(self) -> Server:
        """Wait until it says so."""
        until = time.monotonic() + _PATIENCE_S
        while time.monotonic() < until:
            with contextlib.suppress(OSError, http.client.HTTPException):
                if self.ask("GET", "/readyz")[0] == 200:
                    return self
            time.sleep(0.02)
        raise AssertionError(f"server {self.name} does not get ready: {self.log.read_text()}")

    def ask(
        self,
        method: str,
        path: str,
        token: str = "",
        key: str = "",
        body: Any = None,
        within_s: float = _PATIENCE_S,
    ) -> tuple[int, Any]:
        """Status and body of one request on a connection of its own."""
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=within_s)
        try:
            line.request(method, path, None if body is None else json.dumps(body), headers_of(token, key))
            answer = line.getresponse()
            text = answer.read()
        finally:
            line.close()
        return answer.status, json.loads(text) if text.startswith((b"{", b"[")) else text.decode()

    def kill(self) -> int:
        return self.tell(signal.SIGKILL)

    def stop(self) -> int:
        return self.tell(signal.SIGTERM)

    def tell(self, number: signal.Signals) -> int:
        """Send a signal that ends it; how it ended."""
        os.kill(self.process, number)
        return self.ended()

    def ended(self) -> int:
        return self.nursery.ended(self.process)


def headers_of(token: str, key: str) -> dict[str, str]:
    said = {"authorization": f"Bearer {token}", "idempotency-key": key, "content-type": "application/json"}
    return {name: value for name, value in said.items() if value.removeprefix("Bearer ")}


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


# Within the nursery

_IMPORTED = (
    "evenhand.cli.main", "evenhand.cli.served.commands", "evenhand.service.http.serving", "uvloop",
    "httptools",
    "uvicorn.protocols.http.httptools_impl", "uvicorn.lifespan.on", "sqlalchemy.dialects.sqlite.pysqlite",
    "sqlalchemy.dialects.postgresql.psycopg", "psycopg",
)  # fmt: skip


def _nurse() -> None:
    from evenhand.service.log.folded import online_auditors, warm_up

    for module in _IMPORTED:
        importlib.import_module(module)
    warm_up(online_auditors())
    gc.freeze()
    sys.path.extend(sys.argv[1:])
    children: set[int] = set()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    try:
        print(json.dumps("ready"), flush=True)
        for line in sys.stdin:
            _do(json.loads(line), children)
    finally:
        for child in children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


def _do(said: dict[str, Any], children: set[int]) -> None:
    if "command" in said:
        child = os.fork()
        if child == 0:
            _be(said)
        children.add(child)
        print(child, flush=True)
    else:
        print(_wait(said["process"], said["within_s"]), flush=True)
        children.discard(said["process"])


def _be(said: dict[str, Any]) -> None:
    """The command itself, as the script `evenhand` runs it."""
    from evenhand.__main__ import main

    code = 3
    try:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        with open(os.devnull) as nothing, open(said["log"], "ab") as log:
            os.dup2(nothing.fileno(), 0)
            os.dup2(log.fileno(), 1)
            os.dup2(log.fileno(), 2)
        sys.argv = ["evenhand", *said["command"]]
        if said["spoilt"]:
            module, _, name = said["spoilt"].partition(":")
            getattr(importlib.import_module(module), name)()
        main()
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _wait(process: int, within_s: float) -> int:
    until = time.monotonic() + within_s
    while True:
        found, status = os.waitpid(process, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() > until:
            os.kill(process, signal.SIGKILL)
            until = float("inf")
        time.sleep(0.002)


if __name__ == "__main__":
    _nurse()
