"""Who is shown to whom?

Names are imported when they are first used: the differentiable exposure needs torch and nothing else, so it
also runs where the rest of Evenhand is not installed.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evenhand.exposure.audit import audit
    from evenhand.exposure.loss import JMELoss
    from evenhand.exposure.plackett_luce import plackett_luce
    from evenhand.exposure.static import static

_homes = {
    "JMELoss": "evenhand.exposure.loss",
    "audit": "evenhand.exposure.audit",
    "plackett_luce": "evenhand.exposure.plackett_luce",
    "static": "evenhand.exposure.static",
}

__all__ = ["JMELoss", "audit", "plackett_luce", "static"]


def __getattr__(name: str) -> Any:
    if name not in _homes:
        raise AttributeError(f"module 'evenhand.exposure' has no attribute {name!r}")
    found = getattr(import_module(_homes[name]), name)
    # A submodule of the same name would stand here after its import.
    globals()[name] = found
    return found
