"""A compact row a user: who it is (a keyed hash), the group, and sums over the days on which the user came.

Users return, so days do not add up as if each had other people: a user who comes every day would count as
many. With a row a user they do: rows of the same user are added, and each user counts once, with the mean
over the user's own days.

The hash is BLAKE2b with the store's key, so that rows of two days can be joined, and nobody can tell from
them who a user is without the key. Of a million users two have the same hash in 1 of 37 million stores.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.arrays import Floats, Ints
from evenhand.errors import InputError

SEVERAL = -1  # the group of a user who was in several


def hashed(ids: Iterable[object], key: bytes) -> NDArray[np.uint64]:
    """A number for each id, always the same with one key. Tables differ in types: 7, 7.0 and "7" are one."""
    names = (str(int(one) if isinstance(one, float) and one.is_integer() else one) for one in ids)
    found = [hashlib.blake2b(name.encode(), key=key[:64], digest_size=8).digest() for name in names]
    return np.frombuffer(b"".join(found), dtype="<u8")


@dataclass(frozen=True)
class UserRows:
    """Users in the order of their hashes. `group` is a place in `groups`, or `SEVERAL`; `days` and `sums`
    have a column for each of `columns`: on how many days the user had a value, and their sum."""

    columns: tuple[str, ...]
    groups: tuple[tuple[str, ...], ...]
    users: NDArray[np.uint64]
    group: Ints
    days: NDArray[np.int32]
    sums: Floats

    @classmethod
    def of(
        cls,
        ids: Iterable[object],
        key: bytes,
        groups: tuple[tuple[str, ...], ...],
        group: Ints,
        values: dict[str, Floats],
    ) -> UserRows:
        """Of one day; NaN where a user has no value."""
        users = hashed(ids, key)
        order = np.argsort(users)
        table = np.stack([np.asarray(one, dtype=float) for one in values.values()], axis=1)[order]
        has = np.isfinite(table)
        return cls(
            tuple(values), groups, users[order], np.asarray(group, dtype=np.int64)[order],
            has.astype(np.int32), np.where(has, table, 0.0),
        )  # fmt: skip

    def __len__(self) -> int:
        return len(self.users)

    @property
    def means(self) -> Floats:
        """The mean over a user's own days, users x columns; NaN for a user who never had a value."""
        return np.divide(self.sums, self.days, out=np.full(self.sums.shape, np.nan), where=self.days > 0)

    def content(self) -> bytes:
        """As a store keeps it, column after column: equal rows give equal bytes. What takes little room when
        it is compressed is together."""
        told = {"columns": self.columns, "groups": self.groups, "users": len(self)}
        head = json.dumps(told, ensure_ascii=False).encode()
        parts = (
            self.users.astype("<u8"), self.group.astype("<i4"), self.days.T.astype("<i4"),
            self.sums.T.astype("<f8"),
        )  # fmt: skip
        return b"".join([len(head).to_bytes(8, "little"), head, *(part.tobytes() for part in parts)])

    @classmethod
    def read(cls, content: bytes) -> UserRows:
        start = 8 + int.from_bytes(content[:8], "little")
        told = json.loads(content[8:start])
        n, c = told["users"], len(told["columns"])

        def take(count: int, kind: str) -> NDArray[Any]:
            nonlocal start
            found = np.frombuffer(content, dtype=kind, count=count, offset=start)
            start += found.nbytes
            return found

        users, group = take(n, "<u8").astype(np.uint64), take(n, "<i4").astype(np.int64)
        days = take(n * c, "<i4").reshape(c, n).T.astype(np.int32)
        sums = take(n * c, "<f8").reshape(c, n).T.astype(float)
        groups = tuple(tuple(name) for name in told["groups"])
        return cls(tuple(told["columns"]), groups, users, group, days, sums)

    def __add__(self, other: UserRows) -> UserRows:
        if self.columns != other.columns:
            raise InputError(
                f"rows of users hold {', '.join(self.columns)} on some days and {', '.join(other.columns)} "
                "on others; only days of the same question can be pooled."
            )
        names = tuple(dict.fromkeys((*self.groups, *other.groups)))
        users = np.union1d(self.users, other.users)
        group = np.full(len(users), len(names), dtype=np.int64)  # not seen yet
        days = np.zeros((len(users), len(self.columns)), dtype=np.int32)
        sums = np.zeros(days.shape)
        for rows in (self, other):
            place = np.searchsorted(users, rows.users)
            own = np.array([names.index(name) for name in rows.groups] or [0], dtype=np.int64)
            mine = np.where(rows.group == SEVERAL, SEVERAL, own[rows.group])
            before = group[place]
            group[place] = np.where((before == len(names)) | (before == mine), mine, SEVERAL)
            days[place] += rows.days
            sums[place] += rows.sums
        return UserRows(self.columns, names, users, group, days, sums)
