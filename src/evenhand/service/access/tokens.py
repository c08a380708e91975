"""Tokens: who may do what. A token is seen once, when it is made; only its hash is kept."""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
import time
from collections.abc import Iterable
from typing import Any, NamedTuple

from sqlalchemy import insert, select, update

from evenhand.errors import InputError
from evenhand.store.audit_tables import audit
from evenhand.store.audit_tables import token as tokens
from evenhand.store.connecting import Store

# What a token may do; `admin` may do everything.
SCOPES = {
    "assign": "ask which policy serves a user, say what was shown, opt users out",
    "report": "say what was shown and what came of it",
    "read": "look at audits, certificates, monitors and pages",
    "admin": "everything: also begin, end and change audits, delete people, publish results",
}
_MARK = "evh"  # so that a token is known as one where it should not be


class Token(NamedTuple):
    id: str
    name: str
    hash: str
    scopes: frozenset[str]
    audits: frozenset[str] | None  # None: all
    created_at: float
    revoked_at: float | None

    def may(self, *scopes: str) -> bool:
        return "admin" in self.scopes or not self.scopes.isdisjoint(scopes)

    def sees(self, audit: str) -> bool:
        return self.audits is None or audit in self.audits

    def told(self) -> dict[str, Any]:
        """All but the hash."""
        audits = None if self.audits is None else sorted(self.audits)
        told = self._asdict() | {"scopes": sorted(self.scopes), "audits": audits}
        del told["hash"]
        return told


def make(
    store: Store, name: str, scopes: Iterable[str], audits: Iterable[str] | None = None
) -> tuple[Token, str]:
    """A new token, and its text, which nobody can find out again."""
    asked = list(dict.fromkeys(scopes))
    unknown = [one for one in asked if one not in SCOPES]
    if unknown or not asked:
        said = f"There is no scope {unknown[0]!r}" if unknown else "A token needs a scope"
        raise InputError(f"{said}; there are {', '.join(SCOPES)}.")
    if not name.strip() or not name.isprintable():
        raise InputError("The name of a token is empty, or cannot be printed; say whose it is.")
    id_, secret = secrets.token_hex(4), secrets.token_urlsafe(32)
    limited = None if audits is None else frozenset(audits)
    made = Token(id_, name, hash_of(secret), frozenset(asked), limited, time.time(), None)
    told = None if limited is None else json.dumps(sorted(limited))
    row = made._asdict() | {"scopes": " ".join(asked), "audits": told}
    with store.writing() as connection:
        connection.execute(insert(tokens).values(**row))
    return made, f"{_MARK}_{id_}_{secret}"


def refuse_unknown(store: Store, audits: Iterable[str]) -> None:
    """An audit has its id from when it begins: a token for another one would see nothing for good."""
    with store.reading() as connection:
        known = set(connection.execute(select(audit.c.id)).scalars())
    for one in audits:
        if one not in known:
            raise InputError(f"There is no audit {one!r} in the store {store.name}; check its id.")


def listed(store: Store) -> list[Token]:
    """All that were ever made, the oldest first."""
    with store.reading() as connection:
        rows = connection.execute(select(tokens).order_by(tokens.c.created_at, tokens.c.id)).all()
    return [
        Token(
            row.id, row.name, row.hash, frozenset(row.scopes.split()),
            None if row.audits is None else frozenset(json.loads(row.audits)), row.created_at, row.revoked_at,
        )
        for row in rows
    ]  # fmt: skip


def revoke(store: Store, id_: str) -> None:
    """From now on it is not let in; servers that run know it within seconds."""
    with store.writing() as connection:
        found = connection.execute(select(tokens.c.revoked_at).where(tokens.c.id == id_)).first()
        if found is None:
            raise InputError(f"There is no token {id_!r}; `evenhand serve token --list` has them.")
        if found.revoked_at is None:
            connection.execute(update(tokens).where(tokens.c.id == id_).values(revoked_at=time.time()))


def parts(text: str) -> tuple[str, str] | None:
    """The id and the secret that a text claims to be; None where it is no token."""
    mark, _, rest = text.partition("_")
    id_, _, secret = rest.partition("_")
    return (id_, secret) if mark == _MARK and len(id_) == 8 and 20 <= len(secret) <= 100 else None


def is_it(token: Token, secret: str) -> bool:
    return hmac.compare_digest(token.hash, hash_of(secret))


def hash_of(secret: str) -> str:
    """A plain hash does: what it hides is 256 random bits, which nobody guesses."""
    return hashlib.sha256(secret.encode()).hexdigest()
