"""How often the intervals of pairs of groups hold, and what missing relevance does to them.

.venv/bin/python benchmarks/exposure_pairs_calibration.py [--runs 1000]

Prints the tables about pairs of docs/evidence/calibration/exposure.md. The worlds are those of
tests/calibration, which hold the same figures to limits.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from calibration.exposure_pair_worlds import (
    SEEN,
    factors,
    in_proportion,
    liked_by_a_tenth,
    of_a_known_target,
    pairs_hold,
    partly_seen,
    placebo,
    rarely_relevant,
    violations,
)
from calibration.exposure_rare_worlds import (
    Cells,
    cells_hold,
    few_like,
    few_see,
    hit_or_miss,
    niches,
    seldom_shown,
    served_hold,
    uneven_rest,
    unlike,
)
from calibration.exposure_worlds import Floats, Population, calibrate, fair_to_groups, population
from evenhand.exposure.measures import NAMES
from evenhand.exposure.pairs import pairs

ORDINARY: dict[str, Callable[[], Population]] = {
    "biased towards popular items": lambda: population(1, 1),
    "mildly biased": lambda: population(0.3, 1),
    "accurate": lambda: population(0.3, 0.2),
    "unbiased": lambda: population(0, 1),
    "fair to groups": fair_to_groups,
}
TOLERANCE = 0.1
WANTED = ((0.02, 60), (0.02, 200), (0.05, 60), (0.05, 200), (0.2, 60), (0.2, 200), (0.01, 1000))
FEW: tuple[tuple[Callable[[int, float], Cells], float, str], ...] = (
    (few_like, 0.3, "few like it, 30% more"),
    (few_like, -0.3, "few like it, 30% less"),
    (few_see, 0.3, "few see it, 30% more"),
    (few_see, -0.3, "few see it, 30% less"),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=1000)
    runs = parser.parse_args().runs
    print("| world, users | all pairs hold | said to be further off | width | with a target taken as known |")
    print("|---" * 5 + "|")
    for name, make in ORDINARY.items():
        for users in (100, 2000):
            _holds(name, make(), users, runs)
    for groups, sizes in ((2, (20, 40, 100, 1000)), (10, (200, 500, 1000))):
        for personal, how in ((0.0, "one ranking"), (1.5, "personal")):
            world = liked_by_a_tenth(groups, personal)
            for users in sizes:
                _holds(f"liked by a tenth, {groups} user groups, {how}", world, users, runs)
    _holds("shown in proportion, 10 user groups", in_proportion(), 1000, runs)
    print(
        "\n| world, user groups, users in each | all pairs hold | false violations | false passes | width |"
    )
    print("|---" * 5 + "|")
    for few, share, said in FEW:
        for groups, users in ((2, 60), (2, 200), (10, 60), (10, 200), (10, 1000)):
            _few(f"{said}, {groups}", few(groups, share), users, runs)
    for chance, users in ((0.05, 200), (0.02, 200), (0.01, 1000)):
        _few(f"{chance:.0%} like each of 8, 30% more, 2", niches(chance), users, runs)
    for side, users in (("asked for", 200), ("shown", 200), ("shown", 500)):
        _few(f"1 in 200 has most of it, {side}, 2", unlike(side), users, runs)
    for users in (120, 200, 400, 800):
        found = pairs_hold(seldom_shown(), users, runs // 2)
        figures = f"{found.together:.1f} | {found.overstated:.1f} | – | {found.width:.3f}"
        print(f"| seldom shown to one group, 2, {users // 2:,} | {figures} |", flush=True)
    for users in (100, 120, 400):
        found = pairs_hold(hit_or_miss(), users, runs)
        figures = f"{found.together:.1f} | {found.overstated:.1f} | – | {found.width:.3f}"
        print(f"| 20 kinds, hit or miss, 2, {users // 2:,} | {figures} |", flush=True)
    for kinds, spread, users in ((20, 0.35, 60), (20, 0.5, 60), (50, 0.5, 200), (50, 1.0, 200)):
        _few(f"{kinds} kinds, uneven rest ({spread}), 2", uneven_rest(kinds, spread), users, runs)
    print(
        "\n| what is wanted is shown to, users in each | 1 group | 2 groups | 20 groups |\n|---|---|---|---|"
    )
    for chance, users in (
        (0.02, 60),
        (0.02, 200),
        (0.05, 60),
        (0.05, 200),
        (0.2, 60),
        (0.2, 200),
        (0.01, 1000),
    ):
        cells = " | ".join(f"{served_hold(chance, users, groups, runs):.1f}" for groups in (1, 2, 20))
        print(f"| {chance:.0%}, {users:,} | {cells} |", flush=True)
    print("\n| liked, users | unweighted: violations | weighted: violations | all pairs hold | factors |")
    print("|---" * 5 + "|")
    for liked in (0.05, 0.2):
        for users in (100, 400, 2000):
            _partly_seen(liked, users, runs if users < 2000 else runs // 4)
    print("\n| chances given, 400 users | violations | all pairs hold | mean shares of the item groups |")
    print("|---" * 4 + "|")
    for name, given, varies in (
        ("as they are", SEEN, 0.0),
        (".25 for .2", SEEN * [1, 1, 1.25], 0.0),
        (".15 for .2", SEEN * [1, 1, 0.75], 0.0),
        ("all 1.25 times as large", SEEN * 1.25, 0.0),
        ("right in the mean over users", SEEN, 0.5),
    ):
        _misstated(name, given, varies, runs // 4)
    print(f"\n| rarely relevant, users | {' | '.join(NAMES)} |\n{'|---' * 7}|")
    for users in (20, 40, 100, 200, 400):
        covered = calibrate(rarely_relevant(), users, runs // 2).coverage
        print(f"| {users} | {' | '.join(f'{covered[name]:.1f}' for name in NAMES)} |", flush=True)
    print(
        "\n| relevant items a user | from relevance | correlation with items at random | violations of both |"
    )
    print("|---" * 4 + "|")
    for relevant in (1, 2, 3, 4, 5, 7, 10):
        found = [placebo(relevant, seed=seed) for seed in (1, 2, 3)]
        share = np.mean([one.from_relevance for one in found])
        alike = ", ".join(f"{one.correlation:.2f}" for one in found)
        both = ", ".join(f"{one.violations} and {one.at_random}" for one in found)
        print(f"| {relevant} | {share:.0%} | {alike} | {both} |", flush=True)


def _holds(name: str, world: Population, users: int, runs: int) -> None:
    new, old = pairs_hold(world, users, runs), pairs_hold(world, users, runs, limits=of_a_known_target)
    print(
        f"| {name}, {users:,} | {new.together:.1f} | {new.overstated:.1f} | {new.width:.3f} | "
        f"{old.together:.1f}, {old.overstated:.1f}, {old.width:.3f} |",
        flush=True,
    )


def _few(said: str, world: Cells, users: int, runs: int) -> None:
    found, passed = cells_hold(world, users, runs)
    figures = f"{found.together:.1f} | {found.overstated:.1f} | {passed:.1f} | {found.width:.3f}"
    print(f"| {said}, {users:,} | {figures} |", flush=True)


def _partly_seen(liked: float, users: int, runs: int) -> None:
    world = partly_seen(liked)
    false = mended = held = 0
    explained: list[float] = []
    for run in range(runs):
        found = factors(world.draw(users, run, weighted=False), TOLERANCE)
        false += bool(found)
        explained += [np.inf if factor is None else factor for factor in found]
        weighted = pairs(world.draw(users, run, weighted=True))
        mended += bool(violations(weighted, TOLERANCE))
        held += bool(((weighted.low <= 0) & (weighted.high >= 0)).all())
    shown = f"{np.median(explained):.2f}, at most {max(explained):.2f}" if explained else "–"
    rates = " | ".join(f"{100 * count / runs:.1f}" for count in (false, mended, held))
    print(f"| {liked:.0%} of the items, {users:,} | {rates} | {shown} |", flush=True)


def _misstated(name: str, given: Floats, varies: float, runs: int) -> None:
    world = partly_seen()
    found = [pairs(world.draw(400, run, weighted=True, given=given, varies=varies)) for run in range(runs)]
    false = 100 * np.mean([bool(violations(one, TOLERANCE)) for one in found])
    held = 100 * np.mean([bool(((one.low <= 0) & (one.high >= 0)).all()) for one in found])
    means = np.mean([one.share.mean(axis=0) for one in found], axis=0)
    shares = ", ".join(f"{100 * share:+.0f}%" for share in means)
    print(f"| {name} | {false:.1f} | {held:.1f} | {shares} |", flush=True)


if __name__ == "__main__":
    main()
