"""Ids that no word gives away: what a table of people is keyed by is a user, whatever it is called, and so is
a column that has the ids of users; people whom items belong to are creators."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from evenhand.plan.init.meaning.columns import LEAST_IDS, id_of, is_time
from evenhand.plan.init.meaning.keyed import describes_things, is_of_people, keys_of, owners_of, parted
from evenhand.plan.init.meaning.vocabulary import CREATOR, ID
from evenhand.plan.init.meaning.words import hints
from evenhand.plan.init.tables.profiling import Column, Profile

# Names of columns by side (user, item, creator), each with what told that it is an id.
Learnt = Mapping[str, Mapping[str, str]]
SIDES = ("user", "item")
# Of the values of a column, so many must be ids of the other table; and, where both are numbers, of the ids
# so many must be in the column: small numbers are in everything.
LEAST_SHARED, LEAST_COVERED = 0.9, 0.5
SOME = 200


def learnt_ids(profiles: list[Profile], named: Mapping[str, list[str]]) -> Learnt:
    """Names of columns that are ids of users or items: the key of a table with an attribute that people are
    protected by, which are users unless a log has them as what was shown to users, and creators if another
    table has one in each row; of two keys that stand in one log, the one whose table describes people rather
    than things; what stands beside the key of users elsewhere and is the key of a third table; and columns
    with the values of one that is known. What somebody has `named` is not guessed again."""
    learnt: dict[str, dict[str, str]] = {side: {} for side in (*SIDES, "creator")}
    keyed = "by what it is the key of. Only this says so"
    said = {name for names in named.values() for name in names}
    owners = owners_of(profiles, named)
    pairs = parted(profiles, named)
    for pair in pairs:
        if pair.user and pair.item and not {pair.user, pair.item} & {*learnt["user"], *learnt["item"]}:
            learnt["user"][pair.user] = pair.why
            if pair.known_item is None:
                learnt["item"][pair.item] = pair.why
    beside_another = {name for pair in pairs for name in pair.names}
    for one in profiles:
        if said & set(one.columns) or any(id_of(one, side) for side in ("user", "item", "creator")):
            continue
        keys = keys_of(one)
        if keys and keys[0] in owners:
            if (
                is_of_people(one)
                or hints(one.name, CREATOR)
                or _stands_in_a_log(keys[0], one, owners, profiles)
            ):
                learnt["creator"][keys[0]] = f"as each of {owners[keys[0]]} has one"
        elif keys and keys[0] not in beside_another and is_of_people(one):
            shown_in = _shown_to_users(one, keys[0], profiles, named)
            if shown_in is None:
                learnt["user"][keys[0]] = keyed
            else:
                learnt["item"][keys[0]] = f"because {shown_in} has them beside the ids of users"
    for one in profiles:
        key = next(iter(one.shared_keys), None)
        if key is None or key in {*said, *owners, *beside_another} or not describes_things(one):
            continue
        if not any(id_of(one, side) for side in SIDES):
            learnt["item"].setdefault(key, f"as {one.name} describes things. Only this says so")
    # People whom no other table names, beside others whom one does: couriers, staff.
    everywhere = [name for one in profiles for name in one.columns]
    elsewhere = {name for name in learnt["user"] if everywhere.count(name) > 1 or _in_another(name, profiles)}
    if elsewhere:
        learnt["user"] = {name: why for name, why in learnt["user"].items() if name in elsewhere}
    users = {*learnt["user"], *named.get("user_id", ())}
    for one in profiles:
        user = id_of(one, "user", users)
        if user is None or id_of(one, "item", named.get("item_id", ())) is not None:
            continue
        others = {*users, *owners, *said}
        # Beside known items, and in tables that others refer to, further keys are of branches or firms.
        settled = one.shared_keys or learnt["item"].keys() & one.columns.keys()
        of_tables = {
            name for other in profiles if other is not one and not settled for name in other.shared_keys
        }
        beside = [
            name
            for name in one.columns
            if (hints(name, ID) or name in of_tables) and name not in others and name != user
        ]
        for name in beside:
            keyed_by = (other for other in profiles if other is not one and name in keys_of(other))
            # What numbers the rows of a log is no item of it.
            if any(id_of(other, "user", users) is None for other in keyed_by):
                learnt["item"].setdefault(name, keyed)
    for side in SIDES:
        _by_values(profiles, side, learnt, set(named.get(f"{side}_id", ())), said)
    return learnt


def _stands_in_a_log(key: str, one: Profile, owners: Mapping[str, str], profiles: list[Profile]) -> bool:
    """Whether a log says whom its items belong to: then groups of these can be compared."""
    return any(
        key in other.columns and other is not one and other.name != owners[key] and not other.shared_keys
        for other in profiles
    )


def _in_another(key: str, profiles: list[Profile]) -> bool:
    """Whether a column of another table, whatever it is called, has the values of this key."""
    one = next(one for one in profiles if key in keys_of(one))
    return any(
        _shares(other, column, one, key)
        for other in profiles
        for column in other.columns.values()
        if other is not one and column.distinct >= LEAST_IDS and not is_time(column)
    )


def _shown_to_users(
    one: Profile, key: str, profiles: list[Profile], named: Mapping[str, list[str]]
) -> str | None:
    """The table that has the keys of this one as items: people are recommended, too (in dating)."""
    for other in profiles:
        user, item = (id_of(other, side, named.get(f"{side}_id", ())) for side in SIDES)
        if other is one or (user is None and item is None):
            continue
        if user is not None and _shares(other, other.columns[user], one, key):
            return None
        possible = [item] if item else [name for name in other.columns if name != user]
        for name in possible:
            if name == key or _shares(other, other.columns[name], one, key):
                return other.name
    return None


def _by_values(
    profiles: list[Profile], side: str, learnt: dict[str, dict[str, str]], named: set[str], said: set[str]
) -> None:
    """Columns that have the values of an id which is known, in tables that have no id of that side."""
    known = [
        (one, name) for one in profiles if (name := id_of(one, side, {*learnt[side], *named})) is not None
    ]
    taken = {name for one in learnt.values() for name in one} | said
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
