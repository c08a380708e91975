"""Steps that ask the logs of an opportunity audit other questions: stages, boosts, parity, precision."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from evenhand import opportunity
from evenhand.inputs import Table
from evenhand.opportunity.counting import Question
from evenhand.parameters import shown
from evenhand.plan.steps import Progress
from evenhand.results import AuditResult


class _LogKeys(BaseModel):
    """What all of these have in common."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    group: str
    cluster: str | None = None
    attributes: str | None = None
    on: str | list[str] | None = None
    missing: Literal["refuse", "group", "exclude"] = "refuse"
    level: float = Field(default=0.95, ge=0.5, lt=1)
    tolerance: float | None = Field(default=1 / 9, gt=0, lt=1)

    def _arguments(self, tables: Mapping[str, Table], seed: int, progress: Progress) -> dict[str, Any]:
        shared = ("group", "cluster", "on", "missing", "level", "tolerance")
        return {key: getattr(self, key) for key in shared} | {
            "attributes": tables[self.attributes] if self.attributes else None,
            "rng": seed,
            "progress": progress,
        }

    def _check(self, tables: Mapping[str, Table], logs: list[str], label: str | list[str] | None) -> None:
        attributes = tables[self.attributes] if self.attributes else None
        question = Question.of(
            label, self.group, self.cluster, attributes, self.on, self.missing, labelled=label is not None
        )
        for log in logs:
            question.joined(tables[log])


class _RandomKeys(_LogKeys):
    random: str
    label: str | list[str]
    probability: str | None = None

    def _arguments(self, tables: Mapping[str, Table], seed: int, progress: Progress) -> dict[str, Any]:
        more = {"label": self.label, "probability": self.probability}
        return super()._arguments(tables, seed, progress) | more


class StagesStep(_RandomKeys):
    """Each stage against the one before: `evenhand.opportunity.stages`."""

    audit: Literal["stages"] = "stages"
    stages: dict[str, str] = Field(min_length=2)

    def input_names(self) -> Iterator[tuple[str, str]]:
        yield "random", self.random
        for stage, name in self.stages.items():
            yield f"stages.{stage}", name
        if self.attributes:
            yield "attributes", self.attributes

    def check(self, tables: Mapping[str, Table]) -> None:
        """Raise what can be known without reading the logs, before any step runs."""
        self._check(tables, [self.random, *self.stages.values()], self.label)

    def run(self, tables: Mapping[str, Table], seed: int, progress: Progress) -> AuditResult:
        logs = {"random": self.random, **self.stages}
        named = {stage: tables[name] for stage, name in logs.items()}
        return opportunity.stages(named, **self._arguments(tables, seed, progress))


class BoostStep(_RandomKeys):
    """What showing groups more often would do: `evenhand.opportunity.boost`."""

    audit: Literal["boost"] = "boost"
    default: str
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
        yield "random", self.random
        if self.attributes:
            yield "attributes", self.attributes

    def check(self, tables: Mapping[str, Table]) -> None:
        """Raise what can be known without reading the logs, before any step runs."""
        self._check(tables, [self.default, self.random], self.label)

    def run(self, tables: Mapping[str, Table], seed: int, progress: Progress) -> AuditResult:
        return opportunity.boost(
            tables[self.default],
            tables[self.random],
            weights=self.weights,
            limit=self.limit,
            **self._arguments(tables, seed, progress),
        )


class ParityStep(_LogKeys):
    """Exposure against the catalogue, without labels: `evenhand.opportunity.parity`."""

    audit: Literal["parity"] = "parity"
    default: str
    catalogue: str
    requests: float | None = Field(default=None, gt=0)
    tolerance: float | None = Field(default=None, gt=0, lt=1)

    def input_names(self) -> Iterator[tuple[str, str]]:
        yield "default", self.default
        yield "catalogue", self.catalogue
        if self.attributes:
            yield "attributes", self.attributes

    def check(self, tables: Mapping[str, Table]) -> None:
        """Raise what can be known without reading the logs, before any step runs."""
        self._check(tables, [self.default], None)
        tables[self.catalogue].require(self.group)

    def run(self, tables: Mapping[str, Table], seed: int, progress: Progress) -> AuditResult:
        return opportunity.parity(
            tables[self.default],
            tables[self.catalogue],
            requests=self.requests,
            **self._arguments(tables, seed, progress),
        )


class UserPrecisionStep(_LogKeys):
    """Precision of what groups of users are shown: `evenhand.opportunity.user_precision`."""

    audit: Literal["user_precision"] = "user_precision"
    default: str
    label: str | list[str]

    def input_names(self) -> Iterator[tuple[str, str]]:
        yield "default", self.default
        if self.attributes:
            yield "attributes", self.attributes

    def check(self, tables: Mapping[str, Table]) -> None:
        """Raise what can be known without reading the log, before any step runs."""
        self._check(tables, [self.default], self.label)

    def run(self, tables: Mapping[str, Table], seed: int, progress: Progress) -> AuditResult:
        return opportunity.user_precision(
            tables[self.default], self.label, **self._arguments(tables, seed, progress)
        )
