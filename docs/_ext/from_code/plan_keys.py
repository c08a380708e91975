"""Every key of a plan, from its JSON Schema: what it takes, its default, its help."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from evenhand.plan.schema import plan_schema
from from_code.markdown import code, paragraphs, plain, table

Schema = dict[str, Any]
_WORDS = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "`true` or `false`",
    "object": "table",
    "array": "list",
    "null": "",
}


@cache
def _schema() -> Schema:
    return plan_schema()


def whole() -> str:
    """Every key but those of audits, a table of the plan each."""
    schema = _schema()
    parts = [_keys({"properties": schema["properties"], "required": schema["required"]})]
    for heading, path, defined in tables(schema):
        parts += [
            f"## {heading}\n",
            plain(paragraphs(defined.get("description", ""))),
            f"`{path}`\n",
            _keys(defined),
        ]
    return "\n".join(parts)


def tables(schema: Schema) -> Iterator[tuple[str, str, Schema]]:
    """What is a table of its own in a plan: its heading, how it is written, its schema."""
    defined = schema["$defs"]
    yield "Scope", "[scope]", defined["Scope"]
    yield "Identify", "[identify]", defined["Identify"]
    yield "Inputs", "[inputs.NAME]", defined["InputSpec"]
    yield "Joined columns", "joined.COLUMN of [inputs.NAME]", defined["JoinedSpec"]
    yield "Monitoring", "[monitoring]", defined["Monitoring"]
    yield "Flags", "[[monitoring.flags]]", defined["FlagRule"]
    for name in ("Webhook", "Command", "Email", "File"):
        by = defined[name]["properties"]["by"]["const"]
        yield f"Who is told: {by}", f'[[monitoring.tell]] with by = "{by}"', defined[name]
    yield "Revisions", "[[revisions]]", defined["Revision"]


def audit(name: str) -> str:
    """The keys of one audit."""
    schema = _schema()
    step = step_of(name, schema)
    return "\n".join(
        [
            plain(paragraphs(step["description"])),
            f'```toml\n[[audits]]\naudit = "{name}"\n```\n',
            _keys({**step, "properties": {k: v for k, v in step["properties"].items() if k != "audit"}}),
        ]
    )


def step_of(name: str, schema: Schema) -> Schema:
    """The schema of the audit's step."""
    steps = (
        schema["$defs"][one["$ref"].rpartition("/")[2]]
        for one in schema["properties"]["audits"]["items"]["oneOf"]
    )
    return next(step for step in steps if step["properties"]["audit"]["const"] == name)


def _keys(schema: Schema) -> str:
    required = set(schema.get("required", ()))
    rows = [
        (code(key), kind(value), default(key, value, required), plain(value.get("description", "")))
        for key, value in sorted(schema["properties"].items(), key=lambda pair: pair[0] not in required)
    ]
    return table(["key", "takes", "default", "what it is"], rows)


def default(key: str, schema: Schema, required: set[str]) -> str:
    if key in required:
        return "required"
    usual = schema.get("default")
    if usual in (None, "", [], {}) or isinstance(usual, dict):
        return ""
    return code(
        str(usual).lower()
        if isinstance(usual, bool)
        else f"{usual:.6g}"
        if isinstance(usual, float)
        else usual
    )


def kind(schema: Schema, named: Callable[[str], str] = lambda ref: "table") -> str:
    """What can be written, in words; `named` says what a part of the schema is called."""
    if "const" in schema:
        return code(f'"{schema["const"]}"')
    if "enum" in schema:
        return ", ".join(code(f'"{word}"') for word in schema["enum"])
    if "$ref" in schema:
        return named(schema["$ref"].rpartition("/")[2])
    for several in ("anyOf", "oneOf"):
        if several in schema:
            found = dict.fromkeys(filter(None, (kind(one, named) for one in schema[several])))
            return " or ".join(found)
    kinds = schema.get("type", "")
    if isinstance(kinds, list):
        return " or ".join(filter(None, (_WORDS[each] for each in kinds)))
    if kinds == "array":
        return f"list of {kind(schema.get('items', {}), named) or 'anything'}"
    if schema.get("format") == "date":
        return "date"
    return _WORDS.get(kinds, "") + _range(schema)


def _range(schema: Schema) -> str:
    low = [
        f"{words} {schema[key]:g}"
        for key, words in (("minimum", "at least"), ("exclusiveMinimum", "above"))
        if key in schema
    ]
    high = [
        f"{words} {schema[key]:,}" if isinstance(schema[key], int) else f"{words} {schema[key]:g}"
        for key, words in (("maximum", "at most"), ("exclusiveMaximum", "below"))
        if key in schema
    ]
    said = " and ".join([*low, *high])
    return f", {said}" if said else ""
