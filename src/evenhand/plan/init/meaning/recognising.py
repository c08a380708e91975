"""What each table is: logs, users, items, candidates, scores, lists, preferences, policies, vectors."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from evenhand.plan.init.labelling.labels import (
    CHOSEN,
    MADE,
    PLAUSIBLE,
    Label,
    label_candidates,
    labels_in_words,
    named_label,
    ranked,
    unnamed_numbers,
)
from evenhand.plan.init.labelling.outcomes import outcomes_of, told_words, words_label
from evenhand.plan.init.meaning import columns as find
from evenhand.plan.init.meaning.attributes import attributes_of, births_without_groups, is_tag
from evenhand.plan.init.meaning.candidates import as_candidates, dated, lists_of, places, rows_of_each_user
from evenhand.plan.init.meaning.recognised import Recognised
from evenhand.plan.init.meaning.vocabulary import (
    ARM,
    CANDIDATES,
    CREATOR,
    DISLIKED,
    DWELL,
    ITEM,
    RANDOM,
    USER,
    VECTOR,
)
from evenhand.plan.init.meaning.words import hints
from evenhand.plan.init.tables.profiling import Profile

LEAST_DIMENSIONS = 4
# What is taken for what users like, or for what they were shown, although no column is a label.
_LIKED = ("relevance", "lists", "preferences")
_NUMBERED = re.compile(r"^(.*?)[_\-. ]?(\d+)$")


def recognise(
    profile: Profile,
    sides: Mapping[str, str],
    named: Mapping[str, list[str]] | None = None,
    creators_are_items: bool = False,
    keys: Collection[str] = (),
) -> Recognised:
    """What the table is, by its columns and what they hold; "unknown" where neither says so. `sides` are the
    columns that other tables have told of (`sides.sides_of`), `named` our names of columns and theirs, where
    somebody has said so. Where no table has items, what is recommended are
    the creators: artists, sellers, channels. Columns that are `keys` of other tables are no attributes."""
    given = {
        key: next((one for one in (named or {}).get(ours, ()) if one in profile.columns), None)
        for key, ours in find.OWN.items()
    }
    said = {name for names in (named or {}).values() for name in names} | set(sides.values())

    def id_of(side: str) -> str | None:
        told = given[side] or sides.get(side)
        # Where others have told of the table, a word alone makes nobody else of another column.
        return told or (None if sides and side == "user" else find.id_of(profile, side, not_these=said))

    found = Recognised(
        profile,
        "unknown",
        user=id_of("user"),
        item=id_of("item"),
        creator=id_of("creator"),
        listed=given["listed"] or find.id_of(profile, "list", not_these=said),
    )
    if found.creator == found.user:  # members: who they are as creators, a table of its own says (members)
        found.creator = None
    if creators_are_items and found.item is None:
        found.item, found.creator = found.creator, None
    if profile.looked_at == 0:
        found.notes.append(f"{profile.name} has no rows.")
        return found
    if profile.left_out:
        found.notes.append(
            f"{profile.name} has {profile.left_out:,} more columns; they were not looked at, as their names "
            "say nothing."
        )
    if (side := _vectors_of(profile, found)) is not None:
        found.role = f"vectors of {side}s"
        return found
    found.rank = given["rank"] or find.rank_of(profile) or places(profile, found)
    found.score = given["score"] or find.score_of(profile)
    found.preference = given["preference"] or find.preference_of(profile)
    found.probability = given["probability"] or find.probability_of(profile)
    found.day = find.day_of(profile)
    ids = {one for one in (found.user, found.item, found.creator, found.listed) if one}
    taken = ids | {
        one for one in (found.rank, found.score, found.preference, found.probability, found.day) if one
    }
    found.tags = [
        name
        for name, c in profile.columns.items()
        if name not in taken and is_tag(c) and 2 <= c.distinct <= 20
    ]
    found.arms = [
        name
        for name, c in profile.columns.items()
        if name not in taken and hints(name, ARM) and 2 <= c.distinct <= 8 and not hints(name, RANDOM)
    ]
    arms = [name for name in (named or {}).get(find.ARM_COLUMN, ()) if name in profile.columns]
    found.named_arms = arms
    found.arms = [*arms, *(name for name in found.arms if name not in arms)]
    flags = {*_random_flags(profile), *(named or {}).get(find.RANDOM_FLAG, ())}
    found.shown = find.shown_flag(profile)
    if found.shown is not None:
        flags.add(found.shown)
    outcomes_of_shown = _known_where_shown(profile, found.shown) if found.shown else set()
    found.labels, notes = label_candidates(profile, taken | flags)
    found.labels = ranked(
        [
            replace(one, strength=PLAUSIBLE, why=f"{one.why}; known only of what was shown")
            if one.column in outcomes_of_shown and one.strength < PLAUSIBLE and not one.values
            else one
            for one in found.labels
        ]
    )
    labels = [name for name in (named or {}).get(find.LABEL, ()) if name in profile.columns]
    outcomes = _outcomes(profile, found, taken | flags | set(found.arms) | set(keys))
    found.labels = _with_named([*found.labels, *_in_words(profile, found, outcomes, labels)], profile, labels)
    if labels[1:]:
        found.notes.append(
            f"{profile.name}: of the labels that were named, {labels[0]} is read, and not "
            f"{' or '.join(labels[1:])}, as audits read one of a table. Run init again for another."
        )
    found.each = rows_of_each_user(profile, found)
    found.role = _role(profile, found, outcomes, score_is_named=given["score"] is not None)
    if found.role == "log" and found.each:
        as_candidates(profile, found)
    if found.role == "candidates" and dated(profile) and given["score"] is None:
        found.marks.append(
            f"{profile.name} is taken to be candidates with scores ({found.score}), as it is called so, "
            "although its rows have a time: check it."
        )
    if found.role == "candidates" and found.listed is None:
        found.listed = lists_of(profile, found)
    if found.role in _LIKED and (words := _not_liked(profile, found.role)):
        found.role = "disliked"
        columns = [word for word in words if word in profile.columns]
        found.notes.append(
            f"{profile.name} was left out, as {' and '.join(map(repr, words))} says what users did not like. "
            f"If its pairs are what they like, call {'that column' if columns else 'the table'} something "
            f"else; if a column says what they liked, name it with --columns {find.LABEL}=NAME."
        )
    elif found.role == "relevance" and (unclear := labels_in_words(profile)):
        found.role = "unclear"
        found.notes.append(
            f"{profile.name} was left out, as {unclear[0].name!r} is called like a label and holds words: "
            f"{unclear[0].told()}. Only you know which of them say that a user liked something: write a "
            "column of 0 and 1 for them. If all of its pairs are what users like, call that column something "
            "else."
        )
    elif found.role in ("log", "candidates"):
        found.notes += notes
    if found.role in ("log", "lists") and found.chosen_label is None and found.user and found.item:
        names = [name for name in profile.columns if name not in taken | flags]
        listed = {one.column for one in found.labels}
        numbers = unnamed_numbers(profile, names, (found.user, found.item))
        found.labels += [one for one in numbers if one.column not in listed]
    if found.role in ("log", "lists"):
        listed = {one.column for one in found.labels}
        found.labels = ranked([*found.labels, *(one for one in outcomes if one.column not in listed)])
        names = [name for name in profile.columns if name not in taken | flags]
        found.notes += told_words(profile, names, found.labels)
    # Yes or no is a label in a log, if its name says so, and of people or things it makes two groups.
    of_entities = found.role in ("users", "items", "creators")
    least = CHOSEN if of_entities else PLAUSIBLE
    used = taken | {label.column for label in found.labels if label.strength >= least} | set(keys)
    if found.role in ("log", "candidates"):
        used |= {*found.tags, *found.arms}
    _find_attributes(profile, found, [name for name in profile.columns if name not in used])
    if found.role in ("users", "creators"):
        found.notes += births_without_groups(profile, found.of_users + found.of_items)
    return found


def _known_where_shown(profile: Profile, shown: str) -> set[str]:
    """Columns that are empty where nothing was shown, and nowhere else: what came of it. They are not missing
    in the rows that the plan reads."""
    found: set[str] = set()
    empty = [name for name, c in profile.columns.items() if c.missing and c.known and name != shown]
    if not empty:
        return found
    t = profile.table.expr
    asked = {
        f"e{place}": (t[name].isnull() == t[shown].cast("boolean")).cast("int64").sum()
        for place, name in enumerate(empty)
    }
    told = profile.run(t.aggregate(**asked)).iloc[0]
    for place, name in enumerate(empty):
        if int(told[f"e{place}"] or 0) == 0:
            column = profile.columns[name]
            profile.columns[name] = replace(column, missing=0, rows=column.known)
            found.add(name)
    return found


def _outcomes(profile: Profile, found: Recognised, not_these: Collection[str]) -> list[Label]:
    """How visits ended, in words or by ids that some rows have."""
    if not (found.user and found.item):
        return []
    known = {one.column for one in found.labels} | set(not_these)
    names = [name for name in profile.columns if name not in known]
    called = f"is_{MADE}" if MADE in profile.columns else MADE
    return [replace(one, called=called) for one in outcomes_of(profile, names, (found.user, found.item))]


def _in_words(
    profile: Profile, found: Recognised, outcomes: Sequence[Label], named: Sequence[str]
) -> list[Label]:
    """How a label is made of columns that somebody has named: of words also where they say nothing of a
    visit."""
    known = {one.column for one in found.labels}
    told = {one.column: one for one in outcomes}
    columns = (profile.columns[name] for name in named if name not in known)
    made = (told.get(one.name) or (None if find.is_time(one) else words_label(one)) for one in columns)
    called = f"is_{MADE}" if MADE in profile.columns else MADE
    return [replace(one, called=called) for one in made if one is not None]


def _not_liked(profile: Profile, role: str) -> list[str]:
    """The name of the table and those of its columns that say what users turned down: hidden, complaints. Of
    lists, what was hidden was shown before, so that the name alone says it."""
    columns = () if role == "lists" else profile.columns
    return [name for name in (profile.name, *columns) if hints(name, DISLIKED)]


def _with_named(labels: list[Label], profile: Profile, named: Sequence[str]) -> list[Label]:
    """The candidates, the one that somebody has named first."""
    if not named:
        return labels
    name = named[0]
    known = next((one for one in labels if one.column == name), None)
    return [named_label(profile, name, known), *(one for one in labels if one.column != name)]


def _random_flags(profile: Profile) -> set[str]:
    return {name for name in profile.columns if hints(name, RANDOM)}


def _vectors_of(profile: Profile, found: Recognised) -> str | None:
    """Whose vectors the table holds: a list of numbers a row, or many numbered columns of numbers."""
    columns = profile.columns
    if found.user and found.item:
        return None
    lists = [
        name for name, column in columns.items() if column.kind == "list" and _holds_numbers(profile, name)
    ]
    stems: dict[str, int] = {}
    for name, column in columns.items():
        if column.kind == "number" and (match := _NUMBERED.match(name)):
            stems[match[1]] = stems.get(match[1], 0) + 1
    wide = max(stems.values(), default=0) >= LEAST_DIMENSIONS * 2
    if not wide and not any(hints(name, VECTOR) or len(columns) <= 3 for name in lists):
        return None
    if found.user or (not found.item and hints(profile.name, USER)):
        return "user"
    if found.item or found.creator or hints(profile.name, ITEM | CREATOR):
        return "item"
    return None


def _holds_numbers(profile: Profile, name: str) -> bool:
    return bool(profile.table.expr[name].type().value_type.is_numeric())


def _role(
    profile: Profile, found: Recognised, outcomes: Sequence[Label] = (), score_is_named: bool = False
) -> str:
    user, item = found.user, found.item
    plausible = found.chosen_label is not None
    rows = profile.looked_at
    if user and item:
        if found.probability and not plausible and _sums_to_one(profile, user, found.probability):
            return "policies"
        if found.preference and not plausible:
            return "preferences"
        with_times = dated(profile)
        # What was scored for a day has its date, too, and is called so.
        of_visits = found.tags or found.arms or (with_times and not hints(profile.name, CANDIDATES))
        if found.shown and plausible:
            return "log"
        if found.score and plausible and (score_is_named or not of_visits):
            return "candidates"
        if plausible:
            return "log"
        # What was shown when, and how that ended, is a log, whichever column says so.
        acts = [one for one in (*found.labels, *outcomes) if one.strength or "known" in one.rule]
        if found.score and not (with_times and found.rank and acts):
            return "scores"
        if found.rank and not (with_times and acts):
            return "lists"
        # Pairs that say of some that they were ignored are no pairs that users like.
        return "log" if found.labels or any(one.strength for one in outcomes) else "relevance"
    if user and not item and profile.columns[user].distinct == rows:
        return "users"
    if item and not user and profile.columns[item].distinct == rows:
        return "items"
    if found.creator and not user and not item and profile.columns[found.creator].distinct == rows:
        return "creators"
    # Without one of the ids a length of time may be that of a film, and no user's.
    label = found.chosen_label
    acted = label is not None and (label.strength == CHOSEN or not hints(label.column, DWELL))
    return "log" if acted and (user or item or found.creator) else "unknown"


def _sums_to_one(profile: Profile, user: str, probability: str) -> bool:
    t = profile.table.expr
    each = t.group_by(user).aggregate(total=t[probability].sum())
    ends = profile.run(each.aggregate(low=each.total.min(), high=each.total.max()))
    return bool(ends.low[0] > 0.98 and ends.high[0] < 1.02)


def _find_attributes(profile: Profile, found: Recognised, names: list[str]) -> None:
    """Attributes of users and of items. In a log, those that are the same in all rows of a user, or item."""
    if found.role == "users":
        found.of_users = attributes_of(profile, names, of_people=True)
    elif found.role in ("items", "creators"):
        found.of_items = attributes_of(profile, names)
    elif found.role in ("log", "candidates", "scores", "lists"):
        possible = [one.column for one in attributes_of(profile, names)]
        of_users, of_items = (
            _of(profile, possible, key) for key in (found.user, found.item or found.creator)
        )
        both = set(of_users) & set(of_items)
        by_name = {name: _side_by_name(name) for name in possible}
        of_items = [n for n in of_items if n not in both or by_name[n] != "user"]
        of_users = [n for n in of_users if n not in of_items]
        # Without ids a name is all there is.
        of_items += [
            n for n in possible if by_name[n] == "item" and n not in of_items + of_users and not found.item
        ]
        found.of_users = attributes_of(profile, of_users, of_people=True)
        found.of_items = attributes_of(profile, of_items)
        groups = {one.column for one in (*found.of_users, *found.of_items)}
        found.labels = [one for one in found.labels if one.column not in groups]


def _of(profile: Profile, names: list[str], key: str | None) -> list[str]:
    return profile.depends_on(names, key) if key else []


def _side_by_name(name: str) -> str | None:
    if hints(name, USER):
        return "user"
    return "item" if hints(name, ITEM | CREATOR) else None
