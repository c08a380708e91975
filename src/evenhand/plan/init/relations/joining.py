"""What describes creators, written into the table of items where logs say nothing of creators: the plan joins
it, as nobody's export has it there."""

from __future__ import annotations

from dataclasses import replace

from evenhand.plan.init.meaning.attributes import Attribute
from evenhand.plan.init.meaning.recognised import Joined, Recognised

# So many attributes of creators are joined, the plainest first.
MOST_JOINED = 6
SOME = 5_000
LEAST_SHARED = 0.5


def join_creators(tables: list[Recognised], log: Recognised | None) -> list[str]:
    """Give tables of items what the tables of their creators say, where `log` has no creators itself; return
    the sentences about it."""
    if log is None or log.creator is not None:
        return []
    said = []
    for items in (one for one in tables if one.role == "items" and one.creator is not None):
        creators = next((one for one in tables if one.role == "creators" and _joins(items, one)), None)
        if creators is None or creators.creator is None:
            continue
        on, key = str(items.creator), creators.creator
        known = creators.profile.share_of(ids := items.profile.some(on, SOME), key)
        lacking = round((1 - known) * len(ids) / max(len(ids), 1) * items.profile.rows)
        lacking += items.profile.columns[on].missing
        there = tuple(items.profile.columns)
        taken = [
            one
            for one in creators.of_items
            if one.strength > 0 and not one.several and not any(_has(name, one.column) for name in there)
        ][:MOST_JOINED]
        found = []
        for one in taken:
            name = _free_name(one.column, items, log)
            items.joined[name] = Joined(creators.profile.opened.files, on, key, one.column)
            found.append(_of_items(one, name, lacking, items.profile.rows))
        if found:
            items.of_items = [*found, *items.of_items]
            names = ", ".join(items.joined)
            said.append(
                f"{names} of {creators.name} joined to {items.name} by {on}, as logs name no creators."
            )
    return said


def join_arms(tables: list[Recognised], log: Recognised | None) -> list[str]:
    """Give a log that says nothing of a test which version each user was given, where a table says it; return
    the sentences about it."""
    if log is None or log.user is None or log.arms:
        return []
    said = []
    for users in (one for one in tables if one.role == "users" and one.arms and one is not log):
        if not _is_plain(users) or users.user is None or not _shares(log, log.user, users, users.user):
            continue
        for name in (one for one in users.arms if one not in log.profile.columns):
            log.joined[name] = Joined(users.profile.opened.files, log.user, users.user, name)
            log.joined_arms[name] = tuple(users.profile.columns[name].values)
            said.append(f"{name} of {users.name} joined to {log.name} by {log.user}.")
    return said


def _joins(items: Recognised, creators: Recognised) -> bool:
    if not _is_plain(creators) or items.creator is None or creators.creator is None:
        return False
    return _shares(items, items.creator, creators, creators.creator)


def _is_plain(table: Recognised) -> bool:
    """Whether a path says where it is."""
    files = table.profile.opened.files
    return files.table is None and not files.folders and bool(files.pattern or len(files.paths) == 1)


def _shares(one: Recognised, name: str, other: Recognised, key: str) -> bool:
    """Whether most of the ids of a column are there."""
    if one.profile.columns[name].kind != other.profile.columns[key].kind:
        return False
    return other.profile.share_of(one.profile.some(name), key) >= LEAST_SHARED


def _has(name: str, column: str) -> bool:
    """Whether items have the column already, as it is called or with more words: `cook_gender`."""
    return name == column or name.endswith((f"_{column}", f"-{column}", f".{column}"))


def _free_name(column: str, items: Recognised, log: Recognised) -> str:
    """Its own name, unless items or the log have a column of that name."""
    taken = {name.casefold() for one in (items, log) for name in one.profile.columns}
    return column if column.casefold() not in taken else f"creator_{column}"


def _of_items(one: Attribute, name: str, lacking: int, rows: int) -> Attribute:
    """The attribute as items have it: some belong to nobody who is known."""
    of_creators = one.missing / max(one.rows, 1) * rows
    return replace(one, column=name, missing=min(rows, round(of_creators) + lacking), rows=rows)
