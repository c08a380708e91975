"""Ids of one table among those of another."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from evenhand.arrays import Ints
from evenhand.errors import InputError
from evenhand.parameters import shown


def places_of(ids: Any, known: Any, what: str, where: str, source: str | None = None, todo: str = "") -> Ints:
    """The place of each id among those known; an id that is not there is refused.

    `what` they are of (users), `where` they should be known (the users table), their `source`, and what is
    `todo` where that is more than to add them or leave them out.
    """
    given = pd.Index(ids)
    place = pd.Index(known).get_indexer(given)
    unseen = place < 0
    if unseen.any():
        distinct = given[unseen].unique()
        whose = f"{source}: " if source else ""
        raise InputError(
            f"{whose}{len(distinct):,} {what} are not known to {where}, for example {shown(distinct[0])}; "
            f"{todo or 'add them there, or leave them out'}."
        )
    return place.astype(np.int64)
