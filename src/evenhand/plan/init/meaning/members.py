"""Members who are users and creators, as where people sell to each other: their table describes both."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from evenhand.plan.init.meaning.attributes import attributes_of
from evenhand.plan.init.meaning.learning import LEAST_COVERED, LEAST_SHARED, SOME
from evenhand.plan.init.meaning.recognising import Recognised
from evenhand.plan.init.tables.profiling import Column


def members_as_creators(tables: list[Recognised], named: Collection[str]) -> list[Recognised]:
    """Tables of users that have the ids of creators too, once more as tables of creators. `named` are columns
    that somebody has said are creators."""
    if any(table.role == "creators" for table in tables):
        return []
    logs = [one for one in tables if one.creator is not None and one.role != "users"]
    found = []
    for users in (one for one in tables if one.role == "users" and one.user is not None):
        key = users.user
        log = next((one for one in logs if _has_creators(users, one, key in named)), None)
        if log is None:
            continue
        why = f"as {log.creator} of {log.name} has values of {key}"
        mark = f"{users.name} is taken to describe creators, too, {why}: check it."
        names = [one.column for one in users.of_users]
        found.append(
            replace(
                users, role="creators", user=None, creator=key, of_users=[],
                of_items=attributes_of(users.profile, names, of_people=True),
                labels=[], tags=[], arms=[], named_arms=[], notes=[], marks=[] if key in named else [mark],
            )
        )  # fmt: skip
    return found


def _has_creators(users: Recognised, log: Recognised, named: bool) -> bool:
    assert users.user is not None
    assert log.creator is not None
    ids, creators = users.profile.columns[users.user], log.profile.columns[log.creator]
    if ids.kind != creators.kind or users.profile is log.profile:
        return False
    if not named and counted_from_one(ids) and creators.distinct < LEAST_COVERED * ids.distinct:
        return False
    return users.profile.share_of(log.profile.some(log.creator, SOME), users.user) >= LEAST_SHARED


def counted_from_one(ids: Column) -> bool:
    """Small numbers are in everything: they do not say whose ids they are."""
    return bool(ids.kind == "integer" and ids.low <= ids.distinct)
