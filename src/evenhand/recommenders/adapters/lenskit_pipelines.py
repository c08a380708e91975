"""Trained pipelines of LensKit (2025 and later), as recommenders."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InputError
from evenhand.recommenders.adapters.libraries import library
from evenhand.recommenders.adapters.missing import check_missing, refuse_unscored
from evenhand.recommenders.protocol import Embeddings, Recommender, Scores
from evenhand.recommenders.taken.ids import Codes, sorted_ids


class LensKitScores(Recommender):
    """What the scorer of a pipeline says about a user and all items; items it leaves out are not listed."""

    def __init__(self, pipeline: Any, scorer: str, user_ids: Any, item_ids: Any, missing: str) -> None:
        self.user_ids, _ = sorted_ids(user_ids, "user")
        self.item_ids, _ = sorted_ids(item_ids, "item")
        self.pipeline, self.scorer, self.missing = pipeline, scorer, check_missing(missing)
        self._items = library("lenskit.data").ItemList(item_ids=self.item_ids)

    def score_block(self, users: Codes) -> Scores:
        query = library("lenskit.data").RecQuery
        scores = np.empty((len(users), len(self.item_ids)), dtype=np.float32)
        for row, user in enumerate(self.user_ids[users]):
            answer = self.pipeline.run(self.scorer, query=query(user_id=user), items=self._items)
            found = None if answer is None else answer.scores()
            if found is None or len(found) != len(self.item_ids):
                raise InputError(
                    f"the component {self.scorer!r} of the pipeline does not give one score an item."
                )
            scores[row] = found
        return np.where(np.isnan(scores), -np.inf, scores)  # LensKit's word for no score is NaN

    def score_pairs(self, user: Codes, item: Codes) -> Scores:
        scores = super().score_pairs(user, item)
        return refuse_unscored(scores, "the pipeline") if self.missing == "refuse" else scores

    @property
    def embeddings(self) -> Embeddings | None:
        """Vectors of ALS as trained; None for other scorers, and where LensKit was told not to keep them.

        By default LensKit solves for a user's vector again at each query, from the history: scores are then
        products with that one, which differs a little from the trained vector.
        """
        model = self.pipeline.component(self.scorer)
        if (
            not isinstance(model, library("lenskit.als").ALSBase)
            or model.users is None
            or model.user_embeddings is None
        ):
            return None
        users = model.users.numbers(self.user_ids, missing="negative")
        items = model.items.numbers(self.item_ids, missing="negative")
        if (users < 0).any() or (items < 0).any():
            return None  # a user or item that was added after training has no vector
        vectors = (np.asarray(m, dtype=np.float32) for m in (model.user_embeddings, model.item_embeddings))
        user_vectors, item_vectors = vectors
        return Embeddings(user_vectors[users], item_vectors[items], shared_space=True)


def from_lenskit(
    pipeline: Any,
    *,
    user_ids: Any = None,
    item_ids: Any = None,
    scorer: str = "scorer",
    missing: str = "refuse",
) -> LensKitScores:
    """A recommender from a trained pipeline with inputs `query` and `items`, such as `topn_pipeline` makes.

    Users and items are those of training unless given. `missing` says what `score` does with pairs that the
    scorer leaves out: refuse, or minus infinity.
    """
    if not isinstance(pipeline, library("lenskit.pipeline").Pipeline):
        raise InputError(f"a {type(pipeline).__name__} is not a LensKit pipeline; pass one that is trained.")
    if pipeline.node(scorer, missing="none") is None:
        known = ", ".join(node.name for node in _nodes(pipeline))
        raise InputError(f"the pipeline has no component {scorer!r}; it has: {known}.")
    users = _trained_ids(pipeline, "user") if user_ids is None else user_ids
    items = _trained_ids(pipeline, "item") if item_ids is None else item_ids
    return LensKitScores(pipeline, scorer, users, items, missing)


def is_item_lists(given: Any) -> bool:
    """Whether this is a collection of item lists, what a pipeline recommended to many users."""
    return any(base.__name__ == "ItemListCollection" for base in type(given).__mro__)


def _nodes(pipeline: Any) -> list[Any]:
    """A property in some releases, a method in others."""
    return list(pipeline.nodes() if callable(pipeline.nodes) else pipeline.nodes)


def _trained_ids(pipeline: Any, what: str) -> NDArray[Any]:
    """From any component that remembers them: scorers keep vocabularies, the history lookup a matrix."""
    for node in _nodes(pipeline):
        component = pipeline.component(node)
        history = getattr(component, "interactions", None)
        side = "row_vocabulary" if what == "user" else "col_vocabulary"
        for vocabulary in (getattr(history, side, None), getattr(component, f"{what}s", None)):
            if vocabulary is not None and hasattr(vocabulary, "ids"):
                return np.asarray(vocabulary.ids())
    raise InputError(f"the pipeline does not know its {what}s; train it first, or pass {what}_ids.")
