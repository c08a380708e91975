"""Does a change to the system change who gets opportunity? One A/B test, or all that run at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, Field

from evenhand.asked import written
from evenhand.asked.declared.logs import (
    PENALTIES,
    AskedOfItems,
    ItemStep,
    Log,
    Replicates,
    Variance,
    not_random,
)
from evenhand.asked.marks import COLUMN, Must, Tables, Written
from evenhand.asked.types import HOW


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
PLANNED = Must(
    "'equal', 'any', the share of every arm, or for every value of split_by the share of every arm or 'equal'"
)
PLANS = Must("'equal', 'any', or the planned shares of every experiment that is not split equally")
EXPERIMENTS = Must("columns, or a table of columns and their arms, the baseline first")
Split = Annotated[Shares | dict[str, Shares | Literal["equal"]] | Literal["equal", "any"], PLANNED]
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


class CompareStep(ItemStep, AskedOfDifferences):
    """Does a change to the system change who gets opportunity? An A/B test with any number of arms."""

    calls: ClassVar[str] = "evenhand.opportunity:compare"
    in_parts: ClassVar[str | None] = "evenhand.opportunity:arms_at_random"

    audit: Literal["compare"] = "compare"
    arms: Annotated[
        dict[str, str],
        Tables("log", "control=logs/control.parquet"),
        Field(min_length=2, description="Log of an arm; the first one is the baseline. Repeat it."),
        Must("two arms or more, the baseline first"),
        AfterValidator(not_random),
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


class ExperimentsStep(ItemStep, AskedExperiments):
    """Which of the changes that are tried at the same time change who gets opportunity?

    One log with a column for each experiment, whose values are its arms; all A/B tests at once, corrected for
    their number.
    """

    calls: ClassVar[str] = "evenhand.opportunity:experiments"
    in_parts: ClassVar[str | None] = "evenhand.opportunity:experiments_at_random"

    audit: Literal["experiments"] = "experiments"
    default: Log
    columns: Annotated[
        list[str] | dict[str, str | list[str]],
        Field(
            description="Column that says which arm a row is in. After =, the baseline, or the arms with the "
            "baseline first; otherwise the first value in order is the baseline. Repeat it."
        ),
        EXPERIMENTS,
        Written("--experiment", "COLUMN[=ARM,...]", read=written.columns_and_arms, repeated=True),
    ]
    split: Annotated[
        dict[str, Split] | Literal["equal", "any"],
        Field(description=SPLIT.format(" of an experiment that is not split equally", "COLUMN:VALUE:equal")),
        PLANS,
        Written(metavar="COLUMN:[VALUE:]ARM=SHARE", read=written.as_it_is, repeated=True, default="equal"),
    ] = "equal"

    @classmethod
    def read_together(cls, content: dict[str, Any], flags: Mapping[str, str]) -> dict[str, Any]:
        if "split" in content:
            content["split"] = written.splits(content["split"], content["columns"], content.get("split_by"))
        return content
