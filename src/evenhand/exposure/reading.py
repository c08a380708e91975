"""From what a caller has to arrays: scores in blocks of users, relevant pairs, and groups on both sides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evenhand import inputs
from evenhand.errors import InputError
from evenhand.exposure.lists import Lists
from evenhand.exposure.problem import Dense, Listed, Problem, Recommended, Scores
from evenhand.exposure.scores import checked_scores
from evenhand.exposure.sides import ItemGroups, refuse_many_groups, shares, user_codes
from evenhand.parameters import number
from evenhand.recommenders.adapters import as_recommender
from evenhand.recommenders.ids import shown
from evenhand.recommenders.protocol import Recommender

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

USER, ITEM, SCORE, RELEVANCE = "user_id", "item_id", "score", "relevance"
LIST, RANK = "list_id", "rank"
Weights = Mapping[str, float] | None
LAST_RANK = 100_000


def read(
    scores: Any,
    relevance: Any,
    user_groups: Any,
    item_groups: Any,
    user_group: str | Sequence[str] | None,
    item_group: str | None,
    engine: Any,
    user_weights: Weights = None,
    item_weights: Weights = None,
    propensity: Any = None,
) -> tuple[Problem, str, dict[str, Any]]:
    """The problem, what the groups are called, and fingerprints of the tables it came from."""
    weights = (user_weights, item_weights)
    if _is_array(scores):
        problem = _from_arrays(scores, relevance, user_groups, item_groups, weights, propensity)
        return problem, "user group, item group", {}
    return _from_tables(
        scores, relevance, user_groups, item_groups, user_group, item_group, engine, weights, propensity
    )


def _is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray) or (
        isinstance(value, list) and bool(value) and isinstance(value[0], list)
    )


def _from_arrays(
    scores: Any,
    relevance: Any,
    user_groups: Any,
    item_groups: Any,
    weights: tuple[Weights, Weights],
    propensity: Any,
) -> Problem:
    table = checked_scores(scores)
    wanted = _matrix(relevance)
    if wanted.shape != table.shape:
        raise InputError(
            f"relevance has the shape {wanted.shape}, but scores {table.shape}; they must agree."
        )
    users, items = np.nonzero(wanted)
    both = {"user_groups": (user_groups, table.shape[0]), "item_groups": (item_groups, table.shape[1])}
    for what, (given, count) in both.items():
        if not hasattr(given, "__len__") or isinstance(given, Mapping):
            raise InputError(
                f"{what} must be a list with a label for each of {count:,}, as scores are arrays."
            )
        if len(given) != count:
            raise InputError(
                f"{what} has {len(given):,} entries, but scores are about {count:,}; give one for each."
            )
    if not len(table):
        raise InputError("scores have no users: there must be at least one row.")
    codes, names = user_codes(_labels(list(user_groups)))
    groups, item_names = _item_groups(list(item_groups), "item_groups", weights[1])
    user_names = tuple(str(name[0]) for name in names)
    return Problem(
        len(table),
        Dense(table),
        codes,
        user_names,
        _by_name("user", weights[0], user_names),
        groups,
        item_names,
        _offsets(users, len(table)),
        items.astype(np.int64),
        _not_negative(wanted[users, items]),
        None if propensity is None else _chances(_table_of(propensity, table.shape)[users, items]),
    )


def _table_of(propensity: Any, shape: tuple[int, ...]) -> Floats:
    """Propensities of all pairs, from those or from one for each item."""
    try:
        return np.broadcast_to(np.asarray(propensity, dtype=float), shape)
    except (TypeError, ValueError):
        raise InputError(
            f"propensity must be a number for each of {shape[1]:,} items, or a table of {shape[0]:,} users "
            "by items, as scores are arrays."
        ) from None


def _chances(given: Floats) -> Floats:
    bad = ~((given > 0) & (given <= 1))
    if bad.any():
        raise InputError(
            f"{bad.sum():,} of {len(bad):,} propensities of relevant pairs are not above 0 and at most 1, "
            f"such as {float(given[bad][0])}; a propensity is the chance that the pair was observed."
        )
    return np.ascontiguousarray(given)


def _matrix(relevance: Any) -> NDArray[Any]:
    try:
        table = np.asarray(relevance)
        return table if table.dtype.kind in "biuf" or table.ndim != 2 else table.astype(float)
    except (TypeError, ValueError):
        raise InputError("relevance must be a table of numbers, a row a user and a column an item.") from None


def _labels(values: list[Any], column: str = "") -> list[Any]:
    """Groups of users, if each has one: text or numbers."""
    where = f"users: column {column!r}" if column else "user_groups"
    if any(isinstance(value, list | tuple | set | dict | np.ndarray) for value in values):
        raise InputError(f"{where}: a user is in one group, but there are users with a list; give one label.")
    empty = sum(bool(pd.isna(value)) or value == "" for value in values)
    if empty:
        raise InputError(f"{where}: {empty:,} of {len(values):,} users have no group; give them one.")
    return values


def _not_negative(grades: NDArray[Any]) -> Floats:
    grade = grades.astype(float)
    bad = ~(np.isfinite(grade) & (grade >= 0))
    if bad.any():
        raise InputError(
            f"{bad.sum():,} grades are negative or not finite (such as {float(grade[bad][0])}); "
            "relevance must be 0 or more."
        )
    return grade


def _from_tables(
    scores: Any,
    relevance: Any,
    user_groups: Any,
    item_groups: Any,
    user_group: str | Sequence[str] | None,
    item_group: str | None,
    engine: Any,
    weights: tuple[Weights, Weights],
    propensity: Any,
) -> tuple[Problem, str, dict[str, Any]]:
    people = inputs.table(user_groups, name="users", engine=engine)
    catalogue = inputs.table(item_groups, name="items", engine=engine)
    wanted = inputs.table(relevance, name="relevance", engine=engine)
    by_user = _columns(people, USER, user_group, "user_group")
    by_items = _columns(catalogue, ITEM, item_group, "item_group")
    if len(by_items) > 1:
        raise InputError(f"item_group is one column, but there are {len(by_items)}: {', '.join(by_items)}.")
    (by_item,) = by_items
    user_ids, user_frame = _side(people, USER, by_user)
    item_ids, item_frame = _side(catalogue, ITEM, [by_item])
    codes, names = user_codes(*(_labels(user_frame[column].tolist(), column) for column in by_user))
    where = f"items: column {by_item!r}"
    groups, item_names = _item_groups(item_frame[by_item].tolist(), where, weights[1])
    user_names = tuple(", ".join(str(part) for part in name) for name in names)
    if len(set(user_names)) < len(user_names):
        twice = next(name for i, name in enumerate(user_names) if name in user_names[:i])
        raise InputError(
            f"users: two groups of {', '.join(by_user)} would both be called {twice!r}; take the commas "
            "out of these values."
        )
    fingerprints = {
        "users": people.fingerprint(len(user_ids)),
        "items": catalogue.fingerprint(len(item_ids)),
        "relevance": wanted.fingerprint(),
    }
    graded = [RELEVANCE] if RELEVANCE in wanted.columns else []
    weighed = [] if propensity is None else [_column(propensity)]
    who, what, values = _pairs(wanted, [*graded, *weighed], user_ids, item_ids)
    grades = values[:, 0] if graded else np.ones(len(who))
    kept = grades != 0  # a grade of 0 is as good as not listed
    who, what, grades = who[kept], what[kept], _not_negative(grades[kept])
    model = _model(scores)
    source: Scores | Lists
    if model is not None:
        known_users, known_items = pd.Index(model.user_ids), pd.Index(model.item_ids)
        source = Recommended(
            model,
            _found(user_ids, known_users, "users", "the model"),
            _found(item_ids, known_items, "items", "the model"),
        )
    else:
        listed = inputs.table(scores, name="scores", engine=engine)
        kind = "scores"
        if RANK in listed.columns and SCORE not in listed.columns:
            listed = inputs.table(scores, name="lists", engine=engine)
            kind, source = "lists", _lists(listed, user_ids, item_ids)
        else:
            users, items, given = _pairs(listed, [SCORE], user_ids, item_ids)
            source = Listed(_offsets(users, len(user_ids)), items, given[:, 0])
        fingerprints[kind] = listed.fingerprint()
    problem = Problem(
        len(user_ids),
        source,
        codes,
        user_names,
        _by_name("user", weights[0], user_names),
        groups,
        item_names,
        _offsets(who, len(user_ids)),
        what,
        grades,
        _chances(values[kept, -1]) if weighed else None,
    )
    return problem, f"{', '.join(by_user)}, {by_item}", fingerprints


def _model(scores: Any) -> Recommender | None:
    if isinstance(scores, Recommender):
        return scores
    if isinstance(scores, str | Path) and (Path(scores) / "model.json").exists():
        return as_recommender(scores)
    return None


def _column(propensity: Any) -> str:
    if isinstance(propensity, str) and propensity not in (USER, ITEM, RELEVANCE):
        return propensity
    raise InputError(
        "propensity must be the name of a column of the relevance table with the chance that a relevant pair "
        "was observed."
    )


def _columns(table: inputs.Table, key: str, given: str | Sequence[str] | None, what: str) -> list[str]:
    """The attribute columns that were named, or the only one there is."""
    table.require(key)
    if given is not None:
        names = [given] if isinstance(given, str) else list(given) if isinstance(given, Sequence) else []
        if not names or not all(isinstance(name, str) for name in names):
            raise InputError(f"{what} must be the name of a column of {table.name}, or several.")
        table.require(*names)
        if key in names or len(set(names)) < len(names):
            raise InputError(
                f"{what}: {', '.join(names)} must be different columns, and none of them {key!r}; "
                "name attributes."
            )
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
    table = inputs.as_groups(table, *columns)
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
    """Numbers of users and items, and for each pair the values of the columns `numbers`, user after user."""
    _usable(table, [USER, ITEM], numbers)
    inputs.unique_key(table, [USER, ITEM])
    users, items, values = [], [], []
    for batch in table.batches(table.expr.select(USER, ITEM, *numbers)):
        who, what = (pd.Index(batch.column(key).to_pandas()) for key in (USER, ITEM))
        users.append(_found(who, user_ids, "users", "the users table", table))
        items.append(_found(what, item_ids, "items", "the items table", table))
        table_of = np.empty((len(batch), len(numbers)))
        for place, column in enumerate(numbers):
            table_of[:, place] = batch.column(column).to_numpy(zero_copy_only=False)
        values.append(table_of)
    if not users:
        raise InputError(f"{table.name}: the table is empty.")
    user, item = np.concatenate(users), np.concatenate(items)
    order = np.lexsort((item, user))
    return user[order], item[order], np.concatenate(values)[order]


def _lists(table: inputs.Table, user_ids: pd.Index, item_ids: pd.Index) -> Lists:
    """Lists that users were shown: one a user, or several where a column says which row is of which."""
    lists = [LIST] if LIST in table.columns else []
    _usable(table, [USER, *lists, ITEM], [RANK])
    advice = "Keep one row for each key." if lists else f"Add {LIST!r} where a user was shown several lists."
    inputs.unique_key(table, [USER, *lists, ITEM], advice)
    inputs.unique_key(table, [USER, *lists, RANK], advice)
    frame = table.run(table.expr.select(USER, *lists, ITEM, RANK))
    if frame.empty:
        raise InputError(f"{table.name}: the table is empty.")
    ranks = frame[RANK].to_numpy(dtype=float)
    wrong = (ranks < 1) | (ranks != np.floor(ranks)) | (ranks > LAST_RANK)
    if wrong.any():
        raise InputError(
            f"{table.name}: column {RANK!r} has {int(wrong.sum()):,} of {len(ranks):,} values that are not "
            f"places in a list, such as {ranks[wrong][0]:g}; the first place is 1 and the last {LAST_RANK:,}."
        )
    who = _found(pd.Index(frame[USER]), user_ids, "users", "the users table", table)
    what = _found(pd.Index(frame[ITEM]), item_ids, "items", "the items table", table)
    which = pd.factorize(frame[LIST], sort=True)[0] if lists else np.zeros(len(frame), dtype=np.int64)
    order = np.lexsort((ranks, which, who))
    number = np.unique(np.stack([who, which])[:, order], axis=1, return_inverse=True)[1]
    return Lists(
        _offsets(who[order], len(user_ids)), number.ravel(), what[order], ranks[order].astype(np.int64)
    )


def _usable(table: inputs.Table, keys: list[str], numbers: list[str]) -> None:
    table.require(*keys, *numbers)
    required: dict[str, Any] = {"required": keys, "scores": numbers}
    checks = inputs.problem_counts(table, **required)
    inputs.without_problems(table.run(table.expr.aggregate(**checks)), table, **required)


def _by_name(side: str, weights: Weights, names: tuple[str, ...]) -> Floats:
    """Weights in the order of the groups; all groups must have one, and nothing else may."""
    if weights is None:
        return shares(side, None, len(names))
    if not isinstance(weights, Mapping):
        raise InputError(f"{side}_weights must name the groups: {{{names[0]!r}: 1.0, ...}}.")
    unknown = [str(name) for name in weights if name not in names]
    missing = [name for name in names if name not in weights]
    if unknown or missing:
        said = f"there is no {side} group {unknown[0]!r}" if unknown else f"{missing[0]!r} has none"
        raise InputError(f"{side}_weights: {said}; give a weight to each of {', '.join(names[:12])}.")
    values = [number(f"the weight of {side} group {name!r}", weights[name]) for name in names]
    return shares(side, values, len(names))


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


def _item_groups(values: list[Any], where: str, weights: Weights) -> tuple[ItemGroups, tuple[str, ...]]:
    """A group a value; a list, or text with | between, puts an item into several."""
    lists = [inputs.several(value) for value in values]
    bare = sum(not groups for groups in lists)
    if bare:
        raise InputError(f"{where}: {bare:,} of {len(lists):,} items have no group; give them one.")
    names = sorted({name for groups in lists for name in groups})
    refuse_many_groups(len(lists), len(names))
    place = {name: i for i, name in enumerate(names)}
    table = np.zeros((len(lists), len(names)), dtype=np.int8)
    for row, groups in enumerate(lists):
        table[row, [place[name] for name in groups]] = 1
    return ItemGroups.of(table, _by_name("item", weights, tuple(names))), tuple(names)


def _offsets(sorted_users: NDArray[np.integer], count: int) -> Ints:
    return np.concatenate([[0], np.cumsum(np.bincount(sorted_users, minlength=count))]).astype(np.int64)
