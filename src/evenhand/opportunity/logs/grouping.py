"""What rows are grouped by: one column, or several whose combinations are the groups, and their names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import ibis.expr.types as ir

from evenhand import inputs
from evenhand.about import combined
from evenhand.errors import InputError
from evenhand.parameters import shown

MISSING_GROUP = "(missing)"

GroupColumns = str | Sequence[str]
USER_COLUMNS = ("user_id", "user", "userid", "uid", "member_id", "viewer_id", "customer_id", "account_id")
# Creators first: who has many items is the coarser cluster.
ITEM_COLUMNS = (
    "creator_id", "creator", "author_id", "author", "artist_id", "seller_id", "uploader_id", "channel_id",
    "provider_id", "publisher_id", "item_id", "item", "itemid", "video_id", "post_id", "product_id",
    "movie_id", "track_id", "article_id",
)  # fmt: skip


@dataclass(frozen=True)
class Grouping:
    """Columns that make the groups, those of them that are cut into bands, and whether what is missing is a
    value of its own."""

    columns: tuple[str, ...]
    bands: Mapping[str, inputs.Bands]
    keep_empty: bool

    @property
    def name(self) -> str:
        """What the groups are called by."""
        return combined(self.columns) if self._several else self.columns[0]

    @property
    def _several(self) -> bool:
        return len(self.columns) > 1

    def keys(self, rows: ir.Table) -> dict[str, Any]:
        """What rows are added up by. Several columns stay apart until then: so many sums are quickly named,
        so many rows are not."""
        if not self._several:
            return {"group": rows[self.columns[0]]}
        return {f"group_{place}": rows[column] for place, column in enumerate(self.columns)}

    def in_one_column(self, sums: ir.Table) -> ir.Table:
        """Sums by `keys` with one column, "group"."""
        if not self._several:
            return sums
        parts = [f"group_{place}" for place in range(len(self.columns))]
        return sums.mutate(group=inputs.together([sums[part] for part in parts], self.keep_empty)).drop(
            *parts
        )

    def in_order(self, values: Sequence[Any]) -> list[Any]:
        """Bands from the lowest, all else by its value, what is missing last."""
        for column, each in [pair for value in values for pair in self._apart(value)]:
            if self.keep_empty and each == MISSING_GROUP:
                raise InputError(
                    f"column {column!r} has a group called {MISSING_GROUP!r}, which is what rows without a "
                    "group would be called; rename it, or leave those rows out (missing='exclude')."
                )
        for place, column in enumerate(self.columns):
            inputs.told_apart(f"column {column!r}", {self._apart(value)[place][1]: None for value in values})
        return sorted(values, key=lambda value: [self._place(*pair) for pair in self._apart(value)])

    def _place(self, column: str, value: Any) -> tuple[bool, Any]:
        if column in self.bands and value is not None:
            value = self.bands[column].names.index(value)
        return value is None, value

    def word(self, value: Any) -> str:
        """The name of a group."""
        if not self._several:
            return inputs.word(value)
        words = (MISSING_GROUP if each is None else inputs.word(each) for _, each in self._apart(value))
        return combined(words)

    def _apart(self, value: Any) -> list[tuple[str, Any]]:
        """The value of each column."""
        return list(zip(self.columns, inputs.apart(value) if self._several else (value,), strict=True))


def group_columns(group: GroupColumns) -> tuple[str, ...]:
    """One column of groups, or several."""
    columns = (group,) if isinstance(group, str) else group
    named = isinstance(columns, Sequence) and all(isinstance(name, str) and name for name in columns)
    if not named or not columns:
        raise InputError(f"group is {shown(group)}, but must be the name of a column, or several names.")
    if len(set(columns)) < len(columns):
        raise InputError(f"group names a column twice: {', '.join(columns)}.")
    return tuple(columns)


def groups_of(on: str | Sequence[str] | None, cluster: str | Sequence[str] | None) -> str | None:
    """Whose groups they are: "users" where they are found by the user alone, "rows" where they stand in the
    logs, which do not say it, or are a pair's, and None for creators, or items, as of other keys."""
    keys, clusters = ((names,) if isinstance(names, str) else tuple(names or ()) for names in (on, cluster))
    users = {*USER_COLUMNS, *(name.lower() for name in clusters[:1])} - set(ITEM_COLUMNS)
    of_users = [key.lower() in users for key in keys]
    if not all(of_users):
        return "rows" if any(of_users) else None
    return "users" if keys else "rows"
