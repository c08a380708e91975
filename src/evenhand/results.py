"""What an audit gives back: its findings, what they rest on, and ways to read, keep and join them."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pydantic import ValidationError
from rich.console import Console

from evenhand.errors import InputError
from evenhand.files import content_of, write_together
from evenhand.findings import SCHEMA, Document, Finding, Fingerprint, Verdict, text_of
from evenhand.report.pages import notebook, text
from evenhand.report.pages.tables import POSITIVES
from evenhand.report.suppression.suppress import suppress
from evenhand.report.words import summary

if TYPE_CHECKING:
    import pandas as pd

FINDINGS_FILE = "findings.json"
REPORT_FILE = "report.html"


class Saved(NamedTuple):
    """Where a result was written."""

    findings: Path
    report: Path


@dataclass(frozen=True)
class AuditResult:
    """The findings of one or several audits, with the data, seed and version that they came from.

    `scope` says in words what was audited: `title`, `question`, `system`, `owner` and whatever else
    belongs at the head of the report. It holds no time, so equal runs give equal files.
    """

    findings: tuple[Finding, ...]
    inputs: Mapping[str, Fingerprint] = field(default_factory=dict)
    seed: int | None = None
    version: str = field(default_factory=lambda: installed_version("evenhand"))
    scope: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "findings", tuple(self.findings))

    @property
    def document(self) -> Document:
        """The content of `findings.json`, nothing suppressed."""
        return Document(
            findings=self.findings,
            inputs=dict(self.inputs),
            seed=self.seed,
            version=self.version,
            scope=dict(self.scope),
        )

    @property
    def verdicts(self) -> dict[Verdict, int]:
        """How many findings have each verdict. Findings without a tolerance have no verdict."""
        return summary.counts(self.findings)

    def find(self, measure: str, /, **subject: str | float) -> Finding:
        """The one finding of this measure whose subject has these values.

        Not every key has to be given, only enough to leave one; a subject that matches exactly wins.
        """
        named = [finding for finding in self.findings if finding.measure == measure]
        matching = [finding for finding in named if subject.items() <= finding.subject.items()]
        if len(matching) > 1:
            matching = [finding for finding in matching if finding.subject == subject] or matching
        if len(matching) == 1:
            return matching[0]
        wanted = f"{measure} {subject}" if subject else measure
        if not named:
            exist = ", ".join(sorted({finding.measure for finding in self.findings})) or "no findings at all"
            raise InputError(f"There is no finding {wanted}; this result has: {exist}.")
        listed = "; ".join(str(finding.subject) for finding in (matching or named)[:12])
        problem = f"{len(matching)} findings match" if matching else "There is no finding"
        raise InputError(f"{problem} {wanted}; {measure} has the subjects: {listed}.")

    def __add__(self, other: AuditResult) -> AuditResult:
        """The findings of both, to be read in one report.

        One document has one seed and one version, so those must agree (a result without a seed agrees
        with any). A finding that is in both, number for number, is there once, and so counts once. Inputs
        of the same name that are different data get a number; of two scopes the first one's words win.
        """
        if not isinstance(other, AuditResult):
            return NotImplemented
        if self.version != other.version:
            raise InputError(
                f"These results come from versions {self.version} and {other.version} of Evenhand; "
                "run both audits with one version to join them."
            )
        if self.seed is not None and other.seed is not None and self.seed != other.seed:
            raise InputError(
                f"These results used the seeds {self.seed} and {other.seed}; "
                "run both audits with one seed to join them."
            )
        return AuditResult(
            findings=self.findings + _new(self.findings, other.findings),
            inputs=_joined(self.inputs, other.inputs),
            seed=self.seed if self.seed is not None else other.seed,
            version=self.version,
            scope={**other.scope, **self.scope},
        )

    def to_frame(self) -> pd.DataFrame:
        """One row a finding; the keys of the subject are columns that start with `subject_`.

        Where findings have them, positive rows stand beside all rows, `n`: those of both logs.
        """
        import pandas as pd

        keys = list(dict.fromkeys(key for finding in self.findings for key in finding.subject))
        columns = ("low", "high", "level", "method", "validity")
        counted = [name for name in POSITIVES if any(name in finding.details for finding in self.findings)]
        rows = []
        for finding in self.findings:
            interval = finding.interval
            rows.append(
                {
                    "audit": finding.audit,
                    "measure": finding.measure,
                    **{f"subject_{key}": finding.subject.get(key) for key in keys},
                    "estimate": finding.estimate,
                    **{name: None if interval is None else getattr(interval, name) for name in columns},
                    "tolerance": finding.tolerance,
                    "harm": finding.harm,
                    "verdict": None if finding.verdict is None else finding.verdict.value,
                    "more_data": None if finding.more_data is None else finding.more_data.times,
                    "p_value": finding.p_value,
                    "n": finding.n,
                    **{name: finding.details.get(name) for name in counted},
                    "warnings": "; ".join(finding.warnings),
                }
            )
        frame = pd.DataFrame(rows)
        numeric = ("estimate", "low", "high", "level", "tolerance", "more_data", "p_value")
        whole = dict.fromkeys(("n", *counted), "Int64")
        return frame.astype(dict.fromkeys(numeric, "float64") | whole) if rows else frame

    def to_json(self) -> str:
        """The findings document as text. Nothing is suppressed here: see `published`."""
        return text_of(self.document)

    @classmethod
    def from_json(cls, document: str | bytes, *, name: str = "The document") -> AuditResult:
        """The result that `to_json` wrote; `name` is what an error calls the document."""
        try:
            read = Document.model_validate_json(document)
        except ValidationError as error:
            raise InputError(_what_is_wrong(error, name)) from None
        return cls(read.findings, read.inputs, read.seed, read.version, read.scope)

    @classmethod
    def load(cls, folder: str | Path) -> AuditResult:
        """The result that was saved into this folder, or as this findings.json."""
        path = Path(folder)
        if path.suffix != ".json":
            path = path / FINDINGS_FILE
        try:
            content = content_of(path)
        except OSError as error:
            raise InputError(
                f"{path} cannot be read ({error.strerror}); name a folder that a result was saved into."
            ) from None
        return cls.from_json(content, name=str(path))

    def published(self, min_cell: int = 5) -> AuditResult:
        """The result without what tells of fewer than `min_cell` people, to be given to others.

        People are counted where the user column is known, rows otherwise. A finding that rests on a smaller
        group loses its numbers, and so does a second group from which the first would follow; where anything
        is hidden, so are the row counts of the inputs. `docs/decisions/0029` has the rule and its limits.
        """
        findings = suppress(self.findings, min_cell)
        inputs = dict(self.inputs)
        if findings != self.findings:
            inputs = {name: one.model_copy(update={"rows": None}) for name, one in inputs.items()}
        return replace(self, findings=findings, inputs=inputs)

    def save(self, folder: str | Path, min_cell: int = 5) -> Saved:
        """Write `findings.json` and `report.html` into a folder, which is made when it does not exist.

        What is written is what `published` gives.
        """
        can_be_drawn()
        from evenhand.report.pages import html  # which draws: whoever writes no page need not wait for it

        published = self.published(min_cell)
        contents = {FINDINGS_FILE: published.to_json(), REPORT_FILE: html.render(published.document)}
        written = write_together(Path(folder), contents)
        return Saved(written[FINDINGS_FILE], written[REPORT_FILE])

    def print(self, console: Console | None = None) -> None:
        """Print the findings, in the words of the report."""
        (console or Console()).print(text.render(self.document))

    def __str__(self) -> str:
        return text.plain(self.document)

    def _repr_html_(self) -> str:
        return notebook.render(self.document)


def can_be_drawn() -> None:
    """Raise where no page can be made, which is better known before an audit than after it."""
    if sys.flags.optimize > 1:  # altair makes its functions from docstrings, and cannot be imported without
        raise InputError(
            "Python was started with -OO (or PYTHONOPTIMIZE=2), which takes out what charts are made with; "
            "start it with -O, or leave the folder for the report out."
        )


def _new(ours: tuple[Finding, ...], theirs: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """Theirs without those that we have."""

    def about(finding: Finding) -> tuple[object, ...]:
        return finding.audit, finding.measure, finding.estimate, *sorted(map(str, finding.subject.items()))

    known: dict[tuple[object, ...], list[Finding]] = {}
    for finding in ours:
        known.setdefault(about(finding), []).append(finding)
    return tuple(finding for finding in theirs if finding not in known.get(about(finding), ()))


def _joined(ours: Mapping[str, Fingerprint], theirs: Mapping[str, Fingerprint]) -> dict[str, Fingerprint]:
    joined = dict(ours)
    for name, fingerprint in theirs.items():
        free, number = name, 1
        while free in joined and joined[free] != fingerprint:
            number += 1
            free = f"{name} {number}"
        joined[free] = fingerprint
    return joined


def _what_is_wrong(error: ValidationError, name: str) -> str:
    """The first problem, in one sentence."""
    first = error.errors(include_url=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    if first["type"] == "json_invalid":
        problem = first["msg"].removeprefix("Invalid JSON: ")
        return f"{name} is not JSON ({problem}); give the text of a {FINDINGS_FILE}."
    if where == "schema":
        return f"{name} has the schema {first['input']!r}, but this version of Evenhand reads {SCHEMA!r}."
    problem = first["msg"].removeprefix("Value error, ")
    more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
    return f"{name} is not a findings document: {where or 'the top level'}: {problem}{more}."
