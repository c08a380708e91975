"""What audits, measures and details are called, and what to do about a verdict.

The words for measures stand in a module for each audit, and come together here.
"""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.findings import Verdict
from evenhand.report.measure import Measure
from evenhand.report.measures_association import ASSOCIATION
from evenhand.report.measures_envy import ENVY
from evenhand.report.measures_erasure import ERASURE
from evenhand.report.measures_exposure import EXPOSURE
from evenhand.report.measures_groups import GROUPS
from evenhand.report.measures_leakage import LEAKAGE
from evenhand.report.measures_opportunity import OPPORTUNITY
from evenhand.report.measures_series import SERIES
from evenhand.report.measures_traffic import TRAFFIC

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
    "stages": ("by", "stage"),
    "association": ("by", "direction"),
    "mitigate_embeddings": ("by", "when"),
    "association_amplification": ("by", "direction"),
    "association_leakage": ("by", "direction"),
}


# Audits that answer a list of like questions: a picture of all, however few there are.
LISTED = ("experiments",)


# Words in a subject that need more words in a heading.
HEADINGS: dict[str, str] = {
    "static": "the ranking as it is",
    "observed": "lists as shown",
    "several": "trade-off over temperatures",
}


# Names in a finding's details that are too short to be understood.
TERMS: dict[str, str] = {
    "df": "degrees of freedom",
    "alone, low": "interval of this one alone, from",
    "alone, high": "interval of this one alone, to",
    "days_outside": "outside tolerance",
    "days_undecided": "undecided",
    "days_within": "within tolerance",
    "days_clear": "changes that are clear, all at once",
    "days_clear_alone": "changes that are clear, each by itself",
    "series": "one by one",
    "corrected": "estimate corrected for its bias",
    "tau": "spread of the groups",
    "design_effect": "variance, in multiples of that of independent rows",
    "effective_random_rows": "random rows of equal weight that would be as good",
    "effective_positives_random": "random positives of equal weight that would be as good",
    "daily": "random rows a day",
    "within_90": "90% quantile",
    "epsilon_share": "epsilon as a share of the mean utility",
    "preference_range": "least and largest preference",
    "own_share": "share of steps with the user's own policy",
    "own_reward": "reward of the user's own policy over as many steps",
    "least_margin": "least distance from breaking the constraint",
}


# What to do about a verdict of an audit.
_TRACE = (
    "Look at how the system treats the groups that are served worse (recall, ranking, filters), and test a "
    "change with evenhand compare."
)
_COLLECT = "Where it is not decided, collect more traffic, random traffic first if that is the scarce one."
ADVICE: dict[str, dict[Verdict | None, str]] = {
    "opportunity": {Verdict.VIOLATION: _TRACE, Verdict.INCONCLUSIVE: _COLLECT},
    "series": {
        Verdict.VIOLATION: (
            "Look at what was released before the days outside the tolerance, and at how the system treats "
            "the groups that are served worse; test a change with evenhand compare."
        ),
        Verdict.INCONCLUSIVE: (
            "Where it is not decided, follow weeks instead of days, or collect more traffic, random traffic "
            "first if that is the scarce one."
        ),
    },
    "experiments": {
        Verdict.VIOLATION: (
            "Do not roll out the changes that make opportunity less equal; test those that overlap with "
            "another experiment again, on their own."
        ),
        Verdict.INCONCLUSIVE: _COLLECT,
    },
    "stages": {
        Verdict.VIOLATION: "Look at the stage that is outside its tolerance before the others.",
        Verdict.INCONCLUSIVE: _COLLECT,
    },
    "compare": {
        Verdict.VIOLATION: "Do not roll the change out as it is: it makes opportunity less equal.",
        Verdict.INCONCLUSIVE: _COLLECT,
    },
    "exposure": {
        Verdict.VIOLATION: (
            "Look at the pairs of groups that are over- or under-exposed. A more random ranking brings them "
            "nearer to what relevance asks for but shows users less of what they want; training with the "
            "exposure loss (docs/exposure.md) costs far less."
        ),
        Verdict.INCONCLUSIVE: "Where it is not decided, use more users, or fewer and larger groups.",
    },
    "groups": {
        Verdict.VIOLATION: (
            "Look at what the worst served group is shown (data, features, candidates), and try a re-ranking "
            "of its lists; audit again with new users."
        ),
        Verdict.INCONCLUSIVE: "Where it is not decided, use fewer and larger groups, or more users.",
    },
    "envy": {
        Verdict.VIOLATION: (
            "Look at what the envied policies show that the envious users are not shown; a model that fits "
            "those users better, or a policy nearer to the optimal one, removes envy. Confirm it online "
            "before a change: preferences may have been estimated wrongly."
        ),
        Verdict.INCONCLUSIVE: "Where it is not decided, draw more users, or more policies for each.",
    },
    "association": {
        Verdict.VIOLATION: (
            "Look at the groups of items that lean to one value of the attribute, and ask whether that is "
            "what users wanted or what the system taught itself; before these vectors are used as features "
            "elsewhere, remember that they carry the attribute."
        ),
        Verdict.INCONCLUSIVE: "Where it is not decided, use more users, or fewer and larger groups.",
    },
    "association_amplification": {
        Verdict.VIOLATION: (
            "Look at what is accepted from round to round, and break the loop: show some items that the "
            "model did not choose, or train on what was taken without being shown."
        ),
        Verdict.INCONCLUSIVE: "Where it is not decided, train the first and the last state more often.",
    },
    "association_leakage": {
        Verdict.VIOLATION: (
            "Before vectors of items are used elsewhere or given away, remember that a history of items "
            "tells the attribute of its user; take the attribute out of the vectors, or do not pass them on."
        ),
        Verdict.INCONCLUSIVE: "Where it is not decided, use more users, or fewer and larger groups.",
    },
    "mitigate": {
        None: (
            "Show the new lists to some users of the chosen groups first, as one arm of an A/B test: a "
            "change on past candidates says what is shown, not what users will do with it."
        ),
    },
    "mitigate_embeddings": {
        None: (
            "A linear classifier at chance says nothing about other ones: where a non-linear one still tells "
            "the attribute, do not give these vectors away as if they did not know it. Try the new lists in "
            "an A/B test before they replace the old ones."
        ),
    },
}


def audit_advice(name: str) -> dict[Verdict | None, str]:
    return ADVICE.get(name, {})


def section_keys(audit_name: str) -> tuple[str, ...]:
    """The keys of a subject that make a section of this audit."""
    return SECTIONS.get(audit_name, ("by",))


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
