"""Who is shown to whom?"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

# The differentiable exposure needs torch and nothing else, so it also runs where the rest is not installed.
if TYPE_CHECKING or (find_spec("numba") is not None and find_spec("ibis") is not None):
    from evenhand.exposure.audit import audit, compare
    from evenhand.exposure.followed_days.followed import followed
    from evenhand.exposure.rankings.plackett_luce import plackett_luce
    from evenhand.exposure.rankings.static import static
if TYPE_CHECKING:
    from evenhand.exposure.training.loss import JMELoss

__all__ = ["JMELoss", "audit", "compare", "followed", "plackett_luce", "static"]


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> Any:
    if name != "JMELoss":
        raise AttributeError(f"module 'evenhand.exposure' has no attribute {name!r}")
    from evenhand.exposure.training.loss import JMELoss  # imports torch, which takes seconds

    return JMELoss
