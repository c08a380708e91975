"""How often does the association audit alarm on noise, and do its intervals hold the truth?

    .venv/bin/python benchmarks/association_calibration.py [--runs 1000]

Prints the tables of docs/evidence/calibration/association.md. The worlds are those of tests/calibration,
where the same numbers are held against their limits. Two hundred runs of Beattie's own tests, and half of
the runs for intervals.
"""

from __future__ import annotations

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from calibration.association_worlds import (
    CROSSFIT,
    GROUPS,
    INSAMPLE,
    Population,
    coverage,
    groups_held,
    on_noise,
)
from evenhand.association.directions.fits import METHODS

SETTINGS = [(0.3, 1_500, (500, 60)), (0.6, 300, (100, 40)), (1.0, 120, (30, 20))]


def alarms(runs: int, task: tuple[str, bool, bool]) -> tuple[float, float, float]:
    """Percent of worlds of noise where the first test alarms, any one does, and all do."""
    method, uneven, insample = task
    found = on_noise(
        method, min(runs, 200) if insample else runs, INSAMPLE if insample else CROSSFIT, uneven=uneven
    )
    adjusted = np.array([tests.adjusted for tests in found])
    counts = adjusted[:, 0], adjusted.min(axis=1), adjusted.max(axis=1)
    return tuple(float(100 * np.mean(values <= 0.05)) for values in counts)  # type: ignore[return-value]


def held(runs: int, task: tuple[str, float, int, tuple[int, int]]) -> dict[str, float]:
    method, strength, users, items = task
    return coverage(Population(strength), users, items, method, runs)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=1_000)
    runs = parser.parse_args().runs
    noise = [
        (method, uneven, insample)
        for method in METHODS
        for uneven in (False, True)
        for insample in (False, True)
    ]
    covered = [(method, *setting) for method in ("centroid", "svc") for setting in SETTINGS]
    with ProcessPoolExecutor(2) as pool:
        print("| direction | cloud | tests | first test alarms | any test alarms | all tests alarm |")
        print("|---|---|---|---|---|---|")
        for task, found in zip(noise, pool.map(partial(alarms, runs), noise), strict=True):
            words = task[0], "uneven" if task[1] else "round", "in-sample" if task[2] else "cross-fitted"
            print(f"| {' | '.join(words)} | {' | '.join(f'{value:.1f}' for value in found)} |", flush=True)
        print("\n| direction | strength, users, items | geaa | deaa | r_ripa |\n|---|---|---|---|---|")
        for row, kept in zip(covered, pool.map(partial(held, runs // 2), covered), strict=True):
            where = f"{row[1]}, {row[2]:,}, {row[3][0]} and {row[3][1]}"
            print(
                f"| {row[0]} | {where} | {' | '.join(f'{value:.1f}' for value in kept.values())} |",
                flush=True,
            )
    print(
        "\n| strength, users | items | a group by itself | where least | all at once |\n|---|---|---|---|---|"
    )
    for strength, users, sizes in GROUPS:
        kept = groups_held(Population(strength), users, sizes, runs)
        where = f"{strength}, {users:,} | {', '.join(map(str, sizes))}"
        print(f"| {where} | {' | '.join(f'{value:.1f}' for value in kept)} |", flush=True)


if __name__ == "__main__":
    main()
