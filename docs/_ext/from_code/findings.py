"""The document of findings, part by part, from its JSON Schema."""

from __future__ import annotations

import json
from pathlib import Path

import evenhand
from from_code.markdown import anchored, block, code, paragraphs, plain, table
from from_code.plan_keys import Schema, default, kind


def schema() -> Schema:
    path = Path(evenhand.__file__).with_name("report") / "findings.schema.json"
    found: Schema = json.loads(path.read_text(encoding="utf-8"))
    return found


def text() -> str:
    """The document first, then its parts, findings before all others."""
    whole = schema()
    parts = whole["$defs"]
    first = ["Finding", "Interval", "Answer"]
    order = [*first, *sorted(set(parts) - set(first))]
    return "\n".join(
        [
            "## The document\n",
            _part(whole),
            *(anchored(f"schema-{name.lower()}", name, 2) + "\n" + _part(parts[name]) for name in order),
        ]
    )


def _part(part: Schema) -> str:
    about = plain(paragraphs(part.get("description", "")))
    if "enum" in part:
        return f"{about}\n{block(chr(10).join(part['enum']))}"
    required = set(part.get("required", ()))
    rows = [
        (code(key), _linked(value), default(key, value, required), plain(value.get("description", "")))
        for key, value in part.get("properties", {}).items()
    ]
    return f"{about}\n{table(['field', 'is', 'default', 'what it is'], rows)}"


def _linked(value: Schema) -> str:
    return kind(value, lambda ref: f"[{ref}](#{ref.lower()})")
