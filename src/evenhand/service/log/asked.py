"""What a live audit can be asked: each value with its range."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from evenhand.envy.online.system import digest_of
from evenhand.errors import InputError

MOST_EXACT = 1_000  # users whose policies are all tried by all
_LONGEST = 366 * 86_400.0  # seconds
Seconds = Annotated[float, Field(ge=0, le=_LONGEST, allow_inf_nan=False)]
Share = Annotated[float, Field(gt=0, lt=1, allow_inf_nan=False)]
Words = Annotated[str, Field(min_length=1, max_length=500)]


class AskedLiveAudit(BaseModel):
    """`users` are the ids of all users, or `population` says how many there are and `digest` which (sha256 of
    their sorted ids, a line each)."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    users: Annotated[tuple[Words, ...], Field(strict=False, min_length=2, max_length=1_000_000)] | None = None
    population: Annotated[int, Field(ge=2, le=10**12)] | None = None
    digest: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")] | None = None
    epsilon: Share = 0.05
    delta: Annotated[float, Field(gt=0, lt=0.5, allow_inf_nan=False)] = 0.05
    alpha: Share = 0.2
    gamma: Share = 0.1
    lambda_: Annotated[Share, Field(alias="lambda")] = 0.1
    criterion: Literal["probabilistic", "exact"] = "probabilistic"
    budget: Annotated[int, Field(ge=1, le=10**9)] | None = None
    daily: Annotated[int, Field(ge=1, le=10**6)] | None = None
    dropouts: Annotated[int, Field(ge=0, le=10**6)] = 0
    deadline_s: Annotated[Seconds, Field(gt=0)]
    grace_s: Seconds = 60.0
    reward: Words
    activation: Literal["on_shown", "on_assign"] = "on_shown"
    window_s: Annotated[Seconds, Field(gt=0)] | None = None
    version: Words | None = None
    series: Words | None = None

    @model_validator(mode="after")
    def _who(self) -> Self:
        if (self.users is None) == (self.population is None):
            raise ValueError("give users, or population with digest")
        if (self.population is None) != (self.digest is None):
            raise ValueError("population and digest are given together")
        if self.users is not None and len(set(self.users)) < len(self.users):
            raise ValueError("users has the same user more than once")
        for words in (*(self.users or ()), self.reward, self.version or "", self.series or ""):
            if re.search(r"[\0\ud800-\udfff]", words):
                raise ValueError("text has a NUL or half a character, which no store keeps")
        if self.criterion == "exact" and len(self.users or ()) + (self.population or 0) > MOST_EXACT:
            raise ValueError(f"criterion 'exact' compares all with all, {MOST_EXACT:,} users at most")
        if self.activation == "on_assign" and self.window_s is not None:
            raise ValueError("window_s is for activation on_shown")
        return self

    @classmethod
    def of(cls, asked: Any) -> Self:
        try:
            return cls.model_validate(asked)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"]) or "the audit"
            more = error.error_count() - 1
            others = f" ({more} more)" if more else ""
            raise InputError(f"{where}: {first['msg'].removeprefix('Value error, ')}{others}.") from None

    def settings(self) -> dict[str, Any]:
        """All but the ids. What must be shown must be so within the window: by default a tenth of the
        deadline."""
        kept = self.model_dump(exclude={"users", "activation"})
        if self.users is not None:
            kept |= {"population": len(self.users), "digest": digest_of(self.users)}
        if self.activation == "on_shown" and self.window_s is None:
            kept["window_s"] = self.deadline_s / 10
        return kept
