"""Those who are told, on this machine: servers that fail as they are asked to."""

from __future__ import annotations

import json
import re
import socket
import socketserver
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

SECRET = "a-secret-that-nobody-may-ever-read-in-a-log"
_DOCS = Path(__file__).parents[3] / "docs" / "howto" / "alerts.md"


class Clock:
    """A time that passes only when it is told to."""

    def __init__(self) -> None:
        self.now = 1_767_600_000.0

    def __call__(self) -> float:
        return self.now


class Receiver:
    """A webhook: answers as `answers` says (a status, "hang", "drip" or "hang up"), the last one for ever."""

    def __init__(self, clock: Clock | None = None) -> None:
        self.answers: list[Any] = [204]
        self.got: list[dict[str, Any]] = []  # what it took, in order, repeats and all
        self.refused: list[str] = []  # of which the signature was wrong
        self.asked = 0
        self.retry_after = "600"
        self.clock = clock or time.time
        self.ended = threading.Event()
        self.url = ""

    @property
    def shown(self) -> list[str]:
        """Ids without repeats, as a receiver that drops them shows them."""
        return list(dict.fromkeys(one["id"] for one in self.got))

    def take(self, handler: BaseHTTPRequestHandler) -> None:
        length = int(handler.headers["content-length"])
        body = handler.rfile.read(length)
        if len(body) < length:  # whoever sent it was killed meanwhile, and sends all of it again
            return
        self.asked += 1
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if not documented_check()(handler.headers, body, SECRET, self.clock()):
            self.refused.append(handler.headers["webhook-id"])
            answer = 401
        if answer == "hang":
            self.ended.wait(20)
            return
        if answer == "drip":
            for _ in range(100):
                handler.wfile.write(b"H")
                if self.ended.wait(0.2):
                    return
        if answer == "hang up":
            handler.connection.shutdown(socket.SHUT_RDWR)
            return
        if answer in (200, 204):
            self.got.append(json.loads(body))
        handler.send_response(answer)
        if answer in (301, 307):
            handler.send_header("location", f"{self.url}elsewhere")
        if answer in (429, 503):
            handler.send_header("retry-after", self.retry_after)
        handler.send_header("content-length", "0")
        handler.end_headers()


@contextmanager
def receiving(clock: Clock | None = None, port: int = 0) -> Iterator[Receiver]:
    receiver = Receiver(clock)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            with suppress(OSError):  # the sender may have left
                receiver.take(self)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.daemon_threads = True
    receiver.url = f"http://127.0.0.1:{server.server_port}/"
    with _serving(server):
        try:
            yield receiver
        finally:
            receiver.ended.set()


class MailServer:
    """Takes mail for `takes`; other addresses get the code that `refuses` has, or it hangs."""

    def __init__(self) -> None:
        self.got: list[str] = []
        self.refuses: dict[str, int] = {}  # by what it is asked: "MAIL", "DATA", or an address
        self.hangs = False
        self.ended = threading.Event()
        self.port = 0


@contextmanager
def mail_server() -> Iterator[MailServer]:
    server_of = MailServer()

    class Handler(socketserver.StreamRequestHandler):
        def say(self, text: str) -> None:
            self.wfile.write(f"{text}\r\n".encode())

        def handle(self) -> None:
            if server_of.hangs:
                server_of.ended.wait(20)
                return
            self.say("220 here")
            while asked := self.rfile.readline().decode().strip():
                word = asked.split()[0].upper()
                address = re.search(r"TO:<(.*?)>", asked)
                code = server_of.refuses.get(address[1] if address else word)
                if code is not None:
                    self.say(f"{code} no, and here is your password: hunter2")
                elif word == "DATA":
                    self.say("354 go on")
                    lines = list(iter(lambda: self.rfile.readline().decode(), ".\r\n"))
                    server_of.got.append("".join(lines))
                    self.say("250 taken")
                elif word == "QUIT":
                    self.say("221 bye")
                    return
                else:
                    self.say("250 fine")

    server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server_of.port = server.server_address[1]
    with _serving(server):
        try:
            yield server_of
        finally:
            server_of.ended.set()


@contextmanager
def _serving(server: socketserver.BaseServer) -> Iterator[None]:
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def documented_check() -> Any:
    """The check of a signature as docs/howto/alerts.md has it."""
    (code,) = re.findall(r"```python\n(.*?)```", _DOCS.read_text(), re.DOTALL)
    names: dict[str, Any] = {}
    exec(code, names)
    return names["is_from_evenhand"]
