"""Where candidates, histories and scores come from: tables that were given, or the folder of a model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from evenhand import inputs
from evenhand.errors import InputError
from evenhand.recommenders.adapters import as_recommender
from evenhand.recommenders.protocol import Recommender
from evenhand.recommenders.storage import CANDIDATES_FILE, load


def candidates(given: Any, recommender: Any, engine: Any) -> inputs.Table:
    """What was given, or what lies in the folder of a model that was judged by candidates."""
    if given is None and isinstance(recommender, str | Path):
        beside = Path(recommender) / CANDIDATES_FILE
        given = beside if beside.exists() else None
    if given is None:
        raise InputError(
            "There are no candidates: pass a table of user_id, item_id, label and score, or the folder of a "
            "model that was trained with the split leave-one-out."
        )
    return inputs.table(given, name="candidates", engine=engine)


def model(recommender: Any) -> Recommender | None:
    if recommender is None:
        return None
    return load(recommender) if isinstance(recommender, str | Path) else as_recommender(recommender)


def history(given: Any, model: Recommender | None, engine: Any) -> inputs.Table | None:
    """The table that was given, or else what the model learnt from."""
    if given is None and model is not None and model.history is not None:
        user, item = model.history.nonzero()
        given = pd.DataFrame({"user_id": model.user_ids[user], "item_id": model.item_ids[item]})
    return None if given is None else inputs.table(given, name="history", engine=engine)
