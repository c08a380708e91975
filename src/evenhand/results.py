"""What an audit gives back: its findings, what they rest on, and ways to read, keep and join them."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import ValidationError
from rich.console import Console

from evenhand import schema_1
from evenhand.about import WHOM, group_name
from evenhand.documents import (
    SCHEMA,
    Answer,
    Comparison,
    Document,
    Fingerprint,
    read_document,
    text_of,
)
from evenhand.errors import InputError
from evenhand.files import content_of, filled, write_together
from evenhand.findings import Finding, Verdict
from evenhand.report.answers import answers
from evenhand.report.completed import beside, completed
from evenhand.report.pages import frames, notebook, text, whole_text
from evenhand.report.pages.frames import Rows
from evenhand.report.since import compared
from evenhand.report.suppression.suppress import suppress
from evenhand.report.words import summary
from evenhand.report.words.labels import faults, labelled

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd

FINDINGS_FILE = "findings.json"
REPORT_FILE = "report.html"
# Subjects that are listed where none, or several, are found.
_MOST_LISTED = 12
# The fewest people of whom a result that is saved tells, where nobody says otherwise.
_MIN_CELL = 5


class Saved(NamedTuple):
    """Where a result was written."""

    findings: Path
    report: Path


@dataclass(frozen=True)
class AuditResult:
    """The findings of one or several audits, with the data, seed and version that they came from.

    `scope` says in words what was audited: `title`, `question`, `system`, `owner` and whatever else
    belongs at the head of the report, and `plan` what was asked, where a plan did; `labels` is what values
    are called there, `{"gender": {"F": "women"}}`. They hold no time, so equal runs give equal files.
    """

    findings: tuple[Finding, ...]
    inputs: Mapping[str, Fingerprint] = field(default_factory=dict)
    seed: int | None = None
    version: str = field(default_factory=lambda: installed_version("evenhand"))
    scope: Mapping[str, str] = field(default_factory=dict)
    # Who asks the same in another way, by a plan, a command or a call, gets the same result.
    plan: Mapping[str, Any] | None = field(default=None, compare=False)
    labels: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    compared: Comparison | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "findings", completed(self.findings))

    @property
    def document(self) -> Document:
        """The content of `findings.json`, nothing suppressed."""
        return Document(
            questions=answers(self.findings),
            findings=self.findings,
            plan=None if self.plan is None else dict(self.plan),
            inputs=dict(self.inputs),
            seed=self.seed,
            version=self.version,
            scope=dict(self.scope),
            labels={attribute: dict(values) for attribute, values in self.labels.items()},
            compared=self.compared,
        )

    @property
    def questions(self) -> tuple[Answer, ...]:
        """The answer to each question that was asked: the verdict of its headline, and what decides it."""
        return answers(self.findings)

    def card(self, question: str) -> notebook.ShownCard:
        """The answer to one question, such as "creators": a notebook shows it, and it can be printed."""
        return notebook.card(self.document, question)

    def picture(self, name: str) -> alt.LayerChart:
        """The picture of a question, such as "creators", or of a finding by its id, as an Altair chart."""
        can_be_drawn()
        from evenhand.report.pictures import gallery

        return gallery.chart_of(self.document, name)

    @property
    def verdicts(self) -> dict[Verdict, int]:
        """How many findings have each verdict. Findings without a tolerance have no verdict."""
        return summary.counts(self.findings)

    def find(self, measure: str, /, **subject: str | float | Mapping[str, str | float]) -> Finding:
        """The one finding of this measure whose subject has these values.

        Not every key has to be given, only enough to leave one; a subject that matches exactly wins. What it
        is about can be said, too: `users="M", items="beauty"`, or `users={"gender": "M"}`.
        """
        named = [finding for finding in self.findings if finding.measure == measure]
        matching = [finding for finding in named if _is_about(finding, subject)]
        if len(matching) > 1:
            matching = [finding for finding in matching if finding.subject == subject] or matching
        if len(matching) == 1:
            return matching[0]
        wanted = f"{measure} {subject}" if subject else measure
        if not named:
            exist = ", ".join(sorted({finding.measure for finding in self.findings})) or "no findings at all"
            raise InputError(f"There is no finding {wanted}; this result has: {exist}.")
        close = matching or named
        listed = "; ".join(str(finding.subject) for finding in close[:_MOST_LISTED])
        if len(close) > _MOST_LISTED:
            listed += f"; and {len(close) - _MOST_LISTED:,} more"
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
            findings=self.findings + beside(self.findings, _new(self.findings, other.findings)),
            inputs=_joined(self.inputs, other.inputs),
            seed=self.seed if self.seed is not None else other.seed,
            version=self.version,
            scope={**other.scope, **self.scope},
            labels=_merged(self.labels, other.labels),
        )

    def labelled(self, labels: Mapping[str, Mapping[str, str]]) -> AuditResult:
        """The same with names for values, wherever they are shown: `{"gender": {"F": "women", "M": "men"}}`.

        A label names people by itself ("women", "55 and older"). It takes the place of one that is there.
        """
        wrong = faults(self.findings, labels)
        if wrong:
            raise InputError(f"labels: {'; '.join(wrong)}; write values as the data has them.")
        named = replace(self, labels=_merged(labels, self.labels))
        try:
            _ = named.document
        except ValidationError as error:
            raise InputError(_what_is_wrong(error, "The result with these labels")) from None
        return named

    def to_frame(self, rows: Rows = "findings") -> pd.DataFrame:
        """One row a finding, with what it is about in columns that start with `about_`; assumptions, what was
        left out, pictures and most of `details` are in the findings alone.

        `rows="groups"`: one row a finding about a group, with its attributes in columns such as
        `users_gender`. `rows="days"`: one row a day, or week, of each finding that was followed over time.
        """
        return frames.frame(self.findings, rows)

    def to_parquet(self, path: str | Path, rows: Rows = "findings") -> Path:
        """Write the frame as a Parquet file; a column of names and numbers is text there. Nothing is
        suppressed here: see `published`."""
        path = Path(path)
        with filled(path.parent) as waiting:
            frames.stored(self.to_frame(rows)).to_parquet(waiting / path.name, index=False)
        return path

    def to_markdown(self) -> str:
        """The findings as a Markdown table, in the words of the report."""
        return frames.markdown(labelled(self.document).findings)

    def to_latex(self) -> str:
        """The findings as a LaTeX table (booktabs), in the words of the report."""
        return frames.latex(labelled(self.document).findings)

    def diff(self, previous: AuditResult) -> pd.DataFrame:
        """What changed since a previous result, one row a finding of either, by its id.

        `change` is `new`, `gone`, `verdict` (another one), `number` (the same verdict, another estimate) or
        `same`. `apart` says that the two intervals do not overlap, which is more than a change by chance
        where the two data sets have nothing in common; where they do, compare the two in one audit instead.
        """
        return frames.difference(previous.findings, self.findings)

    def since(self, previous: AuditResult | str | Path) -> AuditResult:
        """The same with what changed since a previous result (or the folder that it was saved into), so that
        its report says it: by id, with an interval on each change where both numbers have one."""
        if not isinstance(previous, AuditResult):
            previous = AuditResult.load(previous)
        return replace(self, compared=compared(previous.document, self.document))

    def to_json(self) -> str:
        """The findings document as text. Nothing is suppressed here: see `published`."""
        return text_of(self.document)

    @classmethod
    def from_json(cls, document: str | bytes, *, name: str = "The document") -> AuditResult:
        """The result that `to_json` wrote; `name` is what an error calls the document."""
        try:
            read = read_document(document)
        except ValidationError as error:
            raise InputError(_what_is_wrong(error, name)) from None
        except schema_1.UnlikeError as error:
            raise InputError(
                f"{name} is not a findings document: {error} is not as {schema_1.SCHEMA} has it."
            ) from None
        except ValueError as error:
            raise InputError(f"{name} is not JSON ({error}); give the text of a {FINDINGS_FILE}.") from None
        result = cls(
            read.findings,
            read.inputs,
            read.seed,
            read.version,
            read.scope,
            read.plan,
            read.labels,
            read.compared,
        )
        for said, stated, found in _contradictions(read.questions, result.questions):
            raise InputError(
                f"{name} contradicts itself: of {said} it says {stated!s}, but the findings that decide it "
                f"say {found!s}."
            )
        return result

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

    def published(self, min_cell: int = _MIN_CELL) -> AuditResult:
        """The result without what tells of fewer than `min_cell` people, to be given to others.

        People are counted where the user column is known, rows otherwise. A finding that rests on a smaller
        group loses its numbers, and so does a second group from which the first would follow; where anything
        is hidden, so are the row counts of the inputs (the rule, its limits: `docs/evidence/decisions/0029`).
        """
        findings = suppress(self.findings, min_cell)
        inputs = dict(self.inputs)
        if findings != self.findings:
            inputs = {name: one.amended(rows=None) for name, one in inputs.items()}
        hidden = {finding.id for finding in findings if finding.state == "suppressed"}
        plan = self.plan
        if plan is not None:
            # Else nobody could make this file again; the usual one is not told.
            least = max(min_cell, plan.get("min_cell", 0))
            kept = {key: value for key, value in plan.items() if key != "min_cell"}
            plan = kept if least == _MIN_CELL else kept | {"min_cell": least}
        return replace(
            self, findings=findings, inputs=inputs, plan=plan, compared=_without(self.compared, hidden)
        )

    def save(self, folder: str | Path, min_cell: int = _MIN_CELL) -> Saved:
        """Write `findings.json` and `report.html` into a folder, which is made when it does not exist.

        What is written is what `published` gives.
        """
        can_be_drawn()
        from evenhand.report.pages import html  # which draws: whoever writes no page need not wait for it

        published = self.published(min_cell)
        page = html.render(published.document, min_cell)
        contents = {FINDINGS_FILE: published.to_json(), REPORT_FILE: page}
        written = write_together(Path(folder), contents)
        return Saved(written[FINDINGS_FILE], written[REPORT_FILE])

    def log_mlflow(self, *, step: int = 0, min_cell: int = _MIN_CELL) -> str:
        """Log to the MLflow run that is going on, or to one of its own: the id of the run.

        Estimates and the ends of intervals are metrics by finding, verdicts are tags, `findings.json` and
        `report.html` are artifacts. What is logged is what `published` gives.
        """
        from evenhand.report.trackers import mlflow

        return mlflow.log(self.published(min_cell).document, lambda to: self.save(to, min_cell), step)

    def log_wandb(self, *, step: int | None = None, min_cell: int = _MIN_CELL) -> str:
        """The same to a run of Weights & Biases; there verdicts of findings are in the run's summary."""
        from evenhand.report.trackers import wandb

        return wandb.log(self.published(min_cell).document, lambda to: self.save(to, min_cell), step)

    def print(self, console: Console | None = None, *, whole: bool = False, where: str = "") -> None:
        """Print the answers in at most 30 lines; `whole` prints every finding. `where` is named as the place
        of the report."""
        shown = whole_text.render(self.document) if whole else text.Short(self.document, where)
        (console or Console()).print(shown)
        if whole and where:
            (console or Console()).print(f"\nReport: {where}", markup=False, highlight=False, soft_wrap=True)

    def __str__(self) -> str:
        return text.plain(self.document)

    def _repr_html_(self) -> str:
        return notebook.render(self.document)


