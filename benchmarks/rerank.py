"""What are the gains of re-ranking the worst groups worth?

    .venv/bin/python benchmarks/rerank.py                            gains of a random order, simulated
    .venv/bin/python benchmarks/rerank.py ml-1m MODEL [MODEL ...]    tables 4 and 6 of FairRec, redone

Models are folders that `evenhand train MODEL ml-1m --split leave-one-out` wrote, and ml-1m is the folder of
MovieLens-1M. "Same users" is how FairRec measures: groups are chosen and measured with the same users.
"Others" is what `evenhand mitigate` says of metrics that read labels: one half of the users chooses, the
other is measured, both ways.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from evenhand.datasets import load
from evenhand.findings import Finding
from evenhand.groups.cells import Cells, Groups, every_cell
from evenhand.groups.lists.candidates import CandidateLists
from evenhand.groups.lists.metrics import METRICS, ItemFacts, per_user
from evenhand.mitigate import before_and_after, rerank, rerank_groups
from evenhand.mitigate.before_and_after import Change, MetricChange
from evenhand.mitigate.lists.trial import Trial, run_trial
from evenhand.report.words.phrases.mitigate import lists
from evenhand.results import AuditResult

MRR = METRICS["mrr"]
ALONE = 1e6  # a strength at which the new order is that of the boost alone
SHARE = 0.1
ATTRIBUTES = ["gender", "age_band", "occupation"]
ML1M = {"k": 5, "min_size": 0.001}
GOALS = {"mrr": "relevance", "ndcg": "relevance", "urd": "diversity", "urp": "popularity"}
WORLDS = ((50, 40), (50, 200), (10, 40), (150, 20))
RUNS = 300


def by_another_order(
    lists: CandidateLists, groups: Groups, boost: np.ndarray, k: int, rng: np.random.Generator
) -> tuple[MetricChange, Trial]:
    """The worst groups by MRR get the order of `boost`: measured on the same users, and on others."""

    def measured(shown: CandidateLists) -> dict[str, np.ndarray]:
        return per_user([MRR], shown, ItemFacts(), k)

    def mitigated(users: np.ndarray) -> CandidateLists:
        return rerank(lists, ItemFacts(), users, "relevance", k, ALONE, boost)

    least = int(groups.sizes.min())
    trial = run_trial(lists, groups, MRR, SHARE, least, mitigated, measured, rng, 0.95)
    (same,) = before_and_after(measured(lists), measured(trial.lists), groups, trial.chosen, least)
    return same, trial


def simulate(count: int, size: int, rng: np.random.Generator) -> tuple[MetricChange, MetricChange, bool]:
    """20 candidates a user, one of them liked; scores are noise, and so is the new order.

    Also whether the interval would cover no change if the halves were taken as independent.
    """
    users, length = count * size, 20
    codes = np.arange(users) % count
    groups = every_cell(Cells.of(["group"], [[str(g) for g in range(count)]], [codes]), 2)
    label = np.zeros(users * length, dtype=np.uint8)
    label[np.arange(users) * length + rng.integers(length, size=users)] = 1
    lists = CandidateLists.of(
        np.repeat(np.arange(users), length), rng.random(len(label)), label, user_count=users
    )
    same, trial = by_another_order(lists, groups, rng.random(len(label)), 10, rng)
    (others,) = trial.changes
    return same, others, covers(pooled(others.chosen))


def pooled(change: Change) -> tuple[float, float]:
    """The limits that the mean of two halves had if they were independent."""
    reach = (change.high - change.low) / 2 / np.sqrt(2)
    return change.difference - reach, change.difference + reach


def covers(limits: tuple[float, float]) -> bool:
    return limits[0] <= 0 <= limits[1]


def random_orders() -> None:
    print(f"Random order for the worst tenth of groups by MRR@10; {RUNS} runs each, seed 0.\n")
    print("| groups x users | same users | gain | covers 0 | others | gain | covers 0 | if independent |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for count, size in WORLDS:
        rng = np.random.default_rng([0, count, size])
        runs = [simulate(count, size, rng) for _ in range(RUNS)]
        cells = [f"{count} x {size}"]
        for which in (0, 1):
            found = [run[which].chosen for run in runs]
            before, after = (np.mean([getattr(c, when) for c in found]) for when in ("before", "after"))
            inside = np.mean([covers((c.low, c.high)) for c in found])
            cells += [f"{before:.3f} to {after:.3f}", f"{after / before - 1:+.0%}", f"{inside:.0%}"]
        print("| " + " | ".join([*cells, f"{np.mean([run[2] for run in runs]):.0%}"]) + " |", flush=True)


def published_way(
    users: pd.DataFrame, before: pd.DataFrame, after: pd.DataFrame, metric: str, chosen: list[str], least: int
) -> MetricChange:
    """The groups named, measured on the users by whom they were chosen; only for metrics of labels."""
    names = users[ATTRIBUTES].agg(", ".join, axis=1)
    words, codes = np.unique(names, return_inverse=True)
    groups = every_cell(Cells.of(["group"], [list(words)], [codes]), least)
    numbers = [g for g in range(len(groups)) if groups.name(g) in set(chosen)]
    ids = pd.Index(users["user_id"])
    old, new = (
        per_user(
            [METRICS[metric]],
            CandidateLists.of(
                ids.get_indexer(table["user_id"]), table["score"], table["label"], user_count=len(ids)
            ),
            ItemFacts(),
            ML1M["k"],
        )
        for table in (before, after)
    )
    (change,) = before_and_after(old, new, groups, np.array(numbers), least)
    return change


def reranked(
    folder: Path, users: pd.DataFrame, items: pd.DataFrame
) -> Iterator[tuple[str, AuditResult, MetricChange | None]]:
    """For each metric: its name, what came of it, and for metrics of labels the change as it is published."""
    candidates = pd.read_parquet(folder / "candidates.parquet")
    for metric, goal in GOALS.items():
        done = rerank_groups(
            None, users, ATTRIBUTES, goal, metric, share=SHARE, recommender=folder, items=items, rng=1, **ML1M
        )
        same = None
        if METRICS[metric].column is not None:
            main = done.result.find("rerank_change", who="chosen groups")
            chosen = [row["group"] for row in main.details["chosen"]]
            least = int(np.ceil(ML1M["min_size"] * len(users)))
            same = published_way(users, candidates, done.candidates, metric, chosen, least)
        yield metric, done.result, same


def redone(folder: Path, users: pd.DataFrame, items: pd.DataFrame) -> Iterator[tuple[str, str, str, str]]:
    """For each metric: its name, the cells of table 4, those of table 6, and those of the side effects."""
    for metric, result, same in reranked(folder, users, items):
        main, gap = result.find("rerank_change", who="chosen groups"), result.find("uf_change")
        same_mean = same_gap = "the same"
        if same is not None:
            same_mean = f"{same.chosen.before:.4f} to {same.chosen.after:.4f}"
            same_gap = f"{same.gap.before:.4f} to {same.gap.after:.4f}"
        sides = [
            f"{f.subject['metric']} {_told(f)} ({lists(f)['meaning']})"
            for f in result.findings
            if f.measure == "rerank_side_effect"
        ]
        yield metric, _cells(main, same_mean), _cells(gap, same_gap), ", ".join(sides)


def _cells(finding: Finding, same: str) -> str:
    interval = finding.interval
    limits = "" if interval is None else f" ({interval.low:+.4f} to {interval.high:+.4f})"
    return f"{same} | {_told(finding)} | {finding.estimate:+.4f}{limits} | {lists(finding)['meaning']}"


def _told(finding: Finding) -> str:
    return f"{finding.details['before']:.4f} to {finding.details['after']:.4f}"


def of_another_model(folders: list[Path], users: pd.DataFrame) -> None:
    """The lists of the worst groups in the order of a second model, which need not be any better."""
    codes = np.unique(users[ATTRIBUTES].agg(", ".join, axis=1), return_inverse=True)[1]
    large = np.bincount(codes)[codes] >= int(np.ceil(ML1M["min_size"] * len(users)))
    ids = pd.Index(users["user_id"][large])
    cells = Cells.of(["group"], [[str(g) for g in range(codes.max() + 1)]], [codes[large]])
    groups = every_cell(cells, 2)
    print("\n| lists of | in the order of | mean MRR of the two | same users | others | change |")
    print("| --- | --- | ---: | ---: | ---: | ---: |")
    tables = {folder.name: pd.read_parquet(folder / "candidates.parquet") for folder in folders}
    gains = []
    for name, table in tables.items():
        for other, theirs in tables.items():
            if other == name or not theirs[["user_id", "item_id"]].equals(table[["user_id", "item_id"]]):
                continue
            mine = table["user_id"].isin(ids).to_numpy()
            user, score = ids.get_indexer(table["user_id"][mine]), table["score"].to_numpy()[mine]
            # Rows stand for items, so that the second model's scores can be put in the order of the lists.
            rows, label = np.arange(len(user)), table["label"].to_numpy()[mine]
            lists = CandidateLists.of(user, score, label, rows, user_count=len(ids))
            second = theirs["score"].to_numpy()[mine].astype(float)
            overall = [
                per_user(
                    [MRR], CandidateLists.of(user, s, label, user_count=len(ids)), ItemFacts(), ML1M["k"]
                )["mrr"].mean()
                for s in (score, second)
            ]
            same, trial = by_another_order(
                lists, groups, second[lists.item], ML1M["k"], np.random.default_rng(1)
            )
            apart = trial.changes[0].chosen
            gains.append((same.chosen.difference, apart.difference))
            print(
                f"| {name} | {other} | {overall[0]:.3f}, {overall[1]:.3f} | {same.chosen.before:.3f} to "
                f"{same.chosen.after:.3f} | {apart.before:.3f} to {apart.after:.3f} | "
                f"{apart.difference:+.3f} ({apart.low:+.3f} to {apart.high:+.3f}) |"
            )
    if gains:  # every pair is there both ways round, so that the better model is as often the first
        print("\nMean change: same users {:+.4f}, others {:+.4f}".format(*np.mean(gains, axis=0)))


def tables_redone(data: Path, folders: list[Path]) -> None:
    dataset = load(data)
    users = dataset.users
    items = dataset.items[["item_id", "genres"]].rename(columns={"genres": "category"})
    found = {folder.name: list(redone(folder, users, items)) for folder in folders}
    head = "| model | metric | same users | measured | change (95% interval) | meaning |"
    rule = "| --- | --- | ---: | ---: | ---: | --- |"
    kinds: tuple[tuple[str, Callable[[tuple[str, str, str, str]], str]], ...] = (
        ("Table 4: mean of the worst tenth of groups", lambda row: row[1]),
        ("Table 6: UF", lambda row: row[2]),
    )
    for title, cell in kinds:
        print(f"\n{title}\n\n{head}\n{rule}")
        for name, rows in found.items():
            for row in rows:
                print(f"| {name} | {row[0]} | {cell(row)} |")
    print("\nSide effects in the chosen groups\n")
    for name, rows in found.items():
        for row in rows:
            print(f"- {name}, {row[0]}: {row[3]}")
    of_another_model(folders, users)


if __name__ == "__main__":
    if len(sys.argv) == 1:
        random_orders()
    elif len(sys.argv) == 2:
        sys.exit("Name the folder of MovieLens-1M, and at least one folder of a model.")
    else:
        tables_redone(Path(sys.argv[1]), [Path(path) for path in sys.argv[2:]])
