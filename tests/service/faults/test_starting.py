"""A server that starts knows nobody yet: it says so, and refuses no token that is good."""

import asyncio

import httpx
import pytest

from evenhand.errors import InputError
from evenhand.service.access import known, tokens
from evenhand.service.http import app as serving
from evenhand.store.connecting import open_store


@pytest.fixture
def app(tmp_path):
    store = open_store(str(tmp_path / "s.db"))
    made = serving.make_app(store)
    yield made
    made.state.running.log.close()
    store.close()


async def status(app, token):
    line = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://here")
    async with line:
        return (await line.get("/api/audits", headers={"authorization": f"Bearer {token}"})).status_code


def test_no_token_is_refused_before_tokens_were_read(app):
    running = app.state.running
    good = tokens.make(running.store, "tests", ["read"])[1]
    strange = good[:-1] + ("a" if good[-1] != "a" else "b")
    assert asyncio.run(status(app, good)) == asyncio.run(status(app, strange)) == 503


def test_a_server_is_not_ready_while_the_store_is_away(app, monkeypatch):
    running, listed, looks = app.state.running, tokens.listed, []
    good = tokens.make(running.store, "tests", ["read"])[1]

    def away_at_first(store):
        looks.append(running.is_ready)
        if len(looks) < 3:
            raise InputError("The store cannot be reached.")
        return listed(store)

    monkeypatch.setattr(known.tokens, "listed", away_at_first)
    monkeypatch.setattr(serving, "_AGAIN_S", 0.0)
    monkeypatch.setattr(serving, "warm_up", lambda _: None)
    monkeypatch.setattr(serving.gc, "freeze", lambda: None)

    async def started():
        await serving._warm_up(running)
        return await status(app, good)

    assert asyncio.run(started()) == 200
    assert looks == [False] * 3
