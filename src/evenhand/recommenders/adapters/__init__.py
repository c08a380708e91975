"""Other people's recommenders, seen through the protocol; each library is imported only when it is used."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from evenhand.errors import InputError
from evenhand.files import is_model_folder
from evenhand.recommenders.adapters.callables import from_callable
from evenhand.recommenders.adapters.endpoints import from_http, is_endpoint
from evenhand.recommenders.adapters.implicit_models import from_implicit
from evenhand.recommenders.adapters.lenskit_pipelines import from_lenskit, is_item_lists
from evenhand.recommenders.adapters.list_files import from_file, their_names
from evenhand.recommenders.adapters.tables import from_table
from evenhand.recommenders.adapters.torch_modules import from_torch
from evenhand.recommenders.adapters.trec import accuracy, from_trec
from evenhand.recommenders.adapters.vectors import from_vectors
from evenhand.recommenders.protocol import Recommender
from evenhand.recommenders.stored.storage import load

__all__ = [
    "accuracy",
    "as_recommender",
    "from_callable",
    "from_file",
    "from_http",
    "from_implicit",
    "from_lenskit",
    "from_table",
    "from_torch",
    "from_trec",
    "from_vectors",
    "is_endpoint",
    "model_in",
    "their_names",
]


def as_recommender(
    model: Any, *, user_ids: Any = None, item_ids: Any = None, user_items: Any = None
) -> Recommender:
    """`model` as a recommender, by its type; the functions above have more options.

    A Recommender is itself; the folder of a model that `evenhand train` wrote, a pair (user vectors, item
    vectors), a model of implicit, a LensKit pipeline or its item lists, a torch module, a function of users
    and items, the address of an endpoint (`from_http`), a file of scores or lists of another tool, or else a
    table of scores or ranks.
    """
    known = model_in(model)
    if known is not None:
        return known
    if isinstance(model, tuple | list) and not _one_table(model):
        if len(model) != 2:
            raise InputError(
                f"a {type(model).__name__} of {len(model)} is no recommender; give two arrays, the vectors "
                "of users and those of items."
            )
        return from_vectors(*model, user_ids=user_ids, item_ids=item_ids)
    # By the names of its base classes, so that no library is imported to find out that it is another's.
    libraries = {base.__module__.split(".")[0] for base in type(model).__mro__}
    if is_item_lists(model):
        return from_table(model.to_df(), user_ids=user_ids, item_ids=item_ids)
    if "lenskit" in libraries:
        return from_lenskit(model, user_ids=user_ids, item_ids=item_ids)
    if isinstance(model, str | Path) and Path(model).is_file():
        return from_file(model, user_ids=user_ids, item_ids=item_ids)
    if not callable(model) and "implicit" not in libraries and not is_endpoint(model):
        return from_table(model, user_ids=user_ids, item_ids=item_ids)
    if user_ids is None or item_ids is None:
        what = "an endpoint" if is_endpoint(model) else f"a {type(model).__name__}"
        raise InputError(f"{what} does not know the ids of its users and items: pass user_ids and item_ids.")
    if "implicit" in libraries:
        return from_implicit(model, user_ids, item_ids, user_items)
    if is_endpoint(model):
        return from_http(model, user_ids, item_ids)
    if "torch" in libraries:
        return from_torch(model, user_ids, item_ids)
    return from_callable(model, user_ids, item_ids)


def model_in(given: Any) -> Recommender | None:
    """A recommender, or the one that was saved in a folder; None for anything else."""
    if isinstance(given, Recommender):
        return given
    return load(given) if is_model_folder(given) else None


def _one_table(parts: tuple[Any, ...] | list[Any]) -> bool:
    """Whether these are the files of one table; a pair (users.npy, items.npy) is not."""
    is_pair = isinstance(parts, tuple) and len(parts) == 2
    return len(parts) > 0 and not is_pair and all(isinstance(part, str | Path) for part in parts)
