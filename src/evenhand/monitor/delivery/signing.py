"""Signatures of messages, by which a receiver knows who wrote them and when.

As the Standard Webhooks specification (1.0.0) has it: base64 of HMAC-SHA256 over `id.timestamp.body`. Any of
its libraries can check one; docs/howto/alerts.md has a check in a few lines.
"""

from __future__ import annotations

import base64
import hmac
from hashlib import sha256

from evenhand.monitor.delivery.message import NotDelivered
from evenhand.plan.watched.readiness import NotReady, signing_keys


def signed(message_id: str, timestamp: int, body: bytes, variable: str) -> dict[str, str]:
    """The headers that go with a body. Of two secrets in the variable either is enough for whoever checks."""
    try:
        keys = signing_keys(variable)
    except NotReady as problem:
        raise NotDelivered(str(problem)) from None
    content = b".".join([message_id.encode(), str(timestamp).encode(), body])
    signatures = [base64.b64encode(hmac.digest(key, content, sha256)).decode() for key in keys]
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(f"v1,{one}" for one in signatures),
    }
