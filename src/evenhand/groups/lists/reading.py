"""From tables to arrays: users with their attributes, candidate rows, and facts about items and histories."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import ibis
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from evenhand import inputs
from evenhand.arrays import Floats
from evenhand.errors import InputError
from evenhand.groups.attributes import (
    CHOOSE,
    DERIVED,
    HOW_TO_BIN,
    Attribute,
    Bins,
    binned,
    check_type,
    derived,
    from_values,
)
from evenhand.groups.lists.metrics import ItemFacts
from evenhand.parameters import shown

USER, ITEM, SCORE, LABEL = "user_id", "item_id", "score", "label"
LIST = "list_id"
_ONE_LIST = (
    "Keep one row for each key, or, where users have several lists, say which column tells lists apart: "
    f"{LIST} (--columns {LIST}=NAME)."
)
# Candidate rows in memory at a time: about 20 bytes each.
ROWS_AT_ONCE = 50_000_000


@dataclass(frozen=True)
class Users:
    """Everybody in the users table: ids (where they are needed), coded attributes, and metrics. The last of
    them may be `unlisted`: the candidates have them, and the table lacks them."""

    count: int
    ids: pd.Index
    coded: list[Attribute]
    columns: Mapping[str, Floats]
    unlisted: int = 0


def read_users(
    users: inputs.Table,
    attributes: Sequence[str],
    metrics: Sequence[str],
    bins: Bins,
    history: inputs.Table | None,
    *,
    with_ids: bool,
) -> Users:
    """Read the users table once, a million rows at a time, keeping codes and numbers instead of words."""
    if USER in attributes:
        raise InputError(f"{USER} is who a user is and makes no groups; name other attributes.")
    for name in metrics:
        if name in (USER, *attributes):
            raise InputError(f"{name!r} cannot be both a metric and what says who users are; drop one.")
    own = [name for name in attributes if name in users.columns]
    made = [name for name in attributes if name not in own]
    for name in made:
        if name not in DERIVED:
            users.require(name)
        if history is None:
            raise InputError(
                f"{name!r} is made from each user's history, and no history table was given: pass history."
            )
        _same_ids(history, users, USER)
    if not isinstance(bins, Mapping):
        raise InputError(f"bins is {bins!r}, but must say the bins of each attribute, such as {{'age': 4}}.")
    for name in bins:
        if name not in attributes:
            raise InputError(
                f"bins names {name!r}, which is none of the attributes ({', '.join(attributes)})."
            )
    with_ids = with_ids or bool(made)
    for name in own:
        if name not in bins:
            users = inputs.as_groups(users, name, advice=HOW_TO_BIN.format(repr(name)))
    inputs.unique_key(users, [USER])
    count = inputs.usable_rows(users, required=[USER], scores=metrics)
    wanted = [*([USER] if with_ids else []), *own, *metrics]
    chunks: dict[str, list[pa.Array]] = {name: [] for name in wanted}
    # Chance deals with users by their places, so that a place must not depend on how a table is stored.
    for batch in users.batches(users.expr.order_by(USER).select(wanted)):
        for name in wanted:
            column = batch.column(name)
            if name in own:
                check_type(name, column.type, bins.get(name))
            chunks[name].append(column.dictionary_encode() if name in own and name not in bins else column)
    if count == 0:
        raise InputError(f"{users.name}: the table is empty, so there is nobody to audit.")
    ids = pd.Index(pa.chunked_array(chunks[USER]).to_pandas()) if with_ids else pd.RangeIndex(count)
    per_user = _history_by_user(history, made) if made and history is not None else pd.DataFrame()

    def attribute(name: str) -> Attribute:
        if name in made:
            return derived(name, per_user, ids, bins.get(name))
        column = pa.chunked_array(chunks.pop(name))
        if name in bins:
            numbers = column.cast(pa.float64(), safe=False).to_numpy()
            # Floats may be whole numbers beside an empty value.
            known = numbers[np.isfinite(numbers)]
            return binned(name, numbers, bins[name], bool((known == np.floor(known)).all()))
        return from_values(name, column)

    found = [attribute(name) for name in attributes]
    columns = {name: pa.chunked_array(chunks[name]).to_numpy().astype(float) for name in metrics}
    return Users(count, ids, found, columns)


def with_unlisted(users: Users, candidates: inputs.Table) -> Users:
    """With those of the candidates whom the users table lacks: all that it could say of them is missing.

    Where more than half of the candidates are theirs, it is another table, and refused.
    """
    t = candidates.expr
    counted = candidates.run(t.group_by(USER).aggregate(rows=t.count())).dropna(subset=[USER])
    unseen = counted[~counted[USER].isin(users.ids)]
    if unseen.empty:
        return users
    ids = pd.Index(unseen[USER]).sort_values()
    rows, lacking = int(counted["rows"].sum()), int(unseen["rows"].sum())
    if 2 * lacking > rows:
        raise InputError(
            f"{candidates.name}: {len(ids):,} users are not known to the users table, in {lacking:,} of "
            f"{rows:,} rows, for example {shown(ids[0])}. More than half of the rows are no matter of "
            "missing values: name the table that has them."
        )
    return Users(
        users.count + len(ids),
        users.ids.append(ids),
        [
            replace(one, codes=np.concatenate([one.codes, np.full(len(ids), -1, dtype=one.codes.dtype)]))
            for one in users.coded
        ],
        {name: np.concatenate([values, np.full(len(ids), np.nan)]) for name, values in users.columns.items()},
        len(ids),
    )


def _same_ids(one: inputs.Table, other: inputs.Table, column: str) -> None:
    for table in (one, other):
        table.require(column)
    inputs.same_key_types(one, other, [column])


def _history_by_user(history: inputs.Table, names: Sequence[str]) -> pd.DataFrame:
    history.require(USER)
    priced = [name for name in names if name != "activity"]
    checks = inputs.problem_counts(history, required=[USER], scores=["price"] if priced else [])
    t = history.expr
    measured = {"activity": t.count()}
    if priced:
        measured |= {"spend": t["price"].sum(), "highest_price": t["price"].max()}
    found = history.run(t.group_by(USER).aggregate(**measured, **checks))
    found = inputs.without_problems(found, history, required=[USER], scores=["price"] if priced else [])
    if "spend" in found:
        # Threads add in any order, and a last digit must not decide on which side of an edge a user is.
        spend = found["spend"].to_numpy(dtype=float)
        found["spend"] = [float(f"{total:.12g}") for total in spend]
    return found.set_index(USER)


@dataclass(frozen=True)
class CandidateRows:
    """Candidate rows: the number of the user and of the item, the label, and the score where there is one.

    Where users have several lists, `listed` is the number of the row's list, and `owner` each list's user.
    """

    user: NDArray[np.int32]
    item: NDArray[np.int32]
    label: NDArray[np.uint8]
    score: Floats | None
    listed: NDArray[np.int32] | None = None
    owner: NDArray[np.int32] | None = None


def read_candidates(
    candidates: inputs.Table, ids: pd.Index, items: pd.Index | None, rows_at_once: int | None, *, scored: bool
) -> Iterator[CandidateRows]:
    """The rows, checked, in parts of whole users that fit the memory. Items are numbered where asked for."""
    candidates.require(USER, ITEM, LABEL, *([SCORE] if scored else []))
    scores, lists = [SCORE] if scored else [], [LIST] if LIST in candidates.columns else []
    rows = inputs.usable_rows(candidates, labels=[LABEL], required=[USER, *lists, ITEM], scores=scores)
    t = candidates.expr
    if rows == 0:
        raise InputError(f"{candidates.name}: the table is empty, so there is nothing to audit.")
    if lists:
        inputs.one_value_each(candidates, LIST, USER, f"Give every list of a user a {LIST} of its own.")
        inputs.unique_key(candidates, [LIST, ITEM], "Keep one row for each item of a list.")
    else:
        inputs.unique_key(candidates, [USER, ITEM], _ONE_LIST)
    parts = 1 if rows_at_once is None else -(-rows // rows_at_once)
    columns = [USER, *lists, LABEL, *scores, *([ITEM] if items is not None else [])]
    for part in range(parts):
        chosen = t if parts == 1 else t.filter(inputs.bucket(t[USER]) % parts == part)
        yield _gathered(candidates, chosen.select(*columns), ids, items, scored)


def _gathered(
    candidates: inputs.Table, expr: Any, ids: pd.Index, items: pd.Index | None, scored: bool
) -> CandidateRows:
    user, item, label, score, listed = [], [], [], [], []
    several = LIST in expr.columns
    for batch in candidates.batches(expr):
        user.append(_numbers(batch.column(USER), ids, candidates.name, "users"))
        if items is not None:
            item.append(_numbers(batch.column(ITEM), items, candidates.name, "items"))
        label.append((batch.column(LABEL).to_numpy(zero_copy_only=False) == 1).astype(np.uint8))
        if scored:
            score.append(batch.column(SCORE).cast(pa.float64(), safe=False).to_numpy())
        if several:
            listed.append(batch.column(LIST).dictionary_encode())
    users = np.concatenate(user)
    number = _in_order(listed) if several else None
    return CandidateRows(
        users,
        np.concatenate(item) if items is not None else np.zeros(len(users), dtype=np.int32),
        np.concatenate(label),
        np.concatenate(score) if scored else None,
        number,
        None if number is None else _owners(number, users),
    )


def _in_order(ids: list[pa.DictionaryArray]) -> NDArray[np.int32]:
    """The place of each id among all that occur, which no order of rows changes."""
    column = pa.chunked_array(ids).unify_dictionaries()
    order = pc.sort_indices(column.chunk(0).dictionary).to_numpy()
    place = np.empty(len(order), dtype=np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    return np.concatenate([place[chunk.indices.to_numpy()] for chunk in column.chunks])


def _owners(listed: NDArray[np.int32], users: NDArray[np.int32]) -> NDArray[np.int32]:
    owner = np.empty(int(listed.max(initial=-1)) + 1, dtype=np.int32)
    owner[listed] = users
    return owner


def _numbers(column: pa.Array, known: pd.Index, table: str, what: str) -> NDArray[np.int32]:
    """The place of each id among those known, in few bytes."""
    todo = f"add them there, or {CHOOSE}" if what == "users" else ""
    where = f"the {what} table"
    return inputs.places_of(column.to_pandas(), known, what, where, table, todo).astype(np.int32)


def read_items(candidates: inputs.Table, history: inputs.Table | None) -> pd.Index:
    """Every item that is a candidate or in a history."""
    candidates.require(ITEM)
    found = [candidates.run(candidates.expr.select(ITEM).distinct())[ITEM]]
    if history is not None:
        _same_ids(history, candidates, ITEM)
        found.append(history.run(history.expr.select(ITEM).distinct())[ITEM])
    return pd.Index(pd.concat(found).dropna().unique()).sort_values()


def read_facts(
    needs: set[str],
    candidates: inputs.Table,
    items: inputs.Table | None,
    history: inputs.Table | None,
    numbered: pd.Index,
    ids: pd.Index,
) -> ItemFacts:
    """What the chosen metrics need about items: categories, popularity, and the popularity of histories."""
    facts: dict[str, Any] = {}
    if "category" in needs:
        facts |= _categories(_of_items("category", candidates, items), numbered)
    if "popularity" in needs:
        if history is None:
            raise InputError(
                "The metric urp compares what is shown with what the user took before, and no history table "
                "was given: pass history, with user_id and item_id."
            )
        facts |= _popularity(candidates, items, history, numbered, ids)
    return ItemFacts(**facts)


def _of_items(column: str, candidates: inputs.Table, items: inputs.Table | None) -> pd.Series:
    """A column that belongs to items, by item, from the items table or else from the candidates."""
    source = items if items is not None else candidates
    source.require(ITEM, column)
    inputs.same_key_types(source, candidates, [ITEM])
    found = source.run(source.expr.select(ITEM, column).distinct())
    repeated = found[ITEM][found[ITEM].duplicated()]
    if len(repeated):
        raise InputError(
            f"{source.name}: {repeated.nunique():,} item_id with several values of {column!r}, for example "
            f"{shown(repeated.iloc[0])}. Give each item one; several categories may be a list, or text with "
            "| between."
        )
    return found.set_index(ITEM)[column]


def _categories(column: pd.Series, numbered: pd.Index) -> dict[str, Any]:
    """Lists of category codes by item number. Text is divided at |; an item without any resembles nothing."""
    given = column.reindex(numbered).tolist()
    lists = [inputs.several(value) for value in given]
    known = {word: code for code, word in enumerate(sorted({word for words in lists for word in words}))}
    if not known:
        raise InputError("no item has a category, so the diversity of a list cannot be measured.")
    offsets = np.concatenate([[0], np.cumsum([len(words) for words in lists])]).astype(np.int64)
    codes = [code for words in lists for code in sorted(known[word] for word in words)]
    return {"category_offsets": offsets, "categories": np.array(codes, dtype=np.int32)}


def _popularity(
    candidates: inputs.Table,
    items: inputs.Table | None,
    history: inputs.Table,
    numbered: pd.Index,
    ids: pd.Index,
) -> dict[str, Any]:
    """From a column `popularity`, else from the history: the percentage of interactions that an item has."""
    history.require(USER, ITEM)
    checks = inputs.problem_counts(history, required=[USER, ITEM])
    by_item = history.run(history.expr.group_by(ITEM).aggregate(n=history.expr.count(), **checks))
    by_item = inputs.without_problems(by_item, history, required=[USER, ITEM])
    counts = by_item.set_index(ITEM)["n"]
    source = next((table for table in (items, candidates) if table and "popularity" in table.columns), None)
    if source is None:
        popularity = (100 * counts / counts.sum()).reindex(numbered).fillna(0.0)
    else:
        inputs.finite(source, "popularity")
        popularity = _of_items("popularity", candidates, source).reindex(numbered)
        unknown = popularity.isna()
        if unknown.any():
            raise InputError(
                f"{source.name}: {int(unknown.sum()):,} items of the candidates or the history have no "
                f"popularity, for example {shown(numbered[unknown.to_numpy()][0])}. Add them, or leave "
                "the column out: it is then counted from the history."
            )
    known = popularity.to_numpy(dtype=float)
    # In whole multiples of a unit, as sums of fractions depend on the order in which threads add them.
    unit = float(np.spacing(np.abs(known).max(initial=1e-300)) * 2**12)
    popular = ibis.memtable(
        pd.DataFrame({ITEM: numbered, "evenhand_popularity": np.rint(known / unit).astype(np.int64)})
    )
    joined = history.expr.join(popular, ITEM)
    measured = joined.group_by(USER).aggregate(
        total=joined["evenhand_popularity"].sum(), n=joined["evenhand_popularity"].count()
    )
    totals = history.run(measured).set_index(USER)
    means = totals["total"].astype(float) * unit / totals["n"]
    return {
        "popularity": known,
        "history_popularity": means.reindex(ids).to_numpy(dtype=float),
    }
