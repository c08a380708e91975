"""Kill servers while HTTP requests are in flight, again and again; nothing that was acknowledged may be lost
or doubled.

    python benchmarks/service_kills.py --kills 50                             # SQLite: one server
    python benchmarks/service_kills.py --kills 50 --store postgresql://...    # two servers, an empty store

Servers are `evenhand serve`, killed with SIGKILL at random moments and started again. Clients outside of them
ask and report without a pause; some requests are sent twice at the same time, to both servers where there are
two. Half of the audits ask what was shown; some visits are never shown, some never reported; audits of users
come to outcomes all the time. What is compared afterwards stands in `service_compared.py`.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from service_clients import Client, Notes, World
from service_compared import compared
from service_servers import Nursery, Server

from evenhand.errors import InputError
from evenhand.service.access import tokens
from evenhand.service.log import AskedLiveAudit, Key, Log
from evenhand.store.connecting import open_store

CLIENTS = 8
# What users think of their own policy and of the others', and how small a difference matters: audits that
# find no envy, envy, none after a while, or run out of their budget.
KINDS: tuple[dict[str, Any], ...] = (
    {"own": 0.8, "others": 0.3, "asked": {"epsilon": 0.2}},
    {"own": 0.2, "others": 0.8, "asked": {"epsilon": 0.1}},
    {"own": 0.5, "others": 0.5, "asked": {"epsilon": 0.15}},
    {"own": 0.5, "others": 0.5, "asked": {"epsilon": 0.01, "budget": 60}},
)


def killed_again_and_again(
    nursery: Nursery, address: str, kills: int, folder: Path, *, seed: int = 0, most: int = 120,
    how: signal.Signals = signal.SIGKILL, spoilt: str | None = None,
) -> dict[str, Any]:  # fmt: skip
    """What was counted; an AssertionError where something was lost, doubled or otherwise wrong. A server is
    killed after 1 to `most` answers; `spoilt` breaks it on purpose."""
    rng, began = random.Random(seed), time.monotonic()
    store = open_store(address)
    worlds, token = begun(Log(store, sweep_s=None), kills + 8), tokens.make(store, "kills", ["admin"])[1]
    names = ("a",) if store.is_sqlite else ("a", "b")
    store.close()
    servers = [Server(nursery, address, folder, name, spoilt).start() for name in names]
    notes, stop = Notes(worlds), threading.Event()
    clients = [Client(number, servers, token, notes, stop) for number in range(CLIENTS * len(servers))]
    for client in clients:
        client.start()
    after = [(rng.choice(servers), rng.randint(1, most)) for _ in range(kills)]
    cut_off = [
        _kill(server, notes, answers, how, at_once=n % 2 == 1) for n, (server, answers) in enumerate(after)
    ]
    _until(lambda: notes.reasons["ended"] >= 6, "audits of users come to no outcome")
    stop.set()
    for client in clients:
        client.join(120)
        assert not client.is_alive(), f"{client.name} is not answered: {notes.unavailable}"
    found = compared(address, worlds, notes, servers[-1].is_up(), token)
    for server in servers:
        assert server.stop() == -signal.SIGTERM, "a server did not end well"
    return {
        "kills": kills, "cut off at a kill": (min(cut_off), sum(cut_off) / kills, max(cut_off)),
        "seconds": round(time.monotonic() - began), **found,
    }  # fmt: skip


def begun(log: Log, audits: int) -> list[World]:
    worlds = []
    for number in range(audits):
        kind, on_shown = KINDS[number // 2 % len(KINDS)], number % 2 == 1
        users = tuple(f"user-{number}-{i}" for i in range(3))
        told = {"users": users, "criterion": "exact", "deadline_s": 2.0, "grace_s": 1.0, "alpha": 0.9} | kind[
            "asked"
        ]
        how = {"activation": "on_shown", "window_s": 1.0} if on_shown else {"activation": "on_assign"}
        asked = AskedLiveAudit.of(told | how | {"reward": "clicks"})
        audit = log.create_audit(Key(f"made-{number}", "t", ""), asked).result().body["id"]
        means = {(user, of): kind["own" if user == of else "others"] for user in users for of in users}
        worlds.append(World(audit, users, on_shown, means))
    log.close()
    return worlds


def _kill(server: Server, notes: Notes, after: int, how: signal.Signals, at_once: bool) -> int:
    """Kill it when it has given so many answers, and start it again: how many requests were in flight. With
    `at_once` a client does it at the moment when it hears an answer, else it is some moment after that."""
    process, killed = server.process, threading.Event()
    _until(lambda: notes.at_work[process] >= after, f"server {server.name} does not answer")

    def kill(answering: Server) -> None:
        if answering is server and not killed.is_set():
            killed.set()
            os.kill(process, how)

    if at_once:
        notes.when_acknowledged = kill
        _until(killed.is_set, f"server {server.name} does not answer")
        notes.when_acknowledged = None
    else:
        kill(server)
    assert server.ended() == -how, f"server {server.name} ended otherwise: {server.log.read_text()}"
    server.start()
    if how is signal.SIGTERM:  # what is in flight is answered
        return notes.cut_off[process]
    _until(lambda: notes.cut_off[process] > 0, "no request was in flight at a kill")
    return notes.cut_off[process]


def _until(is_so: Callable[[], bool], else_: str, within_s: float = 90.0) -> None:
    until = time.monotonic() + within_s
    while not is_so():
        assert time.monotonic() < until, else_
        time.sleep(0.001)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--store", help="an empty store; without, SQLite in a folder that goes away")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    nursery = Nursery()
    with tempfile.TemporaryDirectory(prefix="evenhand-kills-") as folder:
        address = asked.store or str(Path(folder) / "s.db")
        try:
            found = killed_again_and_again(nursery, address, asked.kills, Path(folder), seed=asked.seed)
        except InputError as error:
            sys.exit(str(error))
        finally:
            nursery.close()
    # Seeds are the server's own, so that a short run may end before anybody is decided; a whole one does not.
    assert asked.kills < 50 or {"envy", "no_envy"} <= set(found["audits of users"]), found
    print("Nothing lost, nothing doubled.")
    for name, figure in found.items():
        print(f"{name}: {figure}")


if __name__ == "__main__":
    main()
