"""Dong and others (2024): ranking-based equal opportunity with random traffic."""

from __future__ import annotations

from typing import Any

import numpy as np
import opportunity_figures as figures
import opportunity_published as published
from opportunity_synthetic import SETS, mean_squared_errors, slope

from evenhand.opportunity.measures import penalty
from replications.pages import Line, Part
from replications.steps import Run

TITLE = "Opportunity with missing labels"
PAPER, EVERY = published.PAPER, published.EVERY
MINUTES: dict[str, float] = {}
HOW = (
    "The log of the paper is not at hand. Its synthetic settings (figure 3) are repeated as they are named; figures 4 to 9 "
    "have counterparts on a simulated log in the likeness of theirs: two groups, 150,000 rows of each log a day, two "
    "weeks, a penalty of .08 on all days but one, when it is .12. So of these only what the paper says of the method can "
    "agree or not, never its numbers.",
    "Long pages: [these figures, drawn](dong-2024.md), [opportunity](../../explain/creators.md), [day by day](../../explain/creators-over-time.md). On real "
    "random traffic: [Coat](../../tutorials/real-data.md).",
)
LIKENESS = "a simulated log in the likeness of theirs, so that the method is compared and not the system"


def parts(run: Run) -> list[Part]:
    repeats = 50 if run.quick else 2_000
    errors = {str(p): run.step(f"figure 3, {p[0]:g}", lambda p=p: _slope(p, repeats)) for p in SETS}
    parts_of_a_day = run.step("figures 4 and 5", lambda: figures.subsets(0))
    days = run.step("figure 6", lambda: figures.days(0))
    methods = run.step("figure 7", lambda: figures.methods(0))
    bias = run.step("figure 8", lambda: figures.bias(0))
    few = run.step("figure 8, 100 replicates", lambda: figures.bias(0, replicates=100))
    boosts = run.step("figure 9", lambda: figures.boosts(0))
    drawing = "a drawing of how traffic is split, without figures"
    return [
        _toy(),
        Part("Figure 1", "random traffic beside default traffic", missing=drawing),
        Part("Figure 2", "how random traffic is drawn", missing=drawing),
        Part(
            "Figure 3",
            "mean squared error of the penalty against rows, slope on log scales",
            [Line(f"p = {p[0]:g}, {p[1]:g}", published.SLOPE, errors[str(p)], digits=2) for p in SETS],
            cause=f"agrees: 1/n, by {repeats:,} pairs of logs a size (theirs 50)",
        ),
        _relative_error(*parts_of_a_day),
        _variance(*parts_of_a_day),
        _days(days),
        _methods(methods),
        Part(
            "Figure 8",
            "bias of the penalty by the bootstrap, largest of 14 days",
            [
                Line("share of the penalty, 100 replicates", published.BIAS, _largest(few), digits=4),
                Line("share of the penalty, 100,000 replicates", published.BIAS, _largest(bias), digits=4),
            ],
            cause="lower than 3%, as published; what 100 replicates show is nearly all noise of the bootstrap. Near equality the bias "
            "is not small (a penalty of .004: up to 131%)",
        ),
        _boosts(boosts),
        Part("Figure 10", "precision as the utility of users", missing="a drawing, without figures"),
        *(
            Part(f"Figure {n}", "A/B tests, orthogonal traffic, stages", missing=drawing)
            for n in (11, 12, 13)
        ),
    ]


def _largest(rows: list[dict[str, Any]]) -> float:
    return max(abs(row["value"]) for row in rows)


def _slope(p: tuple[float, float], repeats: int) -> float:
    return slope(mean_squared_errors(p, repeats, 0))


def _toy() -> Part:
    lines = []
    for name, (shown, not_shown) in published.TOY.items():
        utilities = np.array(shown) / (np.array(shown) + np.array(not_shown))
        lines.append(Line(f"data set {name}", published.TOY_PENALTY[name], float(penalty(utilities))))
    lines.append(Line("80% rule just kept", published.THRESHOLD, float(penalty(np.array([0.8, 1.0])))))
    return Part(
        "Table 1",
        "two logs that agree on all that was recommended",
        lines,
        cause="a slip of the paper: 2/3 is the range over the mean; by its equation 2, and the standard deviation "
        "that its threshold of 1/9 takes, it is 1/3. What it shows stands: 0 against more than 0",
    )


def _relative_error(errors: list[dict[str, Any]], _: list[dict[str, Any]]) -> Part:
    lines = [
        Line(f"{row['rows']:,} rows, median", "falls rapidly, not printed", row["value"], digits=2)
        for row in errors
    ]
    return Part("Figure 4", "relative error of the penalty of parts of a day", lines, cause=LIKENESS)


def _variance(_: list[dict[str, Any]], variances: list[dict[str, Any]]) -> Part:
    lines = []
    for of in ("parts of one day", "as of new logs"):
        rows = {row["rows"]: row["value"] for row in variances if row["of"] == of}
        lines.append(Line(f"slope, {of}", published.SLOPE, slope(rows), digits=2))
    return Part(
        "Figure 5",
        "variance of the penalty against rows, slope on log scales",
        lines,
        cause="parts of one day share most of its rows when they are large, which makes the fall steeper; without "
        "that it is close to 1/n, as published",
    )


def _days(days: list[dict[str, Any]]) -> Part:
    above = [row for row in days if row["value"] > published.THRESHOLD]
    lines = [
        Line("days above 1/9", published.DAYS_ABOVE, float(len(above)), digits=0),
        Line(
            "of these, surely above (one look)",
            0.0,
            float(sum(r["alone_low"] > published.THRESHOLD for r in above)),
            digits=0,
        ),
        Line(
            "days surely below 1/9, one look",
            13.0,
            float(sum(r["alone_high"] < published.THRESHOLD for r in days)),
            digits=0,
        ),
        Line(
            "days surely below 1/9, all 14 at once",
            "not asked",
            float(sum(r["high"] < published.THRESHOLD for r in days)),
            digits=0,
        ),
    ]
    return Part(
        "Figure 6", "the penalty of 14 days beside 1/9", lines, cause=LIKENESS + "; days were made so"
    )


def _methods(rows: list[dict[str, Any]]) -> Part:
    ends = {(row["of"], row["day"]): (row["low"], row["high"]) for row in rows}
    days = sorted({row["day"] for row in rows})
    lines = []
    for name in dict.fromkeys(row["of"] for row in rows):
        apart = [abs(ends[name, day][side] - ends["delta", day][side]) for day in days for side in (0, 1)]
        if name != "delta":
            lines.append(
                Line(
                    f"{name}: largest difference from the delta method's limits",
                    "consistent",
                    max(apart),
                    digits=5,
                )
            )
    return Part("Figure 7", "95% intervals of 14 days by four methods", lines, cause="agrees; " + LIKENESS)


def _boosts(rows: list[dict[str, Any]]) -> Part:
    lines = []
    for name, sign in published.BOOST_SIGNS.items():
        changes = [row["value"] for row in rows if row["of"] == name]
        lines.append(Line(f"{name}: mean change of the penalty", sign, float(np.mean(changes))))
        wrong = sum((change > 0) != (sign == "grows") for change in changes)
        lines.append(Line(f"{name}: days with the other sign", 0.0, float(wrong), digits=0))
    return Part("Figure 9", "change of the penalty under three boosts", lines, cause="agrees; " + LIKENESS)
