"""Members who are users and creators, as where people sell to each other, or who are shown to one another, as
in dating: their table describes both."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from evenhand.plan.init.meaning.attributes import attributes_of
from evenhand.plan.init.meaning.recognised import Recognised
from evenhand.plan.init.relations.references import LEAST_SHARED, SOME
from evenhand.plan.init.tables.profiling import Column

# Of numbers that are counted from 0 on, so many must be somebody's.
LEAST_COVERED = 0.5


def members_again(tables: list[Recognised], named: Collection[str]) -> list[Recognised]:
    """Tables of users that have the ids of creators, or of what is shown, too: once more as tables of these.
    `named` are columns that somebody has said are creators."""
    found = []
    for side in ("creator", "item"):
        if any(table.role == f"{side}s" for table in tables):
            continue
        logs = [
            one for one in tables if getattr(one, side) is not None and one.role not in ("users", f"{side}s")
        ]
        for users in (one for one in tables if one.role == "users" and one.user is not None):
            key = users.user
            log = next((one for one in logs if _has(users, one, getattr(one, side), key in named)), None)
            if log is not None:
                found.append(_again(users, log, side, key in named))
    return found


def _again(users: Recognised, log: Recognised, side: str, named: bool) -> Recognised:
    what = "creators" if side == "creator" else "what is shown"
    why = f"as {getattr(log, side)} of {log.name} has values of {users.user}"
    mark = f"{users.name} is taken to describe {what}, too, {why}: check it."
    names = [one.column for one in users.of_users]
    again = replace(
        users, role=f"{side}s", user=None, of_users=[],
        of_items=attributes_of(users.profile, names, of_people=True),
        labels=[], tags=[], arms=[], named_arms=[], notes=[], marks=[] if named else [mark],
    )  # fmt: skip
    setattr(again, side, users.user)
    return again


def _has(users: Recognised, log: Recognised, column: str, named: bool) -> bool:
    assert users.user is not None
    ids, theirs = users.profile.columns[users.user], log.profile.columns[column]
    if ids.kind != theirs.kind or users.profile is log.profile:
        return False
    if not named and counted_from_one(ids) and theirs.distinct < LEAST_COVERED * ids.distinct:
        return False
    return users.profile.share_of(log.profile.some(column, SOME), users.user) >= LEAST_SHARED


def counted_from_one(ids: Column) -> bool:
    """Small numbers are in everything: they do not say whose ids they are."""
    return bool(ids.kind == "integer" and ids.low <= ids.distinct)
