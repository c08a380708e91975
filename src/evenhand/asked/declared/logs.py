"""What every audit of logs can be asked, and which tables it names."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, ValidationInfo, WithJsonSchema

from evenhand.asked import written
from evenhand.asked.marks import COLUMN, Must, Table, Written
from evenhand.asked.model import Asked
from evenhand.asked.step import Step
from evenhand.asked.types import HOW, Level

# What sums of a few thousand of them cannot bring out of the range of whole numbers.
MOST_ROWS = 10**15
Log = Annotated[
    str,
    Table(called="default log", several=True),
    Field(description="Log of default traffic: a path or a quoted glob. Repeat it."),
]
RANDOM = (
    Table(called="random log", several=True),
    Field(description="Log of uniformly random traffic: a path or a quoted glob. Repeat it."),
)
Attributes = Annotated[
    str | None,
    Table(called="attributes"),
    Field(description="Table that holds the group, if the logs do not."),
]
On = Annotated[
    str | list[str] | None,
    Field(description="Key column(s) that `attributes` shares with the logs."),
    COLUMN,
]
Missing = Annotated[
    Literal["refuse", "group", "exclude"],
    Field(
        description="Rows without a group, or whose key `attributes` lacks: 'refuse', make them a 'group', "
        "or 'exclude' them."
    ),
]
# What is in these two is checked, and refused in one sentence, where the question is made.
Bins = Annotated[
    dict[str, Any] | None,
    Field(description="Bands of a number that is a `group`: age=18,25,35. Repeat it."),
    Must("a table of columns and the edges of their bands, such as {'age': [18, 25, 35]}"),
    Written(metavar="COLUMN=EDGES", read=written.edges, repeated=True),
]
_VALUE = {"type": ["string", "integer", "boolean"]}
_VALUES = {"anyOf": [_VALUE, {"type": "array", "items": _VALUE, "minItems": 1}]}
_OTHERS = {
    "type": "object", "properties": {"not": _VALUES}, "required": ["not"], "additionalProperties": False
}  # fmt: skip
# Rows by the values of columns: any of these, or, with `not`, any others.
CHOSEN_ROWS = (
    Must("a table of columns and their values, such as {'country': 'DE'} or {'country': {'not': 'DE'}}"),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "object", "additionalProperties": {"anyOf": [_VALUES, _OTHERS]}},
                {"type": "null"},
            ],
            "default": None,
        }
    ),
)
Where = Annotated[
    dict[str, Any] | None,
    Field(
        description="Look at these rows of all logs only: country=DE, or all others: country!=DE. Repeat it: "
        "several values of one column are any of them, several columns all of them."
    ),
    *CHOSEN_ROWS,
    Written(metavar="COLUMN=VALUE", read=written.conditions, repeated=True),
]
Probability = Annotated[
    str | None,
    Field(
        description="Column of `random` with the probability, up to one factor, with which each row was "
        "drawn; without it random traffic is uniform."
    ),
    COLUMN,
]
PENALTIES = Must(
    "a number above 0 and below 1",
    beyond="where half of the groups get nothing at all, the penalty is 1",
)
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
    Field(description="How counts vary; 'independent' is as published (Algorithms 1 and 2), and too narrow."),
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
    on: On = None
    missing: Missing = "refuse"
    bins: Bins = None
    where: Where = None
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

    probability: Probability = None


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


def not_random(given: dict[str, str], info: ValidationInfo) -> dict[str, str]:
    if "random" in given:
        one = {"arms": "an arm", "stages": "a stage"}[str(info.field_name)]
        raise ValueError(f"{one} is called 'random', which is the name of the random log: rename it")
    return given


class LogStep(Step):
    """What all steps about logs name, and how their columns are looked at before any is read."""

    checks: ClassVar[str | None] = "evenhand.opportunity:check_before_reading"

    unparted: ClassVar[str] = "no user column is named: name it as its cluster"

    attributes: Attributes = None

    @property
    def user_column(self) -> str | None:
        """The first cluster, whose rows stay together."""
        cluster: str | list[str] | None = getattr(self, "cluster", None)
        return cluster[0] if isinstance(cluster, list) and cluster else cluster or None  # type: ignore[return-value]


class ItemStep(LogStep):
    random: Annotated[str | None, *RANDOM] = None
    catalogue: Annotated[
        str | None,
        Table(called="catalogue"),
        Field(description="With `item`: table with that column, of all items that could be drawn."),
    ] = None
