"""The HTTP API of the live service, from its own description (/openapi.json)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from from_code.markdown import anchor, anchored, code, paragraphs, plain, table
from from_code.plan_keys import Schema, default, kind


@cache
def described() -> Schema:
    """What a server would answer at /openapi.json; it is made, and never started."""
    from evenhand.service.http.app import make_app
    from evenhand.service.log import Log
    from evenhand.store.connecting import open_store

    with TemporaryDirectory() as folder:
        store = open_store(str(Path(folder) / "empty.db"))
        log = Log(store)
        try:
            found: Schema = make_app(store, log).openapi()
        finally:
            log.close()
            store.close()
    return found


def operations() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Every operation: its path, its method and what is said of it."""
    for path, methods in described()["paths"].items():
        for method, said in methods.items():
            yield path, method, said


def text() -> str:
    api = described()
    parts = [plain(api["info"]["description"]) + "\n"]
    parts.append(plain(api["components"]["securitySchemes"]["token"]["description"]) + "\n")
    for tag in api["tags"]:
        parts += [f"## {tag['name'].capitalize()}\n", plain(tag["description"]) + "\n"]
        parts += [
            _operation(path, method, said)
            for path, method, said in operations()
            if tag["name"] in said["tags"]
        ]
    parts += ["## Errors\n", "What any of the operations that name them may answer.\n"]
    parts.append(
        table(["status", "means"], [(code(status), plain(means)) for status, means in sorted(_common())])
    )
    parts.append("## Bodies and answers\n")
    parts += [_schema(name, schema) for name, schema in api["components"]["schemas"].items()]
    return "\n".join(parts)


@cache
def _common() -> frozenset[tuple[str, str]]:
    """Errors that many operations have, each with what it means."""
    found = Counter(
        (status, answer["description"])
        for _, _, said in operations()
        for status, answer in said["responses"].items()
        if status >= "400"
    )
    return frozenset(error for error, times in found.items() if times > 2)


def _operation(path: str, method: str, said: dict[str, Any]) -> str:
    answers = said["responses"].items()
    own = [
        (code(status), plain(answer.get("description", "")), _of(answer.get("content", {})))
        for status, answer in answers
        if (status, answer.get("description")) not in _common()
    ]
    others = [code(status) for status, answer in answers if (status, answer.get("description")) in _common()]
    asked = [
        (code(one["name"]), one["in"], kind(one.get("schema", {}), _link), plain(one.get("description", "")))
        for one in said.get("parameters", ())
    ]
    return "\n".join(
        [
            anchored(anchor("http", method, path), code(f"{method.upper()} {path}"), 3),
            f"{plain(said['summary'])} {plain(said.get('description', ''))}".strip() + "\n",
            table(["parameter", "in", "is", "what it is"], asked),
            _body(said.get("requestBody", {}).get("content", {})),
            table(["answer", "means", "body"], own),
            f"[Errors](#errors): {', '.join(others)}\n" if others else "",
        ]
    )


def _body(content: dict[str, Any]) -> str:
    if not content:
        return ""
    schemas = [one.get("schema", {}) for one in content.values()]
    if any("properties" in schema for schema in schemas):
        return "\n".join(["Body:\n", *map(_fields, schemas)])
    return f"Body: {_of(content)}\n"


def _fields(schema: Schema) -> str:
    required = set(schema.get("required", ()))
    rows = [
        (code(key), kind(value, _link), default(key, value, required), plain(value.get("description", "")))
        for key, value in schema.get("properties", {}).items()
    ]
    return table(["field", "is", "default", "what it is"], rows)


def _of(content: dict[str, Any]) -> str:
    return " or ".join(filter(None, (kind(one.get("schema", {}), _link) for one in content.values())))


def _link(name: str) -> str:
    return f"[{name}](#{name.lower()})"


def _schema(name: str, schema: Schema) -> str:
    fields = _fields(schema)
    about = plain(paragraphs(schema.get("description", ""))) if "description" in schema else ""
    return f"### {name}\n\n{about}\n{fields or kind(schema, _link)}\n"
