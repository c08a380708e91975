"""The pictures of a page, each once: what draws it, and its data as a file."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from evenhand.report.pictures.picture import Picture

# What a spreadsheet takes for the beginning of a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True)
class Placed:
    """A picture with its number on the page, and what its files are called."""

    number: int
    name: str
    picture: Picture

    @property
    def drawn(self) -> dict[str, Any]:
        """What draws it, but for the style, which all pictures share."""
        return {key: value for key, value in self.picture.specification.items() if key != "config"}


@dataclass
class Album:
    """Pictures in the order in which they are put on the page."""

    placed: list[Placed] = field(default_factory=list)

    @property
    def style(self) -> dict[str, Any]:
        """The type and colours of every picture."""
        style: dict[str, Any] = self.placed[0].picture.specification["config"]
        return style

    def put(self, picture: Picture, name: str) -> Placed:
        number = len(self.placed) + 1
        self.placed.append(Placed(number, f"{number}-{_as_file(name)}", picture))
        return self.placed[-1]

    def put_new(self, pictures: Iterable[Picture], name: str) -> list[Placed]:
        """Those that are not on the page yet."""
        known = [one.picture.specification for one in self.placed]
        return [self.put(picture, name) for picture in pictures if picture.specification not in known]


def comma_separated(rows: Iterable[Mapping[str, Any]]) -> str:
    """The data of a picture as the text of a CSV file."""
    told = list(rows)
    columns = list(dict.fromkeys(name for row in told for name in row))
    page = io.StringIO()
    writer = csv.writer(page, lineterminator="\n")
    writer.writerow([_not_a_formula(name) for name in columns])
    writer.writerows([_not_a_formula(row.get(name)) for name in columns] for row in told)
    return page.getvalue()


def _not_a_formula(value: Any) -> Any:
    """Names come from data: one that a spreadsheet would compute is kept a name by an apostrophe."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def _as_file(name: str) -> str:
    return "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in name)[:60]
