"""What requests may say: every field with its range, nothing that is not known, nothing half understood."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field


def _storable(text: str) -> str:
    if "\0" in text:
        raise ValueError("it has a NUL, which no store keeps")
    return text


Words = Annotated[str, Field(min_length=1, max_length=500), AfterValidator(_storable)]
UserId = Annotated[Words, Field(description="The id of a user, as your system calls them")]
AssignmentId = Annotated[str, Field(min_length=1, max_length=200, description="The id of an assignment")]
Moment = Annotated[float, Field(ge=0, le=1e11, allow_inf_nan=False)]


class Body(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")


class Visit(Body):
    """Somebody is about to be served."""

    user: UserId
    version: Annotated[
        Words | None, Field(description="The version of the policies; another than the audit's ends it")
    ] = None


class Reward(Body):
    """What came of it."""

    reward: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False, description="From 0 to 1")]
    observed_at: Annotated[
        Moment | None, Field(description="When that was observed, in seconds since 1970; by default now")
    ] = None


class ListedReward(Reward):
    """What came of one of many."""

    assignment: AssignmentId


Rewards = Annotated[list[ListedReward], Field(fail_fast=True, min_length=1, max_length=1_000)]
Shown = Annotated[list[AssignmentId], Field(fail_fast=True, min_length=1, max_length=1_000)]


class User(Body):
    """Whom it is about."""

    user: UserId


class People(Body):
    """The ids of those drawn, in the order of the places that were answered."""

    users: Annotated[
        list[UserId],
        Field(fail_fast=True, min_length=2, max_length=1_000_000, description="Ids, in the order of places"),
    ]


class Ending(Body):
    """Why an audit is ended before it has decided."""

    reason: Annotated[Words, Field(description="It stands in the log and is shown to whoever may read")]


class Version(Body):
    """What the policies are now."""

    version: Annotated[Words, Field(description="The version of the policies from now on")]
