"""Audits out of their log, for those who watch: which version one is at, and how it is drawn."""

from __future__ import annotations

import asyncio
from typing import Any

from evenhand.service.expected import Expectations
from evenhand.service.log import Log
from evenhand.service.log.answers import RefusedError
from evenhand.service.log.streams import AuditStream
from evenhand.service.showing import audit_view, pages
from evenhand.service.showing.live import Drawn


class Watched:
    def __init__(self, log: Log, expectations: Expectations) -> None:
        self._log, self._expectations = log, expectations
        self._began: dict[str, float] = {}

    async def version(self, audit: str) -> str:
        """It changes with every event, and once it is known what to expect, which is computed beside it."""
        about = await self._about(audit)
        events = await asyncio.to_thread(audit_view.version, self._log.store, audit)
        return f"{events}{'' if self._expected(about) is None else 'e'}"

    async def draw(self, audit: str, version: str) -> Drawn:
        known = self._expected(await self._about(audit))
        return await asyncio.to_thread(self._draw, audit, version, known)

    def _draw(self, audit: str, version: str, known: dict[str, Any] | None) -> Drawn:
        view = self._log.read.seen(audit, audit_view.view_of)
        assert view is not None
        if audit not in self._began:
            began = audit_view.began(self._log.store, audit, view["targets"])
            if began is not None:
                self._began[audit] = began
        return pages.moving(version, view | {"began_at": self._began.get(audit), "expected": known})

    async def _about(self, audit: str) -> AuditStream:
        about = await asyncio.to_thread(self._log.read.audit, audit)
        if about is None:
            raise RefusedError(404, "There is no such audit.")
        return about

    def _expected(self, about: AuditStream) -> dict[str, Any] | None:
        return None if about.outcome is not None else self._expectations.known(about)
