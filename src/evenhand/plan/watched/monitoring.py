"""`[monitoring]`: how a plan is followed from day to day, what raises a flag, and who is told."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from evenhand.asked.marks import COLUMN, Must
from evenhand.asked.sentences import guess
from evenhand.plan.strict import Strict
from evenhand.plan.watched.channels import AnyChannel, Name, named

Judged = Literal["violation", "inconclusive", "not_applicable"]
Value = Annotated[float | None, Field(allow_inf_nan=False)]
_BRACKETS = "a list of tables: write [[monitoring.{}]], with two brackets, above each"


class FlagRule(Strict):
    """Which findings raise a flag, when, and what follows."""

    name: Annotated[
        Name, Field(description="What the flag is called. Default: its id, measure or audit.")
    ] = ""
    audit: Annotated[
        str | None, Field(description="The audit whose findings are followed, such as series.")
    ] = None
    measure: Annotated[
        str | None, Field(description="The measure that is followed, such as daily_penalty.")
    ] = None
    id: Annotated[
        str | None,
        Field(
            max_length=500,
            description="Ids of the findings that are followed; * stands for anything, ? for one character.",
        ),
    ] = None
    when: Annotated[
        list[Judged] | Judged | None,
        Field(description="The verdict, or verdicts, that raise the flag. Default: violation."),
        Must("one of violation, inconclusive, not_applicable, or a list of several"),
    ] = None
    above: Annotated[
        Value, Field(description="In place of `when`: raised where the whole interval is above this value.")
    ] = None
    below: Annotated[
        Value, Field(description="In place of `when`: raised where the whole interval is below this value.")
    ] = None
    open_after: Annotated[
        int, Field(ge=1, le=366, description="Looks in a row after which the flag opens.")
    ] = 1
    close_after: Annotated[
        int,
        Field(
            ge=1,
            le=366,
            description="Looks in a row that show no cause, such as within the limit, after which the flag "
            "closes.",
        ),
    ] = 1
    then: Annotated[
        str | None, Field(max_length=1000, description="What follows, in words: who does what, by when.")
    ] = None
    tell: Annotated[
        list[str] | None,
        Field(description="Names of the channels that are told. Default: all of them."),
    ] = None

    @model_validator(mode="before")
    @classmethod
    def _named(cls, given: Any) -> Any:
        return named(given, "id", "measure", "audit")

    @model_validator(mode="after")
    def _says_what_and_when(self) -> FlagRule:
        if self.audit is None and self.measure is None and self.id is None:
            raise ValueError(f"the flag {self.name!r} follows nothing: give audit, measure or id")
        values = [key for key in ("above", "below") if getattr(self, key) is not None]
        if len(values) + (self.when is not None) > 1:
            raise ValueError(f"the flag {self.name!r} has several of when, above and below: give one")
        if self.when == []:
            raise ValueError(f"when of the flag {self.name!r} is empty: name a verdict")
        return self

    @property
    def verdicts(self) -> tuple[str, ...]:
        """The verdicts that raise it; none where a value does."""
        if self.above is not None or self.below is not None:
            return ()
        given = self.when or "violation"
        return (given,) if isinstance(given, str) else tuple(given)


class Monitoring(Strict):
    """How often the plan is looked at, and where the days are: the column `day` of its logs, or `{day}` in
    the paths of its inputs."""

    cadence: Annotated[Literal["day", "week"], Field(description="How often the plan is looked at.")] = "day"
    day: Annotated[
        str | None,
        Field(description="The column of the logs that says of which day a row is."),
        COLUMN,
    ] = None
    store: Annotated[
        str | None,
        Field(
            max_length=2000,
            description="Where days are kept: the path of a SQLite file from the plan's folder, or an "
            "address without a password.",
        ),
    ] = None
    page: Annotated[
        str | None,
        Field(max_length=2000, description="Where the page of the monitor is: a link or path for messages."),
    ] = None
    flags: Annotated[
        list[FlagRule],
        Field(max_length=1000, description="What raises a flag."),
        Must(_BRACKETS.format("flags")),
    ] = Field(default_factory=list)
    tell: Annotated[
        list[AnyChannel],
        Field(max_length=50, description="Who is told of flags, and how."),
        Must(_BRACKETS.format("tell")),
    ] = Field(default_factory=list)

    @model_validator(mode="after")
    def _names_are_one_each_and_known(self) -> Monitoring:
        channels = [one.name for one in self.tell]
        for what, names in (("flags", [one.name for one in self.flags]), ("channels", channels)):
            for name, times in Counter(names).items():
                if times > 1:
                    raise ValueError(
                        f"{times} {what} of [monitoring] are called {name!r}: give each its name"
                    )
        for rule in self.flags:
            for name in rule.tell or []:
                if name not in channels:
                    raise ValueError(
                        f"the flag {rule.name!r} tells {name!r}, but no [[monitoring.tell]] is called so"
                        f"{guess(name, channels)}"
                    )
        if self.tell and not self.flags:
            raise ValueError("there is [[monitoring.tell]] but no [[monitoring.flags]]: nobody would be told")
        return self

    def channels_of(self, rule: FlagRule) -> list[str]:
        """The channels that are told of its flags, in the order of the plan."""
        return [one.name for one in self.tell if rule.tell is None or one.name in rule.tell]
