"""The states of a model whose growth is asked for: the same entities, in trainings that differ."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from evenhand.association.leaking.classifier import Flags
from evenhand.association.vectors.labels import FEWEST, Attribute, Groups
from evenhand.association.vectors.sources import Entities, Space
from evenhand.errors import InputError
from evenhand.findings import Exclusion

# With fewer of the entities of the first state in all others, growth would be of something else.
LEAST_SHARED = 0.5


@dataclass(frozen=True, eq=False)
class States:
    """Every training of every state with the users and items that all have, in the order of the first.

    `users` and `items` are flags over those of the first training, `first`.
    """

    first: Space
    users: Flags
    items: Flags
    trainings: list[list[Space]]
    excluded: tuple[Exclusion, ...]

    def attribute(self, people: Attribute) -> Attribute:
        """Of the users that all states have."""
        codes = people.codes[self.users]
        for word, count in zip(
            people.words, np.bincount(codes[codes >= 0], minlength=len(people.words)), strict=True
        ):
            if count < FEWEST:
                raise InputError(
                    f"{people.name}: only {count} of the users in all states have the value {word!r}, "
                    f"and a comparison needs {FEWEST}; leave that value out, or join it with another."
                )
        return replace(people, codes=codes)

    def groups(self, groups: Groups) -> Groups:
        """Of the items that all states have; a group needs two of them, and is left out otherwise."""
        membership = groups.membership[self.items]
        there = membership.sum(axis=0) >= 2
        names = tuple(name for name, has in zip(groups.names, there, strict=True) if has)
        return replace(groups, names=names, membership=membership[:, there])


class OfLoops(list[Any]):
    """States of several runs of a loop: a model without noise of its own starts all of them alike."""


def opened_states(listed: list[list[Any]], opened: Callable[[Any], Space], may_be_same: bool) -> States:
    """Read all trainings and keep what they share; refuse those that share little, or are the same."""
    spaces: list[list[Space]] = []
    names: list[str] = []
    known: dict[bytes, str] = {}
    for place, trainings in enumerate(listed):
        spaces.append([])
        for run, state in enumerate(trainings):
            name = _called(place, run, state)
            try:
                space = opened(state)
            except InputError as error:
                raise InputError(f"{name}: {error}") from error
            same = known.setdefault(_digest(space), name)
            if same != name and not may_be_same:
                raise InputError(
                    f"{same} and {name} have the same vectors; trainings must be different, as "
                    "growth is held against what differs between them."
                )
            names.append(name)
            spaces[-1].append(space)
    first = spaces[0][0]
    sides = [[getattr(space, side) for row in spaces for space in row] for side in ("users", "items")]
    (users, fewer_users), (items, fewer_items) = (_shared(side, names) for side in sides)
    kept = [
        [
            Space(_kept(space.items, first.items, items), _kept(space.users, first.users, users), None)
            for space in row
        ]
        for row in spaces
    ]
    return States(first, users, items, kept, fewer_users + fewer_items)


def _called(place: int, run: int, state: Any) -> str:
    paths = [
        str(one) for one in (state if isinstance(state, tuple) else [state]) if isinstance(one, str | Path)
    ]
    said = f" ({', '.join(dict.fromkeys(paths))})" if paths else ""
    return f"state {place}, training {run}{said}"


def _digest(space: Space) -> bytes:
    sides = [side.vectors[np.argsort(side.ids, kind="stable")] for side in (space.items, space.users)]
    return hashlib.sha256(b"".join(np.ascontiguousarray(side).tobytes() for side in sides)).digest()


def _shared(sides: list[Entities], names: list[str]) -> tuple[Flags, tuple[Exclusion, ...]]:
    """Which entities of the first are in all, and how many are not."""
    base = pd.Index(sides[0].ids)
    known, shared = base, np.ones(len(base), dtype=bool)
    for side, name in zip(sides[1:], names[1:], strict=True):
        if side.numbered and len(side.ids) != len(base):
            raise InputError(
                f"{name} has {len(side.ids):,} {side.name} without ids, and the first {len(base):,}: give "
                "ids, so that it is known which are the same."
            )
        ids = pd.Index(side.ids)
        here = base.isin(ids)
        if here.mean() < LEAST_SHARED:
            raise InputError(
                f"{name} has only {here.sum():,} of the {len(base):,} {side.name} of {names[0]}; growth is "
                f"of the same {side.name}, so compare states that share at least half of them."
            )
        shared &= here
        known = known.union(ids, sort=False)
    what = sides[0].name
    if shared.mean() < LEAST_SHARED:
        raise InputError(
            f"only {shared.sum():,} of the {len(base):,} {what} of {names[0]} are in all states; growth is "
            f"of the same {what}, so compare states that share at least half of them."
        )
    lacking = len(known) - int(shared.sum())
    if not lacking:
        return shared, ()
    why = "a training lacks them, and growth is of the same ones"
    return shared, (Exclusion(what=f"{what} that not all trainings have", count=lacking, why=why),)


def _kept(side: Entities, base: Entities, shared: Flags) -> Entities:
    ids = base.ids[shared]
    if np.array_equal(side.ids, ids):
        return side
    return replace(side, vectors=side.vectors[pd.Index(side.ids).get_indexer(pd.Index(ids))], ids=ids)
