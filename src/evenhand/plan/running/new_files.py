"""What steps write beside the report: re-ranked lists, vectors without an attribute."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from evenhand.asked.step import Step
from evenhand.errors import InputError
from evenhand.inputs import Table
from evenhand.recommenders.stored.storage import CANDIDATES_FILE


def names(steps: Sequence[Step]) -> dict[int, str]:
    """The name of what each step writes, by its number; where several write the like, with that number."""
    writing = {number: step.writes for number, step in enumerate(steps, start=1) if step.writes}
    alike = list(writing.values())
    return {
        number: name if alike.count(name) == 1 else f"{Path(name).stem}-{number}{Path(name).suffix}"
        for number, name in writing.items()
    }


def refuse_over_inputs(
    out: Path, made: Mapping[int, str], steps: Sequence[Step], tables: Mapping[str, Table]
) -> None:
    """Raise if what is new would take the place of what the plan reads."""
    read = {Path(path) for table in tables.values() for one in table.sources for path in one.paths}
    for step in steps:
        for path in step.paths():
            read |= {Path(path), Path(path) / CANDIDATES_FILE}
    kept = {path.resolve() for path in read}
    for number, name in made.items():
        if (out / name).resolve() in kept:
            what = steps[number - 1].writes_what
            raise InputError(
                f"The new {what} would be written over {out / name}, which is read here; name another folder."
            )
