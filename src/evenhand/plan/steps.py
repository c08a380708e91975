"""The audits of logs that a plan can ask for: each knows its keys, its inputs, and how to run.

A new audit adds a class here or in `user_steps.py`, and to the union in `model.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from evenhand import opportunity
from evenhand.inputs import Table, same_label_definition
from evenhand.opportunity.counting import Question
from evenhand.results import AuditResult

Progress = Callable[[str], None]


class _LogKeys(BaseModel):
    """What `opportunity`, `compare` and `series` have in common."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    random: str | None = None
    label: str | list[str]
    group: str
    cluster: str | None = None
    attributes: str | None = None
    on: str | list[str] | None = None
    missing: Literal["refuse", "group", "exclude"] = "refuse"
    level: float = Field(default=0.95, ge=0.5, lt=1)

    def _reference_names(self) -> Iterator[tuple[str, str]]:
        for key in ("random", "attributes"):
            if name := getattr(self, key):
                yield key, name

    def _arguments(self, tables: Mapping[str, Table]) -> dict[str, Any]:
        """The keyword arguments that all calls share; tables by their names in the plan."""
        shared = ("label", "group", "cluster", "on", "missing", "level")
        return {key: getattr(self, key) for key in shared} | {
            "attributes": tables[self.attributes] if self.attributes else None,
            "random": tables[self.random] if self.random else None,
        }

    def _check(self, tables: Mapping[str, Table], logs: list[str]) -> None:
        attributes = tables[self.attributes] if self.attributes else None
        question = Question.of(self.label, self.group, self.cluster, attributes, self.on, self.missing)
        used = [tables[name] for name in [*logs, *([self.random] if self.random else [])]]
        for log in used:
            question.joined(log)
        same_label_definition(*used)


class OpportunityStep(_LogKeys):
    """One default log against random traffic: `evenhand.opportunity.audit`."""

    audit: Literal["opportunity"] = "opportunity"
    default: str
    tolerance: float | None = Field(default=1 / 9, gt=0, lt=1)
    variance: Literal["multinomial", "independent"] = "multinomial"
    interval: Literal["hull", "delta", "ray", "percentile", "normal", "bca"] = "hull"
    replicates: int = Field(default=10_000, ge=100)

    def input_names(self) -> Iterator[tuple[str, str]]:
        yield "default", self.default
        yield from self._reference_names()

    def check(self, tables: Mapping[str, Table]) -> None:
        """Raise what can be known without reading the logs, before any step runs."""
        self._check(tables, [self.default])

    def run(self, tables: Mapping[str, Table], seed: int, progress: Progress) -> AuditResult:
        return opportunity.audit(
            tables[self.default],
            tolerance=self.tolerance,
            variance=self.variance,
            interval=self.interval,
            replicates=self.replicates,
            rng=seed,
            progress=progress,
            **self._arguments(tables),
        )


class CompareStep(_LogKeys):
    """Several default logs against each other: `evenhand.opportunity.compare`."""

    audit: Literal["compare"] = "compare"
    arms: dict[str, str] = Field(min_length=2)
    tolerance: float | None = Field(default=None, gt=0, lt=1)
    variance: Literal["multinomial", "independent"] = "multinomial"
    shared_random: bool = True
    near_fair: Literal["bounds", "mover"] = "bounds"

    def input_names(self) -> Iterator[tuple[str, str]]:
        for arm, name in self.arms.items():
            yield f"arms.{arm}", name
        yield from self._reference_names()

    def check(self, tables: Mapping[str, Table]) -> None:
        """Raise what can be known without reading the logs, before any step runs."""
        self._check(tables, list(self.arms.values()))

    def run(self, tables: Mapping[str, Table], seed: int, progress: Progress) -> AuditResult:
        return opportunity.compare(
            {arm: tables[name] for arm, name in self.arms.items()},
            tolerance=self.tolerance,
            variance=self.variance,
            shared_random=self.shared_random,
            near_fair=self.near_fair,
            rng=seed,
            progress=progress,
            **self._arguments(tables),
        )


class SeriesStep(_LogKeys):
    """One default log day by day against random traffic: `evenhand.opportunity.series`."""

    audit: Literal["series"] = "series"
    default: str
    day: str
    tolerance: float | None = Field(default=1 / 9, gt=0, lt=1)
    period: Literal["day", "week"] = "day"
    window: int | None = Field(default=None, ge=1)
    baseline: int = Field(default=1, ge=1)

    def input_names(self) -> Iterator[tuple[str, str]]:
        yield "default", self.default
        yield from self._reference_names()

    def check(self, tables: Mapping[str, Table]) -> None:
        """Raise what can be known without reading the logs, before any step runs."""
        self._check(tables, [self.default])
        tables[self.default].require(self.day)

    def run(self, tables: Mapping[str, Table], seed: int, progress: Progress) -> AuditResult:
        return opportunity.series(
            tables[self.default],
            day=self.day,
            tolerance=self.tolerance,
            period=self.period,
            window=self.window,
            baseline=self.baseline,
            rng=seed,
            progress=progress,
            **self._arguments(tables),
        )
