"""The pictures of a page, each once: what draws it, and its data as a file."""

from __future__ import annotations

import base64
import csv
import gzip
import io
import json
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


@dataclass
class Album:
    """Pictures in the order in which they are put on the page."""

    placed: list[Placed] = field(default_factory=list)

    def as_json(self) -> str:
        """What draws each picture and its data as CSV, by number."""
        told = {
            one.number: {
                "specification": _short(one.picture.specification),
                "data": comma_separated(_short(one.picture.rows)),
            }
            for one in self.placed
        }
        return json.dumps(told, ensure_ascii=False, separators=(",", ":"))

    def put(self, picture: Picture, name: str) -> Placed:
        number = len(self.placed) + 1
        self.placed.append(Placed(number, f"{number}-{_as_file(name)}", picture))
        return self.placed[-1]

    def put_new(self, pictures: Iterable[Picture], name: str) -> list[Placed]:
        """Those that are not on the page yet."""
        known = [one.picture.specification for one in self.placed]
        return [self.put(picture, name) for picture in pictures if picture.specification not in known]


def packed(text: str) -> str:
    """Text as a page carries it: compressed, as it is most of the page otherwise, and in plain letters."""
    return base64.b64encode(gzip.compress(text.encode(), 9, mtime=0)).decode()


def comma_separated(rows: Iterable[Mapping[str, Any]]) -> str:
    """The data of a picture as the text of a CSV file."""
    told = list(rows)
    columns = list(dict.fromkeys(name for row in told for name in row))
    page = io.StringIO()
    writer = csv.writer(page, lineterminator="\n")
    writer.writerow([_not_a_formula(name) for name in columns])
    writer.writerows([_not_a_formula(row.get(name)) for name in columns] for row in told)
    return page.getvalue()


def _short(value: Any) -> Any:
    """The same with numbers of 7 digits: more than anybody sees in a picture, or can tell apart."""
    if isinstance(value, float):
        return float(f"{value:.7g}")
    if isinstance(value, dict):
        return {key: _short(inner) for key, inner in value.items()}
    return [_short(inner) for inner in value] if isinstance(value, list | tuple) else value


def _not_a_formula(value: Any) -> Any:
    """Names come from data: one that a spreadsheet would compute is kept a name by an apostrophe."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def _as_file(name: str) -> str:
    return "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in name)[:60]
