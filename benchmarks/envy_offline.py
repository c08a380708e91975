"""Envy on real data with known preferences, beside Do and others' values; time and memory of utilities.

    .venv/bin/python benchmarks/envy_offline.py DATA [--seeds 5] [--users 20000] [--items 5000]

DATA holds ml-1m and lastfm-2k. From Do and others 2022: figure 2 (envy against the number of
factors, of which it gives the shape and no numbers), table 1 (equal user utility against optimal policies)
and Sec. 5.2 (with 48 factors, envy-free at inverse temperature 5 and not at 10, in the sense of Definition
3.2 with epsilon .05 and gamma and lambda .1). What Do and others leave open is set in
envy.systems.environments: the truth's regularisation by the total utility of OPT, the recommender's weight
by that last sentence, and the penalty of EUU here by its total utility. The other numbers are results.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from envy_published import TABLE_1

from evenhand.envy import audit, utilities
from evenhand.envy.engines import engine_for
from evenhand.envy.evidence import Evidence, compare
from evenhand.envy.measures import average_envy, envious_share
from evenhand.envy.systems.environments import History, lastfm_history, movielens_history
from evenhand.envy.systems.policies import optimal, penalised_user_utility, softmax
from evenhand.envy.utilities import rows_of
from evenhand.recommenders import Factors

FACTORS = (1, 2, 4, 8, 16, 24, 32, 48, 64, 96)
EPSILON, GAMMA = 0.05, 0.1


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=Path)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--users", type=int, default=20_000)
    parser.add_argument("--items", type=int, default=5_000)
    parser.add_argument("--device", default=None)
    parser.add_argument("--only", choices=["data", "time"], default=None)
    chosen = parser.parse_args()
    if chosen.only != "time":
        histories = [lastfm_history(chosen.data / "lastfm-2k"), movielens_history(chosen.data / "ml-1m")]
        figure_2(histories)
        temperatures(histories, chosen.seeds)
        table_1(histories)
    if chosen.only != "data":
        time_and_memory(chosen.users, chosen.items, chosen.device)
        sampled(1_000_000, chosen.items)


def envy_of(preferences: Any, policies: Any) -> Evidence:
    return compare(*rows_of(preferences, policies), EPSILON, engine_for(None))


def figure_2(histories: list[History]) -> None:
    print("#### Envy against the number of factors, inverse temperature 5 (figure 2)\n")
    print("| factors | " + " | ".join(f"{h.name}: average envy | .05-envious" for h in histories) + " |")
    print("|---" * (1 + 2 * len(histories)) + "|")
    for factors in FACTORS:
        cells = []
        for history in histories:
            average, share = envy_with(history, factors)
            cells += [f"{average:.4f}", f"{share:.1%}"]
        print(f"| {factors} | {' | '.join(cells)} |", flush=True)
    print("\nSource: no envy with one factor, visible with some, less with many.\n")


def envy_with(history: History, factors: int, seed: int = 0) -> tuple[float, float]:
    """Average envy and the share of .05-envious users under a recommender of so many factors."""
    environment = history.recommend(factors, seed=seed)
    found = envy_of(environment.preferences, environment.policies(5))
    return average_envy(found), envious_share(found)


def temperatures(histories: list[History], seeds: int) -> None:
    print(
        f"#### 48 factors: (.05, .1)-envious users, {seeds} samples of what the recommender saw (Sec. 5.2)\n"
    )
    print("| data | inverse temperature | from | to | more than .1 envious | published |")
    print("|---" * 6 + "|")
    for history in histories:
        for factor, found in envious_at(history, seeds).items():
            said = "envy-free" if factor == 5 else "envy"
            above = sum(share > 0.1 for share in found)
            cells = f"{min(found):.1%} | {max(found):.1%} | {above} of {seeds} | {said}"
            print(f"| {history.name} | {factor} | {cells} |", flush=True)
    print()


def envious_at(history: History, seeds: int) -> dict[int, list[float]]:
    """The share of (.05, .1)-envious users by inverse temperature, for each sample of what was seen."""
    shares: dict[int, list[float]] = {5: [], 10: []}
    for seed in range(seeds):
        environment = history.recommend(48, seed=seed)
        for factor, found in shares.items():
            envy = envy_of(environment.preferences, environment.policies(factor))
            found.append(envious_share(envy, GAMMA))
    return shares


def table_1(histories: list[History]) -> None:
    print("#### Optimal policies and equal user utility (table 1; Do and others' values in brackets)\n")
    print("| data | policies | total utility | average envy | .05-envious |\n" + "|---" * 5 + "|")
    for history in histories:
        tastes = history.preferences
        euu, opt, envy, share = TABLE_1[history.name]
        penalty, equal = penalty_for(tastes, euu / opt)
        for name, policies, source in (
            ("OPT", optimal(tastes), (opt, 0, 0)),
            (f"EUU, penalty {penalty:.1f}", equal, (euu, envy, share)),
        ):
            found = envy_of(tastes, policies)
            cells = (
                f"{found.own.sum():,.0f} ({source[0]:,}) | {average_envy(found):.3f} ({source[1]:g})"
                f" | {envious_share(found):.1%} ({source[2]:.0%})"
            )
            print(f"| {history.name} | {name} | {cells} |", flush=True)
    print()


def penalty_for(tastes: Any, share: float) -> tuple[float, Any]:
    """The penalty at which policies keep this share of the total utility of the optimal ones."""
    wanted = share * tastes.max(axis=1).sum()
    low, high = 0.0, 1e4
    for _ in range(60):
        penalty = (low + high) / 2
        policies = penalised_user_utility(tastes, penalty).policies
        enough = (policies * tastes).sum() > wanted
        low, high = (penalty, high) if enough else (low, penalty)
    return penalty, policies


def time_and_memory(users: int, items: int, device: str | None) -> None:
    print(f"#### {users:,} users x {items:,} items, single precision, {device or 'NumPy'}\n")
    rng = np.random.default_rng(0)
    preferences = rng.random((users, items), dtype=np.float32)
    policies = softmax(preferences[::-1], 5.0)
    given = (preferences.nbytes + policies.nbytes) / 2**30
    before = _peak()
    rows: list[tuple[str, Callable[[], Any]]] = [
        ("one NumPy product", lambda: preferences @ policies.T),
        ("utilities", lambda: utilities(preferences, policies, device=device)),
        (
            "envy of every user, no table kept",
            lambda: compare(*rows_of(preferences, policies), EPSILON, engine_for(device)),
        ),
    ]
    print(f"Given: {given:.2f} GiB. Result: {users**2 * 4 / 2**30:.2f} GiB.\n")
    print("| what | seconds | of CPU | more memory at the peak, GiB |\n|---|---|---|---|")
    # The least first: a peak of memory never comes down again.
    for name, work in reversed(rows):
        start, start_of_work = time.perf_counter(), time.process_time()
        work()
        seconds, worked = time.perf_counter() - start, time.process_time() - start_of_work
        print(f"| {name} | {seconds:.1f} | {worked:.1f} | {_peak() - before:.2f} |", flush=True)


def sampled(users: int, items: int, sample: tuple[int, int] = (2000, 200)) -> None:
    """A recommender of factors, as large as they come; its own softmax is audited."""
    rng = np.random.default_rng(0)
    vectors = (rng.normal(size=(count, 16)) / 4 for count in (users, items))
    model = Factors(np.arange(users), np.arange(items), *vectors)
    start = time.perf_counter()
    result = audit(model, inverse_temperature=5.0, sample=sample)
    seconds = time.perf_counter() - start
    limits = result.find("envious_users").interval
    assert limits is not None
    print(
        f"\n{sample[0]:,} of {users:,} users x {items:,} items, {sample[1]:,} policies each: {seconds:.0f} "
        f"s; share of (.05, .1)-envious users {limits.low:.1%} to {limits.high:.1%}."
    )


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


if __name__ == "__main__":
    main()
