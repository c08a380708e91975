"""Which log is what the system showed, which is random traffic, and which are arms of a test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from evenhand.errors import InputError
from evenhand.plan.init.labelling.labels import CHOSEN as CHOSEN_LABEL
from evenhand.plan.init.labelling.labels import says_yes
from evenhand.plan.init.meaning.counts import unequal_chances
from evenhand.plan.init.meaning.mixed import CHOSEN, UNIFORM, even_rows, even_value
from evenhand.plan.init.meaning.recognised import Recognised
from evenhand.plan.init.meaning.vocabulary import ARM, CONTROL, LIKED, RANDOM, SOURCE
from evenhand.plan.init.meaning.words import hints, tokens
from evenhand.plan.init.tables.profiling import Profile

MOST_SOURCES = 20


@dataclass(frozen=True, eq=False)
class Log:
    """A table, or those of its rows that a tag marks."""

    table: Recognised
    where: dict[str, Any] = field(default_factory=dict)
    why: str = ""

    @property
    def rows(self) -> int:
        """About how many rows it has."""
        return round(self.table.profile.rows * share_of(self.table.profile, self.where))

    def told(self) -> str:
        """Which rows of which table."""
        rows = ", ".join(
            f"{key} is not {value['not']}" if isinstance(value, dict) else f"{key} is {value}"
            for key, value in self.where.items()
        )
        return self.table.name + (f", rows whose {rows}" if rows else "")


@dataclass(eq=False)
class Traffic:
    """The logs by what they are for. `marks` are choices that somebody should check."""

    default: Log | None = None
    random: Log | None = None
    arms: dict[str, Log] = field(default_factory=dict)
    marks: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def share_of(profile: Profile, where: Mapping[str, Any]) -> float:
    """The share of the rows of a table that `where` takes, by its own names of columns."""
    share = 1.0
    for name, wanted in where.items():
        column, others = profile.columns[name], isinstance(wanted, dict)
        named = wanted["not"] if others else wanted
        asked = named if isinstance(named, list) else [named]
        part = sum(column.values.get(value, 0) for value in asked) / max(column.rows, 1)
        share *= 1 - part if others else part
    return share


def traffic_of(logs: list[Recognised], flags: Sequence[str] = ()) -> Traffic:
    """The default and the random log: by a tag, by the name of a table, or by how evenly items come. `flags`
    are columns that mark random rows, as somebody has said."""
    found = Traffic()
    # A log with the label that somebody named; what says by its name that users did it was not all that they
    # were shown; rows without a time, as many for each user, may be candidates that nobody was shown.
    logs = sorted(
        logs,
        key=lambda one: (
            not _is_named(one), hints(one.name, LIKED), bool(one.each), -one.profile.rows
        ),
    )  # fmt: skip
    named = [one for one in logs if hints(one.name, RANDOM)]
    others = [one for one in logs if one not in named]
    if _by_flag(logs, flags, found):
        others = []
    elif named:
        found.random = Log(named[0], why="its name says random")
        found.notes += [f"{one.name} is called random, too, and was left out." for one in named[1:]]
    elif not _by_tag(others, found):
        if len(others) > 1:
            _by_uniformity(others, found)
        if found.random is None:
            _by_even_rows(others, found)
        others = [one for one in others if found.random is None or one is not found.random.table]
    if found.random is not None:
        same = [one for one in others if _same_label(one, found.random.table)]
        unlike = [one.name for one in others if same and one not in same and not _is_scored(one, found)]
        if unlike:
            found.marks.append(
                f"Not used, as the random log has no such label: {', '.join(unlike)}. If one lists "
                "candidates with what a model says of each, name that column: --columns score=NAME. If these "
                "are other data, run init on each folder alone."
            )
        others = same or others
    if found.default is None and others:
        _default_and_arms(others, found)
    _only_shown(found)
    return found


def _only_shown(found: Traffic) -> None:
    """Of a log that says of each row whether it was shown, only those that were."""

    def shown(log: Log | None) -> Log | None:
        if log is None or log.table.shown is None:
            return log
        flag = log.table.shown
        yes = True if log.table.profile.columns[flag].kind == "truth" else 1
        return replace(log, where={**log.where, flag: yes})

    if found.default is not None and found.default.table.shown is not None:
        flag = found.default.table.shown
        found.marks.append(
            f"What users were shown is taken to be the rows of {found.default.table.name} whose {flag} is "
            "true, as it is called so: check it."
        )
    found.default, found.random = shown(found.default), shown(found.random)
    found.arms = {name: one for name, log in found.arms.items() if (one := shown(log)) is not None}


def _is_named(log: Recognised) -> bool:
    return any(label.strength == CHOSEN_LABEL for label in log.labels)


def _is_scored(log: Recognised, found: Traffic) -> bool:
    """Whether a table that is none of the logs is the candidates of users, with what a model says of them."""
    if not (log.score and log.chosen_label and log.user and log.item):
        return False
    log.role = "candidates"
    found.marks.append(
        f"{log.name} is taken to be candidates with scores ({log.score}), as it has another label than the "
        "random log, although its rows have a time or a tag: check it."
    )
    return True


def _by_tag(logs: list[Recognised], found: Traffic) -> bool:
    """A column that says which rows are random, by its name or its values."""
    for log in logs:
        columns = log.profile.columns
        flags = [name for name, c in columns.items() if hints(name, RANDOM) and c.is_binary]
        if flags:
            yes, no = (True, False) if columns[flags[0]].kind == "truth" else (1, 0)
            other = next(
                (n for n in columns if n != flags[0] and columns[n].is_binary and _is_default_flag(n)), None
            )
            found.random = Log(log, {flags[0]: yes}, f"{flags[0]} marks it")
            found.default = Log(log, {other: yes} if other else {flags[0]: no})
            return True
        # Whatever the column is called: a value that is called random says enough.
        few = [name for name, c in columns.items() if c.kind == "text" and c.distinct <= MOST_SOURCES]
        # Dice are a kind of games, too: what is the same in all rows of an item chose none of them.
        few = list(dict.fromkeys([*log.tags, *few]))
        of_items = log.profile.depends_on(few, log.item) if log.item else []
        for name in (one for one in few if one not in of_items):
            values = [value for value in columns[name].values if hints(str(value), RANDOM)]
            rest = [value for value in columns[name].values if value not in values]
            if values and rest:
                found.random = Log(log, {name: _one(values)}, f"{name} says {values[0]}")
                # Versions to come are default traffic, too: it is what is not random.
                found.default = Log(log, {name: {"not": _one(values)}})
                found.marks.append(
                    f"Default traffic: all rows of {log.name} whose {name} is not "
                    f"{' or '.join(map(str, values))}; today that is {_some(rest)}. A value that comes later "
                    "is taken, too."
                )
                return True
        if _tag_by_uniformity(log, found):
            return True
    return False


def _by_flag(logs: list[Recognised], flags: Sequence[str], found: Traffic) -> bool:
    """A column that somebody has named: its rows that say yes are random."""
    for log in logs:
        for name in (one for one in flags if one in log.profile.columns):
            column = log.profile.columns[name]
            called = [value for value in column.values if hints(str(value), RANDOM)]
            if column.is_binary:
                value: Any = True if column.kind == "truth" else 1
            elif called and len(called) < column.distinct:
                value = _one(called)
            else:
                value = says_yes(column) or even_value(log, name)
            if value is None:
                words = _some([f"{one} ({rows:,})" for one, rows in column.values.items()]) or "very many"
                of = "values do, of those in a sample" if log.profile.opened.sampled else "values do"
                raise InputError(
                    f"--columns names {name!r} as what marks random rows, and nothing says which of its "
                    f"{of}: {words}. Write a column of 0 and 1, with 1 for random rows; or write the plan "
                    f"yourself, with where = {{ {name} = ... }} under [inputs.random], and with "
                    f"where = {{ {name} = {{ not = ... }} }} under [inputs.default]."
                )
            _split(log, name, value, found)
            assert found.random is not None
            found.random = Log(log, found.random.where, "named by you")
            return True
    return False


def _by_even_rows(logs: list[Recognised], found: Traffic) -> None:
    """A column with a few values that says nothing: it is taken, as its even rows would count as default."""
    for log in logs:
        if (even := even_rows(log)) is not None:
            name, value = even
            _split(log, name, value, found)
            log.labels = [label for label in log.labels if label.column != name]
            found.marks.append(
                f"Random traffic is taken to be the rows of {log.name} whose {name} is {value}: they look "
                "randomly drawn, as items come evenly in them and not in the others. Nothing else says so: "
                "check it. If they are not, delete the lines where = ... of the default log, and the audits "
                "of random."
            )
            return


def _split(log: Recognised, name: str, value: Any, found: Traffic) -> None:
    """Rows with the value are random, and all others are default."""
    column = log.profile.columns[name]
    others = [one for one in column.values if one != value]
    rest = others[0] if column.is_binary and len(others) == 1 else {"not": value}
    found.random, found.default = Log(log, {name: value}), Log(log, {name: rest})


def _is_default_flag(name: str) -> bool:
    return bool({"default", "ranker", "recommended"} & set(tokens(name)))


def _one(values: list[Any]) -> Any:
    return values[0] if len(values) == 1 else values


def _some(values: list[Any], most: int = 6) -> str:
    more = f" and {len(values) - most} more" if len(values) > most else ""
    return ", ".join(map(str, values[:most])) + more


def _tag_by_uniformity(log: Recognised, found: Traffic) -> bool:
    """A tag whose values say nothing: rows of one value have items evenly, those of the others have not."""
    if not log.item:
        return False
    t = log.profile.table.expr
    for name in log.tags:
        column = log.profile.columns[name]
        if not hints(name, SOURCE) or column.distinct > 6 or column.kind not in ("integer", "text", "truth"):
            continue
        chances = {value: unequal_chances(log.profile, log.item, t[name] == value) for value in column.values}
        even = [value for value, one in chances.items() if one is not None and one < UNIFORM]
        uneven = [value for value, one in chances.items() if one is not None and one > CHOSEN]
        if len(even) == 1 and uneven:
            found.random = Log(log, {name: even[0]})
            found.default = Log(log, {name: {"not": even[0]}})
            found.marks.append(
                f"Random traffic is taken to be the rows of {log.name} whose {name} is {even[0]}, because "
                "items come evenly there and not elsewhere. Nothing else says so: check it."
            )
            return True
    return False


def _by_uniformity(logs: list[Recognised], found: Traffic) -> None:
    chances = {one: unequal_chances(one.profile, one.item) for one in logs if one.item}
    even = [one for one, value in chances.items() if value is not None and value < UNIFORM]
    uneven = [one for one, value in chances.items() if value is not None and value > CHOSEN]
    # Other tables may look like logs, too: random traffic has the label of the log that it belongs to.
    of_one = [(one, other) for other in uneven for one in even if _same_label(one, other)]
    if of_one:
        random, default = of_one[0]
        others = [one.name for one in even if one is not random and _same_label(one, default)]
        also = f" They do in {', '.join(others)}, too, which has fewer rows." if others else ""
        found.random = Log(random)
        found.marks.append(
            f"Random traffic is taken to be {random.name}, because items come evenly in it and not in "
            f"{default.name}.{also} Nothing else says so: check it."
        )


def _same_label(one: Recognised, other: Recognised) -> bool:
    return {label.column for label in one.labels} & {label.column for label in other.labels} != set()


def _default_and_arms(logs: list[Recognised], found: Traffic) -> None:
    """Logs with the same columns whose names say so are arms; of others the largest is taken."""
    same = [one for one in logs if set(one.profile.columns) == set(logs[0].profile.columns)]
    words = ARM | CONTROL | {"b", "c", "new", "test"}
    named = [one for one in same if set(tokens(one.name)) & words]
    if len(named) > 1:
        first = next((one for one in named if set(tokens(one.name)) & CONTROL), None)
        whole = next((one for one in logs if "default" in tokens(one.name)), None)
        if first is None:
            first = sorted(named, key=lambda one: one.name)[0]
            found.marks.append(
                f"{first.name} is taken to be the baseline of the test; nothing says so: check it."
            )
        found.arms = {one.name: Log(one) for one in (first, *(one for one in named if one is not first))}
        found.default = Log(whole or first)
    else:
        found.default = Log(next((one for one in logs if "default" in tokens(one.name)), logs[0]))
    left = [one for one in logs if one is not found.default.table and one.name not in found.arms]
    if left:
        found.marks.append(_not_used(found.default.table, left, logs))


def _not_used(taken: Recognised, left: list[Recognised], logs: list[Recognised]) -> str:
    """Which files are left out, how many of the rows they have, and what to do if they belong to the rest."""
    share = sum(one.profile.rows for one in left) / max(sum(one.profile.rows for one in logs), 1)
    files = ", ".join(one.profile.opened.files.told() for one in left)
    said = (
        f"Default traffic is taken to be {taken.name}, by its name or size. Not used: {files}, with "
        f"{share:.0%} of the rows of all logs. "
    )
    same = [one for one in left if set(one.profile.columns) == set(taken.profile.columns)]
    if same:
        return said + (
            "If they are the same log, save all of its files as Parquet, and name them in one path of the "
            "plan."
        )
    return said + "If these are other data, run init on each folder alone."
