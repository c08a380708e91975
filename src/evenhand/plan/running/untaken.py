"""Rows that no input takes: of a file whose inputs choose rows by `where`, what all of them leave out.

A log that names the ranker of today loses its rows on the day that the next one is released. So what is left
out is said, in the report and in run.log.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evenhand import inputs
from evenhand.findings import Finding
from evenhand.plan.model import InputSpec
from evenhand.plan.running.opening import open_input

# Below this share of a file nothing is said in the report.
LEAST_SHARE = 0.01
NAMED = 5


@dataclass(frozen=True)
class LeftOut:
    """What the inputs of one file leave out."""

    names: tuple[str, ...]
    found: inputs.Untaken

    @property
    def many(self) -> bool:
        return self.found.rows >= LEAST_SHARE * self.found.of > 0

    def counted(self) -> dict[str, Any]:
        """For the document: whose rows, how many, of how many."""
        return {"inputs": list(self.names), "rows": self.found.rows, "of": self.found.of}

    def told(self) -> str:
        """How many rows, of which values, and what to do."""
        several = len(self.names) > 1
        whose = f"{' and '.join(self.names)} {'leave' if several else 'leaves'}"
        rows = f"{self.found.rows:,} of {self.found.of:,} rows of {'their' if several else 'its'} file"
        # Of a column with very many values, and of rare ones, the values are nobody's business.
        frequent = [value for value, count in self.found.values if count >= LEAST_SHARE * self.found.of]
        values = frequent if len(self.found.values) < inputs.MOST_VALUES else []
        more = len(self.found.values) - len(values[:NAMED])
        named = ", ".join(values[:NAMED]) + (f" and {more} more" if values and more else "")
        return (
            f"{whose} out {rows}, which no input takes{f': {named}' if named else ''}. If some of them are "
            "meant, change `where`: { column = { not = ... } } takes all rows but those it names."
        )


def untaken(
    specs: Mapping[str, InputSpec], base: Path, engine: str | None, read: Collection[str]
) -> list[LeftOut]:
    """What the inputs leave out of each file of which one that is `read` takes some rows alone."""
    files: dict[str, dict[str, InputSpec]] = {}
    for name, spec in specs.items():
        files.setdefault(file_of(spec), {})[name] = spec
    found = []
    for alike in files.values():
        chosen = [name for name in alike if name in read and alike[name].where]
        if not chosen or not all(spec.where for spec in alike.values()):
            continue
        opened = whole_file(chosen[0], alike[chosen[0]], base, engine)
        parts = [by_their_names(spec) for spec in alike.values()]
        left = inputs.untaken(opened, parts)
        if left.rows:
            found.append(LeftOut(tuple(chosen), left))
    return found


def warned(
    findings: tuple[Finding, ...], names: Collection[str], left: Collection[LeftOut]
) -> tuple[Finding, ...]:
    """The findings of a step that reads inputs of these `names`, the first of which says what is left out."""
    said = [one.told() for one in left if one.many and set(one.names) & set(names)]
    first = next((one for one in findings if one.estimate is not None), None)
    if not said or first is None:
        return findings
    told = first.amended(warnings=(*first.warnings, *said))
    return tuple(told if one is first else one for one in findings)


def file_of(spec: InputSpec) -> str:
    """What an input is a part of."""
    return json.dumps([spec.path, spec.table, spec.folders])


def whole_file(name: str, spec: InputSpec, base: Path, engine: str | None) -> inputs.Table:
    """All rows of an input's file, with its own names of columns."""
    whole = spec.model_copy(
        update={"where": None, "made": None, "joined": None, "columns": None, "timezone": None}
    )
    return open_input(name, whole, base, engine)


def by_their_names(spec: InputSpec) -> dict[str, Any]:
    """`where`, by what the file calls its columns."""
    theirs = spec.columns or {}
    return {theirs.get(column, column): values for column, values in (spec.where or {}).items()}
