"""The words for plans of random traffic, and for what else the logs of an opportunity audit can tell."""

from __future__ import annotations

from evenhand.report.vocabulary.measure import Measure

TRAFFIC: dict[str, Measure] = {
    "days_needed": Measure(
        title="Days needed",
        sentence="with {share} random traffic ({daily} random rows a day), {days} of logs {aim}",
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
        title="Share needed",
        sentence="to {aim} in {length} takes {size} random traffic ({daily} random rows a day)",
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
        title="Best balance",
        sentence=(
            "where accuracy has {weight} of the weight and relevance {rest}, {size} random traffic for "
            "{length} ({daily} random rows a day) is the best balance, and gives {gives}"
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
        title="Expected half-width",
        sentence="after {days:,} days with {share} random traffic, the interval reaches ±{size}",
        definition="Half of the length of the audit's interval, on average over logs as chance makes them.",
        show="points",
        least=0.0,
    ),
    "planned_power": Measure(
        title="Expected power",
        sentence="after {days:,} days with {share} random traffic, {size} of such A/B tests find the change",
        definition="The share of logs, as chance would make them, whose interval of the change leaves out 0.",
        show="percent",
        least=0.0,
        most=1.0,
    ),
    "bound_ratio": Measure(
        title="Worst-case bound",
        unit="ratio",
        sentence=(
            "the published bound, which holds for any data, asks for {random_rows:,.0f} random rows: {size} "
            "times what this data needs"
        ),
        definition=(
            "Rows of random traffic that are enough whatever the data (Dong and others 2024, Eq. 8 and 21), "
            "over those of the direct calculation."
        ),
        least=0.0,
    ),
    "relevance_cost": Measure(
        title="Cost in relevance",
        sentence="while {share} of what is shown is random, users are shown {size} items that they like",
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
        title="Weight",
        unit="ratio",
        sentence="{who} is shown {size} times as often",
        definition="How many times as often rows of the group come, up to one factor common to all groups.",
        no_effect=1.0,
        least=0.0,
    ),
    "rsp_penalty": Measure(
        title="Parity penalty",
        sentence=(
            "across {groups} groups of {by}, exposure an item typically differs from the average by {size}"
        ),
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
        title="Deviation from parity",
        unit="rate",
        sentence="an item of {who} is shown {size} often than an item of the average group",
        definition=(
            "U − mean(U), where U is how often an item of the group is shown: in a request where the "
            "number of requests is known, or in the whole log. An absolute difference, not a share."
        ),
        directions=("less", "more"),
        no_effect=0.0,
    ),
    "precision_penalty": Measure(
        title="Precision penalty",
        sentence=(
            "across {groups} groups of {by}, the share of liked items typically differs from the average by "
            "{size}"
        ),
        definition="The standard deviation over the mean of the precision of what each group is shown.",
        show="percent",
        no_effect=0.0,
        least=0.0,
        people="users",
    ),
    "precision": Measure(
        title="Precision",
        sentence="of what {who} are shown, they like {size}",
        definition="Liked rows over all rows of the group's users: precision at the length of the list.",
        show="percent",
        least=0.0,
        most=1.0,
        people="users",
    ),
}
