"""How much the data can tell at the limit of a draft, in words that are true before anybody knows the answer.

Only widths of intervals are looked at, never where they lie. To show that a limit is kept the interval must
fit below it, even where nothing is unfair: data that tell a number to within the limit are not enough.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from evenhand import opportunity
from evenhand.asked.step import Step
from evenhand.errors import InputError
from evenhand.findings import Finding
from evenhand.report.words.people import is_of_group, who
from evenhand.report.words.sentences import figure
from evenhand.results import AuditResult

# Beyond so many rows, whether the logs are enough is not asked: they are, or it takes too long.
MOST_ROWS = 20_000_000
# Up to this part of the limit, an interval leaves room for answers on both sides.
ROOMY = 0.5
_NO_LIMIT = "No limit is wide enough for them"


def told(step: Step, tables: Mapping[str, Any], rows: Mapping[str, int], ran: Any) -> tuple[str, ...]:
    """What these data can tell, in a sentence or two; nothing where that is not known."""
    if not step.judges:
        return ()
    result = getattr(ran, "result", ran)
    if isinstance(result, AuditResult):
        widest = max(_headline(result), key=_half_width, default=None)
        return (
            ("It has no number that could be judged: expect no verdict.",)
            if widest is None
            else (_said(widest, _half_width(widest), partial(_takes, step, tables)),)
        )
    if step.audit == "opportunity":
        return _of_traffic(step, tables, rows)
    return ()


def tells_nothing(said: tuple[str, ...]) -> bool:
    """Whether it was said of a step that no limit is wide enough for its data."""
    return any(_NO_LIMIT in sentence for sentence in said)


def _headline(result: AuditResult) -> list[Finding]:
    """What decides the answer, as far as it has intervals."""
    families = {family.name for answer in result.document.questions for family in answer.headline}
    return [
        one
        for one in result.findings
        if one.family is not None
        and one.family.name in families
        and one.interval is not None
        and one.estimate is not None
        and one.tolerance
    ]


def _half_width(finding: Finding) -> float:
    assert finding.interval is not None
    assert finding.estimate is not None
    return max(finding.interval.high - finding.estimate, finding.estimate - finding.interval.low)


def _said(finding: Finding, half: float, takes: Callable[[float], bool]) -> str:
    assert finding.tolerance is not None
    limit = 1 - finding.tolerance if finding.harm == "below" else finding.tolerance
    about, limited = figure(finding, half), figure(finding, limit)
    if half <= ROOMY * limit:
        return f"These data are enough for a limit of {limited}: they tell it to about {about} either way."
    if half <= limit:
        return (
            f"These data tell it to about {about} either way. At a limit of {limited} that decides what is "
            "far from the limit, and not what is near: "
            f"about {_times(half / (ROOMY * limit))} times the data would."
        )
    least = f", that of {who(finding)}," if is_of_group(finding) else ""
    could = (
        f"They could show a limit of about {figure(finding, half / ROOMY)}; or take fewer and larger groups, "
        "or more data. Larger differences may be found nevertheless."
        if takes(half / ROOMY)
        else f"{_NO_LIMIT}: take fewer and larger groups, or more data."
    )
    return (
        f"These data cannot show that a limit of {limited} is kept: the least certain number{least} is known "
        f"to about {about} either way. {could}"
    )


def _takes(step: Step, tables: Mapping[str, Any], limit: float) -> bool:
    """Whether the audit may have this limit: no gap is larger than the whole scale."""
    try:
        asked = {**step.model_dump(exclude_unset=True), "tolerance": limit}
        type(step).model_validate(asked).check(tables)
    except (ValueError, InputError):
        return False
    return True


def _times(ratio: float) -> str:
    return f"{max(ratio**2, 1.1):.2g}"


def _of_traffic(step: Step, tables: Mapping[str, Any], rows: Mapping[str, int]) -> tuple[str, ...]:
    """The same of logs that are too large to be tried: by the traffic that they have."""
    given = step.arguments(tables)
    sizes = {key: rows.get(str(getattr(step, key)), 0) for key in ("default", "random")}
    if sum(sizes.values()) > MOST_ROWS or not all(sizes.values()):
        return ()
    asked = {
        key: given[key]
        for key in ("label", "group", "cluster", "attributes", "on", "missing", "bins", "probability")
    }
    limit = float(given["tolerance"])
    try:
        planned = opportunity.plan_traffic(
            given["default"], given["random"], rows_a_day=sizes["default"], random_rows_a_day=sizes["random"],
            half_width=ROOMY * limit, **asked,
        )  # fmt: skip
        times = planned.find("days_needed").estimate
    except (InputError, LookupError) as error:
        return (f"Whether the logs are enough could not be told: {error}",)
    if times is None:
        return ("Some groups have too few liked rows in random traffic to tell anything: expect no verdict.",)
    if times <= 1:
        return (f"The logs are enough for a limit of {limit:.0%}: they tell the penalty to half of it.",)
    return (
        f"To tell the penalty to half of the limit ({limit:.0%}) takes about {times:.2g} times these logs; "
        "until then, what is near the limit is not decided.",
    )
