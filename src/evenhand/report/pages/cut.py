"""So many lines of a text, where a terminal has no more: what is left out is whole, or words with a mark in
their place, so that no number comes to stand beside a name that is not its own."""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import NamedTuple

# Those that hold an interval, or how many of something, and not a part of a name.
_BRACKETS = re.compile(r" \([^()]*(?:\d|counted)[^()]*\)")
_MONTH = "|".join(calendar.month_name[1:])
_DATE = re.compile(rf"(?:\d{{1,2}}(?:,| and)? )+(?:{_MONTH})(?: \d{{4}})?")
# What stands between two entries of a list, and where a sentence ends.
_NEXT_ENTRY = re.compile(r", and |, | and |; ")
_END = re.compile(r"[.:?!](?: |$)")
_MORE = re.compile(r",? and (\d[\d,]*) more\b")


class _Claim(NamedTuple):
    """A name with its number: where the last bracket of it begins and ends, and whether it is an entry of the
    same list as the one before."""

    start: int
    end: int
    is_next: bool


def cut(text: str, width: int, most: int) -> list[str]:
    """So many lines of a text. Whole claims go first, of a list as "and 2 more"; then words of the first one:
    the bracket behind its number (the interval, the limit) stays whole wherever it fits, and then the
    interval in it."""
    lines = wrap(text, width)
    claims = _claims(text)
    if len(lines) > most and claims:
        begun = wrap(text, width, max_lines=most, placeholder=" …")
        if len(" ".join(begun).removesuffix(" …")) > claims[-1].end + 1:  # and not just its full stop
            return begun
        for kept in range(len(claims), 0, -1):
            said = text[: claims[kept - 1].end] + _after(text, claims, kept)
            if len(lines := wrap(said, width)) <= most:
                return lines
        first = claims[0]
        head, after = text[: first.start], _after(text, claims, 1)
        inside = text[first.start : first.end].removesuffix(")")
        parts = [f"{inside.partition(by)[0]} …){after.strip('.…')}" for by in ("; ", ", ") if by in inside]
        for end in (f"{inside}){after}", *map(str.rstrip, parts)):
            for said in (f"{head}{end}", *_shorter(head, end)):
                if len(lines := wrap(said, width)) <= most:
                    return lines
    return wrap(text, width, max_lines=most, placeholder=" …") or [""]


def _claims(text: str) -> list[_Claim]:
    """Names may have brackets of their own: a claim ends where another entry, or sentence, begins."""
    found: list[_Claim] = []
    for bracket in _BRACKETS.finditer(text):
        between = text[found[-1].end : bracket.start()] if found else ""
        is_entry = _NEXT_ENTRY.match(between) is not None
        is_whole = _END.search(between) is None
        if found and is_whole and not is_entry:
            found[-1] = found[-1]._replace(start=bracket.start(), end=bracket.end())
        else:
            found.append(_Claim(bracket.start(), bracket.end(), bool(found) and is_entry and is_whole))
    return found


def _after(text: str, claims: Sequence[_Claim], kept: int) -> str:
    """What stands for all behind the claims that are kept."""
    last = kept
    while last < len(claims) and claims[last].is_next:
        last += 1
    rest = text[claims[last - 1].end :]
    more = _MORE.match(rest)
    rest = rest[more.end() :] if more else rest
    left = last - kept + (int(more[1].replace(",", "")) if more else 0)
    said = f" and {left:,} more" if left else ""
    return said + (rest if rest in ("", ".") and last == len(claims) else " …")


def _shorter(text: str, end: str) -> Iterator[str]:
    """The text with ever fewer words: first those far behind its last number, then those before it; the two
    behind it ("less often") go last. Where another number would go with them, what stands before that goes,
    too. A date is no number: what is said of a day is not its year."""
    words = text.split()
    told = _DATE.sub(lambda date: re.sub(r"\d", "x", date[0]), text).split()
    numbers = [place for place, word in enumerate(told) if any(map(str.isdigit, word))]
    number = max(numbers, default=0)
    near = min(number + 3, len(words))
    for kept in range(len(words) - 1, near - 1, -1):
        yield f"{' '.join(words[:kept])} …{end}"
    more = "" if near == len(words) else " …"
    least = numbers[-2] + 1 if len(numbers) > 1 else 0
    for kept in range(number - 1, least - 1, -1):
        yield f"{' '.join([*words[:kept], '…', *words[number:near]])}{more}{end}"
    yield f"… {' '.join(words[number:near])}{more}{end}"
    yield f"… {words[number]} …{end}"
