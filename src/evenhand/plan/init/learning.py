"""Ids that no word gives away: what a table of people is keyed by is a user, whatever it is called."""

from __future__ import annotations

from collections.abc import Mapping

from evenhand.plan.init.columns import LEAST_IDS, id_of
from evenhand.plan.init.profiling import Profile
from evenhand.plan.init.vocabulary import ID, PROTECTED
from evenhand.plan.init.words import hints

Learnt = Mapping[str, frozenset[str]]


def learnt_ids(profiles: list[Profile]) -> Learnt:
    """Names of columns that are ids of users or items, by side: the key of a table with an attribute that
    people are protected by, and what stands beside that key elsewhere and is the key of a third table."""
    users, items = set(), set()
    for one in profiles:
        if id_of(one, "user") is None and id_of(one, "item") is None and id_of(one, "creator") is None:
            keys = _keys(one)
            if keys and any(hints(name, PROTECTED) for name in one.columns):
                users.add(keys[0])
    for one in profiles:
        user = id_of(one, "user") or next((name for name in one.columns if name in users), None)
        if user is None or id_of(one, "item") is not None:
            continue
        beside = [name for name in one.columns if name != user and hints(name, ID) and name not in users]
        for name in beside:
            if any(name in _keys(other) for other in profiles if other is not one):
                items.add(name)
    return {"user": frozenset(users), "item": frozenset(items)}


def _keys(profile: Profile) -> list[str]:
    """Columns that are called like ids and that no two rows share."""
    return [
        name
        for name, column in profile.columns.items()
        if hints(name, ID)
        and column.kind in ("integer", "text")
        and column.distinct == column.rows >= LEAST_IDS
    ]
