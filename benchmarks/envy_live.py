"""Is an audit in a running service wrong at most delta, and does the constraint hold?

    .venv/bin/python benchmarks/envy_live.py --runs 1000            # withdrawals, outages, drift: 20 minutes
    .venv/bin/python benchmarks/envy_live.py --runs 1000 --dropouts # people who leave: an hour

Everything happens in process, by the step-by-step auditor. The worlds are those of tests/calibration, where
a short form of each is held against delta = 5%.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import numpy as np

from calibration.envy_live_worlds import TRUTHS, WORLDS, lives, system_of_leavers


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--runs", type=int, default=1_000)
    parser.add_argument("--epsilon", type=float, default=0.2)
    parser.add_argument("--truth", choices=list(TRUTHS), action="append", help="only this one")
    parser.add_argument("--dropouts", action="store_true", help="systems that people with envy leave")
    options = parser.parse_args()
    if options.dropouts:
        dropouts(options.runs)
        return
    print("| world | truth | wrong | inconclusive | constraint held | median steps |")
    print("| --- | --- | ---: | ---: | ---: | ---: |")
    for name in WORLDS:
        for truth in options.truth or TRUTHS:
            found = list(lives(name, truth, options.runs, options.epsilon))
            ended = Counter(one.outcome for one in found)
            shares = (
                ended[TRUTHS[truth][1]] / len(found),
                ended["inconclusive"] / len(found),
                np.mean([one.held for one in found]),
            )
            said = " | ".join(f"{share:.1%}" for share in shares)
            print(
                f"| {name} | {truth} | {said} | {np.median([one.steps for one in found]):,.0f} |", flush=True
            )


def dropouts(runs: int) -> None:
    print("| two leave | envy | no_envy | inconclusive |")
    print("| --- | ---: | ---: | ---: |")
    for name, envious in (("nobody has envy", False), ("those with envy leave", True)):
        ended = Counter(system_of_leavers(envious, seed) for seed in range(runs))
        said = " | ".join(f"{ended[word] / runs:.1%}" for word in ("envy", "no_envy", "inconclusive"))
        print(f"| {name} | {said} |", flush=True)


if __name__ == "__main__":
    main()
