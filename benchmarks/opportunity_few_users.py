"""How well do intervals hold where a group is few users, or a log is?

    .venv/bin/python benchmarks/opportunity_few_users.py [--runs 1000]

Prints the tables of docs/evidence/calibration/opportunity.md about few users. The worlds are those of
tests/calibration.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from calibration.other_question_worlds import few_clusters_held, precision_held, users_held

ACTIVITY = {"alike": None, "Pareto 1.2": 1.2}
LOGS = ((12, None), (20, None), (30, None), (45, None), (100, 1.2), (300, 1.2), (300, 1.05))
UTILITIES = {"fair": (1.0, 1.0, 1.0), "at the tolerance": (1.0, 1.0, 0.7815)}


def _table(*columns: str) -> None:
    print(f"\n| {' | '.join(columns)} |\n{'|---' * len(columns)}|", flush=True)


def _row(*cells: str) -> None:
    print(f"| {' | '.join(cells)} |", flush=True)


def _percent(held: Counter[str], of: int, *what: str) -> list[str]:
    return [f"{100 * held[each] / max(1, of):.1f}" for each in what]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=1_000, help="simulated logs a setting")
    runs = parser.parse_args().runs
    _table("users of the small group", "their activity", "question", "penalty", "groups", "false violation")
    for users in (10, 20, 50):
        for activity, pareto in ACTIVITY.items():
            # Two more, so that hash buckets do not make a group of ten look like one of nine.
            sizes = [300, users + 2 if users == 10 else users]
            settings = {
                "precision, fair": precision_held(sizes, [0.1, 0.1], runs, pareto, 50, 10.0),
                "precision, at the tolerance": precision_held(sizes, [0.1, 0.08], runs, pareto, 50, 10.0),
                "opportunity, fair": users_held(sizes, runs, pareto),
            }
            for question, held in settings.items():
                judged = _percent(held, runs - held["refused"], "penalty", "groups", "false violation")
                _row(f"{sizes[1]}", activity, question, *judged)
    _table("users in each log", "their activity", "truth", "warned", "penalty", "groups", "false violation")
    for people, pareto in LOGS:
        for truth, utilities in UTILITIES.items():
            held = few_clusters_held(utilities, people, pareto, runs)
            warned = held["warned"]
            _row(
                f"{people:,}",
                "alike" if pareto is None else f"Pareto {pareto}",
                truth,
                *_percent(held, runs, "warned"),
                *_percent(held, warned, "penalty", "groups", "false violation"),
            )


if __name__ == "__main__":
    main()
