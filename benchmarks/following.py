"""How often does a year of daily looks raise a flag where nothing changed, and is what changed flagged within
the days that were promised? Prints the tables of docs/evidence/calibration/following.md.

    .venv/bin/python benchmarks/following.py --years 500 [--jobs 2] [--worlds groups exposure ...]
    .venv/bin/python benchmarks/following.py --years 200 --promises

In every world the truth is just at the tolerance all year, so that each flag is false. The worlds are those
of tests/calibration, where the same numbers are held against their limits in short.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from calibration.following_worlds import YEARS, years_with_flags
from calibration.promise_worlds import CHANGES, promises
from calibration.rates import wilson

AT_ONCE = 20


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--years", type=int, default=500)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--worlds", nargs="*", default=[""])
    parser.add_argument("--promises", action="store_true")
    asked = parser.parse_args()
    if asked.promises:
        _promises(asked.years, asked.jobs, asked.worlds)
        return
    print("| world | reading | years with a flag | 95% | two in a row |")
    print("|---|---|---|---|---|")
    with ProcessPoolExecutor(asked.jobs) as pool:
        for name in [name for name in YEARS if any(word in name for word in asked.worlds)]:
            starts = range(0, asked.years, AT_ONCE)
            counts = [min(AT_ONCE, asked.years - start) for start in starts]
            hits: Counter[str] = Counter()
            for part in pool.map(years_with_flags, [name] * len(counts), counts, starts):
                hits.update(part)
            for reading in [key for key in hits if "row" not in key]:
                low, high = wilson(hits[reading], asked.years)
                print(
                    f"| {name} | {reading} | {hits[reading]} of {asked.years} | {low:.1%} to {high:.1%} | "
                    f"{hits[f'{reading}, two in a row']} |",
                    flush=True,
                )


def _promises(years: int, jobs: int, worlds: list[str]) -> None:
    print("| change | looks in a row | reading | years with a promise | days, median | kept |")
    print("|---|---|---|---|---|---|")
    starts = range(0, years, AT_ONCE)
    counts = [min(AT_ONCE, years - start) for start in starts]
    with ProcessPoolExecutor(jobs) as pool:
        for name in [name for name in CHANGES if any(word in name for word in worlds)]:
            for waiting in (1, 2):
                parts = list(
                    pool.map(promises, [name] * len(counts), counts, [waiting] * len(counts), starts)
                )
                for reading in parts[0]:
                    promised = [days for part in parts for days in part[reading]["promised"]]
                    took = [days for part in parts for days in part[reading]["took"]]
                    kept = sum(one <= other for one, other in zip(took, promised, strict=True))
                    share = f"{kept / len(promised):.0%}" if promised else ""
                    middle = f"{median(promised):g}" if promised else ""
                    told = f"{len(promised)} of {years} | {middle} | {share}"
                    print(f"| {name} | {waiting} | {reading} | {told} |", flush=True)


if __name__ == "__main__":
    main()
