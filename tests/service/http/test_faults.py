"""A server that starts, stops, waits for its store or is at fault itself: its answers, and what it prints."""

import asyncio
import io
import logging
import socket
import sys
import threading
from contextlib import contextmanager

import httpx
import pytest

from evenhand.errors import InputError
from evenhand.service.http import app as application
from evenhand.service.http import asking, journal
from service.http.served import ASKED, Served
from service.log.conftest import Time

MARK = "zz-somebody-zz"


@pytest.fixture
def printed(monkeypatch):
    """All that is written to either output."""
    out = io.StringIO()
    for name in ("stdout", "stderr"):
        monkeypatch.setattr(sys, name, out)
    ours, root = logging.getLogger("evenhand.service"), logging.getLogger()
    before, others = ours.level, root.handlers[:]
    monkeypatch.setattr(threading, "excepthook", threading.excepthook)
    monkeypatch.setattr(logging, "raiseExceptions", True)
    journal.to_stdout(logging.DEBUG)
    yield out.getvalue
    ours.handlers[:], ours.propagate, root.handlers[:] = [], True, others
    ours.setLevel(before)


@contextmanager
def held(served):
    """The writer takes nothing up until this ends."""
    go_on, transaction = threading.Event(), served.log.writer._transaction

    def later(requests):
        assert go_on.wait(30)
        return transaction(requests)

    served.log.writer._transaction = later
    yield
    go_on.set()
    served.log.writer._transaction = transaction


def test_while_it_starts(tmp_path, monkeypatch):
    go_on, warm_up = threading.Event(), application.warm_up
    monkeypatch.setattr(application, "warm_up", lambda kinds: (go_on.wait(30), warm_up(kinds)))
    served = Served(tmp_path / "s.db", Time(), ready=False)
    found = served.get("/api/audits")
    assert found.status_code == 503
    assert found.headers["retry-after"] == "1"
    assert list(found.json()) == ["error"]
    assert served.client.get("/api/audits").status_code == 503  # tokens may not have been read yet
    assert served.client.get("/healthz").status_code == 200
    assert served.client.get("/readyz").status_code == 503
    go_on.set()
    served.wait(lambda: served.client.get("/readyz").status_code == 200)
    assert served.get("/api/audits").status_code == 200
    served.end()


def test_what_is_under_way_when_it_stops_is_answered(tmp_path):
    served = Served(tmp_path / "s.db", Time())
    audit, found = served.audit(), []
    with held(served):
        path = f"/api/audits/{audit}/assignments"
        asks = threading.Thread(target=lambda: found.append(served.post(path, {"user": "ann"}, key="k")))
        asks.start()
        served.wait(lambda: served.log.writer.waiting or served.server.server_state.tasks)
        served.server.should_exit = True
        served.wait(lambda: not served.server.servers or not served.server.servers[0].is_serving())
        with pytest.raises(httpx.TransportError):
            httpx.get(f"{served.url}/healthz")
    asks.join(30)
    served.end()
    assert found[0].status_code == 201
    served.begin()
    assert served.post(path, {"user": "ann"}, key="k").content == found[0].content
    served.end()


def test_a_store_that_takes_long(served, audit, monkeypatch, printed):
    path = f"/api/audits/{audit}/assignments"
    monkeypatch.setattr(asking, "_PATIENCE_S", 0.2)
    with held(served):
        found = [served.post(path, {"user": "ann"}, key=f"long-{i}") for i in range(3)]
        deleted = served.post(f"/api/audits/{audit}/deletions", {"user": MARK}, key="gone")
    assert {one.status_code for one in found} == {503}
    assert all("same key" in one.json()["error"] for one in found)
    assert deleted.status_code == 200  # nobody is known by that name: nothing is to be written
    monkeypatch.undo()
    again = [served.post(path, {"user": "ann"}, key=f"long-{i}") for i in range(3)]
    assert {one.status_code for one in again} == {201}
    assert "exception calling callback" not in printed()


