"""Who sends slowly, never, too much or in an odd way: the connection ends, and others are served."""

import json
import socket
import time as real
from contextlib import suppress

import pytest

from evenhand.service.http import connections, door
from service.http.served import Served
from service.log.conftest import Time

PATIENCE = 0.5


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    patched = pytest.MonkeyPatch()
    patched.setattr(connections, "PATIENCE_S", PATIENCE)
    patched.setattr(door, "SLOWEST_S", PATIENCE)
    made = Served(tmp_path_factory.mktemp("slow") / "s.db", Time())
    yield made
    made.end()
    patched.undo()


def connect(served):
    return socket.create_connection(("127.0.0.1", served.port), timeout=20)


def head(served, path, *more, method="POST"):
    lines = [f"{method} {path} HTTP/1.1", "host: x", f"authorization: Bearer {served.admin}", *more]
    return "\r\n".join([*lines, "", ""]).encode()


def until_closed(there):
    found = b""
    try:
        while part := there.recv(65536):
            found += part
    except ConnectionResetError:
        pass
    return found


def trickle(there, said, pause=0.05):
    """Byte by byte, until the other side has had enough or all is sent."""
    try:
        for i in range(len(said)):
            there.sendall(said[i : i + 1])
            real.sleep(pause)
    except OSError:
        return False
    return True


def test_who_says_nothing(served):
    with connect(served) as there:
        assert until_closed(there) == b""


def test_a_head_that_trickles(served):
    with connect(served) as there:
        there.sendall(b"GET /healthz HTTP/1.1\r\n")
        assert not trickle(there, b"x" * 200)


def test_a_second_head_that_trickles(served):
    with connect(served) as there:
        there.sendall(b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n")
        assert b'{"ok":true}' in there.recv(65536)
        assert not trickle(there, b"GET /healthz HTTP/1.1\r\n" + b"x" * 200)


@pytest.mark.parametrize("length", ["content-length: 1000", "transfer-encoding: chunked"])
def test_a_body_that_trickles(served, audit, length):
    with connect(served) as there:
        there.sendall(head(served, f"/api/audits/{audit}/assignments", "idempotency-key: t", length))
        there.setblocking(False)
        found, began = b"", real.monotonic()
        while real.monotonic() < began + 10 and b"error" not in found:
            try:
                there.send(b" " if "length" in length else b"1\r\n \r\n")
                found += there.recv(65536)
            except BlockingIOError:
                real.sleep(0.05)
    assert found.startswith(b"HTTP/1.1 408 ")
    assert json.loads(found.partition(b"\r\n\r\n")[2])["error"].startswith("The body comes too slowly")


def test_a_body_that_never_comes_from_a_stranger(served):
    with connect(served) as there:
        there.sendall(b"POST /api/audits HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n")
        found = until_closed(there)
    assert found.startswith(b"HTTP/1.1 401 ")
    assert found.count(b"HTTP/1.1") == 1


def test_a_stranger_who_sends_for_ever(served):
    with connect(served) as there:
        there.sendall(b"POST /api/audits HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n")
        assert not trickle(there, b"1\r\nx\r\n" * 500, pause=0.005)


@pytest.mark.parametrize("line", [b"GET /" + b"x" * (1 << 20), b"GET / HTTP/1.1\r\nx: " + b"y" * (1 << 20)])
def test_a_head_that_is_too_large(served, line):
    with connect(served) as there:
        with suppress(OSError):
            there.sendall(line)
        assert until_closed(there)[:13] in (b"HTTP/1.1 431 ", b"")  # "" where it was reset while we sent
    assert served.client.get("/healthz").status_code == 200


@pytest.mark.parametrize(
    "said",
    [
        b"\r\n\r\n\0\0\0",
        b"HELLO\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET /\xff HTTP/1.1\r\nhost: x\r\n\r\n",
        b"GET / HTTP/1.1\r\nbad header\r\n\r\n",
        b"GET / HTTP/1.1\r\nx: a\0b\r\n\r\n",
        b"POST / HTTP/1.1\r\ncontent-length: -1\r\n\r\n",
        b"POST / HTTP/1.1\r\ncontent-length: 99999999999999999999999\r\n\r\n",
        b"POST / HTTP/1.1\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n",
        b"POST / HTTP/1.1\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
        b"CONNECT x:1 HTTP/1.1\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00",
    ],
)
def test_what_is_no_request(served, said):
    found = served.raw(said)
    assert found.startswith(b"HTTP/1.1 400 "), found
    assert json.loads(found.partition(b"\r\n\r\n")[2]) == {"error": "This is no request in HTTP."}


def test_chunks_that_are_none(served, audit):
    path = f"/api/audits/{audit}/assignments"
    more = ("idempotency-key: c", "content-type: application/json", "transfer-encoding: chunked")
    found = served.raw(head(served, path, *more) + b"zz\r\n{}\r\n0\r\n\r\n")
    assert found.startswith(b"HTTP/1.1 400 ")
    assert b" 5" not in found[:16]


def test_pipelined_requests_are_answered_in_order(served, audit):
    one = head(served, "/healthz", method="GET")
    two = head(served, f"/api/audits/{audit}/targets", method="GET")
    last = head(served, "/nothing", "connection: close", method="GET")
    found = served.raw((one + two) * 20 + last)
    statuses = [int(part[:3]) for part in found.split(b"HTTP/1.1 ")[1:]]
    assert statuses == [200, 200] * 20 + [404]


def test_who_half_closes_or_goes_has_done_what_was_answered_or_nothing(served, audit):
    """What was sent whole may be done; the same key again tells."""
    path, body = f"/api/audits/{audit}/assignments", b'{"user": "ann"}'
    for i in range(5):
        key, length = f"idempotency-key: half-{i}", f"content-length: {len(body)}"
        said = head(served, path, key, "content-type: application/json", length) + body
        served.raw(said if i % 2 else said[:-3], shut=True)
    before = served.get(f"/api/audits/{audit}/events?after=1:0").json()["next"]
    again = [served.post(path, key=f"half-{i}", headers={"content-type": "application/json"}, content=body)
             for i in range(5)]  # fmt: skip
    assert {one.status_code for one in again} == {201}
    assert len({one.json()["id"] for one in again}) == 5
    after = served.get(f"/api/audits/{audit}/events?after=1:0").json()["next"]
    assert int(after.split(":")[1]) <= 2 + 5
    assert int(before.split(":")[1]) <= 2 + 2  # who it is, what was agreed, and what was sent whole


def test_an_upgrade_is_not_taken(served):
    upgrade = (
        "connection: upgrade",
        "upgrade: websocket",
        "sec-websocket-key: x",
        "sec-websocket-version: 13",
    )
    found = served.raw(head(served, "/api/audits", *upgrade, method="GET"), patience=1.0)
    assert found.startswith(b"HTTP/1.1 200 ")


def test_many_who_wait_do_not_keep_others_out(served):
    waiting = [connect(served) for _ in range(200)]
    for there in waiting:
        there.sendall(b"POST /api/audits HTTP/1.1\r\nhost: x\r\n")
    assert served.client.get("/healthz").status_code == 200
    assert served.get("/api/audits").status_code == 200
    for there in waiting:
        there.close()
