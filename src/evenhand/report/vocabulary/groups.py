"""The words for groups of users, and how far apart they are served."""

from __future__ import annotations

from evenhand.findings import Verdict
from evenhand.report.vocabulary.measure import Measure
from evenhand.report.vocabulary.room import MORE_USERS, Audit, Room
from evenhand.report.words.phrases import groups as phrases

_MRR = (
    " mrr@5 of a user is 1 where the first liked item stands at place 1, 1/2 at place 2, 1/5 at place 5, and "
    "0 where none is among the first five; mrr of another cut likewise."
)

AUDITS: dict[str, Audit] = {
    "groups": Audit(
        title="Groups of users",
        serves="users",
        drawn="group_mean",
        numbers=("confirmed_gap", "uf", "spread"),
        headline="confirmed_gap",
        section=("by", "metric"),
        advice={
            Verdict.VIOLATION: "See what these users are shown, and try to re-rank their lists.",
            Verdict.INCONCLUSIVE: MORE_USERS,
        },
    ),
}

TERMS: dict[str, str] = {
    "moved_by_days": "larger, with what days have in common taken out",
    "moved_by_visits": "larger, counted by visits instead of users",
    "tau": "spread of the groups",
    "confirmed, sure": "confirmed, halves of more than one value",
    "split_half, sure": "split half, halves of more than one value",
}

MEASURES: dict[str, Measure] = {
    "confirmed_gap": Measure(
        untold="rechecked on other users, the largest gap in {metric} is {size}, which may be chance",
        amount="{metric} {size} {below} the best served",
        equal="no gap in {metric} on other users",
        chosen="halves",
        phrases=phrases.chosen,
        title="Confirmed gap between groups",
        unit="metric",
        sentence="{worst} get {metric} {size} {below} {best}, rechecked on other users",
        definition=(
            "One half of the users is searched for the groups that are surely served best and worst; the "
            "other half, which had no say in the choice, gives the gap between them; then the other way "
            "round, and the estimate is the mean of the two. Half of a small group may happen to have no "
            "hit at all; the interval allows for hits that it missed, and, with known bounds, for the few "
            "of a whole group who may be far from all others. It is that of the largest true gap "
            "between any two groups: at least the lower limit of the confirmed one, at most what the "
            "intervals of all groups allow." + _MRR
        ),
        no_effect=0.0,
        people="users",
        key_result=True,
    ),
    "uf": Measure(
        amount="{metric} at most {size} apart",
        phrases=phrases.gap,
        tested=True,
        title="Largest gap found",
        unit="metric",
        sentence=(
            "{lowest} get {metric} {size} below {highest}, the largest gap of {groups} groups{evidence}. "
            "{meaning}"
        ),
        definition=(
            "UF = largest minus smallest mean over all groups (FairRec, equation 1). A maximum over many "
            "groups is large by chance, so it is not the size of any true gap. The p-value asks whether any "
            "mean differs. It is that of the studentised gap, and the largest of these: users shuffled over "
            "the groups, sizes kept; groups that keep the shape of their values but have one mean; and, with "
            "known bounds, groups whose few users at an end of the range chance left out. Where groups "
            "overlap there is only the first, which is no test of means, and it is not given. The raw "
            "p-value, for the gap itself, also rejects when small groups merely vary more."
        ),
        no_effect=0.0,
        least=0.0,
        people="users",
    ),
    "spread": Measure(
        amount="{metric} typically {size} away from the average",
        tested=True,
        title="Spread of the groups",
        unit="metric",
        sentence="for {everybody}, {metric} is typically {size} from the average, chance taken out",
        definition=(
            "tau of a random-effects model (Paule and Mandel), with its Q-profile interval. The p-value is "
            "that of Cochran's Q, and the largest of these: users shuffled over the groups; groups that keep "
            "the shape of their values but have one mean; and, with known bounds, groups whose few users at "
            "an end of the range chance left out."
        ),
        no_effect=0.0,
        least=0.0,
        people="users",
    ),
    "group_mean": Measure(
        amount="{metric} {size}",
        title="Mean of the group",
        unit="metric",
        sentence="{who} get a mean {metric} of {size}",
        definition=(
            "The mean over the users of the group. The intervals hold for all compared groups at once. The "
            "grey line is where shuffling keeps a group of this size in 95 of 100 cases, all groups at once."
            + _MRR
        ),
        people="users",
    ),
    "metric_agreement": Measure(
        amount="{first} and {second}: rank correlation {size}",
        title="Agreement of the metrics",
        unit="correlation",
        sentence=(
            "the metrics {first} and {second} agree least about who is served well: rank correlation {size}"
            " over {groups} groups"
        ),
        definition=(
            "Spearman's rank correlation of the group means of two metrics, each turned so that higher is "
            "better; the estimate is that of the pair which agrees least."
        ),
        no_effect=0.0,
        least=-1.0,
        most=1.0,
        people="users",
    ),
}

ROOM = Room(audits=AUDITS, measures=MEASURES, terms=TERMS)
