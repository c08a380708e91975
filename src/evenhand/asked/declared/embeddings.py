"""What audits of embeddings share: how directions are made, whose attribute it is, where vectors are."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, field_validator, model_validator

from evenhand.asked.marks import Location, Must, TableColumn, Written
from evenhand.asked.step import Step
from evenhand.asked.types import HOW, METHOD
from evenhand.errors import InputError

Missing = Annotated[
    Literal["refuse", "exclude"], Field(description="Users without a value: 'refuse', or 'exclude' them.")
]
Zeros = Annotated[
    Literal["refuse", "exclude"],
    Field(description="Vectors of zeros, which have no direction: 'refuse', or 'exclude' them."),
]
Toward = Annotated[
    str | int | float | bool | None,
    Field(description="The value that positive numbers point to."),
    Must("text, a number, true or false"),
    Written(metavar="VALUE", default="the first in order"),
]
Direction = Annotated[
    Literal["centroid", "svc", "most_biased_svc", "pca"],
    Field(description="How a direction is made."),
    HOW,
]
Scheme = Annotated[
    Literal["one-vs-rest", "one-vs-one", "holistic"],
    Field(description="Which directions of more than two values."),
    HOW,
]
Cost = Annotated[
    float | None,
    Field(gt=0, allow_inf_nan=False, description="Cost of an error of the classifier; 1 as published."),
    Written(section=METHOD, default="1 / users"),
]
Alpha = Annotated[
    float, Field(gt=0, le=0.5, description="Level of the tests that a direction must pass."), HOW
]
Permutations = Annotated[int, Field(ge=20, le=1_000_000, description="How often labels are shuffled."), HOW]
Most = Annotated[
    int,
    Field(ge=2, description="For most_biased_svc: how many users on either side make the direction."),
    HOW,
]
ClassWeight = Annotated[
    Literal["balanced"] | None,
    Field(description="How the classifier weighs values; 'balanced' gives each the same weight."),
    HOW,
]


class AttributeStep(Step):
    """What all steps about embeddings name: whose attribute, and which groups of items."""

    title_form: ClassVar[str]
    unparted: ClassVar[str] = "its users are vectors of a model, which are not rows that can be split"

    attribute: Annotated[
        str,
        TableColumn("user_id"),
        Field(description="Table of user_id and the attribute, such as users.parquet:gender."),
    ]
    groups: Annotated[
        str | None,
        TableColumn("item_id"),
        Field(
            description="Table of item_id and groups, such as items.parquet:genre; an item may be in several."
        ),
    ] = None

    @field_validator("attribute", "groups")
    @classmethod
    def _names_a_column(cls, given: str | None) -> str | None:
        if given is not None and not all(given.rpartition(":")):
            raise ValueError(f"{given!r} must be an input and its column with a colon between: users:gender")
        return given

    @classmethod
    def title_of(cls, told: Mapping[str, Any]) -> str | None:
        """Which attribute, and whose vectors, the report is about."""
        states = told.get("states") or [""]
        paths = (told.get("model"), told.get("users"), states[-1].split(",")[0])
        name = next((Path(path).name for path in paths if path), "")
        column = told.get("attribute", "").rpartition(":")[2].replace("_", " ")
        return cls.title_form.format(column[:1].upper() + column[1:], name) if name and column else None

    def arguments(self, tables: Mapping[str, Any]) -> dict[str, Any]:
        given = self.given(tables)
        return given | {"item_groups": given.pop("groups")}


class VectorStep(AttributeStep):
    """Vectors are files, or those of a trained model, which has both: paths, as they are often no tables."""

    needs_items: ClassVar[bool] = True
    by_id: ClassVar[tuple[str, ...]] = ()

    users: Annotated[
        str | None,
        Location(),
        Field(
            description="Vectors of those who have the attribute: .npy, .npz, or a table of user_id and the "
            "vector; in a plan also an input. Instead of `model`."
        ),
    ] = None
    items: Annotated[
        str | None,
        Location(),
        Field(description="Vectors of what is tested, in the same space: likewise, by item_id."),
    ] = None
    model: Annotated[
        str | None,
        Location(otherwise="vectors of users and items"),
        Field(description="Folder of a trained model, which has both.  [required, or `users` and `items`]"),
    ] = None

    @model_validator(mode="after")
    def _vectors_of_both(self) -> VectorStep:
        if self.model and (self.users or self.items):
            raise ValueError("a model has the vectors of users and of items; leave these out, or the model")
        if not self.model and not self.users:
            raise ValueError(
                "there are no vectors: give those of users and of items, or a model (on the command line "
                "--users and --items, or --model)"
            )
        if not self.model and not self.items and (self.groups or self.needs_items):
            why = "groups are of items, so" if self.groups else "users are not enough:"
            raise ValueError(f"{why} give the vectors of items (items, on the command line --items)")
        return self

    @model_validator(mode="after")
    def _vectors_that_tables_can_name(self) -> VectorStep:
        for table in self.by_id:
            for name in ("users", "items"):
                if getattr(self, table) and str(getattr(self, name)).lower().endswith(".npy"):
                    raise ValueError(
                        f"{table} names users and items by their ids, which {name} (.npy) have not; give "
                        f".npz with {name[:-1]}_ids, a table with {name[:-1]}_id, or a model"
                    )
        return self

    def check(self, tables: Mapping[str, Any]) -> None:
        for name in ("users", "items"):
            path = getattr(self, name)
            if path and Path(path).suffix.lower() in (".npy", ".npz") and not Path(path).is_file():
                raise InputError(f"{name}: there is no file {path}.")
        super().check(tables)

    def arguments(self, tables: Mapping[str, Any]) -> dict[str, Any]:
        given = super().arguments(tables)
        # An input is a table that the plan has opened, with our names for its columns.
        given |= {key: tables.get(given[key], given[key]) for key in ("users", "items")}
        return given | {"items": given.pop("model") or given["items"]}
