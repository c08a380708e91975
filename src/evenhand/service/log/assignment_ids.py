"""The public id of an assignment: where it is (audit, stream, number), and a keyed hash that only the server
can make. No table is needed to look it up, and none can be guessed."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from typing import NamedTuple

_MAC = 12  # bytes


class Place(NamedTuple):
    audit: str
    stream: int
    number: int


def write_id(place: Place, secret: bytes) -> str:
    text = _text(place)
    return _spelt(_mac(text, secret) + text)


def read_id(text: str) -> tuple[Place, bytes] | None:
    """The place that an id claims, and its keyed hash, for `is_ours`; None where it is no id."""
    try:
        raw = base64.b64decode(text.encode("ascii") + b"=" * (-len(text) % 4), altchars=b"-_", validate=True)
        audit, stream, number = raw[_MAC:].decode("ascii").split(".")
        place = Place(audit, int(stream), int(number))
    except (ValueError, binascii.Error):
        return None
    # One id a place: another spelling of the same number, or of the same bytes, is none.
    return (place, raw[:_MAC]) if _text(place) == raw[_MAC:] and _spelt(raw) == text else None


def _spelt(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def is_ours(place: Place, mac: bytes, secret: bytes) -> bool:
    return hmac.compare_digest(mac, _mac(_text(place), secret))


def _text(place: Place) -> bytes:
    return f"{place.audit}.{place.stream}.{place.number}".encode()


def _mac(text: bytes, secret: bytes) -> bytes:
    return hmac.digest(secret, text, hashlib.sha256)[:_MAC]
