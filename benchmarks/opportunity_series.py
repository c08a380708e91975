"""Do intervals of a series hold on every day at once?

The tables of docs/evidence/calibration/opportunity-series.md.

    .venv/bin/python benchmarks/opportunity_series.py --runs 1000

A year of daily logs and one random log, or random traffic of every day, with known truth; uniform, then
drawn with unequal probabilities. The worlds are those of tests/calibration, where the same numbers are held
against their limits.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from calibration.series_worlds import CHANGES, YEARS, Days, coverage_of_changes, holds_every_day
from calibration.weighted_series_worlds import (
    CLOSE,
    FIRST_DAYS,
    WEIGHTED_CHANGES,
    WEIGHTED_YEARS,
    least_effective,
)

EVERY_DAY = ["penalty", "groups", "ratio", "fixed", "running penalty", "running fixed"]
FIRST_DAY = ["effective positives", "penalty", "groups", "ratio"]
CHANGE = ["day before", "first two", "separate"]


def _row(name: str, values: list[str]) -> None:
    print(f"| {name} | {' | '.join(values)} |", flush=True)


def _head(title: str, columns: list[str]) -> None:
    print(f"\n### {title}\n\n| setting | {' | '.join(columns)} |")
    print("|---" * (len(columns) + 1) + "|")


def _measure(
    pool: ProcessPoolExecutor, function: Callable, worlds: dict[str, Days], runs: int
) -> Iterator[tuple[str, dict[str, float]]]:
    waiting = {
        name: pool.submit(function, world, 4 * runs if name in CLOSE else runs)
        for name, world in worlds.items()
    }
    yield from ((name, future.result()) for name, future in waiting.items())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=1_000, help="simulated series a setting")
    parser.add_argument("--weighted", action="store_true", help="only random traffic that is weighted")
    asked = parser.parse_args()
    runs = asked.runs
    kinds = [] if asked.weighted else [("", YEARS, CHANGES)]
    kinds.append((", weighted random traffic", WEIGHTED_YEARS, WEIGHTED_CHANGES))
    with ProcessPoolExecutor() as pool:
        print(f"Percent of {runs:,} simulated years in which the interval holds the truth on all 365 days.")
        for kind, years, changes in kinds:
            _years(f"Every day of a year at once{kind}", _measure(pool, holds_every_day, years, runs))
            _head(f"Changes, each by itself{kind}: percent of intervals that hold", CHANGE)
            for name, covered in _measure(pool, coverage_of_changes, changes, runs):
                _row(name, [f"{covered[key]:.1f}" for key in CHANGE])
        _head("The first day alone, few random positives: percent of 97.5% intervals that hold", FIRST_DAY)
        for name, held in _measure(pool, holds_every_day, FIRST_DAYS, 20 * runs):
            effective = least_effective(FIRST_DAYS[name])
            _row(name, [f"{effective:.0f}", *(f"{held[key]:.1f}" for key in FIRST_DAY[1:])])


def _years(title: str, measured: Iterator[tuple[str, dict[str, float]]]) -> None:
    _head(title, [*EVERY_DAY, "times as wide", "running, times as wide"])
    for name, found in measured:
        wider = [found[f"{kind}width"] / found[f"{kind}fixed width"] for kind in ("", "running ")]
        _row(name, [*(f"{found[key]:.1f}" for key in EVERY_DAY), *(f"{ratio:.1f}" for ratio in wider)])


if __name__ == "__main__":
    main()
