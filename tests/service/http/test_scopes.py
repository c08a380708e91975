"""Every scope against every route, as the application has them: a new one without a scope fails here."""

from inspect import iscoroutinefunction
from itertools import combinations

import pytest
from fastapi.routing import APIRoute

from evenhand.service.access import sessions, tokens
from evenhand.service.access.tokens import SCOPES
from evenhand.service.http.app import make_app
from evenhand.service.http.door import is_public
from evenhand.service.log import Log
from evenhand.store.connecting import open_store

OTHERS = ("/openapi.json",)  # routes of FastAPI's own
# Who may do what that is no looking, besides `admin`; all else that is not public is for `read`.
SCOPE_OF = {
    "POST /api/audits": "admin",
    "POST /api/audits/{audit}/people": "admin",
    "POST /api/audits/{audit}/pause": "admin",
    "POST /api/audits/{audit}/resume": "admin",
    "POST /api/audits/{audit}/end": "admin",
    "POST /api/audits/{audit}/version": "admin",
    "POST /api/audits/{audit}/deletions": "admin",
    "PUT /api/monitors/{name:path}": "admin",
    "GET /api/audits/{audit}/targets": "assign",
    "POST /api/audits/{audit}/assignments": "assign",
    "POST /api/audits/{audit}/opt-outs": "assign",
    "POST /api/assignments/{assignment}/shown": "assign report",
    "POST /api/shown": "assign report",
    "POST /api/assignments/{assignment}/reward": "report",
    "POST /api/rewards": "report",
}


def asked(dependant):
    for one in dependant.dependencies:
        yield one.call
        yield from asked(one)


def scopes_of(route):
    """None where a route asks for no token."""
    return next((call.scopes for call in asked(route.dependant) if hasattr(call, "scopes")), None)


@pytest.fixture(scope="module")
def routes(tmp_path_factory):
    """(method, path, scopes) of all routes."""
    store = open_store(str(tmp_path_factory.mktemp("routes") / "s.db"))
    log = Log(store, sweep_s=None)
    found = [one for one in make_app(store, log).routes if one.path not in OTHERS]
    log.close()
    store.close()
    return [(way, one, scopes_of(one)) for one in found if isinstance(one, APIRoute) for way in one.methods]


@pytest.fixture(scope="module")
def fill(served, audit):
    """A path of a route, with what is there put into it."""
    made = served.post(f"/api/audits/{audit}/assignments", {"user": "ann"}).json()["id"]
    there = {"audit": audit, "assignment": made, "name": "a name", "kind": "x", "version": "x", "file": "x"}
    return lambda route: route.path_format.format(**there)


def send(served, method, path, token):
    headers = {"idempotency-key": f"k{next(served.numbers)}"}
    if token is not None:
        headers["authorization"] = f"Bearer {token}"
    body = {"json": {}} if method in ("POST", "PUT") else {}
    return served.client.request(method, path, headers=headers, **body)


def test_every_route_has_a_scope_or_is_public(routes):
    assert len(routes) > 20
    for method, route, scopes in routes:
        assert (scopes is None) == is_public(route.path), f"{method} {route.path}"
        assert scopes is None or set(scopes) <= set(SCOPES)


def test_the_scope_of_each_route(routes):
    """Written down a second time, so that a route whose scope is changed by mistake is found."""
    asked = {f"{method} {route.path}": scopes for method, route, scopes in routes if scopes is not None}
    assert asked.keys() >= SCOPE_OF.keys()
    for name, scopes in asked.items():
        assert scopes == tuple(SCOPE_OF.get(name, "read").split()), name
        assert name in SCOPE_OF or name.startswith("GET ") or name == "POST /logout", name


def test_without_a_token_nothing_is_said(routes, served, fill):
    wrong = [None, "x", "evh_", "evh_0123abcd_" + "x" * 43, served.admin[:-1], served.admin.upper()]
    for method, route, scopes in routes:
        for token in wrong if scopes else [None]:
            found = send(served, method, fill(route), token)
            if scopes is None:
                assert found.status_code in (200, 403, 404), (
                    route.path
                )  # a form without a token; no such file
            else:
                assert found.status_code == 401, (method, route.path)
                assert found.headers["www-authenticate"] == "Bearer"
                assert set(found.json()) == {"error"}


