"""Who is let in, by what is in memory: new ones at once, those who were shut out within seconds."""

import asyncio

import pytest

from evenhand.errors import InputError
from evenhand.service.access import known, sessions, tokens
from evenhand.service.access.known import Access
from evenhand.store.connecting import open_store


@pytest.fixture
def store(tmp_path):
    made = open_store(str(tmp_path / "s.db"))
    yield made
    made.close()


class Looks:
    """How often the store was looked at; it may be away."""

    def __init__(self, monkeypatch):
        self.count, self.away, listed = 0, None, tokens.listed

        def look(store):
            self.count += 1
            if self.away is not None:
                raise self.away
            return listed(store)

        monkeypatch.setattr(tokens, "listed", look)


@pytest.fixture
def looks(monkeypatch):
    return Looks(monkeypatch)


def test_a_token_that_was_just_made_is_known(store, looks):
    async def ask():
        access = Access(store)
        for _ in range(3):
            made, text = tokens.make(store, "ann", ["read"])
            assert (await access.by_token(text)).id == made.id
        assert looks.count == 3
        await access.by_token(text)
        assert looks.count == 3  # who is known waits for nothing

    asyncio.run(ask())


def test_many_strangers_at_once_are_looked_for_together(store, looks):
    async def ask():
        access = Access(store)
        await access.look()
        wrong = [f"evh_{i:08d}_" + "x" * 43 for i in range(200)]
        assert set(await asyncio.gather(*map(access.by_token, wrong))) == {None}
        assert set(await asyncio.gather(*map(access.by_session, wrong))) == {None}
        assert looks.count <= 3
        # A right id with a wrong secret is not looked for at all.
        _, text = tokens.make(store, "ann", ["read"])
        await access.by_token(text)
        before = looks.count
        assert await access.by_token(text[:-1] + "_") is None
        assert looks.count == before

    asyncio.run(ask())


def test_what_is_known_stays_so_while_the_store_is_away(store, looks, monkeypatch):
    monkeypatch.setattr(known, "FRESH_S", 0.01)
    failed = []

    async def ask():
        access = Access(store)
        made, text = tokens.make(store, "ann", ["read"])
        assert await access.by_token(text)
        keeping = asyncio.create_task(access.keep_fresh(failed.append))
        looks.away = InputError("The store cannot be reached.")
        await asyncio.sleep(0.1)
        assert await access.by_token(text)
        looks.away = RuntimeError("worse")
        await asyncio.sleep(0.1)
        assert await access.by_token(text)
        looks.away = None
        tokens.revoke(store, made.id)
        for _ in range(500):
            if await access.by_token(text) is None:
                break
            await asyncio.sleep(0.01)
        else:
            raise AssertionError("a revoked token is let in")
        keeping.cancel()

    asyncio.run(ask())
    assert {str(one) for one in failed} == {"worse"}


def test_sessions_read_and_end(store):
    now = [1000.0]

    async def ask():
        access = Access(store, wall=lambda: now[0])
        made, _ = tokens.make(store, "ann", ["admin", "assign"], ["0123456789abcdef"])
        secret = sessions.begin(store, made.id, now[0])
        found = await access.by_session(secret)
        assert found.scopes == {"read"}  # whatever the token may
        assert found.audits == made.audits
        assert await access.by_session(secret[:-1]) is None
        assert await access.by_session("") is None
        now[0] += sessions.LASTS + 1
        assert await access.by_session(secret) is None
        second = sessions.begin(store, made.id, now[0])
        assert await access.by_session(second)
        sessions.end(store, second)
        await access.look()
        assert await access.by_session(second) is None
        third = sessions.begin(store, made.id, now[0])
        assert await access.by_session(third)
        tokens.revoke(store, made.id)
        await access.look()
        assert await access.by_session(third) is None

    asyncio.run(ask())


def test_sessions_are_kept_as_hashes_and_go_when_they_are_over(store, tmp_path):
    made, _ = tokens.make(store, "ann", ["read"])
    first = sessions.begin(store, made.id, 1000.0)
    second = sessions.begin(store, made.id, 1000.0 + sessions.LASTS + 1)
    (left,) = sessions.listed(store)
    assert left.hash == tokens.hash_of(second)
    files = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert left.hash.encode() in files
    assert first.encode() not in files
    assert second.encode() not in files
