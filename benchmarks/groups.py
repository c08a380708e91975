"""What the group audit costs, and what of the published gaps remains.

    .venv/bin/python benchmarks/groups.py speed
    .venv/bin/python benchmarks/groups.py memory
    .venv/bin/python benchmarks/groups.py movielens DATA MODEL [MODEL ...]

`speed` makes data of the size of LFM360K: 260,000 users with 50 candidates each, and three attributes of 2,
111 and 239 values. It times all five metrics and the exhaustive search after scores are in memory, 1,000
shuffles of one metric, and the natural way with pandas (filter a group, compute, next) on a sample of groups,
in one run.

`memory` writes a table of 10 million users with five attributes and a metric as Parquet, and audits it in a
fresh process whose peak memory is reported.

`movielens` takes the folder of MovieLens-1M and folders that `evenhand train MODEL DATA --split
leave-one-out` wrote, and prints the gaps beside those of FairRec's Table 2 and Table 5, with what
shuffling gives.
"""

from __future__ import annotations

import argparse
import itertools
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from groups_published import TABLE_2

import evenhand as eh
from evenhand.groups.cells import Cells, every_cell
from evenhand.groups.evidence import cell_moments, group_moments
from evenhand.groups.lists.candidates import CandidateLists
from evenhand.groups.lists.metrics import METRICS, ItemFacts, per_user
from evenhand.groups.measures import largest_gap
from evenhand.stats.means import permutation
from evenhand.stats.means.permutation import Draws, Ends, Partition

USERS, CANDIDATES, ITEMS, CATEGORIES = 260_000, 50, 140_000, 20
VALUES = {"gender": 2, "age": 111, "country": 239}
FIVE = ("auc", "mrr", "ndcg", "urd", "urp")
LEAST = 20
SAMPLE = 30


def speed() -> None:
    rng = np.random.default_rng(0)
    user = np.repeat(np.arange(USERS), CANDIDATES)
    label = np.zeros(len(user), dtype=np.uint8)
    label[::CANDIDATES] = 1
    score = rng.normal(size=len(user)) + 1.5 * label
    item = rng.integers(0, ITEMS, len(user)).astype(np.int32)
    facts = _facts(rng)
    codes = [
        rng.choice(2, USERS, p=[0.7, 0.3]),
        np.clip(rng.normal(40, 20, USERS).astype(int), 0, 110),
        np.minimum(rng.zipf(1.4, USERS) - 1, 238),
    ]
    words = [[str(value) for value in range(count)] for count in VALUES.values()]
    metrics = [METRICS[name] for name in FIVE]

    def search() -> tuple[Cells, dict[str, Any], float]:
        start = time.perf_counter()
        lists = CandidateLists.of(user, score, label, item, user_count=USERS)
        values = per_user(metrics, lists, facts, 5)
        cells = Cells.of(list(VALUES), words, codes)
        groups = every_cell(cells, LEAST)
        for name in FIVE:
            largest_gap(group_moments(groups, cell_moments(cells, values[name])))
        return cells, values, time.perf_counter() - start

    search()  # compiles
    cells, values, seconds = min((search() for _ in range(3)), key=lambda found: found[2])
    groups = every_cell(cells, LEAST)
    print(
        f"{len(cells):,} groups occur, {len(groups):,} have {LEAST} users. "
        f"All five metrics and the exhaustive search: {seconds:.2f} s"
    )
    inside = np.isin(cells.of_user, groups.cells)
    kept = every_cell(cells.restricted(inside), LEAST)
    sorted_values = values["mrr"][inside][np.argsort(kept.of.of_user, kind="stable")]
    partition = Partition(np.concatenate([[0], np.cumsum(kept.of.sizes)]), kept.offsets, kept.cells)
    # All of them: `shuffle` stops early where a gap is plainly chance.
    permutation._shuffled(sorted_values, partition, Ends(0.0, 1.0), Draws(np.uint64(0), 0, 2))
    start = time.perf_counter()
    permutation._shuffled(sorted_values, partition, Ends(0.0, 1.0), Draws(np.uint64(0), 0, 1000))
    print(f"1,000 shuffles of {len(sorted_values):,} users: {time.perf_counter() - start:.2f} s")
    rows = pd.DataFrame({"user": user, "item": item, "score": score, "label": label})
    as_text = {
        "gender": np.array(["f", "m"], dtype=object)[codes[0]],
        "age": codes[1],
        "country": np.array([f"Country {i}" for i in range(239)], dtype=object)[codes[2]],
    }
    as_codes = dict(zip(VALUES, codes, strict=True))
    ours = seconds / len(cells)
    for name, attributes in (("text, as the data come", as_text), ("small whole numbers", as_codes)):
        natural = _naturally(rows, attributes, facts, values)
        print(
            f"One group with pandas, attributes as {name}: {natural * 1e3:.0f} ms. Here: {ours * 1e6:.0f} "
            f"µs. Ratio: {natural / ours:,.0f}"
        )


