"""Ids that no word gives away: what a table of people is keyed by is a user, whatever it is called, and so is
a column that has the ids of users."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from evenhand.plan.init.columns import LEAST_IDS, id_of, is_time
from evenhand.plan.init.profiling import Column, Profile
from evenhand.plan.init.vocabulary import ID, PROTECTED
from evenhand.plan.init.words import hints

# Names of columns by side (user, item), each with what told that it is an id.
Learnt = Mapping[str, Mapping[str, str]]
SIDES = ("user", "item")
# Of the values of a column, so many must be ids of the other table; and, where both are numbers, of the ids
# so many must be in the column: small numbers are in everything.
LEAST_SHARED, LEAST_COVERED = 0.9, 0.5
SOME = 200


def learnt_ids(profiles: list[Profile], named: Mapping[str, list[str]]) -> Learnt:
    """Names of columns that are ids of users or items: those that were `named`; the key of a table with an
    attribute that people are protected by; what stands beside that key elsewhere and is the key of a third
    table; and columns with the values of one that is known."""
    learnt: dict[str, dict[str, str]] = {side: {} for side in SIDES}
    keyed = "by what it is the key of. Only this says so"
    for one in profiles:
        if id_of(one, "user") is None and id_of(one, "item") is None and id_of(one, "creator") is None:
            keys = _keys(one)
            if keys and any(hints(name, PROTECTED) for name in one.columns):
                learnt["user"][keys[0]] = keyed
    users = learnt["user"]
    for one in profiles:
        user = id_of(one, "user") or next((name for name in one.columns if name in users), None)
        if user is None or id_of(one, "item") is not None:
            continue
        beside = [name for name in one.columns if name != user and hints(name, ID) and name not in users]
        for name in beside:
            if any(name in _keys(other) for other in profiles if other is not one):
                learnt["item"][name] = keyed
    for side in SIDES:
        _by_values(profiles, side, learnt, set(named.get(f"{side}_id", ())))
    return learnt


def _by_values(
    profiles: list[Profile], side: str, learnt: dict[str, dict[str, str]], named: set[str]
) -> None:
    """Columns that have the values of an id which is known, in tables that have no id of that side."""
    known = [
        (one, name) for one in profiles if (name := id_of(one, side, {*learnt[side], *named})) is not None
    ]
    taken = {name for one in learnt.values() for name in one} | named
    for one in profiles:
        if any(one is other for other, _ in known):
            continue
        others = {id_of(one, other) for other in ("user", "item", "creator", "list")} | taken
        for name, column in one.columns.items():
            if name in others or column.distinct < LEAST_IDS or is_time(column):
                continue
            for other, key in known:
                if _shares(one, column, other, key):
                    why = f"because it has the values of {key} of {other.name}"
                    learnt[side].setdefault(name, why)
                    break


def _shares(one: Profile, column: Column, other: Profile, key: str) -> bool:
    ids = other.columns[key]
    if column.kind != ids.kind or column.kind not in ("integer", "text"):
        return False
    if column.kind == "integer" and column.distinct < LEAST_COVERED * ids.distinct:
        return False
    return other.share_of(one.some(column.name, SOME), key) >= LEAST_SHARED


def told(learnt: Learnt) -> Iterator[str]:
    """What was learnt, for somebody to check."""
    for side, names in learnt.items():
        for name, why in sorted(names.items()):
            yield f"{name} is taken to be the id of {side}s, {why}: check it."


def _keys(profile: Profile) -> list[str]:
    """Columns that are called like ids and that no two rows share."""
    return [
        name
        for name, column in profile.columns.items()
        if hints(name, ID)
        and column.kind in ("integer", "text")
        and column.distinct == column.rows >= LEAST_IDS
    ]
