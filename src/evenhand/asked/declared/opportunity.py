"""Do creators get equal opportunity, given what users like? And what else can be asked of the same logs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, Field

from evenhand.asked import written
from evenhand.asked.declared.logs import (
    MOST_ROWS,
    PENALTIES,
    RANDOM,
    AskedAgainstRandom,
    AskedOfItems,
    AskedOfLabels,
    AskedOfLogs,
    ItemStep,
    Log,
    LogStep,
    Penalty,
    Replicates,
    Variance,
    not_random,
)
from evenhand.asked.marks import Must, Table, Tables, Written
from evenhand.asked.types import HOW, OVER_TIME
from evenhand.errors import InputError


class AskedOpportunity(AskedOfItems):
    """What `evenhand.opportunity.audit` can be asked."""

    tolerance: Annotated[
        float | None,
        Field(
            gt=0,
            lt=1,
            description="Largest acceptable penalty t, and how far a group may be from the average; the "
            "worst ratio must be at least (1 - t)/(1 + t), which is 80% for 1/9.",
        ),
        PENALTIES,
        Written(default="1/9"),
    ] = 1 / 9
    interval: Annotated[
        Literal["hull", "delta", "ray", "percentile", "normal", "bca"],
        Field(description="How the penalty's interval is made."),
        HOW,
    ] = "hull"
    variance: Variance = "multinomial"
    replicates: Replicates = 10_000


class AskedSeries(AskedOfItems):
    """What `evenhand.opportunity.series` can be asked."""

    day: Annotated[
        str,
        Field(
            description="Column with the day: follow opportunity over time, day by day, not all rows at once."
        ),
        Written(metavar="COLUMN", section=OVER_TIME),
    ]
    tolerance: Penalty = 1 / 9
    period: Annotated[
        Literal["day", "week"],
        Field(description="With `day`: a 'day', or a 'week' from Monday, is one point of the series."),
        Written(section=OVER_TIME),
    ] = "day"
    window: Annotated[
        Annotated[int, Field(ge=1)] | Literal["weekday", "all"] | None,
        Field(
            description="With `day`: hold each day against random traffic of so many days, itself the last; "
            "or of its 'weekday', or 'all' of it."
        ),
        Written(default="1, or all where the random log has no days", section=OVER_TIME),
    ] = None
    baseline: Annotated[
        int,
        Field(ge=1, description="With `day`: changes are also against so many first days together."),
        Written(section=OVER_TIME),
    ] = 1
    judge: Annotated[
        Literal["any", "latest"],
        Field(
            description="With `day`: whether 'any' day outside the tolerance decides verdicts, or the "
            "'latest' day does."
        ),
        Written(section=OVER_TIME),
    ] = "any"


class AskedStages(AskedAgainstRandom):
    """What `evenhand.opportunity.stages` can be asked."""

    tolerance: Penalty = 1 / 9


class AskedBoost(AskedAgainstRandom):
    """What `evenhand.opportunity.boost` can be asked."""

    weights: Annotated[
        dict[str, Annotated[float, Field(gt=0, le=1_000)]] | Literal["search"],
        Field(description="How many times as often rows of a group shall come. Repeat it."),
        Must(
            '"search" or a table of groups and how many times as often they come, above 0 and at most 1,000, '
            "such as {young = 1.25}"
        ),
        Written(
            "--weight", "GROUP=TIMES", read=written.by_group, repeated=True,
            default="search for the weights with the least penalty",
        ),
    ]  # fmt: skip
    limit: Annotated[
        float,
        Field(gt=1, le=1_000, description="For a search: the largest weight over the smallest, at most."),
    ] = 2.0
    tolerance: Penalty = 1 / 9


class AskedParity(AskedOfLogs):
    """What `evenhand.opportunity.parity` can be asked."""

    requests: Annotated[
        float | None,
        Field(ge=1, le=MOST_ROWS, description="How many requests the log comes from, if known."),
    ] = None
    tolerance: Annotated[
        float | None, Field(gt=0, lt=1, description="Largest acceptable penalty."), PENALTIES
    ] = None


class AskedUserPrecision(AskedOfLabels):
    """What `evenhand.opportunity.user_precision` can be asked."""

    tolerance: Penalty = 1 / 9


# What a look at a day finds, for the audit as for the series.
_FOUND_DAILY = {
    "series": (
        "running_penalty",
        "daily_penalty",
        "daily_relative_utility",
        "daily_worst_ratio",
        "penalty_change",
    )
}


class OpportunityStep(ItemStep, AskedOpportunity):
    """Do creators get equal opportunity, given what users like?

    Compares how often liked items of each group are shown (default traffic) with how often users like them
    when anything is shown (random traffic). With --day it does so day by day, with intervals that hold on
    every day at once.
    """

    calls: ClassVar[str] = "evenhand.opportunity:audit"
    in_parts: ClassVar[str | None] = "evenhand.opportunity:half_logs"
    follows: ClassVar[str | None] = "evenhand.opportunity:followed"
    found_daily: ClassVar[Mapping[str, Sequence[str]]] = _FOUND_DAILY

    audit: Literal["opportunity"] = "opportunity"
    default: Log


class SeriesStep(ItemStep, AskedSeries):
    """One default log day by day against random traffic."""

    calls: ClassVar[str] = "evenhand.opportunity:series"
    follows: ClassVar[str | None] = "evenhand.opportunity:followed"
    found_daily: ClassVar[Mapping[str, Sequence[str]]] = _FOUND_DAILY
    asked_by: ClassVar[str | None] = "day"

    audit: Literal["series"] = "series"
    default: Log


class StagesStep(LogStep, AskedStages):
    """Which stage of the system makes opportunity unequal? Each stage against the one before."""

    calls: ClassVar[str] = "evenhand.opportunity:stages"
    in_parts: ClassVar[str | None] = "evenhand.opportunity:half_stages"

    audit: Literal["stages"] = "stages"
    stages: Annotated[
        dict[str, str],
        Tables("log", "recall=logs/recall.parquet"),
        Field(
            min_length=2,
            description="Log of what was shown after a stage; repeat it, in the order of the stages. The "
            "last is default traffic.",
        ),
        Must("two stages or more, in their order"),
        AfterValidator(not_random),
        Written("--stage"),
    ]
    random: Annotated[str, *RANDOM]

    def arguments(self, tables: Mapping[str, Any]) -> dict[str, Any]:
        given = self.given(tables)
        return given | {"logs": {"random": given.pop("random")} | given.pop("stages")}


class BoostStep(LogStep, AskedBoost):
    """What would showing some groups more often do to equal opportunity?

    A search looks at one half of the data, and what it found is judged on the other.
    """

    calls: ClassVar[str] = "evenhand.opportunity:boost"

    audit: Literal["boost"] = "boost"
    default: Log
    random: Annotated[str, *RANDOM]

    @classmethod
    def read_together(cls, content: dict[str, Any], flags: Mapping[str, str]) -> dict[str, Any]:
        if "weights" in content and "limit" in content:
            raise InputError(
                f"{flags['limit']} is for a search, and {flags['weights']} says what to try: leave one of "
                "them out."
            )
        return {"weights": "search"} | content


class ParityStep(LogStep, AskedParity):
    """Are groups shown in proportion to what they offer, whatever users like?"""

    calls: ClassVar[str] = "evenhand.opportunity:parity"
    in_parts: ClassVar[str | None] = "evenhand.opportunity:half_parity"

    audit: Literal["parity"] = "parity"
    default: Log
    catalogue: Annotated[
        str,
        Table(called="catalogue"),
        Field(description="Table of all items, a row an item, with the group's column."),
    ]


class UserPrecisionStep(LogStep, AskedUserPrecision):
    """Are users of all groups shown what they like?"""

    calls: ClassVar[str] = "evenhand.opportunity:user_precision"
    in_parts: ClassVar[str | None] = "evenhand.opportunity:half_precision"

    audit: Literal["user_precision"] = "user_precision"
    default: Log
