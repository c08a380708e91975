"""Every reference model is fitted by its name, and gives back the settings that were used."""

from __future__ import annotations

import inspect
from dataclasses import asdict, fields, replace
from importlib import import_module
from pathlib import Path
from typing import Any

from evenhand.arrays import Progress
from evenhand.errors import InputError
from evenhand.parameters import LARGEST_SEED, choice, function, whole, writable_folder
from evenhand.recommenders.evaluation import PAIRS, RANKING
from evenhand.recommenders.fitting.explained import explained
from evenhand.recommenders.fitting.names import CLASSIC, CLICK, DEEP, FEATURED, MODELS, ON_GPU
from evenhand.recommenders.fitting.settings import checked_settings, refuse_beyond_memory, within_data
from evenhand.recommenders.protocol import Recommender
from evenhand.recommenders.taken.features import Features, as_features
from evenhand.recommenders.taken.ids import refuse_other_ids
from evenhand.recommenders.taken.interactions import Interactions, as_interactions


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
    refuse_features(name, features)
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
    settings, notes = within_data(name, train, settings)
    for note in notes:
        progress(note)
    used = known | settings
    refuse_beyond_memory(name, train, used)
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
    refuse_beyond_memory(name, train, asdict(settings))
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


def refuse_features(name: str, features: Features | None) -> None:
    if features is not None and name not in FEATURED:
        raise InputError(
            f"the model {name!r} knows users and items by who took what alone, so features cannot be given; "
            f"those that take them are {', '.join(FEATURED)}."
        )
