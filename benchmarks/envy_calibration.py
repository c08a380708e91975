"""How often is an online audit of envy wrong, and how often does it cost a user more than allowed?

    .venv/bin/python benchmarks/envy_calibration.py --runs 2000

The worlds are those of tests/calibration, where the same numbers are held against delta = 5%.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from calibration.envy_worlds import DELTA, EPSILON, INSTANCES, WORLDS, calibrate


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=2_000)
    parser.add_argument("--bound", choices=list(EPSILON), action="append", help="only this one")
    options = parser.parse_args()
    runs = options.runs

    print(f"Percent of {runs:,} runs, delta = {DELTA:g}; epsilon = {EPSILON}.")
    for bound in options.bound or EPSILON:
        for choice in ("adaptive", "uniform"):
            worst = 0.0
            print(f"\n### {bound}, {choice}\n")
            print("| rewards | instance | wrong | constraint broken | either | inconclusive | median steps |")
            print("|---" * 7 + "|")
            for world, options in WORLDS.items():
                for name, instance in INSTANCES.items():
                    found = calibrate(instance, options, bound, choice, runs)
                    worst = max(worst, found["either"])
                    figures = " | ".join(
                        f"{found[column]:.2f}" for column in ("wrong", "broken", "either", "inconclusive")
                    )
                    print(f"| {world} | {name} | {figures} | {found['duration']:,.0f} |", flush=True)
            print(f"\nWorst: {worst:.2f}% (allowed {100 * DELTA:g}%)", flush=True)


if __name__ == "__main__":
    main()
