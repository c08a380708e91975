"""Models of the library implicit: factors of ALS, BPR and LMF, and similarities of the item-item models."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from evenhand.errors import InputError
from evenhand.recommenders.protocol import Recommender
from evenhand.recommenders.scores.factors import Factors
from evenhand.recommenders.scores.simple import ItemWeights
from evenhand.recommenders.taken.ids import sorted_ids


def from_implicit(model: Any, user_ids: Any, item_ids: Any, user_items: Any = None) -> Recommender:
    """A fitted model of implicit, as a recommender.

    `user_ids` and `item_ids` are in the order of the rows and columns of the matrix that it was fitted to.
    Item-item models (cosine, TF-IDF, BM25) need that matrix as `user_items`, too, as `recommend` does; an
    item that is like none of the user's has score 0 here, where `recommend` leaves it out.
    """
    if hasattr(model, "similarity"):
        return _from_similarity(model, user_ids, item_ids, user_items)
    if not hasattr(model, "user_factors") or not hasattr(model, "item_factors"):
        raise InputError(f"a {type(model).__name__} has neither factors nor similarities: is it of implicit?")
    if model.user_factors is None or model.item_factors is None:
        raise InputError(f"the {type(model).__name__} is not fitted yet; call its fit first.")
    users, items = _array(model.user_factors), _array(model.item_factors)
    return _from_factors(model, users, items, user_ids, item_ids)


def _from_factors(
    model: Any, users: NDArray[Any], items: NDArray[Any], user_ids: Any, item_ids: Any
) -> Factors:
    """Biases are columns that meet a column of ones: no part of the vectors, as association would see it.

    BPR has one: ones among users, the item's bias among items. LMF has a second, the other way round.
    """
    size, extra = model.factors, users.shape[1] - model.factors
    vectors = users[:, :size], items[:, :size]
    if extra == 0:
        return Factors(user_ids, item_ids, *vectors)
    if extra == 1 and (users[:, size] == 1).all():
        return Factors(user_ids, item_ids, *vectors, items[:, size])
    if extra == 2 and (users[:, size] == 1).all() and (items[:, size + 1] == 1).all():
        return Factors(user_ids, item_ids, *vectors, items[:, size], users[:, size + 1])
    raise InputError(
        f"the {type(model).__name__} has {users.shape[1]} columns for {size} factors, and they are not "
        "biases as in BPR or LMF; pass its arrays to Factors yourself."
    )


def _from_similarity(model: Any, user_ids: Any, item_ids: Any, user_items: Any) -> ItemWeights:
    if model.similarity is None:
        raise InputError(f"the {type(model).__name__} is not fitted yet; call its fit first.")
    if user_items is None:
        raise InputError(
            f"a {type(model).__name__} scores by what a user took: pass that matrix as user_items."
        )
    users, user_places = sorted_ids(user_ids, "user")
    items, item_places = sorted_ids(item_ids, "item")
    taken, similarity = sparse.csr_array(user_items), sparse.csr_array(model.similarity)
    shape = (len(users), len(items))
    if taken.shape != shape or similarity.shape != (len(items), len(items)):
        raise InputError(
            f"user_items is {taken.shape} and the model has {similarity.shape[0]:,} items, but there are "
            f"{shape[0]:,} user ids and {shape[1]:,} item ids."
        )
    return ItemWeights(
        users, items, taken[user_places][:, item_places], similarity[item_places][:, item_places]
    )


def _array(factors: Any) -> NDArray[Any]:
    """Factors that are on a GPU come from there."""
    return np.asarray(factors.to_numpy() if hasattr(factors, "to_numpy") else factors)
