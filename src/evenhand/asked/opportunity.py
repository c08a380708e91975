"""Do creators get equal opportunity, given what users like? And what else can be asked of the same logs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, Field, ValidationInfo

from evenhand.asked import written
from evenhand.asked.marks import COLUMN, Must, Table, Tables, Written
from evenhand.asked.model import Asked
from evenhand.asked.step import Step
from evenhand.asked.types import HOW, OVER_TIME, Level, below
from evenhand.errors import InputError

Log = Annotated[
    str,
    Table(called="default log", several=True),
    Field(description="Log of default traffic: a path or a quoted glob. Repeat it."),
]
RANDOM = (
    Table(called="random log", several=True),
    Field(description="Log of uniformly random traffic: a path or a quoted glob. Repeat it."),
)
PENALTIES = below(1, "a penalty", above=True)
Penalty = Annotated[
    float | None,
    Field(gt=0, lt=1, description="Largest acceptable penalty."),
    PENALTIES,
    Written(default="1/9"),
]
Replicates = Annotated[
    int, Field(ge=100, le=1_000_000, description="How often rows are drawn again by a bootstrap."), HOW
]
Variance = Annotated[
    Literal["multinomial", "independent"],
    Field(description="'independent' is as published (Algorithms 1 and 2), and too narrow."),
    HOW,
]


class AskedOfLogs(Asked):
    """What every audit of logs can be asked."""

    group: Annotated[
        str | list[str],
        Field(
            description="Column with the group, in the logs or in `attributes`. Repeat it for combinations."
        ),
        COLUMN,
    ]
    cluster: Annotated[
        str | list[str] | None,
        Field(
            description="Column with the user, whose rows depend on each other. Repeat it with the column of "
            "items or creators to speak of others like these."
        ),
        COLUMN,
    ] = None
    on: Annotated[
        str | list[str] | None,
        Field(description="Key column(s) that `attributes` shares with the logs."),
        COLUMN,
    ] = None
    missing: Annotated[
        Literal["refuse", "group", "exclude"],
        Field(description="Rows without a group: 'refuse', make them a 'group', or 'exclude' them."),
    ] = "refuse"
    # What is in these two is checked, and refused in one sentence, where the question is made.
    bins: Annotated[
        dict[str, Any] | None,
        Field(description="Bands of a number that is a `group`: age=18,25,35. Repeat it."),
        Must("a table of columns and the edges of their bands, such as {'age': [18, 25, 35]}"),
        Written(metavar="COLUMN=EDGES", read=written.edges, repeated=True),
    ] = None
    where: Annotated[
        dict[str, Any] | None,
        Field(
            description="Look at these rows of all logs only: country=DE. Repeat it: several values of one "
            "column are any of them, several columns all of them."
        ),
        Must("a table of columns and their values, such as {'country': 'DE'}"),
        Written(metavar="COLUMN=VALUE", read=written.conditions, repeated=True),
    ] = None
    level: Level = 0.95


class AskedOfLabels(AskedOfLogs):
    """What audits of what users liked can be asked."""

    label: Annotated[
        str | list[str],
        Field(description="0/1 column that says what users liked; repeat it for 'any of them'."),
        COLUMN,
    ]


class AskedAgainstRandom(AskedOfLabels):
    """What audits can be asked that hold logs against random traffic."""

    probability: Annotated[
        str | None,
        Field(
            description="Column of `random` with the probability, up to one factor, with which each row was "
            "drawn; without it random traffic is uniform."
        ),
        COLUMN,
    ] = None


class AskedOfItems(AskedAgainstRandom):
    """What those of them can be asked that look whether random traffic is random."""

    item: Annotated[
        str | None,
        Field(description="Column of `random` with the item: say first whether that log is random."),
        COLUMN,
    ] = None
    item_by: Annotated[
        str | list[str] | None,
        Field(
            description="With `item`: column of `random` with a day or an attribute of the user; say whether "
            "what is drawn depends on it. Repeat it."
        ),
        COLUMN,
    ] = None


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


class AskedOfDifferences(AskedOfItems):
    """What audits of A/B tests can be asked."""

    tolerance: Annotated[
        float | None,
        Field(gt=0, lt=1, description="How much larger than the baseline's a penalty may be."),
        PENALTIES,
    ] = None
    split_by: Annotated[
        str | None,
        Field(
            description="Column that was known of users before they were assigned, or the phase in which "
            "they were: look at its values one by one, too."
        ),
        COLUMN,
    ] = None
    interval: Annotated[
        Literal["hull", "delta", "welch", "normal", "percentile", "bca"],
        Field(
            description="How the interval of a change is made; welch and normal are the published Algorithms "
            "3 and 4."
        ),
        HOW,
    ] = "hull"
    variance: Variance = "multinomial"
    shared_random: Annotated[
        bool,
        Field(description="Use that all arms share the random log; the published Algorithm 2 does not."),
        HOW,
    ] = True
    near_fair: Annotated[
        Literal["bounds", "mover"],
        Field(description="How a change is bounded where both arms are nearly fair."),
        HOW,
    ] = "bounds"
    replicates: Replicates = 10_000
    folds: Annotated[
        int,
        Field(ge=2, le=500, description="Parts that the logs are divided into by the interval welch."),
        HOW,
    ] = 20


Shares = dict[str, float]
Split = Annotated[
    Shares | dict[str, Shares | Literal["equal"]] | Literal["equal", "any"],
    Must(
        "'equal', 'any', the share of every arm, or for every value of split_by the share of every arm or "
        "'equal'"
    ),
]
SPLIT = (
    "Planned share of users in an arm; repeat it for every arm{}. Where it differs between values of "
    "`split_by`, such as the phases of a ramp-up: of each VALUE, in the order in which users come to them; "
    "{} for an equal one. 'any' where users were not assigned."
)


class AskedExperiments(AskedOfDifferences):
    """What `evenhand.opportunity.experiments` can be asked."""

    switching: Annotated[
        Literal["refuse", "keep"],
        Field(
            description="Users in several arms of one experiment: 'refuse' them, or 'keep' and count them."
        ),
    ] = "refuse"


class AskedStages(AskedAgainstRandom):
    """What `evenhand.opportunity.stages` can be asked."""

    tolerance: Penalty = 1 / 9


class AskedBoost(AskedAgainstRandom):
    """What `evenhand.opportunity.boost` can be asked."""

    limit: Annotated[
        float,
        Field(gt=1, le=1_000, description="For a search: the largest weight over the smallest, at most."),
    ] = 2.0
    tolerance: Penalty = 1 / 9


class AskedParity(AskedOfLogs):
    """What `evenhand.opportunity.parity` can be asked."""

    requests: Annotated[
        float | None,
        Field(ge=1, le=10**15, description="How many requests the log comes from, if known."),
    ] = None
    tolerance: Annotated[
        float | None, Field(gt=0, lt=1, description="Largest acceptable penalty."), PENALTIES
    ] = None


class AskedUserPrecision(AskedOfLabels):
    """What `evenhand.opportunity.user_precision` can be asked."""

    tolerance: Penalty = 1 / 9


def _not_random(given: dict[str, str], info: ValidationInfo) -> dict[str, str]:
    if "random" in given:
        one = {"arms": "an arm", "stages": "a stage"}[str(info.field_name)]
        raise ValueError(f"{one} is called 'random', which is the name of the random log: rename it")
    return given


class _LogStep(Step):
    """What all steps about logs name, and how their columns are looked at before any is read."""

    checks: ClassVar[str | None] = "evenhand.opportunity:check_before_reading"

    attributes: Annotated[
        str | None,
        Table(called="attributes"),
        Field(description="Table that holds the group, if the logs do not."),
    ] = None


class _ItemStep(_LogStep):
    random: Annotated[str | None, *RANDOM] = None
    catalogue: Annotated[
        str | None,
        Table(called="catalogue"),
        Field(description="With `item`: table with that column, of all items that could be drawn."),
    ] = None


class OpportunityStep(_ItemStep, AskedOpportunity):
    """Do creators get equal opportunity, given what users like?

    Compares how often liked items of each group are shown (default traffic) with how often users like them
    when anything is shown (random traffic). With --day it does so day by day, with intervals that hold on
    every day at once.
    """

    calls: ClassVar[str] = "evenhand.opportunity:audit"

    audit: Literal["opportunity"] = "opportunity"
    default: Log


class SeriesStep(_ItemStep, AskedSeries):
    """One default log day by day against random traffic."""

    calls: ClassVar[str] = "evenhand.opportunity:series"
    asked_by: ClassVar[str | None] = "day"

    audit: Literal["series"] = "series"
    default: Log


class CompareStep(_ItemStep, AskedOfDifferences):
    """Does a change to the system change who gets opportunity? An A/B test with any number of arms."""

    calls: ClassVar[str] = "evenhand.opportunity:compare"

    audit: Literal["compare"] = "compare"
    arms: Annotated[
        dict[str, str],
        Tables("log", "control=logs/control.parquet"),
        Field(min_length=2, description="Log of an arm; the first one is the baseline. Repeat it."),
        Must("two arms or more, the baseline first"),
        AfterValidator(_not_random),
        Written("--arm"),
    ]

    split: Annotated[
        Split,
        Field(description=SPLIT.format("", "VALUE:equal")),
        Written(metavar="[VALUE:]ARM=SHARE", read=written.as_it_is, repeated=True, default="equal"),
    ] = "equal"

    @classmethod
    def read_together(cls, content: dict[str, Any], flags: Mapping[str, str]) -> dict[str, Any]:
        if "split" in content:
            shares = written.split(content["split"], content["arms"], content.get("split_by"))
            content["split"] = shares
        return content


class ExperimentsStep(_ItemStep, AskedExperiments):
    """Which of the changes that are tried at the same time change who gets opportunity?

    One log with a column for each experiment, whose values are its arms; all A/B tests at once, corrected for
    their number.
    """

    calls: ClassVar[str] = "evenhand.opportunity:experiments"

    audit: Literal["experiments"] = "experiments"
    default: Log
    columns: Annotated[
        list[str] | dict[str, str | list[str]],
        Field(
            description="Column that says which arm a row is in. After =, the baseline, or the arms with the "
            "baseline first; otherwise the first value in order is the baseline. Repeat it."
        ),
        Must("columns, or a table of columns and their arms, the baseline first"),
        Written("--experiment", "COLUMN[=ARM,...]", read=written.columns_and_arms, repeated=True),
    ]
    split: Annotated[
        dict[str, Split] | Literal["equal", "any"],
        Field(description=SPLIT.format(" of an experiment that is not split equally", "COLUMN:VALUE:equal")),
        Must("'equal', 'any', or the planned shares of every experiment that is not split equally"),
        Written(metavar="COLUMN:[VALUE:]ARM=SHARE", read=written.as_it_is, repeated=True, default="equal"),
    ] = "equal"

    @classmethod
    def read_together(cls, content: dict[str, Any], flags: Mapping[str, str]) -> dict[str, Any]:
        if "split" in content:
            content["split"] = written.splits(content["split"], content["columns"], content.get("split_by"))
        return content


class StagesStep(_LogStep, AskedStages):
    """Which stage of the system makes opportunity unequal? Each stage against the one before."""

    calls: ClassVar[str] = "evenhand.opportunity:stages"

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
        AfterValidator(_not_random),
        Written("--stage"),
    ]
    random: Annotated[str, *RANDOM]

    def arguments(self, tables: Mapping[str, Any]) -> dict[str, Any]:
        given = self.given(tables)
        return given | {"logs": {"random": given.pop("random")} | given.pop("stages")}


class BoostStep(_LogStep, AskedBoost):
    """What would showing some groups more often do to equal opportunity?

    A search looks at one half of the data, and what it found is judged on the other.
    """

    calls: ClassVar[str] = "evenhand.opportunity:boost"

    audit: Literal["boost"] = "boost"
    default: Log
    random: Annotated[str, *RANDOM]
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

    @classmethod
    def read_together(cls, content: dict[str, Any], flags: Mapping[str, str]) -> dict[str, Any]:
        if "weights" in content and "limit" in content:
            raise InputError(
                f"{flags['limit']} is for a search, and {flags['weights']} says what to try: leave one of "
                "them out."
            )
        return {"weights": "search"} | content


class ParityStep(_LogStep, AskedParity):
    """Are groups shown in proportion to what they offer, whatever users like?"""

    calls: ClassVar[str] = "evenhand.opportunity:parity"

    audit: Literal["parity"] = "parity"
    default: Log
    catalogue: Annotated[
        str,
        Table(called="catalogue"),
        Field(description="Table of all items, a row an item, with the group's column."),
    ]


class UserPrecisionStep(_LogStep, AskedUserPrecision):
    """Are users of all groups shown what they like?"""

    calls: ClassVar[str] = "evenhand.opportunity:user_precision"

    audit: Literal["user_precision"] = "user_precision"
    default: Log
