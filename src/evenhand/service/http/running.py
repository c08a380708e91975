"""What a server has while it runs, for every route."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from fastapi import Request

from evenhand.service.access.known import Access
from evenhand.service.access.limits import Rate
from evenhand.service.expected import Expectations
from evenhand.service.http.metrics import Metrics
from evenhand.service.log import Log
from evenhand.service.showing.live import Live
from evenhand.service.showing.printer import Printer
from evenhand.service.showing.watching import Watched
from evenhand.store.connecting import Store


@dataclass
class Running:
    store: Store
    log: Log
    access: Access
    metrics: Metrics
    rate: Rate  # of a token
    strangers: Rate  # of an address that shows no token that is known
    public: Rate  # of an address that asks for what anybody may
    expectations: Expectations = field(default_factory=Expectations)
    is_ready: bool = False
    stopping: asyncio.Event = field(default_factory=asyncio.Event)
    printer: Printer = field(default_factory=Printer)
    live: Live = field(init=False)

    def __post_init__(self) -> None:
        watched = Watched(self.log, self.expectations)
        self.live = Live(watched.version, watched.draw, self.stopping)


def running(request: Request) -> Running:
    found: Running = request.app.state.running
    return found
