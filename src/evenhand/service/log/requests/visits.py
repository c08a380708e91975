"""Which policy serves this user now, and whether it was shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from evenhand.service.log.answers import Answer, Key, RefusedError, each_alone
from evenhand.service.log.assignment_ids import Place, write_id
from evenhand.service.log.states import States, Where
from evenhand.service.log.streams import AuditStream, PersonStream


@dataclass(frozen=True)
class Assign:
    """201 with an assignment, or 200 with the own policy and why; then nothing is written."""

    key: Key | None
    audit: str
    number: int
    secret: bytes
    version: str | None = None  # of the policies that would serve

    @property
    def streams(self) -> tuple[Where, ...]:
        return (Where(self.audit, self.number),)

    def decide(self, states: States, now: float) -> Answer:
        about, person = states.audit(self.audit), states.person(self.audit, self.number)
        reason = _why_not(about, person, now)
        if reason is None and self.version is not None and about.version not in (None, self.version):
            reason = "ended"  # it ends by that, even if the store could not yet write so
        if reason is not None:
            return Answer(200, {"id": None, "reason": reason}, person.number)
        deadline = max(now, person.at) + about.settings["deadline_s"]
        made = person.act(now, "assign", deadline=deadline, version=about.version)
        id_ = write_id(Place(self.audit, self.number, made.id), self.secret)
        policies = [self.number, *about.arms[self.number - 1]]
        return Answer(201, {"id": id_, "deadline": deadline, "reason": "assigned"}, policies[made.arm])


def _why_not(about: AuditStream, person: PersonStream, now: float) -> str | None:
    if person.number in about.opted_out or person.number in about.deleted:
        return "opted_out"
    if about.outcome is not None or person.audited.outcome is not None:
        return "ended"
    if about.paused:
        return "paused"
    daily = about.settings.get("daily")
    today = int(max(now, person.at) // 86_400)
    full = daily is not None and person.day[0] == today and person.day[1] >= daily
    return "budget" if full or person.audited.spent else None


@dataclass(frozen=True)
class Shown:
    """The user has seen it. Only what was shown counts, where that was agreed."""

    key: Key | None
    place: Place

    @property
    def streams(self) -> tuple[Where, ...]:
        return (Where(self.place.audit, self.place.stream),)

    def decide(self, states: States, now: float) -> Answer:
        return _shown(states, self.place, now)


@dataclass(frozen=True)
class AllShown:
    """Many at once, each with a result of its own."""

    key: Key | None
    places: tuple[Place | RefusedError, ...]
    each_alone: ClassVar[bool] = True

    @property
    def size(self) -> int:
        return len(self.places)

    @property
    def streams(self) -> tuple[Where, ...]:
        return tuple({Where(one.audit, one.stream) for one in self.places if isinstance(one, Place)})

    def decide(self, states: States, now: float) -> Answer:
        return each_alone(self.places, lambda place: _shown(states, place, now))


def _shown(states: States, place: Place, now: float) -> Answer:
    about, person = states.audit(place.audit), states.person(place.audit, place.stream)
    number = place.number
    if number > person.last and not person.deleted:
        raise RefusedError(404, "There is no such assignment.")
    if number not in person.unshown:
        is_open = person.audited.open(number) is not None
        return Answer(200, {"counted": is_open})  # said before, or not asked for; or withdrawn meanwhile
    if person.audited.outcome is not None or about.outcome is not None:
        return Answer(200, {"counted": False})
    if person.is_too_late(about, number, now):
        return Answer(200, {"counted": False})
    states.record(Where(place.audit, place.stream), ["shown", number], now)
    return Answer(200, {"counted": True})
