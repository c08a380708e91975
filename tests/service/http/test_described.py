"""/openapi.json: whole enough to make a reference and a client from."""

import re

import jsonschema
import pytest

from evenhand.service.access.tokens import SCOPES


@pytest.fixture(scope="module")
def told(served):
    found = served.client.get("/openapi.json")
    assert found.status_code == 200
    return found.json()


@pytest.fixture(scope="module")
def operations(told):
    return {
        (method.upper(), path): operation
        for path, methods in told["paths"].items()
        for method, operation in methods.items()
    }


def nodes(value):
    yield value
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from nodes(each)


def test_every_reference_is_there(told):
    found = [one["$ref"] for one in nodes(told) if isinstance(one, dict) and "$ref" in one]
    assert len(found) > 100
    for each in found:
        at = told
        for part in each.removeprefix("#/").split("/"):
            at = at[part]
    used = {each.rpartition("/")[2] for each in found}
    assert used == set(told["components"]["schemas"])


def test_every_schema_is_one(told, operations):
    for schema in told["components"]["schemas"].values():
        jsonschema.Draft202012Validator.check_schema(schema)
    for operation in operations.values():
        for content in [operation.get("requestBody", {}), *operation["responses"].values()]:
            for kind in content.get("content", {}).values():
                jsonschema.Draft202012Validator.check_schema(kind["schema"])


def test_every_operation_says_what_it_is(told, operations):
    tags = {one["name"]: one["description"] for one in told["tags"]}
    assert all(tags.values())
    names = [operation["operationId"] for operation in operations.values()]
    assert len(set(names)) == len(names)
    for (method, path), operation in operations.items():
        assert len(operation["summary"].split()) > 2, path
        assert set(operation["tags"]) <= set(tags)
        for response in operation["responses"].values():
            assert response["description"]
        for parameter in operation.get("parameters", ()):
            assert parameter["description"], (path, parameter["name"])
        assert set(re.findall(r"\{(\w+)\}", path)) == {
            one["name"] for one in operation.get("parameters", ()) if one["in"] == "path"
        }
        if path.startswith("/api/"):
            assert operation["security"] == [{"token": []}]
            assert any(f"`{scope}`" in operation["description"] for scope in SCOPES)
            assert {"401", "403", "429", "503"} <= set(operation["responses"])
            writes = method in ("POST", "PUT")
            keys = [one for one in operation.get("parameters", ()) if one["name"] == "Idempotency-Key"]
            assert len(keys) == writes
            assert writes == ({"400", "408", "413", "422"} <= set(operation["responses"]))


def test_every_success_has_a_body_that_is_described(operations):
    for where, operation in operations.items():
        good = {status: one for status, one in operation["responses"].items() if status[0] == "2"}
        assert good, where
        for one in good.values():
            (content,) = one["content"].values()
            assert content["schema"], where


def test_every_error_is_a_sentence(operations):
    for (_, path), operation in operations.items():
        for status, one in operation["responses"].items():
            if status >= "400" and path != "/readyz":
                (content,) = one["content"].values()
                assert content["schema"] == {"$ref": "#/components/schemas/Error"}


def test_every_field_of_a_request_is_explained(told, operations):
    for (method, path), operation in operations.items():
        if "requestBody" not in operation or method == "PUT":
            continue
        schema = operation["requestBody"]["content"]["application/json"]["schema"]
        while "$ref" in schema or "items" in schema:
            name = schema.get("$ref", schema.get("items", {}).get("$ref", "")).rpartition("/")[2]
            schema = told["components"]["schemas"][name] if name else schema["items"]
        for name, field in schema.get("properties", {}).items():
            assert field.get("description"), (path, name)
        assert schema.get("additionalProperties", False) is False
