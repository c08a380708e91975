"""Parameters that several audits share: each with one range and one sentence of help, and how they are
written on a command line.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field

from evenhand.asked.sentences import Must
from evenhand.parameters import LARGEST_SEED


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
    given in its place."""

    otherwise: str | None = None


# A parameter of how it is computed, which has a section of its own in `--help`.
METHOD = "Method"
HOW = Written(section=METHOD)

Level = Annotated[float, Field(ge=0.5, le=0.9999, description="Confidence level of all intervals.")]
COLUMN = Written(metavar="COLUMN")
Seed = Annotated[int, Field(ge=0, le=LARGEST_SEED, description="Seed of everything random.")]


def below(most: float, what: str, *, above: bool = False) -> Must:
    """A tolerance that `what` can be beyond: with one as large as `most`, nothing would be outside it."""
    return Must(
        f"a number {'above' if above else 'from'} 0 {'and' if above else 'to'} below {most:g}: {what} cannot "
        f"be further off than {most:g}, so nothing would ever be outside it"
    )
