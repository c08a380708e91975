"""What a ranker does tells a label: users like what was chosen for them more often than what was drawn.

Rates are compared between default and random rows alone, and never between groups: what a group is served is
what an audit asks."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import ibis
import ibis.expr.types as ir

from evenhand.plan.init.labelling.labels import CHOSEN, MADE, PLAUSIBLE, Label, label_of_column
from evenhand.plan.init.labelling.outcomes import MOST_WORDS, words_told
from evenhand.plan.init.meaning.columns import is_id, is_time
from evenhand.plan.init.meaning.logs import Log, Traffic, traffic_of
from evenhand.plan.init.meaning.recognised import Recognised
from evenhand.plan.init.meaning.vocabulary import (
    ARM,
    DISLIKED,
    EVENT,
    INTERNAL,
    LIKED,
    OPENED,
    PLACE,
    PROBABILITY,
    RANDOM,
    RANK,
    SCORE,
    SENSITIVE,
    SHOWN,
    SOURCE,
)
from evenhand.plan.init.meaning.words import hints
from evenhand.plan.init.tables.profiling import Column

# How much more often, and how far from chance, before it says anything.
LEAST_LIFT, LEAST_Z = 1.1, 4.0
# What random rows never have is what the ranker wrote, and not what users did.
LEAST_RANDOM = 10
# Lifts that are so near to the strongest are as strong.
NEAR = 0.8
# A column of so many different values in the rows is no request that several rows belong to.
MOST_REQUESTS = 0.7
_NO_LABEL = RANDOM | ARM | PLACE | RANK | SCORE | PROBABILITY | DISLIKED | SENSITIVE | INTERNAL
_PERHAPS_LOGS = ("lists", "relevance", "scores", "unclear")
_SAYS_NOTHING = "nothing else says so"

Test = Callable[[ir.Table], ir.BooleanValue]


@dataclass(frozen=True)
class Lift:
    """How often something is so in default rows and in random rows."""

    default: float
    random: float
    z: float

    @property
    def clear(self) -> bool:
        return self.z > LEAST_Z and self.default >= LEAST_LIFT * self.random

    @property
    def times(self) -> float:
        return self.default / self.random

    def told(self) -> str:
        return f"{self.times:.1f} times as often in rows that the system chose as in random rows"


def traffic_with_labels(tables: Sequence[Recognised], flags: Sequence[str] = ()) -> Traffic:
    """The logs by what they are for, with what lifts say of their labels. Pairs of users and items whose
    label no name tells are a log, too, if random rows are among them that tell it."""
    logs = [one for one in tables if one.role == "log"]
    found = traffic_of(logs, flags)
    if found.random is not None and (take_lifted(found) or found.random.why):
        return found
    for one in tables:
        if one.role not in _PERHAPS_LOGS or not (one.user and one.item):
            continue
        labels, score, role = list(one.labels), one.score, one.role
        tried = traffic_of([one], flags)
        if tried.random is not None and tried.random.why and take_lifted(tried):
            one.role = "log"
            one.notes = [note for note in one.notes if not note.startswith(f"{one.name} was left out")]
            return tried
        one.labels, one.score, one.role = labels, score, role
    return found


def take_lifted(traffic: Traffic) -> bool:
    """Let lifts say which label is likeliest, and take what only they tell of; whether any is clear."""
    default, random = traffic.default, traffic.random
    if default is None or random is None or any(one.strength == CHOSEN for one in default.table.labels):
        return False
    found = _lifted(default, random)
    if not found:
        return False
    known = {one.column: one for one, _ in found}
    tables = dict.fromkeys(log.table for log in (default, random, *traffic.arms.values()))
    for table in tables:
        own = {one.column: one for one in table.labels if one.strength > PLAUSIBLE}
        here = [own.get(name, one) for name, one in known.items() if name in table.profile.columns]
        rest = [one for one in table.labels if one.column not in known]
        table.labels = _in_order([*here, *rest], {one.column: lift for one, lift in found})
    return True


def _in_order(labels: Sequence[Label], lifts: Mapping[str, Lift]) -> list[Label]:
    """What a name says plainly first; then what is lifted, most of all where its name says it, too; then the
    most frequent of those with the strongest lift."""
    strongest = max(lift.times for lift in lifts.values())

    def key(label: Label) -> tuple[Any, ...]:
        lift = lifts.get(label.column)
        if lift is None:
            return (-label.strength, 2)
        unnamed = label.why.endswith(_SAYS_NOTHING)
        only_opened = hints(label.column, OPENED)
        near = lift.times >= NEAR * strongest
        return (-label.strength, int(unnamed), only_opened, not near, -lift.default)

    return sorted(labels, key=key)


def _lifted(default: Log, random: Log) -> list[tuple[Label, Lift]]:
    """Labels that are clearly more frequent in default rows, with how much."""
    table = default.table
    names = _possible(default, random)
    tests: dict[tuple[str, Any], Test] = {}
    labels = {one.column: one for one in table.labels}
    ways: dict[str, Label] = {}
    for name in names:
        column = table.profile.columns[name]
        if _has_words(column):
            for word in column.values:
                tests[name, word] = _test(name, {"among": [word]})
        elif (way := labels.get(name) or _way(column)) is not None and _is_cut(way, column):
            way = _with_empty(way, column)
            ways[name] = way
            tests[name, None] = _test(name, way.rule)
    lifts = {key: lift for key, lift in _lifts(default, random, tests).items() if lift is not None}
    found: list[tuple[Label, Lift]] = []
    for name in names:
        if name in ways:
            if (lift := lifts.get((name, None))) is not None and lift.clear:
                found.append((_said(ways[name], lift), lift))
        else:
            of_words = {word: lifts[name, word] for at, word in lifts if at == name}
            found += _of_words(table.profile.columns[name], labels.get(name), of_words)
    visits = _of_visits(table, [one.column for one, _ in found])
    made = f"is_{MADE}" if MADE in table.profile.columns else MADE
    return [(replace(one, called=made), lift) for one, lift in found if one.column in visits]


def _possible(default: Log, random: Log) -> list[str]:
    """Columns of both logs that are not known to be something else."""
    table, other = default.table, random.table
    columns = table.profile.columns
    keys = ("user", "item", "creator", "listed", "rank", "score", "preference", "probability", "day")
    taken = {getattr(one, key) for one in (table, other) for key in keys}
    taken |= {*default.where, *random.where, *table.named_arms}
    return [
        name
        for name, column in columns.items()
        if name not in taken
        and name in other.profile.columns
        and not hints(name, _NO_LABEL)
        and (not hints(name, SOURCE) or hints(name, EVENT | LIKED))
        and (column.missing or not (is_time(column) or is_id(column)))
    ]


def _has_words(column: Column) -> bool:
    return (
        column.kind == "text"
        and 2 <= column.distinct <= MOST_WORDS
        and len(column.values) == column.distinct
        and not is_time(column)
    )


def _way(column: Column) -> Label | None:
    """How a label would be made of a column, whatever it is called."""
    if column.missing and (is_time(column) or is_id(column)):
        share = column.known / max(column.rows, 1)
        return Label(column.name, 0, f"some {share:.1%} of rows have one", {"known": True})
    return label_of_column(column)


def _is_cut(label: Label, column: Column) -> bool:
    """Whether its rule was more than a place for a number that nobody knows."""
    return not (label.strength == 0 and "at_least" in label.rule and not column.values)


def _with_empty(label: Label, column: Column) -> Label:
    """Empty is what was not done."""
    if not column.missing or not label.rule or "known" in label.rule:
        return label
    return replace(label, rule={**label.rule, "empty": False})


def _test(name: str, rule: Mapping[str, Any]) -> Test:
    def test(t: ir.Table) -> ir.BooleanValue:
        column = t[name]
        if "known" in rule:
            return column.notnull()
        if "among" in rule:
            return column.isin(list(rule["among"])).fill_null(False)
        if "at_least" in rule:
            return (column >= rule["at_least"]).fill_null(False)
        return column.cast("boolean").fill_null(False)

    return test


def _lifts(default: Log, random: Log, tests: Mapping[Any, Test]) -> dict[Any, Lift | None]:
    """The lift of each, by one query of a log; None where it is too rare in random rows to say anything."""
    if not tests:
        return {}
    if default.table is random.table:
        ours, theirs = _counted([default, random], tests)
    else:
        (ours,), (theirs,) = _counted([default], tests), _counted([random], tests)
    return {key: _lift(ours[key], ours[None], theirs[key], theirs[None]) for key in tests}


def _counted(logs: Sequence[Log], tests: Mapping[Any, Test]) -> list[dict[Any, int]]:
    """Of each log, which are rows of one table, how many rows there are (None) and how many are so."""
    profile = logs[0].table.profile
    t = profile.table.expr
    asked: dict[str, Any] = {}
    for number, log in enumerate(logs):
        inside = [_has(t[name], wanted) for name, wanted in log.where.items()]
        asked[f"rows{number}"] = ibis.and_(*inside).sum() if inside else t.count()
        for place, test in enumerate(tests.values()):
            asked[f"n{number}_{place}"] = ibis.and_(*inside, test(t)).sum()
    told = profile.run(t.aggregate(**asked)).iloc[0]
    return [
        {None: int(told[f"rows{number}"] or 0)}
        | {key: int(told[f"n{number}_{place}"] or 0) for place, key in enumerate(tests)}
        for number in range(len(logs))
    ]


def _has(column: ir.Column, wanted: Any) -> ir.BooleanValue:
    """Whether a row has a value that is asked for, or is not one of those that are not."""
    others = isinstance(wanted, dict)
    named = wanted["not"] if others else wanted
    has = column.isin(named if isinstance(named, list) else [named]).fill_null(False)
    return ~has if others else has


def _lift(ours: int, shown: int, theirs: int, drawn: int) -> Lift | None:
    if theirs < LEAST_RANDOM or ours == 0:
        return None
    a, b = ours / shown, theirs / drawn
    both = (ours + theirs) / (shown + drawn)
    spread = math.sqrt(both * (1 - both) * (1 / shown + 1 / drawn))
    return Lift(a, b, (a - b) / spread if spread else 0.0)


def _said(label: Label, lift: Lift) -> Label:
    """A candidate with what its lift says: what its name says besides, it keeps."""
    if label.strength > PLAUSIBLE:
        return label
    if label.strength == 0:
        why = label.why.replace(", but its name says nothing", "").replace("; its name says nothing", "")
        return replace(label, strength=PLAUSIBLE, why=f"{why}; {lift.told()}; {_SAYS_NOTHING}")
    return replace(label, strength=PLAUSIBLE, why=f"{label.why}; {lift.told()}")


def _of_words(column: Column, known: Label | None, lifts: Mapping[Any, Lift]) -> list[tuple[Label, Lift]]:
    """A column of few words: those that its rows have more often where the system chose them. Words that the
    names say are liked stay, and words that say only that something was shown, opened or turned down do not
    count where others do."""
    if len(lifts) < 2:
        return []  # of words that random rows do not have, a source
    clear = [word for word, lift in lifts.items() if lift.clear and not hints(str(word), DISLIKED | SHOWN)]
    clear = [word for word in clear if not hints(str(word), OPENED)] or clear
    named = []
    if known is not None and known.strength and "among" in known.rule:
        named = [w for w in known.rule["among"] if hints(str(w), LIKED) or len(column.values) == 2]
    if known is not None and known.strength > PLAUSIBLE:
        clear = [word for word in clear if word in named]
    if not clear or len(clear) == len(column.values):
        return []
    firm = [word for word in named if not hints(str(word), OPENED)] or named
    among = [word for word in column.values if word in clear or word in firm]
    lift = Lift(
        sum(lifts[word].default for word in among if word in lifts),
        sum(lifts[word].random for word in among if word in lifts),
        max(lifts[word].z for word in clear),
    )
    rule = {"among": among, **({"empty": False} if column.missing else {})}
    says = bool(named) or (hints(column.name, LIKED) and not hints(column.name, SHOWN))
    listed = words_told(column)
    why = f"words: {listed}; {', '.join(map(str, among))}: {lift.told()}"
    strength = max(known.strength if known is not None else 0, PLAUSIBLE)
    label = Label(
        column.name, strength, why if says else f"{why}; {_SAYS_NOTHING}", rule,
        values=listed if len(column.values) > 2 else "",
    )  # fmt: skip
    if known is not None and known.strength > PLAUSIBLE:
        label = known
    return [(label, lift)]


def _of_visits(table: Recognised, names: Sequence[str]) -> set[str]:
    """Those that differ between the rows of a user, of an item and of a request: a device, a place or a month
    does not."""
    left = list(names)
    profile = table.profile
    keys = [table.user, table.item, table.listed, *_requests(table)]
    for key in dict.fromkeys(one for one in keys if one is not None):
        # What each row has of its own, as the id of an impression, would make everything the same.
        if left and _has_several_rows(profile.columns[key]):
            same = set(profile.depends_on(left, key))
            left = [name for name in left if name not in same]
    return set(left)


def _requests(table: Recognised) -> list[str]:
    """The time of each request, where several rows have it."""
    columns = table.profile.columns.values()
    times = [one for one in columns if is_time(one) and not one.missing and one.distinct > len(one.values)]
    return [one.name for one in times if _has_several_rows(one)][:1]


def _has_several_rows(key: Column) -> bool:
    return key.distinct <= MOST_REQUESTS * key.rows