def _naturally(
    rows: pd.DataFrame, attributes: dict[str, np.ndarray], facts: ItemFacts, values: dict[str, Any]
) -> float:
    """Seconds a group for filtering its rows and computing five metrics, on a sample of the groups that "
    "occur."""
    assert facts.category_offsets is not None
    assert facts.categories is not None
    assert facts.popularity is not None
    assert facts.history_popularity is not None
    bounds = facts.category_offsets
    categories = [set(facts.categories[a:b]) for a, b in itertools.pairwise(bounds)]
    frame = rows.assign(**{name: column[rows["user"]] for name, column in attributes.items()})
    cells = pd.DataFrame(attributes).drop_duplicates().sample(SAMPLE, random_state=1)
    start = time.perf_counter()
    for cell in cells.to_dict("records"):
        mine = frame[
            (frame["gender"] == cell["gender"])
            & (frame["age"] == cell["age"])
            & (frame["country"] == cell["country"])
        ]
        ranked = mine.sort_values(["user", "score"], ascending=[True, False])
        place = ranked.groupby("user").cumcount() + 1
        target = place[ranked["label"] == 1]
        found = {
            "auc": ((CANDIDATES - target) / (CANDIDATES - 1)).mean(),
            "mrr": np.where(target <= 5, 1 / target, 0).mean(),
            "ndcg": np.where(target <= 5, 1 / np.log2(target + 1), 0).mean(),
        }
        shown = ranked[place <= 5]
        unlike, far = [], []
        for person, items in shown.groupby("user")["item"]:
            pairs = itertools.combinations([categories[i] for i in items], 2)
            unlike.append(1 - np.mean([len(a & b) / len(a | b) for a, b in pairs]))
            far.append(abs(facts.popularity[items].mean() - facts.history_popularity[person]))
        found |= {"urd": np.mean(unlike), "urp": np.mean(far)}
        people = mine["user"].unique()
        for name, mean in found.items():
            assert abs(mean - values[name][people].mean()) < 1e-9
    return (time.perf_counter() - start) / SAMPLE


def _facts(rng: np.random.Generator) -> ItemFacts:
    counts = rng.integers(1, 4, ITEMS)
    offsets = np.concatenate([[0], np.cumsum(counts)])
    categories = np.concatenate([np.sort(rng.choice(CATEGORIES, n, replace=False)) for n in counts])
    popularity, history = rng.exponential(0.01, ITEMS), rng.exponential(0.01, USERS)
    return ItemFacts(offsets, categories.astype(np.int32), popularity, history)


def memory(users: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "users.parquet"
        import duckdb

        duckdb.sql(
            f"""COPY (SELECT i AS user_id, ['F', 'M', 'X'][1 + i % 3] AS gender,
                ['18-24', '25-34', '35-54', '55+'][1 + (i // 3) % 4] AS age,
                'region ' || (hash(i) % 30) AS region, 'device ' || (hash(i + 1) % 5) AS device,
                (hash(i + 2) % 20)::INTEGER AS tenure, (hash(i + 3) % 1000) / 1000.0 AS reciprocal
                FROM range({users}) t(i)) TO '{path}' (FORMAT parquet)"""
        )
        start = time.perf_counter()
        subprocess.run([sys.executable, __file__, "child", str(path)], check=True)
        print(f"{users:,} users, five attributes, from Parquet: {time.perf_counter() - start:.0f} s")


def child(path: str) -> None:
    result = eh.groups.audit(
        None, path, ["gender", "age", "region", "device", "tenure"], metric="reciprocal", permutations=100,
        bounds=(0, 1),
    )  # fmt: skip
    uf = result.find("uf")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"{uf.details['groups']:,} groups, p = {uf.p_value:.3f}, peak memory {peak:.2f} GB")


