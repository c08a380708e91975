"""Where on a page a finding stands: its id, as an address can have it."""

from __future__ import annotations

from hashlib import sha256

# Longer than this an id is of a name that nobody types, and the address is cut.
_LONGEST = 200


def anchor(name: str) -> str:
    """An id without what a browser would write in another way, so that a link and its target are the same."""
    for letter, code in ((" ", "%20"), ("<", "%3C"), (">", "%3E"), ('"', "%22"), ("`", "%60")):
        name = name.replace(letter, code)
    if len(name) <= _LONGEST:
        return name
    return f"{name[:_LONGEST]}~{sha256(name.encode()).hexdigest()[:12]}"
