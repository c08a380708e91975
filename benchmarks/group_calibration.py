"""How often is the group audit wrong? Prints the tables of docs/evidence/calibration/groups.md.

    .venv/bin/python benchmarks/group_calibration.py --runs 500 [--tables halves shapes ...]

The worlds are those of tests/calibration, where the same numbers are held against their limits.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from calibration.gap_worlds import CLEAR, EQUAL, FEW_FAR, HARD, gap_changes
from calibration.group_worlds import (
    BESIDE_OTHERS,
    MIXED,
    RARE,
    RARE_IN_ONE,
    SHAPES,
    alarms_about_means,
    all_differ,
    confirmations,
    coverage,
    no_effect,
    one_below,
    one_larger_group_below,
    opposite_tails,
    p_values,
    power,
    ranks_of_one_mean,
    reciprocal_ranks,
    shapes_of_one_mean,
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


ORDINARY = {
    "60 groups of 20 to 500, MRR": no_effect(),
    "40 groups of 300, MRR, all differ": all_differ((300,) * 40, 0.05),
    "50 groups of 40, smooth, one is .24 lower": one_below(0.24, (40,) * 50),
    "one of 200 users has hits of 2% and not 15%, beside groups of 20": one_larger_group_below((0.15, 0.02)),
}
LARGER = {
    "ranks, 300 users": ranks_of_one_mean(300),
    "smooth and 0/1, 100 users": shapes_of_one_mean(100),
    "smooth and 0/1, 300 users": shapes_of_one_mean(300),
    "opposite tails, 50 users": opposite_tails(50),
    "60 groups of 20 to 500, nobody differs": no_effect(),
}
FOUND = {
    "30 groups of 40, MRR, one with .5 and not .2 a place": reciprocal_ranks(
        (40,) * 30, np.array([0.5] + [0.2] * 29)
    ),
    "20 groups of 60, MRR, one with .16 and not .04": reciprocal_ranks(
        (60,) * 20, np.array([0.16] + [0.04] * 19)
    ),
    "30 groups of 40, smooth, one is .14 lower": one_below(0.14, (40,) * 30),
}


def alarms_table(runs: int) -> None:
    print("\n### Alarms at 5% without a difference between means\n")
    print("| setting | studentised gap | shuffled alone | raw gap |\n|---|---|---|---|")
    for name, world in NO_DIFFERENCE.items():
        p = p_values(world, runs)
        alarmed = {test: 100 * (values <= 0.05).mean() for test, values in p.items()}
        figures = " | ".join(f"{alarmed[test]:.1f}" for test in ("studentised", "shuffled", "raw"))
        print(f"| {name} | {figures} |", flush=True)


def shapes_table(runs: int) -> None:
    print("\n### Alarms at 5%: groups of one mean and different shapes, and a mean that does differ\n")
    print("| setting | shuffles alone | uf | spread |\n|---|---|---|---|")
    for name, world in (SHAPES | LARGER | FOUND).items():
        found = alarms_about_means(world, runs, permutations=200)
        figures = " | ".join(f"{100 * found[test] / runs:.1f}" for test in ("shuffles", "uf", "spread"))
        print(f"| {name} | {figures} |", flush=True)


def halves_table(runs: int) -> None:
    print("\n### Split halves, in rare events and in ordinary data\n")
    print("| setting | covers | above the largest true gap | above 0 | median width |\n|---|---|---|---|---|")
    for name, world in (RARE | ORDINARY).items():
        found = confirmations(world, runs)
        shares = ("covered", "false_violations", "confirmed")
        figures = " | ".join(f"{100 * found[share] / runs:.1f}" for share in shares)
        print(f"| {name} | {figures} | {found['width']:.3f} |", flush=True)


def rare_table(runs: int) -> None:
    print("\n### Rare values of one group, bounds known\n")
    print("| setting | halves above the largest true gap | uf alarms | spread alarms |\n|---|---|---|---|")
    for name, world in (RARE_IN_ONE | BESIDE_OTHERS).items():
        shares = [100 * confirmations(world, runs)["false_violations"] / runs]
        if name in RARE_IN_ONE:  # elsewhere means differ, or groups overlap and have no p-value
            alarmed = alarms_about_means(world, runs, permutations=200)
            shares += [100 * alarmed["uf"] / runs, 100 * alarmed["spread"] / runs]
        figures = " | ".join([f"{share:.1f}" for share in shares] + ["–"] * (3 - len(shares)))
        print(f"| {name} | {figures} |", flush=True)


def coverage_table(runs: int) -> None:
    print("\n### Coverage of nominal 95% intervals\n")
    columns = ["simultaneous", "confirmed", "largest_gap", "spread"]
    print(f"| setting | {' | '.join(columns)} | mean width of a group's |")
    print("|---" * (len(columns) + 2) + "|")
    for name, world in COVERED.items():
        covered = coverage(world, runs)
        figures = " | ".join(f"{covered[column]:.1f}" for column in columns)
        print(f"| {name} | {figures} | {covered['width']:.2f} |", flush=True)


def power_table(runs: int) -> None:
    print("\n### A planted gap of the size that the audit calls detectable (90% power)\n")
    print("| setting | planted | found | confirmed | both |\n|---|---|---|---|---|")
    for name, sizes in PLANTED.items():
        hits = power(sizes, runs)
        figures = " | ".join(f"{hits[column]:.1f}" for column in ("found", "confirmed", "both"))
        print(f"| {name} | {hits['gap']:.3f} | {figures} |", flush=True)


def gaps_table(runs: int) -> None:
    print("\n### The change of the largest gap by re-ranking\n")
    print("| setting | covers | below the truth | above | says better | says worse | median width |")
    print("|---" * 7 + "|")
    for name, world in (EQUAL | FEW_FAR | HARD | CLEAR).items():
        found = gap_changes(world, runs)
        shares = ("held", "below", "above", "better", "worse")
        figures = " | ".join(f"{100 * found[share] / runs:.1f}" for share in shares)
        print(f"| {name} | {figures} | {found['width']:.3f} |", flush=True)


TABLES = {
    "alarms": alarms_table,
    "shapes": shapes_table,
    "halves": halves_table,
    "rare": rare_table,
    "coverage": coverage_table,
    "power": power_table,
    "gaps": gaps_table,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--tables", nargs="+", choices=TABLES, default=list(TABLES))
    asked = parser.parse_args()
    for table in asked.tables:
        TABLES[table](asked.runs)


if __name__ == "__main__":
    main()
