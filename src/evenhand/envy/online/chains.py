"""Chains of hashes: what was logged of a user cannot be changed, left out or put into another order later.

    leaf_i = sha256(salt_i || event_i),    head_i = sha256(head_{i-1} || leaf_i),    head_0 = nothing,

the event as compact JSON, everything else as bytes. Each user of a system has a chain, and the root is a hash
over the heads in the order of the users, so that users share nothing but the root and none waits for another.
Whoever deletes an event and its salt keeps the leaf: the chain can still be followed, and the leaf tells
nothing of an event that could be guessed, because the salt is gone.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any


def leaf_of(event: list[Any], salt: bytes = b"") -> str:
    """The hash of one event."""
    line = json.dumps(event, separators=(",", ":"))
    return hashlib.sha256(salt + line.encode()).hexdigest()


def grown(head: str, leaf: str) -> str:
    """The head of a chain after one more leaf; a chain of none has the head ""."""
    return hashlib.sha256(bytes.fromhex(head) + bytes.fromhex(leaf)).hexdigest()


def root_of(heads: Iterable[str]) -> str:
    """One hash over the heads of all users: sha256 over "place:head" and a line's end, places from 1."""
    lines = "".join(f"{place}:{head}\n" for place, head in enumerate(heads, 1))
    return hashlib.sha256(lines.encode()).hexdigest()
