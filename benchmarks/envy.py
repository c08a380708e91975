"""Audits with mixture bounds and the adaptive choice against the published algorithm, in the same run.

    .venv/bin/python benchmarks/envy.py --runs 100 [--figure docs/figures/envy_problems.svg]

The four bandit problems of Do and others (2022), Sec. 5.2 (their means are not printed there; the shapes
are), ten arms with rewards of 0 and 1, epsilon = delta = .05. The baseline is the
law-of-the-iterated-logarithm bound with uniform choice, which is their Algorithm 1; ours is the unpaired
design, too. Lengths of audits in blocks beside it: envy_calibration.py --only lengths.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np

from evenhand.envy import Simulation, simulate

FALLING = [0.7 - 0.7 * (k / 10) ** 0.6 for k in range(10)]
PROBLEMS = {
    "1: own best, others equally bad": [0.6] + [0.3] * 9,
    "2: one better, others like own": [0.3, 0.6] + [0.3] * 8,
    "3: own best, others fall rapidly": FALLING,
    "4: as 3, own second best": [FALLING[1], FALLING[0], *FALLING[2:]],
}
WITH_ENVY = {"2: one better, others like own", "4: as 3, own second best"}
ALPHAS = (0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5)


@dataclass(frozen=True)
class Row:
    """One problem at one alpha: both algorithms on it."""

    problem: str
    alpha: float
    published: Simulation
    ours: Simulation

    @property
    def shorter(self) -> float:
        return float(np.median(self.published.durations) / np.median(self.ours.durations))

    @property
    def cost(self) -> tuple[float, float]:
        return float(self.published.costs.mean()), float(self.ours.costs.mean())

    @property
    def wanted(self) -> float:
        """How many times shorter it should be."""
        if self.alpha < 0.1:
            return 5.0
        return 10.0 if self.problem in WITH_ENVY else 6.0

    @property
    def reached(self) -> bool:
        published, ours = self.cost
        return self.shorter >= self.wanted and abs(ours) < abs(published)


def compare(runs: int, alphas: tuple[float, ...] = ALPHAS, seed: int = 0) -> list[Row]:
    return [
        Row(
            problem,
            alpha,
            simulate(means, runs, alpha=alpha, bound="lil", choice="uniform", rng=seed),
            simulate(means, runs, alpha=alpha, rng=seed, design="unpaired"),
        )
        for problem, means in PROBLEMS.items()
        for alpha in alphas
    ]


def table(rows: list[Row]) -> str:
    lines = [
        "| problem | alpha | published: steps | ours: steps | times shorter | wanted | published: cost "
        "| ours: cost | reached |",
        "|---" * 9 + "|",
    ]
    for row in rows:
        steps = " | ".join(f"{np.median(s.durations):,.0f}" for s in (row.published, row.ours))
        costs = " | ".join(f"{cost:,.1f}" for cost in row.cost)
        lines.append(
            f"| {row.problem} | {row.alpha:g} | {steps} | {row.shorter:.1f} | {row.wanted:g} | {costs} "
            f"| {'reached' if row.reached else 'not reached'} |"
        )
    return "\n".join(lines)


def figure(rows: list[Row], path: Path) -> None:
    """Duration and cost against alpha for the four problems, as figure 3 of Do and others (2022)."""
    points = [
        {
            "problem": row.problem,
            "alpha": row.alpha,
            "algorithm": name,
            "duration": float(np.median(found.durations)),
            "cost": float(found.costs.mean()),
        }
        for row in rows
        for name, found in (("published", row.published), ("ours", row.ours))
    ]
    base = alt.Chart(alt.InlineData(values=points)).mark_line(point=True).properties(width=170, height=150)
    algorithm = alt.Color(
        "algorithm:N", title=None, scale=alt.Scale(domain=["ours", "published"], range=["#0072b2", "#d55e00"])
    )
    duration = base.encode(
        x=alt.X("alpha:Q", title="alpha"),
        y=alt.Y("duration:Q", title="median steps", scale=alt.Scale(type="log")),
        color=algorithm,
    )
    cost = base.encode(
        x=alt.X("alpha:Q", title="alpha"), y=alt.Y("cost:Q", title="mean cost"), color=algorithm
    )
    head = alt.Column("problem:N", title=None, header=alt.Header(labelFontSize=11))
    both = [part.facet(column=head).resolve_scale(y="shared") for part in (duration, cost)]
    path.parent.mkdir(parents=True, exist_ok=True)
    alt.vconcat(*both, background="white").save(path)


def speed(steps: int, problem: str, **given: Any) -> float:
    """Audited steps a second of processor time on one core, of audits that last about `steps` together."""
    means = PROBLEMS[problem]
    mean = simulate(means, 20, **given).durations.mean()
    runs = max(1, int(steps / mean))
    start = time.process_time()  # not the time of others on a busy machine
    found = simulate(means, runs, rng=1, **given)
    return float(found.durations.sum() / (time.process_time() - start))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--figure", type=Path, help="where to draw duration and cost against alpha")
    parser.add_argument("--steps", type=int, default=5_000_000, help="audited steps a measurement of speed")
    parser.add_argument("--speed", action="store_true", help="only the speed")
    options = parser.parse_args()
    if not options.speed:
        lengths(options)
    speeds(options.steps)


def lengths(options: argparse.Namespace) -> None:
    rows = compare(options.runs)
    print(f"\n### Median steps and mean cost of {options.runs:,} audits, epsilon = delta = .05\n")
    print(table(rows))
    if options.figure:
        figure(rows, options.figure)
    reached = sum(row.reached for row in rows)
    print(f"\n{reached} of {len(rows)} reached (times shorter, and absolute cost lower).")


def speeds(steps: int) -> None:
    print("\n### Millions of audited steps a second of processor time, one core (wanted: 2)\n")
    kinds: list[dict[str, Any]] = [{"design": "blocks"}, {"design": "blocks", "choice": "uniform"}]
    kinds += [
        {"design": "unpaired", "bound": bound, "choice": choice}
        for bound in ("mixture", "lil")
        for choice in ("adaptive", "uniform")
    ]
    print("| problem | alpha | " + " | ".join(", ".join(kind.values()) for kind in kinds) + " |")
    print("|---" * (2 + len(kinds)) + "|")
    for problem in PROBLEMS:
        for alpha in (0.05, 0.4):
            figures = [f"{speed(steps, problem, alpha=alpha, **kind) / 1e6:.1f}" for kind in kinds]
            print(f"| {problem} | {alpha:g} | {' | '.join(figures)} |", flush=True)


if __name__ == "__main__":
    main()
