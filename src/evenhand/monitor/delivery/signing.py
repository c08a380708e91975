"""Signatures of messages, by which a receiver knows who wrote them and when.

As the Standard Webhooks specification (1.0.0) has it: base64 of HMAC-SHA256 over `id.timestamp.body`. Any of
its libraries can check one; docs/flags.md has a check in a few lines.
"""

from __future__ import annotations

import base64
import binascii
import hmac
from hashlib import sha256

from evenhand.monitor.delivery.message import NotDelivered, from_environment

_PREFIX = "whsec_"
# The specification's; a shorter one could be guessed.
_FEWEST_BYTES = 24


def signed(message_id: str, timestamp: int, body: bytes, variable: str) -> dict[str, str]:
    """The headers that go with a body. The variable may hold two secrets with a space between them, while
    one takes the place of the other: either is enough for whoever checks."""
    keys = [_key(one, variable) for one in from_environment(variable).split()]
    content = b".".join([message_id.encode(), str(timestamp).encode(), body])
    signatures = [base64.b64encode(hmac.digest(key, content, sha256)).decode() for key in keys]
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(f"v1,{one}" for one in signatures),
    }


def _key(secret: str, variable: str) -> bytes:
    try:
        base64_of = secret.removeprefix(_PREFIX)
        key = base64.b64decode(base64_of, validate=True) if secret.startswith(_PREFIX) else secret.encode()
    except binascii.Error:
        raise NotDelivered(f"what is after {_PREFIX} in {variable} is not base64") from None
    if len(key) < _FEWEST_BYTES:
        raise NotDelivered(f"the secret in {variable} has fewer than {_FEWEST_BYTES} bytes")
    return key
