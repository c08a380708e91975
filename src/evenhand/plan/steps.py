"""The audits that a plan can ask for: each knows its keys, its inputs, and how to run.

A new audit adds a class here and to the union in `model.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from evenhand import groups, opportunity
from evenhand.groups.attributes import DERIVED
from evenhand.groups.metrics import METRICS
from evenhand.inputs import Table, same_label_definition
from evenhand.opportunity.counting import Question
from evenhand.results import AuditResult

Progress = Callable[[str], None]


class _OpportunityKeys(BaseModel):
    """What `opportunity` and `compare` have in common."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    random: str | None = None
    label: str | list[str]
    group: str
    cluster: str | None = None
    attributes: str | None = None
    on: str | list[str] | None = None
    missing: Literal["refuse", "group", "exclude"] = "refuse"
    level: float = Field(default=0.95, ge=0.5, lt=1)
    variance: Literal["multinomial", "independent"] = "multinomial"

    def _reference_names(self) -> Iterator[tuple[str, str]]:
        for key in ("random", "attributes"):
            if name := getattr(self, key):
                yield key, name

    def _arguments(self, tables: Mapping[str, Table]) -> dict[str, Any]:
        """The keyword arguments that both calls share; tables by their names in the plan."""
        shared = ("label", "group", "cluster", "on", "missing", "level", "variance")
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


class OpportunityStep(_OpportunityKeys):
    """One default log against random traffic: `evenhand.opportunity.audit`."""

    audit: Literal["opportunity"] = "opportunity"
    default: str
    tolerance: float | None = Field(default=1 / 9, gt=0, lt=1)
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
            interval=self.interval,
            replicates=self.replicates,
            rng=seed,
            progress=progress,
            **self._arguments(tables),
        )


class CompareStep(_OpportunityKeys):
    """Several default logs against each other: `evenhand.opportunity.compare`."""

    audit: Literal["compare"] = "compare"
    arms: dict[str, str] = Field(min_length=2)
    tolerance: float | None = Field(default=None, gt=0, lt=1)
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
            shared_random=self.shared_random,
            near_fair=self.near_fair,
            rng=seed,
            progress=progress,
            **self._arguments(tables),
        )


class GroupsStep(BaseModel):
    """Which users are served worst: `evenhand.groups.audit`. `model` is the folder of a trained model."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    audit: Literal["groups"] = "groups"
    users: str
    candidates: str | None = None
    history: str | None = None
    items: str | None = None
    model: str | None = None
    attributes: str | list[str]
    metric: str | list[str] = "mrr"
    k: int = Field(default=5, ge=1)
    min_size: float = Field(default=20, gt=0)
    search: Literal["exhaustive", "threshold", "cube", "swarm"] = "exhaustive"
    permutations: int = Field(default=1000, ge=20)
    bins: dict[str, int | list[float]] = Field(default_factory=dict)
    missing: Literal["refuse", "group", "exclude"] = "refuse"
    no_positive: Literal["exclude", "zero"] = "exclude"
    tolerance: float | None = Field(default=None, gt=0)
    level: float = Field(default=0.95, ge=0.5, lt=1)
    top: int = Field(default=10, ge=1)
    threshold: float = Field(default=0.01, gt=0, le=1)
    depth: int = Field(default=2, ge=1)
    budget: float = Field(default=0.5, gt=0, le=1)
    better: Literal["higher", "lower"] = "higher"
    bounds: list[float] | None = Field(default=None, min_length=2, max_length=2)

    def input_names(self) -> Iterator[tuple[str, str]]:
        for key in ("users", "candidates", "history", "items"):
            if name := getattr(self, key):
                yield key, name

    def check(self, tables: Mapping[str, Table]) -> None:
        """Raise what can be known without reading the tables, before any step runs."""
        wanted = [self.attributes] if isinstance(self.attributes, str) else self.attributes
        metrics = [self.metric] if isinstance(self.metric, str) else self.metric
        made = DERIVED if self.history else ()
        columns = [name for name in metrics if name not in METRICS]
        tables[self.users].require("user_id", *(name for name in wanted if name not in made), *columns)
        if self.candidates and len(columns) < len(metrics):
            scored = () if self.model else ("score",)
            tables[self.candidates].require("user_id", "item_id", "label", *scored)

    def run(self, tables: Mapping[str, Table], seed: int, progress: Progress) -> AuditResult:
        shared = (
            "attributes", "metric", "k", "min_size", "search", "permutations", "bins", "missing",
            "no_positive", "tolerance", "level", "top", "threshold", "depth", "budget", "better",
        )  # fmt: skip
        given: dict[str, Any] = {key: getattr(self, key) for key in shared}
        named = dict(self.input_names())
        for key in ("users", "candidates", "history", "items"):
            given[key] = tables[named[key]] if key in named else None
        bounds = None if self.bounds is None else (self.bounds[0], self.bounds[1])
        return groups.audit(bounds=bounds, recommender=self.model, rng=seed, progress=progress, **given)
