"""The content of `audit.toml`, checked word by word before anything runs."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from evenhand.errors import InputError
from evenhand.parameters import LARGEST_SEED
from evenhand.plan import problems
from evenhand.plan.association_step import AssociationStep
from evenhand.plan.envy_step import EnvyStep
from evenhand.plan.erase_step import EraseStep
from evenhand.plan.experiments_step import ExperimentsStep
from evenhand.plan.exposure_step import ExposureStep
from evenhand.plan.growth_step import GrowthStep
from evenhand.plan.leakage_step import LeakageStep
from evenhand.plan.opportunity_steps import BoostStep, ParityStep, StagesStep, UserPrecisionStep
from evenhand.plan.series_step import SeriesStep
from evenhand.plan.steps import CompareStep, OpportunityStep
from evenhand.plan.user_steps import GroupsStep, MitigateStep

Step = Annotated[
    OpportunityStep
    | SeriesStep
    | CompareStep
    | ExperimentsStep
    | StagesStep
    | BoostStep
    | ParityStep
    | UserPrecisionStep
    | ExposureStep
    | GroupsStep
    | EnvyStep
    | AssociationStep
    | LeakageStep
    | GrowthStep
    | MitigateStep
    | EraseStep,
    Field(discriminator="audit"),
]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Scope(_Strict):
    """What is audited and why, in words; it stands at the head of the report."""

    title: str | None = None
    question: str | None = None
    system: str | None = None
    owner: str | None = None


class InputSpec(_Strict):
    """One table: where it is, what its columns are called, what its label means, and whose days it has."""

    path: str | list[str]
    columns: dict[str, str] | None = None
    label_definition: str | None = None
    timezone: str | None = None


class Plan(_Strict):
    """A whole audit plan. Paths are relative to the folder of the plan."""

    scope: Scope = Scope()
    seed: int = Field(default=0, ge=0, le=LARGEST_SEED)
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
                        f"[inputs.{name}]{problems.guess(name, list(self.inputs))}"
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


def load(path: str | Path) -> Plan:
    """Read and check a plan file."""
    path = Path(path)
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
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


def parse(
    content: dict[str, Any], name: str, name_of: Callable[[problems.Place], str] = problems.in_file
) -> Plan:
    """A checked plan from the content of a file called `name`; `name_of` is what an error calls a key."""
    try:
        return Plan.model_validate(content)
    except ValidationError as error:
        models: dict[str, type[BaseModel]] = {"": Plan, "scope": Scope, "inputs": InputSpec}
        audits: dict[str, type[BaseModel]] = {
            "opportunity": OpportunityStep,
            "series": SeriesStep,
            "compare": CompareStep,
            "experiments": ExperimentsStep,
            "stages": StagesStep,
            "boost": BoostStep,
            "parity": ParityStep,
            "user_precision": UserPrecisionStep,
            "exposure": ExposureStep,
            "groups": GroupsStep,
            "envy": EnvyStep,
            "association": AssociationStep,
            "association_leakage": LeakageStep,
            "association_amplification": GrowthStep,
            "mitigate": MitigateStep,
            "mitigate_embeddings": EraseStep,
        }
        raise InputError(f"{name}: {problems.sentence(error, models, audits, name_of)}") from error
