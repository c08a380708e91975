"""Keys of a declaration as options of a command."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from functools import reduce
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import typer
from pydantic.fields import FieldInfo

from evenhand.asked.marks import Location, Table, TableColumn, Tables, Written
from evenhand.asked.types import DATA, QUESTION
from evenhand.errors import InputError


class Kind:
    """What can be written for a key: plain types, words to choose from, one value or several."""

    def __init__(self, annotation: Any) -> None:
        self.plain: set[type] = set()
        self.words: list[str] = []
        self.several = self.single = False
        self._add(annotation, top=True)

    def _add(self, annotation: Any, top: bool) -> None:
        origin, parts = get_origin(annotation), get_args(annotation)
        if origin is Annotated:
            self._add(parts[0], top)
        elif origin in (Union, UnionType):
            for part in parts:
                self._add(part, top)
        elif origin is list:
            self.several = True
            self._add(parts[0], top=False)
        elif annotation is not NoneType:
            self.single |= top
            if origin is Literal:
                self.words += [str(word) for word in parts if str(word) not in self.words]
            elif isinstance(annotation, type):
                self.plain.add(annotation)


class Option:
    """One key as an option. What is written becomes what a plan would say; the declaration checks it."""

    def __init__(self, key: str, field: FieldInfo) -> None:
        self.key, self.field, self.kind = key, field, Kind(field.annotation)
        self.written = reduce(Written.then, (m for m in field.metadata if isinstance(m, Written)), Written())
        data = (Table, Tables, TableColumn, Location)
        self.data = next((mark for mark in field.metadata if isinstance(mark, data)), None)
        self.flag = self.written.flag or f"--{key.replace('_', '-')}"

    @property
    def switch(self) -> bool:
        return self.kind.plain == {bool} and not self.kind.words

    @property
    def repeated(self) -> bool:
        several = isinstance(self.data, Tables) or (isinstance(self.data, Table) and self.data.several)
        return self.written.repeated or several or (self.kind.several and self.written.read is None)

    def parameter(
        self, flags: Mapping[str, str], in_group: bool, optional: bool, filled: bool = False
    ) -> inspect.Parameter:
        """As a parameter of the function that Typer makes a command of; `optional` where the command can do
        without, `filled` where --data can stand for it.

        Nothing is required of a group, which has commands of its own: the declaration then says what lacks.
        """
        needed = self.field.is_required() and self.written.default is None and not optional
        required = needed and not in_group and not filled
        about = re.sub(r"`(\w+)`", lambda name: flags.get(name[1], name[1]), self.field.description or "")
        usual = self._default()
        if usual or (needed and not required):
            about += f"  [default: {usual}]" if usual else f"  [required{', or --data' if filled else ''}]"
        names = [self.flag, *(["-k"] if self.key == "k" else [])]
        if self.switch and self.field.default:
            names = [f"{self.flag}/--no-{self.flag[2:]}"]
        told = typer.Option(
            *names, metavar=None if self.switch else self._metavar(), help=about, show_default=False,
            rich_help_panel=self.written.section or (DATA if self.data else QUESTION),
        )  # fmt: skip
        # All but switches can be given again, so that a second one is not taken in silence for the first.
        kind: Any = bool if self.switch else list[str]
        default: Any = bool(self.field.default) if self.switch else None
        return inspect.Parameter(
            self.key,
            inspect.Parameter.KEYWORD_ONLY,
            annotation=Annotated[kind if required or self.switch else kind | None, told],
            default=inspect.Parameter.empty if required else default,
        )

    def _default(self) -> str:
        default = self.field.default
        nothing = default is None or default is False or default in ("", [], ())  # 0 is something
        if self.written.default is not None or self.field.is_required() or nothing:
            return self.written.default or ""
        if self.switch:
            return self.flag
        return ", ".join(map(str, default)) if isinstance(default, list) else f"{default}"

    def _metavar(self) -> str:
        if self.written.metavar:
            return self.written.metavar
        if self.data:
            return {Tables: "NAME=PATH", TableColumn: "PATH:COLUMN"}.get(type(self.data), "PATH")
        number = ["NUMBER"] if self.kind.plain & {int, float} else []
        return "|".join(number + self.kind.words) or "TEXT"

    def once(self, given: Any) -> Any:
        """What was written: the one text, or all of them where the option can be repeated."""
        if self.switch or self.repeated:
            return given
        if len(given) > 1:
            listed = ", ".join(map(repr, given))
            raise InputError(f"{self.flag} is given {len(given)} times ({listed}), but takes one value.")
        return given[0]

    def value(self, given: Any) -> Any:
        """What a plan would say for what was written."""
        if self.written.read is not None:
            return self.written.read(self.flag, given)
        if not isinstance(given, list):
            return self._one(given)
        several = [self._one(text) for text in given]
        return several[0] if len(several) == 1 and self.kind.single else several

    def _one(self, text: Any) -> Any:
        """A number where there can be one, and the text as it is where that is none."""
        if str not in self.kind.plain and self.kind.plain & {int, float}:
            for number in (int, float):
                try:
                    return number(text)
                except ValueError:
                    continue
        return text
