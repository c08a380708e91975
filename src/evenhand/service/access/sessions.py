"""Sessions on the pages: a token that may read is exchanged for a cookie that ends by itself."""

from __future__ import annotations

import secrets
from typing import NamedTuple

from sqlalchemy import delete, insert, select

from evenhand.service.access.tokens import hash_of
from evenhand.store.connecting import Store
from evenhand.store.service_tables import session as sessions

COOKIE = "evenhand_session"
LASTS = 12 * 3600.0  # seconds


class Session(NamedTuple):
    hash: str
    token: str  # its id
    until: float


def begin(store: Store, token: str, now: float) -> str:
    """A new session for the token of this id: what the cookie says. Those that are over go."""
    secret = secrets.token_urlsafe(32)
    with store.writing() as connection:
        connection.execute(delete(sessions).where(sessions.c.until < now))
        connection.execute(insert(sessions).values(hash=hash_of(secret), token=token, until=now + LASTS))
    return secret


def end(store: Store, secret: str) -> None:
    with store.writing() as connection:
        connection.execute(delete(sessions).where(sessions.c.hash == hash_of(secret)))


def listed(store: Store) -> list[Session]:
    with store.reading() as connection:
        return [Session(*row) for row in connection.execute(select(sessions))]
