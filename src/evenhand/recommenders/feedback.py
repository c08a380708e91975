"""The feedback loop: a model trained again and again on what was accepted of its own recommendations.

In each round every user is shown the k best items that are new to the user and accepts some of them, rather
those at the top (probability proportional to exp(-alpha * rank)), and the model is trained from scratch on
everything taken so far (Beattie 2023, Sec. 5.1.3, after Mansoury and others 2020).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from evenhand.errors import InputError
from evenhand.files import content_of, write_together
from evenhand.parameters import LARGEST_SEED, function, number, text, whole, writable_folder
from evenhand.recommenders.protocol import Recommender
from evenhand.recommenders.taken.ids import Codes, refuse_other_ids
from evenhand.recommenders.taken.interactions import Interactions, as_interactions

Fit = Callable[[Interactions, int], Recommender]


@dataclass(frozen=True)
class Round:
    """The state after training in one round; round 0 is the model on the original interactions."""

    number: int
    model: Recommender
    interactions: Interactions


def feedback_loop(
    fit: Fit,
    interactions: Interactions,
    *,
    rounds: int = 5,
    shown: int = 10,
    accepted: int = 5,
    alpha: float = 0.1,
    seed: int = 0,
    after: Callable[[Round], Any] = lambda state: None,
    folder: str | Path | None = None,
    name: str | None = None,
    progress: Callable[[str], None] = lambda message: None,
) -> list[Any]:
    """Run the loop and give back what `after` said of round 0, 1, ..., `rounds`.

    `fit(interactions, seed)` trains any model. `after` may be any audit; with a `folder` its answers must be
    plain (JSON), and a loop that was interrupted goes on after the last finished round. Functions cannot be
    compared, so a loop with a folder has a `name` that says which `fit` and which `after` it has.
    """
    interactions = as_interactions("interactions", interactions)
    for what, value in (("fit", fit), ("after", after), ("progress", progress)):
        function(what, value)
    rounds, shown, alpha = whole("rounds", rounds), whole("shown", shown), number("alpha", alpha)
    accepted = whole("accepted", accepted, 1, shown)
    seed = whole("seed", seed, 0, LARGEST_SEED - rounds)  # each round has the next one
    store = None
    answers: list[Any] = []
    if folder is not None:
        if not name:
            raise InputError(
                "a feedback loop with a folder needs a name (name=...) that says which model and which audit "
                "it is of, as another loop in that folder could not be told from it."
            )
        identity = [text("name", name), rounds, shown, accepted, alpha, seed, interactions.digest()]
        store = _Store(writable_folder("folder", folder), identity, len(interactions))
        answers, interactions = store.resume(interactions)
        if answers:
            progress(f"resumed after round {len(answers) - 1}")
    for round_ in range(len(answers), rounds + 1):
        progress(f"round {round_} of {rounds}: training on {len(interactions):,} interactions")
        model = fit(interactions, seed + round_)
        if not isinstance(model, Recommender):
            raise InputError(f"fit must return a Recommender, but it returned a {type(model).__name__}.")
        refuse_other_ids(interactions, model, ("the interactions", "the model that fit returned"))
        answer = after(Round(round_, model, interactions))
        answers.append(answer if store is None else _plain(answer))
        if round_ < rounds:
            rng = np.random.default_rng([seed, round_])
            interactions = _accept(model, interactions, shown, accepted, alpha, rng)
        if store is not None:
            store.write(answers, interactions)
    return answers


def _plain(answer: Any) -> Any:
    """As it will be read back, so that a loop that is resumed gives the same answers as one that is not."""
    try:
        return json.loads(json.dumps(answer))
    except (TypeError, ValueError) as error:
        raise InputError(f"with a folder, what `after` returns must be plain JSON ({error}).") from error


def _accept(
    model: Recommender,
    interactions: Interactions,
    shown: int,
    accepted: int,
    steepness: float,
    rng: np.random.Generator,
) -> Interactions:
    """The interactions with what users accept of the model's best new items."""
    users = np.arange(len(interactions.user_ids))
    items, _ = model.top(users, shown, exclude=interactions.matrix())
    # The largest of -s rank + Gumbel noise are a draw without replacement with weights exp(-s rank).
    keys = -steepness * np.arange(1, items.shape[1] + 1) + rng.gumbel(size=items.shape)
    keys[items < 0] = -np.inf
    chosen = np.argsort(-keys, axis=1)[:, :accepted]
    new_items = np.take_along_axis(items, chosen, axis=1)
    new_users = np.repeat(users[:, None], new_items.shape[1], axis=1)
    keep = new_items >= 0
    return _extended(interactions, new_users[keep], new_items[keep])


def _extended(interactions: Interactions, user: Codes, item: Codes) -> Interactions:
    unknown = np.full(len(user), np.nan)
    return Interactions(
        interactions.user_ids,
        interactions.item_ids,
        np.concatenate([interactions.user, user]),
        np.concatenate([interactions.item, item]),
        np.concatenate([interactions.rating, unknown]),
        np.concatenate([interactions.time, unknown]),
    )


class _Store:
    """What is finished: the answers, and what was accepted beyond the original interactions."""

    def __init__(self, folder: Path, identity: list[Any], original: int) -> None:
        self.path, self.identity, self.original = folder / "feedback.json", identity, original

    def resume(self, interactions: Interactions) -> tuple[list[Any], Interactions]:
        if not self.path.exists():
            return [], interactions
        try:
            content = json.loads(content_of(self.path).decode())
            stored, answers = content["identity"], content["answers"]
            pairs = np.array([content["user"], content["item"]]).reshape(2, -1)
        except (KeyError, TypeError, ValueError, RecursionError) as error:
            raise self._damaged(str(error)) from error
        if stored != self.identity:
            raise InputError(
                f"{self.path} belongs to a loop with another name, or with other settings or data; use "
                "another folder."
            )
        sides = np.array([[len(interactions.user_ids)], [len(interactions.item_ids)]])
        if not isinstance(answers, list) or len(answers) > self.identity[1] + 1:
            raise self._damaged("the answers are not a list with one for each round")
        if pairs.size and (pairs.dtype.kind != "i" or ((pairs < 0) | (pairs >= sides)).any()):
            raise self._damaged("what was accepted are not places of users and items")
        return answers, _extended(interactions, *pairs.astype(np.int64))

    def _damaged(self, why: str) -> InputError:
        return InputError(f"{self.path} is damaged ({why}); delete it to begin anew.")

    def write(self, answers: list[Any], interactions: Interactions) -> None:
        content = {
            "identity": self.identity,
            "answers": answers,
            "user": interactions.user[self.original :].tolist(),
            "item": interactions.item[self.original :].tolist(),
        }
        write_together(self.path.parent, {self.path.name: json.dumps(content)})
