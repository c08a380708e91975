"""What a live audit can be asked: each value with its range."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from evenhand.envy.online.drawing import targets_and_arms
from evenhand.envy.online.system import digest_of
from evenhand.errors import InputError

MOST_EXACT = 1_000  # users whose policies are all tried by all
MOST_TARGETS = 10_000
MOST_TRIED = 1_000_000  # policies, over all targets
_LONGEST = 366 * 86_400.0  # seconds
Seconds = Annotated[float, Field(ge=0, le=_LONGEST, allow_inf_nan=False)]
Share = Annotated[float, Field(gt=0, lt=1, allow_inf_nan=False)]
Words = Annotated[str, Field(min_length=1, max_length=500)]


class AskedLiveAudit(BaseModel):
    """`users` are the ids of all users, or `population` says how many there are and `digest` which."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    users: Annotated[
        Annotated[tuple[Words, ...], Field(fail_fast=True, strict=False, min_length=2, max_length=1_000_000)]
        | None,
        Field(description="Ids of all users"),
    ] = None
    population: Annotated[
        Annotated[int, Field(ge=2, le=10**12)] | None,
        Field(description="Instead of users: how many there are. Places among them are drawn and answered"),
    ] = None
    digest: Annotated[
        Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")] | None,
        Field(description="With population: sha256 over the sorted ids, each as JSON and a line's end"),
    ] = None
    epsilon: Annotated[Share, Field(description="Envy up to so much is no envy")] = 0.05
    delta: Annotated[
        float, Field(gt=0, lt=0.5, allow_inf_nan=False, description="How likely it may be wrong, at most")
    ] = 0.05
    alpha: Annotated[Share, Field(description="The share of their own rewards that users may lose")] = 0.2
    gamma: Annotated[Share, Field(description="Envy of a smaller share of others is let pass")] = 0.1
    lambda_: Annotated[
        Share, Field(alias="lambda", description="Envy of a smaller share of users is let pass")
    ] = 0.1
    criterion: Annotated[
        Literal["probabilistic", "exact"], Field(description="A sample, or everybody with everybody")
    ] = "probabilistic"
    budget: Annotated[
        Annotated[int, Field(ge=1, le=10**9)] | None, Field(description="Assignments a user, at most")
    ] = None
    daily: Annotated[
        Annotated[int, Field(ge=1, le=10**6)] | None, Field(description="Assignments a user and day, at most")
    ] = None
    dropouts: Annotated[
        int, Field(ge=0, le=10**6, description="So many may leave, and the audit still decides")
    ] = 0
    deadline_s: Annotated[
        Seconds, Field(gt=0, description="Seconds from an assignment within which its reward is observed")
    ]
    grace_s: Annotated[Seconds, Field(description="Seconds after that in which it may still be reported")] = (
        60.0
    )
    reward: Annotated[Words, Field(description="What counts as a reward, in words")]
    activation: Annotated[
        Literal["on_shown", "on_assign"], Field(description="What counts: what was shown, or all")
    ] = "on_shown"
    unshown: Annotated[
        Literal["compare", "again", "worst"],
        Field(
            description="What was not shown in time is offered again: with 'compare' a claim must also hold "
            "with it as 0 and as 1, with 'worst' as the worst that it can be, with 'again' not"
        ),
    ] = "compare"
    window_s: Annotated[
        Annotated[Seconds, Field(gt=0)] | None,
        Field(description="Seconds within which it is shown, or withdrawn; a tenth of the deadline"),
    ] = None
    version: Annotated[
        Words | None, Field(description="The version of the policies; another ends the audit")
    ] = None
    series: Annotated[
        Words | None,
        Field(description="A name that successors share; the i-th of them spends delta 6 / (pi i)^2"),
    ] = None

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
        if self.window_s is not None and self.window_s > self.deadline_s:
            raise ValueError("window_s is longer than deadline_s, by which the reward is to be observed")
        self._refuse_too_many()
        return self

    def _refuse_too_many(self) -> None:
        """Before anything is drawn: shares of next to nobody would draw millions."""
        population = self.population or len(self.users or ())
        asked = (self.criterion, self.delta, self.gamma, self.lambda_, self.dropouts)
        try:
            targets, arms = targets_and_arms(population, *asked)
        except InputError as error:
            raise ValueError(str(error).rstrip(".")) from None
        if targets > MOST_TARGETS or targets * arms > MOST_TRIED:
            raise ValueError(
                f"this audits {targets:,} users with {arms:,} policies each, and {MOST_TARGETS:,} users and "
                f"{MOST_TRIED:,} policies are the most; take a larger lambda or gamma"
            )

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
