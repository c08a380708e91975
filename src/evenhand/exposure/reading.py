"""From what a caller has to arrays: scores in blocks of users, relevant pairs, and groups on both sides."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evenhand import inputs
from evenhand.errors import InputError
from evenhand.exposure.scores import checked_scores
from evenhand.exposure.sides import ItemGroups, user_codes
from evenhand.recommenders.adapters import as_recommender
from evenhand.recommenders.ids import shown
from evenhand.recommenders.protocol import Recommender

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Any2d = NDArray[np.floating]

USER, ITEM, SCORE, RELEVANCE = "user_id", "item_id", "score", "relevance"
# Users in a block of dense scores: 256 x 3,706 doubles are 7 MB.
BLOCK_ENTRIES = 4_000_000


@dataclass(frozen=True)
class Block:
    """Users `users` with the scores of their candidates: one row a user, all of one length.

    `items` are the candidates' numbers, None where they are the whole catalogue in order. `known` marks what
    a user took already and is not shown again.
    """

    users: Ints
    scores: Any2d
    items: Ints | None
    known: NDArray[np.bool_] | None = None


class Scores(ABC):
    """Scores of all users, block by block."""

    @abstractmethod
    def blocks(self) -> Iterator[Block]: ...


@dataclass(frozen=True)
class Problem:
    """Everything an audit needs, by number: users, items, who is in which group, and what is relevant."""

    users: int
    scores: Scores
    user_group: Ints
    user_names: tuple[str, ...]
    item_groups: ItemGroups
    item_names: tuple[str, ...]
    relevant_offsets: Ints
    relevant_items: Ints
    grades: Floats

    def relevant(self, users: Ints) -> tuple[Ints, Ints, Floats]:
        """The relevant pairs of these users, as offsets, items and grades."""
        starts, ends = self.relevant_offsets[users], self.relevant_offsets[users + 1]
        counts = ends - starts
        offsets = np.concatenate([[0], np.cumsum(counts)])
        rows = np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], counts)
        return offsets, self.relevant_items[rows], self.grades[rows]


class _Dense(Scores):
    def __init__(self, table: Any2d) -> None:
        self.table = table

    def blocks(self) -> Iterator[Block]:
        for users in _slices(*self.table.shape):
            yield Block(users, self.table[users], None)


class _Recommended(Scores):
    """A recommender that is asked about whole catalogues, a block of users at a time.

    What a user took already, as far as the recommender knows, is not shown.
    """

    def __init__(self, model: Recommender, users: Ints, items: Ints) -> None:
        self.model, self.users, self.items = model, users, items

    def blocks(self) -> Iterator[Block]:
        for users in _slices(len(self.users), len(self.items)):
            scores = np.asarray(self.model.score_block(self.users[users]))
            known = None
            if self.model.history is not None:
                known = self.model.history[self.users[users]].toarray()[:, self.items] > 0
            yield Block(users, checked_scores(scores[:, self.items]), None, known)


class _Listed(Scores):
    """Candidates of each user, of any number: users with as many candidates make a block."""

    def __init__(self, offsets: Ints, items: Ints, scores: Floats) -> None:
        self.offsets, self.items, self.scores = offsets, items, scores

    def blocks(self) -> Iterator[Block]:
        lengths = np.diff(self.offsets)
        for length in np.unique(lengths[lengths > 0]):
            alike = np.flatnonzero(lengths == length)
            for part in _slices(len(alike), int(length)):
                users = alike[part]
                rows = self.offsets[users][:, None] + np.arange(length)
                yield Block(users, checked_scores(self.scores[rows]), self.items[rows])


def _slices(users: int, items: int) -> Iterator[Ints]:
    size = max(1, BLOCK_ENTRIES // max(items, 1))
    for start in range(0, users, size):
        yield np.arange(start, min(start + size, users))


def read(
    scores: Any,
    relevance: Any,
    user_groups: Any,
    item_groups: Any,
    user_group: str | Sequence[str] | None,
    item_group: str | None,
    engine: Any,
) -> tuple[Problem, str, dict[str, Any]]:
    """The problem, what the groups are called, and fingerprints of the tables it came from."""
    if _is_array(scores):
        return _from_arrays(scores, relevance, user_groups, item_groups), "user group, item group", {}
    return _from_tables(scores, relevance, user_groups, item_groups, user_group, item_group, engine)


def _is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray) or (
        isinstance(value, list) and bool(value) and isinstance(value[0], list)
    )


def _from_arrays(scores: Any, relevance: Any, user_groups: Any, item_groups: Any) -> Problem:
    table = checked_scores(scores)
    wanted = np.asarray(relevance)
    if wanted.shape != table.shape:
        raise InputError(
            f"relevance has the shape {wanted.shape}, but scores {table.shape}; they must agree."
        )
    users, items = np.nonzero(wanted)
    both = {"user_groups": (user_groups, table.shape[0]), "item_groups": (item_groups, table.shape[1])}
    for what, (given, count) in both.items():
        if len(given) != count:
            raise InputError(
                f"{what} has {len(given):,} entries, but scores are about {count:,}; give one for each."
            )
    codes, names = user_codes(list(user_groups))
    groups, item_names = _item_groups(list(item_groups), "item_groups")
    return Problem(
        len(table),
        _Dense(table),
        codes,
        tuple(str(name[0]) for name in names),
        groups,
        item_names,
        _offsets(users, len(table)),
        items.astype(np.int64),
        wanted[users, items].astype(float),
    )


def _from_tables(
    scores: Any,
    relevance: Any,
    user_groups: Any,
    item_groups: Any,
    user_group: str | Sequence[str] | None,
    item_group: str | None,
    engine: Any,
) -> tuple[Problem, str, dict[str, Any]]:
    people = inputs.table(user_groups, name="users", engine=engine)
    catalogue = inputs.table(item_groups, name="items", engine=engine)
    wanted = inputs.table(relevance, name="relevance", engine=engine)
    by_user = _columns(people, USER, user_group, "user_group")
    (by_item,) = _columns(catalogue, ITEM, item_group, "item_group")[:1]
    user_ids, user_frame = _side(people, USER, by_user)
    item_ids, item_frame = _side(catalogue, ITEM, [by_item])
    codes, names = user_codes(*(user_frame[column].tolist() for column in by_user))
    groups, item_names = _item_groups(item_frame[by_item].tolist(), f"items: column {by_item!r}")
    fingerprints = {
        "users": people.fingerprint(len(user_ids)),
        "items": catalogue.fingerprint(len(item_ids)),
        "relevance": wanted.fingerprint(),
    }
    graded = [RELEVANCE] if RELEVANCE in wanted.columns else []
    who, what, grades = _pairs(wanted, graded, user_ids, item_ids)
    model = _model(scores)
    if model is not None:
        known_users, known_items = pd.Index(model.user_ids), pd.Index(model.item_ids)
        source: Scores = _Recommended(
            model,
            _found(user_ids, known_users, "users", "the model"),
            _found(item_ids, known_items, "items", "the model"),
        )
    else:
        listed = inputs.table(scores, name="scores", engine=engine)
        fingerprints["scores"] = listed.fingerprint()
        users, items, values = _pairs(listed, [SCORE], user_ids, item_ids)
        source = _Listed(_offsets(users, len(user_ids)), items, values)
    problem = Problem(
        len(user_ids),
        source,
        codes,
        tuple(", ".join(str(part) for part in name) for name in names),
        groups,
        item_names,
        _offsets(who, len(user_ids)),
        what,
        grades,
    )
    return problem, f"{', '.join(by_user)}, {by_item}", fingerprints


def _model(scores: Any) -> Recommender | None:
    if isinstance(scores, Recommender):
        return scores
    if isinstance(scores, str | Path) and (Path(scores) / "model.json").exists():
        return as_recommender(scores)
    return None


def _columns(table: inputs.Table, key: str, given: str | Sequence[str] | None, what: str) -> list[str]:
    """The attribute columns that were named, or the only one there is."""
    table.require(key)
    if given is not None:
        names = [given] if isinstance(given, str) else list(given)
        table.require(*names)
        return names
    others = [column for column in table.columns if column != key]
    if len(others) != 1:
        raise InputError(
            f"{table.name}: say which column makes the groups ({what}); it has: "
            f"{', '.join(others) or 'none'}."
        )
    return others


def _side(table: inputs.Table, key: str, columns: list[str]) -> tuple[pd.Index, pd.DataFrame]:
    """Ids in order with their attributes; no id twice, nothing empty."""
    inputs.unique_key(table, [key])
    required = [key, *columns]
    checks = inputs.problem_counts(table, required=required)
    inputs.without_problems(table.run(table.expr.aggregate(**checks)), table, required=required)
    frame = table.run(table.expr.select(*required).order_by(key))
    if frame.empty:
        raise InputError(f"{table.name}: the table is empty.")
    return pd.Index(frame[key]), frame


def _pairs(
    table: inputs.Table, numbers: list[str], user_ids: pd.Index, item_ids: pd.Index
) -> tuple[Ints, Ints, Floats]:
    """Numbers of users and items, and the value of each pair (1 where there is no column), user after "
    "user."""
    table.require(USER, ITEM, *numbers)
    required: dict[str, Any] = {"required": [USER, ITEM], "scores": numbers}
    checks = inputs.problem_counts(table, **required)
    inputs.without_problems(table.run(table.expr.aggregate(**checks)), table, **required)
    inputs.unique_key(table, [USER, ITEM])
    users, items, values = [], [], []
    for batch in table.batches(table.expr.select(USER, ITEM, *numbers)):
        who, what = (pd.Index(batch.column(key).to_pandas()) for key in (USER, ITEM))
        users.append(_found(who, user_ids, "users", "the users table", table))
        items.append(_found(what, item_ids, "items", "the items table", table))
        value = batch.column(numbers[0]).to_numpy(zero_copy_only=False) if numbers else np.ones(len(batch))
        values.append(np.asarray(value, dtype=float))
    if not users:
        raise InputError(f"{table.name}: the table is empty.")
    user, item = np.concatenate(users), np.concatenate(items)
    order = np.lexsort((item, user))
    return user[order], item[order], np.concatenate(values)[order]


