"""Leakage of an attribute through the vectors of items as a step of a plan."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from pydantic import Field

from evenhand import association
from evenhand.inputs import Table
from evenhand.plan.steps import Progress
from evenhand.plan.vector_step import VectorStep, column_of
from evenhand.results import AuditResult

Training = Literal["unbalanced", "balanced"]


class LeakageStep(VectorStep):
    """Can the attribute of users be read off the items that they took: `evenhand.association.leakage`."""

    audit: Literal["association_leakage"] = "association_leakage"
    interactions: str
    trainings: list[Training] = Field(default=["unbalanced", "balanced"], min_length=1)
    threshold: Literal["histories", "classifier"] = "histories"
    folds: int = Field(default=5, ge=2, le=100)
    popular: int = Field(default=50, ge=1)
    permutations: int = Field(default=199, ge=20, le=1_000_000)
    cost: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    zeros: Literal["refuse", "exclude"] = "refuse"
    tolerance: float | None = Field(default=None, ge=0, lt=1)

    def input_names(self) -> Iterator[tuple[str, str]]:
        yield from super().input_names()
        yield "interactions", self.interactions

    def check(self, tables: Mapping[str, Table]) -> None:
        """Raise what can be known without reading vectors and tables, before any step runs."""
        super().check(tables)
        self._check_ids("interactions")
        tables[self.interactions].require("user_id", "item_id")

    def run(self, tables: Mapping[str, Table], seed: int, progress: Progress) -> AuditResult:
        keys = (
            "trainings", "threshold", "folds", "popular", "permutations", "toward", "missing", "zeros",
            "cost", "level", "tolerance",
        )  # fmt: skip
        given: dict[str, Any] = {key: getattr(self, key) for key in keys}
        return association.leakage(
            self.model or self.items,
            self.users,
            column_of(self.attribute, tables),
            tables[self.interactions],
            column_of(self.groups, tables) if self.groups else None,
            rng=seed,
            progress=progress,
            **given,
        )
