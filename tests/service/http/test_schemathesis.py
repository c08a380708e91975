"""Requests made from the description of the routes, with tokens of every scope: no fault of ours, and every
answer is one that is described."""

import hypothesis
import pytest
import schemathesis
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi import checks as of_openapi

from evenhand.service.access.tokens import SCOPES
from service.http.served import ASKED


@pytest.fixture(scope="module")
def there(served):
    """What can be named: without it nearly all that is made up is 404."""
    audits = [served.audit(), served.audit(activation="on_shown", window_s=20.0)]
    population = {"users": None, "population": 50, "digest": "0" * 64, "criterion": "probabilistic"}
    audits.append(served.post("/api/audits", ASKED | population).json()["id"])
    path = f"/api/audits/{audits[0]}/assignments"
    made = [served.post(path, {"user": "ann"}).json()["id"] for _ in range(5)]
    return {"audit": audits, "assignment": made, "name": ["a name", "b/c"]}


def fill(case, there, draw):
    """Two of three requests are about something that is there."""
    for name, known in there.items():
        if name in (case.path_parameters or {}) and draw(3):
            case.path_parameters[name] = known[draw(len(known))]
    body = case.body
    if isinstance(body, dict) and isinstance(body.get("user"), str) and draw(3):
        body["user"] = ASKED["users"][draw(3)]
    for place, item in enumerate(body if isinstance(body, list) else ()):
        if isinstance(item, dict) and "assignment" in item and draw(3):
            item["assignment"] = there["assignment"][draw(5)]
        elif isinstance(item, str) and draw(3):
            body[place] = there["assignment"][draw(5)]


@pytest.mark.slow
@pytest.mark.parametrize("scope", [*SCOPES, None], ids=str)
def test_no_faults_and_only_what_is_described(served, there, scope):
    checks = [
        not_a_server_error,
        of_openapi.status_code_conformance,
        of_openapi.content_type_conformance,
        of_openapi.response_headers_conformance,
        of_openapi.response_schema_conformance,
    ]
    schema = schemathesis.openapi.from_url(f"{served.url}/openapi.json")
    headers = {} if scope is None else {"Authorization": f"Bearer {served.token(scope)}"}
    statuses = set()
    # Who has not the scope is refused before a body is looked at.
    examples, modes = (12, list(GenerationMode)) if scope == "admin" else (3, [GenerationMode.POSITIVE])
    settings = hypothesis.settings(
        max_examples=examples, deadline=None, database=None, derandomize=True,
        phases=[hypothesis.Phase.generate], suppress_health_check=list(hypothesis.HealthCheck),
    )  # fmt: skip
    for found in schema.get_all_operations():
        operation = found.ok()
        said = operation.definition.raw
        for mode in modes if said.get("parameters") or "requestBody" in said else modes[:1]:

            @settings
            @hypothesis.given(operation.as_strategy(generation_mode=mode), hypothesis.strategies.randoms())
            def one(case, random):
                fill(case, there, random.randrange)
                answer = case.call_and_validate(headers=headers, checks=checks)
                statuses.add(answer.status_code)

            one()
    if scope == "admin":
        assert {200, 201, 404, 409, 422} <= statuses  # it got somewhere
    elif scope is None:
        assert statuses <= {200, 401}
    else:
        assert 403 in statuses
