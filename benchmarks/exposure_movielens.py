"""The exposure audit on MovieLens-1M: six measures over beta, areas under the trade-off, correlations.

    .venv/bin/python benchmarks/exposure_movielens.py DATA MODEL [MODEL ...]

DATA is the folder of MovieLens-1M, a MODEL one that `evenhand train NAME DATA --seed 1` wrote (a random split
of 80/10/10). The relevance is that of the test part, which no model saw; what a model learnt from is not
shown.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import evenhand as eh
from evenhand.exposure.measures import NAMES
from evenhand.exposure.tradeoff import areas, kendall
from evenhand.recommenders import Interactions
from evenhand.recommenders.splits import random_split

BETAS = (8, 4, 3, 2, 1, 0.5, 0.25, 0.125, "static")
ATTRIBUTES = ("gender", "age_band", "occupation")


def main() -> None:
    data, models = sys.argv[1], sys.argv[2:]
    dataset = eh.datasets.load(data)
    test = random_split(Interactions.from_frame(dataset.interactions), np.random.default_rng(1)).test
    relevance = test.frame()[["user_id", "item_id"]]
    rated = set(dataset.interactions["item_id"])
    items = dataset.items[dataset.items["item_id"].isin(rated)][["item_id", "genres"]]
    for attribute in ATTRIBUTES:
        users = dataset.users[["user_id", attribute]]
        found = {
            Path(model).name: eh.exposure.audit(model, relevance, users, items, beta=list(BETAS))
            for model in models
        }
        _report(attribute, found)


def _report(attribute: str, found: dict[str, eh.AuditResult]) -> None:
    def curve(model: str, measure: str, part: str) -> list[float]:
        findings = [found[model].find(measure, beta=beta) for beta in BETAS]
        return [f.estimate if part == "fairness" else f.details[part] for f in findings]

    print(f"\n#### {attribute} x genres: area under relevance against disparity (trapezoid / common)\n")
    print(f"| model | {' | '.join(NAMES)} |\n{'|---' * 7}|")
    table = {
        name: areas(
            {model: curve(model, name, "disparity") for model in found},
            {model: curve(model, name, "relevance") for model in found},
        )
        for name in NAMES
    }
    for model in found:
        cells = [
            f"{table[name][model]['trapezoid']:.3f} / {table[name][model]['common']:.3f}" for name in NAMES
        ]
        print(f"| {model} | {' | '.join(cells)} |")
    for part in ("fairness", "disparity", "relevance"):
        columns = {name: [v for model in found for v in curve(model, name, part)] for name in NAMES}
        print(f"\n{attribute}, Kendall's correlation of {part} over models and betas:\n")
        print(f"| | {' | '.join(NAMES)} |\n{'|---' * 7}|")
        for name, row in zip(NAMES, kendall(columns), strict=True):
            print(f"| {name} | {' | '.join(f'{value:.2f}' for value in row)} |")
    print(f"\n{attribute}, pairs of groups furthest off in the static ranking:\n")
    for model, result in found.items():
        pairs = [f for f in result.findings if f.measure == "pair_exposure" and f.subject["beta"] == "static"]
        said = "; ".join(f"{f.subject['group']} {f.estimate:+.0%}" for f in pairs[:4])
        print(f"- {model}: {said}", flush=True)


if __name__ == "__main__":
    main()
