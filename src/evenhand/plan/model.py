"""The content of `audit.toml`, checked word by word before anything runs."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import (
    Field,
    SerializeAsAny,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from evenhand.asked.audits import AUDITS
from evenhand.asked.marks import Must
from evenhand.asked.sentences import Place, guess, problem
from evenhand.asked.step import Step, each_path
from evenhand.asked.types import Seed
from evenhand.documents import Labels
from evenhand.errors import InputError
from evenhand.files import content_of
from evenhand.plan.monitoring import Monitoring
from evenhand.plan.strict import Strict

# Names of a hundred parts and more, of which nobody's plan has four; tomllib takes minutes for long ones.
_PART = r"(?:[A-Za-z0-9_-]+|\"[^\"\n]*\"|'[^'\n]*')"
_TOO_DEEP = re.compile(rf"(?<![A-Za-z0-9_-]){_PART}(?:[ \t]*[.][ \t]*{_PART}){{100}}")


class Scope(Strict):
    """What is audited and why, in words; it stands at the head of the report."""

    title: str | None = None
    question: str | None = None
    system: str | None = None
    owner: str | None = None


class InputSpec(Strict):
    """One table: where it is, what its columns are called, what its label means, and whose days it has."""

    path: str | list[str]
    columns: dict[str, str] | None = None
    label_definition: str | None = None
    timezone: str | None = None
    # Which rows are meant, columns of 0 and 1 that are made of others, whether names of folders (day=1) are
    # columns, and the table of a database.
    where: dict[str, Any] | None = None
    made: dict[str, dict[str, Any]] | None = None
    folders: bool = False
    table: str | None = None


class Plan(Strict):
    """A whole audit plan. Paths are relative to the folder of the plan; `columns` says what some are called
    in the tables, wherever they are there. With `together`, all questions hold at once.
    """

    scope: Scope = Scope()
    seed: Seed = 0
    engine: str | None = None
    together: bool = False
    columns: Annotated[
        dict[str, str | list[str]] | None,
        Must('a table of our names of columns and yours, such as {user_id = "User_ID"}'),
    ] = None
    inputs: dict[str, InputSpec]
    labels: Annotated[
        Labels | None,
        Must('a table of attributes, values and what they are called, such as gender.F = "women"'),
    ] = None
    audits: Annotated[list[SerializeAsAny[Step]], Field(min_length=1), Must("a list of one audit or more")]
    monitoring: Monitoring | None = None

    @field_validator("audits", mode="before")
    @classmethod
    def _steps(cls, given: Any, info: ValidationInfo) -> Any:
        if not isinstance(given, list):
            raise ValueError("audits must be a list: write [[audits]], with two brackets, above each audit")
        name_of = (info.context or {}).get("name_of", in_file)
        return [
            one if isinstance(one, Step) else _step(one, ("audits", place), name_of)
            for place, one in enumerate(given)
        ]

    @model_validator(mode="after")
    def _inputs_are_named(self) -> Plan:
        for number, step in enumerate(self.audits, start=1):
            for key, name in step.input_names():
                if name not in self.inputs:
                    raise ValueError(
                        f"audit {number} ({step.audit}): {key} names the input {name!r}, but there is no "
                        f"[inputs.{name}]{guess(name, list(self.inputs))}"
                    )
        return self

    @model_validator(mode="after")
    def _labels_are_of_attributes(self) -> Plan:
        asked = {name for step in self.audits for name in _names_in(step.model_dump(mode="json"))}
        for attribute in self.labels or {}:
            if attribute not in asked:
                raise ValueError(
                    f"labels: no audit of this plan is about {attribute!r}{guess(attribute, sorted(asked))}"
                )
        return self

    @model_validator(mode="after")
    def _no_audit_is_there_twice(self) -> Plan:
        for number, step in enumerate(self.audits, start=1):
            first = self.audits.index(step) + 1
            if first < number:
                raise ValueError(
                    f"audits {first} and {number} ({step.audit}) are the same, so that what they find would "
                    "count twice; leave one out"
                )
        return self

    def told(self) -> dict[str, Any]:
        """What was asked, for the document. Of absolute paths it has the last part alone, so that equal runs
        in different places give equal files; scope, seed and labels stand beside it, and who is told of flags
        is nobody else's business."""
        audits = [step.at_home(_last_part) for step in self.audits]
        inputs = {
            name: spec.model_copy(update={"path": each_path(_last_part, spec.path)})
            for name, spec in self.inputs.items()
        }
        whole = self.model_copy(update={"audits": audits, "inputs": inputs})
        told = whole.model_dump(
            mode="json",
            exclude_none=True,
            exclude={"scope": True, "seed": True, "labels": True, "monitoring": {"tell"}},
        )
        return told if self.together else {key: value for key, value in told.items() if key != "together"}


