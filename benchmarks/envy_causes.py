"""Why do figures of Do and others (2022) differ from ours? Readings of what the paper leaves open, run.

    .venv/bin/python benchmarks/envy_causes.py DATA [--only utility|cost]

Two questions. Table 1: with equal user utility 13% of the users of MovieLens are .05-envious, and here 46%:
by another policy for the same utility, another penalty, or another completion of what users took? Figure 4:
at inverse temperature 10 the cost of an audit is negative, and here positive: by whom the mean is taken over,
by the algorithm, or by the recommender?
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from envy_offline import EPSILON, envy_of, penalty_for
from envy_published import TABLE_1
from envy_systems import DELTA, GAMMA, LAMBDA, PUBLISHED, System, audit, share_better
from numpy.typing import NDArray

from evenhand.envy.measures import average_envy, envious_share
from evenhand.envy.online.drawing import draw_targets
from evenhand.envy.systems.environments import Environment, History, lastfm_history, movielens_history
from evenhand.recommenders.models.completion import complete

Table = NDArray[np.float64]
# Completions of what users took: factors, and how much more what was taken weighs.
COMPLETIONS = ((16, 1.0), (64, 1.0), (256, 1.0), (16, 4.0), (64, 4.0), (16, 40.0), (64, 40.0))
HALVINGS = 10


def with_least(tastes: Table, level: Table) -> Table:
    """As here: the most preferred item, mixed with the least preferred."""
    return _mixed(tastes, level, tastes.argmin(axis=1))


def with_next(tastes: Table, level: Table) -> Table:
    """The two items whose preferences are next to the level, above and below."""
    order = np.argsort(tastes, axis=1)
    ranked = np.take_along_axis(tastes, order, axis=1)
    above = np.minimum((ranked < level[:, None]).sum(axis=1), ranked.shape[1] - 1)
    rows = np.arange(len(tastes))
    upper, lower = order[rows, above], order[rows, np.maximum(above - 1, 0)]
    return _between(tastes, level, upper, lower)


def with_uniform(tastes: Table, level: Table) -> Table:
    """The most preferred item, mixed with all items alike."""
    best, mean = tastes.max(axis=1), tastes.mean(axis=1)
    share = np.clip(np.divide(level - mean, best - mean, out=np.ones_like(best), where=best > mean), 0, 1)
    found = np.repeat((1 - share)[:, None] / tastes.shape[1], tastes.shape[1], axis=1)
    found[np.arange(len(tastes)), tastes.argmax(axis=1)] += share
    return found


def tilted(tastes: Table, level: Table) -> Table:
    """The most random policy of that utility: a softmax of preferences, with a temperature for each user."""
    low, high = np.zeros(len(tastes)), np.full(len(tastes), 1e4)
    for _ in range(60):
        middle = (low + high) / 2
        found = _softmax(tastes, middle)
        enough = (found * tastes).sum(axis=1) > level
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return _softmax(tastes, high)


def _softmax(tastes: Table, factor: Table) -> Table:
    weights = np.exp((tastes - tastes.max(axis=1, keepdims=True)) * factor[:, None])
    return weights / weights.sum(axis=1, keepdims=True)


def _mixed(tastes: Table, level: Table, other: NDArray[np.int64]) -> Table:
    return _between(tastes, level, tastes.argmax(axis=1), other)


def _between(tastes: Table, level: Table, upper: NDArray[np.int64], lower: NDArray[np.int64]) -> Table:
    rows = np.arange(len(tastes))
    high, low = tastes[rows, upper], tastes[rows, lower]
    share = np.clip(np.divide(level - low, high - low, out=np.ones_like(high), where=high > low), 0, 1)
    found = np.zeros_like(tastes)
    found[rows, upper] = share
    found[rows, lower] += 1 - share
    return found


POLICIES: dict[str, Callable[[Table, Table], Table]] = {
    "best and worst item (as here)": with_least,
    "best item and all alike": with_uniform,
    "the two items next to the utility": with_next,
    "the most random": tilted,
}


def ceiling(tastes: Table, share: float) -> Table:
    """Utilities under the ceiling that keeps this share of the total of the optimal ones."""
    return (penalty_for(tastes, share)[1] * tastes).sum(axis=1)


def floor_to_mean(tastes: Table, share: float) -> Table:
    """The same total with every user moved the same part of the way to the least of the best utilities."""
    best = tastes.max(axis=1)
    wanted, least = share * best.sum(), float(best.min())
    room = float((best - least).sum())
    part = (best.sum() - wanted) / room if room > 0 else 0.0
    return best - np.clip(part, 0, 1) * (best - least)


def proportional(tastes: Table, share: float) -> Table:
    """The same total with the same share taken from everybody, which makes nobody equal."""
    return share * tastes.max(axis=1)


LEVELS: dict[str, Callable[[Table, float], Table]] = {
    "variance penalised (as here)": ceiling,
    "all moved to the least": floor_to_mean,
    "the same share from all": proportional,
}


def utility_readings(
    history: History, completions: tuple[tuple[int, float], ...] = COMPLETIONS
) -> list[dict[str, Any]]:
    """Each level and policy on the truth as here, then other truths with the level and policies of here."""
    euu, opt, *_ = TABLE_1[history.name]
    rows = []
    for name, level in LEVELS.items():
        for how, policy in POLICIES.items():
            rows.append(_utility_row(f"{name}; {how}", history.preferences, level, policy, euu / opt))
    for factors, weight in completions:
        tastes = truth(history, factors, weight, opt)
        if tastes is not None:
            for how in ("best and worst item (as here)", "the two items next to the utility"):
                said = f"truth of {factors} factors, weight {weight:g}; {how}"
                rows.append(_utility_row(said, tastes, ceiling, POLICIES[how], euu / opt))
    return rows


def _utility_row(
    name: str,
    tastes: Table,
    level: Callable[[Table, float], Table],
    policy: Callable[[Table, Table], Table],
    share: float,
) -> dict[str, Any]:
    policies = policy(tastes, level(tastes, share))
    found = envy_of(tastes, policies)
    best = tastes.max(axis=1)
    return {
        "reading": name, "best": float(best.sum()), "total": float(found.own.sum()),
        "spread": float(best.std()), "envy": float(average_envy(found)),
        "envious": float(envious_share(found)),
    }  # fmt: skip


def truth(history: History, factors: int, weight: float, opt: float) -> Table | None:
    """Completed with as much regularisation as gives optimal policies the total of table 1, if any does."""
    low, high = np.log(1e-3), np.log(1e4)

    def completed(regularisation: float) -> Table:
        made = complete(history.taken, factors, weight=weight, regularisation=regularisation, iterations=5)
        return np.clip(made.users @ made.items.T, 0, 1)

    users = history.preferences.shape[0]
    wanted = opt / {"MovieLens": 2000, "Last.fm": 1880}[history.name] * users
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        tastes = completed(float(np.exp(middle)))
        low, high = (middle, high) if tastes.max(axis=1).sum() > wanted else (low, middle)
    return tastes if abs(tastes.max(axis=1).sum() / wanted - 1) < 0.01 else None


# Who is "epsilon-envious" in figure 4, from the table of utilities and the arms that each user was given.
COUNTED: dict[str, Callable[[Table, NDArray[np.int64], dict[int, Any]], NDArray[np.bool_]]] = {
    "some policy is better by .05": lambda table, users, arms: share_better(table)[users] > 0,
    "some policy tried is better by .05": lambda table, users, arms: np.array(
        [(table[m, arms[m]] > table[m, m] + EPSILON).any() for m in users]
    ),
    "a tenth of policies is": lambda table, users, arms: share_better(table)[users] > GAMMA,
    "half of the policies are": lambda table, users, arms: share_better(table)[users] > 0.5,
}
FOUND = "the audit says envy"


Tables = tuple[Table, Table]  # utilities at inverse temperature 5 and at 10


def recommenders(history: History) -> dict[str, Callable[[], Environment]]:
    """As here, and others that see as much: weights, regularisation, and scores that are put on one scale."""

    def scaled() -> Environment:
        here = history.recommend(48)
        low, high = here.estimates.min(), here.estimates.max()
        return replace(here, estimates=(here.estimates - low) / (high - low))

    def scaled_by_user() -> Environment:
        here = history.recommend(48)
        return replace(here, estimates=here.estimates / here.estimates.max(axis=1, keepdims=True))

    return {
        "as here": lambda: history.recommend(48),
        "what was seen weighs no more": lambda: replace(history, weight=1.0).recommend(48),
        "regularised 100 times as much": lambda: history.recommend(48, regularisation=10.0),
        "scores put on 0 to 1": scaled,
        "each user's scores put on 0 to 1": scaled_by_user,
    }


def cost_readings(history: History, trials: int) -> list[dict[str, Any]]:
    """The mean cost at a small and a large alpha, for each recommender, algorithm and set of users."""
    rows = []
    for name, recommend in recommenders(history).items():
        environment = recommend()
        cool, warm = (np.clip(environment.utilities(factor), 0, 1) for factor in (5, 10))
        rows += cost_rows(name, (cool, warm), trials)
    return rows


ALGORITHMS: dict[str, dict[str, str]] = {"ours": {}, "published": PUBLISHED}


def cost_rows(
    name: str,
    tables: Tables,
    trials: int,
    alphas: tuple[float, ...] = (0.05, 0.5),
    algorithms: tuple[str, ...] = ("ours", "published"),
) -> list[dict[str, Any]]:
    """Of one recommender; the published algorithm takes tens of times as long, and has one trial."""
    cool, warm = tables
    arms = {}
    for seed in range(trials):
        rng = np.random.default_rng(np.random.SeedSequence(seed).spawn(1)[0])
        arms[seed] = draw_targets(len(warm), "probabilistic", DELTA, GAMMA, LAMBDA, rng)
    rows = []
    for algorithm in algorithms:
        how, seeds = ALGORITHMS[algorithm], range(trials if algorithm == "ours" else 1)
        found = {
            alpha: [audit(System(name, warm, {}), alpha, seed, **how) for seed in seeds] for alpha in alphas
        }
        for whom in (*COUNTED, FOUND):
            costs: list[float | None] = []
            for alpha in alphas:
                values = []
                for seed, trial in zip(seeds, found[alpha], strict=True):
                    if whom == FOUND:
                        chosen = trial.found.outcomes == "envy"
                    else:
                        chosen = COUNTED[whom](warm, trial.found.users, arms[seed])
                    values.append(trial.found.costs[chosen])
                joined = np.concatenate(values)
                costs.append(float(joined.mean()) if len(joined) else None)
            rows.append({
                "recommender": name, "algorithm": algorithm, "whom": whom, "users": len(joined),
                "costs": costs,
                "envious at 5": float((share_better(cool) > GAMMA).mean()),
                "envious at 10": float((share_better(warm) > GAMMA).mean()),
            })  # fmt: skip
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--only", choices=["utility", "cost"])
    parser.add_argument("--trials", type=int, default=5)
    asked = parser.parse_args()
    for history in (movielens_history(asked.data / "ml-1m"), lastfm_history(asked.data / "lastfm-2k")):
        if asked.only != "cost":
            print(f"\n#### {history.name}: equal user utility (published {TABLE_1[history.name]})\n")
            print(
                "| reading | OPT | spread of best | EUU | average envy | .05-envious |\n" + "|---" * 6 + "|"
            )
            for row in utility_readings(history):
                cells = f"{row['best']:,.0f} | {row['spread']:.3f} | {row['total']:,.0f} | {row['envy']:.3f}"
                print(f"| {row['reading']} | {cells} | {row['envious']:.0%} |", flush=True)
        if asked.only != "utility":
            print(f"\n#### {history.name}: mean cost at inverse temperature 10\n")
            print(
                "| recommender | envious at 5, at 10 | algorithm | mean over users of whom | users "
                "| cost at .05 | at .5 |"
            )
            print("|---" * 7 + "|")
            for row in cost_readings(history, asked.trials):
                costs = " | ".join("-" if cost is None else f"{cost:,.0f}" for cost in row["costs"])
                cells = (row["recommender"], f"{row['envious at 5']:.1%}, {row['envious at 10']:.1%}")
                whom = (row["algorithm"], row["mean over users of whom"], f"{row['users']}")
                print(f"| {' | '.join([*cells, *whom])} | {costs} |", flush=True)


if __name__ == "__main__":
    main()
