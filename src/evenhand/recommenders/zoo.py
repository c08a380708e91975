"""Every reference model under its name: how to fit it, with which settings, and how good it is."""

from __future__ import annotations

import inspect
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evenhand.arrays import Progress
from evenhand.errors import InputError
from evenhand.files import is_model_folder
from evenhand.parameters import LARGEST_SEED, choice, function, number, text, whole, writable_folder
from evenhand.recommenders.evaluation import (
    PAIRS,
    RANKING,
    area_by_user,
    full_ranking,
    sampled_candidates,
    short_rankings,
)
from evenhand.recommenders.features import Features, as_features
from evenhand.recommenders.ids import refuse_other_ids
from evenhand.recommenders.interactions import Interactions, as_interactions
from evenhand.recommenders.protocol import Recommender
from evenhand.recommenders.sequences import with_times
from evenhand.recommenders.splits import LEAST_NEGATIVES, Split, leave_one_out, random_split, time_split
from evenhand.recommenders.storage import CANDIDATES_FILE, TEST_FILE, VALID_FILE, describe, save

# Models without gradient descent, and the module of `models` that each is a function of.
CLASSIC = {
    **dict.fromkeys(("popularity", "random", "puresvd", "ease", "als", "knn"), "classic"),
    "user-knn": "user_knn",
    "plsa": "plsa",
    "lda": "lda",
}
# Those that take features of users and items: click models, and two towers.
CLICK = ("widedeep", "deepfm", "dcn", "fgcnn")
FEATURED = (*CLICK, "two-tower")
SEQUENTIAL = ("bert4rec",)  # these learn from the order in time
ON_GPU = (*FEATURED, *SEQUENTIAL)  # trained on one where there is one; the others are done sooner without
# Models that are trained in epochs, and the class of each, in a module of `models` with its name.
DEEP = {
    "bpr": "BPR",
    "dmf": "DMF",
    "neumf": "NeuMF",
    "widedeep": "WideDeep",
    "deepfm": "DeepFM",
    "dcn": "DCN",
    "fgcnn": "FGCNN",
    "two-tower": "TwoTower",
    "bert4rec": "BERT4Rec",
}
MODELS = (*DEEP, *CLASSIC)
SPLITS: dict[str, Callable[..., Split]] = {
    "random": random_split,
    "time": time_split,
    "leave-one-out": leave_one_out,
}

# What each setting must be, whichever model has it; the libraries count in 32 bits and compute in 32 bits.
_count, _size = partial(whole, most=2**31 - 1), partial(number, most=1e38)
SETTINGS: dict[str, Callable[[str, Any], float]] = {
    **dict.fromkeys(("factors", "batch", "epochs", "patience", "every", "neighbours"), _count),
    "learning_rate": partial(_size, above=True),
    "regularisation": _size,
}


def fit(
    name: str,
    train: Interactions,
    valid: Interactions,
    seed: int,
    *,
    features: Features | None = None,
    checkpoint: str | Path | None = None,
    progress: Progress = lambda message: None,
    **settings: Any,
) -> tuple[Recommender, dict[str, Any]]:
    """Train the model called `name`; give back the recommender and the settings that were used.

    `valid` has the same ids as `train`. Models that are trained in epochs keep the weights that rank it best;
    the others do not look at it. With a `checkpoint` folder such a training can be interrupted. `features`
    are for the click models and two towers, which know ids alone without them.
    """
    choice("the model", name, MODELS)
    _refuse_features(name, features)
    seed = whole("seed", seed, 0, LARGEST_SEED)
    train, valid = as_interactions("train", train), as_interactions("valid", valid)
    refuse_other_ids(train, valid, ("train", "valid"))
    checkpoint = None if checkpoint is None else writable_folder("checkpoint", checkpoint)
    function("progress", progress)
    if name in DEEP:
        return _fit_deep(name, train, valid, seed, checkpoint, progress, features, settings)
    method = getattr(_home(CLASSIC[name]), name.replace("-", "_"))
    known = {
        key: p.default for key, p in inspect.signature(method).parameters.items() if p.default is not p.empty
    }
    settings = checked_settings(name, settings, list(known))
    settings, notes = _within_data(name, train, settings)
    for note in notes:
        progress(note)
    used = known | settings
    _refuse_beyond_memory(name, train, used)
    progress(f"fitting {name}")
    with explained(name):
        return method(train, seed, **settings), used