def _names_in(value: Any) -> Iterator[str]:
    """Every text in what a step asks, of `table:column` the column."""
    if isinstance(value, str):
        yield value.rpartition(":")[2]
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _names_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _names_in(inner)


def _last_part(path: str) -> str:
    return Path(path).name if Path(path).is_absolute() else path


def in_file(place: Place) -> str:
    """A place as a reader of the file finds it: audits are counted from 1."""
    return ".".join(str(part + 1) if isinstance(part, int) else part for part in place)


class _Refused(Exception):
    """What is wrong with a step, on its way through the checks of the plan."""


def _step(given: Any, place: Place, name_of: Callable[[Place], str]) -> Step:
    """One step, by the declaration of the audit that it names."""
    where = in_file(place)
    if not isinstance(given, Mapping):
        raise _Refused(f"{where} must be a table of names and values")
    if "audit" not in given:
        raise _Refused(f'{where}: say which audit it is, such as audit = "opportunity"')
    if not isinstance(given["audit"], str) or given["audit"] not in AUDITS:
        named = str(given["audit"])
        meant = guess(named, list(AUDITS)) or f", only {', '.join(AUDITS)}"
        raise _Refused(f"{where}: there is no audit {named!r}{meant}")
    model = AUDITS[given["audit"]].load()
    try:
        return model.model_validate(given)
    except ValidationError as error:
        said = problem(error, model, given, lambda inner: name_of((*place, *inner)))
        about_all = error.errors()[0]["type"] == "value_error" and name_of is in_file
        number = f"audit {int(place[1]) + 1} ({given['audit']}): " if about_all else ""
        raise _Refused(f"{number}{said}") from error


def load(path: str | Path) -> Plan:
    """Read and check a plan file."""
    path = Path(path)
    try:
        text = content_of(path).decode("utf-8-sig")
        if _TOO_DEEP.search(text):
            raise RecursionError
        content = tomllib.loads(text)
    except FileNotFoundError:
        raise InputError(f"There is no plan {path}; `evenhand demo` writes one to start from.") from None
    except IsADirectoryError:
        raise InputError(f"{path} is a folder; name the plan file in it, such as audit.toml.") from None
    except OSError as error:
        raise InputError(f"The plan {path} cannot be read ({error.strerror}); check the path.") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path.name} is not a plan: a plan is a TOML file in UTF-8.") from error
    except RecursionError:
        raise InputError(f"{path.name} is not a plan: it is nested too deeply.") from None
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path.name} is not valid TOML: {error}.") from error
    except ValueError:  # Python reads no whole number of more than 4,300 digits
        raise InputError(f"{path.name} is not a plan: a number in it has thousands of digits.") from None
    return parse(content, path.name)


def parse(content: dict[str, Any], name: str, name_of: Callable[[Place], str] = in_file) -> Plan:
    """A checked plan from the content of a file called `name`; `name_of` is what an error calls a key."""
    try:
        return Plan.model_validate(content, context={"name_of": name_of})
    except _Refused as refused:
        raise InputError(f"{name}: {refused}.") from refused
    except ValidationError as error:
        raise InputError(f"{name}: {problem(error, Plan, content, name_of)}.") from error
