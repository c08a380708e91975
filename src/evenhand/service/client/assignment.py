"""Whose policy serves a visit, as the server said it or as it is where nobody can be asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

_LONGEST_ID = 200
_LAST_MOMENT = 1e11  # seconds since 1970


@dataclass(frozen=True, slots=True)
class Assignment:
    """`id` is None where nothing is recorded: then the user is served by their own policy, and `reason` says
    why. `deadline` is in seconds since 1970."""

    id: str | None
    policy_of: str
    deadline: float | None
    reason: str


def read(status: int, body: Any, user: str, known_as: str) -> Assignment | None:
    """What a server answered; None where that is no answer to this question."""
    if not isinstance(body, dict):
        return None
    id_, policy_of, deadline, reason = (body.get(name) for name in ("id", "policy_of", "deadline", "reason"))
    if not isinstance(reason, str):
        return None
    if status == 200 and id_ is None:
        return Assignment(None, user, None, reason)
    if status != 201 or not is_id(id_) or not isinstance(policy_of, str) or not policy_of:
        return None
    if not isinstance(deadline, int | float) or not 0 <= deadline < _LAST_MOMENT:
        return None
    return Assignment(id_, user if policy_of == known_as else policy_of, float(deadline), reason)


def is_id(given: Any) -> bool:
    return (
        isinstance(given, str) and 0 < len(given) <= _LONGEST_ID and given.isascii() and given.isprintable()
    )
