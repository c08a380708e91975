"""How often the intervals of the exposure audit hold the truth, in worlds where it is known.

.venv/bin/python benchmarks/exposure_calibration.py [--runs 1000]

Prints the tables of docs/evidence/calibration/exposure.md that are about the six measures; those about
pairs of groups are printed by exposure_pairs_calibration.py. The worlds are those of tests/calibration, which
hold the same figures to limits.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from calibration.exposure_rare_worlds import cold_start, nearly_right
from calibration.exposure_worlds import (
    SHARES,
    Population,
    bootstrap_coverage,
    calibrate,
    fair_to_groups,
    jackknife_coverage,
    population,
    shares_of_groups,
    watched,
)
from evenhand.exposure.measures import NAMES

WORLDS: dict[str, Callable[[], Population]] = {
    "biased towards popular items": lambda: population(1, 1),
    "mildly biased": lambda: population(0.3, 1),
    "accurate": lambda: population(0.3, 0.2),
    "unbiased": lambda: population(0, 1),
    "fair to groups": fair_to_groups,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--only", choices=["measures", "served"], help="only this part")
    options = parser.parse_args()
    if options.only != "served":
        _six_measures(options.runs)
    if options.only != "measures":
        _served(options.runs)


def _six_measures(runs: int) -> None:
    print(f"| world, users | {' | '.join(NAMES)} |\n{'|---' * 7}|")
    for name, make in WORLDS.items():
        for users in (100, 2000):
            _row(f"{name}, {users:,}", make(), users, runs)
    _row("a policy seen through three lists each, 100", watched(), 100, runs)
    _row("the same, half of the lists shown again, 100", watched(again=0.5), 100, runs)
    for chance in (0.05, 0.1):
        for users in (100, 200, 500, 1000):
            _row(f"{chance:.0%} get what is popular, {users:,}", cold_start(chance), users, runs)
    for chance in (0.003, 0.005, 0.01):
        _row(f"all but {chance:.1%} get what is right, 1,000", nearly_right(chance), 1000, runs)
    print(f"\n| other intervals, mildly biased, 100 users | {' | '.join(NAMES)} |\n{'|---' * 7}|")
    mild = population(0.3, 1)
    for name, found in (
        ("plain jackknife", jackknife_coverage(mild, 100, runs)),
        ("bootstrap percentiles", bootstrap_coverage(mild, 100, max(runs // 10, 20))),
    ):
        cells = [f"{found[measure]:.1f}" if measure in found else "–" for measure in NAMES]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


def _served(runs: int) -> None:
    print("\n| share that a user gets, groups x users | all hold | too low | too high | width | Student's |")
    print("|---" * 6 + "|")
    for name in SHARES:
        for groups, users in ((2, 20), (2, 50), (10, 50), (10, 200), (3, 1_000)):
            found = shares_of_groups(name, groups, users, runs)
            cells = " | ".join(f"{100 * found[part] / runs:.1f}" for part in ("held", "too low", "too high"))
            other = f"{100 * found['student'] / runs:.1f}, {found['student width']:.3f}"
            print(f"| {name}, {groups} x {users:,} | {cells} | {found['width']:.3f} | {other} |", flush=True)


def _row(name: str, world: Population, users: int, runs: int) -> None:
    found = calibrate(world, users, runs, seed=17)
    cells = [f"{found.coverage[measure]:.1f}" for measure in NAMES]
    print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
