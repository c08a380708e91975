"""Whom a finding is about, in words: "creators aged 18-24", "women aged 55+", "men: cooking"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from evenhand.about import WHOM, group_of, words_of
from evenhand.findings import Finding
from evenhand.report.vocabulary.names import measure, spaced

_PEOPLE = ("creator", "user", "item")
_PLAIN = re.compile(r"[\w.+-]+")
_AGES = re.compile(r"\d+-\d+")
# Attributes of items whose values are what is shown: "less drama", but "less of brand Acme".
_CONTENT = ("genre", "category", "topic", "kind", "type", "group", "groups")
# Where all but one value are taken together, an audit calls them so.
_REST = "the rest"
# Where a column of a log may describe users as well as creators.
_UNKNOWN = "those"


def who(finding: Finding, group: object | None = None) -> str:
    """A group in words: the finding's own, or the one that is called `group`."""
    whom, own = _own(finding)
    if group is not None or not own:
        name = str(finding.subject.get("group") if group is None else group)
        own = parted(attributes_of(finding, whom), name)
    return people(finding, whom, own)


def people(finding: Finding, whom: str, group: Mapping[str, Any]) -> str:
    """These creators, users or items: "women aged 55+ with region north"."""
    noun, ages, others = "", "", []
    named = [_labelled(finding, attribute, value) for attribute, value in group.items()]
    for (attribute, value), label in zip(group.items(), named, strict=True):
        people, said = _whose(finding, whom, attribute)
        noun = noun or people
        if label is not None:
            continue
        if "age" in said.split() and people and any(letter.isdigit() for letter in str(value)):
            ages = f" aged {quoted(value)}"
        else:
            others.append(f"{said or 'group'} {quoted(value)}")
    first = ", ".join(filter(None, named)) or noun
    if not first:
        return listed(others)
    with_ = "in" if others and others[0].startswith("group ") else "with"
    return f"{first}{ages}{f' {with_} {listed(others)}' if others else ''}"


def makers(finding: Finding) -> str:
    """Who made what is shown, after "by": "18-24-year-olds", "creators aged 35+"."""
    said = who(finding)
    ages = said.removeprefix("creators aged ")
    return f"{ages}-year-olds" if ages != said and _AGES.fullmatch(ages) else said


def content(finding: Finding, group: Mapping[str, Any]) -> str:
    """A group of items as what is shown of it, after "less" or "more": "drama", "of brand Acme"."""
    ((attribute, value), *more) = group.items()
    label = _labelled(finding, attribute, value)
    if label is not None and not more:
        return label
    said = _whose(finding, "items", attribute)[1]
    if not more and (said in _CONTENT or not said):
        return quoted(value)
    return f"of {people(finding, 'items', group).removeprefix('items with ')}"


def in_words(finding: Finding) -> dict[str, str]:
    """The names of people and items that a template of a measure may ask for."""
    about: dict[str, Any] = dict(finding.about)
    everybody = _everybody(finding)
    said = {"everybody": everybody, "people": measure(finding.measure).people or everybody}
    for end in ("lowest", "highest"):
        if isinstance(finding.details.get(end), str):
            said[end] = who(finding, finding.details[end])
    if is_of_group(finding):
        said["who"] = said["people"] = who(finding)
        said["liked"] = _liked(finding)
    for key, items in (("content", "items"), ("first", "first"), ("second", "second")):
        if isinstance(about.get(items), dict):
            said[key] = content(finding, about[items]).removeprefix("of ")
    whom = next(iter(about.get("by", {})), "users")
    by = attributes_of(finding, whom)
    values = {"toward": finding.details.get("toward"), "value": about.get("value")}
    if len(by) == 1:
        said |= {f"{key}_people": _valued(finding, whom, by[0], of) for key, of in values.items() if of}
    if "other" in about:
        other = about["other"]
        said["other_people"] = people(finding, "users", other if isinstance(other, dict) else {"": other})
    said["two_values"] = _values(finding, by)
    return said


def is_of_group(finding: Finding) -> bool:
    """Whether it is of a group of people or items; in flat subjects, a system is called a group as well."""
    return "group" in finding.subject and "system" not in finding.about


def _valued(finding: Finding, whom: str, attribute: str, value: object) -> str:
    return f"the other {whom}" if value == _REST else people(finding, whom, {attribute: value})


def _values(finding: Finding, by: tuple[str, ...]) -> str:
    """The two values that are held against each other: "women and men", "users with gender F and M"."""
    two = [finding.details.get(end) for end in ("toward", "away")]
    if None in two or len(by) != 1:
        return "the values"
    named = [_labelled(finding, by[0], value) for value in two]
    if None not in named[:1]:
        return listed(str(name or value) for name, value in zip(named, two, strict=True))
    return f"users with {spaced(by[0])} {listed(map(str, two))}"


def _liked(finding: Finding) -> str:
    """What users like of a group: "liked items by 18-24-year-olds", "liked items with genre drama"; of a
    group of users, what these like: "items liked by women"."""
    made = makers(finding)
    if finding.details.get("groups_of") == "users" and not made.startswith("creators"):
        return f"items liked by {made}"
    if made.startswith("items"):
        return f"liked {made}"
    # Labels ("women") say no more than the column whose they are.
    of = "of" if finding.details.get("groups_of") == "rows" and not made.startswith("creators") else "by"
    return f"liked items {of} {made}"


