"""The live audit of a running system: which policy serves this user now, and what came of it.

`Client` is what such a system uses. It is imported when it is first asked for, and needs httpx alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evenhand.service.client import Assignment, Client, hashed_user

__all__ = ["Assignment", "Client", "hashed_user"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        from evenhand.service import client
    except ModuleNotFoundError as error:
        if error.name != "httpx":
            raise
        raise ModuleNotFoundError(
            "The client needs httpx, which is not installed: pip install 'evenhand[client]', or "
            "'.[client]' from its folder.",
            name="httpx",
        ) from None
    return getattr(client, name)
