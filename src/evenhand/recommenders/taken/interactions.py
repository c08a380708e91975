"""Who interacted with what, as integer codes that index the original ids."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from evenhand.errors import InputError
from evenhand.inputs import numbers_of
from evenhand.parameters import shown
from evenhand.recommenders.taken.ids import Codes, refuse_odd_ids


@dataclass(frozen=True)
class Interactions:
    """Positive interactions: row r says that `user_ids[user[r]]` took `item_ids[item[r]]`.

    Ids are sorted and distinct; parts of a split share them, so that codes mean the same in all parts.
    `time` is NaN where it is not known, `rating` NaN where there is none.
    """

    user_ids: NDArray[Any]
    item_ids: NDArray[Any]
    user: Codes
    item: Codes
    rating: NDArray[np.float64]
    time: NDArray[np.float64]

    @classmethod
    def from_frame(cls, frame: pd.DataFrame) -> Interactions:
        """From columns user_id, item_id and, if there, rating and timestamp; one row a pair."""
        if not isinstance(frame, pd.DataFrame):
            raise InputError(f"interactions: a {type(frame).__name__} is not a pandas DataFrame.")
        for column in ("user_id", "item_id"):
            if column not in frame.columns:
                known = ", ".join(map(str, frame.columns))
                raise InputError(f"interactions: there is no column {column!r}. It has: {known}.")
        if frame.columns.duplicated().any():
            twice = frame.columns[frame.columns.duplicated()][0]
            raise InputError(f"interactions: there are two columns {twice!r}; keep one.")
        for column in ("user_id", "item_id"):
            if frame[column].isna().any():
                raise InputError(
                    f"interactions: column {column!r} is empty in {frame[column].isna().sum():,} of "
                    f"{len(frame):,} rows. Drop those rows."
                )
        if len(frame) == 0:
            raise InputError("interactions: there are no rows, so there is nothing to learn from.")
        users, items = _ids(frame["user_id"]), _ids(frame["item_id"])
        repeated = frame.duplicated(["user_id", "item_id"])
        if repeated.any():
            example = frame[repeated].iloc[0]
            raise InputError(
                f"interactions: {repeated.sum():,} of {len(frame):,} rows repeat a pair, for example "
                f"user_id={shown(example['user_id'])}, item_id={shown(example['item_id'])}. "
                "Keep one row for each pair."
            )
        user_ids, user = np.unique(users, return_inverse=True)
        item_ids, item = np.unique(items, return_inverse=True)
        return cls(user_ids, item_ids, user, item, _column(frame, "rating"), _column(frame, "timestamp"))

    def digest(self) -> str:
        """A fingerprint of ids, rows and their times, to tell whether two runs are about the same data."""
        content = hashlib.sha256()
        for ids in (self.user_ids, self.item_ids):
            content.update("\0".join(map(str, ids.tolist())).encode())
        for codes in (self.user, self.item):
            content.update(codes.astype(np.int64).tobytes())
        if not np.isnan(self.time).all():
            content.update(self.time.tobytes())
        return content.hexdigest()[:16]

    def __len__(self) -> int:
        return len(self.user)

    def rows(self, chosen: NDArray[Any]) -> Interactions:
        """These rows (a mask or positions), with the same ids."""
        return replace(
            self,
            user=self.user[chosen],
            item=self.item[chosen],
            rating=self.rating[chosen],
            time=self.time[chosen],
        )

    def matrix(self) -> sparse.csr_array:
        """Users x items, 1 where there is an interaction."""
        ones = np.ones(len(self), dtype=np.float32)
        shape = (len(self.user_ids), len(self.item_ids))
        return sparse.csr_array((ones, (self.user, self.item)), shape=shape)

    def frame(self) -> pd.DataFrame:
        """The rows with their original ids."""
        columns = {"user_id": self.user_ids[self.user], "item_id": self.item_ids[self.item]}
        for name, values in (("rating", self.rating), ("timestamp", self.time)):
            if not np.isnan(values).all():
                columns[name] = values
        return pd.DataFrame(columns)


def as_interactions(name: str, value: Any) -> Interactions:
    """`value` as it is, or from a table."""
    if isinstance(value, Interactions):
        return value
    if isinstance(value, pd.DataFrame):
        return Interactions.from_frame(value)
    raise InputError(f"{name} is a {type(value).__name__}, but must be Interactions or a pandas DataFrame.")


def _ids(values: pd.Series) -> NDArray[Any]:
    """Ids as numbers or text: objects of other kinds (decimals) would sort one way here and another once they
    are stored. A mixture is refused, as 1 and "1" would become one id."""
    ids = values.infer_objects().to_numpy()
    refuse_odd_ids(ids, f"interactions: ids in column {values.name!r}")
    if ids.dtype != object:
        return ids
    first = {type(value): value for value in ids[::-1]}  # the first of each kind
    unusable = [kind.__name__ for kind in first if kind.__hash__ is None]
    if unusable:
        raise InputError(
            f"interactions: column {values.name!r} holds a {unusable[0]}; ids must be text or numbers."
        )
    if len(first) > 1:
        examples = " and ".join(map(repr, list(first.values())[:2]))
        raise InputError(
            f"interactions: column {values.name!r} holds values of {len(first)} types, for example "
            f"{examples}; make them all text or all numbers."
        )
    return ids.astype(str)


def _column(frame: pd.DataFrame, name: str) -> NDArray[np.float64]:
    """NaN where it is empty, or not there at all."""
    if name not in frame.columns:
        return np.full(len(frame), np.nan)
    return numbers_of(frame[name], "interactions")
