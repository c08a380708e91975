"""How many visits with their rewards a log takes, against what the disk can do.

    python benchmarks/service_load.py                              # SQLite
    python benchmarks/service_load.py --store postgresql://...     # an empty database
    python benchmarks/service_load.py --memory 1000000             # memory by events, 30% unreported

A pair is an assignment and its reward, one after the other by each of 32 clients. In the same run: bare
durable commits of one row, one request a transaction, all that wait in one transaction, and one user who is
asked by everybody.
"""

from __future__ import annotations

import argparse
import gc
import queue
import resource
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import text

from evenhand.service.log import Answer, AskedLiveAudit, Key, Log
from evenhand.service.log.clock import Clock
from evenhand.service.log.folded import Auditors, online_auditors, warm_up
from evenhand.service.log.waiting import AT_ONCE
from evenhand.store.connecting import Store, open_store

CLIENTS = 32
USERS = tuple(f"user-{i}" for i in range(40))


class Load(NamedTuple):
    pairs: float  # a second
    p50: float  # of a request, ms
    p99: float


def new_audit(log: Log, **asked: Any) -> str:
    told = {"users": USERS, "criterion": "exact", "deadline_s": 3600.0, "reward": "clicks"}
    made = AskedLiveAudit.of(told | {"activation": "on_assign", "epsilon": 0.01} | asked)
    answer = log.create_audit(Key(f"made-{time.time_ns()}", "t", ""), made).result()
    return str(answer.body["id"])


def bare_commits(store: Store, seconds: float) -> float:
    """Durable commits of one small row, one after the other."""
    with store.writing() as connection:
        connection.execute(text("CREATE TABLE IF NOT EXISTS bare (at FLOAT)"))
    done, until = 0, time.perf_counter() + seconds
    while time.perf_counter() < until:
        with store.writing() as connection:
            connection.execute(text("INSERT INTO bare VALUES (1)"))
        done += 1
    with store.writing() as connection:
        connection.execute(text("DROP TABLE bare"))
    return done / seconds


def pairs(
    log: Log,
    audit: str,
    seconds: float,
    users: tuple[str, ...],
    clients: int = CLIENTS,
    rate: float | None = None,
) -> Load:
    """Each client asks again as soon as it is answered, or at a rate of all of them together."""
    answered: queue.SimpleQueue[tuple[int, Answer, float]] = queue.SimpleQueue()
    run = time.time_ns()
    number, done = 0, 0
    lasted: list[float] = []

    def ask(client: int, id_: str | None) -> None:
        nonlocal number
        number += 1
        key, began = Key(f"{run}-{number}", "t", ""), time.perf_counter()
        if id_ is None:
            future = log.assign(key, audit, users[number % len(users)])
        else:
            future = log.reward(key, id_, (number % 7) / 6)
        future.add_done_callback(lambda it: answered.put((client, it.result(), time.perf_counter() - began)))

    start = time.perf_counter()
    pace = None if rate is None else clients / rate
    due = dict.fromkeys(range(clients), start)
    for client in range(clients):
        ask(client, None)
    waiting = clients
    later: list[tuple[float, int]] = []
    while waiting or later:
        now = time.perf_counter()
        while later and later[0][0] <= now:
            ask(later.pop(0)[1], None)
            waiting += 1
        try:
            client, answer, took = answered.get(timeout=max(later[0][0] - now, 0) if later else None)
        except queue.Empty:
            continue
        waiting -= 1
        lasted.append(took)
        assert answer.status in (200, 201), answer
        if answer.status == 201:
            ask(client, answer.body["id"])
            waiting += 1
            continue
        done += 1
        if time.perf_counter() - start < seconds:
            if pace is None:
                ask(client, None)
                waiting += 1
            else:
                due[client] += pace
                later.append((due[client], client))
                later.sort()
        else:
            later.clear()
    took = time.perf_counter() - start
    lasted.sort()
    return Load(done / took, 1e3 * lasted[len(lasted) // 2], 1e3 * lasted[int(len(lasted) * 0.99)])


def measured(address: str, seconds: float, auditors: Auditors) -> dict[str, Any]:
    store = open_store(address)
    warm_up(auditors)
    log = Log(store, auditors=auditors, sweep_s=1.0)
    gc.collect()
    gc.freeze()
    found: dict[str, Any] = {"bare commits a second": round(bare_commits(store, seconds))}
    log.writer.at_once(1)
    one = pairs(log, new_audit(log), seconds, USERS)
    log.writer.at_once(AT_ONCE)
    many = pairs(log, new_audit(log), seconds, USERS)
    hot = pairs(log, new_audit(log), seconds, USERS[:1])
    half = pairs(log, new_audit(log), seconds, USERS, rate=many.pairs / 2)
    found |= {"commit a request": one, "group commit": many, "one hot user": hot, "at half the rate": half}
    found["group / single"] = round(many.pairs / one.pairs, 2)
    found["pairs / bare"] = round(many.pairs / found["bare commits a second"], 2)
    found["hot / many"] = round(hot.pairs / many.pairs, 2)
    log.close()
    store.close()
    gc.unfreeze()
    return found


def memory(address: str, most: int, auditors: Auditors) -> None:
    """Memory now, at each tenth of so many events; 30% of the assignments are never reported."""
    store = open_store(address)
    clock = [time.time()]
    here = Clock(lambda: clock[0])  # a clock that only the wall follows would not be believed
    log = Log(store, auditors=auditors, clock=here, sweep_s=None, wall=lambda: clock[0])
    audit = new_audit(log, deadline_s=60.0, budget=10**8)
    events, key, told = 0, 0, 0
    while events < most:
        futures = []
        for _ in range(10):
            for user in USERS:
                key += 1
                futures.append(log.assign(Key(f"a{key}", "t", ""), audit, user))
        ids = [one.result().body["id"] for one in futures]
        reported = [
            log.reward(Key(f"r{key}-{i}", "t", ""), id_, 0.5) for i, id_ in enumerate(ids) if i % 10 > 2
        ]
        assert all(one.result().body["counted"] for one in reported)
        clock[0] += 1.0
        settled = sum(answer.body["settled"] for answer in log.settle())
        events += len(ids) + len(reported) + settled
        if events * 10 // most > told:
            told = events * 10 // most
            print(f"{events:>12,} events: {_now_mb():.1f} MB", flush=True)
    log.close()
    store.close()


def _now_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--store", help="an empty store; without, SQLite in a folder that goes away")
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--memory", type=int, help="only measure memory, up to so many events")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="evenhand-load-") as folder:
        address = asked.store or str(Path(folder) / "s.db")
        if asked.memory:
            memory(address, asked.memory, online_auditors())
            return
        for name, value in measured(address, asked.seconds, online_auditors()).items():
            told = (
                [f"{name} {each:,.1f}" for name, each in value._asdict().items()]
                if isinstance(value, Load)
                else value
            )
            print(f"{name:24} {told}")


if __name__ == "__main__":
    main()
