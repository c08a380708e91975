"""The source's Tables 2 and 3 with its four deep models on MovieLens-1M, and a swarm on a black box.

    .venv/bin/python benchmarks/groups_deep.py tables ../shared/data/ml-1m build/deep/models
    .venv/bin/python benchmarks/groups_deep.py chance ../shared/data/ml-1m build/deep/models
    .venv/bin/python benchmarks/groups_deep.py black-box ../shared/data/ml-1m build/deep/models/deepfm-1

The folder is the one that `deep_training.py finish` wrote: a model is NAME-SEED. `groups.py movielens` prints
what stands behind the gaps of single models. "FairRec" is Guo and others (2023). Its budgets are times: in
Table 2 what its search took, in Table 3 .005 s a user and group (31.7 s). Here everything takes well below a
second, so a budget is the share of users that the search may score: the time divided by that of the
exhaustive search, which scores everybody. `chance` audits every model, for what shuffled users give.
`black-box` audits DeepFM as a function that nothing is known of, and a DeepFM of the size of LFM360K (260,000
users with 50 candidates, drawn weights).
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from deep_speed import CANDIDATES, ITEMS, USERS, VALUES, deepfm
from swarm import SMALLEST, found

import evenhand as eh
from evenhand.asked.declared.groups import AskedGroups
from evenhand.findings import Finding
from evenhand.groups.measuring import Question, Values, values_of
from evenhand.groups.swarms.search import METHODS
from evenhand.groups.tables import Tables
from evenhand.recommenders import Recommender
from groups import BEHIND, COMBINATIONS, MEASURED, TABLE_2

NAMES = {"widedeep": "Wide&Deep", "deepfm": "DeepFM", "dcn": "DCN", "fgcnn": "FGCNN"}
LEAST = 0.001
SEARCHES = 5  # seeds of a search, as in the source
# Table 2, MovieLens: seconds of the exhaustive search and of FairRec, and the gaps that the others found.
SECONDS = {
    "Wide&Deep": (140.53, 86.95),
    "DeepFM": (117.41, 99.06),
    "DCN": (112.28, 95.41),
    "FGCNN": (181.09, 104.82),
}
FAIRREC_2 = {
    "Wide&Deep": (0.2436, 0.4603, 0.1622, 0.1605, 0.0592),
    "DeepFM": (0.2341, 0.5772, 0.2009, 0.1646, 0.0594),
    "DCN": (0.2314, 0.5121, 0.1766, 0.1404, 0.0589),
    "FGCNN": (0.2594, 0.5523, 0.2020, 0.1225, 0.0650),
}
THRESHOLDS_2 = {
    "Wide&Deep": {
        0.01: (0.0683, 0.1978, 0.0597, 0.0467, 0.0148),
        0.005: (0.0861, 0.2229, 0.0720, 0.0655, 0.0274),
    },
    "DeepFM": {
        0.01: (0.0667, 0.2052, 0.0636, 0.0646, 0.0157),
        0.005: (0.0849, 0.2500, 0.0813, 0.0728, 0.0220),
    },
    "DCN": {
        0.01: (0.0699, 0.1493, 0.0572, 0.0516, 0.0168),
        0.005: (0.0907, 0.2071, 0.0708, 0.0793, 0.0298),
    },
    "FGCNN": {
        0.01: (0.0768, 0.1771, 0.0598, 0.0473, 0.0177),
        0.005: (0.1140, 0.2533, 0.0985, 0.0936, 0.0227),
    },
}
# Table 3, MovieLens: the exhaustive search, which is one at random when it is cut short, and FairRec.
BUDGET_3 = 0.005 * (6040 + 294)
TABLE_3 = {
    "Wide&Deep": ((0.2006, 0.2158, 0.1035, 0.1114, 0.0433), (0.1804, 0.3478, 0.1163, 0.1202, 0.0390)),
    "DeepFM": ((0.1762, 0.2746, 0.0889, 0.1574, 0.0220), (0.1661, 0.3965, 0.1214, 0.1217, 0.0272)),
    "DCN": ((0.1315, 0.3035, 0.1400, 0.0949, 0.0298), (0.2136, 0.3086, 0.1660, 0.0912, 0.0304)),
    "FGCNN": ((0.0964, 0.2370, 0.0855, 0.1086, 0.0488), (0.2379, 0.3522, 0.1198, 0.1103, 0.0274)),
}


class World:
    """A model's values of all users by all metrics, once for all searches."""

    def __init__(self, dataset: Any, model: Path) -> None:
        items = dataset.items.rename(columns={"genres": "category"})[["item_id", "category"]]
        asked = AskedGroups.checked(
            attributes=COMBINATIONS[-1], metric=list(MEASURED), min_size=LEAST, search="exhaustive"
        )
        self.question = Question.of(asked, 0)
        tables = Tables.of(None, dataset.users, history=None, items=items, recommender=model, engine=None)
        started = time.perf_counter()
        self.values: Values = values_of(self.question, tables, lambda text: None)
        self.seconds = time.perf_counter() - started
        population = self.values.population
        self.cells, self.who = population.cells, population.who
        self.of = [one.values[self.who] for one in self.values.of_metrics]

    def exhaustive(self, least: int) -> list[float]:
        """The gap by each metric, over all groups of as many users at least."""
        large = self.cells.sizes >= least
        return [float(np.ptp(self._means(values)[large])) for values in self.of]

    def _means(self, values: np.ndarray) -> np.ndarray:
        assert np.isfinite(values).all()
        return np.bincount(self.cells.of_user, weights=values, minlength=len(self.cells)) / self.cells.sizes

    def least(self, share: float) -> int:
        return max(int(np.ceil(share * len(self.who))), 2)

    def searched(self, method: str, share: float) -> tuple[list[float], float]:
        """The mean gap over seeds, by metric, and the share of users that were scored."""
        gaps, scored = [], []
        for values in self.of:
            seen = [
                found(method, self.cells, self.least(LEAST), values, int(share * len(self.who)), seed)
                for seed in range(SEARCHES)
            ]
            gaps.append(float(np.mean([gap for gap, _, _ in seen])))
            scored += [users / len(self.who) for _, users, _ in seen]
        return gaps, float(np.mean(scored))


