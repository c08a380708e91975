"""Kill servers while requests are in flight, again and again; nothing that was acknowledged may be lost or
doubled.

    python benchmarks/service_kills.py --kills 50                             # SQLite
    python benchmarks/service_kills.py --kills 50 --store postgresql://...    # two processes, an empty store

Each process has clients that ask and report without a pause, and write down what was acknowledged. 5% of the
requests are sent to the other process as well, at the same time. Afterwards: what was acknowledged is in the
store, once; streams have no gaps; states are the folds of their logs; and an uninterrupted run of the same
observations gives the same log.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from sqlalchemy import select

from evenhand.errors import InputError
from evenhand.service.log import Answer, AskedLiveAudit, Key, Log
from evenhand.service.log.folded import Auditors, online_auditors, warm_up
from evenhand.service.log.keeping.checking import check
from evenhand.store import audit_tables as tables
from evenhand.store.connecting import open_store

USERS = tuple(f"user-{i}" for i in range(8))
CLIENTS = 8  # in each process
REPEATED = 0.05


class Journal:
    """What a process asked and what was acknowledged: a line each, written before anything else happens."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def write(self, **line: Any) -> None:
        os.write(self._file, (json.dumps(line) + "\n").encode())


def lines(path: Path) -> list[dict[str, Any]]:
    """A last line may be cut off by a kill."""
    if not path.exists():
        return []
    whole = path.read_bytes().rpartition(b"\n")[0]
    return [json.loads(line) for line in whole.splitlines()]


def chance(*of: Any) -> float:
    return int.from_bytes(hashlib.sha256(repr(of).encode()).digest()[:6], "big") / 2**48


def ask(log: Log, audit: str, request: list[Any]) -> Future[Answer]:
    """`[key, user]` is a visit, `[key, assignment, reward]` a report."""
    key = Key(request[0], "t", json.dumps(request))
    if len(request) == 2:
        return log.assign(key, audit, request[1])
    return log.reward(key, request[1], request[2])


def work(address: str, audit: str, name: str, folder: Path, auditors: Auditors) -> None:
    """A server and its clients, until the file `stop` is there or the process is killed."""
    said = folder / f"{name}.journal"
    before = lines(said)
    log = Log(open_store(address), auditors=auditors, sweep_s=0.2)
    journal = Journal(said)
    stopped = folder / "stop"

    def send(request: list[Any], repeat: bool = False) -> Answer:
        while True:
            answer = ask(log, audit, request).result()
            if answer.status != 503:
                journal.write(ack=request, status=answer.status, body=answer.body, repeat=repeat)
                return answer

    def client(number: int) -> None:
        mine = [line["ack"][0] for line in before if "ack" in line and not line["repeat"]]
        mine = [key for key in mine if key.startswith(f"{name}.{number}.")]
        visit = max((int(key.split(".")[2]) for key in mine), default=0)  # done again from its beginning
        while not stopped.exists():
            user = USERS[int(chance(name, number, visit) * len(USERS))]
            request: list[Any] = [f"{name}.{number}.{visit}.a", user]
            if chance(request) < REPEATED:
                journal.write(intent=request)
            made = send(request)
            if made.body["id"] is None:
                return
            if chance(visit, number) < 0.9:
                report = [f"{name}.{number}.{visit}.r", made.body["id"], round(chance(request, 1), 3)]
                if chance(report) < REPEATED:
                    journal.write(intent=report)
                send(report)
            visit += 1

    def repeat() -> None:
        """Send what the other process means to send just now."""
        others = [each for each in (folder / "a.journal", folder / "b.journal") if each != said]
        done = {str(line["ack"]) for line in before if "ack" in line and line["repeat"]}
        while not stopped.exists():
            for line in [line for each in others for line in lines(each)][-200:]:
                if "intent" in line and str(line["intent"]) not in done:
                    done.add(str(line["intent"]))
                    send(line["intent"], repeat=True)
            time.sleep(0.05)

    threads = [threading.Thread(target=client, args=(number,)) for number in range(CLIENTS)]
    if not log.store.is_sqlite:
        threads.append(threading.Thread(target=repeat))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    log.close()


def start(*asked: Any) -> int:
    """A process of its own, without the time that imports take."""
    child = os.fork()
    if child == 0:
        try:
            work(*asked)
            os._exit(0)
        except BaseException:
            import traceback

            traceback.print_exc()
        finally:
            os._exit(1)
    return child