def short_who(finding: Finding) -> str:
    """Just the people, or what stands for them, for a card or a row."""
    about: dict[str, Any] = dict(finding.about)
    users, items = about.get("users"), about.get("items")
    if isinstance(users, dict) and isinstance(items, dict):
        return f"{people(finding, 'users', users)}: {content(finding, items).removeprefix('of ')}"
    if isinstance(users, dict) and isinstance(about.get("other"), dict):
        return f"{people(finding, 'users', users)}, with lists of {people(finding, 'users', about['other'])}"
    if isinstance(items, dict):
        return content(finding, items).removeprefix("of ")
    if isinstance(about.get("first"), dict) and isinstance(about.get("second"), dict):
        pair = (content(finding, about[key]).removeprefix("of ") for key in ("first", "second"))
        return " against ".join(pair)
    if is_of_group(finding):
        return who(finding)
    said = in_words(finding)
    return either(served_worst(finding)) or said.get("value_people") or said["everybody"]


def served_worst(finding: Finding) -> list[str]:
    """The groups that a gap, or a ratio, says are served worst; none where it names no group."""
    details = finding.details
    chosen = details.get("halves", [details])
    end = "highest" if details.get("better") == "lower" else "lowest"
    return list(dict.fromkeys(who(finding, one[end]) for one in chosen if one.get(end)))


def _everybody(finding: Finding) -> str:
    """Everybody, by the attributes that are compared: "creators by age", "users by gender and age band"."""
    whom, _ = _own(finding)
    attributes = attributes_of(finding, whom)
    said = [_whose(finding, whom, attribute) for attribute in attributes]
    noun = next((people for people, _ in said if people), measure(finding.measure).people)
    if noun == _UNKNOWN and any(attribute in ("group", "groups") for _, attribute in said):
        return "all groups"
    noun = "groups" if noun == _UNKNOWN else noun
    if not said:
        return f"all {noun}" if noun else "all groups"
    return f"{noun or 'groups'} by {listed(attribute for _, attribute in said)}"


def _own(finding: Finding) -> tuple[str, Mapping[str, Any]]:
    """Whose group it is, and which; without a group, whose groups are compared."""
    for whom in WHOM:
        group = finding.about.get(whom)
        if isinstance(group, dict):
            return whom, group
    by = finding.about.get("by")
    return (next(iter(by)) if isinstance(by, dict) and by else "users"), {}


def attributes_of(finding: Finding, whom: str) -> tuple[str, ...]:
    by = finding.about.get("by")
    found: Any = by.get(whom, ()) if isinstance(by, dict) else ()
    own = finding.about.get(whom)
    return tuple(found) or (tuple(own) if isinstance(own, dict) else ())


def parted(attributes: tuple[str, ...], name: str) -> Mapping[str, Any]:
    """A group by its name, attribute by attribute: "F, 55+", or "gender F" where age may be anything."""
    parts = group_of(attributes, name)
    if len(attributes) < 2 or set(parts) <= set(attributes):
        return parts
    words = [word.split(" ", 1) for word in words_of(name)]
    if all(len(word) == 2 and word[0] in attributes for word in words):
        return {word[0]: word[1] for word in words}
    return {"": name}


def _whose(finding: Finding, whom: str, attribute: str) -> tuple[str, str]:
    """Whom an attribute describes, and what it is called: "creator_age" is the age of creators."""
    prefix, _, rest = attribute.replace(" ", "_").partition("_")
    if rest and prefix in _PEOPLE:  # the name of the column says whom it describes
        return f"{prefix}s", spaced(rest)
    # What is audited as groups of creators may be any column of a log, or of a table of users.
    if whom == "creators" and finding.details.get("groups_of") == "users":
        return "users", spaced(attribute)
    of_items = whom == "creators" and attribute in _CONTENT[:-2]
    if whom == "creators" and not of_items and finding.details.get("groups_of") == "rows":
        return _UNKNOWN, spaced(attribute)
    return "items" if of_items else whom, spaced(attribute)


def _labelled(finding: Finding, attribute: str, value: object) -> str | None:
    """The value itself, where it is a label: it names people by itself, without its attribute."""
    return str(value) if str(value) in finding.labels.get(attribute, {}).values() else None


def quoted(value: object) -> str:
    """A value as it stands in a sentence; one that could be taken for more than a name is in quotes."""
    name = str(value)
    return name if _PLAIN.fullmatch(name) else f"“{name}”"


def either(groups: Iterable[str]) -> str:
    """The group that both halves of the users chose; or the two, as it is not known which one it is: "users
    with sex m or w (two halves of the users name different groups)"."""
    said = list(dict.fromkeys(groups))
    if len(said) != 2:
        return " or ".join(said)
    one, other = (words.split(" ") for words in said)
    first = _alike(one, other)
    last = _alike(one[first:][::-1], other[first:][::-1])
    ends = [words[first : len(words) - last] for words in (one, other)]
    if all(ends):  # what they share is said once
        both = [*one[:first], *ends[0], "or", *ends[1], *one[len(one) - last :]]
        said = [" ".join(both)]
    return f"{' or '.join(said)} (two halves of the users name different groups)"


def _alike(one: list[str], other: list[str]) -> int:
    """How many words both begin with."""
    return next(
        (place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
        min(len(one), len(other)),
    )


def listed(parts: Iterable[str]) -> str:
    """ "a", "a and b", "a, b and c"."""
    said = list(parts)
    return " and ".join(filter(None, [", ".join(said[:-1]), *said[-1:]]))
