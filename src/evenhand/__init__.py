"""Evenhand audits recommender systems for fairness.

The rooms (`evenhand.opportunity`, ...) are imported when they are first used, so that
`import evenhand` and `evenhand --help` stay quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evenhand import (
        association,
        datasets,
        envy,
        exposure,
        groups,
        mitigate,
        opportunity,
        plan,
        recommenders,
    )
    from evenhand.errors import EvenhandError, InputError
    from evenhand.findings import Finding, Interval, Verdict
    from evenhand.inputs import table
    from evenhand.results import AuditResult

    __version__: str

_rooms = (
    "association",
    "datasets",
    "envy",
    "exposure",
    "groups",
    "mitigate",
    "opportunity",
    "plan",
    "recommenders",
)
_names = {
    "AuditResult": "evenhand.results",
    "EvenhandError": "evenhand.errors",
    "Finding": "evenhand.findings",
    "InputError": "evenhand.errors",
    "Interval": "evenhand.findings",
    "Verdict": "evenhand.findings",
    "table": "evenhand.inputs",
}

__all__ = [
    "AuditResult",
    "EvenhandError",
    "Finding",
    "InputError",
    "Interval",
    "Verdict",
    "association",
    "datasets",
    "envy",
    "exposure",
    "groups",
    "mitigate",
    "opportunity",
    "plan",
    "recommenders",
    "table",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":  # not before it is asked for: a source tree that is not installed has none
        return import_module("importlib.metadata").version("evenhand")
    if name in _rooms:
        return import_module(f"evenhand.{name}")
    if name in _names:
        return getattr(import_module(_names[name]), name)
    raise AttributeError(f"module 'evenhand' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