def _found(ids: pd.Index, known: pd.Index, what: str, where: str, table: inputs.Table | None = None) -> Ints:
    place = known.get_indexer(ids)
    unseen = place < 0
    if unseen.any():
        source = f"{table.name}: " if table is not None else ""
        examples = ids[unseen].unique()
        raise InputError(
            f"{source}{len(examples):,} {what} are not known to {where}, for example {shown(examples[0])}; "
            "add them there, or leave them out."
        )
    return place.astype(np.int64)


def _item_groups(values: list[Any], where: str) -> tuple[ItemGroups, tuple[str, ...]]:
    """A group a value; a list, or text with | between, puts an item into several."""
    lists = [inputs.several(value) for value in values]
    bare = sum(not groups for groups in lists)
    if bare:
        raise InputError(f"{where}: {bare:,} of {len(lists):,} items have no group; give them one.")
    names = sorted({name for groups in lists for name in groups})
    place = {name: i for i, name in enumerate(names)}
    table = np.zeros((len(lists), len(names)), dtype=np.int8)
    for row, groups in enumerate(lists):
        table[row, [place[name] for name in groups]] = 1
    return ItemGroups.of(table), tuple(names)


def _offsets(sorted_users: NDArray[np.integer], count: int) -> Ints:
    return np.concatenate([[0], np.cumsum(np.bincount(sorted_users, minlength=count))]).astype(np.int64)
