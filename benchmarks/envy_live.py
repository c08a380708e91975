"""Is an audit in a running service wrong at most delta, and does the constraint hold?

    .venv/bin/python benchmarks/envy_live.py --runs 1000            # withdrawals, outages, drift: 20 minutes
    .venv/bin/python benchmarks/envy_live.py --runs 1000 --unshown again  # what is not shown is not doubted
    .venv/bin/python benchmarks/envy_live.py --runs 400 --leave     # dislikes that nobody tells were shown
    .venv/bin/python benchmarks/envy_live.py --runs 300 --hidden    # the same, and some hidden by chance
    .venv/bin/python benchmarks/envy_live.py --runs 20 --unliked    # others that nobody likes
    .venv/bin/python benchmarks/envy_live.py --runs 1000 --dropouts # people who leave: an hour

Everything happens in process, by the step-by-step auditor. The worlds are those of tests/calibration, where
a short form of each is held against delta = 5%.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from itertools import product
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import numpy as np

from calibration.envy_live_worlds import (
    LEFT,
    LEFT_AND_HIDDEN,
    TRUTHS,
    UNLIKED,
    WORLDS,
    Lived,
    leavers,
    lives,
    system_of_leavers,
    unliked,
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--runs", type=int, default=1_000)
    parser.add_argument("--epsilon", type=float, default=0.2)
    parser.add_argument("--truth", choices=list(TRUTHS), action="append", help="only this one")
    parser.add_argument("--dropouts", action="store_true", help="systems that people with envy leave")
    parser.add_argument("--leave", action="store_true", help="dislikes that nobody tells were shown")
    parser.add_argument("--unliked", action="store_true", help="only likes are said to be shown")
    parser.add_argument("--hidden", action="store_true", help="the same, and some of all alike is hidden")
    parser.add_argument("--unshown", choices=["compare", "again"], default="compare")
    options = parser.parse_args()
    if options.unliked:
        unliked_policies(options.runs)
        return
    if options.dropouts:
        dropouts(options.runs)
        return
    truths = options.truth or list(TRUTHS)
    print("| world | truth | wrong | inconclusive | constraint held | median steps |")
    print("| --- | --- | ---: | ---: | ---: | ---: |")
    if options.leave:
        ways = {"withdrawn, again": {"unshown": "again"}, "withdrawn": {}, "missing": {"withdrawn": False}}
        for (share, own), (way, asked), truth in product(LEFT, ways.items(), truths):
            name = f"{own:g}; {share:.0%} {way}"
            tell(name, truth, list(leavers(share, own, truth, options.runs, **asked)))
        return
    if options.hidden:
        for (share, hidden, own), truth in product(LEFT_AND_HIDDEN, truths):
            name = f"{own:g}; {share:.0%} of dislikes, {hidden:.0%} of all"
            found = leavers(share, own, truth, options.runs, hidden=hidden, unshown=options.unshown)
            tell(name, truth, list(found))
        return
    for name, truth in product(WORLDS, truths):
        tell(name, truth, list(lives(name, truth, options.runs, options.epsilon, unshown=options.unshown)))


def tell(name: str, truth: str, found: list[Lived]) -> None:
    ended = Counter(one.outcome for one in found)
    shares = (
        ended[TRUTHS[truth][1]] / len(found),
        ended["inconclusive"] / len(found),
        np.mean([one.held for one in found]),
    )
    said = " | ".join(f"{share:.1%}" for share in shares)
    print(f"| {name} | {truth} | {said} | {np.median([one.steps for one in found]):,.0f} |", flush=True)


def unliked_policies(runs: int) -> None:
    print("| others; dislikes that are withdrawn | ended | visits | short by | others in a row, most |")
    print("| --- | --- | ---: | ---: | ---: |")
    for mean, share in UNLIKED:
        found = [unliked(mean, share, seed) for seed in range(runs)]
        ended = ", ".join(f"{count} {word}" for word, count in Counter(one.outcome for one in found).items())
        visits, short = (np.median([getattr(one, name) for one in found]) for name in ("visits", "short"))
        row = max(one.in_a_row for one in found)
        print(f"| {mean:g}; {share:.0%} | {ended} | {visits:,.0f} | {short:,.1f} | {row:,} |", flush=True)


def dropouts(runs: int) -> None:
    print("| two leave | envy | no_envy | inconclusive |")
    print("| --- | ---: | ---: | ---: |")
    for name, envious in (("nobody has envy", False), ("those with envy leave", True)):
        ended = Counter(system_of_leavers(envious, seed) for seed in range(runs))
        said = " | ".join(f"{ended[word] / runs:.1%}" for word in ("envy", "no_envy", "inconclusive"))
        print(f"| {name} | {said} |", flush=True)


if __name__ == "__main__":
    main()
