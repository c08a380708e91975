"""The body of a request: JSON in UTF-8, nothing named twice, nothing half understood."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

from fastapi import Depends, Request
from pydantic import TypeAdapter, ValidationError

from evenhand.service.log.answers import RefusedError

_LARGE = 1 << 16  # bytes; what is larger is read by a thread, so that nobody else waits
_PLAIN = {
    "model_type": "it must be an object",
    "model_attributes_type": "it must be an object",
    "dict_type": "it must be an object",
    "list_type": "it must be a list",
    "tuple_type": "it must be a list",
    "string_unicode": "text has half a character, which no store keeps",
    "too_short": "it has {actual_length:,}, and {min_length:,} are the least",
    "too_long": "it has too many; {max_length:,} are the most",
}


def body(kind: Any) -> Any:
    """A dependency: what the request says, which is of this kind."""
    adapter = TypeAdapter(kind)

    async def read(request: Request) -> Any:
        raw = await raw_json(request)
        if len(raw) > _LARGE:
            return await asyncio.to_thread(understood, adapter, raw)
        return understood(adapter, raw)

    read.kind = kind  # type: ignore[attr-defined]  # for the description of the routes
    return Depends(read)


async def raw_json(request: Request) -> bytes:
    """The body as it was sent, which says of itself that it is JSON, or does not say what it is."""
    kinds = request.headers.getlist("content-type") or ["application/json"]
    kind, _, rest = kinds[0].partition(";")
    named = rest.strip().lower().replace('"', "")
    if len(kinds) > 1 or kind.strip().lower() != "application/json" or named not in ("", "charset=utf-8"):
        raise RefusedError(415, "Send JSON in UTF-8, with Content-Type: application/json.")
    return await request.body()


def understood(adapter: TypeAdapter[Any], raw: bytes) -> Any:
    try:
        return adapter.validate_python(_parsed(raw))
    except ValidationError as error:
        raise RefusedError(422, sentence(error.errors(include_url=False, include_input=False))) from None


def _parsed(raw: bytes) -> Any:
    try:
        return json.loads(raw.decode(), object_pairs_hook=_each_once)
    except UnicodeDecodeError:
        raise RefusedError(422, "The body is not a text in UTF-8.") from None
    except (ValueError, RecursionError):
        raise RefusedError(422, "The body is not JSON.") from None


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise RefusedError(422, "The body names a field twice.")
    return found


def sentence(errors: Sequence[Any]) -> str:
    """What was found wrong, as one sentence: the first, and how many more. Nothing that was sent is in it."""
    first = errors[0]
    parts = [str(part) for part in first["loc"] if part not in ("body", "header", "path", "query")]
    plain = _PLAIN.get(first["type"])
    said = (
        str(first["msg"]).removeprefix("Value error, ")
        if plain is None
        else plain.format_map(first.get("ctx", {}))
    )
    if first["type"] == "extra_forbidden":  # whose name was sent
        del parts[-1]
        said = "it has a field that is not known; /openapi.json has those that are"
    more = f" ({len(errors) - 1} more)" if len(errors) > 1 else ""
    return f"{'.'.join(parts) or 'The body'}: {said[:1].lower()}{said[1:]}{more}."
