"""The association audit as a step of a plan."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from evenhand import association
from evenhand.errors import InputError
from evenhand.inputs import Table
from evenhand.plan.steps import Progress
from evenhand.plan.trained import trained_folder
from evenhand.results import AuditResult

NUMPY = (".npy", ".npz")


class AssociationStep(BaseModel):
    """What the embeddings know about an attribute: `evenhand.association.audit`.

    `users` and `items` are files of vectors, and `model` is the folder of a trained model, which has both:
    paths, as vectors are often no tables. `attribute` and `groups` name an input and its column,
    "users:gender".
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    audit: Literal["association"] = "association"
    users: str | None = None
    items: str | None = None
    model: str | None = None
    attribute: str
    groups: str | None = None
    method: Literal["centroid", "svc", "most_biased_svc", "pca"] = "svc"
    test: Literal["crossfit", "permutation", "insample"] = "crossfit"
    scheme: Literal["one-vs-rest", "one-vs-one", "holistic"] = "one-vs-rest"
    toward: str | int | bool | None = None
    pairs: list[list[str]] | None = None
    overlap: Literal["exclude", "regress"] = "exclude"
    item_test: Literal["permutation", "rank_sum"] = "permutation"
    aggregate: Literal["mean", "sum"] = "mean"
    missing: Literal["refuse", "exclude"] = "refuse"
    permutations: int = Field(default=10_000, ge=20, le=1_000_000)
    most: int = Field(default=200, ge=2)
    class_weight: Literal["balanced"] | None = None
    cost: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    alpha: float = Field(default=0.05, gt=0, le=0.5)
    tolerance: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    level: float = Field(default=0.95, ge=0.5, le=0.9999)
    per_space: bool = False

    @field_validator("attribute", "groups")
    @classmethod
    def _names_a_column(cls, given: str | None) -> str | None:
        if given is not None and not all(given.rpartition(":")):
            raise ValueError(f"{given!r} must be an input and its column with a colon between: users:gender")
        return given

    @field_validator("pairs")
    @classmethod
    def _are_of_two(cls, given: list[list[str]] | None) -> list[list[str]] | None:
        for pair in given or []:
            if len(pair) != 2:
                raise ValueError(f"pairs has {pair}, but each must be the names of two groups")
        return given

    def input_names(self) -> Iterator[tuple[str, str]]:
        for key in ("attribute", "groups"):
            if named := getattr(self, key):
                yield key, named.rpartition(":")[0]

    def check(self, tables: Mapping[str, Table]) -> None:
        """Raise what can be known without reading vectors and tables, before any step runs."""
        self._check_vectors()
        table, column = self._column(self.attribute, tables)
        table.require("user_id", column)
        if self.groups:
            if self.per_space:
                raise InputError("per_space audits the users alone, so leave the groups of items out.")
            table, column = self._column(self.groups, tables)
            table.require("item_id", column)
        elif self.pairs:
            raise InputError(
                "pairs are of groups of items, so say which (groups, on the command line --groups)."
            )

    def _check_vectors(self) -> None:
        if self.model and (self.users or self.items):
            raise InputError("a model has the vectors of users and of items; leave these out, or the model.")
        if not self.model and not self.users:
            raise InputError(
                "an association audit needs vectors: those of users, and of items if there are groups of "
                "them, or a model (on the command line --users and --items, or --model)."
            )
        if self.groups and not self.model and not self.items:
            raise InputError(
                "groups are of items, so give the vectors of items (items, on the command line --items)."
            )
        if self.model:
            trained_folder(self.model, "vectors of users and items")
        for name in ("users", "items"):
            path = getattr(self, name)
            if path and Path(path).suffix.lower() in NUMPY and not Path(path).is_file():
                raise InputError(f"{name}: there is no file {path}.")

    @staticmethod
    def _column(given: str, tables: Mapping[str, Table]) -> tuple[Table, str]:
        name, _, column = given.rpartition(":")
        return tables[name], column

    def run(self, tables: Mapping[str, Table], seed: int, progress: Progress) -> AuditResult:
        keys = (
            "method", "test", "scheme", "toward", "overlap", "item_test", "aggregate", "missing",
            "permutations", "most", "class_weight", "cost", "alpha", "tolerance", "level", "per_space",
        )  # fmt: skip
        given: dict[str, Any] = {key: getattr(self, key) for key in keys}
        return association.audit(
            self.model or self.items,
            self.users,
            self._column(self.attribute, tables),
            self._column(self.groups, tables) if self.groups else None,
            pairs=None if self.pairs is None else [(first, second) for first, second in self.pairs],
            rng=seed,
            progress=progress,
            **given,
        )