@pytest.mark.parametrize("held", [c for n in (1, 2, 3) for c in combinations(SCOPES, n)], ids=" ".join)
def test_every_scope_against_every_route(held, routes, served, fill):
    token = served.token(*held)
    for method, route, scopes in routes:
        if scopes is None:
            continue
        may = "admin" in held or set(held) & set(scopes)
        if may and route.path.endswith("/live"):
            continue  # it has no end
        found = send(served, method, fill(route), token)
        assert found.status_code < 500, (method, route.path, found.text)
        assert (found.status_code != 403) == bool(may), (method, route.path, found.text)
        if not may:
            assert set(found.json()) == {"error"}


def test_of_another_audit_nothing_is_said(routes, served, audit):
    other = served.audit()
    assignment = served.post(f"/api/audits/{other}/assignments", {"user": "ann"}).json()["id"]
    limited = served.token("admin", audits=[audit])
    there = [one for one in routes if "{audit}" in one[1].path or "{assignment}" in one[1].path]
    assert len(there) > 12
    for method, route, _ in there:
        path = route.path_format.format(audit=other, assignment=assignment)
        nowhere = route.path_format.format(audit="0" * 16, assignment="A" * 43)
        found, missing = send(served, method, path, limited), send(served, method, nowhere, limited)
        assert found.status_code == missing.status_code == 404, (method, route.path, found.text)
        assert found.content == missing.content
    batches = {"/api/rewards": [{"assignment": assignment, "reward": 1.0}], "/api/shown": [assignment]}
    for path, batch in batches.items():
        (result,) = served.post(path, batch, token=limited).json()["results"]
        assert result == {"status": 404, "error": "There is no such assignment."}
    assert [one["id"] for one in served.get("/api/audits", token=limited).json()] == [audit]
    assert served.get("/api/monitors", token=limited).json() == []
    assert send(served, "PUT", "/api/monitors/x", limited).status_code == 404
    begun = served.post("/api/audits", {"users": ["a", "b"], "deadline_s": 1, "reward": "x"}, token=limited)
    assert begun.status_code == 403
    assert served.get(f"/api/audits/{other}/events?after=1:0").json()["next"] == "1:3"  # nothing was done


def test_a_batch_over_two_audits_by_a_token_of_one(served, audit):
    other = served.audit()
    mine, theirs = (
        served.post(f"/api/audits/{one}/assignments", {"user": "ben"}).json()["id"] for one in (audit, other)
    )
    limited = served.token("report", audits=[audit])
    items = [{"assignment": one, "reward": 0.5} for one in (theirs, mine)]
    results = served.post("/api/rewards", items, token=limited).json()["results"]
    assert [one["status"] for one in results] == [404, 200]
    results = served.post("/api/rewards", items).json()["results"]
    assert [one["counted"] for one in results] == [True, True]


def test_cookies_do_not_open_the_api(routes, served, fill):
    id_ = tokens.parts(served.admin)[0]
    secret = sessions.begin(served.store, id_, served.app.state.running.access._wall())
    cookie = {"cookie": f"{sessions.COOKIE}={secret}"}
    served.wait(lambda: served.client.get("/nothing", headers=cookie).status_code == 404)  # it is known
    for method, route, scopes in routes:
        if scopes is not None and route.path.startswith("/api/"):
            headers = cookie | {"idempotency-key": "k"}
            assert served.client.request(method, fill(route), headers=headers).status_code == 401
    sessions.end(served.store, secret)
    served.wait(lambda: served.client.get("/nothing", headers=cookie).status_code == 401)


def test_a_token_that_is_revoked_is_refused_within_seconds(served):
    token = served.token("read")
    assert served.get("/api/audits", token=token).status_code == 200
    tokens.revoke(served.store, tokens.parts(token)[0])
    served.wait(lambda: served.get("/api/audits", token=token).status_code == 401)


def test_two_tokens_are_none(served):
    headers = [("authorization", f"Bearer {served.admin}")] * 2
    assert served.client.get("/api/audits", headers=headers).status_code == 401


def test_nothing_that_a_route_depends_on_is_run_by_a_thread(routes):
    """FastAPI hands what is not `async` to a thread, at several times the cost of all else."""
    for _, route, _ in routes:
        for call in asked(route.dependant):
            assert iscoroutinefunction(call), (route.path, call)
