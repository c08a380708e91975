"""A year of days added to a monitor in turn: time a day, bytes a day, and the audit over all rows at once.

    python benchmarks/monitor.py                                  # 365 days of a million rows, on SQLite
    python benchmarks/monitor.py --days 10 --rows 100000          # the short version that the tests run
    python benchmarks/monitor.py --store m.db --store postgresql://...   # on PostgreSQL, too
    python benchmarks/monitor.py --clusters 2                     # by users and by creators

Logs are written day by day into --folder (6 MB a day and million rows), and kept for the audit at the end.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from sqlalchemy import func, select

import evenhand as eh
from evenhand import monitor
from evenhand.store.tables import evidence

GROUPS = 5
PLAN = """
[inputs.default]
path = "default-{{day}}.parquet"

[inputs.random]
path = "random-{{day}}.parquet"

[[audits]]
audit = "opportunity"
default = "default"
random = "random"
label = "liked"
group = "creator_age"
cluster = {clusters}
"""


def write_day(folder: Path, day: str, rows: int, seed: int) -> None:
    """Users who return every day, some of whom like more; the first group is shown too often."""
    rng = np.random.default_rng([7, seed])
    for name, count in (("default", rows), ("random", rows // 10)):
        shares = np.ones(GROUPS) + (np.arange(GROUPS) == 0) * 0.3 * (name == "default")
        group = rng.choice(GROUPS, count, p=shares / shares.sum()).astype(np.int32)
        user = rng.integers(0, 200_000, count).astype(np.int32)
        liked = (rng.random(count) < 0.05 + 0.1 * (user % 7 == 0)).astype(np.int8)
        creator = (rng.integers(0, 20_000, count) * GROUPS + group).astype(np.int32)
        names = pa.array([f"{18 + 10 * each}-{27 + 10 * each}" for each in range(GROUPS)])
        table = pa.table(
            {
                "user_id": user,
                "creator_id": creator,
                "liked": liked,
                "creator_age": pa.DictionaryArray.from_arrays(pa.array(group), names).cast(pa.string()),
            }
        )
        pq.write_table(table, folder / f"{name}-{day}.parquet", compression="zstd")


def measured(
    folder: Path, addresses: list[str], days: int, rows: int, clusters: int
) -> list[dict[str, object]]:
    """Add the days to each store, and audit all rows: seconds a day, bytes a day, the largest difference."""
    named = ["user_id", "creator_id"][:clusters]
    plan = folder / "feed.toml"
    plan.write_text(PLAN.format(clusters=json.dumps(named)))
    first = date(2024, 1, 1)
    stores = [monitor.open_store(address) for address in addresses]
    wall, cpu = np.zeros((days, len(stores))), np.zeros((days, len(stores)))
    for number in range(days):
        label = (first + timedelta(number)).isoformat()
        write_day(folder, label, rows, number)
        for at, store in enumerate(stores):
            begun, worked = time.perf_counter(), time.process_time()
            monitor.add(plan, store, label)
            wall[number, at] = time.perf_counter() - begun
            cpu[number, at] = time.process_time() - worked
        if number % 30 == 0:
            print(f"{label}: {wall[number].round(2)} s, {cpu[number].round(2)} s of processors", flush=True)
    begun = time.perf_counter()
    whole = eh.opportunity.audit(
        str(folder / "default-*.parquet"), str(folder / "random-*.parquet"), label="liked",
        group="creator_age", cluster=named,
    )  # fmt: skip
    took = time.perf_counter() - begun
    found: list[dict[str, object]] = [
        {
            "store": store.engine.dialect.name,
            "days": days,
            "rows a day": rows,
            # The first day loads and compiles what all of them need.
            "seconds of the first ten": round(float(np.median(wall[1:11, at])), 3),
            "seconds of the last ten": round(float(np.median(wall[-10:, at])), 3),
            "ratio": round(float(np.median(wall[-10:, at]) / np.median(wall[1:11, at])), 3),
            "ratio of processor time": round(float(np.median(cpu[-10:, at]) / np.median(cpu[1:11, at])), 3),
            "seconds of the audit over all rows": round(took, 1),
            **_stored(store, plan, whole),
        }
        for at, store in enumerate(stores)
    ]
    for store in stores:
        store.close()
    return found


def _stored(store: monitor.Store, plan: Path, whole: eh.AuditResult) -> dict[str, object]:
    """What a store has, and how far it is from the audit over all rows."""
    with store.reading() as connection:
        chosen = select(evidence.c.day_id, func.sum(func.length(evidence.c.content)))
        sizes = [size for _, size in connection.execute(chosen.group_by(evidence.c.day_id))]
    document = monitor.history(store, "feed").document
    assert document is not None
    running = next(one.estimate for one in document.findings if one.measure == "running_penalty")
    return {
        "largest bytes a day": int(max(sizes)),
        "largest difference": _difference(monitor.over_days(plan, store).findings, whole.findings),
        "difference of all days so far": abs(running - whole.find("reo_penalty").estimate),
    }


def _difference(ours: tuple[eh.Finding, ...], theirs: tuple[eh.Finding, ...]) -> float:
    """How far estimates and limits are apart at most."""
    apart = [0.0]
    for one, other in zip(ours, theirs, strict=True):
        assert one.id == other.id
        apart.append(abs(one.estimate - other.estimate))
        if one.interval is not None and other.interval is not None:
            apart += [
                abs(one.interval.low - other.interval.low),
                abs(one.interval.high - other.interval.high),
            ]
    return max(apart)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--days", type=int, default=365)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--store", action="append", default=None)
    parser.add_argument("--folder", type=Path, default=None)
    parser.add_argument("--clusters", type=int, choices=(1, 2), default=1)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=asked.folder) as made:
        folder = Path(made)
        told = measured(folder, asked.store or [str(folder / "m.db")], asked.days, asked.rows, asked.clusters)
    print(json.dumps(told, indent=2))


if __name__ == "__main__":
    main()
