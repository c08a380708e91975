"""Of two ids that stand in one log and are keys of two tables: which are users, and which are items.

A wrong guess turns an audit round, so it is made only where the tables tell people and things apart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from evenhand.plan.init.meaning.columns import LEAST_IDS, id_of
from evenhand.plan.init.meaning.vocabulary import (
    BIRTH,
    CREATOR,
    ID,
    ITEM,
    OF_ITEMS,
    OF_PEOPLE,
    PROTECTED,
    SAID_BESIDE,
    USER,
)
from evenhand.plan.init.meaning.words import hints, tokens
from evenhand.plan.init.tables.profiling import Profile

# Our names of columns and theirs, where somebody has said so.
Named = Mapping[str, list[str]]


@dataclass(frozen=True)
class Pair:
    """The keys of other tables that a log has side by side; `user` and `item` where something decides."""

    log: str
    names: tuple[str, ...]
    user: str | None = None
    item: str | None = None
    why: str = ""
    known_item: str | None = None  # what a word gives away, where only the users are sought
    tables: tuple[str, ...] = ()  # what has each of `names` as its key

    def told(self) -> str:
        """That nothing decides, and what to type."""
        keys = " and ".join(
            f"{name} (the key of {table})" for name, table in zip(self.names, self.tables, strict=True)
        )
        if self.known_item is not None:
            options = " or ".join(f"--columns user_id={name}" for name in self.names)
            return (
                f"{self.log} has {keys} beside items ({self.known_item}), and nothing says which are the "
                f"users. Say which: {options}."
            )
        first, second = self.names[:2]
        other = " (or the other way round)" if len(self.names) == 2 else " (or others of these)"
        return (
            f"{self.log} has {keys}, and nothing says which are users and which are items. Say which: "
            f"--columns user_id={first} --columns item_id={second}{other}."
        )


def _said(named: Named) -> set[str]:
    return {name for names in named.values() for name in names}


def parted(profiles: list[Profile], named: Named) -> list[Pair]:
    """The logs with keys of two tables or more that no word gives away, and what their tables decide; what
    belongs to items, as brokers to listings, is neither."""
    owners = owners_of(profiles, named)
    tables = {
        key: one
        for one in profiles
        if not any(id_of(one, side) for side in ("user", "item"))
        for key in keys_of(one)[:1]
    }
    found = []
    for log in profiles:
        names = tuple(
            name for name in log.columns if name in tables.keys() - owners and tables[name] is not log
        )
        if log.shared_keys:  # what other tables refer to has columns of its rows, and is no log
            continue
        user, item = (id_of(log, side, named.get(f"{side}_id", ())) for side in ("user", "item"))
        if item and not user:
            free = tuple(name for name in names if name != item and name not in _said(named))
            found += [_beside_items(log, free, item, tables)] if free else []
            continue
        if len(names) < 2 or user or _said(named) & set(log.columns):
            continue
        people = sorted(names, key=lambda name: -_of_people(tables[name]))
        most, next_, least = (_of_people(tables[people[place]]) for place in (0, 1, -1))
        if most > next_ and (len(names) == 2 or least < _of_people(tables[people[-2]])):
            user, item = people[0], people[-1]
            why = (
                f"as {tables[user].name} describes people rather than {tables[item].name}. Only this says so"
            )
            found.append(Pair(log.name, names, user, item, why))
        else:
            found.append(Pair(log.name, names, tables=tuple(tables[name].name for name in names)))
    return found


def _beside_items(log: Profile, names: tuple[str, ...], item: str, tables: Mapping[str, Profile]) -> Pair:
    """Who is beside items in a log: the only other key of a table, or the one that describes people most."""
    ordered = sorted(names, key=lambda name: -_of_people(tables[name]))
    scores = [_of_people(tables[name]) for name in ordered]
    if len(names) > 1 and scores[0] <= max(scores[1], 0):
        of = tuple(tables[name].name for name in names)
        return Pair(log.name, names, known_item=item, tables=of)
    user = ordered[0]
    why = f"as {log.name} has it beside items ({item}), and it is the key of {tables[user].name}"
    return Pair(log.name, names, user, item, f"{why}. Only this says so", known_item=item)


def owners_of(profiles: list[Profile], named: Named) -> dict[str, str]:
    """Keys of tables that the table of items has in its rows, as a listing has its broker: by the name of
    that table. Items are what stands in a log beside users, whose ids the table of items has not."""
    said = _said(named)
    described = {keys[0]: one for one in profiles if (keys := keys_of(one))}
    people = {key for key, one in described.items() if is_of_people(one)} | set(named.get("user_id", ()))
    found: dict[str, str] = {}
    for item, one in described.items():
        owners = [name for name in one.columns if name in described and name not in {item, *said}]
        for name in owners:
            for log in (other for other in profiles if other is not one and item in other.columns):
                users = {*people & set(log.columns), id_of(log, "user")} - {None, item, name}
                if id_of(one, "item") == item:  # by its name: then all other keys may be users
                    users |= described.keys() & set(log.columns) - {item, name}
                if users - set(one.columns):
                    found[name] = one.name
    return found


def keys_of(profile: Profile) -> list[str]:
    """Columns that no two rows share, and that are called like ids, or that a larger table repeats: these
    first."""
    found = [
        name
        for name, column in profile.columns.items()
        if (hints(name, ID) or name in profile.shared_keys)
        and column.kind in ("integer", "text")
        and column.distinct == column.rows >= LEAST_IDS
    ]
    return sorted(found, key=lambda name: name not in profile.shared_keys)


def is_of_people(profile: Profile) -> bool:
    """Whether the rows have an attribute of their own that people are protected by: `sex`, and not
    `seller_sex`, which is of somebody else."""
    return any(_own_attribute(name) for name in profile.columns)


def _own_attribute(name: str) -> bool:
    words = set(tokens(name))
    return bool(words & PROTECTED) and words <= PROTECTED | BIRTH | USER | SAID_BESIDE


def describes_things(profile: Profile) -> bool:
    """Whether more speaks for things than for people."""
    return _of_people(profile) < 0


def _of_people(profile: Profile) -> int:
    """How much speaks for people, less what speaks for things."""
    people = sum(_own_attribute(name) or hints(name, OF_PEOPLE) for name in profile.columns)
    people += hints(profile.name, USER)
    things = sum(hints(name, OF_ITEMS | CREATOR) for name in profile.columns) + hints(profile.name, ITEM)
    return people - things
