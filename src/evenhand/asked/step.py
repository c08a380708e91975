"""A step of a plan: what an audit is asked, and the names of the inputs that it is asked about.

The command of an audit is a plan of this one step, so that the two are the same thing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self

from pydantic import Field

from evenhand.asked.marks import Location, Table, TableColumn, Tables
from evenhand.asked.model import Asked
from evenhand.asked.types import NEVER
from evenhand.errors import InputError
from evenhand.files import MODEL_FILE, is_model_folder

Progress = Callable[[str], None]


class Question(Asked):
    """What a call is asked and which data it is given. `calls` is that call, as "evenhand.envy:audit"."""

    calls: ClassVar[str]


class Step(Question):
    """One audit of a plan. `checks` is a function that gets the same arguments as the call, and raises what
    can be known without reading the tables.

    Where the audit makes more than findings, `writes` is the name of that file or folder and `writes_what`
    the word for it; what the call gives then has a `result`, and `write` to be told where. Where several
    audits share a command, `asked_by` is the key that asks for this one. Where days of it can be followed,
    `follows` names what does that, at the room's door (`evenhand.following.Following`), and `found_daily` are
    the measures of its findings, by the audit that these name: what flags of a plan can be about.

    `in_parts` is a function that gets the same arguments as the call and reads its tables once: what it gives
    audits users who are put into parts at random. Without one, tables are read again for every part.
    `unparted` says why an audit cannot be asked of a part of the users.
    """

    follows: ClassVar[str | None] = None
    found_daily: ClassVar[Mapping[str, Sequence[str]]] = {}
    # Inputs that no other key is about: the rest can be checked where these cannot be opened.
    dispensable: ClassVar[tuple[str, ...]] = ()
    checks: ClassVar[str | None] = None
    asked_by: ClassVar[str | None] = None
    in_parts: ClassVar[str | None] = None
    unparted: ClassVar[str] = "it reads no table of users"
    writes: ClassVar[str | None] = None
    writes_what: ClassVar[str] = ""

    audit: str
    name: Annotated[str | None, Field(min_length=1, description="What people call this step."), NEVER] = None
    reason: Annotated[
        str | None, Field(description="Why it is asked like this: why that tolerance, say."), NEVER
    ] = None

    # Keys that are for people: no call gets them, and they make no other audit of a step.
    FOR_PEOPLE: ClassVar[frozenset[str]] = frozenset({"name", "reason"})

    def bare(self) -> Self:
        """What the step asks, without what is for people alone."""
        return self.model_copy(update=dict.fromkeys(self.FOR_PEOPLE))

    @classmethod
    def marked(cls, kind: type[Any]) -> Iterator[tuple[str, Any]]:
        """The keys whose type says that they are of this kind, with what it says of them."""
        for key, field in cls.model_fields.items():
            for mark in field.metadata:
                if isinstance(mark, kind):
                    yield key, mark

    @classmethod
    def read_together(cls, content: dict[str, Any], flags: Mapping[str, str]) -> dict[str, Any]:
        """What was written on the command line as a plan would say it, where keys must be read together."""
        return content

    @classmethod
    def title_of(cls, told: Mapping[str, Any]) -> str | None:
        """The title of a report that is made by the command alone, from what was told; or the usual one."""
        return None

    @property
    def judges(self) -> bool:
        """Whether there is a tolerance, so that there are verdicts."""
        return getattr(self, "tolerance", None) is not None

    @property
    def default_limit(self) -> bool:
        """Whether the tolerance is Evenhand's own: nobody has named one."""
        return self.judges and "tolerance" not in self.model_fields_set

    @property
    def user_column(self) -> str | None:
        """The column that says whose rows these are, where users can be put into parts by it."""
        return None

    def input_names(self) -> Iterator[tuple[str, str]]:
        """Which key names which input of the plan."""
        for key, _ in self.marked(Table):
            if name := getattr(self, key):
                yield key, name
        for key, _ in self.marked(Tables):
            for each, name in (getattr(self, key) or {}).items():
                yield f"{key}.{each}", name
        for key, _ in self.marked(TableColumn):
            if named := getattr(self, key):
                yield key, named.rpartition(":")[0]

    def paths(self) -> Iterator[str]:
        """What it names by path."""
        for key, _ in self.marked(Location):
            yield from _flat(getattr(self, key))

    def at_home(self, located: Callable[[str], str]) -> Self:
        """The step with what it names by path found from the folder of the plan."""
        keys = [key for key, _ in self.marked(Location) if getattr(self, key) is not None]
        return self.model_copy(update={key: each_path(located, getattr(self, key)) for key in keys})

    def check(self, tables: Mapping[str, Any]) -> None:
        """Raise what can be known without reading the tables, before any step runs."""
        for key, mark in self.marked(Table):
            if name := getattr(self, key):
                tables[name].require(*mark.columns)
        for key, mark in self.marked(TableColumn):
            if named := getattr(self, key):
                table, column = column_of(named, tables)
                table.require(mark.key, column)
        for key, mark in self.marked(Location):
            if mark.otherwise is not None and (path := getattr(self, key)) is not None:
                for folder in _flat(path):
                    if not (mark.lists and _gives_lists(folder)):
                        trained(folder, mark.otherwise)
        if self.checks is not None:
            _found(self.checks)(**self.arguments(tables))

    def given(self, tables: Mapping[str, Any]) -> dict[str, Any]:
        """Every key as the call takes it: tables and columns in the place of their names."""
        keys = type(self).model_fields.keys() - self.FOR_PEOPLE - {"audit"}
        found = {key: getattr(self, key) for key in type(self).model_fields if key in keys}
        for key, _ in self.marked(Table):
            found[key] = tables[found[key]] if found[key] else None
        for key, _ in self.marked(Tables):
            found[key] = {each: tables[name] for each, name in found[key].items()}
        for key, _ in self.marked(TableColumn):
            found[key] = column_of(found[key], tables) if found[key] else None
        return found

    def arguments(self, tables: Mapping[str, Any]) -> dict[str, Any]:
        """The keyword arguments of the call; audits whose call differs from their keys say how."""
        return self.given(tables)

    def function(self) -> str:
        """Which call it is."""
        return self.calls

    def parted(self, tables: Mapping[str, Any], seed: int, progress: Progress) -> Any:
        """What `in_parts` gives; None where tables are read again for every part."""
        if self.in_parts is None:
            return None
        return _found(self.in_parts)(rng=seed, progress=progress, **self.arguments(tables))

    def run(self, tables: Mapping[str, Any], seed: int, progress: Progress) -> Any:
        return _found(self.function())(rng=seed, progress=progress, **self.arguments(tables))


