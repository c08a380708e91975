"""The words for lists and embeddings before and after a mitigation."""

from __future__ import annotations

from evenhand.report.vocabulary.measure import Measure
from evenhand.report.vocabulary.room import Audit, Room
from evenhand.report.words.phrases import mitigate as phrases
from evenhand.report.words.phrases.association import line

AUDITS: dict[str, Audit] = {
    "mitigate": Audit(
        title="Mitigation",
        question="Does re-ranking the lists of the worst served groups help them, and what does it cost?",
        serves="users",
        part="Would re-ranking help?",
        drawn="rerank_change",
        numbers=("uf_change",),
        advice={
            None: "Show the new lists to some of these users first, in an A/B test.",
        },
    ),
    "mitigate_embeddings": Audit(
        title="Embeddings before and after",
        question="Do the vectors know less about the attribute than before, and what did that cost?",
        serves="embeddings",
        part="Did taking the attribute out help?",
        drawn="geaa_change",
        numbers=("attribute_accuracy_change", "ranking_change"),
        section=("by", "when"),
        labels={"direction": lambda subject: f"direction {line(subject)}"},
        advice={
            None: "Try the new lists in an A/B test; another classifier may still guess the attribute.",
        },
    ),
}

MEASURES: dict[str, Measure] = {
    "rerank_change": Measure(
        amount="{metric} changed by {size}: {meaning}",
        phrases=phrases.lists,
        title="Change by re-ranking",
        unit="metric",
        sentence=("{who}: mean {metric} went from {before} to {after}, a change of {size}: {meaning}"),
        definition=(
            "Mean over users of the metric after the re-ranking minus before, of the same users and "
            "candidates. Where the metric reads labels, users are measured who had no say in the choice of "
            "groups; before and after are then theirs."
        ),
        no_effect=0.0,
        people="users",
        key_result=True,
    ),
    "uf_change": Measure(
        amount="largest gap in {metric} changed by {size}",
        phrases=phrases.lists,
        title="Change of the largest gap",
        unit="metric",
        sentence=(
            "the largest gap in {metric} between {groups} groups of {everybody} went from {before} to "
            "{after}, a change of {size}: {meaning}"
        ),
        definition=(
            "UF, the largest minus the smallest mean of all groups, after the re-ranking minus before. A "
            "largest gap is large by chance, before as after; where the metric reads labels, it is the mean "
            "of the two halves of the users, in which it is larger still. The interval is of the change for "
            "users like these, whichever groups are at the ends in truth."
        ),
        no_effect=0.0,
        people="users",
    ),
    "rerank_side_effect": Measure(
        amount="{metric} changed by {size}: {meaning}",
        phrases=phrases.lists,
        title="Side effect of re-ranking",
        unit="metric",
        sentence=("{who}: mean {metric} went from {before} to {after}, a change of {size}: {meaning}"),
        definition=(
            "Mean over users of another metric after the re-ranking minus before, of the same users and "
            "candidates as the change of the metric that it was for."
        ),
        no_effect=0.0,
        people="users",
    ),
    "attribute_accuracy": Measure(
        show="percent",
        amount="{by} can be guessed for {size}, where chance is {guessing:.0%}",
        phrases=phrases.accuracy,
        title="What a fresh classifier tells",
        sentence=(
            "{by} can be guessed for {size} of {who} by a fresh {classifier} classifier, where chance is "
            "{guessing:.0%}: {meaning}"
        ),
        definition=(
            "The mean over the values of an attribute of the share of users that a cross-validated "
            "classifier tells right from their vectors. Held-out users are those whose value the mitigation "
            "never saw; only they say what it does to a user. Those who made it are told beside them. "
            "Guessing gives 1 / values. The details have "
            "the plain accuracy, and the share of the most common value, which always naming it would "
            "reach."
        ),
        least=0.0,
        most=1.0,
        people="users",
        key_result=True,
    ),
    "attribute_accuracy_change": Measure(
        amount="{by} is guessed for {after:.0%} instead of {before:.0%}",
        show="points",
        phrases=phrases.accuracy_change,
        title="Change of what a classifier tells",
        sentence=(
            "{by} of {who} is guessed for {after:.0%} instead of {before:.0%} by a fresh {classifier} "
            "classifier: {size}, {meaning}"
        ),
        definition="Balanced accuracy after the mitigation minus before, of the same users.",
        no_effect=0.0,
        least=-1.0,
        most=1.0,
        people="users",
    ),
    "geaa_change": Measure(
        amount="association changed by {size}: {meaning}",
        phrases=phrases.association_change,
        title="Change of the association of a group",
        unit="cosine",
        sentence=(
            "association of {content} with {by} went from {before} to {after}, a change of {size}: {meaning}"
        ),
        definition=(
            "GEAA after the mitigation minus before, of the same items and users. Weaker means nearer to 0, "
            "on either side. Intervals of all groups hold at once."
        ),
        no_effect=0.0,
        least=-4.0,
        most=4.0,
    ),
    "ranking_change": Measure(
        amount="{metric} changed by {size}: {meaning}",
        phrases=phrases.ranking_change,
        title="Change of the ranking",
        unit="metric",
        sentence="mean {metric} went from {before} to {after}, a change of {size}: {meaning}",
        definition=(
            "Mean over users with test items of the measure after the mitigation minus before, of lists that "
            "leave out what the model learnt from and what its training was stopped by, as far as that is "
            "known. Several measures are not corrected for their number."
        ),
        no_effect=0.0,
        least=-1.0,
        most=1.0,
        people="users",
        key_result=True,
    ),
}

TERMS: dict[str, str] = {"change": "which way it went"}
HEADINGS: dict[str, str] = {"original": "after, beside the original"}

ROOM = Room(audits=AUDITS, measures=MEASURES, headings=HEADINGS, terms=TERMS)
