"""Names that come from data, made safe to print: they may hold what a terminal, a page or a script obeys."""

from __future__ import annotations

import re
from typing import Any, TypeVar

from evenhand.documents import Document
from evenhand.report.words.labels import labelled

Value = TypeVar("Value")

# Control characters, line separators, and marks that turn the direction of writing.
_OBEYED = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
# What every object of JavaScript has: a chart that looks one of them up as a group finds a function.
_OF_OBJECTS = frozenset(
    re.split(
        r"\s+",
        """__defineGetter__ __defineSetter__ __lookupGetter__ __lookupSetter__ __proto__ constructor
        hasOwnProperty isPrototypeOf propertyIsEnumerable toLocaleString toString valueOf""",
    )
)


def legible(document: Document) -> Document:
    """`document` as it is shown, with labels for values; its own text, names and numbers stay as they are."""
    document = labelled(document)
    return document.amended(
        findings=tuple(
            finding.amended(
                id=finding.id,
                about=_shown(finding.about),
                labels=_shown(finding.labels),
                excluded=tuple(
                    one.amended(what=line(one.what), why=line(one.why)) for one in finding.excluded
                ),
                doubts=_shown(finding.doubts),
                assumptions=_shown(finding.assumptions),
                warnings=_shown(finding.warnings),
                pictures=[_shown(one.model_dump(mode="json", exclude_none=True)) for one in finding.pictures],
                details=_shown(finding.details),
            )
            for finding in document.findings
        ),
        scope={key: lines(value) for key, value in document.scope.items()},
    )


def line(text: str) -> str:
    """Text on one line, with nothing in it that is obeyed: a control character becomes its picture (␛)."""
    if _OBEYED.search(text):
        return _OBEYED.sub(_picture, text)
    return f"{text}\N{ZERO WIDTH SPACE}" if text in _OF_OBJECTS else text


def lines(text: str) -> str:
    """The same for text that may have several lines."""
    return "\n".join(line(part) for part in text.split("\n"))


def _picture(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "\N{SYMBOL FOR DELETE}" if code == 0x7F else f"\\u{code:04x}"


def _shown(value: Value) -> Value:
    """The same with all text in it, at any depth, on one line."""
    shown: Any = value
    if isinstance(value, str):
        shown = line(value)
    elif isinstance(value, dict):
        shown = {_shown(key): _shown(inner) for key, inner in value.items()}
    elif isinstance(value, tuple | list):
        shown = type(value)(_shown(inner) for inner in value)
    return shown
