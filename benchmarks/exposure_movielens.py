"""The exposure audit on MovieLens-1M: areas under the trade-off, correlations, pairs of groups, patience.

    .venv/bin/python benchmarks/exposure_movielens.py DATA MODEL [MODEL ...]

DATA is the folder of MovieLens-1M, a MODEL one that `evenhand train NAME DATA --seed 1` wrote (a random split
of 80/10/10). The relevance is that of the test part, which no model saw; what a model learnt from is not
shown.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd

import evenhand as eh
from evenhand.exposure.measures import NAMES
from evenhand.pictures import Map
from evenhand.recommenders import Interactions
from evenhand.recommenders.taken.splits import random_split

ATTRIBUTES = ("gender", "age_band", "occupation")
PATIENCES = (0.01, 0.2, 0.4, 0.6, 0.8, 0.9)


def main() -> None:
    data, models = sys.argv[1], {Path(model).name: model for model in sys.argv[2:]}
    dataset = eh.datasets.load(data)
    test = random_split(Interactions.from_frame(dataset.interactions), np.random.default_rng(1)).test
    relevance = test.frame()[["user_id", "item_id"]]
    rated = set(dataset.interactions["item_id"])
    items = dataset.items[dataset.items["item_id"].isin(rated)][["item_id", "genres"]]
    for attribute in ATTRIBUTES:
        users = dataset.users[["user_id", attribute]]
        others = (relevance, users, items)
        for relative in (False, True):
            started = time.perf_counter()
            compared = eh.exposure.compare(models, *others, relative=relative)
            seconds = time.perf_counter() - started
            _areas(
                f"{attribute} x genres, {'relative' if relative else 'plain'} beta", compared, list(models)
            )
            print(f"\n{len(models) * 9} settings in {seconds:.0f} s", flush=True)
        _correlations(attribute, compared)
        _pairs(attribute, models, others)
    _patience(models["bpr"], (relevance, dataset.users[["user_id", "gender"]], items))


def _areas(title: str, compared: eh.AuditResult, models: list[str]) -> None:
    print(f"\n#### {title}: area by the trapezoid / common rule / mean relevance\n")
    print(f"| model | {' | '.join(NAMES)} |\n{'|---' * 7}|")
    for model in models:
        found = [compared.find("tradeoff", measure=name, group=model) for name in NAMES]
        cells = [
            f"{one.details['trapezoid']:.3f} / {one.details['common']:.3f} / "
            f"{'none' if one.estimate is None else f'{one.estimate:.3f}'}"
            for one in found
        ]
        print(f"| {model} | {' | '.join(cells)} |")


def _correlations(attribute: str, compared: eh.AuditResult) -> None:
    for part in compared.find("measure_agreement").drawn(Map):
        print(f"\n{attribute}, Kendall's correlation of {part.part} over models and relative betas:\n")
        print(f"| | {' | '.join(NAMES)} |\n{'|---' * 7}|")
        for name in NAMES:
            row = [cell.value or 0.0 for cell in part.cells if cell.row == name]
            print(f"| {name} | {' | '.join(f'{value:.2f}' for value in row)} |")


def _pairs(attribute: str, models: dict[str, str], others: tuple[pd.DataFrame, ...]) -> None:
    print(f"\n{attribute}, pairs of groups furthest off in the static ranking:\n")
    for name, model in models.items():
        audited = eh.exposure.audit(model, *others, beta="static", top=4).findings
        pairs = [f for f in audited if f.measure == "pair_exposure"]
        said = [f"{f.subject['group']} {f.estimate:+.0%}" for f in pairs]
        print(f"- {name}: {'; '.join(said)}", flush=True)


def _patience(model: str, others: tuple[pd.DataFrame, ...]) -> None:
    print("\n#### Patience: BPR at beta 1, gender x genres (millionths)\n")
    print(f"| patience | {' | '.join(NAMES)} |\n{'|---' * 7}|")
    result = eh.exposure.audit(model, *others, beta=1, patience=PATIENCES)
    for patience in PATIENCES:
        values = [result.find(name, patience=patience).estimate * 1e6 for name in NAMES]
        print(f"| {patience} | {' | '.join(f'{value:.3g}' for value in values)} |")


if __name__ == "__main__":
    main()
