"""Do plans of random traffic deliver what they promise, and do weighted rows cover?

    .venv/bin/python benchmarks/traffic_planning.py --runs 2000

The worlds are those of tests/calibration, where the same numbers are held against their limits.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from calibration.traffic_worlds import (
    DAYS_FOR_POWERS,
    DAYS_FOR_WIDTHS,
    HALF_WIDTHS,
    POWERS,
    TOLD,
    Users,
    audits_that_leave_out,
    half_width_of_users,
)
from calibration.weighted_worlds import WORLDS, coverage


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=2_000, help="simulated sets of logs a setting")
    runs = parser.parse_args().runs
    print(f"\n### Planned half-widths, {runs:,} simulated audits each\n")
    print("| setting | planned days | wanted | delivered | ratio |\n|---|---|---|---|---|")
    for name, planned in HALF_WIDTHS.items():
        days, wanted = planned.plan(), planned.options["half_width"]
        delivered = planned.delivered_half_width(days, runs)
        print(
            f"| {name} | {days:.1f} | {wanted:g} | {delivered:.4f} | {delivered / wanted:.2f} |", flush=True
        )
    world = Users(np.array([0.05, 0.05, 0.05]), np.array([2.0, 1.6, 1.2]))
    days, delivered, naive = half_width_of_users(world, 4_000, 0.03, max(30, runs // 5))
    print(
        f"| 3 groups, 11 rows a user (rows taken as independent: {naive:.1f} days) | {days:.1f} | 0.03 | "
        f"{delivered:.4f} | {delivered / 0.03:.2f} |"
    )
    print(f"\n### Audits that leave out a group, {runs:,} each\n")
    print("| setting | planned days | left out |\n|---|---|---|")
    for name in TOLD:
        days, left_out = audits_that_leave_out(name, runs)
        print(f"| {name} | {days:.1f} | {left_out / runs:.1%} |", flush=True)
    print(f"\n### Planned power of 80%, {8 * runs:,} simulated A/B tests each\n")
    print("| setting | planned days | delivered power |\n|---|---|---|")
    for name, planned in POWERS.items():
        days = planned.plan()
        print(f"| {name} | {days:.1f} | {planned.delivered_power(days, 8 * runs):.1%} |", flush=True)
    print(
        f"\n### The share of random traffic for given days, {runs:,} audits or {8 * runs:,} A/B tests each\n"
    )
    print("| setting | days | random rows a day | delivered |\n|---|---|---|---|")
    for name, days in DAYS_FOR_WIDTHS.items():
        planned = HALF_WIDTHS[name]
        random_rows = planned.plan_share(days)
        delivered = planned.delivered_half_width(days, runs, random_rows=random_rows)
        ratio = delivered / planned.options["half_width"]
        print(f"| {name} | {days} | {random_rows:,.0f} | {ratio:.2f} of the half-width |", flush=True)
    for name, days in DAYS_FOR_POWERS.items():
        planned = POWERS[name]
        random_rows = planned.plan_share(days)
        delivered = planned.delivered_power(days, 8 * runs, random_rows=random_rows)
        print(f"| {name} | {days} | {random_rows:,.0f} | {delivered:.1%} |", flush=True)
    print(
        f"\n### Weighted random traffic, percent of {runs:,} sets of logs in which intervals hold the truth\n"
    )
    columns = ["penalty", "relative_utility", "difference", "unweighted", "bias_weighted", "bias_unweighted"]
    print(f"| setting | {' | '.join(columns)} |")
    print("|---" * (len(columns) + 1) + "|")
    for name, weighted in WORLDS.items():
        found = coverage(weighted, runs)
        cells = [f"{found[c]:.3f}" if c.startswith("bias") else f"{found[c]:.1f}" for c in columns]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
