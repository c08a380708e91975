"""What people do to an audit: begin, pause, end, opt out, delete. Who did it stands in the log."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import pi
from typing import Any

from sqlalchemy import func, select, update

from evenhand.envy.online.system import digest_of
from evenhand.service.log.answers import Answer, Key, RefusedError
from evenhand.service.log.certifying import begun_with
from evenhand.service.log.drawing import draw
from evenhand.service.log.states import States, Where
from evenhand.service.log.streams import AuditStream
from evenhand.store import audit_tables as tables


@dataclass(frozen=True)
class CreateAudit:
    """`settings` as `AskedLiveAudit` checked them. With `users` they are named at once; without, the places
    drawn are answered, and `NamePeople` names them."""

    key: Key | None
    audit: str
    secret: bytes
    seed: int
    settings: Mapping[str, Any]
    users: tuple[str, ...] | None
    by: str

    @property
    def streams(self) -> tuple[Where, ...]:
        return ()

    def decide(self, states: States, now: float) -> Answer:
        settings = dict(self.settings)
        series, link = settings.get("series"), None
        if series is not None:
            a = tables.audit
            chosen = select(func.coalesce(func.max(a.c.link), 0)).where(a.c.series == series)
            before = max((row["link"] for row in states.made if row["series"] == series), default=0)
            link = 1 + max(before, int(states.connection.execute(chosen).scalar_one()))
            # So that all of a series together are wrong with probability delta at most.
            settings |= {"link": link, "delta": settings["delta"] * 6 / (pi * link) ** 2}
        states.take_long()
        drawn = draw(settings["population"], self.seed, settings)
        states.auditors.begin(drawn.settings, drawn.seeds[0])  # refuses what cannot be asked
        published = hashlib.sha256(str(self.seed).encode()).hexdigest()
        states.made.append(
            {"id": self.audit, "secret": self.secret, "series": series, "link": link, "created_at": now}
        )
        where = Where(self.audit, 0)
        states.begin_stream(where)
        states.record(where, ["created", settings | {"seed_hash": published, "by": self.by}], now)
        states.record(where, ["drawn", drawn.places, drawn.arms, drawn.settings], now)
        states.record(where, ["seeds", self.seed, drawn.seeds], now)
        if self.users is not None:
            _name(states, self.audit, [self.users[place] for place in drawn.places], now)
        body = {"id": self.audit, "seed_hash": published, "targets": len(drawn.arms), "link": link}
        return Answer(201, body | ({} if self.users is not None else {"places": drawn.places}))


@dataclass(frozen=True)
class TellToo:
    """What was answered to a key gets more fields, once: whoever comes first says which."""

    of: Key
    answer: Answer
    more: Mapping[str, Any]
    key: None = None
    streams: tuple[Where, ...] = ()

    def decide(self, states: States, now: float) -> Answer:
        a = tables.answered
        this = (a.c.token == self.of.token, a.c.key == self.of.key)
        found = states.connection.execute(select(a.c.body).where(*this).with_for_update()).scalar()
        body = self.answer.body if found is None else json.loads(found)
        if not self.more.keys() <= body.keys():
            body = {**body, **self.more}
            kept = json.dumps(body, allow_nan=False)
            states.connection.execute(update(a).where(*this).values(body=kept))
        return Answer(self.answer.status, body)


def _name(states: States, audit: str, users: Sequence[str], now: float) -> None:
    states.take_long()
    about = states.audit(audit)
    agreed = begun_with(about)
    for number, user in enumerate(users, start=1):
        where = Where(audit, number)
        states.begin_stream(where)
        states.record(where, ["person", user], now)
        if number <= about.targets:
            states.record(where, agreed, now)
    states.record(Where(audit, 0), ["named"], now)


@dataclass(frozen=True)
class NamePeople:
    """The ids of those drawn from a population, in the order of the places that were answered."""

    key: Key | None
    audit: str
    users: tuple[str, ...]

    @property
    def streams(self) -> tuple[Where, ...]:
        return (Where(self.audit, 0),)

    def decide(self, states: States, now: float) -> Answer:
        about = states.audit(self.audit)
        if about.named:
            raise RefusedError(409, "The people of this audit have been named.")
        if len(self.users) != len(about.places) or len(set(self.users)) < len(self.users):
            raise RefusedError(422, f"This audit drew {len(about.places):,} people; name each of them once.")
        if len(self.users) == about.settings["population"]:  # everybody is named: they can be compared
            by_place = sorted(zip(about.places, self.users, strict=True))
            if digest_of(user for _, user in by_place) != about.settings["digest"]:
                raise RefusedError(
                    422,
                    "These ids, by their places, do not make the digest that was given when the audit began; "
                    "name those it was made of, in the order of the places that were answered.",
                )
        _name(states, self.audit, self.users, now)
        return Answer(200, {"targets": about.targets})


@dataclass(frozen=True)
class Pause:
    key: Key | None
    audit: str
    by: str
    paused: bool = True  # False: resumed

    @property
    def streams(self) -> tuple[Where, ...]:
        return (Where(self.audit, 0),)

    def decide(self, states: States, now: float) -> Answer:
        about = _running(states, self.audit)
        if about.paused != self.paused:
            states.record(self.streams[0], ["paused" if self.paused else "resumed", self.by], now)
        return Answer(200, {"paused": self.paused})


@dataclass(frozen=True)
class End:
    """Nothing is certified by it: the audit is inconclusive, and so is that of every target without an
    outcome."""

    key: Key | None
    audit: str
    targets: int
    by: str
    reason: str

    @property
    def streams(self) -> tuple[Where, ...]:
        return tuple(Where(self.audit, number) for number in range(self.targets + 1))

    def decide(self, states: States, now: float) -> Answer:
        _running(states, self.audit)
        _end_all(states, self.streams, self.reason, self.by, now)
        return Answer(200, {"outcome": "inconclusive"})


def _end_all(states: States, streams: Sequence[Where], reason: str, by: str, now: float) -> None:
    about = states.audit(streams[0].audit)
    for where in streams[1:] if about.named else ():
        running = where.number not in about.deleted
        if running and states.person(*where).audited.outcome is None:
            states.record(where, ["end", "inconclusive", reason], now)
    states.record(streams[0], ["ended", "inconclusive", reason, by], now)


@dataclass(frozen=True)
class NewVersion:
    """Policies changed: rewards of different policies cannot be put together."""

    key: Key | None
    audit: str
    targets: int
    version: str
    by: str

    @property
    def streams(self) -> tuple[Where, ...]:
        return tuple(Where(self.audit, number) for number in range(self.targets + 1))

    def decide(self, states: States, now: float) -> Answer:
        about = states.audit(self.audit)
        if about.outcome is None and about.version != self.version:
            before = "no version" if about.version is None else f"version {about.version!r}"
            reason = f"The policies changed from {before} to {self.version!r}."
            _end_all(states, self.streams, reason, self.by, now)
        return Answer(200, {"outcome": about.outcome})


@dataclass(frozen=True)
class OptOut:
    """The own policy at once; the audit of this user is inconclusive, and nobody takes their place."""

    key: Key | None
    audit: str
    number: int
    by: str

    @property
    def streams(self) -> tuple[Where, ...]:
        return (Where(self.audit, 0), Where(self.audit, self.number))

    def decide(self, states: States, now: float) -> Answer:
        about, person = states.audit(self.audit), states.person(self.audit, self.number)
        if self.number not in about.opted_out and self.number not in about.deleted:
            states.record(self.streams[0], ["opt_out", self.number, self.by], now)
            if person.folded is not None and person.folded.outcome is None:
                states.record(self.streams[1], ["end", "inconclusive", "The user opted out."], now)
        return Answer(200, {"opted_out": True, "known": True})


@dataclass(frozen=True)
class DeleteUser:
    """What this person did and was called is erased; leaves stay. Who tries this person's policy goes on with
    nobody's: their audits are inconclusive."""

    key: Key | None
    audit: str
    number: int
    triers: tuple[int, ...]  # targets that try the person's policy
    by: str

    @property
    def streams(self) -> tuple[Where, ...]:
        """The person comes first of all people: the answer is kept, and erased, as theirs."""
        return tuple(Where(self.audit, number) for number in dict.fromkeys((0, self.number, *self.triers)))

    def decide(self, states: States, now: float) -> Answer:
        about, person = states.audit(self.audit), states.person(self.audit, self.number)
        ended = 0
        if self.number not in about.deleted:
            outcome = None if person.folded is None else (person.folded.outcome or "inconclusive")
            states.record(Where(self.audit, 0), ["deleted", self.number, outcome, self.by], now)
            states.erased.append(Where(self.audit, self.number))
            for number in self.triers:
                tried = states.person(self.audit, number)
                if number not in about.deleted and tried.audited.outcome is None and about.outcome is None:
                    event = ["end", "inconclusive", "A person whose policy it tries was deleted."]
                    states.record(Where(self.audit, number), event, now)
                    ended += 1
        return Answer(200, {"deleted": True, "known": True, "ended": ended})


@dataclass(frozen=True)
class Publish:
    """A findings document under a name. The same again is the latest again."""

    key: Key | None
    name: str
    document: str
    by: str

    @property
    def streams(self) -> tuple[Where, ...]:
        return ()

    def decide(self, states: States, now: float) -> Answer:
        digest = hashlib.sha256(self.document.encode()).hexdigest()
        row = {"name": self.name, "digest": digest, "document": self.document, "by": self.by, "at": now}
        states.published.append(row)
        return Answer(200, {"name": self.name, "digest": digest})


def _running(states: States, audit: str) -> AuditStream:
    about = states.audit(audit)
    if about.outcome is not None:
        raise RefusedError(409, f"This audit is over ({about.outcome}).")
    return about
