"""All experiments that run on one log, as a step of a plan."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from evenhand import opportunity
from evenhand.inputs import Table
from evenhand.opportunity.sample_ratio import planned_values
from evenhand.plan.steps import DifferenceKeys, Progress, Split
from evenhand.results import AuditResult


class ExperimentsStep(DifferenceKeys):
    """Arms told by the columns of one log: `evenhand.opportunity.experiments`."""

    audit: Literal["experiments"] = "experiments"
    default: str
    columns: list[str] | dict[str, str | list[str]]
    switching: Literal["refuse", "keep"] = "refuse"
    split: dict[str, Split] | Literal["equal", "any"] = "equal"
    split_by: str | None = None

    def input_names(self) -> Iterator[tuple[str, str]]:
        yield "default", self.default
        yield from self.reference_names()

    def check(self, tables: Mapping[str, Table]) -> None:
        """Raise what can be known without reading the logs, before any step runs."""
        for column, split in self.split.items() if isinstance(self.split, dict) else ():
            planned_values(split, self.split_by, f"split of {column}")
        tables[self.default].require(*self.columns)
        self.check_logs(tables, [self.default])

    def run(self, tables: Mapping[str, Table], seed: int, progress: Progress) -> AuditResult:
        return opportunity.experiments(
            tables[self.default],
            columns=self.columns,
            switching=self.switching,
            split=self.split,
            split_by=self.split_by,
            rng=seed,
            progress=progress,
            **self.arguments(tables),
        )
