"""The content of `audit.toml`, checked word by word before anything runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    Field,
    PrivateAttr,
    SerializeAsAny,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from evenhand.asked.audits import AUDITS
from evenhand.asked.declared.logs import CHOSEN_ROWS
from evenhand.asked.marks import Must
from evenhand.asked.sentences import Place, guess, problem, problems
from evenhand.asked.step import Step, each_path
from evenhand.asked.types import Seed
from evenhand.documents import Labels
from evenhand.errors import InputError
from evenhand.plan.checking import crosswise
from evenhand.plan.checking.mistakes import Mistake, Source
from evenhand.plan.strict import Strict
from evenhand.plan.watched import flagged
from evenhand.plan.watched.monitoring import Monitoring


class Scope(Strict):
    """What is audited and why, in words. The title, the question and the system stand at the head of the
    report, the rest where it says what was agreed."""

    title: Annotated[str | None, Field(description="Title of the report.")] = None
    question: Annotated[str | None, Field(description="What the audit is to answer.")] = None
    system: Annotated[str | None, Field(description="What is audited.")] = None
    owner: Annotated[str | None, Field(description="Who answers for the audit.")] = None
    pipeline: Annotated[
        str | None, Field(description="Where in the pipeline it is: recall, ranking, what is shown.")
    ] = None
    stakeholders: Annotated[
        list[str] | None, Field(description="Who is affected, and who was asked."), Must("a list of texts")
    ] = None
    attributes: Annotated[
        dict[str, str] | None,
        Field(description="Attributes that are looked at, each with why."),
        Must('a table of attributes and why each is looked at, such as gender = "..."'),
    ] = None
    harm: Annotated[str | None, Field(description="The harm that is feared, in words.")] = None

    def head(self) -> dict[str, str]:
        """The words for the head of the report."""
        told = {key: getattr(self, key) for key in ("title", "question", "system", "owner")}
        return {key: words for key, words in told.items() if words}


def _in_order(period: list[date]) -> list[date]:
    if period[0] > period[1]:
        raise ValueError(f"period ends before it begins: {period[0]} is after {period[1]}; swap them")
    return period


class Identify(Strict):
    """Against what the audits compare, and which days they are about."""

    comparison: Annotated[
        str | None, Field(description="Against what is compared, such as random traffic of the same days.")
    ] = None
    period: Annotated[
        list[date] | None,
        Field(min_length=2, max_length=2, description="The first and the last day that are meant."),
        Must("two dates, the first and the last day, such as [2026-03-01, 2026-03-14]"),
        AfterValidator(lambda days: days if days is None else _in_order(days)),
    ] = None


class Revision(Strict):
    """A change of the plan: who, when, what, and the fingerprint of the plan after it."""

    who: Annotated[str, Field(min_length=1, description="Who changed the plan.")]
    when: Annotated[date, Field(description="The day of the change."), Must("a date, such as 2026-03-01")]
    what: Annotated[str, Field(min_length=1, description="What changed, and why.")]
    fingerprint: Annotated[
        str | None, Field(description="Of the plan after it; `evenhand plan log --add` writes it.")
    ] = None


def _of_no_day(path: str | list[str]) -> str | list[str]:
    if any("{day" in one for one in ([path] if isinstance(path, str) else path)):
        raise ValueError("what is joined is the same on all days: name a table without {day} in its path")
    return path


class JoinedSpec(Strict):
    """A column of another table: where that table is, and by which key its rows are found."""

    path: Annotated[
        str | list[str],
        Field(
            description="The table that has the column: a file, a glob, or a list; from the plan's folder."
        ),
        Must("a path, or a list of several"),
        AfterValidator(_of_no_day),
    ]
    on: Annotated[str, Field(min_length=1, description="The column of the input that is the key.")]
    key: Annotated[
        str | None, Field(min_length=1, description="What the key is called there, if otherwise.")
    ] = None
    column: Annotated[
        str | None, Field(min_length=1, description="What the column is called there, if otherwise.")
    ] = None


class InputSpec(Strict):
    """One table: where it is, what its columns are called, what its label means, and whose days it has."""

    path: Annotated[
        str | list[str],
        Field(
            description="A file, a glob, a folder, a database, or a list of files; from the plan's folder."
        ),
        Must("a path, or a list of several"),
    ]
    columns: Annotated[
        dict[str, str] | None,
        Field(description="Our name of a column = yours, of this table alone."),
    ] = None
    label_definition: Annotated[
        str | None, Field(description="What the label means, such as: liked within 24 hours.")
    ] = None
    timezone: Annotated[
        str | None,
        Field(description="Zone whose days are meant where times have one, such as Europe/Berlin."),
    ] = None
    where: Annotated[
        dict[str, Any] | None,
        Field(description="Which rows: values by column, or {not = values} for all others."),
        *CHOSEN_ROWS,
    ] = None
    made: Annotated[
        dict[str, dict[str, Any]] | None,
        Field(
            description="Columns of 0 and 1 that are made of others, such as "
            'liked = {column = "rating", at_least = 4}; or at_most, among, known.'
        ),
    ] = None
    joined: Annotated[
        dict[str, JoinedSpec] | None,
        Field(
            description="Columns of other tables, found by a key, such as "
            'host_gender = {path = "shows.csv", on = "show_id"}.'
        ),
    ] = None
    folders: Annotated[
        bool, Field(description="Whether names of folders, such as day=2026-01-03, are columns.")
    ] = False
    table: Annotated[str | None, Field(description="Which table, where path is a database.")] = None

    @model_validator(mode="after")
    def _joined_after_rows_are_chosen(self) -> InputSpec:
        for name in (self.joined or {}).keys() & (self.where or {}).keys():
            raise ValueError(
                f"where asks for rows by {name!r}, which is joined to the rows that it takes; ask for them "
                "in `where` of the audits"
            )
        return self

    def with_paths(self, change: Callable[[str], str]) -> InputSpec:
        """The same with its paths changed, also those of what is joined."""
        joined = {
            name: one.model_copy(update={"path": each_path(change, one.path)})
            for name, one in (self.joined or {}).items()
        }
        return self.model_copy(update={"path": each_path(change, self.path), "joined": joined or None})


class Plan(Strict):
    """A whole audit plan. Paths are relative to the folder of the plan; `columns` says what some are called
    in the tables, wherever they are there. With `together`, all questions share one error.
    """

    scope: Annotated[Scope, Field(description="What is audited and why, in words.")] = Scope()
    seed: Seed = 0
    engine: Annotated[
        str | None,
        Field(description="Who reads the tables, such as spark. Default: DuckDB, inside Evenhand."),
    ] = None
    together: Annotated[
        bool,
        Field(
            description="Whether questions share one error (Holm): that any is said to be beyond its limit "
            "that is not."
        ),
    ] = False
    columns: Annotated[
        dict[str, str | list[str]] | None,
        Field(description="Our name of a column = yours, wherever it is there."),
        Must('a table of our names of columns and yours, such as {user_id = "User_ID"}'),
    ] = None
    identify: Annotated[
        Identify, Field(description="Against what is compared, and which days are meant.")
    ] = Identify()
    inputs: Annotated[
        dict[str, InputSpec],
        Field(description="The tables, each under a name that audits use."),
        Must('a table for each input, such as [inputs.log] with path = "log.parquet"'),
    ]
    labels: Annotated[
        Labels | None,
        Field(description="What values are called in the report, by attribute."),
        Must('a table of attributes, values and what they are called, such as gender.F = "women"'),
    ] = None
    audits: Annotated[list[SerializeAsAny[Step]], Field(min_length=1), Must("a list of one audit or more")]
    monitoring: Annotated[
        Monitoring | None, Field(description="How the plan is followed from day to day.")
    ] = None
    revisions: Annotated[list[Revision], Field(description="Who changed the plan, when, and why.")] = Field(
        default_factory=list
    )

    _source: Source | None = PrivateAttr(default=None)
    _days: str | None = PrivateAttr(default=None)

    @field_validator("audits", mode="before")
    @classmethod
    def _steps(cls, given: Any, info: ValidationInfo) -> Any:
        if not isinstance(given, list):
            raise ValueError(NO_LIST)
        name_of = (info.context or {}).get("name_of", in_file)
        return [
            one if isinstance(one, Step) else step_of(one, ("audits", place), name_of)
            for place, one in enumerate(given)
        ]

    @model_validator(mode="after")
    def _parts_fit(self, info: ValidationInfo) -> Plan:
        if (info.context or {}).get("parts_only"):
            return self
        steps = dict(enumerate(self.audits))
        asked = [step.model_dump(mode="json") for step in self.audits]
        flags = [] if self.monitoring is None else self.monitoring.flags
        for mistake in (
            *crosswise.unknown_inputs(steps, self.inputs),
            *crosswise.strange_labels(self.labels or {}, asked),
            *crosswise.repeated(steps),
            *flagged.that_never_rise(dict(enumerate(flags)), self.audits),
        ):
            raise ValueError(mistake.said)
        return self

    @property
    def source(self) -> Source | None:
        """The file that it was read from, if it was."""
        return self._source

    def read_from(self, source: Source) -> Plan:
        """The same, with the file that it was read from."""
        plan = self.model_copy()
        plan._source = source
        return plan

    def of_days(self, days: str, inputs: Mapping[str, InputSpec]) -> Plan:
        """The same of some days: these inputs are read, and a document says which days were asked for."""
        plan = self.model_copy(update={"inputs": {**self.inputs, **inputs}})
        plan._days = days
        return plan

    def told(self) -> dict[str, Any]:
        """What was asked and agreed, for the document. Of absolute paths it has the last part alone, so that
        equal runs in different places give equal files; seed and labels stand beside it, and who is told of
        flags is nobody else's business."""
        audits = [step.at_home(_last_part) for step in self.audits]
        inputs = {name: spec.with_paths(_last_part) for name, spec in self.inputs.items()}
        whole = self.model_copy(update={"audits": audits, "inputs": inputs})
        told = whole.model_dump(
            mode="json",
            exclude_none=True,
            exclude={"seed": True, "labels": True, "monitoring": {"tell"}},
        )
        # A value does not tell who chose it: the numbers of the audits whose limit nobody has named.
        told["default_limits"] = [n for n, step in enumerate(self.audits, start=1) if step.default_limit]
        if self._source is not None:
            told["fingerprint"] = self._source.fingerprint
            told["unchecked"] = self._source.unchecked
        if self._days is not None:
            told["days"] = self._days
        # What nobody said is not there.
        return {key: value for key, value in told.items() if value not in ({}, [], False)}


