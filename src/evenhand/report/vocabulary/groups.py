"""The words for what the group audit and re-ranking measure."""

from __future__ import annotations

from evenhand.report.vocabulary.measure import Measure

GROUPS: dict[str, Measure] = {
    "confirmed_gap": Measure(
        title="Confirmed gap between groups",
        unit="metric",
        sentence=(
            "the largest gap in {metric} between groups of {by} is put at {size} by users who had no part in "
            "the search ({chosen}; it found {raw_gap:.2g}, chance alone gives {chance_gap:.2g})"
        ),
        definition=(
            "One half of the users is searched for the groups that are surely served best and worst; the "
            "other half, which had no say in the choice, gives the gap between them; then the other way "
            "round, and the estimate is the mean of the two. Half of a small group may happen to have no "
            "hit at all; the interval allows for hits that it missed. It is that of the largest true gap "
            "between any two groups: at least the lower limit of the confirmed one, at most what the "
            "intervals of all groups allow."
        ),
        no_effect=0.0,
        people="users",
        key_result=True,
    ),
    "uf": Measure(
        title="Largest gap found",
        unit="metric",
        sentence=(
            "of {groups} groups of {by}, the means of {metric} are at most {size} apart ({highest} against "
            "{lowest}); {meaning} ({p})"
        ),
        definition=(
            "UF = largest minus smallest mean over all groups (FairRec, equation 1). A maximum over many "
            "groups is large by chance, so it is not the size of any true gap. The p-value asks whether any "
            "mean differs. It is that of the studentised gap, and the larger of two: users shuffled over the "
            "groups, sizes kept; and groups that keep the shape of their values but have one mean. Where "
            "groups overlap there is only the first, which is no test of means, and it is not given. The raw "
            "p-value, for the gap itself, also rejects when small groups merely vary more."
        ),
        no_effect=0.0,
        least=0.0,
        people="users",
    ),
    "spread": Measure(
        title="Spread of the groups",
        unit="metric",
        sentence=(
            "with noise taken out, the mean {metric} of a typical group of {by} is {size} from the average; "
            "if all groups had one mean, such differences would appear in {chance} cases ({p})"
        ),
        definition=(
            "tau of a random-effects model (Paule and Mandel), with its Q-profile interval. The p-value is "
            "that of Cochran's Q, and the larger of two: users shuffled over the groups; and groups that "
            "keep the shape of their values but have one mean."
        ),
        no_effect=0.0,
        least=0.0,
        people="users",
    ),
    "group_mean": Measure(
        title="Mean of the group",
        unit="metric",
        sentence="the mean {metric} of {who} is {size}",
        definition=(
            "The mean over the users of the group. The intervals hold for all compared groups at once. The "
            "grey line is where shuffling keeps a group of this size in 95 of 100 cases, all groups at once."
        ),
        people="users",
    ),
    "metric_agreement": Measure(
        title="Agreement of the metrics",
        unit="correlation",
        sentence=(
            "over {groups} groups of {by}, the metrics that agree least about who is served well are {first} "
            "and {second}, with a rank correlation of {size}"
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
    "rerank_change": Measure(
        title="Change by re-ranking",
        unit="metric",
        sentence=(
            "{who}: mean {metric} went from {before:#.3g} to {after:#.3g}, a change of {size} ({meaning})"
        ),
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
        title="Change of the largest gap",
        unit="metric",
        sentence=(
            "across {groups} groups of {by}, the largest gap in {metric} went from {before:#.3g} to "
            "{after:#.3g}, a change of {size} ({meaning})"
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
        title="Side effect of re-ranking",
        unit="metric",
        sentence=(
            "in the {who}, mean {metric} went from {before:#.3g} to {after:#.3g}, a change of {size} "
            "({meaning})"
        ),
        definition=(
            "Mean over users of another metric after the re-ranking minus before, of the same users and "
            "candidates as the change of the metric that it was for."
        ),
        no_effect=0.0,
        people="users",
    ),
}
