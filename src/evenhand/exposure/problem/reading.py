"""From what a caller has to arrays: scores in blocks of users, relevant pairs, and groups on both sides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from evenhand import inputs
from evenhand.about import Parts, combined
from evenhand.arrays import Floats, Ints
from evenhand.errors import InputError
from evenhand.exposure.problem.lists import Lists
from evenhand.exposure.problem.matrices import (
    by_name,
    chances,
    from_matrix,
    groups_of_cells,
    offsets_of,
)
from evenhand.exposure.problem.numbered import Listed, Problem, Recommended, Scores
from evenhand.exposure.problem.sides import user_codes
from evenhand.exposure.problem.sources import Sources
from evenhand.exposure.problem.targets import not_negative
from evenhand.inputs.given import is_matrix, labels
from evenhand.recommenders.adapters import from_http, is_endpoint, model_in, their_names

USER, ITEM, SCORE, RELEVANCE = "user_id", "item_id", "score", "relevance"
LIST, RANK = "list_id", "rank"
LAST_RANK = 100_000


def read(scores: Any, sources: Sources) -> tuple[Problem, Parts, dict[str, Any]]:
    """The problem, what the groups are called, and fingerprints of the tables it came from."""
    if is_matrix(scores, sources.relevance):
        return from_matrix(scores, sources), {"users": ("user group",), "items": ("item group",)}, {}
    if sources.exclude is not None:
        raise InputError(
            "exclude is for scores in a matrix, users x items; in a table, leave out the rows of what is not "
            "shown, and a recommender leaves out what a user took already."
        )
    return _from_tables(scores, sources)


def _from_tables(scores: Any, sources: Sources) -> tuple[Problem, Parts, dict[str, Any]]:
    engine = sources.engine
    people = inputs.table(sources.user_groups, name="users", engine=engine)
    catalogue = inputs.table(sources.item_groups, name="items", engine=engine)
    wanted = inputs.table(sources.relevance, name="relevance", engine=engine)
    by_user = _columns(people, USER, sources.user_group, "user_group")
    by_items = _columns(catalogue, ITEM, sources.item_group, "item_group")
    if len(by_items) > 1:
        raise InputError(f"item_group is one column, but there are {len(by_items)}: {', '.join(by_items)}.")
    (by_item,) = by_items
    user_ids, user_frame = _side(people, USER, by_user)
    item_ids, item_frame = _side(catalogue, ITEM, [by_item])
    codes, names = user_codes(
        *(labels(f"users: column {column!r}", user_frame[column].tolist(), "users") for column in by_user)
    )
    where = f"items: column {by_item!r}"
    groups, item_names = groups_of_cells(item_frame[by_item].tolist(), where, sources.item_weights)
    words = [[inputs.word(part) for part in name] for name in names]
    user_names = tuple(each[0] if len(each) == 1 else combined(each) for each in words)
    fingerprints = {
        "users": people.fingerprint(len(user_ids)),
        "items": catalogue.fingerprint(len(item_ids)),
        "relevance": wanted.fingerprint(),
    }
    graded = [RELEVANCE] if RELEVANCE in wanted.columns else []
    weighed = [] if sources.propensity is None else [_column(sources.propensity)]
    who, what, values = _pairs(wanted, [*graded, *weighed], user_ids, item_ids)
    grades = values[:, 0] if graded else np.ones(len(who))
    kept = grades != 0  # a grade of 0 is as good as not listed
    who, what, grades = who[kept], what[kept], not_negative(grades[kept])
    model = from_http(scores, user_ids, item_ids) if is_endpoint(scores) else model_in(scores)
    source: Scores | Lists
    if model is not None:
        known_users, known_items = pd.Index(model.user_ids), pd.Index(model.item_ids)
        source = Recommended(
            model,
            inputs.places_of(user_ids, known_users, "users", "the model"),
            inputs.places_of(item_ids, known_items, "items", "the model"),
        )
    else:
        theirs = their_names(scores)
        listed = inputs.table(scores, name="scores", columns=theirs, engine=engine)
        kind = "scores"
        if RANK in listed.columns and SCORE not in listed.columns:
            listed = inputs.table(scores, name="lists", columns=theirs, engine=engine)
            kind, source = "lists", _lists(listed, user_ids, item_ids)
        else:
            users, items, given = _pairs(listed, [SCORE], user_ids, item_ids)
            source = Listed(offsets_of(users, len(user_ids)), items, given[:, 0])
        fingerprints[kind] = listed.fingerprint()
    problem = Problem(
        len(user_ids),
        source,
        codes,
        user_names,
        by_name("user", sources.user_weights, user_names),
        groups,
        item_names,
        offsets_of(who, len(user_ids)),
        what,
        grades,
        chances(values[kept, -1]) if weighed else None,
        user_ids,
    )
    return problem, {"users": tuple(by_user), "items": (by_item,)}, fingerprints


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
    inputs.usable_rows(table, required=required)
    frame = table.run(table.expr.select(*required).order_by(key))
    if frame.empty:
        raise InputError(f"{table.name}: the table is empty.")
    return pd.Index(frame[key]), frame


def _pairs(
    table: inputs.Table, numbers: list[str], user_ids: pd.Index, item_ids: pd.Index
) -> tuple[Ints, Ints, Floats]:
    """Numbers of users and items, and for each pair the values of the columns `numbers`, user after user."""
    table.require(USER, ITEM, *numbers)
    inputs.usable_rows(table, required=[USER, ITEM], scores=numbers)
    inputs.unique_key(table, [USER, ITEM])
    users, items, values = [], [], []
    for batch in table.batches(table.expr.select(USER, ITEM, *numbers)):
        who, what = (batch.column(key).to_pandas() for key in (USER, ITEM))
        users.append(inputs.places_of(who, user_ids, "users", "the users table", table.name))
        items.append(inputs.places_of(what, item_ids, "items", "the items table", table.name))
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
    table.require(USER, *lists, ITEM, RANK)
    inputs.usable_rows(table, required=[USER, *lists, ITEM], scores=[RANK])
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
    who = inputs.places_of(frame[USER], user_ids, "users", "the users table", table.name)
    what = inputs.places_of(frame[ITEM], item_ids, "items", "the items table", table.name)
    which = pd.factorize(frame[LIST], sort=True)[0] if lists else np.zeros(len(frame), dtype=np.int64)
    order = np.lexsort((ranks, which, who))
    number = np.unique(np.stack([who, which])[:, order], axis=1, return_inverse=True)[1]
    return Lists(
        offsets_of(who[order], len(user_ids)), number.ravel(), what[order], ranks[order].astype(np.int64)
    )
