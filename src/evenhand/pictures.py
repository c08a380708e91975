"""The data of pictures that findings bring along: a small closed set, by shape.

What a picture looks like is the report's matter; here is only what it shows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Aim = Literal["half_width", "power"]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Limits(_Frozen):
    low: float
    high: float


class Blank(_Frozen):
    """A day, or week, of which there is too little, or that is not published."""

    day: str
    estimate: None = None
    n: int | None = None


class Day(_Frozen):
    """One day, or week: `low` and `high` hold for all of them at once, `fixed` for this one alone.

    `n` counts its rows, and `against_n` those of what it is held against; `people` are those of its smallest
    group.
    """

    day: str
    estimate: float
    low: float
    high: float
    fixed: Limits
    verdict: str | None = None
    p_value: float | None = None
    n: int | None = None
    against_n: int | None = None
    people: int | None = None


class Series(_Frozen):
    """A measure over time, in order."""

    kind: Literal["series"] = "series"
    unit: Literal["day", "week"]
    days: tuple[Day | Blank, ...]

    @classmethod
    def of(cls, unit: str, days: Sequence[Mapping[str, object]]) -> Series:
        return cls.model_validate({"unit": unit, "days": days})

    @property
    def known(self) -> list[Day]:
        """Those that have an estimate."""
        return [day for day in self.days if isinstance(day, Day)]


class Cell(_Frozen):
    """A value of a row and a column; `users` are those of the group, `sure` says that it is beyond chance."""

    row: str
    column: str
    value: float | None = None
    users: int | None = None
    sure: bool | None = None


class Map(_Frozen):
    """Every row with every column, both in the order in which they come. `rows` and `columns` are what they
    are called by, where they are groups; `part` says of which part of a measure it is."""

    kind: Literal["map"] = "map"
    of: Literal["mean", "exposure", "correlation", "cosine"]
    rows: str = ""
    columns: str = ""
    part: str = ""
    cells: tuple[Cell, ...]

    @classmethod
    def square(
        cls, of: Literal["correlation", "cosine"], names: list[str], matrix: list[list[float | None]],
        part: str = "",
    ) -> Map:  # fmt: skip
        """Names against themselves."""
        cells = [
            Cell(row=first, column=second, value=value)
            for first, row in zip(names, matrix, strict=True)
            for second, value in zip(names, row, strict=True)
        ]
        return cls(of=of, part=part, cells=tuple(cells))


class Line(_Frozen):
    """Points of x and y; `labels` name them, one by one, where they have names."""

    name: str
    points: tuple[tuple[float, float], ...]
    labels: tuple[str, ...] = ()


class Lines(_Frozen):
    """Lines over one axis: the largest gap over users scored (`search`), what traffic tells over days
    (`traffic`) or over its share (`share`), simulated audits over alpha (`alpha`) or by when they ended
    (`ended`), relevance over disparity (`disparity`). `marks` are numbers to be pointed at."""

    kind: Literal["lines"] = "lines"
    of: Literal["search", "traffic", "share", "alpha", "ended", "disparity"]
    lines: tuple[Line, ...]
    aim: Aim | None = None
    marks: dict[str, float] = Field(default_factory=dict)

    def line(self, name: str) -> tuple[tuple[float, float], ...]:
        return next(line.points for line in self.lines if line.name == name)


class Arm(_Frozen):
    """A policy in an audit: its true mean, how often it was shown, and at steps its lower bound, its average
    and its upper bound."""

    arm: int
    mean: float
    shown: int
    bounds: tuple[tuple[int, float, float | None, float], ...]


class Bounds(_Frozen):
    """One audit of a user as it went: bounds of the policies that were shown most, or, in blocks, of their
    `differences` from the user's own."""

    kind: Literal["bounds"] = "bounds"
    outcome: Literal["envy", "no_envy", "inconclusive"] | None = None
    steps: int
    epsilon: float
    differences: bool
    others: int
    arms: tuple[Arm, ...]


class Share(_Frozen):
    """How the users of a group lie along an axis: the share between each two edges."""

    group: str
    users: int | None = None
    shares: tuple[float, ...]

    def folded(self, fewest: int) -> Share:
        """The same, fewer users than this being counted with those beside them, toward the place where most
        are: how far out the last few lie is not told."""
        shares, users = list(self.shares), self.users or 0
        most = shares.index(max(shares))
        ways = [(range(most), 1), (range(len(shares) - 1, most, -1), -1)]
        for place, step in ((place, step) for places, step in ways for place in places):
            if 0 < round(shares[place] * users) < fewest:
                shares[place + step] = round(shares[place + step] + shares[place], 6)
                shares[place] = 0.0
        others = [place for place, share in enumerate(shares) if share and place != most]
        if others and round(shares[most] * users) < fewest:  # even where most are there are too few
            nearest = min(others, key=lambda place: abs(place - most))
            shares[nearest], shares[most] = round(shares[nearest] + shares[most], 6), 0.0
        return self.model_copy(update={"shares": tuple(shares)})


class Shares(_Frozen):
    """Groups along one axis: a direction, or how much more they would get from the list that suits them best
    (`gain`)."""

    kind: Literal["shares"] = "shares"
    of: Literal["direction", "gain"] = "direction"
    edges: tuple[float, ...]
    groups: tuple[Share, ...]

    def folded(self, fewest: int) -> Shares:
        """The same with no place where there are users, but fewer than this."""
        return self.model_copy(update={"groups": tuple(group.folded(fewest) for group in self.groups)})


Picture = Annotated[Series | Map | Lines | Bounds | Shares, Field(discriminator="kind")]
