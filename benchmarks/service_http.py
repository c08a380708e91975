"""How many visits with their rewards a live service takes over HTTP, against what the disk can do.

    python benchmarks/service_http.py                              # SQLite
    python benchmarks/service_http.py --store postgresql://...     # in databases of its own beside this one
    python benchmarks/service_http.py --memory 10000               # memory of the server by pairs

A pair is an assignment and its reward, one after the other by each of 32 clients in another process. In each
round: bare durable commits of one row, a server that commits each request, one that commits all that wait at
once, one user who is asked by everybody, and half of the rate that was reached. Rates differ from minute to
minute on a machine that others use; ratios are of one round.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path
from statistics import median
from typing import NamedTuple

from service_http_clients import Crowd, Load, load
from service_http_server import USERS, Server, Stores, bare_commits

from evenhand.store.connecting import open_store


class Round(NamedTuple):
    bare: float  # commits a second
    single: Load
    group: Load
    hot: Load
    half: Load
    processor_ms: dict[str, float]  # of the server, a pair; busy neighbours change it least
    waited: float  # at half the rate: seconds that its threads waited for a core, a second
    busy: float  # load of the machine when it ended

    def ratios(self) -> dict[str, float]:
        return {
            "group commit / commit a request": self.group.pairs / self.single.pairs,
            "pairs / bare commits": self.group.pairs / self.bare,
            "one hot user / many": self.hot.pairs / self.group.pairs,
            "p99 at half the rate, ms": self.half.p99,
            "processor: commit a request / group": self.processor_ms["single"] / self.processor_ms["group"],
            "processor: many / one hot user": self.processor_ms["group"] / self.processor_ms["hot"],
            "processor of a pair, ms": self.processor_ms["group"],
        }


def rounds(stores: Stores, seconds: float, count: int) -> list[Round]:
    bare = open_store(stores.new())
    found = []
    with Server(stores.new(), at_once=1) as single, Server(stores.new()) as group:
        single.wait()
        group.wait()
        alone, together = single.new_audit(), group.new_audit()
        for _ in range(count):
            commits = bare_commits(bare, seconds)
            one, used = asked(single, alone, USERS, seconds)
            many, used_together = asked(group, together, USERS, seconds)
            hot, used_by_one = asked(group, together, USERS[:1], seconds)
            ms = {"single": used, "group": used_together, "hot": used_by_one}
            waited = group.waited_s()
            half, _ = asked(group, together, USERS, 2 * seconds, many.pairs / 2)
            waited = (group.waited_s() - waited) / (2 * seconds)
            found.append(Round(commits, one, many, hot, half, ms, waited, os.getloadavg()[0]))
            print(told(found[-1]), flush=True)
    bare.close()
    return found


def asked(
    server: Server, audit: str, users: tuple[str, ...], seconds: float, rate: float | None = None
) -> tuple[Load, float]:
    """The load, and milliseconds of the server's processor time a pair."""
    crowd = Crowd(server.port, server.token, audit, users)
    used = server.processor_s()
    found = load(crowd, seconds, rate=rate)
    return found, 1e3 * (server.processor_s() - used) / crowd.done


def memory(address: str, pairs: int) -> list[tuple[int, float]]:
    """Pairs so far, and the server's memory in MB then: at ten moments until there were so many."""
    found: list[tuple[int, float]] = []
    with Server(address) as server:
        server.wait()
        audit, done = server.new_audit(), 0
        while done < pairs:
            crowd = Crowd(server.port, server.token, audit, USERS)
            load(crowd, 1.0)
            done += crowd.done
            if done * 10 // pairs > len(found):
                found.append((done, server.memory_mb()))
                print(f"{done:>12,} pairs: {found[-1][1]:.1f} MB", flush=True)
    return found


def told(one: Round) -> str:
    lines = [
        f"bare commits a second {one.bare:,.0f}; "
        f"at half the rate its threads waited {one.waited:.2f} s a second for a core; "
        f"load of the machine {one.busy:.1f}"
    ]
    for name in ("single", "group", "hot", "half"):
        parts = [f"{what} {each:,.2f}" for what, each in getattr(one, name)._asdict().items()]
        lines.append(f"  {name:8}{'  '.join(parts)}")
    return "\n".join(lines)


def summary(found: list[Round]) -> str:
    each = [one.ratios() for one in found]
    lines = []
    for name in each[0]:
        values = sorted(one[name] for one in each)
        lines.append(f"{name:36}{median(values):8.2f}   ({values[0]:.2f} to {values[-1]:.2f})")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--store", help="a PostgreSQL database beside which others may be made")
    parser.add_argument("--folder", help="where the files of SQLite are; without, one that goes away")
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--memory", type=int, help="only measure memory, up to so many pairs")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="evenhand-load-", dir=given.folder) as folder:
        stores = Stores(Path(folder), given.store)
        try:
            if given.memory:
                memory(stores.new(), given.memory)
            else:
                print(summary(rounds(stores, given.seconds, given.rounds)))
        finally:
            stores.remove()


if __name__ == "__main__":
    main()
