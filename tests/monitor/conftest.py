"""Monitors on a day when all days of the tests are over."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from evenhand.monitor.days import dates


@pytest.fixture(autouse=True)
def _clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dates, "now", lambda: datetime(2026, 11, 1, tzinfo=UTC))
