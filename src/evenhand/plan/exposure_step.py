"""The exposure audit as a step of a plan."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from evenhand import exposure
from evenhand.errors import InputError
from evenhand.inputs import Table
from evenhand.plan.steps import Progress
from evenhand.plan.trained import trained_folder
from evenhand.results import AuditResult

Patience = Annotated[float, Field(gt=0, lt=1)]


class ExposureStep(BaseModel):
    """Who is shown to whom: `evenhand.exposure.audit`, or `compare` for several models.

    `model` is the folder of a trained model, or several; `lists` are what users were really shown.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    audit: Literal["exposure"] = "exposure"
    relevance: str
    users: str
    items: str
    scores: str | None = None
    model: str | list[str] | None = None
    lists: str | None = None
    user_group: str | list[str]
    item_group: str
    beta: float | Literal["static"] | list[float | Literal["static"]] | None = None
    patience: Patience | list[Patience] = 0.8
    discount: Literal["rbp", "dcg"] | list[float] = "rbp"
    k: int | None = Field(default=None, ge=1)
    target: Literal["equal", "published"] = "equal"
    relative: bool = False
    user_weights: dict[str, float] | None = None
    item_weights: dict[str, float] | None = None
    propensity: str | None = None
    tolerance: float | None = Field(default=None, gt=0, le=10)
    level: float = Field(default=0.95, ge=0.5, lt=1)
    top: int = Field(default=100, ge=1)
    tradeoff: list[float | Literal["static"]] | None = Field(default=None, min_length=3)

    def input_names(self) -> Iterator[tuple[str, str]]:
        for key in ("relevance", "users", "items", "scores", "lists"):
            if name := getattr(self, key):
                yield key, name

    def check(self, tables: Mapping[str, Table]) -> None:
        """Raise what can be known without reading the tables, before any step runs."""
        groups = [self.user_group] if isinstance(self.user_group, str) else self.user_group
        tables[self.users].require("user_id", *groups)
        tables[self.items].require("item_id", self.item_group)
        tables[self.relevance].require("user_id", "item_id", *([self.propensity] if self.propensity else []))
        given = [name for name in ("scores", "model", "lists") if getattr(self, name)]
        if len(given) != 1:
            said = f"; there are {' and '.join(given)}" if given else ""
            raise InputError(f"an exposure audit needs one of scores, model and lists{said}.")
        if self.scores:
            tables[self.scores].require("user_id", "item_id", "score")
        if self.lists:
            tables[self.lists].require("user_id", "item_id", "rank")
            if self.beta is not None:
                raise InputError("lists that were shown have no beta; leave it out.")
            if self.tradeoff is not None or self.relative:
                what = "relative" if self.tradeoff is None else "tradeoff"
                raise InputError(f"lists that were shown have no temperature; leave {what} out.")
        if isinstance(self.model, list):
            self._check_comparison(self.model)

    def _check_comparison(self, models: list[str]) -> None:
        if len(models) < 2 or len({Path(model).name for model in models}) < len(models):
            raise InputError(
                "several models are compared by the names of their folders, so there must be two or more, "
                "with different names."
            )
        if isinstance(self.patience, list) and len(self.patience) > 1:
            raise InputError(f"models are compared at one patience; there are {len(self.patience)}.")
        if self.tolerance is not None:
            raise InputError("a comparison of models has no tolerance; leave it out, or audit one model.")

    def run(self, tables: Mapping[str, Table], seed: int, progress: Progress) -> AuditResult:
        shared = (
            "user_group", "item_group", "patience", "discount", "k", "target", "relative", "user_weights",
            "item_weights", "propensity",
        )  # fmt: skip
        given: dict[str, Any] = {key: getattr(self, key) for key in shared}
        given |= {"rng": seed, "progress": progress}
        if self.beta is not None:
            given["beta"] = self.beta
        others = (tables[self.relevance], tables[self.users], tables[self.items])
        if isinstance(self.model, list):
            if self.tradeoff is not None:
                given["tradeoff"] = self.tradeoff
            systems = {Path(one).name: trained_folder(one, "scores") for one in self.model}
            return exposure.compare(systems, *others, level=self.level, **given)
        return exposure.audit(
            self._source(tables),
            *others,
            tolerance=self.tolerance,
            level=self.level,
            top=self.top,
            tradeoff=self.tradeoff,
            **given,
        )

    def _source(self, tables: Mapping[str, Table]) -> Any:
        if self.lists:
            lists = tables[self.lists]
            # What was shown counts, whatever the scores behind it.
            return replace(lists, expr=lists.expr.drop("score")) if "score" in lists.columns else lists
        return tables[self.scores] if self.scores else trained_folder(str(self.model), "scores")
