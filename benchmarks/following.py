"""How often does a year of daily looks raise a flag where nothing changed? Prints the table of
docs/calibration/following.md.

    .venv/bin/python benchmarks/following.py --years 500 [--jobs 2] [--worlds groups exposure ...]

In every world the truth is just at the tolerance all year, so that each flag is false. The worlds are those
of tests/calibration, where the same numbers are held against their limits in short.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from calibration.following_worlds import YEARS, years_with_flags
from calibration.rates import wilson

AT_ONCE = 20


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--years", type=int, default=500)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--worlds", nargs="*", default=[""])
    asked = parser.parse_args()
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


if __name__ == "__main__":
    main()
