"""What audits, measures and details are called.

The words for measures stand in a module for each audit, and come together here.
"""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.report.vocabulary.association import ASSOCIATION
from evenhand.report.vocabulary.envy import ENVY
from evenhand.report.vocabulary.erasure import ERASURE
from evenhand.report.vocabulary.exposure import EXPOSURE
from evenhand.report.vocabulary.groups import GROUPS
from evenhand.report.vocabulary.leakage import LEAKAGE
from evenhand.report.vocabulary.measure import Measure
from evenhand.report.vocabulary.opportunity import OPPORTUNITY
from evenhand.report.vocabulary.series import SERIES
from evenhand.report.vocabulary.traffic import TRAFFIC

MEASURES: dict[str, Measure] = (
    OPPORTUNITY | SERIES | TRAFFIC | GROUPS | EXPOSURE | ENVY | ASSOCIATION | LEAKAGE | ERASURE
)

AUDITS: dict[str, tuple[str, str]] = {
    "opportunity": ("Opportunity", "Do creators get equal opportunity, given what users like?"),
    "series": ("Opportunity over time", "Does opportunity stay equal, day after day?"),
    "compare": ("Comparison", "Does a change to the system change who gets opportunity?"),
    "experiments": (
        "Experiments",
        "Which of the changes that are tried at the same time change who gets opportunity?",
    ),
    "stages": ("Stages", "Which stage of the system makes opportunity unequal?"),
    "boost": ("Boosting", "What would showing some groups more often do to equal opportunity?"),
    "parity": ("Parity", "Are groups shown in proportion to what they offer, whatever users like?"),
    "user_precision": ("Precision by group of users", "Are users of all groups shown what they like?"),
    "traffic_plan": (
        "Random traffic",
        "How much random traffic, and for how many days, would answer the question?",
    ),
    "exposure": ("Exposure", "Who is shown to whom, beside what relevance asks for?"),
    "groups": ("Groups of users", "Which users are served worst, and is that more than chance?"),
    "envy": ("Envy", "Would a user be better off with another user's recommendations?"),
    "envy_simulation": (
        "Simulated audits of a user's envy",
        "How would audits of one user end, how long would they take, and what would they cost the user?",
    ),
    "envy_plan": (
        "Planning an audit of a user's envy",
        "How long would an audit take, and what would it cost, for different limits to its harm?",
    ),
    "association": (
        "Association",
        "What do the vectors of users and items know about a sensitive attribute?",
    ),
    "association_amplification": (
        "Amplification",
        "Did the model come to associate more with a sensitive attribute, from its first state to its last?",
    ),
    "association_leakage": (
        "Leakage",
        "Can a sensitive attribute of users be read off the vectors of the items that they took?",
    ),
    "mitigate": (
        "Mitigation",
        "Does re-ranking the lists of the worst served groups help them, and what does it cost?",
    ),
    "mitigate_embeddings": (
        "Embeddings before and after",
        "Do the vectors know less about the attribute than before, and what did that cost?",
    ),
}


# What a section of the report is about: an attribute, and for some audits more.
SECTIONS: dict[str, tuple[str, ...]] = {
    "groups": ("by", "metric"),
    "exposure": ("by", "beta"),
    "association": ("by", "direction"),
    "mitigate_embeddings": ("by", "when"),
    "association_amplification": ("by", "direction"),
    "association_leakage": ("by", "direction"),
}


# Audits that answer a list of like questions: a picture of all, however few there are.
LISTED = ("experiments", "stages", "traffic_plan")


# Arms that an audit names for machines, as a reader would call them.
ARMS: dict[str, dict[str, str]] = {
    "boost": {"no boost": "the present weights", "boost": "the new weights"},
}


# Words in a subject that need more words in a heading.
HEADINGS: dict[str, str] = {
    "static": "the ranking as it is",
    "observed": "lists as shown",
    "several": "trade-off over temperatures",
}


# Names in a finding's details that are too short to be understood.
TERMS: dict[str, str] = {
    "df": "degrees of freedom",
    "error_df": "degrees of freedom of its error (Hotelling's T²: so many clusters count)",
    "alone, low": "interval of this one alone, from",
    "alone, high": "interval of this one alone, to",
    "days_outside": "outside tolerance",
    "days_undecided": "undecided",
    "days_within": "within tolerance",
    "days_clear": "changes that are clear, all at once",
    "days_clear_alone": "changes that are clear, each by itself",
    "series": "one by one",
    "corrected": "estimate corrected for its bias",
    "from_relevance": "share of what is asked for that comes from relevance",
    "unseen_factor": "relevance observed so many times less often for some items would explain it",
    "tau": "spread of the groups",
    "design_effect": "variance, in multiples of that of independent rows",
    "effective_random_rows": "random rows of equal weight that would be as good",
    "effective_positives_random": "random positives of equal weight that would be as good",
    "expected_rows": "rows that would be repeats by chance",
    "expected_items": "items that would be missing by chance",
    "users_in_buckets": "buckets of users",
    "daily": "random rows a day",
    "within_90": "90% quantile",
    "epsilon_share": "epsilon as a share of the mean utility",
    "preference_range": "least and largest preference",
    "own_share": "share of steps with the user's own policy",
    "own_reward": "reward of the user's own policy over as many steps",
    "least_margin": "least distance from breaking the constraint",
}


def section_keys(audit_name: str) -> tuple[str, ...]:
    """The keys of a subject that make a section of this audit: of logs, which rows were asked for."""
    return SECTIONS.get(audit_name, ("by", "where"))


def section_heading(title: str, about: Sequence[str]) -> str:
    """ "Groups of users by gender, age: mrr@5": the attribute, then whatever else there is."""
    by, *more = about
    return ": ".join([f"{title} by {spaced(by)}" if by else title, *filter(None, more)])


def spaced(name: str) -> str:
    """A column or measure name as words: "creator_age" is "creator age"."""
    return name.replace("_", " ").strip()


def capital(text: str) -> str:
    """The first letter large, the others as they are."""
    return text[:1].upper() + text[1:]


def measure(name: str) -> Measure:
    """The words for a measure; a name that nobody registered still gets a decent sentence."""
    known = MEASURES.get(name)
    if known is not None:
        return known
    title = capital(spaced(name))
    return Measure(
        title=title, sentence=f"{title.replace('{', '{{').replace('}', '}}')} is {{size}}{{place}}"
    )


def audit(name: str) -> tuple[str, str]:
    """Title of an audit, and the question that it answers (empty when nobody registered one)."""
    return AUDITS.get(name, (capital(spaced(name)), ""))
