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
    "reo_difference": Measure(
        title="Change in opportunity penalty",
        sentence="the opportunity penalty by {by} is {size} under {arm} than under {baseline}",
        definition=(
            "h of the arm minus h of the baseline, in percentage points. Random traffic is shared. Where "
            "there are several comparisons, the interval and the p-value hold for all of them at once."
        ),
        key_result=True,
        show="points",
        directions=("lower", "higher"),
        no_effect=0.0,
        counted="rows",
    ),
    "relative_utility_difference": Measure(
        title="Change in relative utility",
        sentence="the relative utility of {who} is {size} under {arm} than under {baseline}",
        definition=(
            "d of the arm minus d of the baseline, in percentage points. Random traffic is shared. "
            "Intervals and p-values hold for all groups of all comparisons at once."
        ),
        show="points",
        directions=("lower", "higher"),
        no_effect=0.0,
        counted="rows",
    ),
    "arm_overlap": Measure(
        title="Overlap of two experiments",
        sentence=(
            "Cramér's V of the arms of {experiment} with those of {with} is {size}, where 0 is independent "
            "assignment and below 0.05 is good"
        ),
        definition=(
            "Cramér's V of the table of arms: 0 when users were assigned to the two experiments "
            "independently, 1 when the arm in one says the arm in the other. With two arms each it is how "
            "much the share of an arm of one experiment differs between the arms of the other. The p-value "
            "is that of a chi-square test, on users."
        ),
        least=0.0,
        most=1.0,
        counted="users or rows",
    ),
}
