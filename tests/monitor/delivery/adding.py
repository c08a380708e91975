"""A process that adds days and delivers what they raise, to be killed at any moment."""

from __future__ import annotations

import os
import sys
import time
from multiprocessing.connection import Connection
from pathlib import Path

from sqlalchemy import func, select

from evenhand.monitor.delivery import deliver
from evenhand.plan.watched.monitoring import Monitoring
from evenhand.store.tables import look
from monitor.delivery.receivers import SECRET
from monitor.followed import BAD, GOOD, Followed, penalty


def add_days(address: str, folder: str, plan: Monitoring, last: int, later: float, began: Connection) -> None:
    """Every day is worse or better than the one before, so that each raises or ends a flag. `later` moves the
    clock, so that what the process before had claimed is free again."""
    sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    os.environ["FLAG_SECRET"] = SECRET
    world = Followed(address)
    began.send(True)
    while True:
        with world.store.reading() as connection:
            number = 1 + connection.execute(select(func.count()).select_from(look)).scalar_one()
        if number <= last:
            world.look(number, penalty(BAD if number % 2 else GOOD), plan=plan)
        deliver(world.store, 1, plan, Path(folder), clock=lambda: time.time() + later)
        if number > last:
            return
