"""What need not be kept for ever: answers to keys, late rewards, and people of audits that are long over."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import delete

from evenhand.service.log.answers import DamagedError, Key
from evenhand.service.log.log import Log
from evenhand.store import audit_tables as tables


@dataclass(frozen=True)
class Forgotten:
    answers: int
    late_rewards: int
    people: int
    damaged: tuple[str, ...] = ()  # audits of which it is not known when they ended


def forget(log: Log, now: float, *, answers_s: float, people_s: float | None = None) -> Forgotten:
    """Drop answers and late rewards older than `answers_s` seconds: a key that comes again after that is a
    new request. With `people_s`, delete everybody in audits that ended so long ago, as if they had asked."""
    counts = []
    with log.store.writing() as connection:
        for table in (tables.answered, tables.late_reward):
            counts.append(connection.execute(delete(table).where(table.c.at < now - answers_s)).rowcount)
    people, damaged = 0, list[str]()
    for audit in log.read.audit_ids() if people_s is not None else ():
        try:
            about, everybody = log.read.audit(audit), log.people.of(audit).everybody
        except DamagedError as error:  # it keeps nobody of another audit
            damaged.append(str(error))
            continue
        if about is None or about.ended_at is None or about.ended_at > now - (people_s or 0.0):
            continue
        for user, number in everybody.items():
            key = Key(f"retention-{audit}-{number}", "retention", "")
            people += log.delete_user(key, audit, user).result().status == 200
    return Forgotten(counts[0], counts[1], people, tuple(damaged))
