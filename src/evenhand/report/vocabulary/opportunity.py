"""The words for equal opportunity: of logs, days, comparisons, boosts, and plans of random traffic."""

from __future__ import annotations

from evenhand.findings import Verdict
from evenhand.report.vocabulary.measure import Measure
from evenhand.report.vocabulary.room import MORE_USERS, Audit, Room, unsaid
from evenhand.report.words.phrases import opportunity as phrases

_TRACE = "Find the stage that shows some groups less than others, and test a change to it."
# How the assumption begins that random traffic is random, and what looks at it, where a plan asks for that.
ABOUT_RANDOM = "Random traffic draws user-item pairs "
RANDOM_CHECKS = ("random_items", "random_items_by", "random_repeats", "random_missing")

AUDITS: dict[str, Audit] = {
    "opportunity": Audit(
        title="Opportunity",
        serves="creators",
        numbers=("reo_penalty", "worst_ratio", "equality"),
        headline="relative_utility",
        advice={Verdict.VIOLATION: _TRACE, Verdict.INCONCLUSIVE: phrases.COLLECT},
    ),
    "series": Audit(
        title="Opportunity over time",
        question="Does opportunity stay equal, day after day?",
        labels={
            "against": lambda subject: f"against {phrases.held_against(subject)}",
            "unit": unsaid,
            "periods": unsaid,
        },
        serves="creators",
        part="Does it last?",
        drawn="daily_penalty",
        numbers=("running_penalty", "daily_penalty", "daily_worst_ratio"),
        headline="daily_relative_utility",
        advice={
            Verdict.VIOLATION: "See what was released before the days beyond the limit.",
            Verdict.INCONCLUSIVE: "Follow weeks instead of days, or collect more traffic.",
        },
    ),
    "stages": Audit(
        title="Stages",
        question="Which stage of the system makes opportunity unequal?",
        serves="creators",
        part="Where does it arise?",
        drawn="reo_penalty",
        headline="relative_utility",
        listed=True,
        advice={Verdict.INCONCLUSIVE: phrases.COLLECT},
    ),
    "compare": Audit(
        title="Comparison",
        question="Does a change to the system change who gets opportunity?",
        serves="creators",
        part="Did the change help?",
        drawn="relative_utility_difference",
        numbers=("reo_difference",),
        headline="reo_difference",
        advice={
            Verdict.VIOLATION: "Do not roll the change out: opportunity would be less equal.",
            Verdict.INCONCLUSIVE: phrases.more_of_arms,
        },
    ),
    "experiments": Audit(
        title="Experiments",
        serves="creators",
        part="Which changes helped?",
        drawn="reo_difference",
        headline="reo_difference",
        listed=True,
        advice={
            Verdict.VIOLATION: "Do not roll out the changes that make opportunity less equal.",
            Verdict.INCONCLUSIVE: phrases.more_of_arms,
        },
    ),
    "boost": Audit(
        title="Boosting",
        serves="creators",
        part="Would other weights help?",
        drawn="boost_weight",
        numbers=("reo_penalty",),
        headline="reo_penalty",
        arms={"no boost": "the present weights", "boost": "the new weights"},
    ),
    "parity": Audit(title="Parity", serves="creators", headline="rsp_penalty", worst="parity_deviation"),
    "user_precision": Audit(
        title="Precision by group of users",
        serves="users",
        headline="precision_penalty",
        worst="precision",
        advice={
            Verdict.VIOLATION: "See what {worst} are shown, and try to re-rank their lists.",
            Verdict.INCONCLUSIVE: MORE_USERS,
        },
    ),
    "traffic_plan": Audit(
        title="Random traffic",
        question="How much random traffic, and for how many days, would answer the question?",
        serves="creators",
        part="How much random traffic would it take?",
        drawn="days_needed",
        listed=True,
        simulated=True,
        labels={"share": lambda subject: f"share {phrases.percent(float(subject['share']))}"},
    ),
}