def _fit_deep(
    name: str,
    train: Interactions,
    valid: Interactions,
    seed: int,
    checkpoint: Path | None,
    progress: Progress,
    features: Features | None,
    given: dict[str, Any],
) -> tuple[Recommender, dict[str, Any]]:
    with explained(name):
        from evenhand.recommenders import training

        home = _home(name)
    module = getattr(home, DEEP[name])
    given = checked_settings(name, given, [field.name for field in fields(training.TrainingSettings)])
    settings = replace(home.DEFAULTS, **given)
    if name == "neumf":
        whole("factors", settings.factors, 2)  # its last layer is half as wide
    _refuse_beyond_memory(name, train, asdict(settings))
    used, known_as = asdict(settings), name
    device = training.best_device() if name in ON_GPU else "cpu"
    more: tuple[Features, ...] = ()
    if name in FEATURED:
        told = as_features(features, train)
        used |= {"features": told.names}
        known_as, more = f"{name} {told.digest()}", (told,)  # the same features are part of the same run
    with explained(name):
        model = training.train(
            lambda: module(train, settings, *more), train, valid, settings, seed,
            name=known_as, device=device, checkpoint=checkpoint, progress=progress,
            judge=PAIRS if name in CLICK else RANKING,
        )  # fmt: skip
    return model, used | getattr(home, "ARCHITECTURE", {})


def _home(name: str) -> Any:
    return import_module(f"evenhand.recommenders.models.{name.replace('-', '_')}")


def _refuse_features(name: str, features: Features | None) -> None:
    if features is not None and name not in FEATURED:
        raise InputError(
            f"the model {name!r} knows users and items by who took what alone, so features cannot be given; "
            f"those that take them are {', '.join(FEATURED)}."
        )


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
    _refuse_features(name, features)
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
    settings, lowered = _within_data(name, parts.train, settings)
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
    if split == "leave-one-out":
        metrics, at = sampled_candidates(model, parts, k=5), 5
        area = {"auc": float(area_by_user(model, parts).mean())}
    else:
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
    if name in DEEP:
        (out / "checkpoint.pt").unlink(missing_ok=True)
    return Trained(model, parts, description["metrics"], seconds, notes + replaced)


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


def checked_settings(name: str, settings: dict[str, Any], known: list[str]) -> dict[str, Any]:
    """The settings as plain numbers, if the model has them all and each makes sense."""
    for key in settings:
        if key not in known:
            listed = ", ".join(known) if known else "none"
            raise InputError(f"the model {name!r} has no setting {key!r}; it has: {listed}.")
    return {key: SETTINGS[key](key, value) for key, value in settings.items()}


def _within_data(
    name: str, train: Interactions, settings: dict[str, Any]
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """A default that the data are too small for is lowered to what they allow, which the notes say."""
    from evenhand.recommenders.models.classic import PURESVD_FACTORS, largest_rank

    most = largest_rank(train)
    if name != "puresvd" or "factors" in settings or not 0 < most < PURESVD_FACTORS:
        return settings, ()
    note = (
        f"puresvd has {most} factors and not {PURESVD_FACTORS}, its default: there are only "
        f"{len(train.user_ids):,} users and {len(train.item_ids):,} items."
    )
    return {**settings, "factors": most}, (note,)


def _refuse_beyond_memory(name: str, train: Interactions, settings: dict[str, Any]) -> None:
    """A model whose weights alone are more than the machine has: better known now than after an hour."""
    users, items, factors = len(train.user_ids), len(train.item_ids), settings.get("factors", 0)
    numbers = 4 * items**2 if name == "ease" else (users + items) * factors
    if name in ("als", "dmf", "neumf", "bert4rec"):
        numbers += factors**2  # their layers, or what is solved
    needed = 4 * numbers * (4 if name in DEEP else 1)  # a gradient and its two moments
    try:
        there = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # a system that does not say
        return
    if needed > there:
        size = f"{factors:,} factors" if factors else f"{items:,} items"
        raise InputError(
            f"{name} with {size} needs at least {needed / 1e9:,.0f} GB of memory, but this machine has "
            f"{there / 1e9:,.0f} GB; use fewer, or another model."
        )


@contextmanager
def explained(name: str) -> Iterator[None]:
    """What the libraries raise where a user can help it, in words."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise InputError(
            f"this model needs {error.name}, which is not installed: pip install 'evenhand[models]'."
        ) from error
    except (MemoryError, RuntimeError) as error:
        if isinstance(error, RuntimeError) and "allocate memory" not in str(error):
            raise
        raise InputError(
            f"there is not enough memory to train {name} on these data; use fewer factors, or another model."
        ) from error
