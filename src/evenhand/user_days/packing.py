"""Several pieces of evidence as one, as the state of a look is kept."""

from __future__ import annotations

import json
from collections.abc import Mapping


def packed(parts: Mapping[str, bytes]) -> bytes:
    """The pieces, one after the other, behind a line that says how long each is."""
    head = json.dumps({name: len(part) for name, part in parts.items()}).encode()
    return b"".join([head, b"\n", *parts.values()])


def unpacked(content: bytes) -> dict[str, bytes]:
    head, _, rest = content.partition(b"\n")
    found, start = {}, 0
    for name, length in json.loads(head).items():
        found[name] = rest[start : start + length]
        start += length
    return found
