"""A plan in the making: its inputs and steps, what was chosen for somebody to check, what cannot be asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from evenhand.plan.init.labelling.labels import Label
from evenhand.plan.init.meaning.columns import OURS, OWN
from evenhand.plan.init.meaning.recognised import Joined, Recognised
from evenhand.plan.init.tables.looking import FileSet


class NameTaken(Exception):
    """A column cannot have the name that an audit needs, as another one has it."""


@dataclass(frozen=True)
class InputDraft:
    """One `[inputs.NAME]`. `columns` are our names and theirs; `where` and `made` are in our names."""

    name: str
    files: FileSet
    columns: dict[str, str] = field(default_factory=dict)
    where: dict[str, Any] = field(default_factory=dict)
    made: dict[str, dict[str, Any]] = field(default_factory=dict)
    joined: dict[str, Joined] = field(default_factory=dict)
    label_definition: str | None = None
    comments: tuple[str, ...] = ()
    other_labels: tuple[Label, ...] = ()

    def called(self, theirs: str) -> str:
        """What a column of the table is called in the plan."""
        return next((ours for ours, name in self.columns.items() if name == theirs), theirs)

    def same_as(self, other: InputDraft) -> bool:
        return (self.files, self.columns, self.where, self.made) == (
            other.files, other.columns, other.where, other.made,
        )  # fmt: skip


@dataclass(frozen=True)
class StepDraft:
    """One `[[audits]]`, with the comments above it and beside its keys. What is `possible` is written as a
    comment. Of a step that crosses attributes, `alone` are those with each by itself; `otherwise` are those
    that answer the question less well, where this one is refused."""

    keys: dict[str, Any]
    comments: tuple[str, ...] = ()
    beside: dict[str, str] = field(default_factory=dict)
    possible: dict[str, Any] = field(default_factory=dict)
    alone: tuple[StepDraft, ...] = ()
    otherwise: tuple[StepDraft, ...] = ()
    marks: tuple[str, ...] = ()  # what to check if it takes the place of another


@dataclass(frozen=True)
class Cannot:
    """A question that these data do not answer: why, what to log for it, and where that is explained."""

    question: str
    why: str
    log: str
    page: str
    short: str = ""  # what it needs in a few words, where nothing of that is here

    def line(self) -> str:
        """On a terminal, where what matters would be lost among what cannot be asked at all: one line."""
        return f"{self.short} ({self.page})." if self.short else self.told()

    def told(self) -> str:
        """In two sentences: why not, and what to do."""
        why = self.why[:1].upper() + self.why[1:]
        todo = f"Log {self.log}" if self.log else "Mend that, and run init again"
        return f"{self.question} {why}{'' if why.endswith('.') else '.'} {todo} ({_titled(self.page)})."


# What pages are called, for whoever has the site and no clone.
TITLES = {
    "docs/explain/creators.md": "Creators: equal opportunity",
    "docs/explain/creators-experiments.md": "Creators: many A/B tests at once",
    "docs/explain/embeddings.md": "Embeddings",
    "docs/explain/envy.md": "Envy",
    "docs/explain/exposure.md": "Exposure",
    "docs/explain/users.md": "The group audit",
    "docs/howto/log-random-traffic.md": "Logging random traffic",
    "docs/reference/inputs.md": "Inputs",
    "docs/reference/recommenders.md": "Recommenders",
}


def _titled(page: str) -> str:
    title = TITLES.get(page.partition("#")[0])
    return f'see "{title}", {page}' if title else page


@dataclass
class Draft:
    inputs: dict[str, InputDraft] = field(default_factory=dict)
    steps: list[StepDraft] = field(default_factory=list)
    marks: list[str] = field(default_factory=list)
    agreed: list[str] = field(default_factory=list)  # what somebody chose who was asked
    cannot: list[Cannot] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    first: list[str] = field(default_factory=list)  # what to say or do, and run init again
    left_out: dict[str, str] = field(default_factory=dict)  # by role, why a table of it is not used
    spare: set[str] = field(default_factory=set)  # inputs of groups that somebody may ask for instead
    day: str | None = None  # the column with the day of the logs
    groups: list[str] = field(default_factory=list)
    codes: dict[str, list[str]] = field(default_factory=dict)  # groups that are written as numbers

    def add_input(
        self,
        name: str,
        table: Recognised,
        own: tuple[str, ...] = ("user", "item", "creator"),
        *,
        also: Mapping[str, str] | None = None,
        where: Mapping[str, Any] | None = None,
        made: Mapping[str, Mapping[str, Any]] | None = None,
        label_definition: str | None = None,
        comments: tuple[str, ...] = (),
        other_labels: tuple[Label, ...] = (),
    ) -> InputDraft:
        """The input of this name, or the one that is there if it is the same data; `own` are the columns that
        get our names, `also` further ones (our name to theirs). `other_labels` could stand in the place of
        the one that is `made`."""
        wanted = {OWN[key]: theirs for key in own if (theirs := getattr(table, key)) is not None}
        wanted |= also or {}
        columns = {ours: theirs for ours, theirs in wanted.items() if ours != theirs}
        for ours in list(columns):
            if ours in table.profile.columns and ours not in columns.values():
                if ours not in (also or {}) and ours in OURS.values():
                    del columns[ours]
                    continue
                raise NameTaken(
                    f"{table.name} has a column {ours!r} besides {columns[ours]!r}, which would have to be "
                    "called so; rename one of them."
                )
        called = {theirs: ours for ours, theirs in columns.items()}
        draft = InputDraft(
            name, table.profile.opened.files, columns,
            {called.get(key, key): value for key, value in (where or {}).items()},
            {new: {**rule, "column": called.get(rule["column"], rule["column"])}
             for new, rule in (made or {}).items()},
            {new: replace(one, on=called.get(one.on, one.on)) for new, one in table.joined.items()},
            label_definition, comments, other_labels,
        )  # fmt: skip
        for there in self.inputs.values():
            if draft.same_as(there):
                # What one audit knows of the label holds for all that read the same rows.
                self.inputs[there.name] = replace(
                    there,
                    label_definition=there.label_definition or label_definition,
                    other_labels=there.other_labels or other_labels,
                )
                return self.inputs[there.name]
        free, number = name, 1
        while free in self.inputs:
            number += 1
            free = f"{name}_{number}"
        self.inputs[free] = replace(draft, name=free)
        return self.inputs[free]
