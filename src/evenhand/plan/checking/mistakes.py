"""What is wrong with a plan, all at once: each mistake with its line, and what to do."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from functools import cached_property
from hashlib import sha256
from typing import Any, NamedTuple

from evenhand.asked.sentences import Place
from evenhand.errors import InputError
from evenhand.plan.checking.lines import Lines
from evenhand.report.words.legible import line

_MARK = re.compile(r"#[^\n\"]*\bCHECK: ")


class Mistake(NamedTuple):
    """Where something is wrong, and what to do about it, as a sentence without its full stop."""

    place: Place
    said: str


class Source:
    """The file of a plan: its name, its lines, and the fingerprint of what it says."""

    def __init__(self, name: str, text: str, content: dict[str, Any]) -> None:
        self.name = name
        self._text = text
        self._content = content

    @cached_property
    def lines(self) -> Lines:
        return Lines(self._text)

    @cached_property
    def unchecked(self) -> int:
        """How many guesses of `evenhand init` still have their mark: nobody has agreed on them."""
        return len(_MARK.findall(self._text))

    @cached_property
    def fingerprint(self) -> str:
        """Of what the plan says, however it is laid out; the list of its revisions is no part of it."""
        said = {key: value for key, value in self._content.items() if key != "revisions"}
        return sha256(json.dumps(said, sort_keys=True, default=str).encode()).hexdigest()[:16]


class PlanError(InputError):
    """A plan that cannot be run as it is, with every mistake that was found."""

    def __init__(self, source: Source, mistakes: Sequence[Mistake]) -> None:
        lines = [source.lines.of(one.place) for one in mistakes]
        told = sorted(zip(lines, mistakes, strict=True), key=lambda one: (one[0] is not None, one[0] or 0))
        # What is written in a plan may break lines.
        self.mistakes = tuple((number, line(one.said, sys.maxsize)) for number, one in told)
        super().__init__(self._told(source.name))

    def _told(self, name: str) -> str:
        if len(self.mistakes) == 1:
            number, said = self.mistakes[0]
            return f"{name}: {_ended(said)}" if number is None else f"{name}, line {number}: {_ended(said)}"
        listed = [
            f"  {_ended(said)}" if number is None else f"  line {number}: {_ended(said)}"
            for number, said in self.mistakes
        ]
        return "\n".join([f"{name} has {len(listed)} mistakes:", *listed])


def _ended(said: str) -> str:
    """With its full stop, where it does not end with a question."""
    return said if said.endswith((".", "?", "!")) else f"{said}."
