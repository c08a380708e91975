"""Who users, items and creators are, by what the columns of a log refer to.

A log has a column for users and one for what they were shown. Which is which, words say; where they do not,
what the tables describe that the columns refer to (people have a gender, things a price, and somebody who
made them), and what else the log has: a session is of one user. What the items belong to are creators.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from evenhand.plan.init.meaning.columns import LEAST_IDS, OURS, is_called, is_id, is_time
from evenhand.plan.init.meaning.vocabulary import CREATOR, ITEM, LIST, USER
from evenhand.plan.init.meaning.words import hints
from evenhand.plan.init.relations.people import describes_people, describes_things
from evenhand.plan.init.relations.references import Key, Reference, references_of
from evenhand.plan.init.tables.profiling import Profile

# Our names of columns and theirs, where somebody has said so.
Named = Mapping[str, list[str]]
# Rows that repeat what they refer to so often on average are visits, and no table with a row for each.
LEAST_REPEATED = 1.5
LEAST_OFTEN = 8
# What somebody has said outweighs all, and a word of a column what its table describes.
SAID, WORD, FACT, HINT = 100, 6, 4, 2
SIDES = ("user", "item", "creator")
# By so much more must speak for one side of a column than for that of another.
PLAINLY = 2


@dataclass(frozen=True)
class Pair:
    """Two columns of a log of which nothing says which has the users."""

    log: str
    names: tuple[str, ...]
    tables: tuple[str, ...] = ()
    known_item: str | None = None  # where only the users are sought

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


@dataclass(eq=False)
class Sides:
    """Which column of which table has the ids of users, items and creators, with what told that."""

    by_table: dict[str, dict[str, str]] = field(default_factory=dict)
    why: dict[tuple[str, str], str] = field(default_factory=dict)
    undecided: list[Pair] = field(default_factory=list)
    references: list[Reference] = field(default_factory=list)

    def of(self, profile: Profile) -> Mapping[str, str]:
        return self.by_table.get(profile.name, {})

    def told(self) -> Iterator[str]:
        """What no word of a column says, for somebody to check."""
        for (side, name), why in sorted(self.why.items(), key=lambda one: (SIDES.index(one[0][0]), one[0])):
            yield f"{name} is taken to be the id of {side}s, {why}: check it."

    def refers(self, profile: Profile) -> str:
        """What the columns of a table that was not recognised refer to; "" where to nothing."""
        own = [
            f"{one.name} has values of {one.key.name} of {one.key.table.name}"
            for one in self.references
            if one.table is profile
        ]
        return f"By their values, {'; '.join(own)}." if own else ""

    @property
    def guessed(self) -> frozenset[str]:
        return frozenset(name for _, name in self.why)


@dataclass(eq=False)
class _Id:
    """A column of a log that names things, what it refers to, and how much more speaks for users than for
    what was shown, with the reason that weighs most for either."""

    name: str
    key: Key | None
    lead: int = 0
    reasons: dict[str, tuple[int, str]] = field(default_factory=dict)

    def speaks(self, side: str, weight: int, why: str = "") -> None:
        self.lead += weight if side == "user" else -weight
        if weight > self.reasons.get(side, (0, ""))[0]:
            self.reasons[side] = (weight, why)

    def why(self, side: str) -> str:
        return self.reasons.get(side, (0, ""))[1]


def sides_of(profiles: list[Profile], named: Named) -> Sides:
    """The sides of every table."""
    found = Sides(references=references_of(profiles))
    described = {one.key.table.name for one in found.references}
    logs = [one for one in profiles if one.name not in described and _repeats(one, found.references, named)]
    keys: dict[Key, str] = {}
    for log in sorted(logs, key=lambda one: -one.rows):
        _decide(log, found, keys, named)
    _describe(profiles, found, keys, named)
    return found


def _repeats(log: Profile, references: list[Reference], named: Named) -> bool:
    """Whether a table has many rows of each thing that it refers to, as visits have."""
    said = {name for names in named.values() for name in names}
    own = [one.name for one in references if one.table is log] + [one for one in said if one in log.columns]
    return any(log.columns[one].known >= LEAST_REPEATED * log.columns[one].distinct for one in own)


def _decide(log: Profile, found: Sides, keys: dict[Key, str], named: Named) -> None:
    """Which columns of one log have its users and its items, and so which tables describe these."""
    ids = _weighed(log, found, keys, named)
    if not ids:
        return
    ids.sort(key=lambda one: -one.lead)
    user, item = ids[0], ids[-1]
    if len(ids) == 1:
        user = user if user.lead >= PLAINLY else None  # type: ignore[assignment]
        item = item if item.lead <= -PLAINLY and _often(log, item) else None  # type: ignore[assignment]
    elif user.lead - item.lead < PLAINLY:
        if any(one.key for one in ids):
            found.undecided.append(_pair(log, [one for one in ids if one.key]))
        return
    elif len(ids) > 2 and not (_is_alone(user, ids[1]) and _is_alone(item, ids[-2])):
        as_well = [one for one in ids if one is user or not (one is item or _is_alone(user, one))]
        if _is_alone(item, ids[-2]) and all(one.key for one in as_well):
            found.undecided.append(_pair(log, as_well, item))
            user = None  # type: ignore[assignment]
        else:
            return
    if user is None and item is not None and len(ids) == 1:
        user = _repeated_id(log, item, found, named)
    beside = {"user": item, "item": user}
    for side, one in (("user", user), ("item", item)):
        if one is None:
            continue
        found.by_table.setdefault(log.name, {})[side] = one.name
        if one.key is not None:
            keys.setdefault(one.key, side)
        if one.reasons.get(side, (0, ""))[0] < WORD:
            other = beside[side]
            why = one.why(side) or (
                f"as {log.name} has it beside {other.name}" if other else "as nothing else could be"
            )
            found.why.setdefault((side, one.name), f"{why}. Only this says so")


def _often(log: Profile, one: _Id) -> bool:
    """Whether it comes as often as what is shown: an order has a few lines, and is of somebody, too."""
    column = log.columns[one.name]
    return "item" in one.reasons and (
        one.reasons["item"][0] >= WORD or column.known >= LEAST_OFTEN * column.distinct
    )


def _is_alone(one: _Id, other: _Id) -> bool:
    """Whether no other column could be the user, or the item, as well."""
    return one is other or abs(one.lead - other.lead) >= PLAINLY


def _weighed(log: Profile, found: Sides, keys: Mapping[Key, str], named: Named) -> list[_Id]:
    """The columns of a log that could be its users or items, with what speaks for either."""
    refers = {one.name: one.key for one in found.references if one.table is log}
    said = {name: side for side in ("user", "item") for name in named.get(OURS[side], ())}
    others = {name for ours, names in named.items() for name in names} - said.keys()
    made = {one.table.name: one.name for one in found.references if one.table is not log}
    ids = []
    for name, column in log.columns.items():
        called = {side for side in ("user", "item", "creator") if is_called(column, side)}
        if name in others or not (name in refers or name in said or called & {"user", "item"}):
            continue
        one = _Id(name, refers.get(name))
        if name in said:
            one.speaks(said[name], SAID)
        for side in called & {"user", "item"}:
            one.speaks(side, WORD)
        if "creator" in called:
            one.speaks("item", HINT, "as people are what is shown there")
        if one.key is not None:
            _by_its_table(one, one.key, keys, made)
        ids.append(one)
    _by_sessions(log, ids)
    return _without_owners(log, ids)


def _by_its_table(one: _Id, key: Key, keys: Mapping[Key, str], made: Mapping[str, str]) -> None:
    """What the table says that a column refers to."""
    table = key.table
    if key in keys:
        one.speaks(keys[key], WORD)
    if hints(table.name, USER) or is_called(key.column, "user"):
        one.speaks("user", HINT, f"as it refers to {table.name}")
    if hints(table.name, ITEM) or is_called(key.column, "item"):
        one.speaks("item", HINT, f"as it refers to {table.name}")
    if describes_people(table):  # who may be of a firm
        one.speaks("user", FACT, f"as {table.name} describes people")
    elif table.name in made:
        one.speaks("item", FACT, f"as each of {table.name} belongs to somebody ({made[table.name]})")
    elif describes_things(table):
        one.speaks("item", FACT, f"as {table.name} describes things")


def _by_sessions(log: Profile, ids: list[_Id]) -> None:
    """A session is of one user, who is shown several things in it."""
    names = [one.name for one in ids]
    sessions = [
        name
        for name, column in log.columns.items()
        if name not in names
        and (hints(name, LIST) or is_id(column))
        and column.kind in ("integer", "text")
        and LEAST_IDS <= column.distinct <= column.rows / LEAST_REPEATED
    ]
    for session in sessions:
        of_one = log.depends_on(names, session)
        if len(of_one) == 1:
            next(one for one in ids if one.name == of_one[0]).speaks(
                "user", FACT + 1, f"as each {session} has one"
            )


def _without_owners(log: Profile, ids: list[_Id]) -> list[_Id]:
    """Without whom the items belong to: one for each item. Who was named stays."""
    owned: set[str] = set()
    for one in ids:
        others = [other.name for other in ids if other is not one and abs(other.lead) < SAID]
        if one.key is not None and others:
            owned |= {
                name for name in log.depends_on(others, one.name)
                if log.columns[name].distinct < log.columns[one.name].distinct
            }  # fmt: skip
    return [one for one in ids if one.name not in owned or one.reasons.get("user", (0, ""))[0] >= WORD]


def _repeated_id(log: Profile, item: _Id, found: Sides, named: Named) -> _Id | None:
    """Who was shown the items, where no table describes users: the one id that comes again and again, or of
    several the one that the others are parts of, as sessions are of a user."""
    said = {name for names in named.values() for name in names}
    refers = {one.name for one in found.references if one.table is log}
    names = [
        name
        for name, column in log.columns.items()
        if name not in {item.name, *said, *refers}
        and is_id(column)
        and not is_time(column)
        and LEAST_IDS <= column.distinct <= column.rows / LEAST_REPEATED
    ]
    owned = set(log.depends_on(names, item.name)) if names else set()
    names = [name for name in names if name not in owned]
    coarsest = min(names, key=lambda name: log.columns[name].distinct, default=None)
    if coarsest is None:
        return None
    if any(coarsest not in log.depends_on([coarsest], name) for name in names if name != coarsest):
        return None
    one = _Id(coarsest, None)
    one.speaks("user", HINT, f"as {log.name} has no other id beside {item.name} that comes again and again")
    return one


def _pair(log: Profile, ids: list[_Id], item: _Id | None = None) -> Pair:
    names = tuple(one.name for one in ids)
    tables = tuple(one.key.table.name for one in ids if one.key)
    return Pair(log.name, names, tables, item.name if item else None)


def _describe(profiles: list[Profile], found: Sides, keys: Mapping[Key, str], named: Named) -> None:
    """The tables that users, items and creators are described in, and who stands beside them elsewhere."""
    for key, side in keys.items():
        found.by_table.setdefault(key.table.name, {}).setdefault(side, key.name)
    for one in found.references:
        known = keys.get(one.key)
        if known is not None and one.table.name not in {key.table.name for key in keys}:
            found.by_table.setdefault(one.table.name, {}).setdefault(known, one.name)
    if not any("user" in sides for sides in found.by_table.values()):
        _people_alone(found, keys)
    tables = {one.name: one for one in profiles}
    for key in [key for key, side in keys.items() if side == "item"]:
        owner = _owner(key.table, found.references, keys, named)
        if owner is None:
            continue
        found.by_table[key.table.name]["creator"] = owner.name
        found.by_table.setdefault(owner.key.table.name, {})
        if owner.key not in keys:  # members are users, too: their table stays that of users
            found.by_table[owner.key.table.name]["creator"] = owner.key.name
        if not is_called(owner.table.columns[owner.name], "creator"):
            found.why[("creator", owner.name)] = f"as each of {key.table.name} has one"
        for one in found.references:
            log = tables[one.table.name]
            if one.key is owner.key and one.name not in found.by_table.get(log.name, {}).values():
                found.by_table.setdefault(log.name, {}).setdefault("creator", one.name)


def _people_alone(found: Sides, keys: Mapping[Key, str]) -> None:
    """The one table of people that others refer to, where no log says who was shown something."""
    people = {one.key for one in found.references if one.key not in keys and describes_people(one.key.table)}
    if len(people) == 1:
        (key,) = people
        found.by_table.setdefault(key.table.name, {})["user"] = key.name
        if not is_called(key.column, "user"):
            found.why[("user", key.name)] = "by what it is the key of. Only this says so"


def _owner(
    items: Profile, references: list[Reference], keys: Mapping[Key, str], named: Named
) -> Reference | None:
    """Whom the items belong to: the column of their table that is called so, or whose table describes
    people; the only one, if there is one."""
    own = [one for one in references if one.table is items and keys.get(one.key) != "item"]
    said = [one for one in own if one.name in named.get(OURS["creator"], ())]
    called = [
        one
        for one in own
        if is_called(items.columns[one.name], "creator") or hints(one.key.table.name, CREATOR)
    ]
    people = [one for one in own if describes_people(one.key.table)]
    return next((some[0] for some in (said, called, people, own if len(own) == 1 else []) if some), None)
