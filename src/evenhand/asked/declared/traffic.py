"""How much random traffic, and for how many days, would answer the question?"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import Field

from evenhand.asked import written
from evenhand.asked.declared.logs import MOST_ROWS, RANDOM, Attributes, Bins, Missing, On, Probability, Where
from evenhand.asked.marks import COLUMN, Must, Table, Written
from evenhand.asked.model import Asked
from evenhand.asked.step import Question
from evenhand.asked.types import ASSUMED, PILOT, Level

# Less than anybody means, and enough for quotients to stay numbers.
LEAST_AMOUNT = 1e-6
# One row in a million million: less than any log can tell from none.
LEAST_SHARE = 1e-12
# Nobody plans a log of more than ten years.
MOST_DAYS = 3_650

OF_PILOT, OF_RATES = Written(section=PILOT), Written(section=ASSUMED)
Share = Annotated[float, Field(ge=LEAST_SHARE, le=0.99)]


class AskedTraffic(Asked):
    """What `evenhand.opportunity.plan_traffic` can be asked."""

    rows_a_day: Annotated[
        float,
        Field(
            ge=LEAST_AMOUNT,
            le=MOST_ROWS,
            description="Rows of default traffic that are logged a day; in an A/B test, in each arm.",
        ),
    ]
    random_share: Annotated[
        Share | list[Share] | None,
        Field(description="Share of all traffic that is random, such as .01; repeat it to compare several."),
        Must("a share from one in a million million to 0.99, or a list of several"),
    ] = None
    random_rows_a_day: Annotated[
        float | None,
        Field(
            ge=LEAST_AMOUNT,
            le=MOST_ROWS,
            description="Rows of random traffic a day, in place of `random_share`.",
        ),
    ] = None
    half_width: Annotated[
        float | None,
        Field(
            ge=LEAST_AMOUNT,
            le=1,
            description="How far the interval may reach to either side, such as .02.",
        ),
    ] = None
    of: Annotated[
        str,
        Field(description="Whose interval: 'penalty', or a group's relative utility."),
        Written(metavar="GROUP"),
    ] = "penalty"
    treatment: Annotated[
        dict[Any, Any] | None,
        Field(
            description="An A/B test that shall find it when a group gets FACTOR times its opportunity; "
            "repeat it."
        ),
        Must("a table of groups and the factors of their opportunity, such as {'young': 1.2}"),
        Written(metavar="GROUP=FACTOR", read=written.by_group, repeated=True),
    ] = None
    power: Annotated[
        float | None,
        Field(ge=0.5, le=0.99, description="Share of such A/B tests that shall find it."),
        Written(default="0.8"),
    ] = None
    days: Annotated[
        float | None,
        Field(
            gt=0,
            le=MOST_DAYS,
            description="The days that there are: which share of random traffic is needed then?",
        ),
    ] = None
    importance: Annotated[
        float | None,
        Field(
            ge=0.001,
            le=0.999,
            description="With `days`: the weight of accuracy against relevance, above 0 and below 1, for "
            "the best balance.",
        ),
    ] = None
    level: Level = 0.95
    label: Annotated[
        str | list[str] | None,
        Field(description="0/1 column that says what users liked; repeat it for 'any of them'."),
        COLUMN,
        OF_PILOT,
    ] = None
    group: Annotated[
        str | list[str] | None,
        Field(
            description="Column with the group, in the logs or in `attributes`. Repeat it for combinations."
        ),
        COLUMN,
        OF_PILOT,
    ] = None
    cluster: Annotated[
        str | None,
        Field(description="Column with the user, whose rows depend on each other."),
        COLUMN,
        OF_PILOT,
    ] = None
    on: Annotated[On, OF_PILOT] = None
    missing: Annotated[Missing, OF_PILOT] = "refuse"
    bins: Annotated[Bins, OF_PILOT] = None
    where: Annotated[Where, OF_PILOT] = None
    probability: Annotated[Probability, OF_PILOT] = None
    rates: Annotated[
        dict[Any, Any] | None,
        Field(description="Share of all pairs that are liked and of this group. Repeat it."),
        Must("a table of groups and their shares of all pairs, such as {'young': 0.02}"),
        Written("--rate", "GROUP=SHARE", read=written.by_group, repeated=True),
        OF_RATES,
    ] = None
    utilities: Annotated[
        dict[Any, Any] | None,
        Field(description="How many times as often they come in default traffic. Repeat it."),
        Must("a table of groups and how many times as often they come, such as {'young': 1.5}"),
        Written("--utility", "GROUP=TIMES", read=written.by_group, repeated=True),
        OF_RATES,
    ] = None
    design_effect: Annotated[
        float,
        Field(
            ge=LEAST_AMOUNT,
            allow_inf_nan=False,
            description="How many dependent rows are worth one independent row.",
        ),
        OF_RATES,
    ] = 1.0


class TrafficQuestion(Question, AskedTraffic):
    """How much random traffic, and for how many days, would answer the question?

    From a pilot (--default, --random, --label, --group) or from assumed rates (--rate, --utility), for an
    audit that shall be exact (--half-width) or an A/B test that shall find a change (--treatment). With
    --days the days are given and the share of random traffic is looked for.
    """

    calls: ClassVar[str] = "evenhand.opportunity:plan_traffic"

    default: Annotated[
        str | list[str] | None,
        Table(several=True),
        Field(description="Log of default traffic: a path or a quoted glob. Repeat it."),
        OF_PILOT,
    ] = None
    random: Annotated[str | list[str] | None, *RANDOM, OF_PILOT] = None
    attributes: Annotated[Attributes, OF_PILOT] = None
