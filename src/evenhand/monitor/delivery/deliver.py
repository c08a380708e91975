"""Send what waits, in order, as far as it goes."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from uuid import uuid4

from evenhand.monitor.delivery.message import Attempt, Message, NotDelivered
from evenhand.monitor.delivery.outbox import Queue, Waiting, waiting
from evenhand.monitor.flags.words import SCHEMA
from evenhand.plan.watched.channels import AnyChannel
from evenhand.plan.watched.monitoring import Monitoring
from evenhand.store.connecting import Store

# By `by` of a channel: imported when it is used, as a file needs no HTTP.
_SENDERS = {"webhook": "webhook", "command": "command", "email": "mail", "file": "lines"}
# The longest that one attempt can take where a channel has no time limit.
_SECONDS = 60


@dataclass(frozen=True)
class Told:
    """What a delivery came to."""

    delivered: int
    remarks: tuple[str, ...]
    waiting: tuple[Waiting, ...]
    unknown: tuple[str, ...]  # channels that messages wait for and the plan does not have

    def lines(self) -> list[str]:
        """For a terminal: nothing where all is well and nothing was to do."""
        told = [f"{_messages(self.delivered)} delivered."] if self.delivered else []
        told += self.remarks
        for one in self.waiting:
            if one.channel in self.unknown:
                told.append(
                    f"{_messages(one.messages)} for {one.channel!r} cannot be delivered: the plan has no "
                    "[[monitoring.tell]] of that name."
                )
            else:
                why = f": {one.problem}" if one.problem else ""
                tried = f" after {one.attempts} {'attempt' if one.attempts == 1 else 'attempts'}"
                told.append(
                    f"{_messages(one.messages)} for {one.channel!r} not delivered"
                    f"{tried if one.attempts else ''}{why}. {_next(one)}"
                )
        return told


def deliver(
    store: Store,
    monitor_id: int,
    monitoring: Monitoring | None,
    base: Path,
    *,
    limit: float = 120,
    wait: bool = False,
    clock: Callable[[], float] = time.time,
) -> Told:
    """Deliver every message that is due. What a channel does wrong is told, and raises nothing.

    A channel that fails is left for later, with all that waits behind the message: the order of messages is
    kept. `limit` is in seconds: beyond it nothing new is begun. With `wait`, what is not due is waited for
    until then.
    """
    channels = [] if monitoring is None else monitoring.tell
    ends = time.monotonic() + limit
    delivered, remarks = 0, list[str]()
    pending = list(channels)
    while pending:
        soonest = float("inf")
        for channel in list(pending):
            sent, left = _emptied(Queue(store, monitor_id, channel.name), channel, base, ends, clock, remarks)
            delivered += sent
            if left is None:
                pending.remove(channel)
            else:
                soonest = min(soonest, left)
        if not wait or time.monotonic() + soonest > ends:
            break
        time.sleep(max(soonest, 0.1))
    with store.reading() as connection:
        left_over = tuple(waiting(connection, monitor_id))
    known = {channel.name for channel in channels}
    unknown = tuple(one.channel for one in left_over if one.channel not in known)
    return Told(delivered, tuple(remarks), left_over, unknown)


def _emptied(
    queue: Queue,
    channel: AnyChannel,
    base: Path,
    ends: float,
    clock: Callable[[], float],
    remarks: list[str],
) -> tuple[int, float | None]:
    """Send what is due, oldest first, until something fails: how many were sent, and how long to wait for the
    next; None where nothing is left."""
    send = import_module(f"evenhand.monitor.delivery.{_SENDERS[channel.by]}").send
    sent = 0
    while time.monotonic() < ends:
        claimed = queue.next(clock(), getattr(channel, "timeout", _SECONDS))
        if claimed is None or isinstance(claimed, float | int):
            return sent, claimed
        try:
            remark = send(channel, Attempt(claimed.message, clock(), base))
        except NotDelivered as failure:
            queue.failed(claimed, clock(), str(failure), failure.wait)
            continue
        except Exception as fault:
            queue.failed(claimed, clock(), f"a fault in Evenhand ({type(fault).__name__})", None)
            continue
        except BaseException:
            queue.given_up(claimed)
            raise
        queue.delivered(claimed, clock(), remark)
        sent += 1
        if remark:
            remarks.append(f"{channel.name!r}: {remark}.")
    return sent, 0


def test(channel: AnyChannel, monitor: str, base: Path) -> str:
    """Send one message that is of no flag, past all that waits: what to remark on. Raises `NotDelivered`."""
    name = f"test-{uuid4().hex[:12]}"
    said = {
        "schema": SCHEMA,
        "id": name,
        "type": "flag.test",
        "timestamp": datetime.now(UTC).isoformat(timespec="seconds"),
        "subject": f"{monitor}: a test message",
        "text": "This is a test by hand: no flag opened. Whoever reads this would be told of flags.",
        "monitor": monitor,
    }
    send = import_module(f"evenhand.monitor.delivery.{_SENDERS[channel.by]}").send
    message = Message(name, json.dumps(said, ensure_ascii=False, separators=(",", ":")))
    remark: str = send(channel, Attempt(message, time.time(), base))
    return remark


def _next(one: Waiting) -> str:
    if one.due_at is None:
        return "The next run tries again."
    return f"The next attempt is due at {one.due_at[:19].replace('T', ' ')} UTC; no run tries before that."


def _messages(number: int) -> str:
    return f"{number:,} {'message' if number == 1 else 'messages'}"
