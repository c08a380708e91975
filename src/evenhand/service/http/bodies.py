"""What requests may say: every field with its range, nothing that is not known, nothing half understood."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field


def _storable(text: str) -> str:
    if "\0" in text:
        raise ValueError("it has a NUL, which no store keeps")
    return text


Words = Annotated[str, Field(min_length=1, max_length=500), AfterValidator(_storable)]
AssignmentId = Annotated[str, Field(min_length=1, max_length=200)]
# Seconds since 1970.
Moment = Annotated[float, Field(ge=0, le=1e11, allow_inf_nan=False)]


class Body(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")


class Visit(Body):
    """Somebody is about to be served. `version` is that of the policies; another ends the audit."""

    user: Words
    version: Words | None = None


class Reward(Body):
    """What came of it, and when that was observed; by default now."""

    reward: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
    observed_at: Moment | None = None


class ListedReward(Reward):
    assignment: AssignmentId


Rewards = Annotated[list[ListedReward], Field(min_length=1, max_length=1_000)]
Shown = Annotated[list[AssignmentId], Field(min_length=1, max_length=1_000)]


class User(Body):
    user: Words


class People(Body):
    """The ids of those drawn, in the order of the places that were answered."""

    users: Annotated[list[Words], Field(min_length=2, max_length=1_000_000)]


class Ending(Body):
    reason: Words


class Version(Body):
    version: Words


def sentence(errors: Sequence[Any]) -> str:
    """What pydantic found wrong, as one sentence: the first, and how many more."""
    first = errors[0]
    where = ".".join(str(part) for part in first["loc"] if part != "body") or "The body"
    said = str(first["msg"]).removeprefix("Value error, ")
    if first["type"] == "json_invalid":
        where, said = "The body", "it is not JSON"
    more = f" ({len(errors) - 1} more)" if len(errors) > 1 else ""
    return f"{where}: {said[:1].lower()}{said[1:]}{more}."
