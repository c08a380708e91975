"""What a finding is about: structured for programs, flat for tables and sentences, short as an id.

Structured: `{"users": {"gender": "F", "age": "55+"}, "metric": "mrr@5"}`, or of all groups together
`{"by": {"users": ("gender", "age")}, "metric": "mrr@5"}`. Groups of creators, users or items are there by
attribute; `by` names the attributes whose groups are compared, where the group itself does not say it.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping
from itertools import count
from typing import Any
from urllib.parse import quote

Name = str | int | float
# A group by attribute, or the attributes of `by`.
Parts = dict[str, Name | tuple[str, ...]]
About = dict[str, Name | Parts]
Subject = dict[str, Name]

# Whose groups a finding may be about.
WHOM = ("creators", "users", "items")
_WORD = re.compile(r'"((?:[^"]|"")*)"(?:, |$)|([^,"]*)(?:, |$)')
# What an id holds as it is; "/", ":", "," and "=" stand between its parts, "~" before a number.
_SAFE = " +-.@()<>&"
_NUMBER = re.compile(r"~\d+$")


def combined(words: Iterable[str]) -> str:
    """The name of a combination, "F, 18-24": whatever the words are, two combinations never have one name.

    A word that could be taken for two, or for none, is in quotes.
    """
    return ", ".join(
        word if word and word == word.strip() and not set(',"') & set(word) else _in_quotes(word)
        for word in words
    )


def _in_quotes(word: str) -> str:
    return '"' + word.replace('"', '""') + '"'


def words_of(name: str) -> tuple[str, ...]:
    """The words of a combination, as they were before `combined`; a name that it did not make is one word."""
    words, place = [], 0
    while place < len(name):
        found = _WORD.match(name, place)
        if found is None:
            return (name,)
        quoted, plain = found.groups()
        words.append(plain if quoted is None else quoted.replace('""', '"'))
        place = found.end()
    return tuple(words) if combined(words) == name else (name,)


def group_of(by: str | tuple[str, ...], name: str) -> Parts:
    """The group `name` of the attributes `by`, one by one: "F, 55+" of "gender, age" is
    `{"gender": "F", "age": "55+"}`."""
    attributes = words_of(by) if isinstance(by, str) else by
    values = words_of(name) if len(attributes) > 1 else (name,)
    if len(values) != len(attributes):  # one name for all of them, such as "(missing)"
        return {combined(attributes): name}
    return dict(zip(attributes, values, strict=True))


def structured(about: Mapping[str, Any]) -> dict[str, Any]:
    """`about` with the attributes of `by` one by one, and without `by` where the groups say it."""
    told = dict(about)
    for key in (*WHOM, "by"):
        if not isinstance(told.get(key, {}), Mapping):
            raise ValueError(f"{key} of what it is about must name attributes")
    if "by" not in told:
        return told
    if not all(isinstance(by, str | list | tuple) for by in told["by"].values()):
        raise ValueError("by must name attributes of creators, users or items")
    told["by"] = {whom: words_of(by) if isinstance(by, str) else tuple(by) for whom, by in told["by"].items()}
    if all(tuple(told.get(whom, ())) == by for whom, by in told["by"].items()):
        del told["by"]
    return told


def flat(about: About) -> Subject:
    """The same with one name a key: `by` first, and the group, whosever it is, or a system as `group`."""
    groups: dict[str, Any] = {whom: about[whom] for whom in WHOM if whom in about}
    by: Any = about.get("by") or {whom: tuple(group) for whom, group in groups.items()}
    attributes = [word for whom in WHOM for word in by.get(whom, ())]
    told: Subject = {"by": attributes[0] if len(attributes) == 1 else combined(attributes)} if by else {}
    for key, value in about.items():
        if key in groups:
            named = {whom: group_name(group, by.get(whom, ())) for whom, group in groups.items()}
            told["group"] = " to ".join(named[whom] for whom in reversed(WHOM) if whom in named)
        elif isinstance(value, dict) and key != "by":
            told[key] = group_name(value)
        elif not isinstance(value, dict):
            told["group" if key == "system" else key] = value
    return told


def group_name(group: Mapping[str, Any], by: tuple[str, ...] = ()) -> str:
    """A group in words: "F, 55+", or with names where another attribute may be anything: "gender F"."""
    if set(group) < set(by):
        return combined(f"{attribute} {value}" for attribute, value in group.items())
    values = [str(value) for value in group.values()]
    return values[0] if len(values) == 1 else combined(values)


def identifier(audit: str, measure: str, about: About) -> str:
    """ "groups.group_mean/users:gender=F,age=55+/metric=mrr@5": the same in every run that asks the same."""
    return "/".join([f"{audit}.{measure}", *(in_an_id(key, value) for key, value in about.items())])


def in_an_id(key: str, value: Name | Parts) -> str:
    """One thing that a finding is about, as its id has it: "users:gender=F,age=55+"."""
    if not isinstance(value, dict):
        return f"{_safe(key)}={_safe(value)}"
    return f"{_safe(key)}:" + ",".join(
        f"{_safe(name)}={_several(of) if isinstance(of, tuple) else _safe(of)}" for name, of in value.items()
    )


def _several(names: tuple[str, ...]) -> str:
    return "+".join(_safe(name).replace("+", "%2B") for name in names)


def _safe(name: Name) -> str:
    return quote(str(name), safe=_SAFE).replace("~", "%7E")


def numbered(name: str, taken: Container[str]) -> str:
    """An id that is not taken: itself, or with the first number that is free: "groups.uf~2"."""
    if name not in taken:
        return name
    first = _NUMBER.sub("", name)
    return next(one for one in (f"{first}~{number}" for number in count(2)) if one not in taken)
