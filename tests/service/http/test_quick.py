"""A quick route answers what FastAPI's own route answers."""

from __future__ import annotations

import asyncio
from typing import Annotated

import httpx
import pytest
from fastapi import APIRouter, Depends, FastAPI, Header, Path, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute

from evenhand.service.http import bodies
from evenhand.service.http.quick import QuickRoute
from evenhand.service.http.reading import body
from evenhand.service.log.answers import RefusedError


def let_in(request: Request) -> None:
    if request.headers.get("authorization") is None:
        raise RefusedError(403, "Not you.")


async def named(request: Request, name: Annotated[str, Path(max_length=5)]) -> str:
    return f"{request.method} {name}"


Named = Annotated[str, Depends(named)]
Fallbacks = Annotated[int | None, Header(alias="Evenhand-Fallbacks", ge=0, le=10)]


async def visit(
    request: Request,
    who: Named,
    said: Annotated[bodies.Reward, body(bodies.Reward)],
    fallbacks: Fallbacks = None,
) -> JSONResponse:
    told = [who, said.reward, said.observed_at, fallbacks, request.url.path[-1]]
    return JSONResponse(told, 201)


async def _refused(_, error):
    return JSONResponse(error.answer.body, error.answer.status)


async def _not_understood(_, error):
    return JSONResponse({"where": [list(one["loc"]) for one in error.errors()]}, 422)


class Client:
    def __init__(self, app):
        self._app = app

    def ask(self, method, path, **said):
        async def asked():
            transport = httpx.ASGITransport(self._app)
            async with httpx.AsyncClient(transport=transport, base_url="http://here") as client:
                return await client.request(method, path, **said)

        return asyncio.run(asked())


@pytest.fixture(scope="module")
def clients():
    made = []
    for kind in (APIRoute, QuickRoute):
        router = APIRouter(route_class=kind)
        router.post("/visits/{name}", dependencies=[Depends(let_in)])(visit)
        app = FastAPI()
        app.include_router(router)
        app.add_exception_handler(RefusedError, _refused)
        app.add_exception_handler(RequestValidationError, _not_understood)
        made.append(Client(app))
    return made


@pytest.mark.parametrize(
    ("status", "name", "body_sent", "headers"),
    [
        (201, "ann", {"reward": 0.5}, {}),
        (201, "ann", {"reward": 1, "observed_at": 12.5}, {"Evenhand-Fallbacks": "3"}),
        (422, "ann", {"reward": 0.5}, {"Evenhand-Fallbacks": "-1"}),
        (422, "ann", {"reward": 0.5}, {"Evenhand-Fallbacks": "many"}),
        (422, "too long", {"reward": 0.5}, {}),
        (422, "ann", {"reward": 2.0}, {}),
        (422, "ann", {"reward": True}, {}),
        (422, "ann", {"reward": "0.5"}, {}),
        (422, "ann", {}, {}),
        (422, "ann", {"reward": 0.5, "more": 1}, {}),
        (403, "ann", {"reward": 0.5}, {"authorization": None}),
    ],
)
def test_the_same_as_any_other_route(clients, status, name, body_sent, headers):
    sent = {key: said for key, said in ({"authorization": "me"} | headers).items() if said is not None}
    theirs, ours = (client.ask("POST", f"/visits/{name}", json=body_sent, headers=sent) for client in clients)
    assert (ours.status_code, ours.json()) == (theirs.status_code, theirs.json())
    assert ours.status_code == status


def test_what_is_not_json(clients):
    for client in clients:
        found = client.ask("POST", "/visits/ann", content=b"{", headers={"authorization": "me"})
        assert found.status_code == 422


def test_its_description_is_that_of_any_other_route(clients):
    theirs, ours = (client.ask("GET", "/openapi.json").json() for client in clients)
    assert ours == theirs
