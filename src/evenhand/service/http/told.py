"""What is answered, as the description of the routes says it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

_Outcome = Literal["envy", "no_envy", "inconclusive"]
_Reason = Literal["assigned", "not_target", "opted_out", "paused", "ended", "budget"]


class Told(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Error(Told):
    """What is wrong and what to do, as one sentence."""

    error: str


class Steps(Told):
    """None where it is more than 20 million, or not known."""

    nobody_better_off: float | None
    another_is_better: float | None
    own_is_better: float | None


class Expected(Told):
    """Typical steps a user until the audit ends; in days, where `daily` is given."""

    steps_a_user: Steps
    days: Steps


_Expectation = Annotated[Expected | None, Field(description="null while it is being computed")]


class Made(Told):
    """An audit that has begun."""

    id: str
    seed_hash: Annotated[str, Field(description="sha256 over the seed in digits; its log has it at the end")]
    targets: Annotated[int, Field(description="How many users are audited")]
    link: Annotated[int | None, Field(description="Its place in its series")]
    places: Annotated[
        list[int], Field(description="With population: whom to name, by place from 0 among the sorted ids")
    ] = []
    expected: _Expectation


class Assigned(Told):
    """Whose policy serves the user now. Without an id it is their own, and nothing is to be reported."""

    id: str | None
    deadline: Annotated[
        float, Field(description="With an id: seconds since 1970 by which the reward is observed")
    ] = 0.0
    reason: _Reason
    policy_of: Annotated[str, Field(description="The id of the user whose policy serves")]


class Counted(Told):
    counted: Annotated[bool, Field(description="Whether it counts; what came too late does not")]


class Result(Told):
    """Of one of many: what it would have been answered alone."""

    status: Literal[200, 404, 409, 425, 503]
    counted: bool = False
    error: str = ""


class Results(Told):
    """In the order in which they were sent."""

    results: list[Result]


class OptedOut(Told):
    opted_out: Literal[True]
    known: Annotated[bool, Field(description="false for an id that is not in this audit")]


class Deleted(Told):
    """The id is not kept, so that the same again hears that it is not known."""

    deleted: Literal[True]
    known: Annotated[bool, Field(description="false for an id that is not in this audit, or not any more")]
    ended: Annotated[
        int, Field(description="Audits of others that ended by it: of those who try this person's policy")
    ]


class Paused(Told):
    paused: bool


class Ended(Told):
    outcome: _Outcome | None


class Named(Told):
    targets: Annotated[int, Field(description="How many users are audited")]


class Audit(Told):
    """An audit in a few numbers."""

    id: str
    reward: str
    outcome: Annotated[_Outcome | None, Field(description="null while it runs")]
    checkable: Annotated[
        bool,
        Field(description="false where the outcome rests on people who were deleted: nobody can check it"),
    ]
    reason: str | None
    paused: bool
    version: str | None
    named: Annotated[bool, Field(description="Whether its people are named")]
    targets: int
    decided: Annotated[int, Field(description="People whose outcome is envy or no_envy")]
    undecided: Annotated[int, Field(description="People whose audits ended without a decision")]
    opted_out: Annotated[int, Field(description="Of the targets")]
    deleted: Annotated[int, Field(description="Of the targets")]
    series: str | None
    link: int | None
    damaged: Annotated[
        str | None,
        Field(description="In a list: why it cannot be read any more; then nothing else here is known of it"),
    ]


class Person(BaseModel):
    """A target: intervals of policies (the own first), margin of the constraint; cost so far, and for how
    many visits with another's policy it takes what came of them to be as of the rest (left_out), because
    their blocks wait for a reward."""

    model_config = ConfigDict(extra="allow")

    number: int
    opted_out: bool
    deleted: bool
    outcome: _Outcome | None


class View(Audit):
    """An audit and its targets in numbers, without ids."""

    notes: Annotated[list[str], Field(description="What a reader of the numbers must know")]
    people: list[Person]
    expected: _Expectation


class Targets(Told):
    """Whom it makes sense to ask for."""

    targets: list[str]
    paused: bool
    ended: Annotated[bool, Field(description="Whether the audit is over, so that there are no targets")]
    version: str | None


class Event(Told):
    """leaf = sha256(salt || event as compact JSON). Where an event may not be told, or is deleted, the leaf
    stands alone."""

    seq: int
    at: float
    kind: str
    event: list[Any] | None
    salt: str | None
    leaf: str


class Events(Told):
    """A page of one stream, in order."""

    events: list[Event]
    next: Annotated[str, Field(description="What to ask for next, as `after`; an empty page is the last")]
    streams: Annotated[int, Field(description="How many there are: the audit itself and all its people")]


class Certificate(BaseModel):
    """What `evenhand.envy.verify` takes with the events. While the audit runs its seed is null."""

    model_config = ConfigDict(extra="allow")

    kind: str
    software: str
    settings: dict[str, Any]
    seed: int | None
    population: int
    outcome: _Outcome | None
    meaning: str
    reason: str | None
    users: list[dict[str, Any]]
    events: dict[str, Any]


class Monitor(Told):
    name: str
    last_day: str | None
    open_flags: int
    published_at: float | None


class Published(Told):
    name: str
    digest: Annotated[str, Field(description="sha256 of the document as it is kept")]


class Findings(BaseModel):
    """A findings document (findings.json)."""

    model_config = ConfigDict(extra="allow")


class Lives(Told):
    ok: Literal[True]


class Ready(Told):
    ready: Literal[True]
    clock_trusted: Annotated[bool, Field(description="false while clocks disagree, and nothing expires")]


class NotReady(Told):
    ready: Literal[False]
    error: str
