"""A model after a mitigation: what any audit takes as a model, and who may judge it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InputError
from evenhand.files import MODEL_FILE, is_model_folder
from evenhand.recommenders import Factors, Interactions
from evenhand.recommenders.stored import storage


@dataclass(frozen=True, eq=False)
class Mitigated:
    """A recommender whose vectors should know less about an attribute.

    `held_out` are the ids of the users whose value of the attribute the mitigation never saw. Only they can
    say what it did: on those it was made by, even noise is taken out. `same_space` says whether the axes are
    those of the model before, as they are after a projection and are not after a training.
    """

    recommender: Factors
    attribute: str
    method: str
    held_out: NDArray[Any]
    same_space: bool
    settings: dict[str, Any]

    def save(self, folder: str | Path) -> None:
        """Write the folder of a model: audits, `recommenders.load` and `compare_embeddings` read it."""
        description = {
            "settings": self.settings,
            "mitigation": {
                "attribute": self.attribute,
                "held_out": self.held_out.tolist(),
                "same_space": self.same_space,
            },
        }
        storage.save(
            folder, self.recommender, name=self.method, history=self._history(), description=description
        )

    def _history(self) -> Interactions:
        model = self.recommender
        user, item = (np.empty(0, dtype=np.int64),) * 2 if model.history is None else model.history.nonzero()
        unknown = np.full(len(user), np.nan)
        return Interactions(
            model.user_ids, model.item_ids, user.astype(np.int64), item.astype(np.int64), unknown, unknown
        )


def who_may_judge(folder: str | Path) -> tuple[NDArray[Any] | None, bool]:
    """`held_out` and `same_space` of a folder that `Mitigated.save` wrote; None and False of any other."""
    if not is_model_folder(folder):
        return None, False
    told = storage.describe(folder).get("mitigation")
    if told is None:
        return None, False
    try:
        return np.asarray(told["held_out"]), bool(told["same_space"])
    except (KeyError, TypeError) as error:
        raise InputError(
            f"{folder}: {MODEL_FILE} does not say whom the mitigation held out; make it again, or "
            "pass held_out."
        ) from error
