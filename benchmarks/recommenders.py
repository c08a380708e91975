"""Accuracy and time of all reference models on MovieLens, as tables for docs/evidence/benchmarks.md.

    .venv/bin/python benchmarks/recommenders.py ../shared/data/ml-100k ../shared/data/ml-1m --seed 1

Random 80/10/10 a user, all items ranked but those of training and validation, measures at 10.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from evenhand.datasets import load
from evenhand.recommenders import Interactions, train_and_save
from evenhand.recommenders.evaluation import MEASURES, full_ranking
from evenhand.recommenders.fitting.names import MODELS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--models", nargs="*", default=MODELS)
    asked = parser.parse_args()
    print(f"Seed {asked.seed}, {os.cpu_count()} cores, Python {platform.python_version()}.")
    for folder in asked.folders:
        dataset = load(folder)
        interactions = Interactions.from_frame(dataset.interactions)
        print(f"\n### {dataset.name}: {len(interactions):,} interactions\n")
        print(f"| model | {' | '.join(f'{name}@10' for name in MEASURES)} | training, s | ranking all, s |")
        print("|---" * (len(MEASURES) + 3) + "|")
        for name in asked.models:
            with tempfile.TemporaryDirectory() as out:
                trained = train_and_save(
                    name,
                    interactions,
                    out,
                    seed=asked.seed,
                    progress=lambda text: print(text, file=sys.stderr),
                )
            parts = trained.split
            seen = parts.train.matrix() + parts.valid.matrix()
            start = time.perf_counter()
            trained.model.top(np.arange(len(trained.model.user_ids)), 10, exclude=seen)
            ranking = time.perf_counter() - start
            again = full_ranking(trained.model, parts.test, seen)
            figures = " | ".join(f"{again[measure]:.4f}" for measure in MEASURES)
            print(f"| {name} | {figures} | {trained.seconds:.1f} | {ranking:.2f} |", flush=True)


if __name__ == "__main__":
    main()
