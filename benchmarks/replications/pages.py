"""A page of one paper: every table and figure, published and ours, or why it is not here."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

NOT_PRINTED = "not printed"
# Where the links of our words lead from.
HOME = Path(__file__).resolve().parents[2] / "docs" / "evidence" / "replications"


@dataclass(frozen=True)
class Line:
    """One figure. What the paper draws and does not print, or says in words, is text."""

    what: str
    published: float | str
    ours: float
    spread: float | None = None
    """Standard deviation between trainings or draws."""
    digits: int = 3

    def __post_init__(self) -> None:
        numbers = [self.ours, *(one for one in (self.published, self.spread) if isinstance(one, float))]
        if not all(math.isfinite(one) for one in numbers):
            raise ValueError(f"{self.what}: {numbers} has a number that is not finite.")

    @property
    def difference(self) -> float | None:
        return None if isinstance(self.published, str) else self.ours - self.published

    def cells(self) -> list[str]:
        def said(value: float) -> str:
            return f"{value:,.{self.digits}f}"

        published = self.published if isinstance(self.published, str) else said(self.published)
        ours = said(self.ours) + ("" if self.spread is None else f" ± {said(self.spread)}")
        difference = "" if self.difference is None else f"{self.difference:+,.{self.digits}f}"
        return [self.what, published, ours, difference]


@dataclass(frozen=True)
class Part:
    """A table or figure: its lines and what makes the difference, or why there are none."""

    name: str
    """As the paper calls it: "Table 2", or a part of it: "Table 2, LFM360K"."""
    about: str
    lines: Sequence[Line] = ()
    cause: str = ""
    missing: str = ""
    notes: Sequence[str] = field(default=())

    def __post_init__(self) -> None:
        if any(
            "|" in text
            for text in (self.name, self.about, self.cause, self.missing, *(one.what for one in self.lines))
        ):
            raise ValueError(f"{self.name} has a vertical bar, which would end a cell.")
        if bool(self.lines) == bool(self.missing):
            raise ValueError(f"{self.name} needs lines, or a reason why it has none, and not both.")
        if self.lines and not self.cause:
            raise ValueError(f"{self.name} says nothing of what makes the difference.")

    @property
    def compared(self) -> list[Line]:
        return [line for line in self.lines if line.difference is not None]

    def summary(self) -> list[str]:
        if self.missing:
            return [self.name, self.about, "", "", "", "", f"not reproduced: {self.missing}"]
        counts = [f"{len(self.lines)}", "", "", ""]
        if self.compared:
            differences = [abs(line.difference or 0.0) for line in self.compared]
            sizes = [abs(float(line.published)) for line in self.compared]
            near = sum(one <= size / 10 + 1e-12 for one, size in zip(differences, sizes, strict=True))
            digits = max(line.digits for line in self.compared)
            counts[1:] = [f"{near}", *(f"{median(one):,.{digits}f}" for one in (sizes, differences))]
        return [self.name, self.about, *counts, self.cause]


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def page(title: str, paper: str, how: Sequence[str], parts: Sequence[Part]) -> str:
    """Markdown: the list of all tables and figures, then each of them with its figures."""
    there = [part for part in parts if part.lines]
    said = [
        f"# {title}",
        f"After {paper}.",
        *how,
        f"{len(there)} of {len(parts)} tables and figures have figures of ours below. *Near*: how many are within a tenth of "
        "the published one; *size* and *difference* (ours - published) are medians of absolute values. Causes are our words "
        "about a whole run.",
        table(
            ["table or figure", "what", "figures", "near", "size, published", "difference", "why"],
            [part.summary() for part in parts],
        ),
    ]
    for part in there:
        said += [
            f"## {part.name}: {part.about}",
            f"**Cause.** {part.cause}",
            *part.notes,
            table(["", "published", "ours", "difference"], [line.cells() for line in part.lines]),
        ]
    return "\n\n".join(said) + "\n"


def linked_from(folder: Path, text: str) -> str:
    """The text with links that lead from the documentation's replications, as they lead from `folder`."""

    def moved(link: re.Match[str]) -> str:
        return f"]({os.path.relpath(HOME / link[1], folder.resolve())}"

    return re.sub(r"\]\(([^)#:]+\.md)", moved, text)
