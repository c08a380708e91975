"""Hu and others (2023), after Wu and others (2022): joint multisided exposure fairness."""

from __future__ import annotations

import time
from collections.abc import Sequence
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

import exposure_published as published
import pandas as pd
from exposure_movielens import ATTRIBUTES, PATIENCES

import evenhand as eh
from evenhand.pictures import Lines, Map
from evenhand.recommenders import Interactions
from replications.pages import Line, Part
from replications.steps import Run, say

TITLE = "Joint multisided exposure fairness"
PAPER, EVERY = published.PAPER, published.EVERY
NAMES = published.MEASURES
# The models that stand for those of the paper. It took them as they were trained by others.
STAND_INS = {"BPRMF": "bpr", "LDA": "lda", "PureSVD": "puresvd", "SLIM": "ease", "WRMF": "als"}
QUICK = {"BPRMF": "plsa", "LDA": "user-knn", "PureSVD": "puresvd", "SLIM": "ease", "WRMF": "popularity"}
NEEDS = {"bpr": "torch", "als": "implicit"}
COSTS = {"BPRMF": 2.5, "LDA": 4.0, "PureSVD": 0.1, "SLIM": 0.2, "WRMF": 0.1}
MINUTES = {
    **{f"model {name}": cost for name, cost in COSTS.items()},
    **dict.fromkeys(ATTRIBUTES, 2.0),
    "patience": 1.0,
}
HOW = (
    "MovieLens-1M, random 80/10/10, relevance that of the test part, what a model learnt from not shown; beta 8, 4, 3, 2, 1, "
    ".5, .25, .125 and static, patience .8. The paper took models that others trained; here they are trained again, EASE for "
    "SLIM and ALS for WRMF, and exposure is computed exactly instead of by 100 draws. Whether its tables are by gender or by "
    "age it does not say; here they are by gender. [All figures](../benchmarks.md#exposure), [the audit](../../explain/exposure.md).",
)
OTHERS = (
    "other models, trained here; scores of the whole catalogue are ranked here and 100 items there; and the area hangs on which "
    "models are normalised together"
)


def parts(run: Run) -> list[Part]:
    data = run.folder("ml-1m")
    drawn = [
        Part("Table 1", "definitions of the six measures", missing="formulas, without figures; tests hold ours against them"),
        Part("Table 2", "hyperparameters", missing="settings, which are those of this page"),
        Part("Table 4", "how each measure is decomposed", missing="formulas; tests hold ours against them"),
        Part("Figure 4", "BERT4Rec on MovieLens-1M and LibraryThing", missing="drawn, not printed; LibraryThing is not at hand, "
             "and a BERT4Rec is trained and audited by `benchmarks/sequence_models.py`"),
        Part("Table 3, Bert4Rec", "areas of the sequence model", missing="it takes a GPU: `benchmarks/sequence_models.py` trains "
             "and audits it on the users with timestamps"),
        *(Part(f"Figure {number}", f"figure {number - 5} in the paper of Wu and others", missing="drawn, not printed: see "
               f"figure {number - 5}") for number in (6, 7, 8)),
    ]  # fmt: skip
    if data is None:
        there = {part.name for part in drawn}
        return [
            *drawn,
            *(Part(one, "", missing="MovieLens-1M is not at hand") for one in EVERY if one not in there),
        ]
    folders = trained(run, data)
    found = {
        attribute: run.step(attribute, lambda a=attribute: audited(data, folders, a), 2)
        for attribute in ATTRIBUTES
    }
    patience = run.step("patience", lambda: by_patience(data, folders), 1)
    by_gender = found[ATTRIBUTES[0]]
    made = [
        areas("Table 3", "area under the trade-off, common rule", by_gender, "common", published.COMMON),
        areas("Table 5", "area under the trade-off, trapezoidal rule", by_gender, "trapezoid", published.TRAPEZOID),
        areas("Table 6", "the same in the paper of Wu and others", by_gender, "common", published.ORIGINAL),
        seconds(found, len(folders)),
        shapes("Figure 1", "disparity and relevance fall with randomness, BPRMF", by_gender, ("BPRMF",)),
        shapes("Figure 2", "trade-off curves of all models", by_gender, tuple(folders)),
        *(correlations("Figure 3", attribute, found) for attribute in ATTRIBUTES[:2]),
        correlations("Figure 5", ATTRIBUTES[2], found),
        Part(
            "Figure 9", f"the measures at other patience, {'BPRMF' if 'BPRMF' in folders else next(iter(folders))}, gender, in millionths",
            [Line(f"{name}, patience {one}", "drawn: grows with patience", value, digits=4)
             for one, values in patience.items() for name, value in values.items()],
            cause="as published they grow with patience (AG not from .4 to .6); part of that is that the weights of positions add up to more",
        ),
        Part("Figure 10", "trade-off curves at other patience, BPRMF, age", missing="drawn, not printed; figure 9 has the measures"),
    ]  # fmt: skip
    return sorted(
        [*drawn, *made], key=lambda part: (part.name[0] == "F", int(part.name.split(",")[0].split()[1]))
    )


