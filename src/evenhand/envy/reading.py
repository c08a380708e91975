"""From what a caller has to rows: preferences and policies as arrays, tables, or a recommender's scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from evenhand import inputs
from evenhand.arrays import Ints
from evenhand.documents import Fingerprint
from evenhand.envy.checks import checked_policies, checked_preferences, same_users, unpacked
from evenhand.envy.rows import ComputedRows, TableRows, UserRows
from evenhand.envy.systems.policies import softmax
from evenhand.envy.utilities import rows_of
from evenhand.errors import InputError
from evenhand.inputs.given import Things, is_matrix, matrix
from evenhand.parameters import number, shown
from evenhand.recommenders.adapters import model_in
from evenhand.recommenders.protocol import Recommender

USER, ITEM, PREFERENCE, PROBABILITY = "user_id", "item_id", "preference", "probability"
# 8 GB of doubles.
MOST_ENTRIES = 1_000_000_000


@dataclass(frozen=True)
class EnvyProblem:
    """Row m of both tables is user `user_ids[m]`; `bounds` hold all preferences, None where not known."""

    preferences: UserRows
    policies: UserRows
    user_ids: NDArray[Any]
    bounds: tuple[float, float] | None
    fingerprints: dict[str, Fingerprint]
    numbered: bool = False  # users have no ids but their places


def read(
    preferences: Any,
    policies: Any,
    contexts: Any,
    inverse_temperature: float | None,
    unlisted: float | None,
    engine: Any,
) -> EnvyProblem:
    """The problem; without `policies` they are a softmax of the preferences."""
    policies = unpacked(policies)
    factor = None
    if inverse_temperature is not None:
        factor = number("inverse_temperature", inverse_temperature, 0)
    if policies is None and factor is None:
        raise InputError("give policies, or the inverse_temperature of a softmax over the preferences.")
    if is_matrix(preferences, policies):
        if unlisted is not None:
            raise InputError("missing is about a table of preferences, and an array has every pair.")
        return _from_arrays(preferences, policies, contexts, factor)
    if contexts is not None:
        raise InputError("contexts go with arrays of preferences, users x contexts x items.")
    if is_matrix(policies):
        raise InputError("preferences are a table, so policies must be one too, or a recommender.")
    model = model_in(preferences)
    if model is not None:
        if unlisted is not None:
            raise InputError("missing is about a table of preferences, and a recommender scores every pair.")
        return _from_recommender(model, policies, factor, engine)
    return _from_tables(preferences, policies, factor, unlisted, engine)


def _from_arrays(preferences: Any, policies: Any, contexts: Any, factor: float | None) -> EnvyProblem:
    framed = isinstance(preferences, pd.DataFrame)
    tastes = checked_preferences(preferences)
    if policies is not None and not is_matrix(policies, preferences):
        raise InputError("preferences are an array, so policies must be one too.")
    if isinstance(policies, pd.DataFrame):
        users = Things.of("users", preferences.index if framed else tastes.shape[0])
        items = Things.of("items", preferences.columns if framed else tastes.shape[-1])
        policies = matrix("policies", policies, users, items)
    if policies is None:
        policies = softmax(tastes, factor)  # type: ignore[arg-type]
    elif factor is not None:
        policies = softmax(policies, factor)
    shown_to = checked_policies(policies)
    same_users(tastes, shown_to)
    ours, theirs = rows_of(tastes, shown_to, contexts)
    bounds = float(tastes.min()), float(tastes.max())
    ids = np.asarray(preferences.index) if framed else np.arange(len(tastes))
    return EnvyProblem(ours, theirs, ids, bounds, {}, numbered=not framed)


def _from_recommender(model: Recommender, policies: Any, factor: float | None, engine: Any) -> EnvyProblem:
    """Preferences are scores of the model; policies a softmax of them, or of another model, or a table."""
    users, items = pd.Index(model.user_ids), pd.Index(model.item_ids)
    ours = _scores(model, users, items, None)
    other = model if policies is None else model_in(policies)
    prints: dict[str, Fingerprint] = {}
    if other is not None:
        if factor is None:
            raise InputError("policies are a recommender, so give the inverse_temperature of its softmax.")
        theirs: UserRows = _scores(other, users, items, factor)
    else:
        _refuse_temperature(factor)
        theirs, prints["policies"] = _policy_table(policies, users, items, engine)
    return EnvyProblem(ours, theirs, np.asarray(users), None, prints)


def _from_tables(
    preferences: Any, policies: Any, factor: float | None, unlisted: float | None, engine: Any
) -> EnvyProblem:
    table = inputs.table(preferences, name="preferences", engine=engine)
    who, what, values = _pairs(table, PREFERENCE)
    users, items = (pd.Index(np.unique(ids)) for ids in (who, what))
    if len(users) * len(items) > MOST_ENTRIES:
        raise InputError(
            f"preferences: {len(users):,} users x {len(items):,} items are too many to hold; leave out items "
            "that nobody is shown, or give a recommender, which is asked a few users at a time."
        )
    filled = len(users) * len(items) - len(values)
    if filled and unlisted is None:
        raise InputError(
            f"preferences: {filled:,} of {len(users) * len(items):,} pairs of a user and an item are not "
            "listed, and a preference that is not known is not 0; list them, or say what they count as "
            "(missing, on the command line --missing)."
        )
    default = 0.0 if unlisted is None else number("missing", unlisted, -1e12)
    matrix = np.full((len(users), len(items)), default)
    matrix[users.get_indexer(who), items.get_indexer(what)] = values
    prints = {"preferences": table.fingerprint(len(values))}
    model = None if policies is None else model_in(policies)
    if policies is None:
        theirs: UserRows = TableRows(softmax(matrix, factor))  # type: ignore[arg-type]
    elif model is not None:
        if factor is None:
            raise InputError("policies are a recommender, so give the inverse_temperature of its softmax.")
        theirs = _scores(model, users, items, factor)
    else:
        _refuse_temperature(factor)
        theirs, prints["policies"] = _policy_table(policies, users, items, engine)
    bounds = float(matrix.min()), float(matrix.max())
    return EnvyProblem(TableRows(matrix), theirs, np.asarray(users), bounds, prints)


def _refuse_temperature(factor: float | None) -> None:
    if factor is not None:
        raise InputError("policies are a table of probabilities, so leave inverse_temperature out.")


def _policy_table(
    policies: Any, users: pd.Index, items: pd.Index, engine: Any
) -> tuple[UserRows, Fingerprint]:
    """Policies as a sparse table; what is not listed is not shown."""
    table = inputs.table(policies, name="policies", engine=engine)
    who, what, values = _pairs(table, PROBABILITY)
    if (values < 0).any():
        raise InputError(f"policies: {int((values < 0).sum()):,} probabilities are negative.")
    user = inputs.places_of(who, users, "users", "preferences", "policies")
    item = inputs.places_of(what, items, "items", "preferences", "policies")
    sums = np.bincount(user, values, minlength=len(users))
    unserved = np.bincount(user, minlength=len(users)) == 0
    if unserved.any():
        raise InputError(
            f"policies: {int(unserved.sum()):,} of {len(users):,} users of the preferences have no row, for "
            f"example {shown(users[int(unserved.argmax())])}; give them a policy, or leave out their "
            "preferences."
        )
    wrong = np.abs(sums - 1) > 1e-4
    if wrong.any():
        first = int(wrong.argmax())
        raise InputError(
            f"policies: the probabilities of {int(wrong.sum()):,} of {len(users):,} users do not add up to "
            f"1, for example those of {shown(users[first])} to {sums[first]:.6g}; divide those of "
            "each user by their sum."
        )
    matrix = sparse.csr_array((values, (user, item)), shape=(len(users), len(items)))
    return TableRows(matrix), table.fingerprint(len(values))


def _scores(model: Recommender, users: pd.Index, items: pd.Index, factor: float | None) -> ComputedRows:
    """The model's scores of these users and items, through a softmax if there is a factor."""
    where = "the recommender of the policies"
    user = inputs.places_of(users, model.user_ids, "users", where, "preferences")
    item = inputs.places_of(items, model.item_ids, "items", where, "preferences")

    def make(chosen: Ints) -> NDArray[Any]:
        scores = np.asarray(model.score_block(user[chosen]))[:, item]
        return checked_preferences(scores) if factor is None else softmax(scores, factor)

    dtype = make(np.arange(1)).dtype
    return ComputedRows(len(users), len(items), make, dtype)


def _pairs(table: inputs.Table, column: str) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.float64]]:
    """Users, items and values, one row a pair, all there and finite."""
    table.require(USER, ITEM, column)
    inputs.usable_rows(table, required=[USER, ITEM], scores=[column])
    inputs.unique_key(table, [USER, ITEM])
    frame = table.run(table.expr.select(USER, ITEM, column).order_by([USER, ITEM]))
    if frame.empty:
        raise InputError(f"{table.name}: the table is empty.")
    return frame[USER].to_numpy(), frame[ITEM].to_numpy(), frame[column].to_numpy(dtype=float)