TERMS: dict[str, str] = {
    "error_df": "degrees of freedom of its error (Hotelling's T²: so many clusters count)",
    "alone, low": "interval of this one alone, from",
    "alone, high": "interval of this one alone, to",
    "moved_by_matching": "larger, by random traffic in the proportions of default traffic",
    "days_outside": "beyond the limit",
    "days_undecided": "not decided",
    "days_within": "within the limit",
    "days_clear": "changes that are clear, all at once",
    "days_clear_alone": "changes that are clear, each by itself",
    "series": "one by one",
    "design_effect": "variance, in multiples of that of independent rows",
    "effective_random_rows": "random rows of equal weight that would be as good",
    "effective_positives_random": "random positives of equal weight that would be as good",
    "expected_rows": "rows that would be repeats by chance",
    "expected_items": "items that would be missing by chance",
    "users_in_buckets": "buckets of users",
    "daily": "random rows a day",
    "judge": "days that are judged",
    "groups_of": "whose groups they are (rows: the logs do not say it)",
}

MEASURES: dict[str, Measure] = {
    "random_items": Measure(
        tested=True,
        title="Is random traffic random? Items",
        sentence=(
            "how often random traffic draws each of {items} items differs by {size} of the average, chance "
            "taken out"
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
        tested=True,
        title="Is random traffic random? Items by day or user",
        sentence=(
            "between {values} values of {items_by}, how often random traffic draws an item differs by "
            "{size} of the average, chance taken out"
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
            "{size} of random rows show a user the same item again: {rows:,} rows, where chance gives about"
            " {expected_rows:,}"
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
            "{size} of the items of the catalogue were never drawn: {items:,} of {catalogue:,}, where "
            "chance leaves out about {expected_items:,}"
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
        amount="typically {size} away from the average{under}",
        title="Opportunity penalty",
        sentence="{everybody} typically get {size} more or less opportunity than average{under}",
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
        amount="liked items shown {size} than average{under}",
        title="Relative utility",
        sentence="{liked} are shown {size} than average{under}",
        definition=(
            "d = U / mean(U) − 1, where U = (liked rows of the group / all rows) in default traffic, over "
            "the same share in random traffic, which shows what users like when nothing is selected for "
            "them. All rows are those of all groups: it is not how often what is shown of the group is "
            "liked. 0 is the opportunity of the average group; in "
            "that average every group counts alike, large or small."
        ),
        show="percent",
        directions=("less often", "more often"),
        no_effect=0.0,
        least=-1.0,
    ),
    "worst_ratio": Measure(
        amount="{size} of the opportunity of {highest}",
        title="Worst ratio",
        unit="ratio",
        sentence="{lowest} get {size} of the opportunity of {highest}",
        definition="min(U) / max(U) over the groups: 1 when all are equal. The 80% rule is about this ratio.",
        show="percent",
        no_effect=1.0,
        least=0.0,
        most=1.0,
    ),
    "equality": Measure(
        amount="chi-square {size} ({df} degrees of freedom)",
        tested=True,
        title="Test of equal opportunity",
        unit="statistic",
        sentence=(
            "if {everybody} had equal opportunity, differences this large would appear in {chance} samples:"
            " chi-square {size}, {df} degrees of freedom"
        ),
        definition=(
            "Chi-square statistic of the weighted spread of log U over the groups. Where rows come in "
            "clusters its p-value is that of Hotelling's T², which knows by a second number of degrees of "
            "freedom how many clusters count. A large p-value does not show that the groups are equal."
        ),
        least=0.0,
    ),
    "sample_ratio": Measure(
        amount="{size} than planned",
        tested=True,
        title="Do the arms have the users that were planned?",
        phrases=phrases.split,
        sentence="the share of users in {arm} is {size} than planned, {mismatch}",
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
        amount="opportunity penalty {size} under {arm} than under {baseline}",
        together=("experiment", "arm", "baseline"),
        title="Change in opportunity penalty",
        sentence="{everybody} have an opportunity penalty {size} under {arm} than under {baseline}",
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
        amount="{size} under {arm} than under {baseline}",
        together=("experiment", "arm", "baseline", "group"),
        title="Change in relative utility",
        sentence="opportunity of {who}, against the average, is {size} under {arm} than under {baseline}",
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
            "arms of {experiment} and {with} overlap by {size} in Cramér's V, where 0 is independent and "
            "below 0.05 is good"
        ),
        definition=(
            "Cramér's V of the table of arms: 0 when users were assigned to the two experiments "
            "independently, 1 when the arm in one says the arm in the other. With two arms each it is how "
            "much the share of an arm of one experiment differs between the arms of the other. The p-value "
            "is that of a chi-square test, on users, where nobody is in several arms of an experiment."
        ),
        least=0.0,
        most=1.0,
        check=True,
    ),
    "running_penalty": Measure(
        phrases=phrases.span,
        amount="typically {size} away from the average, all {unit}s together",
        title="Opportunity penalty so far",
        sentence=(
            "over all {unit}s from {since} to {until} together, {everybody} typically get {size} more or "
            "less opportunity than average"
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
        amount="typically {size} away from the average {when}",
        phrases=phrases.day,
        title="Opportunity penalty over time",
        sentence="{tally}. {When}, {everybody} typically get {size} more or less opportunity than average",
        definition=(
            "h, the opportunity penalty, of the own traffic of each day, or week. Shown is the one that "
            "decides: beyond the limit if any is, else not decided if any is, else the furthest. All "
            "intervals hold together, so that of one chosen afterwards holds too."
        ),
        show="percent",
        no_effect=0.0,
        least=0.0,
    ),
    "daily_relative_utility": Measure(
        amount="shown {size} than average {when}",
        phrases=phrases.day,
        title="Relative utility over time",
        sentence="{when}, {liked} are shown {size} than average",
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
        amount="{size} of the opportunity of the group served best, {when}",
        phrases=phrases.day,
        title="Worst ratio over time",
        unit="ratio",
        sentence="{when}, the group served worst gets {size} of the opportunity of the group served best",
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
        amount="{size} {when} than {than}",
        phrases=phrases.change,
        title="Change of the opportunity penalty",
        sentence="{which}: {when}, {everybody} have an opportunity penalty {size} than {than}",
        definition=(
            "h of a day, or week, minus h of what it is held against, in percentage points; shown is the "
            "largest clear change, or the largest if none is clear, or the latest if that was asked for. "
            "Random traffic that both are held against, and users who are in both, are taken into account."
        ),
        show="points",
        directions=("lower", "higher"),
        no_effect=0.0,
    ),
    "days_needed": Measure(
        phrases=phrases.planned,
        title="Days needed",
        sentence="{size} of logs with {share} random traffic ({daily:,.0f} random rows a day) {aim}",
        definition=(
            "The days after which the audit's own interval is as narrow, or its A/B test as likely to find "
            "the change, as was asked for: the average over logs as chance would make them. Half of the time "
            "it takes a little longer. From a pilot, whose rates are estimates, there is a range: what "
            "other pilots of the same length would have planned. Of a thin pilot it may miss what true rates "
            "need."
        ),
        show="days",
        least=0.0,
        key_result=True,
    ),
    "share_needed": Measure(
        phrases=phrases.planned,
        title="Share needed",
        sentence="to {aim} in {length} takes {size} random traffic ({daily:,.0f} random rows a day)",
        definition=(
            "The least share of random traffic with which the audit's own interval is as narrow, or its A/B "
            "test as likely to find the change, as was asked for in the time that there is: the average over "
            "logs as chance would make them."
        ),
        show="percent",
        least=0.0,
        most=1.0,
        key_result=True,
    ),
    "balanced_share": Measure(
        phrases=phrases.planned,
        title="Best balance",
        sentence=(
            "{size} random traffic for {length} ({daily:,.0f} random rows a day) is the best balance where "
            "accuracy has {weight} of the weight and relevance {rest}; it gives {gives}"
        ),
        definition=(
            "The share of random traffic with the largest (1 − g) relevance + g accuracy (Dong and others "
            "2024, Eq. 28). Relevance is how many of its liked rows traffic keeps, accuracy 1 − half-width "
            "or the power. The weight g is a judgement, and this measure of accuracy is Evenhand's."
        ),
        show="percent",
        least=0.0,
        most=1.0,
        key_result=True,
    ),
    "planned_half_width": Measure(
        phrases=phrases.planned,
        title="Expected half-width",
        sentence="after {length} with {share} random traffic, the interval reaches ±{size}",
        definition="Half of the length of the audit's interval, on average over logs as chance makes them.",
        show="points",
        least=0.0,
    ),
    "planned_power": Measure(
        phrases=phrases.planned,
        title="Expected power",
        sentence="after {length} with {share} random traffic, {size} of such A/B tests find the change",
        definition="The share of logs, as chance would make them, whose interval of the change leaves out 0.",
        show="percent",
        least=0.0,
        most=1.0,
    ),
    "bound_ratio": Measure(
        title="Worst-case bound",
        unit="ratio",
        sentence=(
            "the published bound, which holds for any data, asks for {size} times the random rows that this"
            " data needs: {random_rows:,.0f}"
        ),
        definition=(
            "Rows of random traffic that are enough whatever the data (Dong and others 2024, Eq. 8 and 21), "
            "over those of the direct calculation."
        ),
        least=0.0,
    ),
    "relevance_cost": Measure(
        phrases=phrases.planned,
        title="Cost in relevance",
        sentence="users are shown {size} items that they like while {share} of what is shown is random",
        definition=(
            "The share of random traffic times how much less often it is liked than default traffic: what a "
            "platform gives up for the measurement (Dong and others 2024, Eq. 28)."
        ),
        show="percent",
        directions=("more", "fewer"),
        sign_in_words=True,
        no_effect=0.0,
    ),
    "boost_weight": Measure(
        amount="shown {size} times as often",
        title="Weight",
        unit="ratio",
        sentence="{who} are shown {size} times as often",
        definition="How many times as often rows of the group come, up to one factor common to all groups.",
        no_effect=1.0,
        least=0.0,
    ),
    "rsp_penalty": Measure(
        amount="typically {size} away from the average",
        title="Parity penalty",
        sentence="items of {everybody} are typically shown {size} more or less often than average",
        definition=(
            "The standard deviation over the mean of the rate at which items of each group are shown, "
            "whatever users like. Also called the RSP penalty."
        ),
        key_result=True,
        show="percent",
        no_effect=0.0,
        least=0.0,
    ),
    "parity_deviation": Measure(
        amount="an item is shown {size} than an average one",
        title="Deviation from parity, in times shown",
        unit="rate",
        sentence="an item of {who} is shown {size} than an average one",
        definition=(
            "U − mean(U), where U is how often an item of the group is shown: in a request where the "
            "number of requests is known, or in the whole log. An absolute difference, not a share."
        ),
        directions=("fewer times", "more times"),
        no_effect=0.0,
    ),
    "precision_penalty": Measure(
        amount="typically {size} away from the average",
        title="Precision penalty",
        sentence="{everybody} typically like {size} more or less of what they are shown than average",
        definition="The standard deviation over the mean of the precision of what each group is shown.",
        show="percent",
        no_effect=0.0,
        least=0.0,
        people="users",
    ),
    "precision": Measure(
        amount="{size} of what they are shown is liked",
        title="Precision",
        sentence="{who} like {size} of what they are shown",
        definition="Liked rows over all rows of the group's users: precision at the length of the list.",
        show="percent",
        least=0.0,
        most=1.0,
        people="users",
    ),
}

ROOM = Room(audits=AUDITS, measures=MEASURES, terms=TERMS)
