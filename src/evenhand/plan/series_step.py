"""Opportunity over time, as a step of a plan."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Literal

from pydantic import Field

from evenhand import opportunity
from evenhand.inputs import Table
from evenhand.plan.steps import ItemKeys, Progress
from evenhand.results import AuditResult


class SeriesStep(ItemKeys):
    """One default log day by day against random traffic: `evenhand.opportunity.series`."""

    audit: Literal["series"] = "series"
    default: str
    day: str
    tolerance: float | None = Field(default=1 / 9, gt=0, lt=1)
    period: Literal["day", "week"] = "day"
    window: Annotated[int, Field(ge=1)] | Literal["weekday", "all"] | None = None
    baseline: int = Field(default=1, ge=1)
    judge: Literal["any", "latest"] = "any"

    def input_names(self) -> Iterator[tuple[str, str]]:
        yield "default", self.default
        yield from self.reference_names()

    def check(self, tables: Mapping[str, Table]) -> None:
        """Raise what can be known without reading the logs, before any step runs."""
        self.check_logs(tables, [self.default])
        tables[self.default].require(self.day)
        if self.random and self.window not in (None, "all"):
            tables[self.random].require(self.day)

    def run(self, tables: Mapping[str, Table], seed: int, progress: Progress) -> AuditResult:
        return opportunity.series(
            tables[self.default],
            day=self.day,
            tolerance=self.tolerance,
            period=self.period,
            window=self.window,
            baseline=self.baseline,
            judge=self.judge,
            rng=seed,
            progress=progress,
            **self.arguments(tables),
        )
