"""A recommendation data set as three tables, whatever files it came from."""

from dataclasses import dataclass

import pandas as pd


@dataclass(frozen=True, eq=False)
class Dataset:
    """Who took what, and what is known about both sides. Ids are those of the published files."""

    name: str
    interactions: pd.DataFrame
    """user_id, item_id and, if there are any, rating (float) and timestamp (Int64, or Float64 where
    there are fractions: seconds since 1970 or another number that orders rows; null where not known). One
    row for each pair."""
    users: pd.DataFrame
    """user_id and one column an attribute."""
    items: pd.DataFrame
    """item_id and one column an attribute."""
    notes: tuple[str, ...] = ()
    """What a reader of results must know about these data, in sentences."""
