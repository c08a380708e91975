"""Kill whoever adds days to a monitor, at random moments, and see that only whole days are there.

    python benchmarks/monitor_kills.py --kills 30
    python benchmarks/monitor_kills.py --kills 30 --store "postgresql://me@host/postgres"

After each kill every day that counts has its evidence, its look and its place; none that was there or was
said to be added is gone. In the end all days say what undisturbed ones say. A server's address is that of a
database from which others can be made: each store is one of its own, and goes when the next one is made.
"""

from __future__ import annotations

import argparse
import itertools
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

from sqlalchemy import create_engine, func, make_url, select

from evenhand import monitor
from evenhand.store.tables import day, evidence, look, state

# Adds all days in turn, again from the first, as a scheduler would after a crash.
ADDS = """
import sys
from evenhand import monitor
plan, address, *days = sys.argv[1:]
store = monitor.open_store(address)
print("begun", flush=True)
for day in days:
    monitor.add(plan, store, day, late=True)
    print(day, flush=True)
"""


def adding(plan: Path, address: str, said: Path, days: list[str]) -> subprocess.Popen[bytes]:
    """A process that adds days, and tells of each in the file `said` once it is there."""
    with said.open("w") as told:
        return subprocess.Popen(
            [sys.executable, "-c", ADDS, str(plan), address, *days],
            stdout=told,
            stderr=subprocess.STDOUT,
            env=os.environ | {"OMP_NUM_THREADS": "1"},
        )


def whole_days(address: str) -> list[str]:
    """The days that count, each of which must have all that belongs to it."""
    store = monitor.open_store(address)
    with store.reading() as connection:
        there = connection.execute(select(day.c.id, day.c.day, day.c.number).order_by(day.c.number)).all()
        counted = select(evidence.c.day_id, func.count()).group_by(evidence.c.day_id)
        kinds = {row[0]: row[1] for row in connection.execute(counted)}
        looks = connection.execute(select(look.c.day).order_by(look.c.number)).scalars().all()
        states = connection.execute(select(state.c.number)).scalars().all()
    store.close()
    assert [row.number for row in there] == list(range(1, len(there) + 1))
    assert kinds == {row.id: 2 for row in there}
    assert looks == [row.day for row in there]
    assert states == ([there[-1].number] if there else [])
    return [row.day for row in there]


def killed_again_and_again(
    plan: Path,
    new_store: Callable[[], str],
    days: list[str],
    kills: int,
    seed: int = 0,
) -> int:
    """Kill whoever adds the days so many times, each at a random moment of the time that all days take at
    rest. Whenever all days are there they are compared with days that were added at rest, and another store
    is begun; gives how many stores were filled."""
    rng, said = random.Random(seed), plan.parent / "said"
    longest = _undisturbed(plan, new_store(), said, days)
    address, before, filled, killed = new_store(), list[str](), 0, 0
    monitor.open_store(address).close()
    while killed < kills or before or not filled:
        process = _begun(plan, address, said, days)
        if killed < kills:
            time.sleep(rng.uniform(0, longest))
            killed += process.poll() is None
            process.kill()
            process.wait()
        else:
            assert process.wait() == 0, said.read_text()
        there = whole_days(address)
        assert there[: len(before)] == before, "a day that was there is lost"
        told = set(said.read_text().split()) - {"begun"}
        assert told <= set(there), f"a day that was said to be added is lost: {told}"
        before = there
        if there == days:
            same_as_undisturbed(plan, address, days)
            address, before, filled = new_store(), [], filled + 1
    return filled


def _begun(plan: Path, address: str, said: Path, days: list[str]) -> subprocess.Popen[bytes]:
    """A process that adds days, once it is at it: what it imports is no moment to be killed at."""
    process = adding(plan, address, said, days)
    while process.poll() is None and "begun" not in said.read_text():
        time.sleep(0.01)
    return process


def _undisturbed(plan: Path, address: str, said: Path, days: list[str]) -> float:
    """How long it takes to add all days, in seconds: on a busy machine many times as long as on a quiet one,
    and kills that come before the first day show nothing."""
    monitor.open_store(address).close()
    process, begun = _begun(plan, address, said, days), time.monotonic()
    assert process.wait() == 0, said.read_text()
    return time.monotonic() - begun


def same_as_undisturbed(plan: Path, address: str, days: list[str]) -> None:
    """What is found is what would have been found without a crash."""
    with tempfile.TemporaryDirectory() as folder:
        store, calm = monitor.open_store(address), monitor.open_store(str(Path(folder) / "calm.db"))
        for each in days:
            monitor.add(plan, calm, each)
        ours, theirs = (monitor.history(one, plan.stem).document for one in (store, calm))
        store.close()
        calm.close()
    assert ours == theirs


def database(server: str, number: int) -> str:
    """The address of a new database of this number, in place of the last one."""
    admin = create_engine(make_url(server).set(drivername="postgresql+psycopg"), isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        for each in (number - 1, number):
            connection.exec_driver_sql(f"DROP DATABASE IF EXISTS evenhand_kills_{each} WITH (FORCE)")
        connection.exec_driver_sql(f"CREATE DATABASE evenhand_kills_{number}")
    admin.dispose()
    address = make_url(server).set(database=f"evenhand_kills_{number}")
    return address.render_as_string(hide_password=False)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--days", type=int, default=12)
    parser.add_argument("--store", help="a PostgreSQL server; SQLite files otherwise")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    from monitor import PLAN, write_day  # beside this file

    with tempfile.TemporaryDirectory() as made:
        folder, numbers = Path(made), itertools.count(1)
        labels = [(date(2024, 1, 1) + timedelta(each)).isoformat() for each in range(asked.days)]
        for number, label in enumerate(labels):
            write_day(folder, label, 20_000, number)
        plan = folder / "feed.toml"
        plan.write_text(PLAN.format(clusters='"user_id"'))

        def new_store() -> str:
            number = next(numbers)
            return str(folder / f"m{number}.db") if asked.store is None else database(asked.store, number)

        filled = killed_again_and_again(plan, new_store, labels, asked.kills, asked.seed)
    print(f"killed {asked.kills} times, {filled} stores of {asked.days} days: none half-added, none lost")


if __name__ == "__main__":
    main()