MEASURED = ("auc", "mrr", "ndcg_published", "urd", "urp")
# What stands behind a gap, of its finding.
BEHIND: dict[str, Callable[[Any], float]] = {
    "shuffled, mean": lambda uf: uf.details["null"]["mean"],
    "shuffled, 95th percentile": lambda uf: uf.details["null"]["p95"],
    "p, raw gap": lambda uf: uf.details["raw_p_value"],
    "p, studentised gap": lambda uf: uf.p_value,
    "confirmed": lambda uf: uf.details["confirmed"]["estimate"],
    "confirmed, from": lambda uf: uf.details["confirmed"]["interval"]["low"],
    "confirmed, to": lambda uf: uf.details["confirmed"]["interval"]["high"],
    "tau": lambda uf: uf.details["tau"]["estimate"],
}
COMBINATIONS = (["gender"], ["gender", "age_band"], ["gender", "age_band", "occupation"])


def movielens(data: str, models: list[str]) -> None:
    dataset = eh.datasets.load(data)
    items = dataset.items.rename(columns={"genres": "category"})[["item_id", "category"]]
    every: dict[str, dict[str, float]] = {}

    def audited(model: str, attributes: list[str], least: float) -> dict[str, Any]:
        result = eh.groups.audit(
            None, dataset.users, attributes, metric=list(MEASURED), recommender=model, items=items,
            min_size=least,
        )  # fmt: skip
        return {name: result.find("uf", metric=_label(name)) for name in MEASURED} | {"all": result}

    print("\n### Raw gaps (FairRec's size filter: share .001) beside its Table 2\n")
    print(f"| model | {' | '.join(MEASURED)} |\n{'|---' * (len(MEASURED) + 1)}|")
    for name, published in TABLE_2.items():
        print(f"| {name} (FairRec) | {' | '.join(f'{value:.3f}' for value in published)} |")
    for model in models:
        found = audited(model, COMBINATIONS[-1], 0.001)
        every[Path(model).name] = {name: found[name].estimate for name in MEASURED}
        print(f"| {Path(model).name} | {' | '.join(f'{found[m].estimate:.3f}' for m in MEASURED)} |")
        for words, value in BEHIND.items():
            print(f"| – {words} | {' | '.join(f'{value(found[m]):.3f}' for m in MEASURED)} |", flush=True)

    print("\n### More attributes, larger raw gap (FairRec's Table 5): how much is chance?\n")
    print("| model | attributes | groups | raw MRR gap | shuffled, mean | p (studentised) | confirmed |")
    print("|---|---|---|---|---|---|---|")
    for model in models:
        for attributes in COMBINATIONS:
            uf = audited(model, attributes, 0.001)["mrr"]
            interval = uf.details["confirmed"]["interval"]
            print(
                f"| {Path(model).name} | {', '.join(attributes)} | {uf.details['groups']} | "
                f"{uf.estimate:.3f} | {uf.details['null']['mean']:.3f} | {uf.p_value:.3f} | "
                f"{uf.details['confirmed']['estimate']:.3f} ({interval['low']:.3f} to "
                f"{interval['high']:.3f}) |",
                flush=True,
            )

    print("\n### Correlation of the raw gaps over the models (FairRec's figure 3)\n")
    table = pd.DataFrame(every).T.corr(method="pearson")
    print(f"| | {' | '.join(MEASURED)} |\n{'|---' * (len(MEASURED) + 1)}|")
    for name in MEASURED:
        print(f"| {name} | {' | '.join(f'{table.loc[name, other]:.2f}' for other in MEASURED)} |")


def _label(name: str) -> str:
    return METRICS[name].label(5)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("part", choices=["speed", "memory", "movielens", "child"])
    parser.add_argument("paths", nargs="*")
    parser.add_argument("--users", type=int, default=10_000_000)
    given = parser.parse_args()
    if given.part == "speed":
        speed()
    elif given.part == "memory":
        memory(given.users)
    elif given.part == "child":
        child(*given.paths)
    else:
        movielens(given.paths[0], given.paths[1:])


if __name__ == "__main__":
    main()
