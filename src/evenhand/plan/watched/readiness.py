"""What a channel needs of the environment, and whether it is there: better known before a flag opens."""

from __future__ import annotations

import base64
import binascii
import os

from evenhand.plan.watched.channels import AnyChannel

_PREFIX = "whsec_"
# Of the Standard Webhooks specification; a shorter one could be guessed.
_FEWEST_BYTES = 24


class NotReady(Exception):
    """What the environment lacks, without any value of it."""


def from_environment(variable: str) -> str:
    """A secret; its value never leaves the channel that uses it."""
    found = os.environ.get(variable, "")
    if not found:
        raise NotReady(f"the environment variable {variable} is not set")
    return found


def signing_keys(variable: str) -> list[bytes]:
    """The secrets of a webhook. The variable may hold two with a space between them, while one takes the
    place of the other."""
    secrets = from_environment(variable).split()
    if not secrets:  # without one a message would go out unsigned
        raise NotReady(f"the environment variable {variable} has nothing but spaces in it")
    return [_key(one, variable) for one in secrets]


def lacking(channel: AnyChannel) -> str | None:
    """Why nobody could be told by this channel from here and now; None where nothing is known to lack."""
    try:
        if channel.by == "webhook":
            signing_keys(channel.secret_from)
            if channel.url_from is not None:
                from_environment(channel.url_from)
        elif channel.by == "email" and channel.password_from is not None:
            from_environment(channel.password_from)
    except NotReady as problem:
        return str(problem)
    return None


def _key(secret: str, variable: str) -> bytes:
    try:
        base64_of = secret.removeprefix(_PREFIX)
        key = base64.b64decode(base64_of, validate=True) if secret.startswith(_PREFIX) else secret.encode()
    except binascii.Error:
        raise NotReady(f"what is after {_PREFIX} in {variable} is not base64") from None
    if len(key) < _FEWEST_BYTES:
        raise NotReady(f"the secret in {variable} has fewer than {_FEWEST_BYTES} bytes")
    return key
