"""The words for opportunity over time."""

from __future__ import annotations

from evenhand.report.vocabulary.measure import Measure

SERIES: dict[str, Measure] = {
    "running_penalty": Measure(
        title="Opportunity penalty so far",
        sentence=(
            "over all {unit}s from {first} to {last} together, opportunity of {groups} groups of {by} "
            "typically differs from the average by {size}"
        ),
        definition=(
            "h, the opportunity penalty, of all default traffic up to a day, or week, as one log. The "
            "interval is a confidence sequence: it holds at every look at once, however many follow."
        ),
        key_result=True,
        show="percent",
        no_effect=0.0,
        least=0.0,
    ),
    "daily_penalty": Measure(
        title="Opportunity penalty over time",
        sentence=("{tally}; {when} opportunity by {by} typically differs from the average by {size}"),
        definition=(
            "h, the opportunity penalty, of the own traffic of each day, or week. Shown is the one that "
            "decides: outside the tolerance if any is, else undecided if any is, else the furthest. All "
            "intervals hold together, so that of one chosen afterwards holds too."
        ),
        show="percent",
        no_effect=0.0,
        least=0.0,
    ),
    "daily_relative_utility": Measure(
        title="Relative utility over time",
        sentence="{when} what users like of {who} is shown {size} than for the average group",
        definition=(
            "d = U / mean(U) − 1 of the own traffic of each day, or week; shown is the one that decides. "
            "Intervals hold for all of them and all groups at once."
        ),
        show="percent",
        directions=("less often", "more often"),
        no_effect=0.0,
        least=-1.0,
    ),
    "daily_worst_ratio": Measure(
        title="Worst ratio over time",
        unit="ratio",
        sentence=(
            "{when} the opportunity of the group served worst is {size} of that of the group served best"
        ),
        definition=(
            "min(U) / max(U) of the own traffic of each day, or week; shown is the one that decides. The 80% "
            "rule is about this ratio."
        ),
        show="percent",
        no_effect=1.0,
        least=0.0,
        most=1.0,
    ),
    "penalty_change": Measure(
        title="Change of the opportunity penalty",
        sentence="{which}: {when} the opportunity penalty by {by} is {size} than {than}",
        definition=(
            "h of a day, or week, minus h of what it is held against, in percentage points; shown is the "
            "largest clear change, or the largest if none is clear, or the latest if that was asked for. "
            "Random traffic that both are held against, and users who are in both, are taken into account."
        ),
        show="points",
        directions=("lower", "higher"),
        no_effect=0.0,
    ),
}
