"""Audits of whole systems: MovieLens and Last.fm, with and without envy, beside the published algorithm.

    .venv/bin/python benchmarks/envy_systems.py DATA [--trials 20] [--published 1]

DATA holds ml-1m and lastfm-2k. Figure 4 of Do and others (2022): recommenders of 48 factors, a softmax at
inverse temperature 5 or 10, epsilon = delta = .05 and lambda = gamma = .1, hence 41 users with 75 arms each.
As there, every user's audit goes on to its own end, and durations and costs are means over users who are not
(epsilon, gamma)-envious at temperature 5, and over epsilon-envious ones at 10 (and, not there, over the
(epsilon, gamma)-envious). The published algorithm (law of the iterated logarithm, uniform choice) runs in the
first `--published` trials only, on the same users and arms, since it takes tens of times as long; ratios are
over these trials. Both are of the unpaired design. Controls without any envy: the same policy for all users
(one factor), optimal policies.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.envy import SystemSimulation, sample_sizes, simulate_system
from evenhand.envy.online.drawing import draw_targets
from evenhand.envy.systems.environments import History, lastfm_history, movielens_history
from evenhand.envy.systems.policies import optimal
from evenhand.envy.utilities import utilities

EPSILON = DELTA = 0.05
GAMMA = LAMBDA = 0.1
ALPHAS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5)
PUBLISHED = {"bound": "lil", "choice": "uniform"}


@dataclass(frozen=True)
class System:
    """True utilities, and the users over whom means are taken, by the name of these users."""

    name: str
    utilities: NDArray[np.float64]
    counted: dict[str, NDArray[np.bool_]]


@dataclass(frozen=True)
class Trial:
    """One draw of users and arms, audited; entries are those of the users drawn."""

    found: SystemSimulation
    wrong: NDArray[np.bool_]

    @property
    def end(self) -> int:
        """Steps until the system's outcome: the first envy, or the last user's end."""
        envied = self.found.durations[self.found.outcomes == "envy"]
        return int(envied.min() if len(envied) else self.found.durations.max())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--published", type=int, default=1)
    options = parser.parse_args()
    users, arms = sample_sizes(DELTA, GAMMA, LAMBDA)
    print(f"{users} users, {arms} arms; {options.trials} trials, {options.published} of the published.\n")

    histories = [movielens_history(options.data / "ml-1m"), lastfm_history(options.data / "lastfm-2k")]
    outcomes: list[str] = []
    for system in [s for history in histories for s in systems(history)]:
        rows: dict[str, list[str]] = {name: [] for name in system.counted}
        for alpha in ALPHAS:
            ours = [audit(system, alpha, seed) for seed in range(options.trials)]
            published = [audit(system, alpha, seed, **PUBLISHED) for seed in range(options.published)]
            for name, counted in system.counted.items():
                rows[name].append(f"| {alpha:g} | {comparison(published, ours, counted)} |")
            outcomes += [f"| {system.name} | {alpha:g} | ours | {summary(ours)} |"]
            outcomes += [f"| {system.name} | {alpha:g} | published | {summary(published)} |"]
        for name, counted in system.counted.items():
            print(f"#### {system.name}: {name}, {counted.sum():,} of {len(counted):,}\n")
            print(
                "| alpha | published: steps a user | ours: steps a user | times shorter "
                "| published: cost a user | ours: cost a user |\n" + "|---" * 6 + "|"
            )
            print("\n".join(rows[name]) + "\n", flush=True)

    for system in [s for history in histories for s in controls(history)]:
        ours = [audit(system, 0.2, seed) for seed in range(options.trials)]
        outcomes += [f"| {system.name} | 0.2 | ours | {summary(ours)} |"]
    print("#### Outcomes, of systems and of the users drawn\n")
    print(
        "| system | alpha | algorithm | trials | system: envy | no envy | inconclusive | steps to it, median "
        "| users: envy | no envy | inconclusive | wrong | constraint broken |\n" + "|---" * 13 + "|"
    )
    print("\n".join(outcomes))


def systems(history: History) -> list[System]:
    """Do and others' two: envy-free in the sense of Definition 3.2, and not."""
    environment = history.recommend(48)
    cool, warm = environment.utilities(5), environment.utilities(10)
    calm = {"users who are not (epsilon, gamma)-envious": share_better(cool) <= GAMMA}
    envious = {
        "epsilon-envious users": share_better(warm) > 0,
        "(epsilon, gamma)-envious users": share_better(warm) > GAMMA,
    }
    return [
        System(f"{history.name}, inverse temperature 5", cool, calm),
        System(f"{history.name}, inverse temperature 10", warm, envious),
    ]


