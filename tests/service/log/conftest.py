"""A log on a new store, with audits that are small and a clock that stands still until it is told."""

from __future__ import annotations

import itertools

import pytest

from evenhand.service.log import AskedLiveAudit, Key, Log
from evenhand.service.log.clock import Clock
from evenhand.store.connecting import open_store
from service.log.standin import COINS

USERS = tuple(f"user-{i}" for i in range(6))


class Time:
    """Both clocks; a wall that is moved alone jumps."""

    def __init__(self):
        self.wall, self.monotonic = 1_000_000.0, 50.0

    def pass_(self, seconds):
        self.wall += seconds
        self.monotonic += seconds


class Desk:
    """Asks a log, and waits for what it says."""

    def __init__(self, address, time, auditors=COINS, silent_s=None):
        self.address, self.time, self.auditors, self.silent_s = address, time, auditors, silent_s
        self.numbers = itertools.count(1)
        self.open()

    def open(self):
        self.store = open_store(self.address, silent_s=self.silent_s)
        wall = lambda: self.time.wall  # noqa: E731
        clock = Clock(lambda: self.time.monotonic)
        self.log = Log(self.store, auditors=self.auditors, clock=clock, wall=wall, sweep_s=None)

    def key(self, key=None, said=""):
        return Key(key or f"key-{next(self.numbers)}", "token", said)

    def audit(self, **asked):
        told = {
            "users": USERS,
            "criterion": "exact",
            "deadline_s": 100.0,
            "grace_s": 10.0,
            "reward": "clicks",
        }
        made = AskedLiveAudit.of(told | {"activation": "on_assign"} | asked)
        return self("create_audit", made).body["id"]

    def __call__(self, name, *asked, key=None, said="", **named):
        return getattr(self.log, name)(self.key(key, said), *asked, **named).result(30)

    def close(self):
        self.log.close()
        self.store.close()

    def again(self):
        self.close()
        self.open()


@pytest.fixture
def time():
    return Time()


@pytest.fixture
def desk(tmp_path, time):
    made = Desk(str(tmp_path / "s.db"), time)
    yield made
    made.close()
