"""Growth of an association over states of a model as a step of a plan."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field

from evenhand import association
from evenhand.inputs import Table
from evenhand.plan.steps import Progress
from evenhand.plan.trained import trained_folder
from evenhand.plan.vector_step import AttributeStep, column_of
from evenhand.results import AuditResult


class GrowthStep(AttributeStep):
    """Did the association grow from one state of a model to another: `evenhand.association.amplification`.

    `states` are folders of trained models in order; or a list of several for each, trained with different
    seeds.
    """

    paths: ClassVar[tuple[str, ...]] = ("states",)

    audit: Literal["association_amplification"] = "association_amplification"
    states: list[str | list[str]] = Field(min_length=2)
    groups: str
    method: Literal["centroid", "svc", "most_biased_svc", "pca"] = "svc"
    test: Literal["trainings", "ks"] = "trainings"
    scheme: Literal["one-vs-rest", "one-vs-one", "holistic"] = "one-vs-rest"
    cost: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    alpha: float = Field(default=0.05, gt=0, le=0.5)
    tolerance: float | None = Field(default=None, ge=0, lt=1)

    def check(self, tables: Mapping[str, Table]) -> None:
        """Raise what can be known without reading vectors and tables, before any step runs."""
        for state in self.states:
            for folder in [state] if isinstance(state, str) else state:
                trained_folder(folder, "another")
        super().check(tables)

    def run(self, tables: Mapping[str, Table], seed: int, progress: Progress) -> AuditResult:
        keys = ("method", "test", "scheme", "toward", "missing", "cost", "alpha", "level", "tolerance")
        given: dict[str, Any] = {key: getattr(self, key) for key in keys}
        return association.amplification(
            self.states,
            column_of(self.attribute, tables),
            column_of(self.groups, tables),
            rng=seed,
            progress=progress,
            **given,
        )
