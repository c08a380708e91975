"""The exposure audit as a step of a plan."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from evenhand import exposure
from evenhand.errors import InputError
from evenhand.inputs import Table
from evenhand.plan.steps import Progress
from evenhand.results import AuditResult


class ExposureStep(BaseModel):
    """Who is shown to whom: `evenhand.exposure.audit`. `model` is the folder of a trained model."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    audit: Literal["exposure"] = "exposure"
    relevance: str
    users: str
    items: str
    scores: str | None = None
    model: str | None = None
    user_group: str | list[str]
    item_group: str
    beta: float | Literal["static"] | list[float | Literal["static"]] = [8.0, 1.0, "static"]
    patience: float = Field(default=0.8, gt=0, lt=1)
    discount: Literal["rbp", "dcg"] | list[float] = "rbp"
    k: int | None = Field(default=None, ge=1)
    tolerance: float | None = Field(default=None, gt=0)
    level: float = Field(default=0.95, ge=0.5, lt=1)
    top: int = Field(default=10, ge=1)

    def input_names(self) -> Iterator[tuple[str, str]]:
        for key in ("relevance", "users", "items", "scores"):
            if name := getattr(self, key):
                yield key, name

    def check(self, tables: Mapping[str, Table]) -> None:
        """Raise what can be known without reading the tables, before any step runs."""
        groups = [self.user_group] if isinstance(self.user_group, str) else self.user_group
        tables[self.users].require("user_id", *groups)
        tables[self.items].require("item_id", self.item_group)
        tables[self.relevance].require("user_id", "item_id")
        if (self.scores is None) == (self.model is None):
            raise InputError("an exposure audit needs scores or a model, and not both.")
        if self.scores:
            tables[self.scores].require("user_id", "item_id", "score")

    def run(self, tables: Mapping[str, Table], seed: int, progress: Progress) -> AuditResult:
        shared = (
            "user_group", "item_group", "beta", "patience", "discount", "k", "tolerance", "level", "top",
        )  # fmt: skip
        given: dict[str, Any] = {key: getattr(self, key) for key in shared}
        return exposure.audit(
            self.model if self.scores is None else tables[self.scores],
            tables[self.relevance],
            tables[self.users],
            tables[self.items],
            rng=seed,
            progress=progress,
            **given,
        )
