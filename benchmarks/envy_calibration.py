"""How often is an online audit of envy wrong, and how often does it cost a user more than allowed?

    .venv/bin/python benchmarks/envy_calibration.py --runs 1000               # randomised blocks
    .venv/bin/python benchmarks/envy_calibration.py --runs 2000 --unpaired    # the unpaired design

The worlds are those of tests/calibration, where the same numbers are held against delta = 5%.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import numba
import numpy as np

from calibration.envy_drift_worlds import (
    LEVELS,
    MUCH_MISSING,
    OWN,
    REPORTS,
    TRUTHS,
    UNEQUAL,
    audits,
    audits_taking_the_worst,
    audits_with_much_missing,
    truth_of,
    wrong,
)
from calibration.envy_mean_worlds import AUDITS, ENVIES, envy_of_groups, sampled_envy, simulated_audits
from calibration.envy_worlds import DELTA, EPSILON, INSTANCES, WORLDS, calibrate
from evenhand.envy import Auditor, Simulation, simulate, simulate_system

CLEAR = {
    "all equal": [OWN] * 10,
    "best better by epsilon": [OWN, OWN + 0.05, *[OWN] * 8],
    "one better by .15": [OWN, OWN + 0.15, *[OWN] * 8],
    "own best, others worse by .3": [0.6, *[0.3] * 9],
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1_000)
    parser.add_argument(
        "--unpaired", action="store_true", help="the unpaired design, whose level stands still"
    )
    parser.add_argument("--bound", choices=list(EPSILON), action="append", help="of these: only this one")
    parser.add_argument("--only", choices=list(PARTS), action="append", help="of the blocks: only this part")
    options = parser.parse_args()
    if options.unpaired:
        unpaired(options.runs, options.bound or list(EPSILON))
        return
    print(f"{options.runs:,} runs, epsilon = delta = .05, alpha = .4 unless said; percent of runs.")
    for part in options.only or PARTS:
        PARTS[part](options.runs)


def levels(runs: int) -> None:
    print("\n### A level that moves for all policies alike\n")
    print("| level | truth | unpaired: wrong | inconclusive | steps | blocks: wrong | alpha .1 | steps |")
    print("|---" * 8 + "|")
    for level in LEVELS:
        for truth in TRUTHS:
            before = audits(truth, runs, level, design="unpaired")
            found, strict = (audits(truth, runs, level, alpha=alpha) for alpha in (0.4, 0.1))
            for one in (found, strict):
                assert one.held.all(), "the constraint was broken"
            print(
                f"| {level} | {truth} | {_share(before, truth)} | {100 * before.share('inconclusive'):.1f} "
                f"| {_steps(before)} | {_share(found, truth)} | {_share(strict, truth)} | {_steps(found)} |",
                flush=True,
            )


def reports(runs: int) -> None:
    print("\n### Rewards that are graded, late or missing; many policies\n")
    print("| rewards | truth | wrong | inconclusive | steps | constraint broken |")
    print("|---" * 6 + "|")
    worlds = [(name, runs, given) for name, given in REPORTS.items()]
    worlds += [("3% missing of all, taken as the worst", runs, {"missing": 0.03, "unreported": "worst"})]
    worlds += [("75 policies", max(runs // 5, 1), {"arms": 75}), ("one other policy", runs, {"arms": 1})]
    worlds += [
        (
            "ramp, bad ones 400 steps late",
            runs,
            {"level": "ramp, .3 to .5", **REPORTS["bad ones 400 steps late"]},
        )
    ]
    for name, many, given in worlds:
        for truth in TRUTHS:
            print(_row(name, truth, audits(truth, many, **given)), flush=True)


def missing(runs: int) -> None:
    print("\n### Rewards that are missing unequally\n")
    print(
        "| missing | truth | unpaired: wrong | blocks: wrong | inconclusive | steps | worst: wrong | steps |"
    )
    print("|---" * 8 + "|")
    for name, given in UNEQUAL.items():
        truth = "best better by epsilon" if "others" in name else "all equal"
        before = audits(truth, runs, design="unpaired", drift=0, **given)
        found = audits(truth, runs, **given)
        worst = audits(truth, runs, unreported="worst", budget=100_000, **given)
        print(
            f"| {name} | {truth} | {_share(before, truth)} | {_share(found, truth)} "
            f"| {100 * found.share('inconclusive'):.1f} | {_steps(found)} | {_share(worst, truth)} "
            f"| {_steps(worst)} |",
            flush=True,
        )


def much(runs: int) -> None:
    print("\n### Much is missing, and shares differ a little\n")
    print("| missing: own, others | truth | wrong | inconclusive | steps | constraint broken |")
    print("|---" * 6 + "|")
    for name, (own, others) in MUCH_MISSING.items():
        found, truth = audits_with_much_missing(name, runs), truth_of(name)
        print(_row(f"{own:.0%}, {others:.0%}", truth, found), flush=True)
    print("\n| own, others; own missing | alpha | broken | least margin | steps |\n" + "|---" * 5 + "|")
    for others, alpha in ((0.42, 0.05), (0.35, 0.05), (0.35, 0.1)):
        found = audits_taking_the_worst(0.5, others, alpha, max(runs * 3 // 10, 1))
        print(
            f"| .5, {others:g}; {1 - others / 0.5:.0%} | {alpha:g} | {100 * float((~found.held).mean()):.1f} "
            f"| {found.margins.min():.2f} | {_steps(found)} |",
            flush=True,
        )


def ends(runs: int) -> None:
    """Settings and rewards at the ends of what they can be."""
    print("\n### At the ends\n\n| setting | runs | equal: wrong | at epsilon: wrong |\n" + "|---" * 4 + "|")
    worlds: list[tuple[str, float, float, float, int, float, dict[str, Any]]] = [
        ("alpha 1", 1.0, 1.0, 0.1, 2, OWN, {}),
        ("alpha .01", 1.0, 0.01, 0.1, 2, OWN, {}),
        ("alpha .001", 0.3, 0.001, 0.3, 2, OWN, {}),
        ("epsilon .01", 0.3, 0.4, 0.01, 2, OWN, {}),
        ("epsilon .6", 2.0, 0.4, 0.6, 9, 0.2, {}),
        ("100 policies", 1.0, 0.4, 0.15, 100, OWN, {}),
        ("own .001", 0.4, 0.4, 0.01, 3, 0.001, {}),
        ("own .99", 1.0, 0.4, 0.01, 3, 0.99, {}),
        ("own 0", 1.0, 0.4, 0.05, 9, 0.0, {}),
        ("Beta of concentration .1", 1.0, 0.4, 0.1, 9, OWN, {"rewards": "beta", "concentration": 0.1}),
    ]
    for name, share, alpha, epsilon, arms, own, given in worlds:
        many = max(int(share * runs), 1)
        figures = []
        for truth, gain in (("all equal", 0.0), ("best better by epsilon", epsilon)):
            means = [own, own + gain, *[own] * (arms - 1)]
            found = simulate(means, many, epsilon, DELTA, alpha, rng=11, **given)
            assert found.held.all(), "the constraint was broken"
            figures.append(_share(found, truth))
        print(
            f"| {name}, epsilon {epsilon:g}, {arms} policies | {many:,} | {' | '.join(figures)} |", flush=True
        )


def lengths(runs: int) -> None:
    print("\n### Median steps, a level that stands still\n")
    print("| truth | alpha | unpaired | blocks | times |\n" + "|---" * 5 + "|")
    for name, means in CLEAR.items():
        for alpha in (0.5, 0.1, 0.02):
            both = [
                np.median(simulate(means, runs // 2, alpha=alpha, rng=2, design=design).durations)
                for design in ("unpaired", "blocks")
            ]
            print(
                f"| {name} | {alpha:g} | {both[0]:,.0f} | {both[1]:,.0f} | {both[1] / both[0]:.2f} |",
                flush=True,
            )


def tails(runs: int) -> None:
    """Clear cases: how long most audits take, not only the one in the middle."""
    print("\n### Clear cases, a level that stands still\n")
    print("| truth | alpha | design | mean steps | median | 80% | 90% | 95% |\n" + "|---" * 8 + "|")
    for gain in (0.15, 0.1):
        for alpha in (0.4, 0.1):
            for design in ("unpaired", "blocks"):
                steps = simulate(
                    [OWN, OWN + gain, *[OWN] * 8], runs, alpha=alpha, rng=1, design=design
                ).durations
                figures = [steps.mean(), *np.quantile(steps, [0.5, 0.8, 0.9, 0.95])]
                cells = " | ".join(f"{figure:,.0f}" for figure in figures)
                print(f"| one better by {gain:g} | {alpha:g} | {design} | {cells} |", flush=True)


def policies(runs: int) -> None:
    """Few and many policies, from all equal to one that is clearly better."""
    print("\n### How many policies, a level that stands still\n")
    print("| policies | truth | mean steps | 90% | wrong | constraint broken |\n" + "|---" * 6 + "|")
    for arms, many in ((2, runs), (5, runs), (20, max(runs * 3 // 10, 1))):
        for gain in (0.0, 0.05, 0.15, 0.3):
            found = simulate([OWN, OWN + gain, *[OWN] * (arms - 1)], many, rng=1)
            steps = f"{found.durations.mean():,.0f} | {np.quantile(found.durations, 0.9):,.0f}"
            truth = "best better" if gain else "all equal"
            broken = 100 * float((~found.held).mean())
            print(
                f"| {arms} | one better by {gain:g} | {steps} | {_share(found, truth)} | {broken:.1f} |",
                flush=True,
            )


def constraint(runs: int) -> None:
    print("\n### The constraint, with the least margin of all runs in rewards\n")
    print("| policies | level | alpha | broken | least margin |\n" + "|---" * 5 + "|")
    useless, bad = [OWN, *[0.1] * 9], [OWN, *[0.2] * 9]
    for name, means in (("others give .1", useless), ("others give .2", bad)):
        for level, moves in LEVELS.items():
            if means[1] + moves.min() < 0:
                continue
            for alpha in (0.1, 0.4):
                found = simulate(means, runs, alpha=alpha, rng=3, levels=moves)
                broken = 100 * float((~found.held).mean())
                print(
                    f"| {name} | {level} | {alpha:g} | {broken:.1f} | {found.margins.min():.2f} |", flush=True
                )


def systems(runs: int) -> None:
    """60 users, 5 of them drawn with 9 policies each."""
    trials = max(runs // 10, 1)
    print(f"\n### Systems: {trials:,} draws of a system of 60 users\n")
    print("| truth | design | envy | no_envy | inconclusive | steps of a user, median |\n" + "|---" * 6 + "|")
    given = {"epsilon": 0.1, "delta": 0.05, "alpha": 0.4, "gamma": 0.5, "lambda_": 0.9}
    for truth, own in (("all equal", 0.4), ("all better by epsilon", 0.3)):
        table = np.full((60, 60), 0.4)
        np.fill_diagonal(table, own)
        for design in ("unpaired", "blocks"):
            found = [simulate_system(table, rng=seed, design=design, **given) for seed in range(trials)]
            shares = [
                f"{100 * np.mean([one.outcome == word for one in found]):.1f}"
                for word in ("envy", "no_envy", "inconclusive")
            ]
            steps = np.median(np.concatenate([one.durations for one in found]))
            print(f"| {truth} | {design} | {' | '.join(shares)} | {steps:,.0f} |", flush=True)


def broken(runs: int) -> None:
    """What breaks the assumptions: differences that change, and steps that change the next reward."""
    runs = max(runs // 25, 1)
    print(f"\n### Assumptions that are broken: {runs:,} runs, all equal on the whole, budget 20,000\n")
    print("| world | envy |\n" + "|---" * 2 + "|")
    for name, swing, carried in (
        ("nothing is broken", 0.0, 0.0),
        ("differences of .15 that change sign every 500 steps", 0.15, 0.0),
        ("a step of another policy lowers the next reward by .06", 0.0, -0.06),
    ):
        envious = 0
        for seed in range(runs):
            rng = np.random.default_rng([seed, 11])
            auditor, last = Auditor(9, rng=seed, budget=20_000), 0
            while auditor.outcome is None:
                arm = auditor.next()
                mean = OWN + (arm > 0) * swing * (1 if auditor.step // 500 % 2 else -1) + (last > 0) * carried
                auditor.observe(arm, float(rng.random() < mean))
                last = arm
            envious += auditor.outcome == "envy"
        print(f"| {name} | {100 * envious / runs:.0f} |", flush=True)


def changes(runs: int) -> None:
    """Differences that change with how often a policy was shown, and losses that differ by policy."""
    runs = max(runs * 3 // 10, 1)
    print(f"\n### Differences that change, five policies, epsilon = .1: {runs:,} runs\n")
    print("| world | envy | no_envy | inconclusive |\n" + "|---" * 4 + "|")
    worlds: dict[str, Callable[[int, int], float]] = {
        "worse by .2 in the first 50 shows, then better by .2": lambda shown, _: -0.2 if shown <= 50 else 0.2,
        "better by .2 in the first 50 shows, then equal": lambda shown, _: 0.2 if shown <= 50 else 0.0,
        "equal, better by .2 from step 1,500 on": lambda _, step: 0.2 if step > 1_500 else 0.0,
        "equal; own likes and others' dislikes get lost, 8% of each": lambda *_: 0.0,
    }
    for name, gain in worlds.items():
        ended = []
        for seed in range(runs):
            rng = np.random.default_rng([seed, 5])
            auditor = Auditor(5, epsilon=0.1, rng=seed, budget=20_000)
            while auditor.outcome is None:
                pull = auditor.assign(deadline=9)
                more = gain(auditor.assigned[pull.arm], auditor.step) if pull.arm else 0.0
                reward = float(rng.random() < OWN + more)
                lost = "lost" in name and reward == (pull.arm == 0)
                lost = lost and rng.random() < 0.08 / (1 - OWN if pull.arm else OWN)
                auditor.deliver({pull.id: None if lost else reward})
            ended.append(auditor.outcome)
        shares = [f"{100 * ended.count(word) / runs:.1f}" for word in ("envy", "no_envy", "inconclusive")]
        print(f"| {name} | {' | '.join(shares)} |", flush=True)


def useless(runs: int) -> None:
    """Others that give nothing, while the own level moves: differences that change."""
    runs = max(runs * 3 // 200, 1)
    print(f"\n### The constraint where differences change: {runs:,} runs\n")
    print("| own level | alpha | broken | least margin | largest exploring share |\n" + "|---" * 5 + "|")
    own: dict[str, Callable[[int], float]] = {
        "rises from .1 to .8 in 1,000 steps": lambda step: 0.1 + 0.7 * min(step / 1_000, 1),
        ".1 and .7 by turns": lambda step: 0.7 if step % 2 else 0.1,
        ".1 and .8, 50 steps each": lambda step: 0.8 if step // 50 % 2 else 0.1,
    }
    for name, level in own.items():
        for alpha in (0.1, 0.4):
            least, share = np.zeros(runs), np.zeros(runs)
            for seed in range(runs):
                rng, margin = np.random.default_rng([seed, 3]), 0.0
                auditor = Auditor(9, alpha=alpha, rng=seed)
                while auditor.outcome is None:
                    arm, mean = auditor.next(), level(auditor.step)
                    given = 0.0 if arm else mean
                    margin += given - (1 - alpha) * mean
                    least[seed] = min(least[seed], margin)
                    auditor.observe(arm, float(rng.random() < given))
                share[seed] = sum(auditor.assigned[1:]) / auditor.step
            figures = f"{100 * np.mean(least < -1e-9):.0f} | {least.min():.2f} | {share.max():.3f}"
            print(f"| {name} | {alpha:g} | {figures} |", flush=True)


def _share(found: Simulation, truth: str) -> str:
    return f"{100 * wrong(found, truth) / len(found.durations):.1f}"


def _steps(found: Simulation) -> str:
    return f"{np.median(found.durations):,.0f}"


def _row(name: str, truth: str, found: Simulation) -> str:
    undecided, broken = 100 * found.share("inconclusive"), 100 * float((~found.held).mean())
    return f"| {name} | {truth} | {_share(found, truth)} | {undecided:.1f} | {_steps(found)} | {broken:.1f} |"


def means(runs: int) -> None:
    print("\n### Average envy of groups, and of a sample\n")
    print("| envy | groups x users | all hold | one is too high | Student's: all hold | width |")
    print("|---" * 6 + "|")
    numba.set_num_threads(1)  # many small samples
    for name in ENVIES:
        for groups, users in ((6, 40), (1, 200), (1, 1_000)):
            found = envy_of_groups(name, groups, users, runs)
            cells = " | ".join(f"{100 * found[part] / runs:.1f}" for part in ("held", "too high", "student"))
            print(f"| {name} | {groups} x {users:,} | {cells} | {found['width']:.3f} |", flush=True)
    for users, liked in ((20, 0.3), (100, 0.3), (40, 0.03), (400, 0.03)):
        held = 100 * sampled_envy(users, 10, runs, liked) / runs
        print(
            f"| a sample of {users} users, 10 policies each, {liked:.0%} liked | | {held:.1f} | | | |",
            flush=True,
        )


def simulated(runs: int) -> None:
    print("\n### What simulated audits say of length and cost\n")
    print("| audits | simulated | median steps hold | mean cost holds | others within 'nine of ten' |")
    print("|---" * 5 + "|")
    for name in AUDITS:
        for size in (5, 10, 20, 50, 100, 400):
            found = simulated_audits(name, size, runs)
            cells = " | ".join(f"{100 * found[part] / runs:.1f}" for part in ("duration", "cost"))
            print(f"| {name} | {size} | {cells} | {100 * found['within_90']:.1f} |", flush=True)


def unpaired(runs: int, bounds: list[str]) -> None:
    print(f"Percent of {runs:,} runs, delta = {DELTA:g}; epsilon = {EPSILON}.")
    for bound in bounds:
        for choice in ("adaptive", "uniform"):
            worst = 0.0
            print(f"\n### {bound}, {choice}\n")
            print("| rewards | instance | wrong | constraint broken | either | inconclusive | median steps |")
            print("|---" * 7 + "|")
            for world, options in WORLDS.items():
                for name, instance in INSTANCES.items():
                    found = calibrate(instance, options, bound, choice, runs)
                    worst = max(worst, found["either"])
                    figures = " | ".join(
                        f"{found[column]:.2f}" for column in ("wrong", "broken", "either", "inconclusive")
                    )
                    print(f"| {world} | {name} | {figures} | {found['duration']:,.0f} |", flush=True)
            print(f"\nWorst: {worst:.2f}% (allowed {100 * DELTA:g}%)", flush=True)


PARTS = {
    "levels": levels,
    "reports": reports,
    "missing": missing,
    "much": much,
    "ends": ends,
    "lengths": lengths,
    "tails": tails,
    "policies": policies,
    "constraint": constraint,
    "systems": systems,
    "broken": broken,
    "changes": changes,
    "useless": useless,
    "means": means,
    "simulated": simulated,
}


if __name__ == "__main__":
    main()
