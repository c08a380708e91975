"""Click models on MovieLens by the protocol of FairRec (Guo and others 2023), and how fast they score.

    .venv/bin/python benchmarks/click_models.py --data ../shared/data/ml-1m --seeds 3

Each user's last item is held out for the test and the one before for early stopping (a random one where
times are not known), one sampled negative a positive in training, 49 in the test. Then pairs a second,
through the arrays alone, beside a product of vectors of the same length.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from evenhand.datasets import load
from evenhand.recommenders import Factors, Features, Interactions, Recommender, fit, train_and_save
from evenhand.recommenders.evaluation import area_by_user
from evenhand.recommenders.fitting.names import CLICK
from evenhand.recommenders.taken.splits import Split

CANDIDATES = 50


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--models", nargs="*", default=CLICK)
    parser.add_argument(
        "--catalogue",
        choices=("taken", "all"),
        default="taken",
        help="items that negatives are drawn from: those that somebody took, or all of the data set",
    )
    parser.add_argument("--epochs", type=int, help="at most; that of the model by default")
    parser.add_argument("--pairs", type=int, default=13_000_000, help="to be scored, 50 a user")
    asked = parser.parse_args()
    dataset = load(asked.data)
    interactions = Interactions.from_frame(dataset.interactions)
    if asked.catalogue == "all":
        every = np.unique(dataset.items["item_id"].to_numpy())
        interactions = replace(
            interactions,
            item_ids=every,
            item=np.searchsorted(every, interactions.item_ids)[interactions.item],
        )
    features = Features.of(interactions, dataset.users, dataset.items)
    print(f"{dataset.name}: {len(interactions):,} interactions, {len(interactions.item_ids):,} items. ")
    print(f"{os.cpu_count()} cores, Python {platform.python_version()}. {' '.join(features.notes)}\n")
    print("| model | seed | AUC | with times | without | popularity | epochs | training, s |")
    print("|---" * 8 + "|")
    given = {} if asked.epochs is None else {"epochs": asked.epochs}
    last: dict[str, Recommender] = {}
    for name in asked.models:
        areas = []
        for seed in range(1, asked.seeds + 1):
            said: list[str] = []
            with tempfile.TemporaryDirectory() as out:
                trained = train_and_save(
                    name, interactions, out, split="leave-one-out", seed=seed, features=features,
                    progress=lambda text, said=said: (said.append(text), print(text, file=sys.stderr))[0],
                    **given,
                )  # fmt: skip
            last[name] = trained.model
            epochs = sum(text.startswith("epoch ") for text in said)
            areas.append(trained.metrics["auc"])
            figures = " | ".join(f"{value:.4f}" for value in _areas(trained.model, trained.split))
            print(f"| {name} | {seed} | {figures} | {epochs} | {trained.seconds:.0f} |", flush=True)
        print(f"| {name} | mean | {np.mean(areas):.4f} | | | | | |", flush=True)
    _speed(last, interactions, asked.pairs)


def _areas(model: Recommender, split: Split) -> list[float]:
    """All, those whose last item is known, the others, and popularity on the same candidates."""
    areas = area_by_user(model, split)
    timed = ~np.isnan(split.test.time)
    popular, _ = fit("popularity", split.train, split.valid, 0)
    parts = (areas, areas[timed], areas[~timed], area_by_user(popular, split))
    return [float(part.mean()) if len(part) else float("nan") for part in parts]


def _speed(models: dict[str, Recommender], interactions: Interactions, pairs: int) -> None:
    rng = np.random.default_rng(0)
    users, items = len(interactions.user_ids), len(interactions.item_ids)
    user = np.repeat(rng.integers(users, size=pairs // CANDIDATES), CANDIDATES)
    item = rng.integers(items, size=len(user))
    vectors = (rng.normal(size=(count, 16)) for count in (users, items))
    product = Factors(interactions.user_ids, interactions.item_ids, *vectors)
    print(f"\n{len(user):,} pairs, {CANDIDATES} a user\n\n| model | s | pairs/s | times a product |")
    print("|---" * 4 + "|")
    base = None
    for name, model in {"product of vectors": product, **models}.items():
        start = time.perf_counter()
        model.score_pairs(user, item)
        took = time.perf_counter() - start
        base = base or took
        print(f"| {name} | {took:.1f} | {len(user) / took:,.0f} | {took / base:.1f} |", flush=True)


if __name__ == "__main__":
    main()
