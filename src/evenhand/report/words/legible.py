"""Names that come from data, made safe to print: they may hold what a terminal, a page or a script obeys."""

from __future__ import annotations

import re
import sys
from hashlib import sha256
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
# Letters that a name, and a sentence with a name in it, may have; nobody reads more.
_NAME, _TITLE, _SENTENCE = 160, 300, 800


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
                    one.amended(what=line(one.what, _SENTENCE), why=line(one.why, _SENTENCE))
                    for one in finding.excluded
                ),
                doubts=_shown(finding.doubts, _SENTENCE),
                assumptions=_shown(finding.assumptions, _SENTENCE),
                warnings=_shown(finding.warnings, _SENTENCE),
                pictures=[_shown(one.model_dump(mode="json", exclude_none=True)) for one in finding.pictures],
                details=_shown(finding.details),
            )
            for finding in document.findings
        ),
        scope={line(key): lines(value, _TITLE) for key, value in document.scope.items()},
        inputs={
            name: one.amended(source=line(one.source, _TITLE), label=one.label and line(one.label, _TITLE))
            for name, one in document.inputs.items()
        },
    )


def line(text: str, longest: int = _NAME) -> str:
    """Text on one line, with nothing in it that is obeyed: a control character becomes its picture (␛). Of
    one that is very long the middle is left out."""
    if len(text) > longest:
        text = _cut(text, longest)
    if _OBEYED.search(text):
        return _OBEYED.sub(_picture, text)
    return f"{text}\N{ZERO WIDTH SPACE}" if text in _OF_OBJECTS else text


def _cut(text: str, longest: int) -> str:
    """The beginning and the end, with a mark by which names that have both in common stay apart."""
    mark = sha256(text.encode("utf-8", "replace")).hexdigest()[:6]
    return f"{text[: longest - 60]}… ({len(text):,} letters, {mark}) …{text[-20:]}"


def lines(text: str, longest: int = sys.maxsize) -> str:
    """The same for text that may have several lines, which are as long as they are."""
    return "\n".join(line(part, longest) for part in text.split("\n"))


def _picture(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "\N{SYMBOL FOR DELETE}" if code == 0x7F else f"\\u{code:04x}"


def _shown(value: Value, longest: int = _NAME) -> Value:
    """The same with all text in it, at any depth, on one line."""
    shown: Any = value
    if isinstance(value, str):
        shown = line(value, longest)
    elif isinstance(value, dict):
        shown = {_shown(key): _shown(inner, longest) for key, inner in value.items()}
    elif isinstance(value, tuple | list):
        shown = type(value)(_shown(inner, longest) for inner in value)
    return shown
