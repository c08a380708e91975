"""What the six exposure measures cost on top lists of many users: seconds and peak memory.

    .venv/bin/python benchmarks/exposure_streaming.py [USERS ...]

100,000 items, lists of 100, 10 relevant items a user, 50 groups a side, half of the items in two groups.
Each number of users (by default 100,000, 200,000 and 1,000,000) has a process of its own. Making up the lists
is not timed; compiling is, in the first block of users, and is reported apart.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np

from evenhand.exposure.evidence import Evidence
from evenhand.exposure.measures import corrected_measures, measures
from evenhand.exposure.pairs import pairs
from evenhand.exposure.problem.blocks import assign_blocks
from evenhand.exposure.problem.rows import listed_rows
from evenhand.exposure.problem.sides import ItemGroups
from evenhand.exposure.problem.targets import equal_exposure
from evenhand.exposure.uncertainty import intervals

ITEMS, LENGTH, RELEVANT, GROUPS, STEP = 100_000, 100, 10, 50, 10_000


def main(users: int) -> None:
    rng = np.random.default_rng(0)
    membership = np.zeros((ITEMS, GROUPS), dtype=np.int8)
    membership[np.arange(ITEMS), rng.integers(0, GROUPS, ITEMS)] = 1
    membership[np.arange(0, ITEMS, 2), rng.integers(0, GROUPS, ITEMS // 2)] = 1
    item_groups, weights = ItemGroups.of(membership), 0.8 ** np.arange(ITEMS)
    user_groups = rng.integers(0, GROUPS, users)
    blocks, evidence = assign_blocks(user_groups), Evidence.empty(item_groups, GROUPS)
    # Gaps of at least one between sorted numbers make the items of a list distinct.
    lists = np.sort(rng.integers(0, ITEMS - LENGTH, (STEP, LENGTH)), axis=1) + np.arange(LENGTH)
    first = steps = 0.0
    for start in range(0, users, STEP):
        chosen = slice(start, min(start + STEP, users))
        count = chosen.stop - start
        shown = (lists[:count] + rng.integers(0, ITEMS)) % ITEMS
        relevant = (shown[:, :1] + 7 * np.arange(RELEVANT)) % ITEMS
        begun = time.perf_counter()
        offsets = np.arange(count + 1)
        targets = equal_exposure(RELEVANT * offsets, relevant.ravel(), np.ones(relevant.size), ITEMS, weights)
        exposure = np.tile(weights[:LENGTH], count)
        rows = listed_rows(ITEMS, LENGTH * offsets, shown.ravel(), exposure, targets)
        evidence.add(rows, user_groups[chosen], blocks[chosen])
        seconds = time.perf_counter() - begun
        first, steps = (seconds, 0.0) if start == 0 else (first, steps + seconds)
    measured = _seconds(lambda: (measures(evidence), corrected_measures(evidence)))
    bounded = _seconds(lambda: (intervals(evidence), pairs(evidence)))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(
        f"{users:>10,} users: first block {first:.1f} s, all others {steps:.1f} s "
        f"({1e6 * steps / max(users - STEP, 1):.1f} microseconds a user), measures {measured:.1f} s, "
        f"intervals {bounded:.1f} s, peak {peak:.2f} GB",
        flush=True,
    )


def _seconds(call: Callable[[], object]) -> float:
    begun = time.perf_counter()
    call()
    return time.perf_counter() - begun


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        main(int(sys.argv[2]))
    else:
        for number in sys.argv[1:] or ["100000", "200000", "1000000"]:
            subprocess.run([sys.executable, __file__, "--one", number], check=True)
