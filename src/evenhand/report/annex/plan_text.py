"""What was asked as a plan file again: TOML that `evenhand audit` reads."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evenhand.documents import Document

# What a document says of a plan that is no key of one, or means nothing without the rest.
_NOT_ASKED = (
    "days",  # whose files the paths name
    "default_limits",
    "fingerprint",
    "left_out",
    "min_cell",
    "monitoring",
    "taken",
    "unchecked",
    "untaken",
)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_DATES = ("period", "when")
_LIMIT = re.compile(r"^tolerance = .*$", re.MULTILINE)
_PROPOSED = "# CHECK: proposed by init; nobody has agreed on it yet"
_BARE = re.compile(r"[A-Za-z0-9_-]+")
# Control characters that JSON leaves as they are, line separators, marks that turn the direction of writing.
_OBEYED = re.compile("[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


class _Default(float):
    """A limit that the plan does not name."""


def plan_text(document: Document) -> str:
    """The plan of a document, with what stands beside it there: scope, seed and labels. Who is told of flags
    is not in a document, so that its monitoring cannot be run again."""
    told = {key: value for key, value in (document.plan or {}).items() if key not in _NOT_ASKED}
    # A default that is written down would be a limit that somebody has named: it is a comment.
    default = (document.plan or {}).get("default_limits", ())
    if default:
        told["audits"] = [
            {
                key: _Default(value) if key == "tolerance" and place in default else value
                for key, value in step.items()
            }
            for place, step in enumerate(told["audits"], start=1)
        ]
    beside = {"scope": document.scope, "seed": document.seed, "labels": document.labels}
    content = {
        **{key: value for key, value in beside.items() if value not in (None, {})},
        **told,
    }
    text = "\n".join(_table(content, ())).strip() + "\n"
    # Comments are in no document. What was only proposed stays so, here and where this plan is run.
    return _LIMIT.sub(rf"\g<0>  {_PROPOSED}", text) if (document.plan or {}).get("unchecked") else text


def _table(content: Mapping[str, Any], above: tuple[str, ...]) -> Iterator[str]:
    """Plain values first, as whatever follows the heading of a table belongs to it."""
    tables = {key: value for key, value in content.items() if _is_table(value) or _is_tables(value)}
    for key, value in content.items():
        if isinstance(value, _Default):
            yield f"# {_key(key)} = {_value(float(value))} is the default: this plan names no limit"
        elif key not in tables and value is not None:
            yield f"{_key(key)} = {_value(value, key in _DATES)}"
    for key, value in tables.items():
        name = (*above, key)
        heading = ".".join(map(_key, name))
        if _is_table(value):
            if not value or not all(map(_is_table, value.values())):  # those of its own say where they are
                yield f"\n[{heading}]"
            yield from _table(value, name)
        else:
            for one in value:
                yield f"\n[[{heading}]]"
                yield from _table(one, name)


def _is_table(value: Any) -> bool:
    return isinstance(value, Mapping)


def _is_tables(value: Any) -> bool:
    return isinstance(value, list | tuple) and len(value) > 0 and all(map(_is_table, value))


def _value(value: Any, may_be_date: bool = False) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(key)} = {_value(inner)}" for key, inner in value.items()) + " }"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "[" + ", ".join(_value(one, may_be_date) for one in value) + "]"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return f"{value:.1f}"
    if may_be_date and isinstance(value, str) and _DATE.fullmatch(value):
        return value
    return _text(value) if isinstance(value, str) else json.dumps(value)


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _text(key)


def _text(text: str) -> str:
    """A basic string of TOML, which is one of JSON whose letters stand as they are."""
    return _OBEYED.sub(lambda found: f"\\u{ord(found[0]):04X}", json.dumps(text, ensure_ascii=False))
