"""The words for embeddings before and after a mitigation."""

from __future__ import annotations

from evenhand.report.vocabulary.measure import Measure

ERASURE: dict[str, Measure] = {
    "attribute_accuracy": Measure(
        title="What a fresh classifier tells",
        unit="share",
        sentence=(
            "{who}: a fresh {classifier} classifier tells their {by} with a balanced accuracy of {size}, "
            "where guessing has {guessing:.2g}: {meaning}"
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
        title="Change of what a classifier tells",
        unit="points",
        sentence=(
            "{who}: the balanced accuracy of a fresh {classifier} classifier of {by} went from "
            "{before:#.3g} to {after:#.3g}, a change of {size} ({meaning})"
        ),
        definition="Balanced accuracy after the mitigation minus before, of the same users.",
        no_effect=0.0,
        least=-1.0,
        most=1.0,
        people="users",
    ),
    "geaa_change": Measure(
        title="Change of the association of a group",
        unit="cosine",
        sentence=(
            "the association (GEAA) of items of {group} went from {before:#.3g} to {after:#.3g}, a change of "
            "{size} ({meaning})"
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
        title="Change of the ranking",
        unit="metric",
        sentence=("mean {metric} went from {before:#.3g} to {after:#.3g}, a change of {size} ({meaning})"),
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
