"""From what users took to a folder with a model that audits accept."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evenhand.arrays import Progress
from evenhand.errors import InputError
from evenhand.files import is_model_folder
from evenhand.parameters import LARGEST_SEED, choice, function, text, whole, writable_folder
from evenhand.recommenders.evaluation import area_by_user, full_ranking, sampled_candidates, short_rankings
from evenhand.recommenders.fitting.fit import fit, refuse_features
from evenhand.recommenders.fitting.names import DEEP, MODELS, SEQUENTIAL
from evenhand.recommenders.fitting.settings import within_data
from evenhand.recommenders.protocol import Recommender
from evenhand.recommenders.stored.storage import CANDIDATES_FILE, TEST_FILE, VALID_FILE, describe, save
from evenhand.recommenders.taken.features import Features
from evenhand.recommenders.taken.interactions import Interactions, as_interactions
from evenhand.recommenders.taken.sequences import with_times
from evenhand.recommenders.taken.splits import LEAST_NEGATIVES, Split, leave_one_out, random_split, time_split

SPLITS: dict[str, Callable[..., Split]] = {
    "random": random_split,
    "time": time_split,
    "leave-one-out": leave_one_out,
}


@dataclass(frozen=True)
class Trained:
    """A model that was trained, judged and written."""

    model: Recommender
    split: Split
    metrics: dict[str, float]
    seconds: float
    notes: tuple[str, ...]  # what was not as asked, in words


def train_and_save(
    name: str,
    interactions: Interactions,
    out: str | Path,
    *,
    split: str = "random",
    negatives: int | None = None,
    seed: int = 0,
    data: str = "",
    features: Features | None = None,
    progress: Progress = lambda message: None,
    **settings: Any,
) -> Trained:
    """Split, train, judge on the test part and write the folder that audits accept as a model.

    `random` and `time` splits are judged by ranking all items at 10, `leave-one-out` by the held-out item
    among `negatives` sampled ones (49 by default) at 5, and by the share of them that it beats (AUC). A run
    that was interrupted goes on from its last epoch. Models that learn from the order in time leave users
    without complete timestamps out, and say so.
    """
    choice("the model", name, MODELS)
    refuse_features(name, features)
    choice("split", split, SPLITS)
    text("data", data)
    function("progress", progress)
    interactions = as_interactions("interactions", interactions)
    if negatives is not None and split != "leave-one-out":
        raise InputError(
            f"negatives (--negatives) are drawn for the split leave-one-out only, but the split is {split}."
        )
    drawn = {} if negatives is None else {"negatives": whole("negatives", negatives, LEAST_NEGATIVES)}
    seed = whole("seed", seed, 0, LARGEST_SEED)
    out = writable_folder("out", out)
    if name not in DEEP and (out / "checkpoint.pt").exists():
        raise InputError(f"{out} holds an unfinished run of another model: use another folder, or finish it.")
    interactions, left_out = with_times(interactions, name) if name in SEQUENTIAL else (interactions, ())
    parts = SPLITS[split](interactions, np.random.default_rng(seed), **drawn)
    settings, lowered = within_data(name, parts.train, settings)
    seen = parts.train.matrix() + parts.valid.matrix()
    short = () if parts.candidates is not None else short_rankings(parts.test, seen)
    about = () if features is None else features.notes
    notes = (*left_out, *parts.notes, *lowered, *short, *about)
    for note in notes:
        progress(note)
    start = time.perf_counter()
    model, used = fit(
        name, parts.train, parts.valid, seed, features=features, checkpoint=out, progress=progress, **settings
    )
    seconds = time.perf_counter() - start
    progress("judging it on the test part")
    metrics, replaced = judged_and_saved(
        model, parts, out, name=name, used=used, seed=seed, split=split, notes=notes, data=data
    )
    if name in DEEP:
        (out / "checkpoint.pt").unlink(missing_ok=True)
    return Trained(model, parts, metrics, seconds, notes + replaced)


def judged_and_saved(
    model: Recommender,
    parts: Split,
    out: Path,
    *,
    name: str,
    used: dict[str, Any],
    seed: int,
    split: str,
    notes: tuple[str, ...] = (),
    data: str = "",
) -> tuple[dict[str, float], tuple[str, ...]]:
    """Judge a fitted model on the test part and write its folder; its metrics, and what that replaced."""
    if split == "leave-one-out":
        metrics, at = sampled_candidates(model, parts, k=5), 5
        area = {"auc": float(area_by_user(model, parts).mean())}
    else:
        seen = parts.train.matrix() + parts.valid.matrix()
        metrics, at = full_ranking(model, parts.test, seen), 10
        area = {}
    description = {
        "settings": used,
        "seed": seed,
        "data": data,
        "split": split,
        **({} if parts.candidates is None else {"negatives": parts.candidates.shape[1] - 1}),
        "notes": list(notes),
        "metrics": {f"{measure}@{at}": value for measure, value in metrics.items()} | area,
    }
    replaced = _replaced(out, name, description)
    tables = {
        TEST_FILE: parts.test.frame()[["user_id", "item_id"]],
        VALID_FILE: parts.valid.frame()[["user_id", "item_id"]],
    }
    if parts.candidates is not None:
        tables[CANDIDATES_FILE] = _candidates(model, parts.test, parts.candidates)
    save(out, model, name=name, history=parts.train, description=description, tables=tables)
    return description["metrics"], replaced


def _replaced(folder: Path, name: str, description: dict[str, Any]) -> tuple[str, ...]:
    """A note on a finished model in the folder that is not the one that was asked for."""
    if not is_model_folder(folder):
        return ()
    try:
        before = describe(folder)
    except InputError:  # one that cannot be read is no loss
        return ()
    now = {"model": name, **description}
    if all(before.get(key) == now[key] for key in ("model", "settings", "seed", "data", "split")):
        return ()
    return (
        f"{folder} held another model, which was replaced: {before.get('model')}, seed {before.get('seed')}.",
    )


def _candidates(model: Recommender, held_out: Interactions, candidates: NDArray[np.int64]) -> pd.DataFrame:
    """What a leave-one-out split judged the model by, as a table that an audit of groups can read."""
    each = candidates.shape[1]
    user, item = np.repeat(held_out.user, each), candidates.ravel()
    return pd.DataFrame(
        {
            "user_id": held_out.user_ids[user],
            "item_id": held_out.item_ids[item],
            "score": model.score_pairs(user, item),
            "label": np.tile((np.arange(each) == 0).astype(np.int8), len(candidates)),
        }
    )
