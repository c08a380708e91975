"""Drive a running server with users who are not there, whose rewards are known."""

from __future__ import annotations

import random
import tempfile
import time
import uuid
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from typing import Any, NamedTuple, Self
from urllib.parse import quote

import httpx

from evenhand.errors import InputError
from evenhand.service.client import Client
from evenhand.service.client.counts import Stats
from evenhand.service.client.server import bearer

_OWN = 0.5  # the mean reward of everybody by their own policy
_LOWEST = 0.2  # of others' policies, which are at most as good unless it is planted otherwise
_TIMEOUT_S = 1.0  # nobody waits for these visits
_STARTING_S, _PATIENCE_S = 30.0, 60.0
_EVERY_S = 1.0  # how often it is asked for an outcome
_TIMES = {"deadline_s": 6.0, "grace_s": 3.0, "window_s": 4.0}


class Means:
    """The mean reward of each user by each user's policy. With `better_by`, one user is better off by so much
    with the policy of one other; else nobody is better off with anybody's."""

    def __init__(self, users: int, better_by: float, rng: random.Random) -> None:
        self.users = [f"user-{number}" for number in range(1, users + 1)]
        self.better_by = better_by
        self._means = {
            (user, other): _OWN if user == other else rng.uniform(_LOWEST, _OWN)
            for user in self.users
            for other in self.users
        }
        if better_by:
            self._means[self.users[0], self.users[1]] = _OWN + better_by

    def of(self, user: str, policy_of: str) -> float:
        return self._means[user, policy_of]


@dataclass(frozen=True)
class Asked:
    """What is simulated, and for how long at most."""

    users: int
    better_by: float
    epsilon: float
    rate: float
    seconds: float
    not_shown: float
    not_reported: float
    seed: int

    def agrees_with(self, outcome: str | None) -> bool | None:
        """Whether an outcome is true of what was planted; None where nothing is claimed. Envy is to be better
        off by any amount, and no envy by no more than epsilon: in between both are true."""
        if outcome == "envy":
            return self.better_by > 0
        return self.better_by <= self.epsilon if outcome == "no_envy" else None


class Simulated(NamedTuple):
    audit: str
    visits: int
    seconds: float
    stats: Stats
    said: dict[str, Any]  # of the audit, as the server shows it
    meaning: str

    @property
    def rate(self) -> float:
        """Visits a second."""
        return self.visits / max(self.seconds, 1e-9)


class Desk(AbstractContextManager["Desk"]):
    """What a person does by hand: begin an audit, and look at it."""

    def __init__(self, url: str, token: str) -> None:
        headers = {"authorization": bearer(token)}
        self._http = httpx.Client(base_url=url, headers=headers, timeout=_PATIENCE_S, trust_env=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def wait(self) -> None:
        """Until it can be asked: one that was begun just now needs a few seconds."""
        ends = time.monotonic() + _STARTING_S
        while time.monotonic() < ends:
            with suppress(httpx.HTTPError):
                if self._http.get("/readyz").status_code == 200:
                    return
            time.sleep(_EVERY_S / 4)
        raise InputError(
            f"There is no server at {self._http.base_url} that is ready; `evenhand serve` runs one."
        )

    def begin(self, asked: Asked, means: Means) -> str:
        told = {
            "users": means.users, "criterion": "exact", "epsilon": asked.epsilon, "alpha": 0.5,
            "reward": "invented, by `evenhand serve simulate`", **_TIMES,
        }  # fmt: skip
        made: str = self._said(
            "POST", "/api/audits", json=told, headers={"idempotency-key": uuid.uuid4().hex}
        )["id"]
        return made

    def look(self, audit: str) -> dict[str, Any]:
        return self._said("GET", f"/api/audits/{audit}")

    def certificate(self, audit: str) -> dict[str, Any]:
        return self._said("GET", f"/api/audits/{quote(audit, safe='')}/certificate")

    def events(self, audit: str, stream: int, after: int) -> list[dict[str, Any]]:
        """A page of them; none after the last."""
        path = f"/api/audits/{quote(audit, safe='')}/events"
        found: list[dict[str, Any]] = self._said("GET", path, params={"after": f"{stream}:{after}"})["events"]
        return found

    def _said(self, method: str, path: str, **more: Any) -> dict[str, Any]:
        try:
            answer = self._http.request(method, path, **more)
            body = answer.json()
        except (httpx.HTTPError, ValueError) as error:
            where = self._http.base_url
            raise InputError(
                f"There is no answer from {where} ({type(error).__name__}); does it run?"
            ) from None
        if not answer.is_success or not isinstance(body, dict):
            said = body.get("error") if isinstance(body, dict) else None
            raise InputError(f"The server answered {answer.status_code} to {method} {path}: {said}")
        return body


def simulate(url: str, token: str, asked: Asked, means: Means, progress: Callable[[str], None]) -> Simulated:
    """Until the audit has an outcome, or the time is over."""
    progress("waiting for the server")
    with Desk(url, token) as desk, tempfile.TemporaryDirectory(prefix="evenhand-simulate-") as spool:
        desk.wait()
        progress("beginning an audit, which takes it some seconds to plan")
        audit = desk.begin(asked, means)
        with Client(url, token, audit, spool=spool, timeout=_TIMEOUT_S) as client:
            if not client.ready(_PATIENCE_S):
                raise InputError(f"The server does not say who the targets are: {client.stats().trouble}")
            began = time.monotonic()
            visits = _drive(client, desk, audit, asked, means, progress)
            seconds = time.monotonic() - began
            client.flush()
            return Simulated(
                audit,
                visits,
                seconds,
                client.stats(),
                desk.look(audit),
                str(desk.certificate(audit)["meaning"]),
            )


def _drive(
    client: Client, desk: Desk, audit: str, asked: Asked, means: Means, progress: Callable[[str], None]
) -> int:
    rng, began, visits, look_at = random.Random(asked.seed), time.monotonic(), 0, 0.0
    while (now := time.monotonic() - began) < asked.seconds:
        if now >= look_at:
            told = desk.look(audit)
            if told["outcome"] is not None:
                break
            progress(f"{visits:,} visits, {told['decided']} of {told['targets']} users decided")
            look_at = now + _EVERY_S
        _visit(client, means.users[visits % len(means.users)], asked, means, rng)
        visits += 1
        time.sleep(max(visits / asked.rate - (time.monotonic() - began), 0.0))
    return visits


def _visit(client: Client, user: str, asked: Asked, means: Means, rng: random.Random) -> None:
    found = client.assign(user)
    is_shown, is_reported = rng.random() >= asked.not_shown, rng.random() >= asked.not_reported
    reward = float(rng.random() < means.of(user, found.policy_of))
    if is_shown:
        client.shown(found)
        if is_reported:
            client.reward(found, reward)
