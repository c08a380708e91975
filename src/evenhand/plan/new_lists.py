"""The lists that a plan re-ranked, as files beside its report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from evenhand.errors import InputError
from evenhand.files import filled
from evenhand.inputs import Table
from evenhand.mitigate import Mitigation
from evenhand.plan.model import Step
from evenhand.plan.user_steps import MitigateStep
from evenhand.recommenders.storage import CANDIDATES_FILE


def file_names(numbers: Sequence[int]) -> dict[int, str]:
    """candidates.parquet for the one step that re-ranks, with the number of the step for several."""
    if len(numbers) == 1:
        return {numbers[0]: CANDIDATES_FILE}
    return {number: f"candidates-{number}.parquet" for number in numbers}


def check(out: Path, steps: Sequence[Step], tables: Mapping[str, Table]) -> None:
    """Raise if the new lists would take the place of a table that the plan reads."""
    numbers = [number for number, step in enumerate(steps, start=1) if isinstance(step, MitigateStep)]
    read = {path for table in tables.values() if table.origin.files for path in table.origin.files.paths}
    models = {step.model for step in steps if isinstance(step, MitigateStep) and step.model}
    kept = {Path(path).resolve() for path in read} | {Path(m).resolve() / CANDIDATES_FILE for m in models}
    for name in file_names(numbers).values():
        if (out / name).resolve() in kept:
            raise InputError(
                f"The new lists would be written over {out / name}, which is read here; name another folder."
            )


def write(out: Path, reranked: Mapping[int, Mitigation]) -> None:
    with filled(out) as waiting:
        for number, name in file_names(list(reranked)).items():
            reranked[number].candidates.to_parquet(waiting / name, index=False)
