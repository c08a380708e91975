"""What a request is answered, and what is remembered so that the same request again gets the same answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

from sqlalchemy.exc import DBAPIError, InvalidRequestError, SQLAlchemyError

from evenhand.errors import EvenhandError, InputError
from evenhand.store.connecting import is_no_text

_Item = TypeVar("_Item")


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


def each_alone(items: Iterable[_Item | RefusedError], decide: Callable[[_Item], Answer]) -> Answer:
    """Of many at once each has a result of its own: one that is refused keeps no other back, also where that
    is known before."""
    results = []
    for one in items:
        try:
            if isinstance(one, RefusedError):
                raise one
            answer = decide(one)
        except RefusedError as error:
            answer = error.answer
        results.append({"status": answer.status, **answer.body})
    return Answer(200, {"results": results})


class DamagedError(RefusedError):
    """What the store kept of one audit and nobody can read any more; all other audits go on."""

    def __init__(self, audit: str, stream: int, why: str) -> None:
        super().__init__(
            503,
            f"The audit {audit} is damaged in the store: its stream {stream} {why}; "
            "see `evenhand serve check`, and go back to a backup.",
        )
        self.audit, self.stream, self.why = audit, stream, why


# What those who read it stumble over where it is not what was written.
_OF_CONTENT = (
    ValueError, LookupError, TypeError, AttributeError, AssertionError, ArithmeticError, RecursionError,
    InvalidRequestError,
)  # fmt: skip

_OF_STORE = (SQLAlchemyError, OSError, UnicodeError)  # by which a whole store cannot be asked


@contextmanager
def sound(audit: str, stream: int) -> Iterator[None]:
    """Around what reads a stream as the store kept it. What is wrong is said by its kind alone: its words may
    have somebody's id in them."""
    try:
        yield
    except RefusedError:
        raise
    except DBAPIError as error:
        if not is_no_text(error):
            raise  # the store is away
        raise DamagedError(audit, stream, "has a text that is not UTF-8") from error
    except (InputError, *_OF_CONTENT) as error:
        if isinstance(error, InputError) and isinstance(error.__cause__, _OF_STORE):
            raise  # it is away
        raise DamagedError(audit, stream, f"cannot be read ({type(error).__name__})") from error


# What failed may have been recorded all the same: nobody knows, where the answer to a commit was lost.
UNAVAILABLE = Answer(503, {"error": "The store could not be written; ask again with the same key."})
CHANGED = Answer(422, {"error": "This Idempotency-Key was used for another request; take a new one."})
TOO_MANY = Answer(503, {"error": "Too many reports wait; try again later."})
STOPPING = Answer(503, {"error": "The server is stopping; try again."})
