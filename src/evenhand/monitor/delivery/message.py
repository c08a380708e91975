"""A message on its way, and how an attempt to deliver it ends."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from evenhand.plan.watched import readiness


class NotDelivered(Exception):
    """An attempt failed; the reason is for people, and holds no address and no secret."""

    def __init__(self, why: str, wait: float | None = None) -> None:
        super().__init__(why)
        self.wait = wait  # seconds that the receiver asked for


@dataclass(frozen=True)
class Message:
    """What a channel gets. The id is the same at every attempt, so that a receiver can drop repeats."""

    id: str
    content: str  # JSON

    @cached_property
    def told(self) -> dict[str, Any]:
        return json.loads(self.content)


@dataclass(frozen=True)
class Attempt:
    """One attempt: the message, the time, and the folder that relative paths start from."""

    message: Message
    now: float  # seconds since 1970
    base: Path


def from_environment(variable: str) -> str:
    """A secret, as `readiness` reads it."""
    try:
        return readiness.from_environment(variable)
    except readiness.NotReady as problem:
        raise NotDelivered(str(problem)) from None