def tables(data: str, folder: Path) -> None:
    dataset = eh.datasets.load(data)
    worlds = {
        name: [World(dataset, path) for path in sorted(folder.glob(f"{name}-[0-9]*"))] for name in NAMES
    }
    worlds = {name: of for name, of in worlds.items() if of}
    seeds = {name: len(of) for name, of in worlds.items()}
    one = next(iter(worlds.values()))[0]
    groups = [int((one.cells.sizes >= one.least(share)).sum()) for share in (LEAST, 0.005, 0.01)]
    print(f"Means over models of {seeds} seeds and {SEARCHES} searches of each. {groups[0]} groups have a "
          f"share of .001 of the users, {groups[1]} one of .005, {groups[2]} one of .01.")  # fmt: skip
    started = time.perf_counter()
    for _ in range(100):
        one.exhaustive(7)
    took = (time.perf_counter() - started) / 100
    least = min(one.seconds for of in worlds.values() for one in of)
    print(f"Reading, scoring 302,000 pairs, five metrics: {least:.1f} s; then the exhaustive search "
          f"{took * 1e3:.1f} ms.")  # fmt: skip
    _head("Table 2: effectiveness")
    for name, of in worlds.items():
        called = NAMES[name]
        both = SECONDS[called][1] / SECONDS[called][0]
        _row(called, "exhaustive (Themis), published", TABLE_2[called], "100%")
        _mean(called, "exhaustive", [w.exhaustive(w.least(LEAST)) for w in of], "100%")
        for share, published in THRESHOLDS_2[called].items():
            _row(called, f"groups of {share} and more (TestSGD), published", published, "")
            gaps = [w.exhaustive(w.least(share)) for w in of]
            inside = one.cells.sizes[one.cells.sizes >= one.least(share)].sum() / len(one.who)
            _mean(called, f"groups of {share} and more", gaps, f"{inside:.0%}")
        _row(called, "FairRec, published", FAIRREC_2[called], f"{both:.0%} of the time")
        seen = [w.searched("dpso", both) for w in of]
        _mean(called, "swarm", [gaps for gaps, _ in seen], f"{np.mean([s for _, s in seen]):.0%}")
    _head("Table 3: a fixed budget")
    for name, of in worlds.items():
        called = NAMES[name]
        share = BUDGET_3 / SECONDS[called][0]
        whole, fairrec = TABLE_3[called]
        _row(called, "Themis cut short, published", whole, f"{share:.0%} of the time")
        _row(called, "FairRec, published", fairrec, f"{share:.0%} of the time")
        for method in (*METHODS, SMALLEST):
            seen = [w.searched(method, share) for w in of]
            _mean(called, {"dpso": "swarm", "pso": "plain swarm"}.get(method, method),
                  [gaps for gaps, _ in seen], f"{np.mean([s for _, s in seen]):.0%}")  # fmt: skip


