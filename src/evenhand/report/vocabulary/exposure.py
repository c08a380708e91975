"""The words for who is shown to whom."""

from __future__ import annotations

from evenhand.findings import Verdict
from evenhand.report.vocabulary.measure import Measure
from evenhand.report.vocabulary.room import MORE_USERS, Audit, Room
from evenhand.report.words.phrases import exposure as phrases

AUDITS: dict[str, Audit] = {
    "exposure": Audit(
        title="Exposure",
        serves="exposure",
        drawn="pair_exposure",
        numbers=("relevant_exposure", "GG", "AG"),
        headline="pair_exposure",
        section=("by", "beta"),
        labels={"beta": phrases.which_ranking},
        advice={
            Verdict.VIOLATION: "Train the ranker with the exposure loss; a more random one costs users more.",
            Verdict.INCONCLUSIVE: MORE_USERS,
        },
    ),
}

HEADINGS: dict[str, str] = {
    "static": "the ranking as it is shown",
    "observed": "the lists as shown",
    "several": "from the ranking as it is shown to more random ones",
}

TERMS: dict[str, str] = {
    "corrected": "estimate corrected for its bias",
    "from_relevance": "share of what is asked for that comes from relevance",
    "unseen_factor": "relevance observed so many times less often for some items would explain it",
}


def _joint_exposure(name: str) -> Measure:
    """One of the six measures of joint exposure, by its letters: users first, items second."""
    users = {"I": "individual users", "G": "user groups", "A": "all users"}[name[0]]
    items = {"I": "individual items", "G": "item groups"}[name[1]]
    to_whom = {"I": "each user", "G": "each user group", "A": "all users"}[name[0]]
    what = {"I": "each item", "G": "each item group"}[name[1]]
    return Measure(
        phrases=phrases.policy,
        title=f"{name}: {users}, {items}",
        sentence=(
            f"{{ranking}}exposure of {what} to {to_whom} is typically {{size}} of a top place off its target"
        ),
        amount="{ranking}typically {size} of a top place off target",
        instead="corrected",
        definition=(
            "The mean squared difference between the exposure of items to users and equal expected exposure, "
            "averaged over individuals (I), groups (G) or all users (A) before it is squared: first letter "
            "users, second letter items (Wu and others 2022). It is disparity minus relevance plus a "
            "constant. Sentences say its square root, in the unit of exposure: a top place has 100%. "
            "Squares of means over a sample of users are too large on average: what is shown, "
            "and has the interval, is corrected for that; the estimate in findings.json is as published."
        ),
        show="squared",
        no_effect=0.0,
        least=0.0,
        people="users",
    )


MEASURES: dict[str, Measure] = {
    "pair_exposure": Measure(
        amount="{ranking}{size} than relevance asks for",
        phrases=phrases.pair,
        title="Exposure of item groups to user groups",
        sentence="{ranking}{shown}{evidence}",
        definition=(
            "Mean exposure of the items of a group to the users of a group, divided by what equal expected "
            "exposure asks for, minus 1. The intervals hold for all pairs of groups at once. Relevance is "
            "what was observed: the details say how much of what is asked for comes from it, and how many "
            "times less often it would have to be observed for some groups of items than for others, to "
            "explain a violation."
        ),
        unless=(
            "It might not stand if only {observed}% of the relevant items of other groups were observed, and "
            "all of this one.",
            "It might not stand if only {observed}% of the relevant items of this group were observed, and "
            "all of the others.",
        ),
        show="percent",
        directions=("less", "more"),
        no_effect=0.0,
        people="users",
    ),
    "relevant_exposure": Measure(
        phrases=phrases.policy,
        amount="{ranking}what is relevant to them gets {size} of the exposure that it could have",
        title="Exposure of what is relevant to users",
        sentence="{ranking}what is relevant to {who} gets {size} of the exposure that it could have",
        definition=(
            "The exposure of a user's relevant items, divided by the most that they could have (all at the "
            "top), in the mean over the users of a group. The intervals hold for all user groups at once. "
            "For other metrics by group, and for a test of the gap, see evenhand groups."
        ),
        show="percent",
        least=0.0,
        most=1.0,
        people="users",
    ),
    "tradeoff": Measure(
        phrases=phrases.system,
        title="Relevance at the same disparity",
        unit="share",
        sentence="{system}at the same disparity, relevance averages {size} of 1, by {measure}",
        amount="relevance {size} of 1 at the same disparity, by {measure}",
        definition=(
            "Relevance against disparity as the policy gets less random, each moved to 0 to 1 over systems "
            "and temperatures: the mean relevance over the disparities that all systems reach; larger is "
            "better. The details have the area under the whole curve (trapezoid), and up to the least "
            "disparity that any system has at the smallest temperature (common; Wu and others 2022), which "
            "is larger for a curve that goes on to more disparity. None has an interval. A temperature means "
            "the same for two systems only if their scores are of the same size, or if it is relative to "
            "them."
        ),
        least=0.0,
        most=1.0,
    ),
    "measure_agreement": Measure(
        amount="{first} and {second}: Kendall's correlation {size}",
        title="Agreement of the measures",
        unit="correlation",
        sentence="{first} and {second} agree least over {points} settings: Kendall's correlation {size}",
        definition=(
            "Kendall's rank correlation between the measures, and between their components, over systems and "
            "temperatures: 1 where two put all settings in the same order, so that one would do."
        ),
        no_effect=0.0,
        least=-1.0,
        most=1.0,
    ),
    **{name: _joint_exposure(name) for name in ("II", "IG", "GI", "GG", "AI", "AG")},
}

ROOM = Room(audits=AUDITS, measures=MEASURES, headings=HEADINGS, terms=TERMS)