def _found(named: str) -> Callable[..., Any]:
    """The function that "package.module:name" names, loaded now."""
    module, _, name = named.partition(":")
    function: Callable[..., Any] = getattr(import_module(module), name)
    return function


def column_of(named: str, tables: Mapping[str, Any]) -> tuple[Any, str]:
    """The table and the column that "users:gender" names."""
    name, _, column = named.rpartition(":")
    return tables[name], column


def trained(folder: str, otherwise: str) -> str:
    """`folder`, if a model was saved there; `otherwise` is what can be given in its place."""
    if not is_model_folder(folder):
        raise InputError(
            f"{folder} is not the folder of a trained model (it has no {MODEL_FILE}); name one that "
            f"`evenhand train` wrote, or give {otherwise}."
        )
    return folder


def _gives_lists(path: str) -> bool:
    """A file, which the audit opens and judges, or an address that is asked."""
    return path.lower().startswith(("http://", "https://")) or Path(path).is_file()


def _flat(paths: Any) -> Iterator[str]:
    if isinstance(paths, list):
        for path in paths:
            yield from _flat(path)
    elif paths is not None:
        yield paths


def each_path(change: Callable[[str], str], paths: Any) -> Any:
    return [each_path(change, path) for path in paths] if isinstance(paths, list) else change(paths)
