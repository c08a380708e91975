"""The group of every user, from labels or a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evenhand import inputs
from evenhand.about import combined
from evenhand.arrays import Ints
from evenhand.documents import Fingerprint
from evenhand.envy.reading import USER
from evenhand.errors import InputError
from evenhand.inputs import given
from evenhand.inputs.given import Things
from evenhand.parameters import shown


@dataclass(frozen=True)
class UserGroups:
    """The group of each user by number, their names, what they are groups of, and the table they are from."""

    codes: Ints
    names: tuple[str, ...]
    by: str
    fingerprint: Fingerprint | None


def read_groups(
    groups: Any, group: str | Sequence[str] | None, user_ids: NDArray[Any], engine: Any, numbered: bool
) -> UserGroups:
    """`numbered`: the users have no ids but their places."""
    fingerprint = None
    columns = [group] if isinstance(group, str) else group
    if columns is not None:
        whole = isinstance(columns, list | tuple) and all(isinstance(name, str) for name in columns)
        if not whole or not columns or USER in columns or len(set(columns)) < len(columns):
            raise InputError(
                f"group is {shown(group)}, but must be a column of groups, or several different ones."
            )
    listed = isinstance(groups, list | tuple | np.ndarray | pd.Series) and not _are_paths(groups)
    if listed:
        if columns is not None:
            raise InputError("groups are a label for each user, so leave group, a column of a table, out.")
        users = Things.of("users", len(user_ids) if numbered else user_ids)
        cells = given.labels("groups", given.values("groups", groups, users), users.name)
        labels, by = pd.Series(cells, dtype=object), "group"
    else:
        table = inputs.table(groups, name="groups", engine=engine)
        table.require(USER)
        others = [column for column in table.columns if column != USER]
        names = list(columns or others)
        if group is None and len(others) != 1:
            raise InputError(
                f"groups: say which column makes the groups; it has: {', '.join(others) or 'none'}."
            )
        table = inputs.as_groups(table, *names)
        inputs.unique_key(table, [USER])
        frame = table.run(table.expr.select(USER, *names))
        fingerprint = table.fingerprint(len(frame))
        place = inputs.places_of(user_ids, frame[USER], "users", "groups", "preferences")
        chosen = frame.iloc[place]
        labels, by = chosen[names].agg(_joined, axis=1).reset_index(drop=True), ", ".join(names)
    if labels.isna().any():
        raise InputError(
            f"groups: {int(labels.isna().sum()):,} of {len(labels):,} users have no group; give them one, "
            "such as 'unknown', or leave these users out."
        )
    codes, names_found = pd.factorize(labels.astype(str), sort=True)
    inputs.told_apart("groups", names_found)
    if len(names_found) < 2:
        raise InputError("groups: all users are in one group, so no group can envy another.")
    return UserGroups(codes.astype(np.int64), tuple(map(str, names_found)), by, fingerprint)


def _joined(row: pd.Series) -> Any:
    if row.isna().any():
        return None
    words = [inputs.word(value) for value in row]
    return words[0] if len(words) == 1 else combined(words)


def _are_paths(value: Any) -> bool:
    return np.ndim(value) == 1 and len(value) > 0 and all(isinstance(part, Path) for part in value)
