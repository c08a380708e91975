"""What Prometheus is told: how much is asked and how long it takes. No names, no ids."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)


class Metrics:
    def __init__(self) -> None:
        kept = self._registry = CollectorRegistry()
        told, route = ("method", "route", "status"), ("route",)
        self.requests = Counter("evenhand_requests", "Requests that were answered", told, registry=kept)
        self.seconds = Histogram(
            "evenhand_request_seconds", "How long an answer took", route, registry=kept, buckets=_SECONDS
        )
        fallbacks = "Visits that clients served without asking, as they tell"
        self.fallbacks = Counter("evenhand_client_fallbacks", fallbacks, registry=kept)
        waiting = "Requests that wait for the writer"
        self.waiting = Gauge("evenhand_waiting_requests", waiting, registry=kept)
        self.commits = Gauge("evenhand_commits", "Transactions committed since the start", registry=kept)
        trusted = "1, or 0 while clocks disagree and nothing expires"
        self.trusted = Gauge("evenhand_clock_trusted", trusted, registry=kept)

    def text(self) -> bytes:
        return generate_latest(self._registry)
