"""Real servers: `evenhand serve` in processes of their own, and one that they are forked from."""

from __future__ import annotations

import importlib
import secrets
import sys
from pathlib import Path

import pytest

from evenhand.service.access import tokens
from evenhand.service.log import AskedLiveAudit, Key, Log
from evenhand.store.connecting import open_store

USERS = ("ann-0815", "ben-0815", "cem-0815")
BENCHMARKS = Path(__file__).parents[3] / "benchmarks"


def benchmark(name):
    """A module of the benchmarks, which stand in no package."""
    sys.path.insert(0, str(BENCHMARKS))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(BENCHMARKS))


servers, kills = benchmark("service_servers"), benchmark("service_kills")


def begun(address, **asked):
    """A new audit in a store, and a token that may do everything."""
    store = open_store(address)
    log = Log(store, sweep_s=None)
    told = {"users": USERS, "criterion": "exact", "deadline_s": 3600.0, "reward": "clicks", "alpha": 0.9}
    made = AskedLiveAudit.of(told | {"activation": "on_assign"} | asked)
    audit = log.create_audit(Key(secrets.token_hex(8), "t", ""), made).result().body["id"]
    log.close()
    token = tokens.make(store, "tests", ["admin"])[1]
    store.close()
    return audit, token


class Desk:
    """A server, an audit in its store, and somebody who asks."""

    def __init__(self, nursery, address, folder, spoilt=None, **asked):
        self.audit, self.token = begun(address, **asked)
        said = None if spoilt is None else f"service.faults.spoilt:{spoilt}"
        self.server = servers.Server(nursery, address, folder, "server", said).start().is_up()

    def assign(self, user=USERS[0], key=None, within_s=60.0):
        return self.post(f"/api/audits/{self.audit}/assignments", {"user": user}, key, within_s)

    def shown(self, id_):
        return self.post(f"/api/assignments/{id_}/shown")

    def reward(self, id_, reward, key=None):
        return self.post(f"/api/assignments/{id_}/reward", {"reward": reward}, key)

    def post(self, path, body=None, key=None, within_s=60.0):
        return self.server.ask("POST", path, self.token, key or secrets.token_hex(8), body, within_s)

    def get(self, path):
        return self.server.ask("GET", path, self.token)[1]

    def kinds(self, stream=1):
        events = self.get(f"/api/audits/{self.audit}/events?after={stream}:0")["events"]
        return [one["kind"] for one in events]


@pytest.fixture(scope="package")
def nursery():
    made = servers.Nursery(Path(__file__).parents[2])
    yield made
    made.close()


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request, tmp_path):
    """The address of an empty store."""
    if request.param == "sqlite":
        return str(tmp_path / "s.db")
    return request.getfixturevalue("synced_postgres").new_database()
