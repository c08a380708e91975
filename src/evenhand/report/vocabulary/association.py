"""The words for what the association audit measures."""

from __future__ import annotations

from evenhand.report.vocabulary.measure import Measure

ASSOCIATION: dict[str, Measure] = {
    "direction": Measure(
        title="Direction of the attribute",
        unit="sd",
        sentence=(
            "{tell} ({direction}). {told}. {leaning}Along this direction, users that had no part in making "
            "it are {size} standard deviations apart; this is {meaning}"
        ),
        definition=(
            "A direction in the space of the vectors that tells the values of an attribute apart, made by "
            "one half of the users and measured on the other. Its p-value is the largest of its tests "
            "(one value against the other, and the same beyond what random directions show), corrected for "
            "their number: all must pass. The details have the accuracy of a classifier, and how far other "
            "ways to make the direction agree (cosines)."
        ),
        no_effect=0.0,
        key_result=True,
    ),
    "geaa": Measure(
        title="Association of a group (GEAA)",
        unit="cosine",
        sentence=(
            "items of {group} lean to {lean}: their mean cosine with {toward} minus that with {away} is "
            "{size} ({p})"
        ),
        untold=(
            "items of {group} are not shown to lean either way: their mean cosine with {toward} minus that "
            "with {away} is {size} ({p})"
        ),
        definition=(
            "The mean over the items of a group of EAA: the mean cosine of an item with the users that "
            "have one value of the attribute, minus that with the others (Beattie 2023). Below 0, items are "
            "nearer to the others. The p-value shuffles the attribute, with the items as they are; the "
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
        title="Difference in association (DEAA)",
        unit="cosine",
        sentence=(
            "{first} leans more to {lean} than {second} does: the difference in mean cosine ({toward} minus "
            "{away}) is {size} ({p})"
        ),
        untold=(
            "{first} and {second} are not shown to lean differently: the difference in mean cosine ({toward} "
            "minus {away}) is {size} ({p})"
        ),
        definition=(
            "The mean EAA of one group of items minus that of another (Beattie 2023); items that are in both "
            "are left out, or all other groups are held fixed. Groups that lie in different places differ "
            "along any line, also one made of noise. So the p-value is the larger of two: that of the items, "
            "shuffled over the groups, and that of the attribute, shuffled over the users. The interval "
            "counts users and items as samples at once, and holds for all pairs at once, so it may reach 0 "
            "where the p-value is small."
        ),
        no_effect=0.0,
        least=-4.0,
        most=4.0,
        sides=("more toward {away}", "more toward {toward}"),
    ),
    "r_ripa": Measure(
        title="Position along the direction (R-RIPA)",
        unit="cosine",
        sentence="{leans}along the direction {direction}, the mean cosine of {tested} is {size} ({p})",
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
}
