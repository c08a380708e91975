"""Passwords in addresses: a plan is read by many, and what is said of an address is printed and kept."""

from __future__ import annotations

import re
from urllib.parse import unquote

# user:password@ of a database goes to the last @, as a password may have any letter; on the web a number
# behind a host is a port, and an @ may stand in a path.
_USER = re.compile(r"(https?://[^\s:/?#@]*):[^\s/?#]*@|((?<!http)(?<!https)://[^:/?#@]*):.*@", re.S | re.I)
_ASKED = re.compile(r"(?<=[?&;])([^=&;#\s]*)=[^&;#\s]*")
_HIDDEN = "***"


def has_password(address: str) -> bool:
    return without_password(address) != address or f":{_HIDDEN}@" in address


def without_password(address: str) -> str:
    """The address as it can be shown."""
    if "://" not in address:
        return address
    said = _USER.sub(lambda found: f"{found[1] or found[2]}:{_HIDDEN}@", address)
    return _ASKED.sub(lambda found: f"{found[1]}={_HIDDEN}" if _is_secret(found[1]) else found[0], said)


def _is_secret(key: str) -> bool:
    return unquote(key).lower().endswith(("password", "passwd", "pwd"))
