"""Messages that wait in the store: one channel at a time, the oldest first, and one process at a time.

A message is claimed, sent, and marked. Whoever ends between sending and marking leaves a claim that runs out;
the message is then sent again with the same id. A claim is an exchange: who marks must still hold it.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from sqlalchemy import ColumnElement, Connection, Row, func, select, update

from evenhand.monitor.delivery.message import Message
from evenhand.store.connecting import Store
from evenhand.store.flag_tables import flag, flag_event, outbox

# Seconds until the second attempt; each further one waits twice as long, up to an hour.
_FIRST_WAIT, _LONGEST_WAIT = 30.0, 3600.0
# What marking may take, beside the attempt itself.
_MARGIN = 30.0


@dataclass(frozen=True)
class Claimed:
    """A message that this process is to send."""

    id: int
    claim: str
    attempts: int
    message: Message


@dataclass(frozen=True)
class Queue:
    """The messages of one monitor for one channel."""

    store: Store
    monitor_id: int
    channel: str

    def next(self, now: float, seconds: float) -> Claimed | float | None:
        """The oldest message that waits, claimed for `seconds`; or how long to wait for it, because it is not
        due or another process is sending it; or None where nothing waits."""
        with self.store.writing() as connection:
            found = self._oldest(connection)
            if found is None:
                return None
            waits = max(
                _until(found.due_at, now, _LONGEST_WAIT), _until(found.claimed_until, now, 60 + _MARGIN)
            )
            if waits > 0:
                return waits
            claim = uuid4().hex
            taken = connection.execute(
                update(outbox)
                .where(outbox.c.id == found.id, outbox.c.delivered_at.is_(None))
                .where(outbox.c.claim.is_(None) if found.claim is None else outbox.c.claim == found.claim)
                .values(claim=claim, claimed_until=_time(now + seconds + _MARGIN))
            )
            if taken.rowcount != 1:  # another process was quicker
                return seconds
            message = Message(f"{found.name}-{found.number}", found.message)
            return Claimed(found.id, claim, found.attempts, message)

    def delivered(self, claimed: Claimed, now: float, remark: str) -> None:
        self._mark(claimed, delivered_at=_time(now), attempts=claimed.attempts + 1, problem=remark)

    def failed(self, claimed: Claimed, now: float, why: str, asked: float | None) -> None:
        """Try again later: twice as long as before, and not at the same moment as everybody else."""
        wait = min(_FIRST_WAIT * 2.0 ** min(claimed.attempts, 20), _LONGEST_WAIT)
        wait = max(wait * random.uniform(0.5, 1), asked or 0)
        self._mark(claimed, due_at=_time(now + wait), attempts=claimed.attempts + 1, problem=why)

    def given_up(self, claimed: Claimed) -> None:
        """Back in its place, as if it had not been claimed: the process was interrupted."""
        self._mark(claimed)

    def _oldest(self, connection: Connection) -> Row[Any] | None:
        query = (
            select(outbox, flag_event.c.message, flag_event.c.number, flag.c.name)
            .join(flag_event, flag_event.c.id == outbox.c.event_id)
            .join(flag, flag.c.id == flag_event.c.flag_id)
            .where(outbox.c.monitor_id == self.monitor_id, outbox.c.channel == self.channel)
            .where(outbox.c.delivered_at.is_(None))
            .order_by(outbox.c.id)
            .limit(1)
        )
        return connection.execute(query).one_or_none()

    def _mark(self, claimed: Claimed, **values: object) -> None:
        with self.store.writing() as connection:
            connection.execute(
                update(outbox)
                .where(outbox.c.id == claimed.id, outbox.c.claim == claimed.claim)
                .values(claim=None, claimed_until=None, **values)
            )


@dataclass(frozen=True)
class Waiting:
    """What waits for a channel."""

    channel: str
    messages: int
    attempts: int  # of the oldest
    problem: str
    due_at: str | None = None  # not tried before


def waiting(connection: Connection, monitor_id: int | None = None) -> list[Waiting]:
    """What was not delivered yet, of a monitor or of all, by channel, with why the oldest was not."""
    mine: list[ColumnElement[bool]] = [outbox.c.delivered_at.is_(None)]
    if monitor_id is not None:
        mine.append(outbox.c.monitor_id == monitor_id)
    oldest = (
        select(func.min(outbox.c.id).label("id"), func.count().label("messages"))
        .where(*mine)
        .group_by(outbox.c.monitor_id, outbox.c.channel)
        .subquery()
    )
    found = connection.execute(
        select(outbox.c.channel, oldest.c.messages, outbox.c.attempts, outbox.c.problem, outbox.c.due_at)
        .join(oldest, oldest.c.id == outbox.c.id)
        .order_by(outbox.c.monitor_id, outbox.c.channel)
    )
    return [Waiting(*row) for row in found]


def give_up(connection: Connection, monitor_id: int, channel: str, now: float) -> int:
    """Give up what waits for a channel, which only a person decides: how many messages that were."""
    given_up = connection.execute(
        update(outbox)
        .where(outbox.c.monitor_id == monitor_id, outbox.c.channel == channel)
        .where(outbox.c.delivered_at.is_(None))
        .values(delivered_at=_time(now), claim=None, claimed_until=None, problem="given up by hand")
    )
    return given_up.rowcount


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat()


def _until(time: str | None, now: float, longest: float) -> float:
    """Seconds until then; none for a time that is further away than any that is ever set, which a clock that
    jumped has left behind."""
    if time is None:
        return 0
    left = datetime.fromisoformat(time).timestamp() - now
    return left if left <= longest else 0
