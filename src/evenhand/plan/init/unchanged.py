"""Whether a plan is still what init wrote: a comment in it has the hash of all of the rest."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

_SIGNED = re.compile(
    rb"^# As init wrote it: ([0-9a-f]{64})\. Run again, init replaces it only unchanged\.\n", re.M
)


def signed(text: str) -> str:
    """The plan with its hash below the first line."""
    first, rest = text.split("\n", 1)
    hashed = hashlib.sha256(text.encode()).hexdigest()
    return f"{first}\n# As init wrote it: {hashed}. Run again, init replaces it only unchanged.\n{rest}"


def may_be_written(out: Path) -> bool:
    """Whether nothing is lost: there is no such file, or one in which nobody has changed a letter."""
    if out.is_symlink():  # the link would be replaced, and not what it leads to
        return False
    if not out.exists():
        return True
    try:
        content = out.read_bytes()
    except OSError:
        return False
    found = _SIGNED.search(content)
    if found is None:
        return False
    without = content[: found.start()] + content[found.end() :]
    return hashlib.sha256(without).hexdigest() == found[1].decode()