def _head(title: str) -> None:
    print(f"\n#### {title}\n\n| model | search | {' | '.join(MEASURED)} | users scored |")
    print("|---" * (len(MEASURED) + 3) + "|")


def _row(model: str, search: str, gaps: Any, scored: str) -> None:
    print(f"| {model} | {search} | {' | '.join(f'{gap:.3f}' for gap in gaps)} | {scored} |", flush=True)


def _mean(model: str, search: str, gaps: list[list[float]], scored: str) -> None:
    _row(model, search, np.mean(gaps, axis=0), scored)


def chance(data: str, folder: Path, seeds: list[int]) -> None:
    """Every model: the gap, what shuffled users give, what is confirmed; Wide&Deep by fewer attributes."""
    dataset = eh.datasets.load(data)
    items = dataset.items.rename(columns={"genres": "category"})[["item_id", "category"]]

    def audited(path: Path, attributes: list[str], metrics: list[str]) -> list[Finding]:
        result = eh.groups.audit(
            None, dataset.users, attributes, metric=metrics, recommender=path, items=items, min_size=LEAST
        )
        return [one for one in result.findings if one.measure == "uf"]

    print(f"| model | {' | '.join(MEASURED)} |\n{'|---' * (len(MEASURED) + 1)}|")
    below = confirmed = total = 0
    for name, called in NAMES.items():
        print(f"| {called} (source) | {' | '.join(f'{gap:.3f}' for gap in TABLE_2[called])} |")
        for path in (folder / f"{name}-{seed}" for seed in seeds):
            found = audited(path, COMBINATIONS[-1], list(MEASURED))
            print(f"| {path.name} | {' | '.join(f'{uf.estimate:.3f}' for uf in found)} |")
            for words, value in BEHIND.items():
                print(f"| – {words} | {' | '.join(f'{value(uf):.3f}' for uf in found)} |", flush=True)
            below += sum(uf.p_value <= 0.05 for uf in found)
            confirmed += sum(BEHIND["confirmed, from"](uf) > 0 for uf in found)
            total += len(found)
    print(f"\np at most .05: {below} of {total}; confirmed above 0: {confirmed}\n")
    print("| model | attributes | groups | raw MRR gap | shuffled, mean | p (studentised) | confirmed |")
    print("|---" * 7 + "|")
    for attributes in COMBINATIONS:
        (uf,) = audited(folder / f"widedeep-{seeds[0]}", attributes, ["mrr"])
        told = {words: value(uf) for words, value in BEHIND.items()}
        print(
            f"| widedeep-{seeds[0]} | {', '.join(attributes)} | {uf.details['groups']} | {uf.estimate:.3f} | "
            f"{told['shuffled, mean']:.3f} | {uf.p_value:.3f} | {told['confirmed']:.3f} "
            f"({told['confirmed, from']:.3f} to {told['confirmed, to']:.3f}) |",
            flush=True,
        )


