"""A real server that tells every request: no token, session, id or body is in what it prints, and no token or
session in what it keeps."""

import gzip
import json
import signal
import socket
import subprocess
import sys
import time

import httpx
import pytest

from evenhand.service.access import sessions, tokens
from evenhand.service.log.keeping.backups import backup
from evenhand.store.connecting import open_store

USERS = ["secret-ann", "secret-ben", "secret-cem"]
WORDS = ["secret-version", "secret-reason", "secret-series", "secret-key", "secret-monitor"]


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """What a server printed, all tokens and sessions, ids of assignments, and its folder."""
    folder = tmp_path_factory.mktemp("real")
    store = open_store(str(folder / "s.db"))
    made = {scope: tokens.make(store, "a test", [scope]) for scope in ("admin", "read", "assign", "report")}
    session = sessions.begin(store, made["read"][0].id, time.time())
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = ["-m", "evenhand", "serve", "--store", str(folder / "s.db"), "--port", str(port), "--verbose"]
    server = subprocess.Popen(
        [sys.executable, *command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        ids = _ask_for_everything(port, {scope: text for scope, (_, text) in made.items()}, session)
    finally:
        server.send_signal(signal.SIGTERM)
        printed, _ = server.communicate(timeout=60)
    secrets = [text for _, text in made.values()] + [tokens.parts(text)[1] for _, text in made.values()]
    yield printed, [*secrets, session], ids, folder, store
    store.close()


def _ask_for_everything(port, texts, session):
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
        for _ in range(600):
            try:
                if client.get("/readyz").status_code == 200:
                    break
            except httpx.TransportError:
                pass
            time.sleep(0.1)
        count = iter(range(10_000))

        def ask(method, path, said=None, scope="admin", **more):
            headers = {
                "authorization": f"Bearer {texts[scope]}",
                "idempotency-key": f"secret-key-{next(count)}",
            }
            return client.request(method, path, headers=headers, json=said, **more)

        asked = {"users": USERS, "criterion": "exact", "deadline_s": 60, "reward": "secret-reason"}
        audit = ask("POST", "/api/audits", asked | {"version": "secret-version", "series": "secret-series"})
        assert audit.status_code == 201, audit.text
        path, ids = f"/api/audits/{audit.json()['id']}", []
        for user in (*USERS, "secret-stranger"):
            made = ask(
                "POST", f"{path}/assignments", {"user": user, "version": "secret-version"}, "assign"
            ).json()
            if made["id"]:
                ids.append(made["id"])
                ask("POST", f"/api/assignments/{made['id']}/shown", scope="assign")
                ask("POST", f"/api/assignments/{made['id']}/reward", {"reward": 0.5}, "report")
        ask("POST", "/api/rewards", [{"assignment": one, "reward": 0.7} for one in ids], "report")
        for what in ("", "/events", "/events?after=1:0", "/certificate"):
            assert ask("GET", path + what, scope="read").status_code == 200
        assert ask("GET", f"{path}/targets", scope="assign").status_code == 200
        ask("PUT", "/api/monitors/secret-monitor", {"secret-reason": "secret-reason"})
        ask("GET", "/api/monitors/secret-monitor")
        ask("POST", f"{path}/opt-outs", {"user": USERS[0]}, "assign")
        ask("POST", f"{path}/deletions", {"user": USERS[1]})
        ask("POST", f"{path}/version", {"version": "secret-version-2"})
        ask("GET", "/api/audits/secret-reason")
        ask("GET", f"/secret-reason?token={texts['read']}")
        client.get("/nothing", headers={"cookie": f"{sessions.COOKIE}={session}"})
        client.get("/api/audits", headers={"authorization": f"Basic {texts['read']}"})
        client.post(
            "/api/audits", content=b"secret-reason", headers={"authorization": f"Bearer {texts['admin']}"}
        )
        with socket.create_connection(("127.0.0.1", port)) as there:
            there.sendall(f"secret-reason {texts['admin']}\r\n\r\n".encode())
            there.recv(1000)
    return ids


@pytest.mark.slow
def test_nothing_of_it_is_printed(told):
    printed, secrets, ids, *_ = told
    lines = [json.loads(line) for line in printed.splitlines()]  # nothing but lines of JSON
    requests = [line for line in lines if line["what"] == "request"]
    assert len(requests) > 25
    assert {"/api/audits/{audit}/assignments", "/api/rewards"} <= {line["route"] for line in requests}
    assert {line["status"] for line in requests} >= {200, 201, 401, 404, 422}
    assert not any(line["status"] >= 500 and line["route"] != "/readyz" for line in requests)
    assert lines[-1]["what"] == "stopped"
    for secret in (*secrets, *USERS, "secret-stranger", *WORDS, *ids):
        assert secret not in printed, secret
    assert "secret-" not in printed
    assert "Traceback" not in printed


@pytest.mark.slow
def test_no_token_or_session_is_kept(told):
    _, secrets, _, folder, store = told
    backup(store, folder / "b.gz")
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    files["b.gz"] = gzip.decompress(files["b.gz"])
    assert any(b"secret-reason" in each for each in files.values())  # what is looked for would be found
    assert b"secret-reason" in files["b.gz"]
    for name, each in files.items():
        for secret in secrets:
            assert secret.encode() not in each, name
