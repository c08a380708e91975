"""How one measure is spoken of.

A sentence is a template. It may use `{size}` (the estimate in words), `{who}` (the group in words),
`{people}` (the same, or without a group everybody whom the measure is about), `{everybody}` ("creators by
age"), `{liked}` (what users like of a group), `{content}` (a group of items), `{by}` (the attribute),
`{under}` (the arm, where there is one and no baseline), `{leans}` (which side it is on, where that is known),
`{chance}` (the p-value as a frequency), every key of the finding's subject, every plain value in its details,
and what the measure's `phrases` make; `{lowest}` and `{highest}`, which name groups, are put in words as
`{who}` is. Interval and limit follow at the end, or where `{evidence}` stands. Where a finding lacks
something that its template asks for, the general sentence is used instead.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from evenhand.findings import Finding
from evenhand.report.words.numbers import Show

# A share of 1 is all, points are the difference of two shares, sd is in standard deviations, metric is in
# units of the metric that was asked for.
Unit = Literal[
    "share", "points", "ratio", "rate", "sd", "metric", "utility", "cosine", "correlation", "statistic",
    "squared exposure", "steps", "days",
]  # fmt: skip
SHOWN: dict[Show, Unit] = {
    "percent": "share", "points": "points", "days": "days", "squared": "squared exposure"
}  # fmt: skip
# Keys that tell groups of one measure apart. Wherever groups have intervals, these hold for all of them.
GROUPS = ("group", "first", "second", "other")


@dataclass(frozen=True)
class Measure:
    """How to speak about one measure.

    `amount` is the sentence without the people, for a card that names them ("{size} than average").
    `equal` is the amount where the estimate is just no effect, and reads badly otherwise ("0 below").
    `directions` are the words for an estimate below and above zero; with them the size is said without a sign
    ("23% less often"); tables have the sign, unless `sign_in_words`. `no_effect` is the value where all is
    equal, `least` and `most` bound what the measure can be at all, `people` is whom its groups are made of,
    where the attribute may not say so ("creator_age" does). `unit` is what the number is in, where `show`
    does not say it, and `together` are the keys of a subject over which intervals hold at once. A
    `key_result` is said at the top whatever its verdict. `instead` names a detail that is shown in place
    of the estimate, where the estimate keeps to a published definition and the interval is that of
    something better. `sides` are words for what lies below and above zero, as templates like the
    sentence: ("nearer to {away}", "nearer to {toward}"). `untold` is the sentence where the interval
    (without one, the p-value) does not tell the estimate from no effect, for measures whose own sentence
    says that there is one. `unless` are sentences that follow a violation below and above zero, where the
    details have what they ask for: what else, that the data cannot tell, would explain it. A `check` is
    about the data and not about fairness: its p-value says nothing of groups. `tested` measures say their
    p-value beside the interval, where the two do not say different things. `chosen` names the detail that
    says which groups the data chose: of others, the same measure is another number. `phrases` makes of a
    finding those parts of the sentence that more than one number decides.
    """

    title: str
    sentence: str
    amount: str = "{size}"
    equal: str = ""
    definition: str = ""
    show: Show = "number"
    directions: tuple[str, str] | None = None
    sign_in_words: bool = False
    no_effect: float | None = None
    least: float | None = None
    most: float | None = None
    people: str = ""
    unit: Unit | None = None
    together: tuple[str, ...] = GROUPS
    key_result: bool = False
    instead: str = ""
    sides: tuple[str, str] | None = None
    untold: str | None = None
    unless: tuple[str, str] | None = None
    check: bool = False
    tested: bool = False
    chosen: str = ""
    phrases: Callable[[Finding], Mapping[str, str]] | None = None
