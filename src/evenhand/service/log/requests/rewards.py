"""What came of an assignment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from evenhand.service.log.answers import Answer, Key, RefusedError, each_alone
from evenhand.service.log.assignment_ids import Place
from evenhand.service.log.states import States, Where
from evenhand.service.log.streams import PersonStream


@dataclass(frozen=True)
class Report:
    """A reward in [0, 1], and when it was observed; None: now."""

    place: Place
    reward: float
    observed_at: float | None = None

    def decide(self, states: States, now: float) -> Answer:
        about, person = states.audit(self.place.audit), states.person(self.place.audit, self.place.stream)
        where, number = Where(self.place.audit, self.place.stream), self.place.number
        if person.deleted or person.number in about.deleted:
            return Answer(200, {"counted": False})
        if number > person.last:
            raise RefusedError(404, "There is no such assignment.")
        open_ = person.audited.open(number)
        if open_ is None:
            return self._again(states, where, now)
        if about.outcome is not None or person.audited.outcome is not None:
            return self._late(states, where, now)
        if number in person.unshown:
            if person.is_too_late(about, number, now):
                return self._late(states, where, now)  # also where that was said in vain
            # Were a reward taken for a sign that it was shown, what is withdrawn would depend on rewards.
            # Whoever shows may be another process than this one, and say so later: too early, not wrong.
            raise RefusedError(425, "This assignment was not reported as shown yet; report that first.")
        observed = now if self.observed_at is None else min(self.observed_at, now)
        if observed > open_.deadline or now > _settled_at(states, person, open_.deadline):
            return self._late(states, where, now)
        if now > open_.deadline:  # by now another may have come, which was observed too late
            self._refuse_another(states, where)
        person.act(now, "deliver", {number: self.reward})
        return Answer(200, {"counted": True})

    def _again(self, states: States, where: Where, now: float) -> Answer:
        """A report of what is settled: the same again is fine, another value is not."""
        settled = states.settled_as(where, self.place.number)
        if settled is not None and settled[0] == "deliver":
            value = next(reward for number, reward in settled[1] if number == self.place.number)
            if value is not None and value != self.reward:
                raise RefusedError(409, "Another reward was reported for this assignment before.")
            if value is not None:
                return Answer(200, {"counted": True})
        return self._late(states, where, now)

    def _refuse_another(self, states: States, where: Where) -> float | None:
        """The reward that came too late before this one, which is the same."""
        before = states.late_as(where, self.place.number)
        if before is not None and before != self.reward:
            raise RefusedError(409, "Another reward was reported for this assignment before.")
        return before

    def _late(self, states: States, where: Where, now: float) -> Answer:
        if self._refuse_another(states, where) is None:
            row = {"audit": where.audit, "stream": where.number, "assignment": self.place.number}
            told = {"reward": self.reward, "observed_at": self.observed_at, "at": now}
            states.late.append(row | told)
        return Answer(200, {"counted": False})


def _settled_at(states: States, person: PersonStream, deadline: float) -> float:
    about = states.audit(person.audit)
    return about.extended(deadline - about.settings["deadline_s"], deadline + about.settings["grace_s"])


@dataclass(frozen=True)
class Reward:
    key: Key | None
    report: Report

    @property
    def streams(self) -> tuple[Where, ...]:
        return (Where(self.report.place.audit, self.report.place.stream),)

    def decide(self, states: States, now: float) -> Answer:
        return self.report.decide(states, now)


@dataclass(frozen=True)
class Rewards:
    """Many at once, each with a result of its own."""

    key: Key | None
    reports: tuple[Report | RefusedError, ...]
    each_alone: ClassVar[bool] = True

    @property
    def size(self) -> int:
        return len(self.reports)

    @property
    def streams(self) -> tuple[Where, ...]:
        found = [one.place for one in self.reports if isinstance(one, Report)]
        return tuple({Where(place.audit, place.stream) for place in found})

    def decide(self, states: States, now: float) -> Answer:
        return each_alone(self.reports, lambda one: one.decide(states, now))
