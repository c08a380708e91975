"""A time limit for what has none of its own."""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread
from typing import TypeVar

from evenhand.monitor.delivery.message import NotDelivered

Given = TypeVar("Given")


def within(seconds: float, call: Callable[[], Given]) -> Given:
    """What a call gives, if it ends in time.

    The limits of a connection are for each of its answers, and somebody who answers slowly enough never meets
    one; looking up a name has none at all. The thread that is left behind ends with the process.
    """
    given: list[Given] = []
    raised: list[BaseException] = []

    def run() -> None:
        try:
            given.append(call())
        except BaseException as error:
            raised.append(error)

    thread = Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    if raised:
        raise raised[0]
    if not given:
        raise NotDelivered(f"no answer within {seconds:g} seconds")
    return given[0]