def controls(history: History) -> list[System]:
    """Systems without any envy: nobody should be found."""
    same = history.recommend(1).utilities(5)
    best = utilities(history.preferences, optimal(history.preferences))
    return [
        System(f"{history.name}, one factor", np.clip(same, 0, 1), {}),
        System(f"{history.name}, optimal policies", np.clip(best, 0, 1), {}),
    ]


def share_better(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each user, the share of policies that are better than their own by more than epsilon."""
    return (table > np.diag(table)[:, None] + EPSILON).mean(axis=1)


def audit(system: System, alpha: float, seed: int, **options: Any) -> Trial:
    found = simulate_system(
        system.utilities,
        EPSILON,
        DELTA,
        alpha,
        rng=seed,
        gamma=GAMMA,
        lambda_=LAMBDA,
        stop_at_envy=False,
        design="unpaired",
        **options,
    )
    drawing = np.random.default_rng(np.random.SeedSequence(seed).spawn(1)[0])
    targets = draw_targets(len(system.utilities), "probabilistic", DELTA, GAMMA, LAMBDA, drawing)
    assert list(targets) == found.users.tolist()
    best = np.array([system.utilities[m, arms].max() for m, arms in targets.items()])
    own = system.utilities[found.users, found.users]
    # Equal policies may differ in the last digits of their utilities, which is not envy.
    wrong = ((found.outcomes == "envy") & (best <= own + 1e-9)) | (
        (found.outcomes == "no_envy") & (best > own + EPSILON + 1e-9)
    )
    return Trial(found, wrong)


def comparison(published: list[Trial], ours: list[Trial], counted: NDArray[np.bool_]) -> str:
    """Mean durations and costs of the users counted."""
    same = ours[: len(published)]
    steps = [mean_of("durations", trials, counted) for trials in (published, ours, same)]
    costs = [mean_of("costs", trials, counted) for trials in (published, ours)]
    return (
        f"{steps[0]:,.0f} | {steps[1]:,.0f} | {steps[0] / steps[2]:.0f} | {costs[0]:,.0f} | {costs[1]:,.1f}"
    )


def mean_of(name: str, trials: list[Trial], counted: NDArray[np.bool_]) -> float:
    """The mean duration or cost of the users counted."""
    values = [getattr(trial.found, name)[counted[trial.found.users]] for trial in trials]
    return float(np.concatenate(values).mean())


def summary(trials: list[Trial]) -> str:
    words = ("envy", "no_envy", "inconclusive")
    whole = [trial.found.outcome for trial in trials]
    single = np.concatenate([trial.found.outcomes for trial in trials])
    wrong = np.concatenate([trial.wrong for trial in trials])
    broken = np.concatenate([trial.found.margins < -1e-9 for trial in trials])
    cells = [f"{len(trials)}", *(f"{whole.count(word)}" for word in words)]
    cells += [f"{np.median([trial.end for trial in trials]):,.0f}"]
    cells += [f"{(single == word).sum():,}" for word in words]
    return " | ".join([*cells, f"{wrong.sum()}", f"{broken.sum()}"])


if __name__ == "__main__":
    main()
