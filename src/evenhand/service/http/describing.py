"""What /openapi.json says of a route besides what FastAPI knows: scopes, key, body, errors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fastapi import FastAPI
from fastapi.dependencies.models import Dependant
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from pydantic import TypeAdapter

from evenhand.service.access.tokens import SCOPES
from evenhand.service.http import told
from evenhand.service.http.asking import key_of

_SCHEMAS = "#/components/schemas/{model}"
_TAGS = {
    "visits": "For the system that serves: which policy serves a user now, was it shown, what came of it.",
    "audits": "For whoever runs audits, and whoever checks them.",
    "monitors": "Results under a name, put here or followed from day to day.",
    "health": "For whoever runs the server.",
}
_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": True,
    "description": "What you call this request; the same again gets the same answer and does nothing else.",
    "schema": {"type": "string", "pattern": "^[!-~]{1,200}$"},
}
_ALWAYS = {
    "401": "No token, or one that is not known",
    "403": "The token has not the scope",
    "429": "Asked too often; Retry-After says when to ask again",
    "503": "The server is starting or stopping, or the store cannot be reached; ask again with the same key",
}
_OF_WRITES = {
    "400": "No Idempotency-Key, or one that cannot be",
    "408": "The body came too slowly",
    "413": "The body is too large",
    "422": "What was sent cannot be understood, or the key was used for another request",
}


def described(app: FastAPI) -> dict[str, Any]:
    if app.openapi_schema is not None:
        return app.openapi_schema
    tags = [{"name": name, "description": said} for name, said in _TAGS.items()]
    found = get_openapi(
        title=app.title, version=app.version, description=app.description, routes=app.routes, tags=tags
    )
    components = found.setdefault("components", {})
    schemas = components.setdefault("schemas", {})
    for name in ("HTTPValidationError", "ValidationError"):  # which are never answered
        schemas.pop(name, None)
    schemas["Error"] = told.Error.model_json_schema()
    known = "; ".join(f"`{name}`: {may}" for name, may in SCOPES.items())
    components["securitySchemes"] = {
        "token": {"type": "http", "scheme": "bearer", "description": f"A token has scopes. {known}."}
    }
    for route in app.routes:
        if isinstance(route, APIRoute) and route.include_in_schema:
            for method in route.methods or ():
                _add(found["paths"][route.path_format][method.lower()], route, schemas)
    app.openapi_schema = found
    return found


def _add(operation: dict[str, Any], route: APIRoute, schemas: dict[str, Any]) -> None:
    asked = list(_asked(route.dependant))
    summary, _, more = (route.description or "").replace("\n", " ").partition(". ")
    operation["operationId"] = f"{route.tags[0]}_{route.name}" if route.tags else route.name
    operation["summary"], operation["description"] = summary.rstrip(".") + ".", more
    errors = operation["responses"]
    errors.pop("422", None)  # FastAPI's own, which is never answered
    scopes = next((call.scopes for call in asked if hasattr(call, "scopes")), None)
    if scopes is not None:
        needed = " or ".join(f"`{one}`" for one in scopes)
        operation["description"] = f"{more} Needs the scope {needed}.".strip()
        operation["security"] = [{"token": []}]
        _refuse(errors, _ALWAYS)
    if "{" in route.path:
        _refuse(errors, {"404": "There is no such thing, or the token may not know of it"})
    if operation.get("parameters"):
        _refuse(errors, {"422": "What was sent cannot be understood"})
    if key_of in asked:
        operation.setdefault("parameters", []).append(_KEY)
        _refuse(errors, _OF_WRITES)
    kind = next((call.kind for call in asked if hasattr(call, "kind")), None)
    if kind is not None:
        schema = TypeAdapter(kind).json_schema(ref_template=_SCHEMAS)
        schemas |= schema.pop("$defs", {})
        content = {"application/json": {"schema": schema}}
        operation["requestBody"] = {"required": True, "content": content}
    if "requestBody" in operation:
        _refuse(errors, {"415": "The body is not JSON"})


def _asked(dependant: Dependant) -> Iterator[Any]:
    """All that a route depends on."""
    for one in dependant.dependencies:
        yield one.call
        yield from _asked(one)


def _refuse(responses: dict[str, Any], statuses: dict[str, str]) -> None:
    content = {"application/json": {"schema": {"$ref": _SCHEMAS.format(model="Error")}}}
    for status, said in statuses.items():
        responses.setdefault(status, {"description": said, "content": content})
