"""The envy audit with known preferences as a step of a plan."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from evenhand import envy
from evenhand.errors import InputError
from evenhand.inputs import Table
from evenhand.plan.steps import Progress
from evenhand.plan.trained import trained_folder
from evenhand.results import AuditResult


class EnvyStep(BaseModel):
    """Would users be better off with the recommendations of others: `evenhand.envy.audit`.

    `model` is the folder of a trained model. Its scores are the preferences; where there is a table of these,
    they make the policies.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    audit: Literal["envy"] = "envy"
    preferences: str | None = None
    policies: str | None = None
    model: str | None = None
    users: str | None = None
    group: str | list[str] | None = None
    epsilon: float = Field(default=0.05, ge=0, allow_inf_nan=False)
    gamma: float = Field(default=0.1, ge=0, le=1)
    tolerance: float | None = Field(default=0.1, ge=0, lt=1)
    inverse_temperature: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    missing: float | None = Field(default=None, allow_inf_nan=False)
    sample: list[int] | None = Field(default=None, min_length=2, max_length=2)
    top: int = Field(default=10, ge=0, le=1000)
    level: float = Field(default=0.95, ge=0.5, lt=1)

    def input_names(self) -> Iterator[tuple[str, str]]:
        for key in ("preferences", "policies", "users"):
            if name := getattr(self, key):
                yield key, name

    def check(self, tables: Mapping[str, Table]) -> None:
        """Raise what can be known without reading the tables, before any step runs."""
        if not self.preferences and not self.model:
            raise InputError(
                "an envy audit needs preferences: a table of them, or a model (on the command "
                "line --preferences or --model)."
            )
        if self.preferences and self.policies and self.model:
            raise InputError("preferences and policies are both tables, so leave the model out.")
        if self.missing is not None and not self.preferences:
            raise InputError("missing is about a table of preferences, and a model scores every pair.")
        self._check_temperature()
        if self.preferences:
            tables[self.preferences].require("user_id", "item_id", "preference")
        if self.policies:
            tables[self.policies].require("user_id", "item_id", "probability")
        if self.group and not self.users:
            raise InputError(
                "group is a column of users, so say which table they are in (users, on the command line "
                "--users)."
            )
        if self.users:
            if not self.group:
                raise InputError(
                    "users are there for their groups, so say which column (group, on the command "
                    "line --group)."
                )
            columns = [self.group] if isinstance(self.group, str) else self.group
            tables[self.users].require("user_id", *columns)

    def _check_temperature(self) -> None:
        """A table of policies is a policy already; everything else becomes one by a softmax."""
        if self.policies and self.inverse_temperature is not None:
            raise InputError(
                "policies are a table of probabilities, so leave inverse_temperature (on the command "
                "line --inverse-temperature) out."
            )
        if not self.policies and self.inverse_temperature is None:
            scores = "the scores of the model" if self.model else "the preferences"
            raise InputError(
                f"policies are missing: give a table of them, or the inverse_temperature of a softmax over "
                f"{scores} (on the command line --policies or --inverse-temperature)."
            )

    def run(self, tables: Mapping[str, Table], seed: int, progress: Progress) -> AuditResult:
        keys = (
            "epsilon", "gamma", "tolerance", "inverse_temperature", "missing", "group", "top", "level",
        )  # fmt: skip
        given: dict[str, Any] = {key: getattr(self, key) for key in keys}
        return envy.audit(
            tables[self.preferences] if self.preferences else trained_folder(str(self.model), "preferences"),
            self._policies(tables),
            groups=tables[self.users] if self.users else None,
            sample=None if self.sample is None else (self.sample[0], self.sample[1]),
            rng=seed,
            progress=progress,
            **given,
        )

    def _policies(self, tables: Mapping[str, Table]) -> Any:
        if self.policies:
            return tables[self.policies]
        return trained_folder(self.model, "policies") if self.preferences and self.model else None
