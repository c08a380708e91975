"""Steps that ask the logs of an opportunity audit other questions: stages, boosts, parity, precision."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from pydantic import Field, field_validator

from evenhand import opportunity
from evenhand.inputs import Table
from evenhand.parameters import shown
from evenhand.plan.steps import LogKeys, Progress, RandomKeys
from evenhand.results import AuditResult


class StagesStep(RandomKeys):
    """Each stage against the one before: `evenhand.opportunity.stages`."""

    audit: Literal["stages"] = "stages"
    random: str
    tolerance: float | None = Field(default=1 / 9, gt=0, lt=1)
    stages: dict[str, str] = Field(min_length=2)

    def input_names(self) -> Iterator[tuple[str, str]]:
        for stage, name in self.stages.items():
            yield f"stages.{stage}", name
        yield from self.reference_names()

    def check(self, tables: Mapping[str, Table]) -> None:
        """Raise what can be known without reading the logs, before any step runs."""
        self.check_logs(tables, list(self.stages.values()))

    def run(self, tables: Mapping[str, Table], seed: int, progress: Progress) -> AuditResult:
        arguments = self.arguments(tables)
        logs = {"random": arguments.pop("random")} | {stage: tables[n] for stage, n in self.stages.items()}
        return opportunity.stages(logs, tolerance=self.tolerance, rng=seed, progress=progress, **arguments)


class BoostStep(RandomKeys):
    """What showing groups more often would do: `evenhand.opportunity.boost`."""

    audit: Literal["boost"] = "boost"
    default: str
    random: str
    tolerance: float | None = Field(default=1 / 9, gt=0, lt=1)
    weights: dict[str, float] | Literal["search"]
    limit: float = Field(default=2.0, gt=1)

    @field_validator("weights", mode="before")
    @classmethod
    def _search_or_table(cls, given: Any) -> Any:
        if isinstance(given, dict) or given == "search":
            return given
        raise ValueError(
            f'weights must be "search" or a table of groups, such as {{young = 1.25}}, but is {shown(given)}'
        )

    def input_names(self) -> Iterator[tuple[str, str]]:
        yield "default", self.default
        yield from self.reference_names()

    def check(self, tables: Mapping[str, Table]) -> None:
        """Raise what can be known without reading the logs, before any step runs."""
        self.check_logs(tables, [self.default])

    def run(self, tables: Mapping[str, Table], seed: int, progress: Progress) -> AuditResult:
        return opportunity.boost(
            tables[self.default],
            weights=self.weights,
            limit=self.limit,
            tolerance=self.tolerance,
            rng=seed,
            progress=progress,
            **self.arguments(tables),
        )


class ParityStep(LogKeys):
    """Exposure against the catalogue, without labels: `evenhand.opportunity.parity`."""

    audit: Literal["parity"] = "parity"
    default: str
    catalogue: str
    requests: float | None = Field(default=None, gt=0)
    tolerance: float | None = Field(default=None, gt=0, lt=1)

    def input_names(self) -> Iterator[tuple[str, str]]:
        yield "default", self.default
        yield "catalogue", self.catalogue
        yield from self.reference_names()

    def check(self, tables: Mapping[str, Table]) -> None:
        """Raise what can be known without reading the logs, before any step runs."""
        question = self.question(tables, label=None)
        question.joined(tables[self.default])
        tables[self.catalogue].require(*question.groups)

    def run(self, tables: Mapping[str, Table], seed: int, progress: Progress) -> AuditResult:
        return opportunity.parity(
            tables[self.default],
            tables[self.catalogue],
            requests=self.requests,
            tolerance=self.tolerance,
            rng=seed,
            progress=progress,
            **self.arguments(tables),
        )


class UserPrecisionStep(LogKeys):
    """Precision of what groups of users are shown: `evenhand.opportunity.user_precision`."""

    audit: Literal["user_precision"] = "user_precision"
    default: str
    label: str | list[str]
    tolerance: float | None = Field(default=1 / 9, gt=0, lt=1)

    def input_names(self) -> Iterator[tuple[str, str]]:
        yield "default", self.default
        yield from self.reference_names()

    def check(self, tables: Mapping[str, Table]) -> None:
        """Raise what can be known without reading the log, before any step runs."""
        self.question(tables, self.label).joined(tables[self.default])

    def run(self, tables: Mapping[str, Table], seed: int, progress: Progress) -> AuditResult:
        return opportunity.user_precision(
            tables[self.default],
            self.label,
            tolerance=self.tolerance,
            rng=seed,
            progress=progress,
            **self.arguments(tables),
        )
