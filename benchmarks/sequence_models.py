"""BERT4Rec beside popularity and BPR on the users with timestamps: accuracy, seconds, and fair exposure.

    python benchmarks/sequence_models.py --data ../shared/data/ml-1m --out build/sequences
    python benchmarks/sequence_models.py --data ../shared/data/ml-1m --out build/some --users 800 --epochs 30
    python benchmarks/sequence_models.py --data ../shared/data/ml-1m --trained build/deep/trained \\
        --out build/deep/models

Each user's last item is held out for the test, the one before for validation (`--split time`: a tenth each).
All items are ranked but those of training and validation, and judged at 10; then all models are audited for
exposure, with the test part as relevance. A run that was stopped goes on when it is started again.
With `--trained`, nothing is trained: the models are those that `deep_training.py train` wrote (of three
seeds, on a GPU), and `--out` is where its `finish` wrote their folders; the first seed is audited.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np

import evenhand as eh
from evenhand.datasets import Dataset
from evenhand.exposure.measures import NAMES
from evenhand.recommenders import Interactions
from evenhand.recommenders.evaluation import MEASURES, full_ranking
from evenhand.recommenders.taken.sequences import with_times

ATTRIBUTES = ("gender", "age_band")
BETAS = (8.0, 4.0, 3.0, 2.0, 1.0, 0.5, 0.25, 0.125)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--users", type=int, help="as many at random; all by default")
    parser.add_argument("--epochs", type=int, help="at most, of bert4rec")
    parser.add_argument("--factors", type=int, help="of bert4rec")
    parser.add_argument("--split", choices=("leave-one-out", "time"), default="leave-one-out")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--models", nargs="*", default=["popularity", "bpr", "bert4rec"])
    parser.add_argument("--trained", type=Path, help="models of deep_training.py: train nothing here")
    asked = parser.parse_args()
    dataset = eh.datasets.load(asked.data)
    timed, notes = with_times(Interactions.from_frame(dataset.interactions), "bert4rec")
    some = sampled(timed, asked.users, asked.seed)
    print(" ".join(notes), f"{len(some.user_ids):,} users, {len(some):,} interactions, seed {asked.seed}.\n")
    if asked.trained is not None:
        judged_as_trained(asked.data, asked.trained, asked.models)
        folders = {name: asked.out / f"{name}-{asked.seed}" for name in asked.models}
        audited(folders, dataset, some)
        if "bert4rec" in folders:
            over_beta(folders["bert4rec"], dataset, some)
        return
    given = {"epochs": asked.epochs, "factors": asked.factors}
    settings = {"bert4rec": {key: value for key, value in given.items() if value is not None}}
    judged(some, asked.models, settings, asked.split, asked.seed, asked.out)
    audited({name: asked.out / name for name in asked.models}, dataset, some)


def sampled(data: Interactions, users: int | None, seed: int) -> Interactions:
    if users is None or users >= len(data.user_ids):
        return data
    kept = np.random.default_rng(seed).choice(len(data.user_ids), users, replace=False)
    return Interactions.from_frame(data.rows(np.isin(data.user, kept)).frame())


def judged(
    data: Interactions, models: list[str], settings: dict[str, dict], split: str, seed: int, out: Path
) -> None:
    print(f"| model | {' | '.join(f'{name}@10' for name in MEASURES)} | training, s | ranking all, s |")
    print("|---" * (len(MEASURES) + 3) + "|")
    for name in models:
        trained = eh.recommenders.train_and_save(
            name,
            data,
            out / name,
            split=split,
            seed=seed,
            progress=_on_stderr(name),
            **settings.get(name, {}),
        )
        seen = trained.split.train.matrix() + trained.split.valid.matrix()
        started = time.perf_counter()
        found = full_ranking(trained.model, trained.split.test, seen)
        ranking = time.perf_counter() - started
        figures = " | ".join(f"{found[measure]:.4f}" for measure in MEASURES)
        print(f"| {name} | {figures} | {trained.seconds:.1f} | {ranking:.2f} |", flush=True)


def judged_as_trained(data: Path, trained: Path, models: list[str]) -> None:
    from deep_training import made

    measures = ("hit", "mrr", "ndcg")  # one item is held out: the others are one of these, times a constant
    print(f"| model | seed | {' | '.join(f'{name}@10' for name in measures)} | epochs | training, s |")
    print("|---" * (len(measures) + 4) + "|")
    rows: dict[str, list[list[float]]] = {name: [] for name in models}
    for one in made(str(data), trained, ["sequences"]):
        if one.job.name in rows:
            seen = one.split.train.matrix() + one.split.valid.matrix()
            found = full_ranking(one.model, one.split.test, seen)
            rows[one.job.name].append([found[name] for name in measures])
            figures = " | ".join(f"{found[name]:.4f}" for name in measures)
            took = f"{one.epochs} | {one.told['seconds']:.0f}"
            print(f"| {one.job.name} | {one.job.seed} | {figures} | {took} |", flush=True)
    for name, values in rows.items():
        means = " | ".join(f"{value:.4f}" for value in np.mean(values, axis=0))
        print(f"| {name} | mean | {means} | | |")


def audited(models: dict[str, Path], dataset: Dataset, data: Interactions) -> None:
    """Measures of the static ranking, in millionths, and the trade-off over temperatures by three rules:
    area by the trapezoid, area up to a common disparity, mean relevance over the disparities all reach."""
    relevance = next(iter(models.values())) / "test.parquet"  # that of all: they have one split
    items = dataset.items[dataset.items["item_id"].isin(data.item_ids)][["item_id", "genres"]]
    for attribute in ATTRIBUTES:
        users = dataset.users[dataset.users["user_id"].isin(data.user_ids)][["user_id", attribute]]
        started = time.perf_counter()
        compared = eh.exposure.compare(models, relevance, users, items, relative=True)
        took = time.perf_counter() - started
        print(f"\n#### {attribute} x genres, {took:.0f} s: static / trapezoid / common / mean\n")
        print(f"| model | {' | '.join(NAMES)} |\n{'|---' * (len(NAMES) + 1)}|")
        for model in models:
            cells = []
            for name in NAMES:
                static = compared.find(name, group=model)
                curve = compared.find("tradeoff", measure=name, group=model)
                told = (curve.details["trapezoid"], curve.details["common"], curve.estimate)
                traded = " / ".join("none" if one is None else f"{one:.3f}" for one in told)
                cells.append(f"{static.estimate * 1e6:.3g} / {traded}")
            print(f"| {model} | {' | '.join(cells)} |", flush=True)


def over_beta(model: Path, dataset: Dataset, data: Interactions) -> None:
    """One model, gender x genres: the six measures in millionths, from much chance to none."""
    users = dataset.users[dataset.users["user_id"].isin(data.user_ids)][["user_id", "gender"]]
    items = dataset.items[dataset.items["item_id"].isin(data.item_ids)][["item_id", "genres"]]
    found = eh.exposure.audit(
        model, model / "test.parquet", users, items, beta=[*BETAS, "static"], relative=True
    )
    print(f"\n#### {model.name}, gender x genres, by beta\n\n| beta | {' | '.join(NAMES)} |")
    print("|---" * (len(NAMES) + 1) + "|")
    for beta in (*BETAS, "static"):
        values = [found.find(name, beta=beta).estimate * 1e6 for name in NAMES]
        print(f"| {beta} | {' | '.join(f'{value:.3g}' for value in values)} |", flush=True)


def _on_stderr(name: str):
    started = time.perf_counter()
    return lambda text: print(f"{name} {time.perf_counter() - started:.0f} s: {text}", file=sys.stderr)


if __name__ == "__main__":
    main()
