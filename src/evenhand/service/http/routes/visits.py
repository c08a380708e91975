"""Routes of a running system: which policy serves this user now, was it shown, and what came of it."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from fastapi import APIRouter, Depends, Header, Path, Request
from fastapi.responses import JSONResponse

from evenhand.service.access.tokens import Token
from evenhand.service.http import bodies, told
from evenhand.service.http.asking import AuditId, Keyed, Responses, answered, needs
from evenhand.service.http.quick import QuickRoute
from evenhand.service.http.reading import body
from evenhand.service.http.running import running
from evenhand.service.log.answers import RefusedError
from evenhand.service.log.assignment_ids import read_id

router = APIRouter(tags=["visits"], route_class=QuickRoute)
_Fallbacks = Annotated[
    int | None,
    Header(
        alias="Evenhand-Fallbacks",
        ge=0,
        le=10**9,
        description="Visits served without asking since the last answer",
    ),
]
_ASSIGNED: Responses = {
    200: {"model": told.Assigned, "description": "Not recorded: the own policy, and why"},
    201: {"model": told.Assigned, "description": "Recorded"},
}
_COUNTED: Responses = {200: {"model": told.Counted}}
_OTHERWISE: Responses = {
    409: {"model": told.Error, "description": "Reported otherwise before"},
    425: {"model": told.Error, "description": "Not reported as shown yet: again later"},
}
_RESULTS: Responses = {200: {"model": told.Results}}
_OPTED_OUT: Responses = {
    200: {"model": told.OptedOut},
    425: {
        "model": told.Error,
        "description": "The people of this audit have not been named yet: again later",
    },
}


class Asked(NamedTuple):
    id: str
    audit: str


async def assignment_of(
    request: Request,
    assignment: Annotated[str, Path(description="The id of an assignment", max_length=200)],
) -> Asked:
    """An assignment of an audit that the caller may know of."""
    audit = _audit_of(request, assignment)
    if audit is None:
        raise RefusedError(404, "There is no such assignment.")
    return Asked(assignment, audit)


def _audit_of(request: Request, assignment: str) -> str | None:
    """The audit that the id of an assignment names, if the caller may know of it."""
    token: Token = request.state.token
    read = read_id(assignment)
    return read[0].audit if read is not None and token.sees(read[0].audit) else None


def _seen(request: Request, assignment: str) -> str:
    """In a list an id of another's audit is one that is not there, and keeps no other back."""
    return assignment if _audit_of(request, assignment) is not None else ""


AssignmentOf = Annotated[Asked, Depends(assignment_of)]


@router.post(
    "/api/audits/{audit}/assignments", dependencies=[needs("assign")], status_code=201, responses=_ASSIGNED
)
async def assign(
    request: Request,
    audit: AuditId,
    key: Keyed,
    said: Annotated[bodies.Visit, body(bodies.Visit)],
    fallbacks: _Fallbacks = None,
) -> JSONResponse:
    """Which policy serves this user now. 201 with an id where that is recorded; 200 without one, and why."""
    if fallbacks:
        running(request).metrics.fallbacks.inc(fallbacks)
    log = running(request).log
    return await answered(request, log.assign, key, audit, said.user, said.version, audit=audit)


@router.post(
    "/api/assignments/{assignment}/shown", dependencies=[needs("assign", "report")], responses=_COUNTED
)
async def shown(request: Request, one: AssignmentOf, key: Keyed) -> JSONResponse:
    """The user has seen it."""
    return await answered(request, running(request).log.shown, key, one.id, audit=one.audit)


@router.post(
    "/api/assignments/{assignment}/reward", dependencies=[needs("report")], responses=_COUNTED | _OTHERWISE
)
async def reward(
    request: Request, one: AssignmentOf, key: Keyed, said: Annotated[bodies.Reward, body(bodies.Reward)]
) -> JSONResponse:
    """What came of it, from 0 to 1."""
    log, report = running(request).log, (one.id, said.reward, said.observed_at)
    return await answered(request, log.reward, key, *report, audit=one.audit)


@router.post("/api/rewards", dependencies=[needs("report")], responses=_RESULTS)
async def rewards(
    request: Request, key: Keyed, said: Annotated[bodies.Rewards, body(bodies.Rewards)]
) -> JSONResponse:
    """Many rewards at once, with a result for each."""
    items = [(_seen(request, one.assignment), one.reward, one.observed_at) for one in said]
    return await answered(request, running(request).log.rewards, key, items, audit=None)


@router.post("/api/shown", dependencies=[needs("assign", "report")], responses=_RESULTS)
async def all_shown(
    request: Request, key: Keyed, said: Annotated[bodies.Shown, body(bodies.Shown)]
) -> JSONResponse:
    """Many assignments that were shown, with a result for each."""
    ids = [_seen(request, one) for one in said]
    return await answered(request, running(request).log.all_shown, key, ids, audit=None)


@router.post("/api/audits/{audit}/opt-outs", dependencies=[needs("assign")], responses=_OPTED_OUT)
async def opt_out(
    request: Request, audit: AuditId, key: Keyed, said: Annotated[bodies.User, body(bodies.User)]
) -> JSONResponse:
    """This user is served by their own policy from now on; their audit is inconclusive."""
    return await answered(request, running(request).log.opt_out, key, audit, said.user, audit=audit)
