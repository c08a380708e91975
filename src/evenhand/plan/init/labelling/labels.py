"""What could say that users liked something: the candidates, each with what speaks for it.

Nothing is chosen here. A label is what a whole audit rests on, so every candidate is listed, and what was
chosen is marked wherever it is written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from evenhand.plan.init.meaning.columns import is_id, is_time, is_too_large_for_an_amount, rank_of
from evenhand.plan.init.meaning.vocabulary import (
    DISLIKED,
    DWELL,
    EVENT,
    INTERNAL,
    LIKED,
    RANDOM,
    RATING,
    SCORE,
    SENSITIVE,
    SHOWN,
    TIME,
    YES_AND_NO,
)
from evenhand.plan.init.meaning.words import hints, tokens
from evenhand.plan.init.tables.profiling import MOST_VALUES, Column, Profile

# From here on a candidate may be chosen, with a mark; below, it is only listed.
PLAUSIBLE = 2
# Somebody said so.
CHOSEN = 9
MADE = "positive"
# More are titles or reasons, and no answers.
MOST_WORDS = 5
# What nearly every row is says nothing about what users like.
MOST_POSITIVE = 0.95
# Of what is done now and then, so many rows have nothing.
MOST_NOTHING = 0.5


@dataclass(frozen=True)
class Label:
    """A column that could be the label: as it is, or `made` of another by a rule."""

    column: str
    strength: int
    why: str
    rule: dict[str, Any] = field(default_factory=dict)
    called: str = MADE  # what is made by the rule, where there is one
    cut: str = ""  # what was guessed of a column that somebody named: where to cut it
    values: str = ""  # of a column of words, all of them with their rows

    @property
    def name(self) -> str:
        """What the column is called that an audit reads."""
        return self.called if self.rule else self.column

    @property
    def made(self) -> dict[str, Any]:
        return {self.called: {"column": self.column, **self.rule}} if self.rule else {}

    @property
    def meaning(self) -> str:
        """What a positive row is, in words."""
        if not self.rule:
            return f"{self.column} is 1"
        kind, value = next((k, v) for k, v in self.rule.items() if k != "empty")
        if kind == "known":
            return f"{self.column} is not empty"
        if kind == "among":
            return f"{self.column} is {' or '.join(map(str, value))}"
        return f"{self.column} is at least {value:g}"


def label_candidates(profile: Profile, not_these: set[str]) -> tuple[list[Label], list[str]]:
    """The candidates, the likeliest first, and sentences about columns that look like one and cannot be."""
    found, notes = [], []
    for name, column in profile.columns.items():
        if name in not_these:
            continue
        label, note = _judged(column)
        if label is not None:
            taken = MADE in profile.columns
            found.append(replace(label, called=f"is_{MADE}") if taken else label)
        if note:
            notes.append(f"{profile.name}: {note}")
    if any(one.strength >= PLAUSIBLE for one in found) and (rank := rank_of(profile)):
        found = [one for one in found if one.column != rank]
    return ranked(found), notes


def ranked(labels: Sequence[Label]) -> list[Label]:
    """The likeliest first; what marks rows of tests and staff, last."""
    return sorted(labels, key=lambda one: (-one.strength, hints(one.column, INTERNAL)))


def has_rule(column: Column) -> bool:
    """Whether the values of a column say how a label is made of it."""
    label, _ = _judged(column)
    return label is not None and bool(label.rule)


def label_of_column(column: Column) -> Label | None:
    """The candidate that a column is by itself, also a count or a rating whose name says nothing, where most
    rows have none."""
    if (label := _judged(column)[0]) is not None:
        return label
    if column.kind not in ("integer", "number") or not 2 < column.distinct == len(column.values) <= 101:
        return None
    if column.low == 0 and column.values.get(0, 0) >= MOST_NOTHING * column.rows and not column.missing:
        return Label(column.name, 0, f"a number from 0 to {column.high:g}", {"at_least": 1})
    if column.missing >= MOST_NOTHING * column.rows and column.low in (0, 1) and column.high in (5, 10):
        return replace(_rating(column), strength=0)
    return None


def _judged(column: Column) -> tuple[Label | None, str]:
    name = column.name
    liked = hints(name, LIKED) and not hints(name, SHOWN | SCORE)
    if hints(name, DISLIKED):
        said = f"{name!r} says what users did not like, and is no label of what they liked."
        return None, said if _tells_of_an_act(column) else ""
    if hints(name, RANDOM) or (hints(name, SENSITIVE) and not liked):
        return None, ""
    if liked and column.constant and column.kind in ("truth", "integer", "number"):
        only = next(iter(column.values), None)
        return None, f"{name!r} is called like a label, but is {only} in all rows, so it can tell nothing."
    if column.is_binary:
        if column.missing:
            said = f"{column.missing:,} of {column.rows:,} rows have none"
            return Label(name, 1 if liked else 0, f"0 or 1, but {said}"), ""
        rate = f"{column.mean if column.mean is not None else _share(column):.1%} of rows are 1"
        if liked:
            return Label(name, 4, f"0 or 1, called like what users do; {rate}"), ""
        return Label(name, 0, f"0 or 1, but its name says nothing; {rate}"), ""
    if (time := _time_of_an_act(column)) is not None:
        return time, ""
    if is_time(column) or is_id(column):
        return None, ""
    if (thumbs := _up_or_down(column, liked)) is not None:
        return thumbs, ""
    if hints(name, RATING) and column.numeric and 2 <= column.distinct <= 101 and column.high <= 100:
        return _rating(column), ""
    if hints(name, EVENT) and column.kind == "text" and column.distinct <= 30:
        return _event(column), ""
    if column.kind == "text" and (yes := says_yes(column)) is not None:
        rate = f"{column.values[yes] / column.known:.1%} of rows are {yes}"
        if not liked:
            return Label(name, 0, f"two words, but its name says nothing; {rate}", {"among": [yes]}), ""
        why = f"two words, called like what users do; {rate}"
        return Label(name, 3 if not column.missing else 1, why, {"among": [yes]}), ""
    watched = {"watch", "play", "listen", "read"} & set(tokens(name)) and "time" in tokens(name)
    lasted = liked and tokens(name)[-1] in ("s", "min", "mins", "minutes", "hours")
    if (hints(name, DWELL) or watched or lasted) and column.numeric and column.distinct > 10:
        return (_dwell(column), "") if column.low >= 0 else (None, "")
    if liked and column.kind == "integer" and column.low == 0 and column.distinct > 2:
        return _count(column)
    return None, ""


def named_label(profile: Profile, name: str, known: Label | None) -> Label:
    """The label that somebody has named. Of a time, whoever has one did it; of a number, where to cut is a
    guess: what most take of such a column, or its upper quarter."""
    column = profile.columns[name]
    rule = dict(known.rule) if known is not None else {}
    if not rule and is_time(column) and column.missing:
        rule = {"known": True}
    if known is not None and known.cut:
        return replace(known, strength=CHOSEN, why="named by you")
    if "at_least" in rule and column.distinct > 3:
        return Label(name, CHOSEN, "named by you", rule, cut=_cut(profile, name, rule["at_least"]))
    if rule or column.is_binary or not column.numeric or column.constant:
        return Label(name, CHOSEN, "named by you", rule)
    above = [edge for edge in (*profile.quantiles(name, (0.75,)), float(column.high)) if edge > column.low]
    rule = {"at_least": float(f"{above[0]:.3g}"), **({"empty": False} if column.missing else {})}
    return Label(name, CHOSEN, "named by you", rule, cut=_cut(profile, name, rule["at_least"]))


def _cut(profile: Profile, name: str, least: float) -> str:
    t = profile.table.expr
    found = profile.run(t.aggregate(n=(t[name] >= least).sum(), rows=t.count()))
    share = float(found["n"][0] or 0) / max(int(found["rows"][0]), 1)
    return (
        f"From {least:g} on, {name} is taken to say that a user liked something, as {share:.0%} of rows do: "
        "where to cut it is a guess. Only you know: check it."
    )


def unnamed_numbers(profile: Profile, names: Sequence[str], keys: Sequence[str]) -> list[Label]:
    """Numbers that are of a visit, and not of the user or the item alone: a label could be made of one."""
    possible = [
        name
        for name in names
        if (c := profile.columns[name]).numeric and c.distinct > MOST_VALUES and c.low >= 0
        and not is_id(c) and not is_time(c) and not hints(name, SCORE) and not is_too_large_for_an_amount(c)
    ]  # fmt: skip
    for key in keys:
        of_key = profile.depends_on(possible, key)
        possible = [name for name in possible if name not in of_key]
    return [
        Label(
            name,
            0,
            f"a number from {c.low:g} to {c.high:g}; from which on is your choice",
            {"at_least": c.high},
        )
        for name in possible
        if (c := profile.columns[name])
    ]


def _up_or_down(column: Column, liked: bool) -> Label | None:
    """-1, 0 and 1: turned down, nothing, liked."""
    values = {int(value) for value in column.values} if column.kind == "integer" else set()
    if not {-1, 1} <= values <= {-1, 0, 1}:
        return None
    why = f"-1, 0 or 1, of which 1 is taken as positive; {column.values[1] / column.known:.1%} of rows are 1"
    named = why if liked else f"{why}; its name says nothing"
    strength = (3 if not column.missing else 1) if liked else 0
    return Label(column.name, strength, named, {"at_least": 1})


def _tells_of_an_act(column: Column) -> bool:
    """Whether its values say that something was done or not: two, a count, or the time of those who did."""
    if column.is_binary or column.kind == "truth" or is_time(column):
        return True
    counts = column.kind == "integer" and column.low == 0
    return counts or (column.kind == "text" and says_yes(column) is not None)


def labels_in_words(profile: Profile) -> list[Column]:
    """Columns that are called like a label and hold a few words, none of which is known to say yes."""
    return [
        column
        for name, column in profile.columns.items()
        if column.kind == "text"
        and 2 <= column.distinct + bool(column.missing) <= MOST_WORDS
        and hints(name, LIKED)
        and not hints(name, SHOWN | SCORE | SENSITIVE | RANDOM)
    ]


def says_yes(column: Column) -> Any | None:
    """The word that says yes, where there are two and the other says no."""
    words = {str(value).strip().lower(): value for value in column.values}
    if len(words) != 2 or column.distinct != 2:
        return None
    return next((words[yes] for yes, no in YES_AND_NO if {yes, no} == set(words)), None)


def _count(column: Column) -> tuple[Label | None, str]:
    """How often a user did it: once is enough, unless nearly everybody did, as then it tells nothing."""
    name = column.name
    if not column.values:
        return None, (
            f"{name!r} is called like a label, but has {column.distinct:,} values, and nothing says where to "
            f"cut it; write made.{MADE} = {{ column = {name!r}, at_least = ... }} in the plan."
        )
    share = 1 - column.values.get(0, 0) / max(column.known, 1)
    if share > MOST_POSITIVE:
        return None, f"{name!r} is 1 or more in {share:.1%} of rows, so it can hardly tell what users like."
    rule = {"at_least": 1, **({"empty": False} if column.missing else {})}
    why = f"counts from 0 to {column.high}; at least one is taken as positive, which {share:.1%} of rows are"
    return Label(name, 2, f"{why}{_of_empty(column)}", rule), ""


def _share(column: Column) -> float:
    return sum(n for value, n in column.values.items() if value) / max(column.known, 1)


def _time_of_an_act(column: Column) -> Label | None:
    """When a user clicked: whoever did not has no time."""
    share = column.missing / max(column.rows, 1)
    if is_time(column) and hints(column.name, LIKED) and 0.005 < share < 0.999:
        why = f"a time that {1 - share:.1%} of rows have; whoever did not has none"
        return Label(column.name, 3, why, {"known": True})
    # What is called a time and nothing else is when a row was written, and some rows do not say.
    if is_time(column) and 0.2 < share < 0.999 and not set(tokens(column.name)) <= TIME:
        why = f"a time that {1 - share:.1%} of rows have, but its name says nothing"
        return Label(column.name, 0, why, {"known": True})
    return None


def _rating(column: Column) -> Label:
    best = float(column.high)
    # 4 of 5, 8 of 10: as the literature cuts ratings.
    cut = round(0.8 * best, 1)
    cut = int(cut) if cut == int(cut) else cut
    why = f"ratings from {float(column.low):g} to {best:g}; cut at {cut:g}, as most studies do"
    return Label(column.name, 3 if not column.missing else 1, why, {"at_least": cut})


def _event(column: Column) -> Label | None:
    liked = [value for value in column.values if hints(str(value), LIKED) and not hints(str(value), DISLIKED)]
    if not liked or len(liked) == len(column.values):
        return None
    why = f"kinds of events ({', '.join(map(str, list(column.values)[:6]))})"
    return Label(column.name, 2, why, {"among": liked})


def _dwell(column: Column) -> Label:
    """Half a minute, in whatever unit, where that divides the rows; where not, the mean."""
    ms = (
        bool({"ms", "msec", "millis", "milliseconds"} & set(tokens(column.name)))
        or float(column.high) > 36_000
    )
    cut: float = 30_000 if ms else 30
    if not float(column.low) < cut < float(column.high):
        cut = round(float(column.mean or 0), 2)
    rule = {"at_least": cut, **({"empty": False} if column.missing else {})}
    why = "a length of time; where to cut it is your choice"
    return Label(column.name, 2, f"{why}{_of_empty(column)}", rule)


def _of_empty(column: Column) -> str:
    share = column.missing / max(column.rows, 1)
    return f"; {share:.1%} of rows have none, which counts as not liked" if column.missing else ""
