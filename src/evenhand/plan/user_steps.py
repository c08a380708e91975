"""The steps about groups of users and the lists they get: who is served worst, and what re-ranking does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from evenhand import groups, mitigate
from evenhand.groups.arguments import tolerance
from evenhand.groups.attributes import DERIVED
from evenhand.groups.metrics import METRICS
from evenhand.inputs import Table
from evenhand.results import AuditResult

Progress = Callable[[str], None]


class UserStep(BaseModel):
    """What `groups` and `mitigate` have in common. `model` is the folder of a trained model."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    users: str
    candidates: str | None = None
    history: str | None = None
    items: str | None = None
    model: str | None = None
    attributes: str | list[str]
    k: int = Field(default=5, ge=1)
    min_size: float = Field(default=20, gt=0)
    bins: dict[str, int | list[float]] = Field(default_factory=dict)
    missing: Literal["refuse", "group", "exclude"] = "refuse"
    level: float = Field(default=0.95, ge=0.5, lt=1)

    def input_names(self) -> Iterator[tuple[str, str]]:
        for key in ("users", "candidates", "history", "items"):
            if name := getattr(self, key):
                yield key, name

    def _check(self, tables: Mapping[str, Table], columns: Sequence[str], needs_candidates: bool) -> None:
        """Raise what can be known without reading the tables; `columns` are further ones of users."""
        wanted = [self.attributes] if isinstance(self.attributes, str) else self.attributes
        made = DERIVED if self.history else ()
        tables[self.users].require("user_id", *(name for name in wanted if name not in made), *columns)
        if self.candidates and needs_candidates:
            scored = () if self.model else ("score",)
            tables[self.candidates].require("user_id", "item_id", "label", *scored)

    def _arguments(self, tables: Mapping[str, Table], *further: str) -> dict[str, Any]:
        """The keyword arguments that both calls share, and `further` ones; tables by their names."""
        shared = ("attributes", "k", "min_size", "bins", "missing", "level", *further)
        named = dict(self.input_names())
        return {key: getattr(self, key) for key in shared} | {
            "recommender": self.model,
            **{
                key: tables[named[key]] if key in named else None
                for key in ("users", "candidates", "history", "items")
            },
        }


class GroupsStep(UserStep):
    """Which users are served worst: `evenhand.groups.audit`."""

    audit: Literal["groups"] = "groups"
    metric: str | list[str] = "mrr"
    search: Literal["exhaustive", "threshold", "cube", "swarm"] = "exhaustive"
    permutations: int = Field(default=1000, ge=20)
    no_positive: Literal["exclude", "zero"] = "exclude"
    tolerance: float | None = Field(default=None, gt=0)
    top: int = Field(default=10, ge=1)
    threshold: float = Field(default=0.01, gt=0, le=1)
    depth: int = Field(default=2, ge=1)
    budget: float = Field(default=0.5, gt=0)
    seconds: float | None = Field(default=None, gt=0)
    better: Literal["higher", "lower"] = "higher"
    bounds: list[float] | None = Field(default=None, min_length=2, max_length=2)

    def check(self, tables: Mapping[str, Table]) -> None:
        """Raise what can be known without reading the tables, before any step runs."""
        metrics = [self.metric] if isinstance(self.metric, str) else self.metric
        columns = [name for name in metrics if name not in METRICS]
        bounds = None if self.bounds is None else (self.bounds[0], self.bounds[1])
        tolerance(self.tolerance, metrics, bounds)
        self._check(tables, columns, needs_candidates=len(columns) < len(metrics))

    def run(self, tables: Mapping[str, Table], seed: int, progress: Progress) -> AuditResult:
        given = self._arguments(
            tables, "metric", "search", "permutations", "no_positive", "tolerance", "top", "threshold",
            "depth", "budget", "seconds", "better",
        )  # fmt: skip
        bounds = None if self.bounds is None else (self.bounds[0], self.bounds[1])
        return groups.audit(bounds=bounds, rng=seed, progress=progress, **given)


class MitigateStep(UserStep):
    """Re-rank the lists of the worst served groups: `evenhand.mitigate.rerank_groups`."""

    audit: Literal["mitigate"] = "mitigate"
    goal: Literal["diversity", "popularity", "relevance"] = "diversity"
    metric: str | None = None
    share: float = Field(default=0.1, gt=0, le=1)
    strength: float = Field(default=0.5, ge=0, allow_inf_nan=False)
    also: list[str] | None = None
    tolerance: ClassVar[None] = None  # it says what changed, and gives no verdict

    def check(self, tables: Mapping[str, Table]) -> None:
        """Raise what can be known without reading the tables, before any step runs."""
        self._check(tables, (), needs_candidates=True)

    def run(self, tables: Mapping[str, Table], seed: int, progress: Progress) -> mitigate.Mitigation:
        given = self._arguments(tables, "goal", "metric", "share", "strength", "also")
        return mitigate.rerank_groups(rng=seed, progress=progress, **given)
