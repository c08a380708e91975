"""Would a user be better off with another user's recommendations?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator

from evenhand.asked.marks import COLUMN, Location, Must, Table, Written
from evenhand.asked.model import Asked
from evenhand.asked.step import Step
from evenhand.asked.types import Level, below
from evenhand.asked.written import whole_numbers


class AskedEnvy(Asked):
    """What `evenhand.envy.audit` can be asked."""

    epsilon: Annotated[
        float,
        Field(
            ge=0,
            allow_inf_nan=False,
            description="How much more utility another policy must give to count, in the unit of the "
            "preferences; also the tolerance of envy between groups.",
        ),
    ] = 0.05
    gamma: Annotated[
        float, Field(ge=0, le=1, description="Share of policies that may be better by that.")
    ] = 0.1
    tolerance: Annotated[
        float | None,
        Field(
            ge=0,
            lt=1,
            description="Share of users that may be envious (lambda), of all and of each group; the "
            "tolerance of envy between groups is `epsilon`.",
        ),
        below(1, "a share of users"),
    ] = 0.1
    inverse_temperature: Annotated[
        float | None,
        Field(
            ge=0,
            allow_inf_nan=False,
            description="Sharpness of the softmax that turns scores, or preferences, into policies; 0 is "
            "uniform. Needed, unless `policies` are a table.",
        ),
    ] = None
    missing: Annotated[
        float | None,
        Field(allow_inf_nan=False, description="The preference of pairs that the table does not list."),
    ] = None
    group: Annotated[
        str | list[str] | None,
        Field(description="Attribute of users; repeat it for combinations."),
        COLUMN,
    ] = None
    sample: Annotated[
        tuple[Annotated[int, Field(ge=2, le=10_000_000)], Annotated[int, Field(ge=2, le=1_000_000)]] | None,
        Field(
            strict=False,
            description="Look at so many users, drawn at random, and so many policies for each, such as "
            "2000,200. Without it everybody is looked at, which is exact.",
        ),
        Must("two whole numbers: users, from 2 to 10,000,000, and policies for each, from 2 to 1,000,000"),
        Written(metavar="USERS,POLICIES", read=whole_numbers),
    ] = None
    top: Annotated[
        int,
        Field(ge=0, le=1000, description="Name so many users who envy most by their ids; 0 names nobody."),
    ] = 0
    level: Level = 0.95

    @model_validator(mode="after")
    def _a_sample_needs_a_share(self) -> AskedEnvy:
        if self.sample is not None and self.gamma == 0:
            raise ValueError(
                "gamma is 0, but whether a single policy is better cannot be told from a sample of "
                "policies; use a gamma above 0, or no sample"
            )
        return self


class EnvyStep(Step, AskedEnvy):
    """Audit who would be better off with whose recommendations, where preferences are known.

    Compares what every user gets from their own policy with what they would get from those of all others, or
    of a sample: average envy, the share of envious users, who envies whom, and envy in and between groups.
    """

    calls: ClassVar[str] = "evenhand.envy:audit"
    unparted: ClassVar[str] = (
        "whom a user may envy are all other users, and of half of them it is another question"
    )

    audit: Literal["envy"] = "envy"
    preferences: Annotated[
        str | None,
        Table(("user_id", "item_id", "preference"), several=True),
        Field(description="Table of user_id, item_id, preference: what everybody likes."),
    ] = None
    policies: Annotated[
        str | None,
        Table(("user_id", "item_id", "probability"), several=True),
        Field(
            description="Table of user_id, item_id, probability: how often each user is shown what. Needed, "
            "unless `inverse_temperature` makes policies."
        ),
    ] = None
    model: Annotated[
        str | None,
        Location(otherwise="preferences or policies"),
        Field(
            description="Folder of a trained model: its scores are the preferences, or with `preferences` "
            "make the policies."
        ),
    ] = None
    users: Annotated[
        str | None,
        Table(("user_id",)),
        Field(description="Table of user_id and `group`, for envy in each group and between groups."),
    ] = None

    @model_validator(mode="after")
    def _enough_and_not_too_much(self) -> EnvyStep:
        if not self.preferences and not self.model:
            raise ValueError(
                "an envy audit needs preferences: a table of them, or a model (on the command line "
                "--preferences or --model)"
            )
        if self.preferences and self.policies and self.model:
            raise ValueError("preferences and policies are both tables, so leave the model out")
        if self.missing is not None and not self.preferences:
            raise ValueError("missing is about a table of preferences, and a model scores every pair")
        # A table of policies is a policy already; everything else becomes one by a softmax.
        if self.policies and self.inverse_temperature is not None:
            raise ValueError(
                "policies are a table of probabilities, so leave inverse_temperature (on the command line "
                "--inverse-temperature) out"
            )
        if not self.policies and self.inverse_temperature is None:
            scores = "the scores of the model" if self.model else "the preferences"
            raise ValueError(
                f"policies are missing: give a table of them, or the inverse_temperature of a softmax over "
                f"{scores} (on the command line --policies or --inverse-temperature)"
            )
        if self.group and not self.users:
            raise ValueError(
                "group is a column of users, so say which table they are in (users, on the command line "
                "--users)"
            )
        if self.users and not self.group:
            raise ValueError(
                "users are there for their groups, so say which column (group, on the command line --group)"
            )
        return self

    def check(self, tables: Mapping[str, Any]) -> None:
        super().check(tables)
        if self.users and self.group:
            tables[self.users].require(*([self.group] if isinstance(self.group, str) else self.group))

    def arguments(self, tables: Mapping[str, Any]) -> dict[str, Any]:
        given = self.given(tables)
        model = given.pop("model")
        if model is not None:
            given["policies" if self.preferences else "preferences"] = model
        return given | {"groups": given.pop("users")}
