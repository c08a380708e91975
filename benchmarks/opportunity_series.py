"""Do intervals of a series hold on every day at once? Prints the tables of docs/opportunity-series.md.

    .venv/bin/python benchmarks/opportunity_series.py --runs 1000

A year of daily logs and one random log, or random traffic of every day, with known truth. The worlds are
those of tests/calibration, where the same numbers are held against their limits.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from calibration.series_worlds import CHANGES, YEARS, coverage_of_changes, holds_every_day

EVERY_DAY = ["penalty", "groups", "ratio", "fixed", "running penalty", "running fixed"]


def _row(name: str, values: list[str]) -> None:
    print(f"| {name} | {' | '.join(values)} |", flush=True)


def _head(title: str, columns: list[str]) -> None:
    print(f"\n### {title}\n\n| setting | {' | '.join(columns)} |")
    print("|---" * (len(columns) + 1) + "|")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=1_000, help="simulated series a setting")
    runs = parser.parse_args().runs
    started = time.perf_counter()
    print(f"Percent of {runs:,} simulated years in which the interval holds the truth on all 365 days.")
    _head("Every day of a year at once", [*EVERY_DAY, "times as wide", "running, times as wide"])
    for name, world in YEARS.items():
        found = holds_every_day(world, runs)
        wider = [found[f"{kind}width"] / found[f"{kind}fixed width"] for kind in ("", "running ")]
        _row(name, [*(f"{found[key]:.1f}" for key in EVERY_DAY), *(f"{ratio:.1f}" for ratio in wider)])
    print(f"{time.perf_counter() - started:.0f} s", file=sys.stderr)
    columns = ["day before", "first two", "separate"]
    _head("Changes, each by itself: percent of intervals that hold", columns)
    for name, changing in CHANGES.items():
        covered = coverage_of_changes(changing, runs)
        _row(name, [f"{covered[key]:.1f}" for key in columns])
    print(f"{time.perf_counter() - started:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
