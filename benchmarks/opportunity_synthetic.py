"""The synthetic settings of Dong and others (2024): MSE ~ 1/n (Fig. 3), and what boosting does (Fig. 9).

.venv/bin/python benchmarks/opportunity_synthetic.py
"""

from __future__ import annotations

import argparse

import numpy as np

from evenhand.opportunity.boosting import boosted
from evenhand.opportunity.evidence import LogCounts
from evenhand.opportunity.inference.differences import penalty_difference
from evenhand.opportunity.measures import penalty

# Shares of liked rows of two groups in random traffic; in default traffic they are 10 and 5 times as large.
SETS = ((0.01, 0.05), (0.001, 0.005), (0.0001, 0.0005))
LIFT = np.array([10.0, 5.0])
SIZES = tuple(10**exponent for exponent in range(3, 9))
# With fewer expected liked rows than this in a group, a rate may be 0 and the penalty undefined.
LEAST = 10

# Weights of {others, young adults}, as in Sec. 4.4, and a log like theirs: young adults are ahead, h = .08.
BOOSTS = {"1.25x deboost": (1.25, 1.0), "2x deboost": (2.0, 1.0), "2x boost": (1.0, 2.0)}
ROWS = 150_000
RANDOM_SHARES = np.array([0.20, 0.10])
AHEAD = np.exp(2 * np.arctanh(0.08))


def mean_squared_errors(p: tuple[float, float], repeats: int, seed: int) -> dict[int, float]:
    """MSE of the penalty for each size of traffic that has enough liked rows."""
    rng = np.random.default_rng(seed)
    random = np.array(p)
    default = LIFT * random
    truth = float(penalty(default / random))
    errors = {}
    for size in SIZES:
        if size * random.min() < LEAST:
            continue
        a, b = (rng.multinomial(size, [*s, 1 - s.sum()], size=repeats)[:, :-1] for s in (default, random))
        errors[size] = float(((penalty(a / b) - truth) ** 2).mean())
    return errors


def slope(errors: dict[int, float]) -> float:
    """Of log MSE against log size: -1 where the MSE is in proportion to 1/n."""
    return float(np.polyfit(np.log(list(errors)), np.log(list(errors.values())), 1)[0])


def boosting(seed: int) -> dict[str, tuple[float, float, float]]:
    """Change of the penalty under each boost, with its 95% interval, on one simulated day."""
    rng = np.random.default_rng(seed)
    default_shares = RANDOM_SHARES * np.array([1.0, AHEAD]) * 1.3
    groups = ["others", "young adults"]
    log, random = (
        LogCounts.from_totals(groups, rng.multinomial(ROWS, [*s, 1 - s.sum()])[:-1].tolist(), ROWS)
        for s in (default_shares, RANDOM_SHARES)
    )
    found = {}
    for name, weights in BOOSTS.items():
        change = penalty_difference(boosted(log, random, np.array(weights)), 1, 0, 0.95, 0)
        found[name] = (change.estimate, change.low, change.high)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=50, help="simulated pairs of logs a size")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    print(f"Mean squared error of the penalty over {options.repeats} pairs of logs, by rows of each log.\n")
    print(f"| p | {' | '.join(f'{size:,}' for size in SIZES)} | slope |")
    print("|---" * (len(SIZES) + 2) + "|")
    for p in SETS:
        errors = mean_squared_errors(p, options.repeats, options.seed)
        cells = [f"{errors[size]:.2g}" if size in errors else "–" for size in SIZES]
        print(f"| {p[0]:g}, {p[1]:g} | {' | '.join(cells)} | {slope(errors):.2f} |")
    print(f"\nChange of the penalty (.08) under boosts, {ROWS:,} rows in each log.\n")
    print("| boost | change | 95% interval |\n|---|---|---|")
    for name, (change, low, high) in boosting(options.seed).items():
        print(f"| {name} | {100 * change:+.1f} points | {100 * low:+.1f} to {100 * high:+.1f} |")


if __name__ == "__main__":
    main()
