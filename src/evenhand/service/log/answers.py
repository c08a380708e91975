"""What a request is answered, and what is remembered so that the same request again gets the same answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from evenhand.errors import EvenhandError


@dataclass(frozen=True)
class Key:
    """What the client calls this request (its Idempotency-Key), who it is, and what it said: a repeated key
    with another fingerprint is another request by mistake."""

    key: str
    token: str
    fingerprint: str


@dataclass(frozen=True)
class Answer:
    """A status of HTTP and a body. No body that is kept has a user id in it: `person` is whose policy is
    answered, by place, and the id is put in as `policy_of` when the answer leaves."""

    status: int
    body: dict[str, Any] = field(default_factory=dict)
    person: int | None = None


class RefusedError(EvenhandError):
    """A request that cannot be done: its own error, which nobody else in its batch hears of."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.answer = Answer(status, {"error": sentence})


# What failed may have been recorded all the same: nobody knows, where the answer to a commit was lost.
UNAVAILABLE = Answer(503, {"error": "The store could not be written; ask again with the same key."})
CHANGED = Answer(422, {"error": "This Idempotency-Key was used for another request; take a new one."})
TOO_MANY = Answer(503, {"error": "Too many reports wait; try again later."})
STOPPING = Answer(503, {"error": "The server is stopping; try again."})
