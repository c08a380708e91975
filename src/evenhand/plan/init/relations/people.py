"""Whether a table describes people, or things."""

from __future__ import annotations

from evenhand.plan.init.meaning.vocabulary import (
    BIRTH,
    CREATOR,
    ITEM,
    OF_ITEMS,
    OF_PEOPLE,
    PROTECTED,
    SAID_BESIDE,
    USER,
)
from evenhand.plan.init.meaning.words import hints, tokens
from evenhand.plan.init.tables.profiling import Profile


def of_people(profile: Profile) -> int:
    """How many of its columns describe people: `sex`, and not `seller_sex`, which is of somebody else."""
    return sum(_own_attribute(name) or hints(name, OF_PEOPLE) for name in profile.columns)


def of_things(profile: Profile) -> int:
    """How many of its columns only things have: a price, a maker."""
    return sum(hints(name, OF_ITEMS | CREATOR) for name in profile.columns)


def describes_people(profile: Profile) -> bool:
    """Whether the rows have an attribute of their own that people are protected by, or more that only people
    have (where they live) than what only things have."""
    return any(_own_attribute(name) for name in profile.columns) or of_people(profile) > of_things(profile)


def describes_things(profile: Profile) -> bool:
    """Whether more speaks for things than for people."""
    people = of_people(profile) + hints(profile.name, USER)
    return of_things(profile) + hints(profile.name, ITEM) > people


def _own_attribute(name: str) -> bool:
    words = set(tokens(name))
    return bool(words & PROTECTED) and words <= PROTECTED | BIRTH | USER | SAID_BESIDE