# What most who write one pair of brackets mean.
NO_LIST = "audits must be a list: write [[audits]], with two brackets, above each audit"


def _last_part(path: str) -> str:
    return Path(path).name if Path(path).is_absolute() else path


def in_file(place: Place) -> str:
    """A place as a reader of the file finds it: audits are counted from 1."""
    return ".".join(str(part + 1) if isinstance(part, int) else part for part in place)


class Refused(Exception):
    """What is wrong with a step, on its way through the checks of the plan: as one sentence, and one by
    one."""

    def __init__(self, said: str, mistakes: list[Mistake]) -> None:
        super().__init__(said)
        self.mistakes = mistakes


def step_of(given: Any, place: Place, name_of: Callable[[Place], str] = in_file) -> Step:
    """One step, by the declaration of the audit that it names."""
    where = in_file(place)
    if not isinstance(given, Mapping):
        raise _refused(place, f"{where} must be a table of names and values")
    if "audit" not in given:
        raise _refused(place, f'{where}: say which audit it is, such as audit = "opportunity"')
    if not isinstance(given["audit"], str) or given["audit"] not in AUDITS:
        named = str(given["audit"])
        meant = guess(named, list(AUDITS)) or f", only {', '.join(AUDITS)}"
        raise _refused((*place, "audit"), f"{where}: there is no audit {named!r}{meant}")
    model = AUDITS[given["audit"]].load()
    try:
        return model.model_validate(given)
    except ValidationError as error:

        def called(inner: Place) -> str:
            return name_of((*place, *inner))

        number = f"audit {int(place[1]) + 1} ({given['audit']}): " if name_of is in_file else ""
        about_all = error.errors()[0]["type"] == "value_error"
        said = (number if about_all else "") + problem(error, model, given, called)
        each = [
            Mistake((*place, *inner), one if inner else number + one)
            for inner, one in problems(error, model, given, called)
        ]
        raise Refused(said, each) from error


def _refused(place: Place, said: str) -> Refused:
    return Refused(said, [Mistake(place, said)])


def parse(content: dict[str, Any], name: str, name_of: Callable[[Place], str] = in_file) -> Plan:
    """A checked plan from the content of a file, or of a command line, called `name`; `name_of` is what an
    error calls a key. What is wrong is one sentence: `load` has all mistakes of a file."""
    try:
        return Plan.model_validate(content, context={"name_of": name_of})
    except Refused as refused:
        raise InputError(f"{name}: {refused}.") from refused
    except ValidationError as error:
        raise InputError(f"{name}: {problem(error, Plan, content, name_of)}.") from error
