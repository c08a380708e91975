"""The content of `findings.json`, and how documents of the schema before are read."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, ConfigDict, Field, model_validator
from pydantic_core import from_json

from evenhand import schema_1
from evenhand.findings import Family, Finding, Frozen, Interval, MoreData, Verdict

SCHEMA = "evenhand.findings/2"


def _told_apart(labels: dict[str, dict[str, str]]) -> dict[str, dict[str, str]]:
    """The labels, if each names one value."""
    for attribute, values in labels.items():
        for value, label in values.items():
            if not label.strip():
                raise ValueError(f"the label of {attribute}.{value} is empty")
            other = next(one for one in values if values[one] == label)
            if other != value:
                raise ValueError(f"{attribute}.{other} and {attribute}.{value} have one label, {label!r}")
    return labels


# What values are called where they are shown, by attribute: `{"gender": {"F": "women"}}`.
Labels = Annotated[dict[str, dict[str, str]], AfterValidator(_told_apart)]


class Fingerprint(Frozen):
    """Which data a finding rests on, without reading the data again.

    `period` is the first and the last day, `label` what a positive label means, where they are known.
    """

    source: str
    rows: int | None = None
    files: int | None = None
    bytes: int | None = None
    sha256: str
    period: tuple[str, str] | None = None
    label: str | None = None


class AnswerPart(Frozen):
    """What one audit of a question found, by its own headline; a gate follows these verdicts."""

    audit: str
    verdict: Verdict | None
    decided_by: str | None = None


class Answer(Frozen):
    """The answer to a question that was asked, as ids and numbers.

    `headline` are the families whose findings decide, `level` is that at which all of their intervals hold at
    once (none where everything was counted). `decided_by` is the finding that speaks for them: the furthest
    beyond its tolerance, or else the one that is least sure to be within. `beyond` are all violations of the
    headline, furthest first. `parts` are all audits that were run for the question, the one that answers it
    among them.
    """

    question: str
    verdict: Verdict | None
    headline: tuple[Family, ...]
    level: float | None = None
    decided_by: str | None = None
    estimate: float | None = None
    interval: Interval | None = None
    tolerance: float | None = None
    beyond: tuple[str, ...] = ()
    more_data: MoreData | None = None
    parts: tuple[AnswerPart, ...] = ()


class Change(Frozen):
    """What became of one finding since an earlier result, by its id.

    `change` is `verdict` (another one), `number` (the same verdict, another estimate), `same`, `new`,
    `not_asked` (the plan does not ask for it now, or it was left out) or `gone` (it was asked for, and is not
    there). `interval` holds the change of the true value whoever is in both data sets, at the level that both
    intervals have together. Where there is none, `why_not` says why: the question was asked otherwise, the
    number is of other groups that the data chose, the data speaks against it, one of the two has no interval,
    or there is no number.
    """

    id: str
    change: Literal["verdict", "number", "same", "new", "not_asked", "gone"]
    before: float | None = None
    verdict_before: Verdict | None = None
    difference: float | None = None
    interval: Interval | None = None
    why_not: Literal["asked", "groups", "doubts", "interval", "number"] | None = None


class Comparison(Frozen):
    """What changed since an earlier result: the answers that it gave, and every finding of either.

    `asked_otherwise` are audits that the two plans do not ask the same, so that their numbers are not
    compared. `decided_otherwise` are questions whose answer rests on something else now, each with the
    measure that decided before; `system` is what the earlier audit was of, where that is another one.
    """

    version: str
    period: tuple[str, str] | None = None
    system: str | None = None
    answers: dict[str, Verdict | None] = Field(default_factory=dict)
    asked_otherwise: tuple[str, ...] = ()
    decided_otherwise: dict[str, str | None] = Field(default_factory=dict)
    changes: tuple[Change, ...]


class Document(Frozen):
    """The content of `findings.json`: no time, duration or absolute path, so equal runs give equal files."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, serialize_by_alias=True)

    schema_: Literal["evenhand.findings/2"] = Field(default="evenhand.findings/2", alias="schema")
    questions: tuple[Answer, ...] = ()
    findings: tuple[Finding, ...]
    plan: dict[str, Any] | None = None
    inputs: dict[str, Fingerprint] = Field(default_factory=dict)
    seed: int | None = None
    version: str
    scope: dict[str, str] = Field(default_factory=dict)
    labels: Labels = Field(default_factory=dict)
    compared: Comparison | None = None

    @model_validator(mode="after")
    def _ids_are_one_each(self) -> Document:
        ids = [finding.id for finding in self.findings]
        if len(set(ids)) < len(ids):
            twice = next(one for one in ids if ids.count(one) > 1)
            raise ValueError(f"two findings have the id {twice}")
        return self


def text_of(document: Document) -> str:
    """The content of `findings.json`."""
    return document.model_dump_json(indent=2) + "\n"


def read_document(text: str | bytes) -> Document:
    """The document that `text_of` wrote, in this version or the one before."""
    read = from_json(text)
    if isinstance(read, dict) and read.get("schema") == schema_1.SCHEMA:
        read = schema_1.upgraded(read, SCHEMA)
    return Document.model_validate(read)
