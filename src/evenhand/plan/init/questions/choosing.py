"""The label and the groups of the audits: the likeliest, always marked, beside all other candidates."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from evenhand.plan.init.drafts import Draft
from evenhand.plan.init.labelling.labels import CHOSEN, PLAUSIBLE, Label
from evenhand.plan.init.meaning.attributes import Attribute
from evenhand.plan.init.meaning.columns import id_kind, is_time
from evenhand.plan.init.meaning.logs import Log
from evenhand.plan.init.meaning.recognised import Recognised
from evenhand.plan.init.meaning.vocabulary import LIKED, RATING, SHOWN
from evenhand.plan.init.meaning.words import hints
from evenhand.plan.init.questions.found import Found, told, usable
from evenhand.plan.init.tables.profiling import Column

# Of the ids of a log, a table that describes them has at least so many.
LEAST_SHARE = 0.5
SOME_IDS = 5_000
# The limit of what Evenhand takes where a plan has none; a plan should have one that somebody agreed on.
PENALTY = 0.11
LIMIT = (
    "how far groups may be from the average, as a share; it is that of the default, 1/9: agree on it first"
)
NO_LIMIT = "without a limit there is no verdict: agree on one"


def label_of(tables: list[Recognised], found: Found, draft: Draft) -> Label | None:
    """The label that all of these tables have; what was asked for, or the likeliest, which is marked."""
    first, *others = tables
    shared = [
        label
        for label in first.labels
        if all(any(_same(label, one) for one in other.labels) or other is first for other in others)
    ]
    if found.label is not None and any(found.label.column == one.column for one in shared):
        return _agreed(next(one for one in shared if one.column == found.label.column), draft)
    plausible = [label for label in shared if label.strength >= PLAUSIBLE]
    where = " and ".join(dict.fromkeys(one.name for one in tables))
    if not plausible:
        if shared and not found.unlabelled():
            listed = "; ".join(f"{one.column} ({one.why})" for one in shared[:5])
            _once(
                draft.notes, f"{where}: no column is plainly a label, so none was chosen. Possible: {listed}."
            )
        return None
    chosen = plausible[0]
    if chosen.strength == CHOSEN:
        return _agreed(chosen, draft)
    if any(mark.startswith("Label of ") and f": {chosen.meaning} (" in mark for mark in draft.marks):
        return chosen
    rest = [one for one in shared if one is not chosen]
    # Words that say what happened are as good a guess as where to cut a length of time.
    equal = [
        one
        for one in rest
        if one.strength == chosen.strength or (one.values and one.strength and chosen.strength == PLAUSIBLE)
    ]
    said = f"Label of {where}: {chosen.meaning} ({chosen.why}). Chosen by init: check it."
    if equal:
        names = ", ".join(one.column for one in equal)
        said += f" As plausible: {names}; only you know which one says that a user liked something."
    elif rest:
        said += f" Other candidates: {', '.join(one.column for one in rest[:5])}."
    _once(draft.marks, said)
    return chosen


def _agreed(label: Label, draft: Draft) -> Label:
    """A label that somebody named; where it is cut may be a guess nevertheless."""
    _once(draft.agreed, f"Label: {label.meaning}.")
    if label.cut:
        _once(draft.marks, label.cut)
    return label


def is_dated_or_ranked(table: Recognised) -> bool:
    """Whether rows have times or places in lists, as what was shown has."""
    return bool(table.rank) or any(is_time(column) for column in table.profile.columns.values())


def mark_shown(log: Log, draft: Draft) -> None:
    """Say that rows are taken for what users were shown, where neither a time nor a name says so."""
    plain = is_dated_or_ranked(log.table) and not hints(log.table.name, LIKED)
    if plain or hints(log.table.name, SHOWN | {"default"}):
        return
    each = f" Every user has {log.table.each} rows, as lists of candidates have." if log.table.each else ""
    _once(
        draft.marks,
        f"What users were shown is taken to be the rows of {log.told()}; nothing says so: check it.{each}",
    )


def remind_of_choice(log: Recognised, label: Label, draft: Draft) -> None:
    """Ratings are mostly of what users looked for themselves; nothing in a table says so."""
    if is_rated(label):
        _once(
            draft.marks,
            f"{log.name} holds what users rated. Unless a system showed it to them, the answer is about what "
            "they chose themselves, and not about how a system serves them.",
        )


def is_rated(label: Label) -> bool:
    return bool(label.rule) and hints(label.column, RATING)


def definition(label: Label) -> str:
    """What a positive row is, as reports say it. Of ratings it has the caveat, as a report is read without
    the plan; random rows have it too, as their label must be the same."""
    rated = " (ratings: of what users chose themselves, unless a system showed it)"
    return f"{label.meaning}{rated if is_rated(label) else ''}"


def of_words(label: Label) -> tuple[str, ...]:
    """All values of a column of words, for whoever says which of them are liked."""
    return (f"CHECK: {label.column} is one of {label.values}.",) if label.values else ()


def others(table: Recognised, chosen: Label) -> tuple[Label, ...]:
    """What could be the label instead."""
    return tuple(
        one
        for one in table.labels
        if one.column != chosen.column and (one.strength >= PLAUSIBLE or (one.strength and one.values))
    )


def _same(one: Label, other: Label) -> bool:
    return one.column == other.column and set(one.rule) - {"empty"} == set(other.rule) - {"empty"}


@dataclass(frozen=True, eq=False)
class Side:
    """An attribute, and the table that it is in."""

    attribute: Attribute
    table: Recognised

    def wanted(self) -> Side:
        """The same, as somebody asked for it: a number may then be cut."""
        return replace(self, attribute=replace(self.attribute, strength=max(self.attribute.strength, 1)))


def choosable(sides: list[Side]) -> list[Side]:
    """Those that may be chosen without being asked for: plain numbers are only listed."""
    return [side for side in sides if side.attribute.strength > 0]


def cut_and_missing(
    chosen: Mapping[str, Attribute], draft: Draft, unknown: str = ""
) -> tuple[dict[str, Any], dict[str, str]]:
    """The keys `bins` and `missing` of an audit of these attributes, by what the plan calls them, and what is
    to be checked of them. `unknown` says that the table of the attribute lacks some of who is in the log."""
    keys: dict[str, Any] = {}
    beside: dict[str, str] = {}
    bins = {name: list(one.bins) for name, one in chosen.items() if one.bins}
    for name, one in chosen.items():
        codes = [str(value) for value in one.sizes]
        if codes and not one.bins and all(code.isdecimal() for code in codes):
            draft.codes[name] = sorted(codes, key=int)
            said = f"{name} has codes ({', '.join(draft.codes[name])})"
            _once(draft.notes, f"{said}: say under [labels] in the plan what the report should call them.")
    if bins:
        keys["bins"], beside["bins"] = bins, "where to cut is your choice"
    empty = [one for one in chosen.values() if one.missing]
    if empty:
        keys["missing"] = "group"
        said = " and ".join(f"{one.column} is empty for {one.missing / one.rows:.1%}" for one in empty)
        beside["missing"] = f'{said}: they are a group of their own; or "exclude" them'
        _once(
            draft.marks,
            f'{said}. They are compared as a group of their own (missing = "group"). If that is no group, '
            'write missing = "exclude".',
        )
    elif unknown:
        keys["missing"] = "exclude"
        beside["missing"] = f'{unknown}: their rows are left out; or a "group" of their own'
        _once(draft.marks, f'{unknown}. Their rows are left out (missing = "exclude"): check it.')
    return keys, beside


def mark_unstated(side: Side, called: str, draft: Draft) -> None:
    """Say of a group that is none, and how to leave it out: it counts like any other in what is average."""
    unstated = side.attribute.unstated
    rest = [value for value in side.attribute.sizes if value not in unstated]
    if unstated and len(rest) > 1:
        some = ", ".join(json.dumps(value, ensure_ascii=False) for value in rest)
        _once(
            draft.marks,
            f"{called} has {' and '.join(map(repr, unstated))}, which may be no group, and counts as one. "
            f"To leave it out, add to each audit of {called}: where = {{ {called} = [{some}] }}.",
        )


def unknown_to(side: Side, log: Recognised) -> str:
    """That a table lacks some of the ids of a log, as catalogues do; "" where it has all that were looked
    at."""
    for name in ("user", "item", "creator"):
        ours, theirs = getattr(log, name), getattr(side.table, name)
        if side.table is not log and side.table.role == f"{name}s" and ours and theirs:
            known = side.table.profile.share_of(log.profile.some(ours, SOME_IDS), theirs)
            return (
                f"{side.table.name} lacks {1 - known:.1%} of the {name}s of {log.name}" if known < 1 else ""
            )
    return ""


def describes(table: Recognised, main: Recognised | None, draft: Draft) -> bool:
    """Whether a table has the ids of the main one: tables of other data are in the same folder, too."""
    if main is None or main is table:
        return True
    for side in ("user", "item", "creator"):
        ours, theirs = getattr(main, side), getattr(table, side)
        if ours is None or theirs is None or table.role not in (f"{side}s",):
            continue
        here, there = table.profile.columns[theirs], main.profile.columns[ours]
        unlike = id_kind(here) != id_kind(there)
        if unlike and (ours == theirs or _alike(table, theirs, main, ours)):
            said = (
                f"The table {table.name} was left out: its {theirs} is {_kind(here)}, and {ours} of "
                f"{main.name} is {_kind(there)}. Write ids alike in both."
            )
        elif unlike or table.profile.share_of(main.profile.some(ours), theirs) < LEAST_SHARE:
            said = f"The table {table.name} was left out: it lacks most of the {side}s of {main.name}."
        else:
            return True
        _once(draft.notes, said)
        draft.left_out.setdefault(table.role, said)
        return False
    return table.role != "creators" or main.creator is not None


def _alike(table: Recognised, theirs: str, main: Recognised, ours: str) -> bool:
    """Whether a number and a text have the same values: ids that were written in two ways."""
    values = [str(value).lstrip("0") or "0" for value in main.profile.some(ours)]
    if table.profile.columns[theirs].numeric:
        numbers = [int(value) for value in values if value.isdecimal()]
        return len(numbers) == len(values) and table.profile.share_of(numbers, theirs) >= LEAST_SHARE
    return table.profile.share_of(values, theirs) >= LEAST_SHARE


def _kind(column: Column) -> str:
    called = {"integer": "a number", "number": "a number", "text": "text"}.get(column.kind, column.kind)
    return f"{called} ({column.low})"


def of_items(found: Found, logs: list[Recognised], draft: Draft, several: bool = False) -> list[Side]:
    """Attributes of items: in all of these logs, in a table of items, or of creators; the plainest first."""
    main = logs[0] if logs else found.main
    sides = []
    if logs:
        shared = [
            one
            for one in usable(logs[0].of_items, several)
            if all(one.column in log.profile.columns for log in logs)
        ]
        sides += [Side(one, logs[0]) for one in shared]
    # The question is about creators: what describes them comes before what is as plain of items.
    for role in ("creators", "items"):
        for table in found.of(role):
            if not describes(table, main, draft):
                continue
            # A few items may have many rows in the logs.
            sides += [Side(one, table) for one in usable(table.of_items, several, least=2)]
    return _ordered(sides, [found.item_attribute] if found.item_attribute else None, draft)


def far_attributes(found: Found) -> str:
    """Whom items belong to, where only the table of items says so: the log cannot be joined to them."""
    main = found.main
    if main is None or main.creator is not None:
        return ""
    for creators in found.of("creators"):
        key = creators.creator
        names = [one.column for one in creators.of_items if one.strength > 0]
        items = next((one for one in found.of("items") if key in one.profile.columns), None)
        if key is None or items is None or main is items or items.joined or _are_joined(names, items, key):
            continue
        return (
            f"Two tables away, and so not compared: {', '.join(names[:6])} of {creators.name} ({items.name} "
            f"has {key}, and {main.name} has not). Write the columns of {creators.name} into {items.name}, "
            f"joined by {key}: then they are among the candidates."
        )
    return ""


def _are_joined(names: list[str], items: Recognised, key: str) -> bool:
    """Whether the table of items has columns of the creators already, as they are called or with more words
    (`tut_gdr`): one value for each creator."""
    possible = [
        column
        for column in items.profile.columns
        if any(name == column or column.endswith((f"_{name}", f"-{name}", f".{name}")) for name in names)
    ]
    return bool(items.profile.depends_on(possible, key)) or not names


def of_users(found: Found, logs: list[Recognised], draft: Draft) -> list[Side]:
    """Attributes of users: in a table of users, or in all of these logs."""
    main = logs[0] if logs else found.main
    tables = [table for table in found.of("users") if describes(table, main, draft)]
    sides = [Side(one, table) for table in tables for one in usable(table.of_users)]
    if logs:
        shared = [
            one for one in usable(logs[0].of_users) if all(one.column in log.profile.columns for log in logs)
        ]
        sides += [Side(one, logs[0]) for one in shared]
    return _ordered(sides, found.user_attributes, draft)


def _ordered(sides: list[Side], asked: list[str] | None, draft: Draft) -> list[Side]:
    for side in sides:
        _once(draft.groups, told(side.attribute, side.table.name))
    if asked is not None:
        return [side.wanted() for name in asked for side in sides if side.attribute.column == name]
    plainest = sorted(sides, key=lambda side: -side.attribute.strength)
    names = [side.attribute.column for side in plainest]
    return [side for place, side in enumerate(plainest) if side.attribute.column not in names[:place]]


def mark_groups(found: Found, draft: Draft, chosen: list[Side], among: list[Side], whose: str) -> None:
    """Say which groups were chosen, why, and which others there are."""
    names = ", ".join(side.attribute.column for side in chosen)
    asked = found.user_attributes if whose == "users" else found.item_attribute
    if asked is not None:
        _once(draft.agreed, f"Groups of {whose}: {names}.")
        return
    if any(mark.startswith(f"Groups of {whose}: {names} (") for mark in draft.marks):
        return
    plain = all(side.attribute.sensitive for side in chosen)
    why = (
        "people are often protected by it"
        if plain
        else "no column is plainly one that people are protected by"
    )
    rest = [side.attribute.column for side in among if side not in chosen]
    others = f" Other candidates: {', '.join(dict.fromkeys(rest[:6]))}." if rest else ""
    far = far_attributes(found) if whose == "creators or items" else ""
    said = f"Groups of {whose}: {names} ({why}). Chosen by init: check it.{others}"
    _once(draft.marks, f"{said} {far}".rstrip())


def _once(listed: list[str], sentence: str) -> None:
    if sentence not in listed:
        listed.append(sentence)
