"""What is known about entities: the value of an attribute, and the groups that an entity is in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evenhand import inputs
from evenhand.about import Parts
from evenhand.arrays import Ints
from evenhand.association.directions.contrasts import several_values
from evenhand.association.vectors.sources import Entities
from evenhand.documents import Fingerprint
from evenhand.errors import InputError
from evenhand.inputs.given import Things, memberships
from evenhand.parameters import choice

FEWEST = 4  # two on either half, the fewest that have a spread
MISSING = ("refuse", "exclude")
MOST_GROUPS = 500


class Named(Protocol):
    """Entities as far as labels are concerned: what they are called, and their ids in order."""

    @property
    def name(self) -> str: ...
    @property
    def ids(self) -> NDArray[Any]: ...


@dataclass(frozen=True, eq=False)
class Entries:
    """What was given for each entity, in the order of its vectors; None where nothing was.

    `by_order`: the vectors have no ids, so that the rows of the table were taken in their order.
    """

    name: str
    values: list[Any]
    fingerprint: Fingerprint | None = None
    by_order: bool = False


@dataclass(frozen=True, eq=False)
class Attribute:
    """A code for each entity, -1 where the value is missing, and a word for each code."""

    codes: Ints
    words: tuple[str, ...]
    known: Entries

    @property
    def name(self) -> str:
        return self.known.name

    @property
    def empty(self) -> int:
        return int((self.codes < 0).sum())


@dataclass(frozen=True, eq=False)
class Groups:
    """Which entity (row) is in which group (column); one entity may be in several."""

    names: tuple[str, ...]
    membership: NDArray[np.bool_]
    known: Entries | None = None

    def about(self, name: str) -> Parts:
        """The group of this name, by what the groups are called by, where that is known."""
        return {"group" if self.known is None else self.known.name: name}

    def only(self, first: int, second: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """The members of each that are not in the other: what is in both would be compared with itself."""
        ours, theirs = self.membership[:, first], self.membership[:, second]
        return ours & ~theirs, theirs & ~ours

    def pairs(self, named: Any = None) -> list[tuple[int, int]]:
        """Places of the two groups of each pair that is named, or of all pairs."""
        if named is None:
            return list(combinations(range(len(self.names)), 2))
        if not isinstance(named, Iterable) or isinstance(named, str):
            raise InputError(f"pairs is {named!r}, but must list pairs of names of groups.")
        place = {name: column for column, name in enumerate(self.names)}
        found = []
        for pair in named:
            if (
                isinstance(pair, str)
                or not isinstance(pair, Sequence)
                or len(pair) != 2
                or pair[0] == pair[1]
            ):
                raise InputError(f"pairs has {pair!r}, but each must be the names of two groups.")
            for one in pair:
                if str(one) not in place:
                    raise InputError(f"pairs names {one!r}; the groups are {', '.join(self.names[:20])}.")
            found.append((place[str(pair[0])], place[str(pair[1])]))
        return found


def attribute_of(given: Any, people: Named, key: str, *, toward: Any = None, missing: str) -> Attribute:
    """The attribute of each entity: an array in the order of the vectors, a mapping or Series by id, a pair
    (table, column), or text such as "users.parquet:gender"."""
    choice("missing", missing, MISSING)
    entries = _kept(_entries("attribute", given, _whole(people), key), people)
    name, values = entries.name, pd.Series(entries.values, dtype=object)
    absent = values.isna().to_numpy()
    if absent.any() and missing == "refuse":
        raise InputError(
            f"{name} is empty or unknown for {absent.sum():,} of {len(absent):,} {people.name}; fill it, or "
            "leave these out with missing='exclude' (--missing exclude)."
        )
    known = values[~absent]
    try:
        distinct = known.unique().tolist()
    except TypeError:  # a list, which has no hash
        raise InputError(f"{name} holds lists, not one value an entity; choose one, or join them.") from None
    try:
        ordered = sorted(distinct)
    except TypeError:
        ordered = sorted(distinct, key=str)
    words = [str(word) for word in ordered]
    inputs.told_apart(name, ordered)
    several_values(tuple(words), name)
    if len(set(words)) < len(words):
        twice = next(word for word in words if words.count(word) > 1)
        raise InputError(f"{name} has {twice!r} both as text and as a number; write it one way.")
    if len(words) > MOST_GROUPS:
        raise InputError(f"{name} has {len(words):,} values; it looks like an id and not like an attribute.")
    if toward is not None:
        if str(toward) not in words:
            raise InputError(f"toward is {toward!r}, but {name} has the values {', '.join(words[:12])}.")
        first = words.index(str(toward))
        ordered.insert(0, ordered.pop(first))
        words.insert(0, words.pop(first))
    codes = np.full(len(values), -1, dtype=np.int64)
    codes[~absent] = known.map({value: place for place, value in enumerate(ordered)}).to_numpy(dtype=np.int64)
    for word, count in zip(words, np.bincount(codes[~absent], minlength=len(words)), strict=True):
        if count < FEWEST:
            raise InputError(
                f"{name}: only {count} of {people.name} have the value {word!r}, and a comparison needs "
                f"{FEWEST}; leave that value out, or join it with another."
            )
    return Attribute(codes, tuple(words), entries)


def groups_of(given: Any, things: Named, key: str) -> Groups:
    """Groups of entities: as an attribute, where an entry may hold several words (a list, or text with |
    between); a 0/1 frame with a column for each group; or a mapping of names to ids or 0/1 arrays."""
    table, entries = _indicators(given, _whole(things)), None
    if table is not None and isinstance(things, Entities) and things.kept is not None:
        table = table.iloc[things.kept]
    if table is None:
        entries = _kept(_entries("item_groups", given, _whole(things), key), things)
        words = [inputs.several(entry) for entry in entries.values]
        names = sorted(set().union(*words)) if words else []
        _few_enough(len(names))
        inputs.told_apart("item_groups", names)
        place = {name: column for column, name in enumerate(names)}
        membership = np.zeros((len(words), len(names)), dtype=bool)
        for row, mine in enumerate(words):
            membership[row, [place[word] for word in mine]] = True
        table = pd.DataFrame(membership, columns=names)
    _few_enough(table.shape[1])
    counts = table.to_numpy().sum(axis=0)
    if (counts < 2).any():
        small = int(np.flatnonzero(counts < 2)[0])
        raise InputError(
            f"item_groups: {table.columns[small]!r} has {int(counts[small])} of {things.name}, and a mean "
            "with an error needs 2; leave that group out, or join it with another."
        )
    return Groups(tuple(str(name) for name in table.columns), table.to_numpy(dtype=bool), entries)


def _few_enough(groups: int) -> None:
    """Raise before a table of entities by groups is made that does not fit into memory."""
    if not 1 <= groups <= MOST_GROUPS:
        raise InputError(f"item_groups make {groups:,} groups, but must make 1 to {MOST_GROUPS}.")


def _indicators(given: Any, things: Named) -> pd.DataFrame | None:
    if isinstance(given, Mapping) and not given:
        raise InputError("item_groups is empty; name at least one group, or leave it out.")
    if isinstance(given, Mapping) and all(np.ndim(members) == 1 for members in given.values()):
        _few_enough(len(given))
        return pd.DataFrame({name: _members(name, members, things) for name, members in given.items()})
    told = memberships("item_groups", given, Things(things.name, pd.Index(things.ids), False))
    if told is None:
        return None
    names, table = told
    if not isinstance(given, pd.DataFrame):
        _has_an_order("item_groups", things)
    return pd.DataFrame(table, columns=list(names))


def _members(name: Any, members: Any, things: Named) -> NDArray[np.bool_] | None:
    listed = np.asarray(list(members))
    # As many as there are entities, and only 0 and 1: these cannot be ids, which would be repeated.
    if len(listed) == len(things.ids) > 2 and listed.dtype.kind in "biuf" and np.isin(listed, [0, 1]).all():
        _has_an_order("item_groups", things)
        return listed.astype(bool)
    unknown = ~np.isin(listed, things.ids)
    if unknown.any():
        raise InputError(
            f"item_groups: {unknown.sum():,} members of {name!r} are not among {things.name}, for example "
            f"{listed[unknown].tolist()[0]!r}."
        )
    return np.isin(things.ids, listed)


def _entries(what: str, given: Any, things: Named, key: str) -> Entries:
    if isinstance(given, str):
        path, _, column = given.rpartition(":")
        if not path:
            raise InputError(f"{what} is {given!r}; text must be a table and a column: users.parquet:gender.")
        given = (path, column)
    is_pair = isinstance(given, tuple) and len(given) == 2 and isinstance(given[1], str)
    if is_pair and (isinstance(given[0], str | Path) or hasattr(given[0], "columns")):
        return _of_table(what, given[0], given[1], things, key)
    if isinstance(given, pd.Series):
        name = what if given.name is None else str(given.name)
        numbers = pd.RangeIndex(len(given))
        if given.index.equals(numbers) and not pd.Index(things.ids).isin(numbers).all():
            _has_an_order(what, things)
            raise InputError(
                f"{what} is a Series whose index numbers its rows, and {things.name} have ids (such as "
                f"{things.ids.tolist()[0]!r}); give it their ids for an index, or an array in their order."
            )
        return Entries(name, _by_id(what, given, things))
    if isinstance(given, Mapping):
        return Entries(what, _by_id(what, pd.Series(given, dtype=object), things))
    if hasattr(given, "columns"):
        raise InputError(
            f"{what}: a frame must have 0 and 1 only, with a column for each group and a row for each of "
            f"{len(things.ids):,} {things.name}; of a table with ids, give the pair (table, column)."
        )
    try:
        entries = list(given)
    except TypeError:
        raise InputError(f"{what} is a {type(given).__name__}, but must hold a value an entity.") from None
    if len(entries) != len(things.ids):
        raise InputError(
            f"{what} has {len(entries):,} values, but there are {len(things.ids):,} {things.name}; give one "
            "for each vector, in the same order."
        )
    _has_an_order(what, things)
    return Entries(what, _plain(entries))


def _whole(things: Named) -> Named:
    """With those that were left out: what is given in the order of rows is in that of all of them."""
    return things.whole if isinstance(things, Entities) and things.whole is not None else things


def _kept(entries: Entries, things: Named) -> Entries:
    if not isinstance(things, Entities) or things.kept is None:
        return entries
    return replace(entries, values=[entries.values[row] for row in things.kept])


def _has_an_order(what: str, things: Named) -> None:
    if isinstance(things, Entities) and things.from_table:
        raise InputError(
            f"{what} has no ids, but {things.name} come from a table, whose rows are in no particular order; "
            "give a mapping or a Series by id, or a table with a column of it."
        )


def _of_table(what: str, source: Any, column: str, things: Named, key: str) -> Entries:
    """By id. Vectors without ids (.npy) are in the order of the table, or have its ids for row numbers."""
    table = inputs.table(source, name=what)
    table.require(key, column)
    if column == key:
        raise InputError(f"{what}: {column!r} is the id itself; name a column that says something about it.")
    inputs.explain_problems(table, required=[key])
    table = inputs.as_groups(table, column)
    rows = table.run(table.expr.select(key, column))
    if rows[key].duplicated().any():
        raise InputError(f"{what}: {int(rows[key].duplicated().sum()):,} rows repeat a {key}.")
    found = pd.Series(rows[column].to_numpy(), index=rows[key].to_numpy())
    mark = table.fingerprint(len(rows))
    has_ids = not (isinstance(things, Entities) and things.numbered)
    numbers = np.arange(len(things.ids))
    if not has_ids and _is_shuffled(found.index, numbers):
        raise InputError(
            f"{what}: the {len(numbers):,} {things.name} have no ids, and the table has the ids 0 to "
            f"{len(numbers) - 1:,} in another order: they may be numbers of rows, or rows may be in the "
            f"order of the table; give vectors with ids (.npz with {key}s, or a table with {key})."
        )
    if has_ids or pd.Index(things.ids).isin(found.index).all():
        return Entries(column, _by_id(what, found, things), mark)
    if len(found) != len(things.ids) or table.backend.name != "duckdb":  # other engines keep no order
        raise InputError(
            f"{what}: the {len(things.ids):,} {things.name} have no ids, so they would have to be in the "
            f"order of the rows of the table, which has {len(found):,}; give vectors with ids (.npz with "
            f"{key}s, or a table with {key})."
        )
    if not _is_in_order(found.index):
        raise InputError(
            f"{what}: the {len(things.ids):,} {things.name} have no ids, and the rows of the table are not "
            f"in the order of {key!r}: vectors may be in either; sort the table by {key!r} if they are in "
            f"that order, or give vectors with ids (.npz with {key}s, or a table with {key})."
        )
    return Entries(column, _plain(found.tolist()), mark, by_order=True)


def _is_in_order(ids: pd.Index) -> bool:
    """Whether ids are sorted: as numbers, as text, or as text with numbers in it, as i2 before i10."""
    if ids.is_monotonic_increasing:
        return True
    parts = [
        [int(part) if part.isdigit() else part for part in re.split(r"([0-9]+)", str(one))] for one in ids
    ]
    # Text and numbers take turns in each, beginning with text.
    return not pd.api.types.is_numeric_dtype(ids) and parts == sorted(parts)


def _is_shuffled(ids: pd.Index, numbers: Ints) -> bool:
    """Whether the ids are the numbers of rows, but not in their order."""
    return len(ids) == len(numbers) and not ids.equals(pd.Index(numbers)) and bool(ids.isin(numbers).all())


def _by_id(what: str, values: pd.Series, things: Named) -> list[Any]:
    if values.empty:
        raise InputError(f"{what} is empty; give a value for each of {things.name}.")
    if values.index.has_duplicates:
        count = int(values.index.duplicated().sum())
        raise InputError(f"{what}: {count:,} ids appear more than once; give one value for each.")
    found = values.reindex(things.ids)
    if not pd.Index(things.ids).isin(values.index).any():
        raise InputError(
            f"{what}: none of the ids of {things.name} (such as {things.ids.tolist()[0]!r}) is in it (it has "
            f"such as {values.index.tolist()[0]!r}); the ids must be of the same kind."
        )
    return _plain(found.tolist())


def _plain(entries: list[Any]) -> list[Any]:
    return [entry.item() if isinstance(entry, np.generic) else entry for entry in entries]
