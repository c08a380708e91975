"""The words for what vectors know: associations, how they grow, and what leaks of an attribute."""

from __future__ import annotations

from evenhand.findings import Verdict
from evenhand.report.vocabulary.measure import Measure
from evenhand.report.vocabulary.room import MORE_USERS, Audit, Room, unsaid
from evenhand.report.words.phrases import association as phrases

AUDITS: dict[str, Audit] = {
    "association": Audit(
        title="Association",
        question="What do the vectors of users and items know about a sensitive attribute?",
        serves="embeddings",
        numbers=("direction",),
        headline="geaa",
        opens="direction",
        section=("by", "direction"),
        advice={
            Verdict.VIOLATION: "Treat these vectors as data about people, and see which items lean to whom.",
            Verdict.INCONCLUSIVE: MORE_USERS,
        },
    ),
    "association_amplification": Audit(
        title="Amplification",
        question=(
            "Did the model come to associate more with a sensitive attribute, from its first state to its "
            "last?"
        ),
        serves="embeddings",
        part="Does it grow?",
        headline="geaa_growth",
        section=("by", "direction"),
        advice={
            Verdict.VIOLATION: "Break the loop: show users some items that the model did not choose.",
            Verdict.INCONCLUSIVE: "Train the first and the last state more often.",
        },
    ),
    "association_leakage": Audit(
        title="Leakage",
        question="Can a sensitive attribute of users be read off the vectors of the items that they took?",
        serves="embeddings",
        part="Does it leak from what users took?",
        numbers=("leak_accuracy", "leak_auc", "leak_parity"),
        headline="leak_parity",
        section=("by", "direction"),
        labels={
            "popularity": lambda subject: f"popularity {phrases.popularity(subject)}",
            "threshold": unsaid,
            "audience": lambda subject: f"audience mostly by {subject['audience']}",
        },
        advice={
            Verdict.VIOLATION: "Take the attribute out of the item vectors before you pass them on.",
            Verdict.INCONCLUSIVE: MORE_USERS,
        },
    ),
}

