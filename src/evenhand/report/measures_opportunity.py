"""The words for what the opportunity audit and its comparisons measure."""

from __future__ import annotations

from evenhand.report.measure import Measure

OPPORTUNITY: dict[str, Measure] = {
    "reo_penalty": Measure(
        title="Opportunity penalty",
        sentence=(
            "across {groups} groups of {by}{under}, opportunity typically differs from the average by {size}"
        ),
        definition=(
            "h = sqrt(mean of d²), where d is the relative utility of a group: 0 when every group has the "
            "same chance to be shown to the users who like it. Also called the REO penalty. Its interval is "
            "conservative near 0: whether there is any difference at all is what the test of equal "
            "opportunity answers."
        ),
        show="percent",
        no_effect=0.0,
        least=0.0,
        counted="rows",
    ),
    "relative_utility": Measure(
        title="Relative utility",
        sentence="for {who}, what users like is shown {size} than for the average group{under}",
        definition=(
            "d = U / mean(U) − 1, where U is the rate of liked impressions of the group in default traffic "
            "divided by the same rate in random traffic, which shows what users like when nothing is "
            "selected for them. 0 is the opportunity of the average group; in "
            "that average every group counts alike, large or small."
        ),
        show="percent",
        directions=("less often", "more often"),
        no_effect=0.0,
        least=-1.0,
        counted="rows",
    ),
    "worst_ratio": Measure(
        title="Worst ratio",
        sentence="the opportunity of {lowest} is {size} of that of {highest}",
        definition="min(U) / max(U) over the groups: 1 when all are equal. The 80% rule is about this ratio.",
        show="percent",
        no_effect=1.0,
        least=0.0,
        most=1.0,
        counted="rows",
    ),
    "equality": Measure(
        title="Test of equal opportunity",
        sentence=(
            "if all groups of {by} had equal opportunity, differences at least this large would appear by "
            "chance in {chance} such samples (chi-square {size}, {df} df, {p})"
        ),
        definition=(
            "Chi-square statistic of the weighted spread of log U over the groups. A large p-value does not "
            "show that the groups are equal."
        ),
        least=0.0,
        counted="rows",
    ),
    "running_penalty": Measure(
        title="Opportunity penalty so far",
        sentence=(
            "over all {unit}s from {first} to {last} together, opportunity of {groups} groups of {by} "
            "typically differs from the average by {size}"
        ),
        definition=(
            "h, the opportunity penalty, of all default traffic up to a day as one log. The interval is a "
            "confidence sequence: it holds at every look at once, however many days follow."
        ),
        key_result=True,
        show="percent",
        no_effect=0.0,
        least=0.0,
        counted="rows",
    ),
    "daily_penalty": Measure(
        title="Opportunity penalty by day",
        sentence=("{tally}; on {day} opportunity by {by} typically differs from the average by {size}"),
        definition=(
            "h, the opportunity penalty, of each day's own traffic. Shown is the day that decides: one "
            "outside the tolerance if any is, else one that is undecided, else the furthest. The intervals "
            "of all days hold together, so that of a day chosen afterwards holds too."
        ),
        show="percent",
        no_effect=0.0,
        least=0.0,
        counted="rows",
    ),
    "daily_relative_utility": Measure(
        title="Relative utility by day",
        sentence=("{tally}; on {day} what users like of {who} is shown {size} than for the average group"),
        definition=(
            "d = U / mean(U) − 1 of each day's own traffic; shown is the day that decides. Intervals hold "
            "for all days and groups at once."
        ),
        show="percent",
        directions=("less often", "more often"),
        no_effect=0.0,
        least=-1.0,
        counted="rows",
    ),
    "daily_worst_ratio": Measure(
        title="Worst ratio by day",
        sentence=(
            "{tally}; on {day} the opportunity of the group served worst is {size} of that of the group "
            "served best"
        ),
        definition=(
            "min(U) / max(U) of each day's own traffic; shown is the day that decides. The 80% rule is about "
            "this ratio."
        ),
        show="percent",
        no_effect=1.0,
        least=0.0,
        most=1.0,
        counted="rows",
    ),
    "penalty_change": Measure(
        title="Change of the opportunity penalty",
        sentence="on {day} the opportunity penalty by {by} is {size} than {than}",
        definition=(
            "h of a day minus h of what it is held against, in percentage points; shown is the largest clear "
            "change, or the largest if none is clear. Random traffic that both are held against, and users "
            "who are in both, are taken into account."
        ),
        show="points",
        directions=("lower", "higher"),
        no_effect=0.0,
        counted="rows",
    ),
    "reo_difference": Measure(
        title="Change in opportunity penalty",
        sentence="the opportunity penalty by {by} is {size} under {arm} than under {baseline}",
        definition="h of the arm minus h of the baseline, in percentage points. Random traffic is shared.",
        key_result=True,
        show="points",
        directions=("lower", "higher"),
        no_effect=0.0,
        counted="rows",
    ),
    "relative_utility_difference": Measure(
        title="Change in relative utility",
        sentence="the relative utility of {who} is {size} under {arm} than under {baseline}",
        definition="d of the arm minus d of the baseline, in percentage points. Random traffic is shared.",
        show="points",
        directions=("lower", "higher"),
        no_effect=0.0,
        counted="rows",
    ),
}
