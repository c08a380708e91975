"""On which line of a TOML file a key stands: what reads TOML for us says what is there, but not where."""

from __future__ import annotations

import re
import tomllib
from contextlib import suppress

from evenhand.asked.sentences import Place

_TOKEN = re.compile(
    r"""
      (?P<blank>[ \t\r]+|\#[^\n]*)
    | (?P<end>\n)
    | (?P<text>\"\"\"(?:\\.|[^\\])*?\"{3,5}|'''.*?'{3,5}|"(?:\\.|[^"\\\n])*"|'[^'\n]*')
    | (?P<mark>[\[\]{},=.])
    | (?P<bare>[^\s\[\]{},=.\#"']+)
    """,
    re.VERBOSE | re.DOTALL,
)


class Lines:
    """The lines of a file that is known to be TOML, by the places of its keys: `("audits", 0, "group")`."""

    def __init__(self, text: str) -> None:
        self._known: dict[Place, int] = {}
        self._tokens: list[tuple[str, str, int]] = []
        line = 1
        for found in _TOKEN.finditer(text):
            if found.lastgroup != "blank":
                self._tokens.append((str(found.lastgroup), found[0], line))
            line += found[0].count("\n")
        self._tokens.append(("end", "", line))
        self._at = 0
        with suppress(RecursionError):  # nested as deeply as nobody's plan: what was found is enough
            self._statements()

    def of(self, place: Place) -> int | None:
        """The line of a place, or of what it belongs to where it is not there itself."""
        return next(
            (self._known[place[:end]] for end in range(len(place), 0, -1) if place[:end] in self._known), None
        )

    def _statements(self) -> None:
        table: Place = ()
        numbers: dict[Place, int] = {}
        while self._at < len(self._tokens) - 1:
            _, token, line = self._tokens[self._at]
            if token == "\n":
                self._at += 1
            elif token == "[":
                table = self._header(numbers, line)
            else:
                self._key_and_value(table)

    def _header(self, numbers: dict[Place, int], line: int) -> Place:
        """Read `[a.b]` or `[[a.b]]`: the place whose keys follow."""
        several = self._tokens[self._at + 1][1] == "["
        self._at += 1 + several
        parts = self._key()
        self._at += 1 + several
        place: Place = ()
        for depth, part in enumerate(parts, start=1):
            place = (*place, part)
            if several and depth == len(parts):
                numbers[place] = numbers.get(place, -1) + 1
                self._known.setdefault(place, line)
            if place in numbers:  # of a list of tables, the last
                place = (*place, numbers[place])
            self._known.setdefault(place, line)
        return place

    def _key_and_value(self, table: Place) -> None:
        line = self._tokens[self._at][2]
        place = table
        for part in self._key():
            place = (*place, part)
            self._known.setdefault(place, line)
        self._at += 1  # the equals sign
        self._value(place)

    def _key(self) -> list[str]:
        parts = []
        while True:
            kind, token, _ = self._tokens[self._at]
            parts.append(tomllib.loads(f"key = {token}")["key"] if kind == "text" else token)
            self._at += 1
            if self._tokens[self._at][1] != ".":
                return parts
            self._at += 1

    def _value(self, place: Place) -> None:
        opening = self._tokens[self._at][1]
        if opening == "{":
            self._at += 1
            while self._tokens[self._at][1] != "}":
                if self._tokens[self._at][1] in (",", "\n"):
                    self._at += 1
                else:
                    self._key_and_value(place)
            self._at += 1
        elif opening == "[":
            self._list(place)
        else:
            while self._tokens[self._at][1] not in (",", "]", "}", "\n", ""):
                self._at += 1

    def _list(self, place: Place) -> None:
        self._at += 1
        number = 0
        while self._tokens[self._at][1] != "]":
            _, token, line = self._tokens[self._at]
            if token in (",", "\n"):
                self._at += 1
                continue
            self._known[(*place, number)] = line
            self._value((*place, number))
            number += 1
        self._at += 1