MEASURES: dict[str, Measure] = {
    "direction": Measure(
        amount="{guessed}; {size} SD apart",
        phrases=phrases.direction,
        title="Direction of the attribute",
        unit="sd",
        sentence=(
            "{guessed}. {leaning}On held-out users, {two_values} differ by {size} SD of all users{along}"
            "{evidence}, {meaning}"
        ),
        definition=(
            "A direction in the space of the vectors that tells the values of an attribute apart, made by "
            "one half of the users and measured on the other. How far apart they are is in standard "
            "deviations of all of these users together: at most 2 where both values have as many users, "
            "however far apart (in deviations within a value, as Cohen's d, it would be more). Its p-value "
            "is the largest of its tests (one value against the other, and the same beyond what random "
            "directions show), corrected for "
            "their number: all must pass. What can be guessed counts each value alike (balanced accuracy). "
            "The details have the accuracy of a classifier, and how far other "
            "ways to make the direction agree (cosines)."
        ),
        no_effect=0.0,
        key_result=True,
    ),
    "geaa": Measure(
        phrases=phrases.way,
        amount="{way}",
        tested=True,
        title="Association of a group (GEAA)",
        unit="cosine",
        sentence="{content} leans to {lean}: {cosine} {size}, {toward} minus {away}",
        untold="{content} is not shown to lean either way: {cosine} {size}, {toward} minus {away}",
        definition=(
            "The mean over the items of a group of EAA: the mean cosine of an item with the users that "
            "have one value of the attribute, minus that with the others. Beattie (2023, Eq. 5.2) has the "
            "sum of EAA, not its mean: published figures are larger by the number of items. Below 0, items "
            "are nearer to the others. The p-value shuffles the attribute, with the items as they are; the "
            "interval also counts the items as a sample, and holds for all groups at once, so it may reach 0 "
            "where the p-value is small. The effect size is the difference between the two sets of users in "
            "standard deviations of their cosine with the group."
        ),
        no_effect=0.0,
        least=-2.0,
        most=2.0,
        sides=("nearer to {away}", "nearer to {toward}"),
    ),
    "deaa": Measure(
        amount="mean cosine {size} apart, {toward} minus {away}",
        tested=True,
        title="Difference in association (DEAA)",
        unit="cosine",
        sentence=(
            "{first} leans more to {lean} than {second}: mean cosine {size} apart, {toward} minus {away}"
        ),
        untold=(
            "{first} and {second} are not shown to lean differently: mean cosine {size} apart, {toward} "
            "minus {away}"
        ),
        definition=(
            "The mean EAA of one group of items minus that of another; Beattie (2023, Eq. 5.3) has the "
            "difference of sums, which is not 0 for groups that lean alike and differ in size. Items that "
            "are in both are left out, or all other groups are held fixed. Groups that lie in different "
            "places differ along any line, also one made of noise. So the p-value is the larger of two: "
            "that of the items, shuffled over the groups, and that of the attribute, shuffled over the "
            "users. The interval "
            "counts users and items as samples at once, and holds for all pairs at once, so it may reach 0 "
            "where the p-value is small."
        ),
        no_effect=0.0,
        least=-4.0,
        most=4.0,
        sides=("more toward {away}", "more toward {toward}"),
    ),
    "r_ripa": Measure(
        amount="mean cosine {size} along {direction}",
        phrases=phrases.along,
        tested=True,
        title="Position along the direction (R-RIPA)",
        unit="cosine",
        sentence="{leans} along the direction {direction}: mean cosine {size}",
        definition=(
            "The mean cosine of the items of a group with the direction of the attribute, or the difference "
            "of two groups (Beattie 2023). Only along a direction that passed its tests. The p-value is the "
            "larger of two: that of the items, compared with random sets of as many or shuffled over the "
            "groups, and that of the direction, made again without parts of those who made it. The interval "
            "has both, and holds for all groups, or pairs, at once."
        ),
        no_effect=0.0,
        least=-2.0,
        most=2.0,
        sides=("toward {away}", "toward {toward}"),
    ),
    "geaa_growth": Measure(
        amount="leaning to {side}, {size}",
        tested=True,
        title="Growth of a group's association (GEAA)",
        unit="cosine",
        sentence="{content} leaned to {side} in the first state; this is {size} in the last",
        definition=(
            "How much further from 0, on either side, the mean EAA of a group's items is in the last state "
            "of a model than in the first: above 0 it grew (after Beattie 2023). The interval and the "
            "p-value, one-sided, rest on several trainings of each state, since two trainings on the "
            "same data differ as well, and on how the items differ in their change. The details have the "
            "Kolmogorov-Smirnov test of Beattie (2023), which is toward the side of the first state."
        ),
        directions=("weaker", "stronger"),
        no_effect=0.0,
        least=-4.0,
        most=4.0,
    ),
    "r_ripa_growth": Measure(
        amount="leaning to {side}, {size}",
        tested=True,
        title="Growth along the direction (R-RIPA)",
        unit="cosine",
        sentence=(
            "{content} leaned to {side} along the direction {direction} in the first state; this is {size} "
            "in the last"
        ),
        definition=(
            "How much further from 0, on either side, the mean cosine of a group's items with the direction "
            "of the attribute is in the last state than in the first; the direction is made anew in every "
            "training. Above 0 it grew. Only where the direction passed its tests in all trainings of the "
            "first and the last state."
        ),
        directions=("weaker", "stronger"),
        no_effect=0.0,
        least=-2.0,
        most=2.0,
    ),
    "user_growth": Measure(
        amount="moved {size}",
        together=("value",),
        tested=True,
        title="Growth of a value's place along the direction",
        unit="cosine",
        sentence=(
            "{value_people} moved {size} from the first state to the last, along the direction {direction}"
        ),
        definition=(
            "The change of the mean cosine of users who have the value with a direction that other users "
            "made, toward their own side. All users may move to one side together; how far the two values "
            "are apart is the growth of the gap."
        ),
        directions=("away from their own side", "to their own side"),
        no_effect=0.0,
        least=-2.0,
        most=2.0,
    ),
    "gap_growth": Measure(
        amount="{size} than in the first state",
        tested=True,
        title="Growth of the gap between the values",
        unit="cosine",
        sentence=(
            "{two_values} are {size} in the last state than in the first, in mean cosine along the direction "
            "{direction}"
        ),
        definition=(
            "How much further apart, in mean cosine with a direction that other users made, the two values "
            "of the attribute are in the last state than in the first; below 0 they came together."
        ),
        directions=("nearer to each other", "further apart"),
        no_effect=0.0,
        least=-4.0,
        most=4.0,
        key_result=True,
    ),
    "leak_accuracy": Measure(
        amount="{by} is guessed right for {size}",
        title="Accuracy from histories",
        sentence=(
            "with {training} training, {by} is guessed right for {size} of users from the items that they "
            "took, where naming the larger side is right for {majority:.0%}"
        ),
        definition=(
            "A linear classifier learns the attribute from the vectors of other users, and is asked about "
            "the mean vector of the items that a user took (Beattie 2023). The share that it tells right, "
            "with Wilson's interval. The p-value is one-sided, against always naming the larger side. "
            "Unbalanced training learns from all other users, as whoever has the data would; balanced "
            "training from as many with the value as without, so that the smaller side is named as readily: "
            "the two differ in where the line is drawn, and little in what is known."
        ),
        show="percent",
        least=0.0,
        most=1.0,
    ),
    "leak_auc": Measure(
        amount="score above the others with a chance of {size}",
        tested=True,
        title="Leakage through histories (AUC)",
        unit="share",
        sentence=(
            "with {training} training, {toward_people} score above the others with a chance of {size}, from"
            " the items that they took"
        ),
        definition=(
            "The chance that a user with the value has a higher score than one without, both by a classifier "
            "that learnt from other users; one half is no leakage. It needs no threshold, and neither "
            "imbalance nor the place of items in the space can hide it. DeLong's interval. Unbalanced "
            "training learns from all other users, balanced from as many with the value as without."
        ),
        no_effect=0.5,
        least=0.0,
        most=1.0,
        key_result=True,
    ),
    "leak_precision": Measure(
        amount="{size} of those taken for it are",
        title="Precision from histories",
        sentence="with {training} training, {size} of users who are taken for {value} are",
        definition="The share of users with the value among those who are predicted to have it.",
        show="percent",
        least=0.0,
        most=1.0,
    ),
    "leak_recall": Measure(
        amount="{size} of them are recognised",
        title="Recall from histories",
        sentence="with {training} training, {size} of {value_people} are recognised",
        definition=(
            "The share of users with the value who are predicted to have it. Unbalanced training hardly ever "
            "names the smaller side, which hides what is known about it."
        ),
        show="percent",
        least=0.0,
        most=1.0,
    ),
    "leak_f1": Measure(
        amount="F1 {size}",
        title="F1 from histories",
        unit="share",
        sentence="with {training} training, {value_people} are recognised with an F1 of {size}",
        definition=(
            "The harmonic mean of precision and recall. It counts users who have the value or are predicted "
            "to, so that those of the two values add up to more than all users."
        ),
        least=0.0,
        most=1.0,
    ),
    "leak_parity": Measure(
        amount="taken for {toward} {size} than the others",
        title="Parity difference of predictions",
        sentence="with {training} training, {toward_people} are taken for {toward} {size} than the others",
        definition=(
            "Demographic parity difference of the prediction over the attribute: the share predicted to have "
            "the value among those who have it, minus that among those who have not. 0 is no leakage."
        ),
        show="points",
        directions=("less often", "more often"),
        no_effect=0.0,
        least=-1.0,
        most=1.0,
    ),
    "leak_recall_gap": Measure(
        amount="guessed right {size} than the others",
        title="Difference in being told right",
        sentence="with {training} training, {toward_people} are guessed right {size} than the others",
        definition=(
            "The share told right among users with the value, minus that among the others: whose attribute "
            "is given away more. Equalised odds compare error rates over groups among cases with one true "
            "value; where the groups are the attribute itself, this difference is what is left of them."
        ),
        show="points",
        directions=("less often", "more often"),
        no_effect=0.0,
        least=-1.0,
        most=1.0,
    ),
    "leak_items": Measure(
        amount="labelled {toward} {size} than the others",
        phrases=phrases.items,
        tested=True,
        title="Labels of items by who takes them",
        sentence=(
            "of {popularity}, those taken mostly by {toward} are labelled {toward} {size} than the others, "
            "with {training} training"
        ),
        definition=(
            "The share of items predicted to have the value among those taken mostly by users who have it, "
            "minus that among the other items (Beattie 2023). An audience is counted as if there were as "
            "many users with the value as without. One half of the users teaches the classifier and the "
            "other is the audience, as noise about the same users would be found again in the items; then "
            "the halves change places, so that an item is asked about twice, and with few users it may be "
            "taken mostly by the one value in one half and by the other in the other. The p-value shuffles "
            "the attribute over users and teaches anew. Shares by tenths of the audience are in the details."
        ),
        show="points",
        directions=("less often", "more often"),
        no_effect=0.0,
        least=-1.0,
        most=1.0,
    ),
    "leak_group": Measure(
        amount="{size} of its items are labelled {toward}",
        title="Labels of a group of items",
        sentence="with {training} training, {size} of the items of {content} are labelled {toward}",
        definition="The share of a group's items that a classifier of users predicts to have the value.",
        show="percent",
        least=0.0,
        most=1.0,
    ),
    "leak_group_parity": Measure(
        amount="labelled {toward} {size} than other items",
        tested=True,
        title="Parity difference of a group of items",
        sentence="with {training} training, items of {content} are labelled {toward} {size} than other items",
        definition=(
            "Demographic parity difference over items: the share predicted to have the value in a group, "
            "minus that in all other items. The number of items is that of the group. The p-value shuffles "
            "the attribute over users and teaches anew, since groups differ along any line, also one made of "
            "noise; the details have it corrected for all groups, by the same shuffles (Westfall and Young "
            "1993)."
        ),
        show="points",
        directions=("less often", "more often"),
        no_effect=0.0,
        least=-1.0,
        most=1.0,
    ),
    "leak_group_odds": Measure(
        amount="labelled {toward} {size} than others taken mostly by {audience}",
        together=("group", "audience"),
        tested=True,
        title="Odds difference of a group of items",
        sentence=(
            "among items taken mostly by {audience}, those of {content} are labelled {toward} {size} than "
            "others, with {training} training"
        ),
        definition=(
            "The parity difference among items with a like audience, mostly users with the value or mostly "
            "others. The larger of the two, without its sign, is the equalised odds difference: how far the "
            "group, and not who takes its items, decides the label. The number of items is that of the group "
            "with such an audience in either half of the users, so an item whose audience differs between "
            "the halves is in both, and the two add up to more than the group has."
        ),
        show="points",
        directions=("less often", "more often"),
        no_effect=0.0,
        least=-1.0,
        most=1.0,
    ),
}

ROOM = Room(audits=AUDITS, measures=MEASURES)
