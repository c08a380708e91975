"""How often is the group audit wrong? Prints the tables of docs/calibration/groups.md.

    .venv/bin/python benchmarks/group_calibration.py --runs 500

The worlds are those of tests/calibration, where the same numbers are held against their limits.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from scipy.stats import kstest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from calibration.group_worlds import (
    MIXED,
    all_differ,
    coverage,
    no_effect,
    one_below,
    p_values,
    power,
    small_vary_more,
)

NO_DIFFERENCE = {
    "60 groups of 20 to 500, nobody differs": no_effect(),
    **{
        f"groups of {small} have {times:g} times the variance": small_vary_more(times, small)
        for times in (2, 4)
        for small in (20, 30)
    },
}
COVERED = {
    **{f"{groups:,} groups of 30, nobody differs": no_effect((30,) * groups) for groups in (20, 200, 1000)},
    "60 groups of 20 to 500, nobody differs": no_effect(),
    "60 groups of 20 to 500, all differ": all_differ(MIXED, 0.1),
    "40 groups of 300, all differ": all_differ((300,) * 40, 0.05),
    "100 groups of 30, one is .2 lower": one_below(0.2, (30,) * 100),
}
PLANTED = {"50 groups of 40": (40,) * 50, "20 groups of 200": (200,) * 20, "60 groups of 20 to 500": MIXED}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=500)
    runs = parser.parse_args().runs

    print("\n### Alarms at 5% without a difference between means\n")
    print("| setting | studentised gap | raw gap | uniform? (KS p) |\n|---|---|---|---|")
    for name, world in NO_DIFFERENCE.items():
        p = p_values(world, runs)
        alarmed = {test: 100 * (values <= 0.05).mean() for test, values in p.items()}
        uniform = kstest(p["studentised"], "uniform").pvalue
        print(f"| {name} | {alarmed['studentised']:.1f} | {alarmed['raw']:.1f} | {uniform:.3f} |", flush=True)

    print("\n### Coverage of nominal 95% intervals\n")
    columns = ["simultaneous", "confirmed", "largest_gap", "spread"]
    print(f"| setting | {' | '.join(columns)} | mean width of a group's |")
    print("|---" * (len(columns) + 2) + "|")
    for name, world in COVERED.items():
        covered = coverage(world, runs)
        figures = " | ".join(f"{covered[column]:.1f}" for column in columns)
        print(f"| {name} | {figures} | {covered['width']:.2f} |", flush=True)

    print("\n### A planted gap of the size that the audit calls detectable (90% power)\n")
    print("| setting | planted | found | confirmed | both |\n|---|---|---|---|---|")
    for name, sizes in PLANTED.items():
        hits = power(sizes, runs)
        figures = " | ".join(f"{hits[column]:.1f}" for column in ("found", "confirmed", "both"))
        print(f"| {name} | {hits['gap']:.3f} | {figures} |", flush=True)


if __name__ == "__main__":
    main()