class Counted:
    """A function of ids that nothing is known of, and how many pairs it was asked about."""

    def __init__(self, model: Recommender) -> None:
        self.model, self.pairs, self.seconds = model, 0, 0.0

    def score(self, users: Any, items: Any) -> np.ndarray:
        started = time.process_time()
        found = self.model.score(users, items)
        self.pairs, self.seconds = self.pairs + len(found), self.seconds + time.process_time() - started
        return found


def black_box(data: str, folder: Path) -> None:
    dataset = eh.datasets.load(data)
    columns = "data | search | users scored | pairs | gap | of the exact gap | all, s | in the model, s"
    print(f"Processor seconds.\n\n| {columns} |\n{'|---' * 8}|")
    people = dataset.users[["user_id", *COMBINATIONS[-1]]]
    lists = pd.read_parquet(folder / "candidates.parquet")[["user_id", "item_id", "label"]]
    _compared("MovieLens-1M, 294", eh.recommenders.load(folder), lists, people, list(COMBINATIONS[-1]), LEAST)
    model, ids = deepfm(np.random.default_rng(0))
    rng = np.random.default_rng(1)
    codes = (
        rng.choice(2, USERS, p=[0.7, 0.3]),
        np.clip(rng.normal(40, 20, USERS).astype(int), 0, 110),
        np.minimum(rng.zipf(1.4, USERS) - 1, 238),
    )
    people = pd.DataFrame({"user_id": np.arange(USERS)} | dict(zip(VALUES, codes, strict=True)))
    lists = pd.DataFrame(
        {
            "user_id": np.repeat(np.arange(USERS), CANDIDATES),
            "item_id": _candidates(rng),
            "label": np.tile((np.arange(CANDIDATES) == 0).astype(np.int8), USERS),
        }
    )
    _compared("size of LFM360K, 53,058", model.recommender(ids), lists, people, list(VALUES), 20)


def _candidates(rng: np.random.Generator) -> np.ndarray:
    """Distinct items for each user: steps of more than 0 around the catalogue."""
    steps = rng.integers(1, ITEMS // CANDIDATES, (USERS, CANDIDATES))
    return ((rng.integers(ITEMS, size=(USERS, 1)) + np.cumsum(steps, axis=1)) % ITEMS).ravel()


def _compared(
    name: str,
    model: Recommender,
    lists: pd.DataFrame,
    people: pd.DataFrame,
    attributes: list[str],
    least: float,
) -> None:
    def audited(how: dict[str, Any]) -> tuple[Any, Counted, float]:
        box = Counted(model)
        started = time.process_time()
        result = eh.groups.audit(
            lists, people, attributes, metric="auc", recommender=box.score, min_size=least, permutations=20,
            **how,
        )  # fmt: skip
        return result.find("uf"), box, time.process_time() - started

    exact = None
    ways: list[dict[str, Any]] = [{"search": "exhaustive"}]
    ways += [{"search": "swarm", "budget": budget} for budget in (0.05, 0.1, 0.25, 0.5)]
    for how in ways:
        uf, box, took = audited(how)
        exact = exact or uf.estimate
        called = how["search"] + (f", budget {how['budget']:.0%}" if "budget" in how else "")
        scored = box.pairs // CANDIDATES
        print(
            f"| {name} | {called} | {scored:,} ({scored / len(people):.0%}) | {box.pairs:,} | "
            f"{uf.estimate:.3f} | {uf.estimate / exact:.0%} | {took:.1f} | {box.seconds:.1f} |",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("part", choices=["tables", "chance", "black-box"])
    parser.add_argument("data")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seeds", nargs="+", type=int, default=[1, 2, 3], help="of `chance`: these alone")
    given = parser.parse_args()
    if given.part == "chance":
        chance(given.data, given.folder, given.seeds)
    else:
        {"tables": tables, "black-box": black_box}[given.part](given.data, given.folder)


if __name__ == "__main__":
    main()
