"""Where candidates, histories and scores come from: tables that were given, or the folder of a model."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from types import FunctionType, MethodType
from typing import Any

import pandas as pd

from evenhand import inputs
from evenhand.errors import InputError
from evenhand.groups.lists.reading import ITEM, USER, read_items
from evenhand.recommenders.adapters import as_recommender, from_callable, from_http, is_endpoint
from evenhand.recommenders.protocol import Recommender
from evenhand.recommenders.stored.storage import CANDIDATES_FILE, load, table_of


def candidates(given: Any, recommender: Any, people: inputs.Table, engine: Any) -> inputs.Table:
    """What was given, or what lies in the folder of a model that was judged by candidates."""
    if given is None and isinstance(recommender, str | Path) and not is_endpoint(recommender):
        given = table_of(recommender, CANDIDATES_FILE)
    if given is None:
        raise InputError(
            "There are no candidates: pass a table of user_id, item_id, label and score, or the folder of a "
            "model that was trained with the split leave-one-out."
        )
    table = inputs.table(given, name="candidates", engine=engine)
    table.require(USER, ITEM)
    inputs.same_key_types(table, people, [USER])
    return table


def model(recommender: Any) -> Recommender | None:
    """A folder, a file of scores or an object as a recommender; None for none, and for a function or an
    endpoint, which knows no ids yet."""
    knows_none = isinstance(recommender, FunctionType | MethodType | partial) or is_endpoint(recommender)
    if recommender is None or knows_none:
        return None
    if isinstance(recommender, str | Path) and not Path(recommender).is_file():
        return load(recommender)
    return as_recommender(recommender)


def history(given: Any, model: Recommender | None, people: inputs.Table, engine: Any) -> inputs.Table | None:
    """The table that was given, or else what the model learnt from."""
    if given is None and model is not None and model.history is not None:
        user, item = model.history.nonzero()
        given = pd.DataFrame({"user_id": model.user_ids[user], "item_id": model.item_ids[item]})
    if given is None:
        return None
    table = inputs.table(given, name="history", engine=engine)
    table.require(USER)
    inputs.same_key_types(table, people, [USER])
    return table


def function_model(function: Any, user_ids: pd.Index, candidates: inputs.Table) -> Recommender:
    """A function knows no ids: it is asked about those of the tables, and not tried out first; an endpoint
    likewise."""
    make = from_http if is_endpoint(function) else from_callable
    return make(function, user_ids, read_items(candidates, None), trial=False)