def _without(told: Comparison | None, hidden: set[str]) -> Comparison | None:
    """What changed, without numbers from which those that are hidden would follow."""
    if told is None or not hidden:
        return told
    nothing: dict[str, Any] = {"difference": None, "interval": None, "why_not": "number"}
    changes = (one.amended(**nothing) if one.id in hidden else one for one in told.changes)
    return told.amended(changes=tuple(changes))


def _is_about(finding: Finding, wanted: Mapping[str, Any]) -> bool:
    """Whether a finding has these values, by the keys of its subject or of what it is about."""
    subject = finding.subject
    for key, value in wanted.items():
        told = finding.about.get(key)
        named = group_name(told) if isinstance(told, dict) and key in WHOM else told
        if value not in (subject.get(key), told, named):
            return False
    return True


def can_be_drawn() -> None:
    """Raise where no page can be made, which is better known before an audit than after it."""
    if sys.flags.optimize > 1:  # altair makes its functions from docstrings, and cannot be imported without
        raise InputError(
            "Python was started with -OO (or PYTHONOPTIMIZE=2), which takes out what charts are made with; "
            "start it with -O, or leave the folder for the report out."
        )


def _contradictions(
    stated: Sequence[Answer], found: Sequence[Answer]
) -> Iterator[tuple[str, Verdict | None, Verdict | None]]:
    """Of which question, or audit, a document states another verdict than follows from its findings."""
    known = {answer.question: answer for answer in found}
    for answer in stated:
        told = known.get(answer.question)
        verdict = None if told is None else told.verdict
        if answer.verdict != verdict:
            yield answer.question, answer.verdict, verdict
        parts = {} if told is None else {part.audit: part.verdict for part in told.parts}
        for part in answer.parts:
            if part.verdict != parts.get(part.audit):
                yield part.audit, part.verdict, parts.get(part.audit)


def _new(ours: tuple[Finding, ...], theirs: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """Theirs without those that we have, whatever number their ids and families have in a joined result."""

    def about(finding: Finding) -> tuple[object, ...]:
        return finding.audit, finding.measure, finding.estimate, *sorted(map(str, finding.about.items()))

    def said(finding: Finding) -> dict[str, Any]:
        return {key: value for key, value in finding if key not in ("id", "family")}

    known: dict[tuple[object, ...], list[dict[str, Any]]] = {}
    for finding in ours:
        known.setdefault(about(finding), []).append(said(finding))
    return tuple(finding for finding in theirs if said(finding) not in known.get(about(finding), ()))


def _merged(
    ours: Mapping[str, Mapping[str, str]], theirs: Mapping[str, Mapping[str, str]]
) -> dict[str, dict[str, str]]:
    """Both, ours where both have one."""
    return {name: {**theirs.get(name, {}), **ours.get(name, {})} for name in (*theirs, *ours)}


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
    if where == "schema":
        return f"{name} has the schema {first['input']!r}, but this version of Evenhand reads {SCHEMA!r}."
    problem = first["msg"].removeprefix("Value error, ")
    more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
    return f"{name} is not a findings document: {where or 'the top level'}: {problem}{more}."
