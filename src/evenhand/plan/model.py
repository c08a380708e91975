"""The content of `audit.toml`, checked word by word before anything runs."""

from __future__ import annotations

import difflib
import tomllib
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from evenhand.errors import InputError
from evenhand.plan.steps import CompareStep, OpportunityStep

Step = Annotated[OpportunityStep | CompareStep, Field(discriminator="audit")]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Scope(_Strict):
    """What is audited and why, in words; it stands at the head of the report."""

    title: str | None = None
    question: str | None = None
    system: str | None = None
    owner: str | None = None


class InputSpec(_Strict):
    """One table: where it is, what its columns are called, and what its label means."""

    path: str | list[str]
    columns: dict[str, str] | None = None
    label_definition: str | None = None


class Plan(_Strict):
    """A whole audit plan. Paths are relative to the folder of the plan."""

    scope: Scope = Scope()
    seed: int = Field(default=0, ge=0)
    engine: str | None = None
    inputs: dict[str, InputSpec]
    audits: list[Step] = Field(min_length=1)

    @model_validator(mode="after")
    def _inputs_are_named(self) -> Plan:
        for number, step in enumerate(self.audits, start=1):
            for key, name in step.input_names():
                if name not in self.inputs:
                    raise ValueError(
                        f"audit {number} ({step.audit}): {key} names the input {name!r}, but there is no "
                        f"[inputs.{name}]{_guess(name, list(self.inputs))}"
                    )
        return self


def load(path: str | Path) -> Plan:
    """Read and check a plan file."""
    path = Path(path)
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"There is no plan {path}; `evenhand demo` writes one to start from.") from None
    except IsADirectoryError:
        raise InputError(f"{path} is a folder; name the plan file in it, such as audit.toml.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path.name} is not valid TOML: {error}.") from error
    return parse(content, path.name)


def parse(content: dict[str, Any], name: str) -> Plan:
    """A checked plan from the content of a file called `name`."""
    try:
        return Plan.model_validate(content)
    except ValidationError as error:
        raise InputError(f"{name}: {_sentence(error)}") from error


def _sentence(error: ValidationError) -> str:
    """The first problem as a sentence, and how many more there are."""
    problems = error.errors()
    first = problems[0]
    # A discriminated union adds the step's own name to the path; a reader knows the audit by its number.
    parts = [part for part in first["loc"] if part not in ("opportunity", "compare")]
    where = ".".join(str(part + 1) if isinstance(part, int) else part for part in parts)
    if first["type"] == "extra_forbidden":
        sentence = f"{where} is not a known key{_guess(str(parts[-1]), _known_keys(parts))}"
    elif first["type"] == "missing":
        sentence = f"{where} is missing"
    elif first["type"] == "union_tag_invalid":
        known = ", ".join(audit for audit in ("opportunity", "compare"))
        sentence = f"{where}: there is no audit {first['ctx']['tag']!r}; there are {known}"
    elif first["type"] == "union_tag_not_found":
        sentence = f'{where}: say which audit it is, such as audit = "opportunity"'
    elif first["type"] == "value_error":
        sentence = str(first["ctx"]["error"])
    else:
        sentence = f"{where}: {first['msg'][0].lower()}{first['msg'][1:]}, but it is {first['input']!r}"
    more = len(problems) - 1
    return sentence + (f" (and {more} more {'problem' if more == 1 else 'problems'})" if more else "") + "."


def _known_keys(where: list[Any]) -> list[str]:
    models: dict[str, list[type[BaseModel]]] = {
        "scope": [Scope],
        "inputs": [InputSpec],
        "audits": [OpportunityStep, CompareStep],
    }
    chosen = models.get(str(where[0]), [Plan]) if len(where) > 1 else [Plan]
    return [key for model in chosen for key in model.model_fields]


def _guess(name: str, known: list[str]) -> str:
    close = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean {close[0]!r}?" if close else ""