def test_a_store_that_is_away(served, monkeypatch):
    def away(*_):
        raise InputError(f"The store of {MARK} cannot be reached.")

    monkeypatch.setattr(served.log.read, "overview", away)
    found = served.get("/api/audits")
    assert found.status_code == 503
    assert found.headers["retry-after"] == "1"
    assert MARK not in found.text


def test_too_many_who_wait(served, audit, monkeypatch):
    monkeypatch.setattr(asking, "_MOST_WAITING", -1)
    found = served.post(f"/api/audits/{audit}/assignments", {"user": "ann"})
    assert found.status_code == 503
    assert found.headers["retry-after"] == "1"


def test_a_fault_of_ours_says_nothing(served, monkeypatch, printed):
    def fault(*_):
        raise RuntimeError(f"{MARK} did this")

    monkeypatch.setattr(served.log.read, "overview", fault)
    found = served.get("/api/audits")
    assert found.status_code == 500
    assert list(found.json()) == ["error"]
    assert found.headers["content-security-policy"]
    said = printed()
    assert MARK not in said + found.text
    assert "Traceback" not in said
    assert '"error": "RuntimeError"' in said
    assert served.client.get("/healthz").status_code == 200


def test_a_caller_who_leaves_in_the_midst_of_a_body_is_no_fault_of_ours(served, audit, printed):
    said = (
        f"POST /api/audits/{audit}/assignments HTTP/1.1\r\nhost: here\r\nauthorization: Bearer {served.admin}"
    )
    said += "\r\nidempotency-key: left\r\ncontent-length: 100\r\n\r\n{"
    with socket.create_connection(("127.0.0.1", served.port)) as there:
        there.sendall(said.encode())
        served.wait(lambda: served.server.server_state.tasks)
    served.wait(lambda: '"status": 499' in printed())
    assert '"fault"' not in printed()
    counted = [one for one in served.client.get("/metrics").text.splitlines() if "/assignments" in one]
    assert any('status="499"' in one for one in counted)
    assert not any('status="500"' in one for one in counted)


def test_what_libraries_and_threads_say(printed):
    def fault():
        raise RuntimeError(MARK)

    thread = threading.Thread(target=fault)
    thread.start()
    thread.join()
    try:
        fault()
    except RuntimeError:
        logging.getLogger("asyncio").exception("Task exception was never retrieved %s", MARK)
    logging.getLogger("uvicorn.error").error("[Errno 98] address in use")
    said = printed()
    assert MARK not in said
    assert "Traceback" not in said
    assert said.count("RuntimeError") == 2
    assert "address in use" in said


def test_tokens_are_looked_at_again_whatever_went_wrong(served, monkeypatch):
    access, token = served.app.state.running.access, served.token("read")
    assert served.get("/api/audits", token=token).status_code == 200
    from evenhand.service.access import tokens

    failed = threading.Event()

    def fault(_):
        failed.set()
        raise RuntimeError("once")

    monkeypatch.setattr(tokens, "listed", fault)
    assert failed.wait(10)
    monkeypatch.undo()
    tokens.revoke(served.store, tokens.parts(token)[0])
    served.wait(lambda: served.get("/api/audits", token=token).status_code == 401)
    assert isinstance(access._looking, asyncio.Lock)


def test_an_audit_that_is_created_while_the_store_takes_long(served, monkeypatch):
    monkeypatch.setattr(asking, "_PATIENCE_S", 0.2)
    with held(served):
        assert served.post("/api/audits", ASKED, key="made").status_code == 503
    monkeypatch.undo()
    made = served.post("/api/audits", ASKED, key="made")
    assert made.status_code == 201
    ids = [one["id"] for one in served.get("/api/audits").json()]
    assert ids.count(made.json()["id"]) == 1
    assert served.post("/api/audits", ASKED, key="made").content == made.content
