"""Routes of a running system: which policy serves this user now, was it shown, and what came of it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Header, Path, Request
from fastapi.responses import JSONResponse

from evenhand.service.access.tokens import Token
from evenhand.service.http import bodies
from evenhand.service.http.asking import AuditId, Keyed, answered, needs
from evenhand.service.http.quick import QuickRoute
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
_AssignmentId = Annotated[str, Path(description="The id of an assignment", max_length=200)]


@router.post("/api/audits/{audit}/assignments", dependencies=[needs("assign")], status_code=201)
async def assign(
    request: Request, audit: AuditId, key: Keyed, said: bodies.Visit, fallbacks: _Fallbacks = None
) -> JSONResponse:
    """Which policy serves this user now. 201 with an id where that is recorded; 200 without one, and why."""
    if fallbacks:
        running(request).metrics.fallbacks.inc(fallbacks)
    log = running(request).log
    return await answered(request, log.assign, key, audit, said.user, said.version, audit=audit)


@router.post("/api/assignments/{assignment}/shown", dependencies=[needs("assign", "report")])
async def shown(request: Request, assignment: _AssignmentId, key: Keyed) -> JSONResponse:
    """The user has seen it."""
    audit = _audit_of(request, assignment)
    return await answered(request, running(request).log.shown, key, assignment, audit=audit)


@router.post("/api/assignments/{assignment}/reward", dependencies=[needs("report")])
async def reward(
    request: Request, assignment: _AssignmentId, key: Keyed, said: bodies.Reward
) -> JSONResponse:
    """What came of it: from 0 to 1."""
    audit, log = _audit_of(request, assignment), running(request).log
    return await answered(request, log.reward, key, assignment, said.reward, said.observed_at, audit=audit)


@router.post("/api/rewards", dependencies=[needs("report")])
async def rewards(request: Request, key: Keyed, said: bodies.Rewards) -> JSONResponse:
    """Many rewards at once, with a result for each."""
    items = [(_seen(request, one.assignment), one.reward, one.observed_at) for one in said]
    return await answered(request, running(request).log.rewards, key, items, audit=None)


@router.post("/api/shown", dependencies=[needs("assign", "report")])
async def all_shown(request: Request, key: Keyed, said: bodies.Shown) -> JSONResponse:
    """Many assignments that were shown, with a result for each."""
    ids = [_seen(request, one) for one in said]
    return await answered(request, running(request).log.all_shown, key, ids, audit=None)


@router.post("/api/audits/{audit}/opt-outs", dependencies=[needs("assign")])
async def opt_out(request: Request, audit: AuditId, key: Keyed, said: bodies.User) -> JSONResponse:
    """This user is served by their own policy from now on; their audit is inconclusive."""
    return await answered(request, running(request).log.opt_out, key, audit, said.user, audit=audit)


def _audit_of(request: Request, assignment: str) -> str:
    """The audit that an id of an assignment names, if the caller may know of it."""
    token: Token = request.state.token
    read = read_id(assignment)
    if read is None or not token.sees(read[0].audit):
        raise RefusedError(404, "There is no such assignment.")
    return read[0].audit


def _seen(request: Request, assignment: str) -> str:
    """In a list an id of another's audit is one that is not there, and keeps no other back."""
    try:
        _audit_of(request, assignment)
    except RefusedError:
        return ""
    return assignment
