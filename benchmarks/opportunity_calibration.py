"""How often do nominal 95% intervals contain the truth?

    .venv/bin/python benchmarks/opportunity_calibration.py --runs 2000
    .venv/bin/python benchmarks/opportunity_calibration.py --runs 1000 --only kinds
    .venv/bin/python benchmarks/opportunity_calibration.py --runs 1000 --only clusters
    .venv/bin/python benchmarks/opportunity_calibration.py --runs 1000 --only many
    .venv/bin/python benchmarks/opportunity_calibration.py --runs 500 --only small
    .venv/bin/python benchmarks/opportunity_calibration.py --runs 400 --only both
    .venv/bin/python benchmarks/opportunity_calibration.py --runs 400 --only boosts

Prints the tables of docs/evidence/calibration/opportunity.md. The worlds are those of tests/calibration,
where the same numbers are held against their limits.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from calibration.cluster_worlds import ARMS, FEW, HEAVY, ITEMS, LIGHT, coverage, coverage_of_change
from calibration.many_groups_worlds import MANY, MANY_CHANGES, changes_held, percent_held, weighted_held
from calibration.opportunity_worlds import (
    AN_ARM_AT_ZERO,
    BOTH_UNFAIR,
    COMMON_POSITIVES,
    KINDS,
    OTHER_INTERVALS,
    World,
    coverage_by_kind,
    coverage_of_difference,
    coverage_of_one_arm,
    evenly_spread,
    one_rare,
    rare_among_unequal,
)
from calibration.other_question_worlds import boosts_by
from calibration.two_way_worlds import QUESTIONS

ONE_ARM = {
    "2 groups, positives common, 150,000 rows, h = .186": COMMON_POSITIVES,
    **{
        f"{groups} groups, 20,000 rows, h = {size:g}": evenly_spread(groups, size)
        for groups in (2, 4, 8)
        for size in (0, 0.0075, 0.022, 0.05, 0.1, 0.3)
    },
    **{
        f"{others + 1} groups, a rare one served {served:g}": one_rare(others, served)
        for others in (1, 3, 7)
        for served in (0.1, 0.3, 0.6, 0.7, 0.8, 1.0)
    },
    **{f"4 unequal groups, a rare one at {rare:g}": rare_among_unequal(rare) for rare in (0.7, 1.4)},
}


def _table(
    title: str, columns: list[str], rows: dict[str, dict[str, float]], digits: Sequence[int] | None = None
) -> None:
    digits = digits or [1] * len(columns)
    print(f"\n### {title}\n")
    print(f"| setting | {' | '.join(columns)} |")
    print("|---" * (len(columns) + 1) + "|")
    for name, values in rows.items():
        cells = (f"{values[column]:.{places}f}" for column, places in zip(columns, digits, strict=True))
        print(f"| {name} | {' | '.join(cells)} |")


def _measure(pool: ProcessPoolExecutor, function, worlds: dict[str, World], runs: int):
    waiting = {name: pool.submit(function, world, runs) for name, world in worlds.items()}
    rows = {}
    for name, future in waiting.items():
        print(f"{len(rows) + 1} of {len(waiting)}: {name}", file=sys.stderr)
        rows[name] = future.result()
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=2_000, help="simulated sets of logs a setting")
    parser.add_argument("--only", choices=list(TABLES), help="one of them")
    chosen = parser.parse_args()
    runs = chosen.runs
    print(f"Percent of {runs:,} simulated sets of logs in which the interval contains the truth.")
    with ProcessPoolExecutor() as pool:
        for name, table in TABLES.items():
            if chosen.only in (None, name):
                table(pool, runs)


def _one_log(pool: ProcessPoolExecutor, runs: int) -> None:
    columns = ["hull", "delta", "published", "relative_utility", "worst_ratio"]
    _table("One log", columns, _measure(pool, coverage_of_one_arm, ONE_ARM, runs))


def _difference(pool: ProcessPoolExecutor, runs: int) -> None:
    columns = ["ours", "mover", "published", "groups", "width_ratio"]
    worlds = {f"both unfair: {name}": world for name, world in BOTH_UNFAIR.items()}
    worlds |= {f"an arm at 0: {name}": world for name, world in AN_ARM_AT_ZERO.items()}
    _table("A/B difference", columns, _measure(pool, coverage_of_difference, worlds, runs))


def _kinds(pool: ProcessPoolExecutor, runs: int) -> None:
    """Coverage, then the width in multiples of ours; in brackets, runs without an answer."""
    measured = _measure(pool, coverage_by_kind, OTHER_INTERVALS, runs)
    print("\n### Kinds of intervals of a difference\n")
    print(f"| setting | {' | '.join(KINDS)} |")
    print("|---" * (len(KINDS) + 1) + "|")
    for name, kinds in measured.items():
        cells = []
        for kind in KINDS:
            found = kinds[kind]
            ratio = found["width"] / kinds["ours"]["width"]
            lost = f" ({found['unanswered']:.0f}% none)" if found["unanswered"] else ""
            cells.append(
                "none" if found["unanswered"] == 100 else f"{found['covered']:.1f}, {ratio:.2f}{lost}"
            )
        print(f"| {name} | {' | '.join(cells)} |")


def _clusters(pool: ProcessPoolExecutor, runs: int) -> None:
    """Heavy users; items drawn anew, with users alone as clusters and with both; and the same of changes."""
    columns = ["penalty", "groups", "worst_ratio", "alarms"]
    users = partial(coverage, items=False)
    _table("Heavy users", columns, _measure(pool, users, HEAVY | LIGHT, runs))
    _table("Items like these, users as clusters", columns, _measure(pool, users, ITEMS | FEW, runs))
    _table("Items like these, users and items", columns, _measure(pool, coverage, ITEMS | FEW, runs))
    _table("Changes", columns[:2], _measure(pool, coverage_of_change, ARMS, runs))


def _many_groups(pool: ProcessPoolExecutor, runs: int) -> None:
    columns = ["penalty", "relative_utility", "worst_ratio", "false_violation", "groups"]
    _table("Many groups", columns, _measure(pool, percent_held, MANY, runs))


def _small_groups(pool: ProcessPoolExecutor, runs: int) -> None:
    """Changes of many groups with few random positives, and groups whose random rows weigh little."""
    found = _measure(pool, changes_held, MANY_CHANGES, runs)
    rows = {
        name: {part: value if "width" in part else 100 * value / runs for part, value in values.items()}
        for name, values in found.items()
    }
    columns = ["penalty", "groups", "penalty width", "groups width"]
    _table("Changes of many groups", columns, rows, digits=[1, 1, 3, 3])
    spreads = {f"weights with a spread of {spread:g}": spread for spread in (0.7, 1.0, 1.5)}
    found = _measure(pool, weighted_held, spreads, runs)
    rows = {
        name: {part: (1 if part == "groups" else 100) * value / runs for part, value in values.items()}
        for name, values in found.items()
    }
    columns = ["penalty", "relative_utility", "worst_ratio", "false_violation", "groups"]
    _table("Weighted random rows, three groups of 500", columns, rows)


def _both(pool: ProcessPoolExecutor, runs: int) -> None:
    """Users and items as clusters, in every question that takes both."""
    waiting = {name: pool.submit(held, runs=runs) for name, held in QUESTIONS.items()}
    print("\n### Users and items in other questions\n\n| question | what | held |\n|---|---|---|")
    for name, future in waiting.items():
        for what, hits in future.result().items():
            print(f"| {name} | {what} | {100 * hits / runs:.1f} |")


def _boosts(pool: ProcessPoolExecutor, runs: int) -> None:
    """Boosts with weights that the same logs chose."""
    waiting = {
        (chosen, groups, positives, digits): pool.submit(boosts_by, chosen, runs, groups, positives, digits)
        for chosen in ("these logs", "truth")
        for groups, positives in ((4, 300.0), (8, 100.0), (40, 100.0))
        for digits in (2, 1)
    }
    print(
        "\n### Boosts\n\n| weights by | groups | random positives | decimals | held | false pass | doubted |"
    )
    print("|---" * 7 + "|")
    for setting, future in waiting.items():
        told = (100 * future.result()[what] / runs for what in ("held", "false pass", "doubted"))
        print(f"| {' | '.join(map(str, setting))} | {' | '.join(f'{share:.1f}' for share in told)} |")


TABLES = {
    "one": _one_log,
    "difference": _difference,
    "kinds": _kinds,
    "clusters": _clusters,
    "many": _many_groups,
    "small": _small_groups,
    "both": _both,
    "boosts": _boosts,
}

if __name__ == "__main__":
    main()
