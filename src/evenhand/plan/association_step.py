"""The association audit as a step of a plan."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field, field_validator

from evenhand import association
from evenhand.errors import InputError
from evenhand.inputs import Table
from evenhand.plan.steps import Progress
from evenhand.plan.vector_step import VectorStep, column_of
from evenhand.results import AuditResult


class AssociationStep(VectorStep):
    """What the embeddings know about an attribute: `evenhand.association.audit`."""

    needs_items: ClassVar[bool] = False

    audit: Literal["association"] = "association"
    method: Literal["centroid", "svc", "most_biased_svc", "pca"] = "svc"
    test: Literal["crossfit", "permutation", "insample"] = "crossfit"
    scheme: Literal["one-vs-rest", "one-vs-one", "holistic"] = "one-vs-rest"
    pairs: list[list[str]] | None = None
    overlap: Literal["exclude", "regress"] = "exclude"
    item_test: Literal["permutation", "rank_sum"] = "permutation"
    aggregate: Literal["mean", "sum"] = "mean"
    permutations: int = Field(default=10_000, ge=20, le=1_000_000)
    most: int = Field(default=200, ge=2)
    class_weight: Literal["balanced"] | None = None
    cost: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    alpha: float = Field(default=0.05, gt=0, le=0.5)
    zeros: Literal["refuse", "exclude"] = "refuse"
    tolerance: float | None = Field(default=None, ge=0, lt=1)
    per_space: bool = False

    @field_validator("pairs")
    @classmethod
    def _are_of_two(cls, given: list[list[str]] | None) -> list[list[str]] | None:
        for pair in given or []:
            if len(pair) != 2:
                raise ValueError(f"pairs has {pair}, but each must be the names of two groups")
        return given

    def check(self, tables: Mapping[str, Table]) -> None:
        """Raise what can be known without reading vectors and tables, before any step runs."""
        super().check(tables)
        if self.groups and self.per_space:
            raise InputError("per_space audits the users alone, so leave the groups of items out.")
        if self.pairs and not self.groups:
            raise InputError(
                "pairs are of groups of items, so say which (groups, on the command line --groups)."
            )

    def run(self, tables: Mapping[str, Table], seed: int, progress: Progress) -> AuditResult:
        keys = (
            "method", "test", "scheme", "toward", "overlap", "item_test", "aggregate", "missing", "zeros",
            "permutations", "most", "class_weight", "cost", "alpha", "tolerance", "level", "per_space",
        )  # fmt: skip
        given: dict[str, Any] = {key: getattr(self, key) for key in keys}
        return association.audit(
            self.model or self.items,
            self.users,
            column_of(self.attribute, tables),
            column_of(self.groups, tables) if self.groups else None,
            pairs=None if self.pairs is None else [(first, second) for first, second in self.pairs],
            rng=seed,
            progress=progress,
            **given,
        )
