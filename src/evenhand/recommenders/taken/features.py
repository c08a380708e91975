"""What a model is told about users and items besides who took what: categories, as codes a field.

Every user and item has its id as a field of its own. An attribute has a code for each of its values, and 0
for those of whom it is not known: somebody without an entry is served too, and an audit must see how.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evenhand.errors import InputError
from evenhand.parameters import shown
from evenhand.recommenders.taken.categories import Category, category, looks_categorical
from evenhand.recommenders.taken.interactions import Interactions

# A column with more values is taken only where it is named: it tells one user from another as an id does.
FEW = 50
# The code of an attribute that is not known.
UNKNOWN = 0
# What fills the rows of a field with several values, where there are fewer.
NOTHING = -1


@dataclass(frozen=True, eq=False)
class Field:
    """One attribute of all users, or of all items: `codes` has a row for each, one code a value it has."""

    name: str
    of: str  # user or item
    values: tuple[str, ...]  # that of the code 1 first; an id has none, and its own place as its code
    codes: NDArray[np.int32]  # (users or items, most values of one), NOTHING where there are fewer
    size: int  # how many codes there are

    @property
    def several(self) -> bool:
        """Whether it is a bag of values, such as genres."""
        return self.codes.shape[1] > 1


@dataclass(frozen=True, eq=False)
class Features:
    """The fields of users, then those of items, the id first in each; `notes` says what was chosen."""

    users: tuple[Field, ...]
    items: tuple[Field, ...]
    notes: tuple[str, ...] = ()

    @classmethod
    def ids(cls, interactions: Interactions) -> Features:
        """No attributes."""
        return cls(
            (id_field("user", len(interactions.user_ids)),), (id_field("item", len(interactions.item_ids)),)
        )

    @classmethod
    def of(
        cls,
        interactions: Interactions,
        users: pd.DataFrame | None = None,
        items: pd.DataFrame | None = None,
        columns: Sequence[str] | None = None,
    ) -> Features:
        """From tables with user_id and item_id: these columns, wherever they are, as fields.

        Without `columns`, all that hold text, yes and no, or lists of text, and 2 to 50 values, each of two
        users or items on average. Numbers are taken where they are named and whole: a count or an age in
        years is no category.
        """
        sides = {"user": users, "item": items}
        plain = cls.ids(interactions)
        tables = {
            of: _aligned(table, of, getattr(interactions, f"{of}_ids"))
            for of, table in sides.items()
            if table is not None
        }
        names = None if columns is None else _names(columns, tables)
        found: dict[str, list[Field]] = {"user": list(plain.users), "item": list(plain.items)}
        notes: list[str] = []
        for of, (table, present) in tables.items():
            chosen = _few(table) if names is None else [name for name in names if name in table.columns]
            if chosen and not present.all():
                notes.append(
                    f"{(~present).sum():,} of {len(present):,} {of}s are not in the table of {of}s: their "
                    "features are 'unknown'."
                )
            for name in chosen:
                field = _field(category(table[name], f"{of}s"), name, of)
                found[of].append(field)
                missing = int((field.codes[present, 0] == UNKNOWN).sum())
                if missing:
                    notes.append(f"{name} is 'unknown' for {missing:,} of {len(present):,} {of}s.")
        told = [f"{field.name} ({len(field.values)} values)" for of in found for field in found[of][1:]]
        notes.insert(0, f"Features besides the ids: {', '.join(told) if told else 'none'}.")
        return cls(tuple(found["user"]), tuple(found["item"]), tuple(notes))

    @property
    def fields(self) -> tuple[Field, ...]:
        return self.users + self.items

    @property
    def names(self) -> list[str]:
        """The attributes, each as user.NAME or item.NAME."""
        return [f"{field.of}.{field.name}" for field in self.fields if field.values]

    @property
    def starts(self) -> list[int]:
        """Where the codes of each field begin, if all are put into one table."""
        sizes = [field.size for field in self.fields]
        return [sum(sizes[:place]) for place in range(len(sizes))]

    @property
    def size(self) -> int:
        """The codes of all fields together."""
        return sum(field.size for field in self.fields)

    def digest(self) -> str:
        """A fingerprint, to tell whether two runs are about the same features."""
        content = hashlib.sha256()
        for field in self.fields:
            content.update(repr((field.name, field.of, field.values, field.codes.shape)).encode())
            content.update(field.codes.tobytes())
        return content.hexdigest()[:16]


def as_features(value: Any, interactions: Interactions) -> Features:
    """`value` if it belongs to these interactions; ids alone if it is None."""
    if value is None:
        return Features.ids(interactions)
    if not isinstance(value, Features):
        raise InputError(
            f"features is a {type(value).__name__}, but must be Features, such as Features.of(interactions, "
            "users, items)."
        )
    for of, ids in (("user", interactions.user_ids), ("item", interactions.item_ids)):
        side = value.users if of == "user" else value.items
        if any(len(field.codes) != len(ids) for field in side):
            raise InputError(
                f"features are about {len(side[0].codes):,} {of}s, but there are {len(ids):,}: make them "
                "from the same interactions."
            )
    return value


def id_field(of: str, count: int) -> Field:
    return Field(f"{of}_id", of, (), np.arange(count, dtype=np.int32)[:, None], count)


def _aligned(table: Any, of: str, ids: NDArray[Any]) -> tuple[pd.DataFrame, NDArray[np.bool_]]:
    """The rows in the order of `ids`, and which of them there are."""
    key = f"{of}_id"
    if not isinstance(table, pd.DataFrame):
        raise InputError(f"{of}s: a {type(table).__name__} is not a pandas DataFrame.")
    if key not in table.columns:
        raise InputError(f"{of}s: there is no column {key!r}. It has: {', '.join(map(str, table.columns))}.")
    if table.columns.duplicated().any():
        raise InputError(
            f"{of}s: there are two columns {table.columns[table.columns.duplicated()][0]!r}; keep one."
        )
    repeated = table[key].duplicated()
    if repeated.any():
        raise InputError(
            f"{of}s: {repeated.sum():,} rows repeat a {key}, for example "
            f"{shown(table.loc[repeated, key].iloc[0])}; keep one row for each {of}."
        )
    place = pd.Index(table[key].to_numpy()).get_indexer(pd.Index(ids))
    present = place >= 0
    if not present.any():
        raise InputError(
            f"{of}s: none of the {len(ids):,} {of}s of the interactions is in this table (such as "
            f"{ids.tolist()[0]!r}, where the table has {table[key].tolist()[:1]}); ids must be written alike."
        )
    rows = table.drop(columns=key).iloc[np.maximum(place, 0)].reset_index(drop=True)
    return rows.where(pd.Series(present), None), present


def _names(columns: Any, tables: dict[str, tuple[pd.DataFrame, Any]]) -> list[str]:
    if isinstance(columns, str) or not isinstance(columns, Iterable):
        raise InputError(f"features are {columns!r}, but must be a list of names of columns.")
    names = list(dict.fromkeys(columns))
    known = [str(column) for table, _ in tables.values() for column in table.columns]
    for name in names:
        if name not in known:
            there = ", ".join(dict.fromkeys(known)) if known else "none, as there are no attributes"
            raise InputError(f"there is no feature {name!r} of users or items. There is: {there}.")
    return names


def _few(table: pd.DataFrame) -> list[str]:
    """Columns that are categories without a doubt; in small data, titles are few, but nobody shares them."""
    return [name for name in table.columns if looks_categorical(table[name]) and _shared(table[name])]


def _shared(column: pd.Series) -> bool:
    found = category(column, "")
    return 2 <= len(found.values) <= min(FEW, (found.codes > UNKNOWN).sum() / 2)


def _field(found: Category, name: str, of: str) -> Field:
    return Field(name, of, found.values, found.codes, len(found.values) + 1)
