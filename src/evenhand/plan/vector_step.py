"""What steps about embeddings have in common: where vectors are, and what is known about users and items."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from evenhand.errors import InputError
from evenhand.inputs import Table
from evenhand.plan.trained import trained_folder

NUMPY = (".npy", ".npz")


def column_of(given: str, tables: Mapping[str, Table]) -> tuple[Table, str]:
    """The table and the column that "users:gender" names."""
    name, _, column = given.rpartition(":")
    return tables[name], column


class AttributeStep(BaseModel):
    """`attribute` and `groups` name an input and its column, "users:gender"."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    paths: ClassVar[tuple[str, ...]]

    attribute: str
    groups: str | None = None
    toward: str | int | bool | None = None
    missing: Literal["refuse", "exclude"] = "refuse"
    level: float = Field(default=0.95, ge=0.5, le=0.9999)

    @field_validator("attribute", "groups")
    @classmethod
    def _names_a_column(cls, given: str | None) -> str | None:
        if given is not None and not all(given.rpartition(":")):
            raise ValueError(f"{given!r} must be an input and its column with a colon between: users:gender")
        return given

    def input_names(self) -> Iterator[tuple[str, str]]:
        for key in ("attribute", "groups"):
            if named := getattr(self, key):
                yield key, named.rpartition(":")[0]

    def check(self, tables: Mapping[str, Table]) -> None:
        """Raise what can be known without reading vectors and tables, before any step runs."""
        table, column = column_of(self.attribute, tables)
        table.require("user_id", column)
        if self.groups:
            table, column = column_of(self.groups, tables)
            table.require("item_id", column)


class VectorStep(AttributeStep):
    """`users` and `items` are files of vectors, and `model` is the folder of a trained model, which has both:
    paths, as vectors are often no tables."""

    paths: ClassVar[tuple[str, ...]] = ("model", "users", "items")
    needs_items: ClassVar[bool] = True

    users: str | None = None
    items: str | None = None
    model: str | None = None

    def check(self, tables: Mapping[str, Table]) -> None:
        """Raise what can be known without reading vectors and tables, before any step runs."""
        self._check_vectors()
        super().check(tables)

    def _check_vectors(self) -> None:
        if self.model and (self.users or self.items):
            raise InputError("a model has the vectors of users and of items; leave these out, or the model.")
        if not self.model and not self.users:
            raise InputError(
                "there are no vectors: give those of users and of items, or a model (on the command line "
                "--users and --items, or --model)."
            )
        if not self.model and not self.items and (self.groups or self.needs_items):
            why = "groups are of items, so" if self.groups else "users are not enough:"
            raise InputError(f"{why} give the vectors of items (items, on the command line --items).")
        if self.model:
            trained_folder(self.model, "vectors of users and items")
        for name in ("users", "items"):
            path = getattr(self, name)
            if path and Path(path).suffix.lower() in NUMPY and not Path(path).is_file():
                raise InputError(f"{name}: there is no file {path}.")

    def _check_ids(self, table: str) -> None:
        """Raise if vectors have no ids to find them by in a table that is about pairs."""
        for name in ("users", "items"):
            if str(getattr(self, name)).lower().endswith(".npy"):
                raise InputError(
                    f"{table} names users and items by their ids, which {name} (.npy) have not; give .npz "
                    f"with {name[:-1]}_ids, a table with {name[:-1]}_id, or a model."
                )
