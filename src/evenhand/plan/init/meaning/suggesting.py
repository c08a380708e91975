"""What to type where columns are called otherwise than the keys whose values they have: `viewer` and `owner`
beside `member`, the key of a table of its own."""

from __future__ import annotations

from collections.abc import Iterator

from evenhand.plan.init.meaning.columns import is_time
from evenhand.plan.init.meaning.learning import LEAST_COVERED, LEAST_SHARED, SOME
from evenhand.plan.init.meaning.members import counted_from_one
from evenhand.plan.init.meaning.recognising import Recognised
from evenhand.plan.init.meaning.shared_keys import LEAST_KEYS
from evenhand.plan.init.tables.profiling import Column

# A column, and the table whose key has its values.
Match = tuple[str, Recognised, str]


def of_keys(log: Recognised, tables: list[Recognised]) -> str:
    """Which columns have the values of keys of other tables, and what to type if they are users, items and
    creators; "" where none has."""
    found = list(_matches(log, tables))
    if not found:
        return ""
    facts = []
    for _, table, key in {match[1].name: match for match in found}.values():
        names = [column for column, other, _ in found if other is table]
        have = "has" if len(names) == 1 else "have"
        facts.append(f"{' and '.join(names)} {have} values of {key} (the key of {table.name})")
    options = _options(log, found, tables)
    typed = f" If that is who was shown what, type: {options}." if options else ""
    return f"By their values, {'; '.join(facts)}.{typed}"


def of_creators(log: Recognised, tables: list[Recognised]) -> str:
    """The same of a log whose users and items are known, of whoever its items belong to."""
    owners = _owners(list(_matches(log, tables)), tables)
    if log.creator is not None or not owners:
        return ""
    column, table, key = owners[0]
    return (
        f"{column} of {log.name} has values of {key} (the key of {table.name}), and each item has one. If "
        f"these are creators, type: --columns creator_id={column}"
        f"{f' --columns creator_id={key}' if key != column else ''}."
    )


def of_far_keys(unknown: list[Recognised], tables: list[Recognised]) -> Iterator[str]:
    """Tables whose key only the table of items has."""
    for one in unknown:
        for items in (other for other in tables if other.role == "items"):
            key = next((name for name in one.profile.shared_keys if name in items.profile.columns), None)
            if key is not None:
                yield (
                    f"{items.name} has {key}, the key of {one.name} ({', '.join(one.profile.columns)}). If "
                    f"these are creators, type: --columns creator_id={key}."
                )


def _matches(log: Recognised, tables: list[Recognised]) -> Iterator[Match]:
    taken = {log.user, log.item, log.creator}
    keyed = [(one, key) for one in tables if one.profile is not log.profile and (key := _key_of(one))]
    for name, column in log.profile.columns.items():
        if name in taken or not _is_id(column) or column.distinct == column.rows:
            continue
        for one, key in keyed:
            if one.role != "creators" and _has_values(log, column, one, key):
                yield name, one, key
                break


def _key_of(one: Recognised) -> str | None:
    columns = one.profile.columns.items()
    return next((name for name, c in columns if c.distinct == c.rows and _is_id(c)), None)


def _is_id(column: Column) -> bool:
    return column.distinct >= LEAST_KEYS and column.kind in ("integer", "text") and not is_time(column)


def _has_values(log: Recognised, column: Column, one: Recognised, key: str) -> bool:
    ids = one.profile.columns[key]
    if ids.kind != column.kind:
        return False
    if counted_from_one(ids) and column.distinct < LEAST_COVERED * ids.distinct:
        return False
    return one.profile.share_of(log.profile.some(column.name, SOME), key) >= LEAST_SHARED


def _owners(found: list[Match], tables: list[Recognised]) -> list[Match]:
    """Columns that another table, of what is shown, has in its rows, too."""
    keys = {one.name: _key_of(one) for one in tables}
    return [
        match
        for match in found
        if any(
            match[0] in one.profile.columns and one is not match[1] and keys[one.name] not in (None, match[0])
            for one in tables
            if one.role == "items" or any(one is other for _, other, _ in found)
        )
    ]


def _options(log: Recognised, found: list[Match], tables: list[Recognised]) -> str:
    """What to type where one column is left for users and one for items; things have an owner in each row."""
    owners = _owners(found, tables)
    owned = {column for column, _, _ in owners}
    items = [one for one in found if one not in owners and owned & set(one[1].profile.columns)]
    users = [one for one in found if one not in owners and one not in items]
    wanted = {"item": items, "user": users, "creator": owners[:1]}
    sides = [side for side in ("user", "item") if getattr(log, side) is None]
    if any(len(wanted[side]) != 1 for side in sides):
        return ""
    typed = [
        f"--columns {side}_id={name}"
        for side in (*sides, "creator")
        for column, _, key in wanted[side]
        for name in dict.fromkeys((column, key) if side != "creator" else (column,))
    ]
    return " ".join(typed)
