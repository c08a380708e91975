"""What the opportunity audit costs, in multiples of named baselines measured in the same run.

    .venv/bin/python benchmarks/opportunity.py [--rows 100000000] [--rounds 5] [--markdown PATH]

Writes a default log of that many rows and a random log of a tenth of them as Parquet into a temporary folder
(DuckDB, seeded): six labels, a group, a user id, an item id and a day. Then everything below is run once to
warm up and once in every round, in a new random order each time, so that what else the machine does hits all
alike.

- the bare query: DuckDB counts the positives by group in both logs, and nothing else;
- the same query with the user column read too, as an audit with clusters must read it, and with the day, as
  a series must. It asks for the greatest id: DuckDB takes count(user_id) from the footers, without reading;
- the counts that an audit with clusters makes, as SQL by hand: what the audit takes beyond it is Evenhand's;
- counts by user instead of buckets of users: clusters the naive way;
- counts by bucket with the item column read too, as an audit with clusters of users and items must read it;
  and with the positives by bucket of items, in one pass, from narrow rows that are kept for both. The audit
  makes two passes instead: what is kept grows with the log, and saves little where there is one label;
- the whole audit, from paths to findings: with and without clusters, with those of users and items at once,
  with and without a bootstrap; and the
  series of all days, with clusters, of a log that was written day by day and of one in no order of days.

Memory is the peak of a fresh process that runs one audit with clusters. The targets are at the end, each with
whether it was reached: a ratio is that of the shortest times, which other processes disturb least. On a busy
machine (see the load) even those mean little, and only the ratio of processor times can be trusted; that one
is lower, as it spreads over all cores what the audit does on one.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import version
from pathlib import Path

import duckdb
import pyarrow as pa
from rich.console import Console
from rich.table import Table

import evenhand as eh
from evenhand.results import AuditResult

LABELS = {
    "like_video": 0.05,
    "share": 0.01,
    "follow": 0.012,
    "finish": 0.15,
    "download": 0.01,
    "long_view": 0.12,
}
GROUP, GROUP_SHARE = "young_adult", 0.15
USERS = 1_000_000
ITEMS = 200_000
SKEW = 3  # an id is USERS * u**SKEW, u uniform: the most active 1% of users have 22% of the rows
DAYS = 14
REPLICATES = 10_000

POSITIVE = " OR ".join(LABELS)
# evenhand.inputs.bucket for ids from 0 to 2**32 - 1.
BUCKET = "((user_id * 1640531527) >> 22) & 1023"
ITEM_BUCKET = BUCKET.replace("user_id", "item_id")
QUERIES = {
    "bare query: positives by group": f"""
        SELECT {GROUP}, count(*) FILTER (WHERE {POSITIVE}) FROM '{{log}}' GROUP BY 1""",
    "bare query, user column read": f"""
        SELECT {GROUP}, count(*) FILTER (WHERE {POSITIVE}), max(user_id) FROM '{{log}}' GROUP BY 1""",
    "bare query, user and day read": f"""
        SELECT {GROUP}, count(*) FILTER (WHERE {POSITIVE}), max(user_id), max(day)
        FROM '{{log}}' GROUP BY 1""",
    "counts by bucket, SQL by hand": f"""
        SELECT {GROUP}, {BUCKET}, count(*), sum(CAST({POSITIVE} AS INTEGER)) FROM '{{log}}' GROUP BY 1, 2""",
    "counts by user, SQL by hand": f"""
        SELECT {GROUP}, user_id, count(*), sum(CAST({POSITIVE} AS INTEGER)) FROM '{{log}}' GROUP BY 1, 2""",
    "counts by bucket, item column read": f"""
        SELECT {GROUP}, {BUCKET}, count(*), sum(CAST({POSITIVE} AS INTEGER)), max(item_id)
        FROM '{{log}}' GROUP BY 1, 2""",
    "counts by bucket of users and of items, rows kept": f"""
        WITH kept AS MATERIALIZED (
            SELECT {GROUP} AS g, CAST({BUCKET} AS SMALLINT) AS u, CAST({ITEM_BUCKET} AS SMALLINT) AS i,
                CAST({POSITIVE} AS UTINYINT) AS p
            FROM '{{log}}')
        SELECT g, u, count(*), sum(p), false FROM kept GROUP BY 1, 2
        UNION ALL SELECT g, i, count(*), count(*), true FROM kept WHERE p = 1 GROUP BY 1, 2""",
}
BARE, WITH_USERS, WITH_DAYS, *_ = QUERIES
CLUSTERED, INDEPENDENT = "audit, clusters of users", "audit, rows independent"
TWO_WAY = "audit, clusters of users and of items"
SERIES = "series of days, clusters of users"
SHUFFLED = ", days shuffled"
BOOTSTRAP = f", bca of {REPLICATES:,} replicates"

SLOWEST = 1.3  # times the bare query over the same columns
MEMORY = 1.5e9  # bytes
BOOTSTRAP_SECONDS = 1.0

Cells = list[tuple[str, ...]]  # the header and the rows of a table


@dataclass(frozen=True)
class Logs:
    default: Path
    random: Path


@dataclass
class Timing:
    """Seconds of one call in every round: by the clock, and of all processor cores together."""

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    def over(self, other: Timing) -> tuple[float, float, float]:
        """This in multiples of `other`: medians, shortest times, least processor time."""
        return (
            statistics.median(self.wall) / statistics.median(other.wall),
            min(self.wall) / min(other.wall),
            min(self.cpu) / min(other.cpu),
        )

    def added_to(self, other: Timing) -> float:
        """Median of the seconds by which this took longer than `other` in the same round."""
        return statistics.median(a - b for a, b in zip(self.wall, other.wall, strict=True))


def generate(folder: Path, rows: int, seed: float = 0.5) -> Logs:
    """Both logs; the same seed gives the same rows."""
    logs = Logs(folder / "default.parquet", folder / "random.parquet")
    with duckdb.connect() as connection:
        connection.execute("SET threads = 1")  # with more, who draws which number is a matter of chance
        connection.execute(f"SELECT setseed({seed})")
        columns = [f"random() < {share} AS {name}" for name, share in {**LABELS, GROUP: GROUP_SHARE}.items()]
        for name, number in (("user_id", USERS), ("item_id", ITEMS)):
            columns.append(f"CAST(floor({number} * power(random(), {SKEW})) AS BIGINT) AS {name}")
        for path, count in ((logs.default, rows), (logs.random, max(1, rows // 10))):
            # As a log is written: one day after the other.
            day = f"CAST(1 + {DAYS} * row // {count} AS INTEGER) AS day"
            select = f"SELECT {', '.join([*columns, day])} FROM range({count}) AS rows(row)"
            connection.execute(f"COPY ({select}) TO '{path}' (FORMAT parquet)")
    return logs


def with_shuffled_days(logs: Logs) -> Logs:
    """The same logs, the rows of the default log in no order of days: the hardest for a series."""
    path = logs.default.with_name("shuffled.parquet")
    day = f"CAST(1 + hash(file_row_number) % {DAYS} AS INTEGER) AS day"
    select = f"SELECT * EXCLUDE file_row_number REPLACE ({day})"
    source = f"read_parquet('{logs.default}', file_row_number = true)"
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({select} FROM {source}) TO '{path}' (FORMAT parquet)")
    return Logs(path, logs.random)


def query(connection: duckdb.DuckDBPyConnection, sql: str, logs: Logs) -> list[pa.Table]:
    """What a query finds in each log; as Arrow, which is quicker than tuples where there are many rows."""
    return [connection.sql(sql.format(log=log)).to_arrow_table() for log in (logs.default, logs.random)]


def bare_counts(connection: duckdb.DuckDBPyConnection, logs: Logs) -> dict[tuple[str, str], int]:
    """Positives by log and group, from the bare query."""
    tables = query(connection, QUERIES[BARE], logs)
    return {
        (log, str(group)): positives
        for log, table in zip(("default", "random"), tables, strict=True)
        for group, positives in zip(*(column.to_pylist() for column in table.columns), strict=True)
    }


def audit(
    logs: Logs, cluster: str | tuple[str, ...] | None = "user_id", interval: str = "hull"
) -> AuditResult:
    return eh.opportunity.audit(
        str(logs.default), str(logs.random), label=list(LABELS), group=GROUP, cluster=cluster,
        interval=interval, replicates=REPLICATES,
    )  # fmt: skip


def series(logs: Logs) -> AuditResult:
    return eh.opportunity.series(
        str(logs.default), str(logs.random), label=list(LABELS), group=GROUP, day="day", cluster="user_id"
    )


def audit_counts(result: AuditResult) -> dict[tuple[str, str], int]:
    """Positives by log and group, from the findings."""
    return {
        (log, str(finding.subject["group"])): finding.details[f"positives_{log}"]
        for finding in result.findings
        if finding.measure == "relative_utility"
        for log in ("default", "random")
    }


def contestants(connection: duckdb.DuckDBPyConnection, logs: Logs) -> dict[str, Callable[[], object]]:
    """Everything that is timed, by name."""

    timed: dict[str, Callable[[], object]] = {
        name: partial(query, connection, sql, logs) for name, sql in QUERIES.items()
    }
    for name, cluster in ((CLUSTERED, "user_id"), (INDEPENDENT, None)):
        timed[name] = partial(audit, logs, cluster, "hull")
        timed[name + BOOTSTRAP] = partial(audit, logs, cluster, "bca")
    timed[TWO_WAY] = partial(audit, logs, ("user_id", "item_id"))
    for order, of in (("", logs), (SHUFFLED, with_shuffled_days(logs))):
        timed[WITH_DAYS + order] = partial(query, connection, QUERIES[WITH_DAYS], of)
        timed[SERIES + order] = partial(series, of)
    return timed


def measure(calls: dict[str, Callable[[], object]], rounds: int, seed: int = 0) -> dict[str, Timing]:
    """Seconds of every call in `rounds` rounds of shuffled order, after one that is not counted."""
    timings = {name: Timing() for name in calls}
    order, shuffle = list(calls), random.Random(seed).shuffle
    for call in calls.values():
        call()
    for _ in range(rounds):
        shuffle(order)
        for name in order:
            wall, cpu = time.perf_counter(), time.process_time()
            calls[name]()
            timings[name].wall.append(time.perf_counter() - wall)
            timings[name].cpu.append(time.process_time() - cpu)
    return timings


def peak_memory(logs: Logs | None) -> float:
    """Bytes that a fresh process needed at most, to import Evenhand and audit `logs` if there are any."""
    arguments = [str(logs.default), str(logs.random)] if logs else []
    command = [sys.executable, __file__, "--report-memory", *arguments]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def _report_memory(paths: Sequence[str]) -> None:
    if paths:
        audit(Logs(Path(paths[0]), Path(paths[1])))
    status = Path("/proc/self/status")
    if status.exists():
        # Not ru_maxrss: Linux hands the peak of the parent down to the child.
        print(next(int(line.split()[1]) * 1024 for line in status.open() if line.startswith("VmHWM")))
    else:
        import resource

        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)  # in bytes on macOS


def times_table(timings: dict[str, Timing]) -> Cells:
    """A row for each call."""
    rows: Cells = [("", "median", "shortest", "x median", "x shortest", "x processor time")]
    for name, timing in timings.items():
        ratios = [f"{ratio:.2f}" for ratio in timing.over(timings[BARE])]
        rows.append((name, *(f"{1000 * f(timing.wall):,.0f} ms" for f in (statistics.median, min)), *ratios))
    return rows


def targets_table(timings: dict[str, Timing], imports: float, memory: float) -> Cells:
    """A row for each target."""
    rows: Cells = [("target", "limit", "measured", "")]

    def row(what: str, limit: str, measured: str, reached: bool) -> None:
        rows.append((what, limit, measured, "reached" if reached else "not reached"))

    pairs = [(INDEPENDENT, BARE), (CLUSTERED, WITH_USERS), (TWO_WAY, CLUSTERED), (SERIES, WITH_DAYS)]
    for name, bare in [*pairs, (SERIES + SHUFFLED, WITH_DAYS + SHUFFLED)]:
        _, ratio, processor = timings[name].over(timings[bare])
        measured = f"{ratio:.2f} x (processor time {processor:.2f} x)"
        row(f"{name}, against the {bare}", f"{SLOWEST} x", measured, ratio <= SLOWEST)
    what = f"peak memory of that audit ({imports / 1e6:,.0f} MB of it imports)"
    row(what, f"{MEMORY / 1e6:,.0f} MB", f"{memory / 1e6:,.0f} MB", memory < MEMORY)
    for name in (CLUSTERED, INDEPENDENT):
        added = timings[name + BOOTSTRAP].added_to(timings[name])
        what = f"seconds that {REPLICATES:,} replicates add, {name.removeprefix('audit, ')}"
        row(what, f"{BOOTSTRAP_SECONDS:.2f} s", f"{max(0.0, added):.2f} s", added < BOOTSTRAP_SECONDS)
    return rows


def setting(rows: int, rounds: int, load: float) -> str:
    """What was measured on what, without a name or a date; `load` is what else the machine had to do."""
    used = ", ".join(f"{name} {version(name)}" for name in ("evenhand", "duckdb", "ibis-framework", "numpy"))
    return (
        f"{rows:,} default and {max(1, rows // 10):,} random rows; {rounds} rounds in random order; "
        f"load {load:.1f} before the run; {os.cpu_count()} cores ({platform.machine()}), "
        f"Python {platform.python_version()}, {used}"
    )


def markdown(title: str, tables: Sequence[Cells]) -> str:
    parts = [title + "."]
    for header, *rows in tables:
        rule = ["---"] + ["---:"] * (len(header) - 1)
        parts.append("\n".join(f"| {' | '.join(cells)} |" for cells in (header, rule, *rows)))
    return "\n\n".join(parts) + "\n"


def show(title: str, tables: Sequence[Cells]) -> None:
    console = Console()
    console.print(title, highlight=False)
    for header, *rows in tables:
        table = Table()
        for place, name in enumerate(header):
            table.add_column(name, justify="right" if place else "left")
        for cells in rows:
            table.add_row(*cells)
        console.print(table)


def compare(rows: int, rounds: int, path: Path | None) -> None:
    """Generate, measure, show, and write the tables into `path` if there is one."""
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="evenhand-benchmark-") as folder:
        logs = generate(Path(folder), rows)
        with duckdb.connect() as connection:
            if bare_counts(connection, logs) != audit_counts(audit(logs)):
                sys.exit("The audit and the bare query count differently, so their times mean nothing.")
            timings = measure(contestants(connection, logs), rounds)
        memory = peak_memory(None), peak_memory(logs)
    title = setting(rows, rounds, load)
    tables = times_table(timings), targets_table(timings, *memory)
    show(title, tables)
    if path:
        path.write_text(markdown(title, tables), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=100_000_000, help="rows of the default log")
    parser.add_argument("--rounds", type=int, default=5, help="how often everything is measured")
    parser.add_argument("--markdown", type=Path, help="write the tables into this file, too")
    parser.add_argument("--report-memory", nargs="*", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.report_memory is None:
        compare(chosen.rows, chosen.rounds, chosen.markdown)
    else:
        _report_memory(chosen.report_memory)


if __name__ == "__main__":
    main()
