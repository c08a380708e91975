"""How a step of a plan is asked of users who are put into parts at random, or why it cannot be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from evenhand import inputs
from evenhand.asked.step import Progress, Step
from evenhand.findings import Finding

BUCKETS = 1024
Buckets = NDArray[np.int64]
Findings = Sequence[Finding]


class Splits(Protocol):
    """An audit of users in parts. `of_a_change`: one finding each of arms that cannot differ; otherwise those
    of two halves, which have the same truth."""

    @property
    def of_a_change(self) -> bool: ...

    def findings(self, order: Buckets) -> Sequence[Findings]:
        """Those of each part, where the 1,024 buckets of users are in this order."""

    def whole(self) -> Findings:
        """Those of all users, as the plan has them."""


@dataclass(frozen=True)
class ReadAgain:
    """An audit whose tables are read again for each half of the users."""

    step: Step
    tables: Mapping[str, inputs.Table]
    column: str
    seed: int
    of_a_change: bool = False

    def findings(self, order: Buckets) -> Sequence[Findings]:
        return [self._of(half) for half in np.array_split(order, 2)]

    def whole(self) -> Findings:
        return self._run(self.tables)

    def _of(self, half: Buckets) -> Findings:
        def chosen(table: inputs.Table) -> inputs.Table:
            return (
                inputs.of_users(table, self.column, half.tolist()) if self.column in table.columns else table
            )

        return self._run({name: chosen(table) for name, table in self.tables.items()})

    def _run(self, tables: Mapping[str, inputs.Table]) -> Findings:
        found: Findings = self.step.run(tables, self.seed, lambda message: None).findings
        return found


def why_not(step: Step, tables: Mapping[str, inputs.Table]) -> str:
    """Why a step cannot be asked of parts of its users; nothing where it can."""
    if step.writes is not None:
        return f"it makes new {step.writes_what}, which is no gate"
    if not step.judges:
        return "it has no limit (tolerance), so that nothing can alarm"
    column = step.user_column
    if column is None:
        return step.unparted
    named = [tables[name] for _, name in step.input_names()]
    return "" if any(column in table.columns for table in named) else f"none of its tables has {column!r}"


def splits_of(step: Step, tables: Mapping[str, inputs.Table], seed: int, progress: Progress) -> Splits:
    """The step, ready to be asked of parts of its users."""
    made: Splits | None = step.parted(tables, seed, progress)
    if made is not None:
        return made
    assert step.user_column is not None
    return ReadAgain(step, tables, step.user_column, seed)
