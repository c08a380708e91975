"""The sweep: what was not shown is withdrawn, what was not reported is missing; the audit is told who has an
outcome, and ends when that decides it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sqlalchemy import insert, select, update

from evenhand.service.log.answers import Answer, DamagedError
from evenhand.service.log.states import States, Where
from evenhand.service.log.streams import AuditStream, PersonStream
from evenhand.store import audit_tables as tables

LAPSE = 30.0  # seconds without a sign of life that are an outage
MOST_AT_ONCE = 200  # assignments that are settled in one go: who visits meanwhile waits for it


@dataclass(frozen=True)
class Settle:
    audit: str
    numbers: tuple[int, ...]
    key: None = None
    each_alone: ClassVar[bool] = True

    @property
    def streams(self) -> tuple[Where, ...]:
        return (Where(self.audit, 0), *(Where(self.audit, number) for number in self.numbers))

    def decide(self, states: States, now: float) -> Answer:
        about = states.audit(self.audit)
        if about.outcome is not None:
            return Answer(200, {"settled": 0})
        settled = 0
        for number in self.numbers:
            try:
                person = states.person(self.audit, number)
            except DamagedError:
                continue
            if number not in about.deleted and person.audited.outcome is None and states.trusted:
                settled += _settle(about, person, now, MOST_AT_ONCE - settled)
            outcome = person.audited.outcome
            if number not in about.outcomes and outcome is not None:
                states.record(self.streams[0], ["outcome", number, outcome], now)
        ended = _decided(about)
        if ended is not None:
            states.record(self.streams[0], ["ended", *ended, "the audit"], now)
        return Answer(200, {"settled": settled, "paused": not states.trusted})


def _settle(about: AuditStream, person: PersonStream, now: float, most: int) -> int:
    """One event an assignment, by which it is found again when its reward comes after all. Who was assigned
    later is due later: where one is not due, nobody behind is."""
    settled, lasts, grace = 0, about.settings["deadline_s"], about.settings["grace_s"]
    for number, by in list(person.unshown.items()):
        if now <= by or settled >= most:
            break
        if person.is_too_late(about, number, now):
            person.act(now, "withdraw", number)
            settled += 1
    for one in person.audited.outstanding:
        if now <= one.deadline + grace or settled >= most or person.audited.outcome is not None:
            break
        due = about.extended(one.deadline - lasts, one.deadline + grace)
        if one.id not in person.unshown and now > due:
            person.act(now, "deliver", {one.id: None})
            settled += 1
    return settled


def _decided(about: AuditStream) -> tuple[str, str] | None:
    """Envy as soon as one has it; none when all targets have none, but for planned dropouts."""
    # Somebody whose policy was tried may be deleted, too: that is no outcome of a target.
    outcomes = [said for number, said in about.outcomes.items() if number <= about.targets]
    if "envy" in outcomes:
        return "envy", "A user would be better off with another's policy."
    if len(outcomes) < about.targets:
        return None
    without = [said for said in outcomes if said != "no_envy"]
    if len(without) <= about.settings["dropouts"]:
        return "no_envy", "No target was found to be better off with a policy that was tried."
    return "inconclusive", f"{len(without):,} of {about.targets:,} audits of users ended without a decision."


@dataclass(frozen=True)
class Outage:
    """Nobody could report from `since` to `until`. What an audit was told before is not told again."""

    audit: str
    since: float
    until: float
    key: None = None

    @property
    def streams(self) -> tuple[Where, ...]:
        return (Where(self.audit, 0),)

    def decide(self, states: States, now: float) -> Answer:
        about = states.audit(self.audit)
        since = max([self.since, *(until for _, until in about.outages)])
        if about.outcome is None and since < self.until:
            states.record(self.streams[0], ["outage", since, self.until], now)
        return Answer(200, {})


@dataclass(frozen=True)
class Beat:
    """A sign of life."""

    key: None = None
    streams: tuple[Where, ...] = ()

    def decide(self, states: States, now: float) -> Answer:
        a = tables.alive
        last = states.connection.execute(select(a.c.at).where(a.c.id == 1).with_for_update()).scalar()
        if last is None:
            states.connection.execute(insert(a).values(id=1, at=now))
        elif (
            now > last or states.trusted
        ):  # one that lies ahead would hide an outage until time has caught up
            states.connection.execute(update(a).where(a.c.id == 1).values(at=now))
        return Answer(200, {})
