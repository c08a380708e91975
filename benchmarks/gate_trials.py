"""What a split of users costs in a trial of a gate: from counts by bucket, and with the logs read again.

    .venv/bin/python benchmarks/gate_trials.py --rows 3000000

Seconds, and multiples of reading both logs once; the second column hardly grows with the rows.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import duckdb
import numpy as np

from evenhand import inputs
from evenhand.asked.audits import AUDITS
from evenhand.plan.aa.splits import BUCKETS, ReadAgain


def write_log(path: Path, rows: int, users: int) -> None:
    duckdb.sql(
        f"""COPY (
            SELECT (random() * {users})::BIGINT AS user_id, random() < .3 AS liked,
                   ['x', 'y', 'z'][1 + floor(random() * 3)::int] AS creator_age
            FROM range({rows})
        ) TO '{path}'"""
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=3_000_000)
    parser.add_argument("--splits", type=int, default=20)
    asked = parser.parse_args()
    step = AUDITS["opportunity"].load().model_validate(
        {
            "audit": "opportunity", "default": "log", "random": "random", "label": "liked",
            "group": "creator_age", "cluster": "user_id",
        }
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        tables = {}
        for name, rows in (("log", asked.rows), ("random", asked.rows // 10)):
            write_log(Path(folder) / f"{name}.parquet", rows, asked.rows // 30)
            tables[name] = inputs.table(f"{folder}/{name}.parquet", name=name)
        step.run(tables, 0, lambda message: None)  # what is loaded and compiled once
        began = time.perf_counter()
        counted = step.parted(tables, 0, lambda message: None)
        reading = time.perf_counter() - began
        print(f"reading once         {reading:8.3f} s   1.00")
        again = ReadAgain(step, tables, "user_id", 0)
        for name, trial, splits in (("from counts", counted, asked.splits), ("read again", again, 3)):
            began = time.perf_counter()
            for split in range(splits):
                trial.findings(np.random.default_rng(split).permutation(BUCKETS))
            taken = (time.perf_counter() - began) / splits
            print(f"a split, {name:12}{taken:8.3f} s   {taken / reading:.2f}")


if __name__ == "__main__":
    main()
