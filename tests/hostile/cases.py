"""What a case is, and whether it came to a good end."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from hostile.doors import (
    AUDITS,
    DOORS,
    Numbers,
    Outcome,
    Tables,
    ask,
    differences,
    reference,
    world,
)

# The numbers of the plain world, a sentence, either of them; or any numbers, where the data are others.
End = Literal["same", "refused", "either", "any"]
Change = Callable[[pd.DataFrame], pd.DataFrame]
Write = Callable[[pd.DataFrame, Path], Any]


@dataclass(frozen=True)
class Case:
    """Something hostile. `exactly` is not asked where ids became text: their clusters have another hash."""

    kind: str
    name: str
    audit: str
    end: End
    run: Callable[[Path], Outcome]
    exactly: bool = True
    named: bool = True  # whether findings are about things of the same name
    wanted: Callable[[], Numbers] | None = None  # other numbers than those of the plain world

    def __str__(self) -> str:
        return f"{self.kind}: {self.name} ({self.audit})"

    def fault(self, folder: Path) -> str:
        """What is wrong with how it ended, or nothing."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                outcome = self.run(folder)
        except (Exception, SystemExit) as error:
            return f"{type(error).__name__}: {str(error)[:600]}"
        if outcome.numbers is None:
            return f"refused: {outcome.sentence}" if self.end == "same" else ""
        if self.end == "refused":
            return "was not refused"
        if self.end == "any":
            return ""
        wanted = self.wanted() if self.wanted else reference(self.audit)
        differ = differences(outcome.numbers, wanted, self.exactly, self.named)
        return f"other numbers: {differ[0]}" if differ else ""


def plain(frame: pd.DataFrame, path: Path) -> Path:
    """The table as everybody writes it."""
    frame.to_parquet(path.with_suffix(".parquet"), index=False)
    return path.with_suffix(".parquet")


_turn = count()


def of_tables(
    kind: str,
    name: str,
    write: Write,
    end: End = "same",
    *,
    audits: tuple[str, ...] = tuple(AUDITS),
    only: tuple[str, ...] = (),
    frames: bool = False,
    exactly: bool = True,
    named: bool = True,
    doors: tuple[str, ...] = DOORS,
) -> Iterator[Case]:
    """A case an audit: its tables (or the `only` ones that are named) written by `write`, through one door
    after the other. `frames` are for Python alone."""
    for audit in audits:
        door = "python" if frames else doors[next(_turn) % len(doors)]
        changed = [table for table in AUDITS[audit].tables if not only or table in only]
        if changed:
            yield Case(kind, name, audit, end, _asking(audit, door, write, changed, frames), exactly, named)


def _asking(
    audit: str, door: str, write: Write, changed: list[str], frames: bool
) -> Callable[[Path], Outcome]:
    def run(folder: Path) -> Outcome:
        tables: dict[str, Any] = {}
        for name in AUDITS[audit].tables:
            frame = world()[name].copy()
            if name in changed:
                tables[name] = write(frame, folder / name)
            else:
                tables[name] = frame if frames else plain(frame, folder / name)
        return ask(audit, door, _in_python(tables) if door == "python" else tables, folder)

    return run


def _in_python(tables: Mapping[str, Any]) -> Tables:
    return {name: str(made) if isinstance(made, Path) else made for name, made in tables.items()}
