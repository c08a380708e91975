"""Every reference model under its name: how to fit it, with which settings, and how good it is."""

from __future__ import annotations

import difflib
import inspect
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from evenhand.errors import InputError
from evenhand.recommenders.evaluation import full_ranking, sampled_candidates
from evenhand.recommenders.interactions import Interactions
from evenhand.recommenders.protocol import Recommender
from evenhand.recommenders.splits import Split, leave_one_out, random_split, time_split
from evenhand.recommenders.storage import save

CLASSIC = ("popularity", "random", "puresvd", "ease", "als", "knn")
DEEP = ("bpr", "dmf", "neumf")
MODELS = (*DEEP, *CLASSIC)
SPLITS: dict[str, Callable[..., Split]] = {
    "random": random_split,
    "time": time_split,
    "leave-one-out": leave_one_out,
}

Progress = Callable[[str], None]


def fit(
    name: str,
    train: Interactions,
    valid: Interactions,
    seed: int,
    *,
    checkpoint: Path | None = None,
    progress: Progress = lambda message: None,
    **settings: Any,
) -> tuple[Recommender, dict[str, Any]]:
    """Train the model called `name`; give back the recommender and the settings that were used."""
    if name not in MODELS:
        close = difflib.get_close_matches(name, MODELS, n=1)
        guess = f" Did you mean {close[0]!r}?" if close else ""
        raise InputError(f"there is no model {name!r}.{guess} There are: {', '.join(MODELS)}.")
    if name in DEEP:
        return _fit_deep(name, train, valid, seed, checkpoint, progress, settings)
    from evenhand.recommenders.models import classic

    function = getattr(classic, name)
    known = {
        key: p.default
        for key, p in inspect.signature(function).parameters.items()
        if p.default is not p.empty
    }
    _refuse_unknown(name, settings, list(known))
    progress(f"fitting {name}")
    try:
        return function(train, seed, **settings), known | settings
    except ModuleNotFoundError as error:
        raise _not_installed(error) from error


def _fit_deep(
    name: str,
    train: Interactions,
    valid: Interactions,
    seed: int,
    checkpoint: Path | None,
    progress: Progress,
    given: dict[str, Any],
) -> tuple[Recommender, dict[str, Any]]:
    try:
        from evenhand.recommenders import training
        from evenhand.recommenders.models import bpr, dmf, neumf
    except ModuleNotFoundError as error:
        raise _not_installed(error) from error
    modules: dict[str, tuple[Any, Any]] = {
        "bpr": (bpr.BPR, bpr),
        "dmf": (dmf.DMF, dmf),
        "neumf": (neumf.NeuMF, neumf),
    }
    module, home = modules[name]
    _refuse_unknown(name, given, [field.name for field in fields(training.Settings)])
    settings = replace(home.DEFAULTS, **given)
    model = training.train(
        lambda: module(train, settings), train, valid, settings, seed,
        name=name, checkpoint=checkpoint, progress=progress,
    )  # fmt: skip
    return model, asdict(settings)


@dataclass(frozen=True)
class Trained:
    """A model that was trained, judged and written."""

    model: Recommender
    split: Split
    metrics: dict[str, float]
    seconds: float


def train_and_save(
    name: str,
    interactions: Interactions,
    out: str | Path,
    *,
    split: str = "random",
    seed: int = 0,
    data: str = "",
    progress: Progress = lambda message: None,
    **settings: Any,
) -> Trained:
    """Split, train, judge on the test part and write the folder that audits accept as a model.

    `random` and `time` splits are judged by ranking all items at 10, `leave-one-out` by the held-out item
    among 49 sampled ones at 5. A run that was interrupted goes on from its last epoch.
    """
    if split not in SPLITS:
        raise InputError(f"split is {split!r}, but must be one of {', '.join(SPLITS)}.")
    out = Path(out)
    if name not in DEEP and (out / "checkpoint.pt").exists():
        raise InputError(f"{out} holds an unfinished run of another model: use another folder, or finish it.")
    parts = SPLITS[split](interactions, np.random.default_rng(seed))
    for note in parts.notes:
        progress(note)
    start = time.perf_counter()
    model, used = fit(name, parts.train, parts.valid, seed, checkpoint=out, progress=progress, **settings)
    seconds = time.perf_counter() - start
    progress("judging it on the test part")
    if split == "leave-one-out":
        metrics, at = sampled_candidates(model, parts, k=5), 5
    else:
        metrics, at = full_ranking(model, parts.test, parts.train.matrix() + parts.valid.matrix()), 10
    description = {
        "settings": used,
        "seed": seed,
        "data": data,
        "split": split,
        "notes": list(parts.notes),
        "metrics": {f"{measure}@{at}": value for measure, value in metrics.items()},
    }
    save(out, model, name=name, history=parts.train, description=description)
    if name in DEEP:
        (out / "checkpoint.pt").unlink(missing_ok=True)
    return Trained(model, parts, description["metrics"], seconds)  # type: ignore[arg-type]


def _refuse_unknown(name: str, settings: dict[str, Any], known: list[str]) -> None:
    for key in settings:
        if key not in known:
            listed = ", ".join(known) if known else "none"
            raise InputError(f"the model {name!r} has no setting {key!r}; it has: {listed}.")


def _not_installed(error: ModuleNotFoundError) -> InputError:
    return InputError(
        f"this model needs {error.name}, which is not installed: pip install 'evenhand[models]'."
    )
