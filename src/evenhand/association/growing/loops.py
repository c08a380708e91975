"""A feedback loop, run several times over and then audited for amplification."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from evenhand.association.amplification import amplification
from evenhand.association.growing.states import OfLoops
from evenhand.errors import InputError
from evenhand.parameters import choice, whole, writable_folder
from evenhand.recommenders import Interactions, feedback_loop
from evenhand.recommenders import fit as train
from evenhand.recommenders.feedback import Fit, Round
from evenhand.recommenders.fitting.names import DEEP, MODELS
from evenhand.recommenders.stored.kinds import spoken
from evenhand.recommenders.taken.interactions import as_interactions
from evenhand.recommenders.taken.splits import random_split
from evenhand.results import AuditResult
from evenhand.stats.randomness import seed_of


def feedback(
    fit: str | Fit,
    interactions: Any,
    attribute: Any,
    item_groups: Any,
    *,
    rounds: int = 5,
    trainings: int = 3,
    shown: int = 10,
    accepted: int = 5,
    acceptance: float = 0.1,
    settings: Mapping[str, Any] | None = None,
    folder: str | Path | None = None,
    rng: int | np.random.Generator = 0,
    progress: Callable[[str], None] = lambda message: None,
    **audited: Any,
) -> AuditResult:
    """Run a feedback loop and audit whether association grew from round 0 to the last.

    `fit` is the name of a model (bpr, als, ..., with its `settings`) or a function of interactions and a
    seed. In each round users accept `accepted` of the `shown` best items, rank r with a weight of
    exp(-acceptance * r), and the model is trained from scratch (`recommenders.feedback_loop`). The whole loop
    runs `trainings` times with different seeds, as one run cannot tell growth from the noise of training.
    With a `folder`, vectors are kept there, and a run that was interrupted goes on after its last round.
    The other arguments are those of `amplification`.
    """
    data = as_interactions("interactions", interactions)
    maker, name = (_named(fit, settings or {}), fit) if isinstance(fit, str) else (fit, "function")
    if not isinstance(fit, str) and settings:
        raise InputError("settings are for a model that is named; a function has its own.")
    runs = whole("trainings", trainings, 1, 1_000)
    rounds = whole("rounds", rounds, 1, 1_000)
    seed = seed_of(rng)
    seeds = np.random.SeedSequence(seed).generate_state(runs)
    home = None if folder is None else writable_folder("folder", folder)
    loops = []
    for run in range(runs):
        own = None if home is None else home / f"training-{run}"
        loops.append(
            feedback_loop(
                maker, data, rounds=rounds, shown=shown, accepted=accepted, alpha=acceptance,
                seed=int(seeds[run]), after=_vectors if own is None else _kept_in(own), folder=own,
                name=None if own is None else f"{name} {dict(settings or {})}",
                progress=partial(_in_run, progress, run, runs),
            )
        )  # fmt: skip
    states = OfLoops(
        [_opened(loop[number], home, run) for run, loop in enumerate(loops)] for number in range(rounds + 1)
    )
    if home is None:
        audited = {"user_ids": data.user_ids, "item_ids": data.item_ids} | audited
    return amplification(states, attribute, item_groups, rng=seed, progress=progress, **audited)


def _in_run(progress: Callable[[str], None], run: int, runs: int, message: str) -> None:
    progress(f"training {run + 1} of {runs}, {message}")


def _named(name: str, settings: Mapping[str, Any]) -> Fit:
    choice("fit", name, MODELS)

    def maker(interactions: Interactions, seed: int) -> Any:
        if name not in DEEP:  # these do not look at a validation part, and are better for all the data
            return train(name, interactions, interactions, seed, **settings)[0]
        parts = random_split(interactions, np.random.default_rng(seed), (0.9, 0.1, 0.0))
        return train(name, parts.train, parts.valid, seed, **settings)[0]

    return maker


def _vectors(state: Round) -> tuple[Any, Any]:
    found = state.model.embeddings
    if found is None:
        raise InputError(
            f"{spoken(state.model)} has no vectors of users and items, so there is nothing in which an "
            "attribute could be looked for; choose a model with factors."
        )
    if not found.shared_space:
        raise InputError(
            f"users and items of {spoken(state.model)} do not share a space; choose another model."
        )
    return found.items, found.users


def _kept_in(folder: Path) -> Callable[[Round], str]:
    def keep(state: Round) -> str:
        items, users = _vectors(state)
        file = folder / f"round-{state.number}.npz"
        folder.mkdir(parents=True, exist_ok=True)
        np.savez(
            file, item_vectors=items, user_vectors=users, item_ids=state.model.item_ids,
            user_ids=state.model.user_ids,
        )  # fmt: skip
        return file.name

    return keep


def _opened(answer: Any, home: Path | None, run: int) -> tuple[Any, Any]:
    if home is None:
        items, users = answer
        return items, users
    file = home / f"training-{run}" / str(answer)
    return file, file
