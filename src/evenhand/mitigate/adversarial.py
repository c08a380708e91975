"""Train a model that ranks, and whose vectors an adversary cannot read the attribute from."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from evenhand.association import attribute_of
from evenhand.errors import InputError
from evenhand.mitigate.resample import NamedUsers
from evenhand.mitigate.vectors.erase import split_users
from evenhand.mitigate.vectors.mitigated import Mitigated
from evenhand.parameters import function, number, whole, writable_folder
from evenhand.recommenders import Factors
from evenhand.recommenders.fitting.explained import explained
from evenhand.recommenders.fitting.settings import checked_settings
from evenhand.recommenders.taken.interactions import as_interactions
from evenhand.stats.randomness import seed_of


def adversarial_bpr(
    train: Any,
    attribute: Any,
    *,
    weight: float = 0.1,
    hidden: int = 64,
    held_out: float = 0.25,
    missing: str = "refuse",
    rng: int | np.random.Generator = 0,
    device: str | None = None,
    checkpoint: str | Path | None = None,
    progress: Callable[[str], None] = lambda message: None,
    **settings: Any,
) -> Mitigated:
    """BPR on the interactions `train`, with an adversary that guesses `attribute`; needs torch.

    `weight` is what leaving the adversary in the dark is worth beside ranking; `hidden` the width of its one
    layer. `settings` are those of `recommenders.fit("bpr", ...)`. All epochs are run: the weights that rank
    best are those that mind the adversary least. The adversary is not told the value of the users held out,
    nor of those without one. It does not judge either: `compare_embeddings` asks fresh classifiers.

    `device` is that of torch, by default a GPU where there is one. The same seed gives the same model on one
    kind of device. With a `checkpoint` folder, a training that was interrupted goes on.
    """
    weight, hidden = number("weight", weight), whole("hidden", hidden, 1, 100_000)
    share = number("held_out", held_out, 0, 0.9)
    function("progress", progress)
    folder = None if checkpoint is None else writable_folder("checkpoint", checkpoint)
    interactions = as_interactions("train", train)
    people = attribute_of(attribute, NamedUsers(interactions.user_ids), "user_id", missing=missing)
    seed = seed_of(rng)
    takes_part, out = split_users(people.codes, share, seed)
    told = np.full(len(people.codes), -1, dtype=np.int64)
    told[takes_part] = people.codes[takes_part]
    with explained("adversarial BPR"):
        from evenhand.recommenders import training
        from evenhand.recommenders.models import bpr
        from evenhand.recommenders.models.adversarial import AdversarialBPR

        known = [field.name for field in fields(training.TrainingSettings)]
        chosen = replace(bpr.DEFAULTS, **checked_settings("bpr", settings, known))
        place = _device(device)
        model = training.train(
            lambda: AdversarialBPR(interactions, chosen, told, weight, hidden), interactions, None, chosen,
            seed, name=f"adversarial {weight!r} {hidden} {zlib.crc32(told.tobytes())}", device=place,
            checkpoint=folder, progress=progress,
        )  # fmt: skip
    assert isinstance(model, Factors)
    model.history = interactions.matrix()
    return Mitigated(
        recommender=model,
        attribute=people.name,
        method="adversarial_bpr",
        held_out=interactions.user_ids[out],
        same_space=False,
        settings=asdict(chosen)
        | {"weight": weight, "hidden": hidden, "held_out": share, "seed": seed, "device": place},
    )


def _device(given: str | None) -> str:
    import torch

    if given is None:
        return "cuda" if torch.cuda.is_available() else "cpu"
    try:
        torch.zeros(1, device=given)
    except (RuntimeError, AssertionError, TypeError) as error:
        first = str(error).splitlines()[0]
        raise InputError(f"device {given!r} cannot be used by torch here ({first}); leave it out.") from error
    return given
