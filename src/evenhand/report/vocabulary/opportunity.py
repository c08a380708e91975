"""The words for what the opportunity audit and its comparisons measure."""

from __future__ import annotations

from evenhand.report.vocabulary.measure import Measure

OPPORTUNITY: dict[str, Measure] = {
    "random_items": Measure(
        title="Is random traffic random? Items",
        sentence=(
            "how often random traffic draws an item differs between {items} items by {size} of the average, "
            "with chance taken out; if all were drawn alike, this much would appear in {chance} such logs "
            "({p})"
        ),
        definition=(
            "The standard deviation of the chances with which items are drawn, in units of the average one, "
            "from items that different users have in common; 0 where they have no more in common than chance "
            "gives. The p-value holds with slates, repeats and heavy users. A large one is no proof."
        ),
        show="percent",
        no_effect=0.0,
        least=0.0,
        check=True,
    ),
    "random_items_by": Measure(
        title="Is random traffic random? Items by day or user",
        sentence=(
            "how often random traffic draws an item differs between {values} values of {items_by} by {size} "
            "of the average, with chance taken out; if it were the same in all, this much would appear in "
            "{chance} such logs ({p})"
        ),
        definition=(
            "The standard deviation between values of a column of the chances with which items are drawn, in "
            "units of the average one, from items that different users of one value have in common more than "
            "users of different values. Items that are drawn too often everywhere are not counted here. The "
            "p-value holds with slates, repeats and heavy users. A large one is no proof."
        ),
        show="percent",
        no_effect=0.0,
        least=0.0,
        check=True,
    ),
    "random_repeats": Measure(
        title="Is random traffic random? Repeats",
        sentence=(
            "{size} of the rows of the random log repeat an item for the same user: {rows} of them, where "
            "uniform draws would make about {expected_rows}"
        ),
        definition=(
            "Rows beyond the first of the same user and item, as a share of all. Uniform draws have some; "
            "many more are refreshes that were logged again. Rows of one user are taken as dependent, so "
            "that repeats cost precision and little else."
        ),
        show="percent",
        no_effect=0.0,
        least=0.0,
        most=1.0,
        check=True,
    ),
    "random_missing": Measure(
        title="Is random traffic random? Items never drawn",
        sentence=(
            "{size} of the items of the catalogue were never drawn: {items} of {catalogue}, where chance "
            "would leave out about {expected_items}"
        ),
        definition=(
            "Items of the catalogue without a row in the random log; some are, by chance, if rows are few. "
            "What can never be drawn has no part in what users are said to like."
        ),
        show="percent",
        no_effect=0.0,
        least=0.0,
        most=1.0,
        check=True,
    ),
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
    ),
    "worst_ratio": Measure(
        title="Worst ratio",
        unit="ratio",
        sentence="the opportunity of {lowest} is {size} of that of {highest}",
        definition="min(U) / max(U) over the groups: 1 when all are equal. The 80% rule is about this ratio.",
        show="percent",
        no_effect=1.0,
        least=0.0,
        most=1.0,
    ),
    "equality": Measure(
        title="Test of equal opportunity",
        unit="statistic",
        sentence=(
            "if all groups of {by} had equal opportunity, differences at least this large would appear by "
            "chance in {chance} such samples (chi-square {size}, {df} df, {p})"
        ),
        definition=(
            "Chi-square statistic of the weighted spread of log U over the groups. Where rows come in "
            "clusters its p-value is that of Hotelling's T², which knows by a second number of degrees of "
            "freedom how many clusters count. A large p-value does not show that the groups are equal."
        ),
        least=0.0,
    ),
    "sample_ratio": Measure(
        title="Do the arms have the users that were planned?",
        sentence=(
            "the share of users in {arm} is {size} than planned; by chance it would ever be so far off in "
            "{chance} such tests ({p})"
        ),
        definition=(
            "The share of users in the arm that is furthest off, less its planned share, in percentage "
            "points. Each user counts once. The p-value is 1/E of Lindon and Malek (2022), which holds "
            "however often it is looked at. If it is at most .05, the arms are not comparable and nothing is "
            "decided from them."
        ),
        show="points",
        directions=("lower", "higher"),
        no_effect=0.0,
        check=True,
    ),
    "reo_difference": Measure(
        together=("experiment", "arm", "baseline"),
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
    ),
    "relative_utility_difference": Measure(
        together=("experiment", "arm", "baseline", "group"),
        title="Change in relative utility",
        sentence="the relative utility of {who} is {size} under {arm} than under {baseline}",
        definition=(
            "d of the arm minus d of the baseline, in percentage points. Random traffic is shared. "
            "Intervals and p-values hold for all groups of all comparisons at once."
        ),
        show="points",
        directions=("lower", "higher"),
        no_effect=0.0,
    ),
    "arm_overlap": Measure(
        title="Overlap of two experiments",
        unit="correlation",
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
        check=True,
    ),
}
