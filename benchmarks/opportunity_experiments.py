"""What it costs to count all arms of several experiments in one pass, and to hash text ids alike everywhere.

    .venv/bin/python benchmarks/opportunity_experiments.py --rows 10000000

Least of the rounds, in seconds and in multiples of the bare counts by group and bucket, on two threads.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import ibis

from evenhand.inputs import table
from evenhand.opportunity.ab_tests.arm_counting import count_arms
from evenhand.opportunity.logs.counting import Question

EXPERIMENTS = {
    "e1": ["control", "treatment"],
    "e2": ["a", "b", "c"],
    "e3": ["off", "on"],
    "e4": ["off", "on"],
}
DIGITS = "0123456789abcdef"


def write_log(engine, path: Path, rows: int, users: int) -> None:
    """Rows of users in random order; the arms of a user follow from his id."""
    arms = ", ".join(
        f"{values}[1 + ((user_id // {step}) % {len(values)})::int] AS {name}"
        for step, (name, values) in zip((1, 7, 31, 97), EXPERIMENTS.items(), strict=True)
    )
    engine.con.execute(
        f"""COPY (
            SELECT *, 'user-' || user_id AS member, {arms} FROM (
                SELECT (random() * {users})::BIGINT AS user_id, random() < .3 AS liked,
                       ['x', 'y', 'z'][1 + floor(random() * 3)::int] AS creator_age
                FROM range({rows})
            )
        ) TO '{path}'"""
    )


def by_sql(engine, path: Path, bucket: str) -> None:
    engine.con.execute(
        f"SELECT {bucket} AS bucket, creator_age, count(*), sum(liked::int) FROM '{path}' GROUP BY ALL"
    ).fetchall()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    asked = parser.parse_args()
    engine = ibis.duckdb.connect(threads=2)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.parquet"
        write_log(engine, path, asked.rows, asked.rows // 10)
        by_user = Question.of("liked", "creator_age", "user_id", None, None, "refuse")
        by_row = Question.of("liked", "creator_age", None, None, None, "refuse")
        names = list(EXPERIMENTS)
        asked_for = dict.fromkeys(names, ())  # all arms of each
        grouping = ", ".join(f"({name}, bucket, creator_age)" for name in names)
        bucket = "((user_id * 1640531527) >> 22) & 1023"
        md5 = "+".join(
            f"(strpos('{DIGITS}', substr(md5(member), {place}, 1)) - 1) * {weight}"
            for place, weight in ((1, 64), (2, 4))
        )
        ways = {
            "counts by group and bucket (one log)": lambda: by_user.count(table(path, engine=engine)),
            "four experiments, by user": lambda: count_arms(by_user, table(path, engine=engine), asked_for),
            "four experiments, rows taken as independent": lambda: count_arms(
                by_row, table(path, engine=engine), asked_for
            ),
            "four experiments by grouping sets, nothing about users": lambda: engine.con.execute(
                f"SELECT {', '.join(names)}, {bucket} AS bucket, creator_age, count(*), sum(liked::int) "
                f"FROM '{path}' GROUP BY GROUPING SETS ({grouping})"
            ).fetchall(),
            "text ids by DuckDB's hash": lambda: by_sql(engine, path, "hash(member) & 1023"),
            "text ids by digits of MD5": lambda: by_sql(engine, path, md5),
        }
        least = dict.fromkeys(ways, float("inf"))
        for _ in range(asked.rounds):
            for name, run in ways.items():
                start = time.perf_counter()
                run()
                least[name] = min(least[name], time.perf_counter() - start)
    bare = least["counts by group and bucket (one log)"]
    print(f"{asked.rows:,} rows, {asked.rows // 10:,} users\n\n| | seconds | times |\n|---|---|---|")
    for name, seconds in least.items():
        print(f"| {name} | {seconds:.2f} | {seconds / bare:.1f} |")


if __name__ == "__main__":
    main()
