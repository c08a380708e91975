"""Servers that benchmarks start and end, each a process of its own, and what they cost."""

from __future__ import annotations

import http.client
import json
import os
import resource
import secrets
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TextIO

from sqlalchemy import text

from evenhand.service.access import tokens
from evenhand.store.connecting import Store, open_store

USERS = tuple(f"user-{i}" for i in range(40))
_TICKS = os.sysconf("SC_CLK_TCK")
_SERVE = "from evenhand.__main__ import main; main()"


class Server:
    """`evenhand serve` on this store; with `at_once`, so many requests in a transaction at most; with
    `imports_to`, what it imports is written there."""

    def __init__(self, address: str, at_once: int | None = None, imports_to: TextIO | None = None) -> None:
        opened = open_store(address)
        _, self.token = tokens.make(opened, "benchmark", ["admin"])
        opened.close()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        changed = (
            ""
            if at_once is None
            else f"import evenhand.service.log.waiting as w; assert w.AT_ONCE; w.AT_ONCE = {at_once}; "
        )
        told = [] if imports_to is None else ["-X", "importtime"]
        serve = ["serve", "--store", address, "--port", str(self.port), "--rate", "1000000"]
        self.began = time.perf_counter()
        self._process = subprocess.Popen(
            [sys.executable, *told, "-c", changed + _SERVE, *serve],
            stdout=subprocess.DEVNULL,
            stderr=imports_to,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def wait(self) -> float:
        """Until it is ready: the seconds since it was started."""
        while time.perf_counter() - self.began < 120:
            assert self._process.poll() is None, "the server ended"
            try:
                if self.ask("GET", "/readyz")[0] == 200:
                    return time.perf_counter() - self.began
            except OSError:
                pass
            time.sleep(0.01)
        raise TimeoutError("the server does not become ready")

    def ask(self, method: str, path: str, said: Any = None) -> tuple[int, Any]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        headers = {"Authorization": f"Bearer {self.token}", "Idempotency-Key": secrets.token_hex(8)}
        connection.request(method, path, None if said is None else json.dumps(said), headers)
        answer = connection.getresponse()
        raw = answer.read()
        connection.close()
        return answer.status, json.loads(raw)

    def new_audit(self, users: tuple[str, ...] = USERS, **asked: Any) -> str:
        told = {
            "users": users,
            "criterion": "exact",
            "deadline_s": 3600.0,
            "reward": "clicks",
            "budget": 10**8,
        }
        status, body = self.ask(
            "POST", "/api/audits", told | {"activation": "on_assign", "epsilon": 0.01} | asked
        )
        assert status == 201, body
        return str(body["id"])

    def processor_s(self) -> float:
        """Processor time so far, of all its threads."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS

    def waited_s(self) -> float:
        """How long its threads could run and had no core, because others had them."""
        tasks = Path(f"/proc/{self._process.pid}/task").iterdir()
        return sum(int((task / "schedstat").read_text().split()[1]) for task in tasks) / 1e9

    def memory_mb(self) -> float:
        """What it has in memory now."""
        pages = int(Path(f"/proc/{self._process.pid}/statm").read_text().split()[1])
        return pages * resource.getpagesize() / 2**20

    @property
    def pid(self) -> int:
        return self._process.pid


def bare_commits(store: Store, seconds: float) -> float:
    """Durable commits of one small row a second, one after the other."""
    with store.writing() as connection:
        connection.execute(text("CREATE TABLE IF NOT EXISTS bare (at FLOAT)"))
    done, began = 0, time.perf_counter()
    while time.perf_counter() < began + seconds:
        with store.writing() as connection:
            connection.execute(text("INSERT INTO bare VALUES (1)"))
        done += 1
    took = time.perf_counter() - began
    with store.writing() as connection:
        connection.execute(text("DROP TABLE bare"))
    return done / took


class Stores:
    """Addresses of empty stores: files in a folder, or databases beside the one that is named."""

    def __init__(self, folder: Path, beside: str | None) -> None:
        self._folder, self._beside, self._made = folder, beside, list[str]()

    def new(self) -> str:
        if self._beside is None:
            return str(self._folder / f"{secrets.token_hex(4)}.db")
        self._made.append(f"evenhand_{secrets.token_hex(4)}")
        self._sql(f"CREATE DATABASE {self._made[-1]}")
        head, _, query = self._beside.partition("?")
        return f"{head.rpartition('/')[0]}/{self._made[-1]}" + (f"?{query}" if query else "")

    def remove(self) -> None:
        for name in self._made:
            self._sql(f"DROP DATABASE {name} WITH (FORCE)")

    def _sql(self, said: str) -> None:
        import psycopg

        with psycopg.connect(str(self._beside), autocommit=True) as connection:
            connection.execute(said.encode())
