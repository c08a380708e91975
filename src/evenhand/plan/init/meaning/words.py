"""Names taken apart into words.

A name is only a hint. Whatever it hints at is held against what the column holds (`recognising`), and
what no name or content says is asked for, or left out.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from evenhand.plan.init.meaning.vocabulary import (
    BIRTH,
    CREATOR,
    DISLIKED,
    DWELL,
    EVENT,
    ID,
    ITEM,
    LIKED,
    LIST,
    OPENED,
    RANDOM,
    RANK,
    RATING,
    SCORE,
    SENSITIVE,
    SHOWN,
    TIME,
    USER,
    VECTOR,
)

_THINGS = USER | ITEM | CREATOR | LIST
_KNOWN = _THINGS | ID | BIRTH | LIKED | RANDOM | RATING | DWELL | SCORE | RANK | TIME | SENSITIVE | VECTOR

# So long a word at the beginning of another is no accident.
_LONG = 6
# A shorter word is no stem: "red" is no form of anything.
_SHORT = 3
# What is said in several forms: done, doing, did.
_DONE = LIKED | OPENED | DISLIKED | SHOWN | EVENT

# A post that has a code is an item; this is where somebody lives.
_POSTCODE = re.compile(r"(?<![a-z])post[^a-z]?code(?![a-z])")
# Thumbs that go up are none that go down.
_THUMBS = re.compile(r"(?<![a-z])thumbs?[^a-z]?(up|down)(?![a-z])")
_GERMAN = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ß": "ss", "ł": "l", "Ł": "L",
     "ı": "i", "ø": "o", "Ø": "O", "æ": "ae", "œ": "oe", "đ": "d", "Đ": "D"}
)  # fmt: skip


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
    return without if (without := _without_dots(word)) in known else word


def known(name: str) -> bool:
    """Whether any word of the name is one that means something here."""
    return any(word in _KNOWN for word in tokens(name))


def hints(name: str, words: frozenset[str]) -> bool:
    """Whether a word of the name is among these, or a form of one."""
    return any(word in words or not words.isdisjoint(forms(word)) for word in tokens(name))


@lru_cache(maxsize=4096)
def forms(word: str) -> frozenset[str]:
    """The words that this one is a form of: "wishlisted" of wishlist, "guardadas" of guardado. Only of what
    users do: "places" and "times" are something else than a place in a list and a time."""
    stems = {_without_dots(word), *_english_stems(word)} & _DONE
    return frozenset(stems | _ENDED.get(_without_end(word), frozenset()) | ({_without_dots(word)} & _KNOWN))


def _without_dots(word: str) -> str:
    """As it is written where dots are left out: a Turkish product is urun, also where it comes as ueruen."""
    return re.sub("([aou])e", r"\1", word)


def _english_stems(word: str) -> Iterator[str]:
    for end in ("s", "es", "d", "ed", "ing"):
        stem = word[: -len(end)]
        if word.endswith(end) and len(stem) >= _SHORT:
            yield stem
            if end == "ing":
                yield stem + "e"  # saving, save
            if stem[-1] == stem[-2]:
                yield stem[:-1]  # tapped, tap


def _without_end(word: str) -> str:
    """A long word without the vowel at its end and s, which tell genders and numbers apart; "" of others."""
    stem = re.sub("[aeiouy]?s?$", "", word)
    return stem if len(stem) >= _LONG - 1 else ""


def _by_their_ends() -> dict[str, frozenset[str]]:
    alike: dict[str, set[str]] = {}
    for word in _DONE:
        if stem := _without_end(word):
            alike.setdefault(stem, set()).add(word)
    return {stem: frozenset(words) for stem, words in alike.items()}


_ENDED = _by_their_ends()
