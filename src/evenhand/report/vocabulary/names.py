"""What audits, measures and details are called: the words of all rooms, together.

A room's words are a module of this package with a `ROOM`. It is found because it is there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TypeVar

from evenhand.asked.audits import AUDITS
from evenhand.report import vocabulary
from evenhand.report.vocabulary.measure import Measure
from evenhand.report.vocabulary.room import Audit, Room

Said = TypeVar("Said")
# Terms that several rooms use.
_TERMS = {"df": "degrees of freedom"}


def rooms() -> list[Room]:
    """The words of each room, in the order of the rooms' names."""
    names = sorted(module.name for module in iter_modules(vocabulary.__path__))
    modules = [import_module(f"{vocabulary.__name__}.{name}") for name in names]
    return [module.ROOM for module in modules if hasattr(module, "ROOM")]


@cache
def words() -> Room:
    """The words of all rooms."""
    found = rooms()
    return Room(
        audits=_together(room.audits for room in found),
        measures=_together(room.measures for room in found),
        headings=_together(room.headings for room in found),
        terms=_TERMS | _together(room.terms for room in found),
    )


def _together(parts: Iterable[Mapping[str, Said]]) -> dict[str, Said]:
    return {name: said for part in parts for name, said in part.items()}


def audit(name: str) -> Audit:
    """The words for an audit; one that has none is a question of its own."""
    return words().audits.get(name) or Audit(title=capital(spaced(name)), serves=name)


def question(name: str) -> str:
    """The question that an audit answers: that of its words, or of its declaration (or none)."""
    return audit(name).question or (AUDITS[name].about if name in AUDITS else "")


def serves(name: str) -> str:
    """The id of the question that an audit helps to answer."""
    return audit(name).serves


def headlines(question: str) -> list[tuple[str, str]]:
    """Audit and measure of every headline that answers a question, the best answer first."""
    return [
        (name, said.headline)
        for name, said in words().audits.items()
        if said.serves == question and said.headline
    ]


def measure(name: str) -> Measure:
    """The words for a measure; a name that has none still gets a decent sentence."""
    known = words().measures.get(name)
    if known is not None:
        return known
    title = capital(spaced(name))
    return Measure(
        title=title, sentence=f"{title.replace('{', '{{').replace('}', '}}')} is {{size}}{{place}}"
    )


def heading(word: str) -> str:
    """A word of a subject as it stands in a heading."""
    return words().headings.get(word, word)


def term(name: str) -> str:
    """What a detail is called."""
    return words().terms.get(name, spaced(name))


def section_heading(title: str, about: Sequence[str]) -> str:
    """ "Groups of users by gender, age: mrr@5": the attribute, then whatever else there is."""
    by, *more = about
    return ": ".join([f"{title} by {spaced(by)}" if by else title, *filter(None, more)])


def spaced(name: str) -> str:
    """A column or measure name as words: "creator_age" is "creator age"."""
    return name.replace("_", " ").strip()


def capital(text: str) -> str:
    """The first letter large, the others as they are."""
    return text[:1].upper() + text[1:]