def trained(run: Run, data: Path) -> dict[str, Path]:
    """The folders of the models, trained first where they are not there."""
    interactions = None
    folders = {}
    for name, model in (QUICK if run.quick else STAND_INS).items():
        folder = (run.models or run.work / "models") / model
        if not (folder / "model.json").exists():
            if model in run.leave_out or run.models is not None:
                say(f"{model}, which stands for {name}, is left out")
                continue
            if model in NEEDS and find_spec(NEEDS[model]) is None:
                say(f"{model} stands for {name} and needs {NEEDS[model]}, which is not installed: left out")
                continue
            say(f"training {model} for {name}, about {COSTS[name]:g} minutes on one core ...")
            if interactions is None:
                interactions = Interactions.from_frame(eh.datasets.load(data).interactions)
            few = {"epochs": 2} if run.quick and model == "plsa" else {}
            eh.recommenders.train_and_save(model, interactions, folder, seed=1, **few)
        folders[name] = folder
    return folders


def tables_of(data: Path, folders: dict[str, Path], attribute: str) -> tuple[Any, ...]:
    dataset = eh.datasets.load(data)
    relevance = pd.read_parquet(next(iter(folders.values())) / "test.parquet")
    rated = set(dataset.interactions["item_id"])
    items = dataset.items[dataset.items["item_id"].isin(rated)][["item_id", "genres"]]
    return relevance, dataset.users[["user_id", attribute]], items


def audited(data: Path, folders: dict[str, Path], attribute: str) -> dict[str, Any]:
    """Areas and curves by model and measure, correlations of the measures, and how long it took."""
    started = time.perf_counter()
    compared = eh.exposure.compare(
        {name: str(one) for name, one in folders.items()}, *tables_of(data, folders, attribute)
    )
    areas: dict[str, dict[str, dict[str, float | None]]] = {}
    curves: dict[str, dict[str, list[list[float]]]] = {}
    for name in NAMES:
        for model in folders:
            found = compared.find("tradeoff", measure=name, group=model)
            areas.setdefault(model, {})[name] = {
                rule: found.details[rule] for rule in ("trapezoid", "common")
            }
            (drawn,) = found.drawn(Lines)
            curves.setdefault(model, {})[name] = [list(point) for point in drawn.line(model)]
    agreement = {
        one.part: [[cell.row, cell.column, cell.value] for cell in one.cells]
        for one in compared.find("measure_agreement").drawn(Map)
    }
    return {
        "areas": areas,
        "curves": curves,
        "agreement": agreement,
        "seconds": time.perf_counter() - started,
    }


def by_patience(data: Path, folders: dict[str, Path]) -> dict[str, dict[str, float]]:
    model = folders.get("BPRMF", next(iter(folders.values())))
    result = eh.exposure.audit(
        str(model), *tables_of(data, folders, ATTRIBUTES[0]), beta=1, patience=PATIENCES
    )
    return {
        str(patience): {name: float(result.find(name, patience=patience).estimate) * 1e6 for name in NAMES}
        for patience in PATIENCES
    }


def areas(name: str, about: str, found: dict[str, Any], rule: str, told: published.Areas) -> Part:
    lines = [
        Line(f"{model}, {measure}", one, found["areas"][model][measure][rule])
        for model, row in told.items()
        if model in found["areas"]
        for measure, one in zip(NAMES, row, strict=True)
    ]
    return Part(name, about, lines, cause=OTHERS)


def seconds(found: dict[str, Any], models: int) -> Part:
    lines = []
    for attribute in ATTRIBUTES[:2]:
        for model in found[attribute]["areas"]:
            told = sum(published.SECONDS[model][attribute])
            lines.append(Line(f"{model}, {attribute}", told, found[attribute]["seconds"] / models, digits=1))
    return Part("Table 7", "seconds for eight temperatures and the static ranking of a model", lines,
                cause="exact expected exposure instead of 100 draws; another machine, with others on it, and no GPU here")  # fmt: skip


def shapes(name: str, about: str, found: dict[str, Any], models: Sequence[str]) -> Part:
    lines = []
    for model in models:
        if model not in found["curves"]:
            continue
        for measure in NAMES:
            points = found["curves"][model][measure]
            falls = sum(after[0] < before[0] or after[1] < before[1] for before, after in pairwise(points))
            lines.append(
                Line(
                    f"{model}, {measure}: steps to less randomness in which one of the two falls",
                    "none",
                    falls,
                    digits=0,
                )
            )
    if not lines:
        return Part(name, about, missing=f"{' and '.join(models)} was not trained")
    return Part(name, about, lines, cause="the curves are drawn and not printed; that both grow as the policy gets sharper agrees "
                "where the number is 0")  # fmt: skip


def correlations(name: str, attribute: str, found: dict[str, Any]) -> Part:
    said = {
        "fairness": "II least like the others; GG and AG nearly one",
        "disparity": "drawn",
        "relevance": "drawn",
    }
    lines = []
    for part, cells in found[attribute]["agreement"].items():
        for row, column, value in cells:
            if NAMES.index(row) < NAMES.index(column):
                lines.append(
                    Line(f"{part}: {row} and {column}", f"drawn: {said[part]}", value or 0.0, digits=2)
                )
    return Part(f"{name}, {attribute}", "Kendall's correlation of the measures over models and temperatures", lines,
                cause="drawn, not printed; in words it agrees. Five models here, 21 there")  # fmt: skip
