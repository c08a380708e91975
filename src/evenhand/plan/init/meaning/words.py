"""Names taken apart into words.

A name is only a hint. Whatever it hints at is held against what the column holds (`recognising`), and
what no name or content says is asked for, or left out.
"""

from __future__ import annotations

import re
import unicodedata

from evenhand.plan.init.meaning.vocabulary import (
    BIRTH,
    CREATOR,
    DWELL,
    ID,
    ITEM,
    LIKED,
    LIST,
    RANDOM,
    RANK,
    RATING,
    SCORE,
    SENSITIVE,
    TIME,
    USER,
    VECTOR,
)

_THINGS = USER | ITEM | CREATOR | LIST
_KNOWN = _THINGS | ID | BIRTH | LIKED | RANDOM | RATING | DWELL | SCORE | RANK | TIME | SENSITIVE | VECTOR

# So long a word at the beginning of another is no accident.
_LONG = 6


# A post that has a code is an item; this is where somebody lives.
_POSTCODE = re.compile(r"(?<![a-z])post[^a-z]?code(?![a-z])")
# Thumbs that go up are none that go down.
_THUMBS = re.compile(r"(?<![a-z])thumbs?[^a-z]?(up|down)(?![a-z])")
_GERMAN = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ß": "ss", "ł": "l"}
)


def plain_letters(name: str) -> str:
    """A name without accents, as it is written where there are none: "Hörbücher" is Hoerbuecher, also where
    a file system has the dots apart."""
    spelt = unicodedata.normalize("NFC", name).translate(_GERMAN)
    return unicodedata.normalize("NFKD", spelt).encode("ascii", "ignore").decode()


def tokens(name: str) -> list[str]:
    """The words of a name, in small letters without accents: "UserID" is user and id, "kunden_nr" is kunden
    and nr."""
    plain = plain_letters(name)
    plain = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", plain)
    plain = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1 \2", plain)
    plain = _THUMBS.sub(r"thumb\1", _POSTCODE.sub("postcode", plain.lower()))
    return [_joined(word) for word in re.split(r"[^a-z]+", plain) if word for word in _parts(word)]


def _parts(word: str) -> list[str]:
    """Words that are written as one: "userid" is user and id, "kundennummer" kunde and nummer, "isclick" is
    and click, "zufallstest" begins with zufall; other words stay whole."""
    if word in _KNOWN:
        return [word]
    for random in RANDOM:
        if len(random) >= _LONG and word.startswith(random):
            return [random, word[len(random) :]]
    for place in range(2, len(word) - 1):
        left, right = _joined(word[:place]), word[place:]
        if (left in _THINGS and right in ID | VECTOR) or (left in ("is", "has", "did") and right in _KNOWN):
            return [left, right]
        if left in ("id", "is", "watch", "play", "listen") and right in (*_THINGS, "time"):
            return [left, right]
    return [word]


def _joined(word: str) -> str:
    """German compounds and plurals end in letters that join: "kunden" is kunde, "nutzer" is nutzer."""
    known = _THINGS
    if word in known:
        return word
    for end in ("s", "n", "en", "es"):
        if word.endswith(end) and word[: -len(end)] in known:
            return word[: -len(end)]
    return word


def known(name: str) -> bool:
    """Whether any word of the name is one that means something here."""
    return any(word in _KNOWN for word in tokens(name))


def hints(name: str, words: frozenset[str]) -> bool:
    """Whether a word of the name is among these."""
    return any(word in words for word in tokens(name))
