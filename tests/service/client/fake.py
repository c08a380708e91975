"""A small server that does what a test asks of it: answer, hang, close, fail, talk nonsense."""

from __future__ import annotations

import json
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

AUDIT = "0123456789abcdef"
TOKEN = "eh_12345678_secret"


class Fake:
    """`how` is what it does to the next requests, by the end of their path ("" is any); a request that hangs
    does so until the server is closed. `received` has all that was said, `done` what took effect."""

    def __init__(self, users=("ann", "ben")):
        self.users, self.how, self.opted_out, self.ended = list(users), {}, [], False
        self.lock, self.let_go, self.came = threading.Lock(), threading.Event(), threading.Condition()
        self.received, self.done, self.answers, self.results = [], [], {}, {}
        fake = self

        class Handler(_Handler):
            server_is = fake

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.port = self.http.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.thread = threading.Thread(target=self.http.serve_forever, args=(0.01,), daemon=True)
        self.thread.start()

    def close(self):
        self.let_go.set()
        self.http.shutdown()
        self.http.server_close()

    def said(self, ending):
        """What was said to such a path, in order: key, body, headers."""
        with self.lock:
            return [
                (key, body, headers) for path, key, body, headers in self.received if path.endswith(ending)
            ]

    def wait_for(self, ending, count, seconds=30):
        with self.came:
            assert self.came.wait_for(lambda: len(self.said(ending)) >= count, seconds), self.received

    def take(self, path, key, body, headers):
        with self.came:
            with self.lock:
                self.received.append((path, key, body, headers))
            self.came.notify_all()

    def answer(self, path, key, body):
        """As the real one: a key that was answered gets the same answer, and nothing else happens."""
        if path.endswith("/targets"):
            users = [] if self.ended else [u for u in self.users if u not in self.opted_out]
            return 200, {"targets": users, "paused": False, "ended": self.ended}
        with self.lock:
            known = self.answers.get(key)
            if known is not None:
                assert known[0] == (path, body), "a key was used for another request"
                return known[1]
            found = self._answer(path, body)
            self.answers[key] = ((path, body), found)
            return found

    def _answer(self, path, body):
        if path.endswith("/assignments"):
            id_ = f"id-{len(self.answers)}"
            other = next(u for u in self.users if u != body["user"])
            return 201, {"id": id_, "policy_of": other, "deadline": 2e9, "reason": "assigned"}
        if path.endswith("/opt-outs"):
            self.opted_out.append(body["user"])
            return 200, {"opted_out": True}
        results = []
        for one in body:
            id_ = one if isinstance(one, str) else one["assignment"]
            result = self.results.get(id_, {"status": 200, "counted": True})
            if result["status"] == 200:
                self.done.append(("shown", id_) if isinstance(one, str) else ("reward", id_, one["reward"]))
            results.append(result)
        return 200, {"results": results}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_is: Fake

    def log_message(self, *_):
        pass

    def do_GET(self):
        self._do()

    def do_POST(self):
        self._do()

    def _do(self):
        fake, body = self.server_is, self.rfile.read(int(self.headers.get("content-length") or 0))
        key = self.headers.get("idempotency-key")
        said = json.loads(body) if body else None
        fake.take(self.path, key, said, dict(self.headers))
        how = next((how for ending, how in fake.how.items() if self.path.endswith(ending)), "answer")
        getattr(self, f"_{how}")(key, said)

    def _send(self, status, body, **headers):
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _answer(self, key, said):
        fake = self.server_is
        status, body = fake.answer(self.path, key, said)
        if self.path.endswith("/targets"):
            tag = f'"{"-".join(body["targets"])}"'  # of what is answered, not of what it is by now
            if self.headers.get("if-none-match") == tag:
                return self._send(304, b"", etag=tag)
            return self._send(200, body, etag=tag)
        return self._send(status, body)

    def _hang(self, *_):
        self.server_is.let_go.wait()
        self.close_connection = True

    def _drip(self, *_):
        """Never silent for long, and never done."""
        self.wfile.write(b"HTTP/1.1 200 OK\r\nx: ")
        while not self.server_is.let_go.wait(0.01):
            try:
                self.wfile.write(b"x")
            except OSError:
                break
        self.close_connection = True

    def _close(self, *_):
        self.close_connection = True

    def _lose(self, key, said):
        """Do it, and let nobody know."""
        self.server_is.answer(self.path, key, said)
        self.close_connection = True

    def _fail(self, *_):
        self._send(500, {"error": "A fault."})

    def _forbid(self, *_):
        self._send(401, {"error": "Who are you?"})

    def _refuse(self, *_):
        self._send(422, {"error": "No."})

    def _early(self, *_):
        self._send(425, {"error": "The people of this audit have not been named yet."})

    def _unknown(self, *_):
        self._send(404, {"error": "There is no such audit."})

    def _elsewhere(self, *_):
        """A proxy that has lost its way."""
        self._send(404, b"<html>default backend - 404</html>")

    def _refuse_many(self, key, said):
        if len(said) > 1:
            self._send(422, {"error": "One of them is wrong."})
        else:
            self._answer(key, said)

    def _garbage(self, *_):
        self.wfile.write(b"\x00\x01 what is this?\r\n\r\n")
        self.close_connection = True

    def _not_json(self, *_):
        self._send(201, b"<html>Welcome to the proxy</html>")

    def _other_json(self, *_):
        self._send(201, {"id": 7, "policy_of": None, "deadline": "soon", "reason": []})

    def _huge(self, *_):
        """An answer that could be read, were it not so long."""
        with suppress(OSError):
            self._send(200, {"id": None, "policy_of": "ann", "reason": "x" * (4 << 20)})
        self.close_connection = True
