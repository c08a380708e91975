"""What a declaration says of a key besides its type: how it is written, what it names, what it must be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any


@dataclass(frozen=True)
class Must:
    """What a value must be, where its type does not say it in words that a reader knows; `beyond` is why a
    number may not be larger, where that is not plain."""

    be: str
    beyond: str = ""


@dataclass(frozen=True)
class Written:
    """How a parameter is written on the command line, where its name and type do not say it.

    `read` turns the text that was given (a list of texts where the option can be repeated) into what a plan
    would say; `default` is what the help says of a default that is not a plain value.
    """

    flag: str | None = None
    metavar: str | None = None
    read: Callable[[str, Any], Any] | None = None
    repeated: bool = False
    default: str | None = None
    section: str | None = None
    never: bool = False

    def then(self, other: Written) -> Written:
        """Both, where a shared parameter is written in a way of its own: the later one wins."""
        said = {one.name: getattr(other, one.name) for one in fields(other)}
        return replace(self, **{name: value for name, value in said.items() if value})


@dataclass(frozen=True)
class Table:
    """A key that names a table: an input of the plan, on the command line a path. `columns` must be there."""

    columns: tuple[str, ...] = ()
    called: str | None = None
    several: bool = False


@dataclass(frozen=True)
class Tables:
    """A key that names several tables by names of their own: on the command line NAME=PATH, repeated."""

    called: str
    example: str


@dataclass(frozen=True)
class TableColumn:
    """A key that names a table and its column, "users:gender": on the command line "users.parquet:gender"."""

    key: str


@dataclass(frozen=True)
class Location:
    """A key that is a path, from the folder of the plan. Of a trained model, if `otherwise` says what can be
    given in its place; with `lists`, also a file of scores or lists, or the address of an endpoint."""

    otherwise: str | None = None
    lists: bool = False


# A key whose value is the name of a column.
COLUMN = Written(metavar="COLUMN")