def killed_again_and_again(
    address: str, kills: int, folder: Path, auditors: Auditors, seed: int = 0, longest: float = 1.0
) -> dict[str, Any]:
    """What was counted; an AssertionError where something was lost, doubled or otherwise wrong."""
    rng = random.Random(seed)
    store = open_store(address)
    log = Log(store, auditors=auditors, sweep_s=None)
    asked = {"users": USERS, "criterion": "exact", "deadline_s": 1.0, "grace_s": 0.5, "epsilon": 0.05}
    told = AskedLiveAudit.of(asked | {"reward": "clicks", "activation": "on_assign", "budget": 10**6})
    audit = log.create_audit(Key("made", "t", ""), told).result().body["id"]
    log.close()
    names = ["a"] if store.is_sqlite else ["a", "b"]
    store.close()
    running = {name: start(address, audit, name, folder, auditors) for name in names}
    for _ in range(kills):
        time.sleep(rng.uniform(0.15, longest))
        name = rng.choice(names)
        before = (folder / f"{name}.journal").stat().st_size if (folder / f"{name}.journal").exists() else 0
        deadline = time.monotonic() + 30
        while not (folder / f"{name}.journal").exists() or (
            (folder / f"{name}.journal").stat().st_size == before
        ):  # it is at work
            assert time.monotonic() < deadline, f"server {name} acknowledges nothing"
            time.sleep(0.002)
        os.kill(running[name], signal.SIGKILL)
        os.waitpid(running[name], 0)
        running[name] = start(address, audit, name, folder, auditors)
    time.sleep(longest)
    (folder / "stop").touch()
    for child in running.values():
        assert os.waitpid(child, 0)[1] == 0, "a server did not end well"
    return verified(address, audit, [folder / f"{name}.journal" for name in names], auditors)


def verified(address: str, audit: str, journals: list[Path], auditors: Auditors) -> dict[str, Any]:
    store = open_store(address)
    checked = check(store, auditors)
    assert not checked.faults, checked.faults
    e, a = tables.event, tables.answered
    with store.reading() as connection:
        rows = connection.execute(select(e).where(e.c.stream > 0).order_by(e.c.stream, e.c.seq)).all()
        answered = {row.key: row for row in connection.execute(select(a))}
        created = connection.execute(
            select(e.c.payload).where(e.c.stream == 0, e.c.seq <= 3).order_by(e.c.seq)
        )
        _, drawn, seeds = (json.loads(text) for text in created.scalars())
    acknowledged = [line for each in journals for line in lines(each) if "ack" in line]
    answers: dict[str, str] = {}
    for line in acknowledged:
        key, body = line["ack"][0], json.dumps(line["body"], sort_keys=True)
        assert answers.setdefault(key, body) == body, f"{key} was answered in two ways"
    reports = dict.fromkeys(line["ack"][0] for line in acknowledged)
    kept = [key for key in reports if key in answered]
    for line in acknowledged:
        written = line["status"] == 201 or (len(line["ack"]) == 3 and line["status"] == 200)
        assert not written or line["ack"][0] in answered, f"{line['ack'][0]} was acknowledged, and is lost"
    made = Counter(row.assignment for row in rows if row.kind == "assign")
    visits = [row for row in answered.values() if row.key.endswith(".a") and row.status == 201]
    ids = {json.loads(row.body)["id"] for row in visits}
    assert len(ids) == len(visits) == sum(made.values()), "an assignment is doubled, or nobody's"
    settled = Counter((row.stream, row.assignment) for row in rows if row.kind in ("deliver", "withdraw"))
    assert max(settled.values()) == 1, "an assignment was settled twice"
    counted = [row for row in answered.values() if row.key.endswith(".r") and '"counted": true' in row.body]
    values = [json.loads(row.payload)[1][0][1] for row in rows if row.kind == "deliver"]
    assert len(counted) == sum(value is not None for value in values), "rewards are lost or doubled"
    outcomes = replayed(rows, drawn[3], seeds[2], auditors)
    store.close()
    return {
        "events": checked.events, "acknowledged": len(acknowledged), "kept": len(kept),
        "repeated": sum(line["repeat"] for line in acknowledged), "outcomes": outcomes,
    }  # fmt: skip


def replayed(rows: list[Any], settings: dict[str, Any], seeds: list[int], auditors: Auditors) -> Counter[str]:
    """The same visits and observations without an interruption: the same log comes of them."""
    outcomes: Counter[str] = Counter()
    for number, seed in enumerate(seeds, start=1):
        told = [json.loads(row.payload) for row in rows if row.stream == number]
        audit, again = auditors.begin(settings, seed), []
        audit.listener = again.append
        for event in told:
            if event[0] == "assign":
                audit.assign(deadline=event[3], version=event[4])
            elif event[0] == "withdraw":
                audit.withdraw(event[1])
            elif event[0] == "deliver":
                audit.deliver(dict(event[1]))
        plain = [event for event in told if event[0] not in ("person", "shown")]
        assert json.loads(json.dumps(again)) == plain, f"an uninterrupted run of user {number} goes otherwise"
        outcomes[str(audit.outcome)] += 1
    return outcomes


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--store", help="an empty store; without, SQLite in a folder that goes away")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="evenhand-kills-") as folder:
        address = asked.store or str(Path(folder) / "s.db")
        auditors = online_auditors()
        warm_up(auditors)  # those who are started again have it
        try:
            found = killed_again_and_again(address, asked.kills, Path(folder), auditors, asked.seed)
        except InputError as error:
            sys.exit(str(error))
    print(f"{asked.kills} kills with {CLIENTS} clients a process: nothing lost, nothing doubled; {found}")


if __name__ == "__main__":
    main()
