"""Users by another name: a server that never hears an id cannot lose one."""

from __future__ import annotations

import hmac

from evenhand.errors import InputError

_LEAST_BYTES = 16


def hashed_user(hash_key: bytes | str, user: str) -> str:
    """What a server is told instead of the id: HMAC-SHA256 in hex. Whoever begins the audit names its users
    so."""
    return hmac.digest(key_bytes(hash_key), user.encode(errors="surrogatepass"), "sha256").hex()


def key_bytes(hash_key: bytes | str) -> bytes:
    key = hash_key.encode() if isinstance(hash_key, str) else bytes(hash_key)
    if len(key) < _LEAST_BYTES:
        raise InputError(f"hash_key has {len(key)} bytes, which can be guessed; take 32 random ones.")
    return key
