"""The audits of logs that a plan can ask for: each knows its keys, its inputs, and how to run.

A new audit adds a class here or in `user_steps.py`, and to the union in `model.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)

from evenhand import opportunity
from evenhand.inputs import Table, same_label_definition
from evenhand.opportunity.counting import Question
from evenhand.opportunity.random_items_by import columns_of
from evenhand.opportunity.sample_ratio import planned
from evenhand.parameters import shown
from evenhand.results import AuditResult

Progress = Callable[[str], None]


class LogKeys(BaseModel):
    """What the audits of logs have in common."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    group: str | list[str]
    cluster: str | list[str] | None = None
    attributes: str | None = None
    on: str | list[str] | None = None
    missing: Literal["refuse", "group", "exclude"] = "refuse"
    # What is in them is checked, and refused in one sentence, where the question is made.
    bins: dict[str, Any] | None = None
    where: dict[str, Any] | None = None
    level: float = Field(default=0.95, ge=0.5, lt=1)

    def reference_names(self) -> Iterator[tuple[str, str]]:
        """Inputs besides the logs that are audited."""
        if self.attributes:
            yield "attributes", self.attributes

    def arguments(self, tables: Mapping[str, Table]) -> dict[str, Any]:
        """The keyword arguments that all calls share; tables by their names in the plan."""
        shared = ("group", "cluster", "on", "missing", "bins", "where", "level")
        return {key: getattr(self, key) for key in shared} | {
            "attributes": tables[self.attributes] if self.attributes else None
        }

    def question(
        self, tables: Mapping[str, Table], label: str | list[str] | None, probability: str | None = None
    ) -> Question:
        attributes = tables[self.attributes] if self.attributes else None
        return Question.of(
            label, self.group, self.cluster, attributes, self.on, self.missing, probability,
            bins=self.bins, where=self.where, labelled=label is not None,
        )  # fmt: skip


class RandomKeys(LogKeys):
    """What those of them have in common that hold logs against random traffic."""

    random: str | None = None
    label: str | list[str]
    probability: str | None = None

    def reference_names(self) -> Iterator[tuple[str, str]]:
        if self.random:
            yield "random", self.random
        yield from super().reference_names()

    def arguments(self, tables: Mapping[str, Table]) -> dict[str, Any]:
        return super().arguments(tables) | {
            "label": self.label,
            "probability": self.probability,
            "random": tables[self.random] if self.random else None,
        }

    def check_logs(self, tables: Mapping[str, Table], logs: list[str]) -> None:
        question = self.question(tables, self.label, self.probability)
        used = [tables[name] for name in logs]
        for log in used:
            question.joined(log)
        if self.random:
            used.append(tables[self.random])
            question.joined(used[-1], weighted=True)
        same_label_definition(*used)


class ItemKeys(RandomKeys):
    """What those of them have in common that can look whether random traffic is random."""

    item: str | None = None
    catalogue: str | None = None
    item_by: str | list[str] | None = None

    def reference_names(self) -> Iterator[tuple[str, str]]:
        yield from super().reference_names()
        if self.catalogue:
            yield "catalogue", self.catalogue

    def arguments(self, tables: Mapping[str, Table]) -> dict[str, Any]:
        return super().arguments(tables) | {
            "item": self.item,
            "catalogue": tables[self.catalogue] if self.catalogue else None,
            "item_by": self.item_by,
        }

    def check_logs(self, tables: Mapping[str, Table], logs: list[str]) -> None:
        super().check_logs(tables, logs)
        for name in (self.random, self.catalogue):
            if name and self.item:
                tables[name].require(self.item)
        if self.random:
            tables[self.random].require(*columns_of(self.item_by, self.item))


class OpportunityStep(ItemKeys):
    """One default log against random traffic: `evenhand.opportunity.audit`."""

    audit: Literal["opportunity"] = "opportunity"
    default: str
    tolerance: float | None = Field(default=1 / 9, gt=0, lt=1)
    interval: Literal["hull", "delta", "ray", "percentile", "normal", "bca"] = "hull"
    replicates: int = Field(default=10_000, ge=100)
    variance: Literal["multinomial", "independent"] = "multinomial"

    def input_names(self) -> Iterator[tuple[str, str]]:
        yield "default", self.default
        yield from self.reference_names()

    def check(self, tables: Mapping[str, Table]) -> None:
        """Raise what can be known without reading the logs, before any step runs."""
        self.check_logs(tables, [self.default])

    def run(self, tables: Mapping[str, Table], seed: int, progress: Progress) -> AuditResult:
        return opportunity.audit(
            tables[self.default],
            tolerance=self.tolerance,
            interval=self.interval,
            replicates=self.replicates,
            variance=self.variance,
            rng=seed,
            progress=progress,
            **self.arguments(tables),
        )


class DifferenceKeys(ItemKeys):
    """What the audits of A/B tests have in common."""

    tolerance: float | None = Field(default=None, gt=0, lt=1)
    interval: Literal["hull", "delta", "welch", "normal", "percentile", "bca"] = "hull"
    shared_random: bool = True
    near_fair: Literal["bounds", "mover"] = "bounds"
    replicates: int = Field(default=10_000, ge=100)
    folds: int = Field(default=20, ge=2, le=500)
    variance: Literal["multinomial", "independent"] = "multinomial"

    def arguments(self, tables: Mapping[str, Table]) -> dict[str, Any]:
        more = ("tolerance", "interval", "shared_random", "near_fair", "replicates", "folds", "variance")
        return super().arguments(tables) | {key: getattr(self, key) for key in more}


def _in_one_sentence(value: Any, read: ValidatorFunctionWrapHandler) -> Any:
    """A split that is none fails as each of its forms: say once what they are."""
    try:
        return read(value)
    except ValidationError:
        raise ValueError(
            f"split is {shown(value)}, but must be 'equal', 'any', the share of every arm, or for every "
            "value of split_by the share of every arm or 'equal'"
        ) from None


Split = Annotated[
    dict[str, float] | dict[str, dict[str, float] | Literal["equal"]] | Literal["equal", "any"],
    WrapValidator(_in_one_sentence),
]


class CompareStep(DifferenceKeys):
    """Several default logs against each other: `evenhand.opportunity.compare`."""

    audit: Literal["compare"] = "compare"
    arms: dict[str, str] = Field(min_length=2)
    split: Split = "equal"
    split_by: str | None = None

    def input_names(self) -> Iterator[tuple[str, str]]:
        for arm, name in self.arms.items():
            yield f"arms.{arm}", name
        yield from self.reference_names()

    def check(self, tables: Mapping[str, Table]) -> None:
        """Raise what can be known without reading the logs, before any step runs."""
        planned(self.split, list(self.arms), self.split_by)
        self.check_logs(tables, list(self.arms.values()))

    def run(self, tables: Mapping[str, Table], seed: int, progress: Progress) -> AuditResult:
        return opportunity.compare(
            {arm: tables[name] for arm, name in self.arms.items()},
            split=self.split,
            split_by=self.split_by,
            rng=seed,
            progress=progress,
            **self.arguments(tables),
        )
