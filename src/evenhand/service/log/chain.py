"""Hashes that hold a stream together: a leaf an event, salted so that a deleted one cannot be guessed again,
and a head over all leaves so far."""

from __future__ import annotations

import hashlib
import json
import secrets
from typing import Any

NO_EVENTS = b""  # the head of an empty stream


def text_of(event: list[Any]) -> str:
    return json.dumps(event, separators=(",", ":"), allow_nan=False)


def octets(kept: Any) -> bytes:
    """Bytes as a database gives them; TypeError for a number, of which `bytes` would make so many zeros."""
    return memoryview(kept).tobytes()


def new_salt() -> bytes:
    return secrets.token_bytes(16)


def leaf_of(salt: bytes, payload: str) -> bytes:
    return hashlib.sha256(salt + payload.encode()).digest()


def head_of(before: bytes, leaf: bytes) -> bytes:
    return hashlib.sha256(before + leaf).digest()
