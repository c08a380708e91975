"""What each measure is called and how its number is said. New measures are added here, and nowhere else.

A sentence is a template. It may use `{size}` (the estimate in words), `{who}` (the group in words),
`{people}` (the same, or without a group everybody whom the measure is about), `{by}` (the attribute),
`{under}` (the arm, where there is one and no baseline), `{p}` and `{chance}` (the p-value), every key of the
finding's subject, and every plain value in its details; `{lowest}` and `{highest}`, which name groups, are
put in words as `{who}` is. Where a finding lacks something that its template asks for, the general sentence
is used instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evenhand.findings import Verdict
from evenhand.report.numbers import Show


@dataclass(frozen=True)
class Measure:
    """How to speak about one measure.

    `directions` are the words for an estimate below and above zero; with them the size is said without
    a sign ("23% less often"). `no_effect` is the value where all is equal, `least` and `most` bound what
    the measure can be at all, `people` is whom its groups are made of, where the attribute may not say so
    ("creator_age" does), and `counted` is what `n` counts. A `key_result` is said at the top
    whatever its verdict. `instead` names a detail that is shown in place of the estimate, where the estimate
    keeps to a published definition and the interval is that of something better.
    """

    title: str
    sentence: str
    definition: str = ""
    show: Show = "number"
    directions: tuple[str, str] | None = None
    no_effect: float | None = None
    least: float | None = None
    most: float | None = None
    people: str = ""
    counted: str = "observations"
    key_result: bool = False
    instead: str = ""


MEASURES: dict[str, Measure] = {
    "reo_penalty": Measure(
        title="Opportunity penalty",
        sentence=(
            "across {groups} groups of {by}{under}, opportunity typically differs from the average by {size}"
        ),
        definition=(
            "h = sqrt(mean of d²), where d is the relative utility of a group: 0 when every group has the "
            "same chance to be shown to the users who like it. Also called the REO penalty. Its interval is "
            "conservative near 0: whether there is any difference at all is what the test of equal "
            "opportunity answers."
        ),
        show="percent",
        no_effect=0.0,
        least=0.0,
        counted="rows",
    ),
    "relative_utility": Measure(
        title="Relative utility",
        sentence="for {who}, what users like is shown {size} than for the average group{under}",
        definition=(
            "d = U / mean(U) − 1, where U is the rate of liked impressions of the group in default traffic "
            "divided by the same rate in random traffic, which shows what users like when nothing is "
            "selected for them. 0 is the opportunity of the average group; in "
            "that average every group counts alike, large or small."
        ),
        show="percent",
        directions=("less often", "more often"),
        no_effect=0.0,
        least=-1.0,
        counted="rows",
    ),
    "worst_ratio": Measure(
        title="Worst ratio",
        sentence="the opportunity of {lowest} is {size} of that of {highest}",
        definition="min(U) / max(U) over the groups: 1 when all are equal. The 80% rule is about this ratio.",
        show="percent",
        no_effect=1.0,
        least=0.0,
        most=1.0,
        counted="rows",
    ),
    "equality": Measure(
        title="Test of equal opportunity",
        sentence=(
            "if all groups of {by} had equal opportunity, differences at least this large would appear by "
            "chance in {chance} such samples (chi-square {size}, {df} df, {p})"
        ),
        definition=(
            "Chi-square statistic of the weighted spread of log U over the groups. A large p-value does not "
            "show that the groups are equal."
        ),
        least=0.0,
        counted="rows",
    ),
    "reo_difference": Measure(
        title="Change in opportunity penalty",
        sentence="the opportunity penalty by {by} is {size} under {arm} than under {baseline}",
        definition="h of the arm minus h of the baseline, in percentage points. Random traffic is shared.",
        key_result=True,
        show="points",
        directions=("lower", "higher"),
        no_effect=0.0,
        counted="rows",
    ),
    "relative_utility_difference": Measure(
        title="Change in relative utility",
        sentence="the relative utility of {who} is {size} under {arm} than under {baseline}",
        definition="d of the arm minus d of the baseline, in percentage points. Random traffic is shared.",
        show="points",
        directions=("lower", "higher"),
        no_effect=0.0,
        counted="rows",
    ),
    "confirmed_gap": Measure(
        title="Confirmed gap between groups",
        sentence=(
            "the largest gap in {metric} between groups of {by} is put at {size} by users who had no part in "
            "the search ({chosen}; it found {raw_gap:.2g}, chance alone gives {chance_gap:.2g})"
        ),
        definition=(
            "One half of the users is searched for the groups that are surely served best and worst; the "
            "other half, which had no say in the choice, gives the gap between them; then the other way "
            "round, and the estimate is the mean of the two. The interval is that of the largest true gap "
            "between any two groups: at least the lower limit of the confirmed one, at most what the "
            "intervals of all groups allow."
        ),
        no_effect=0.0,
        people="users",
        counted="users",
        key_result=True,
    ),
    "uf": Measure(
        title="Largest gap found",
        sentence=(
            "of {groups} groups of {by}, the means of {metric} are at most {size} apart ({highest} against "
            "{lowest}); {meaning} ({p})"
        ),
        definition=(
            "UF = largest minus smallest mean over all groups (FairRec, equation 1). A maximum over many "
            "groups is large by chance, so it is not the size of any true gap. The p-value is that of the "
            "studentised gap when users are shuffled over the groups, sizes kept: whether any mean differs. "
            "The raw p-value, for the gap itself, also rejects when small groups merely vary more."
        ),
        no_effect=0.0,
        least=0.0,
        people="users",
        counted="users",
    ),
    "spread": Measure(
        title="Spread of the groups",
        sentence=(
            "with noise taken out, the mean {metric} of a typical group of {by} is {size} from the average; "
            "if all groups had one mean, such differences would appear in {chance} cases ({p})"
        ),
        definition=(
            "tau of a random-effects model (Paule and Mandel), with its Q-profile interval; the p-value is "
            "that of Cochran's Q when users are shuffled over the groups."
        ),
        no_effect=0.0,
        least=0.0,
        people="users",
        counted="users",
    ),
    "group_mean": Measure(
        title="Mean of the group",
        sentence="the mean {metric} of {who} is {size}",
        definition=(
            "The mean over the users of the group. The intervals hold for all compared groups at once. The "
            "grey line is where shuffling keeps a group of this size in 95 of 100 cases, all groups at once."
        ),
        people="users",
        counted="users",
    ),
    "metric_agreement": Measure(
        title="Agreement of the metrics",
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
        counted="users",
    ),
    "rerank_change": Measure(
        title="Change by re-ranking",
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
        counted="users",
        key_result=True,
    ),
    "uf_change": Measure(
        title="Change of the largest gap",
        sentence=(
            "across {groups} groups of {by}, the largest gap in {metric} went from {before:#.3g} to "
            "{after:#.3g}, a change of {size} ({meaning})"
        ),
        definition=(
            "UF, the largest minus the smallest mean of all groups, after the re-ranking minus before. A "
            "largest gap is large by chance, before as after; where the metric reads labels, it is the mean "
            "of the two halves of the users, in which it is larger still. The interval takes the extreme "
            "groups as they were found."
        ),
        no_effect=0.0,
        people="users",
        counted="users",
    ),
    "rerank_side_effect": Measure(
        title="Side effect of re-ranking",
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
        counted="users",
    ),
    "pair_exposure": Measure(
        title="Exposure of item groups to user groups",
        sentence="in {policy}, the exposure of {group} is {size} than relevance asks for",
        definition=(
            "Mean exposure of the items of a group to the users of a group, divided by what equal expected "
            "exposure asks for, minus 1. The intervals hold for all pairs of groups at once."
        ),
        show="percent",
        directions=("less", "more"),
        no_effect=0.0,
        people="users",
        counted="users",
    ),
    "average_envy": Measure(
        title="Average envy",
        sentence=(
            "on average, {people} would get {size} more utility from the policy that they would like best "
            "than from their own (which gives {mean_utility:.2g})"
        ),
        definition=(
            "The mean over users of max(max_n u(m, n) − u(m, m), 0), where u(m, n) is the utility of user m "
            "under the policy of user n (Do and others 2022, Sec. 5.1). 0 when nobody would be better off "
            "with the recommendations of somebody else. Of a group, the mean over its members, held against "
            "the policies of all users."
        ),
        no_effect=0.0,
        least=0.0,
        people="users",
        counted="users",
        key_result=True,
    ),
    "envious_users": Measure(
        title="Envious users",
        sentence=(
            "{size} of {people} would get more than {epsilon:g} more utility from the policies of more than "
            "{gamma:.0%} of users"
        ),
        definition=(
            "The share of (epsilon, gamma)-envious users: those for whom more than the share gamma of all "
            "policies is better than their own by more than epsilon (Do and others 2022, Definition 3.2). "
            "With gamma 0 one better policy is enough. The tolerance is the share lambda of users that may "
            "be envious, the same for all users and for the members of each group."
        ),
        show="percent",
        no_effect=0.0,
        least=0.0,
        most=1.0,
        people="users",
        counted="users",
    ),
    "sampled_envy": Measure(
        title="Envy of some others",
        sentence=(
            "the best of {others} policies drawn at random for each user gives {size} more utility than the "
            "user's own (which gives {mean_utility:.2g}), on average"
        ),
        definition=(
            "The mean over users of max(max_n u(m, n) − u(m, m), 0), with n among policies drawn at random. "
            "It is at most the average envy of all policies, which a sample of them cannot tell."
        ),
        no_effect=0.0,
        least=0.0,
        people="users",
        counted="users",
    ),
    "envy_pair": Measure(
        title="Who envies whom",
        sentence=(
            "user {user} gets {own_utility:.2g} and would get {utility_there:.2g} with the recommendations "
            "of user {other}: {size} more utility"
        ),
        definition=(
            "u(m, n) − u(m, m) for the users m with the most envy, each with the policy n that m would like "
            "best; only those who envy by more than epsilon."
        ),
        no_effect=0.0,
        least=0.0,
        people="users",
        counted="users",
    ),
    "group_envy": Measure(
        title="Envy between groups",
        sentence="with the recommendations of {other}, {who} would get {size} utility than with their own",
        definition=(
            "The mean over the members of a group of what they would get from the policy of a random member "
            "of the other group, minus what they get from their own. Where groups share one policy it is the "
            "group's envy (Do and others 2022, Sec. 3.2); where members differ, some may gain and others "
            "lose. The intervals hold for all pairs of groups at once. The tolerance is epsilon: how much "
            "more utility another policy must give to count."
        ),
        directions=("less", "more"),
        no_effect=0.0,
        people="users",
        counted="users",
    ),
}


MEASURES["relevant_exposure"] = Measure(
    title="Exposure of what users want",
    sentence="users in group {group} get {size} of the exposure that their relevant items could have",
    definition=(
        "The exposure of a user's relevant items, divided by the most that they could have (all at the top), "
        "in the mean over the users of a group. The intervals hold for all user groups at once. For "
        "other metrics by group, and for a test of the gap, see evenhand groups."
    ),
    show="percent",
    least=0.0,
    most=1.0,
    people="users",
    counted="users",
)
MEASURES["tradeoff"] = Measure(
    title="Relevance at the same disparity",
    sentence="the mean relevance over the disparities that all systems reach is {size}{place}",
    definition=(
        "Relevance against disparity as the policy gets less random, each moved to 0 to 1 over systems and "
        "temperatures: the mean relevance over the disparities that all systems reach; larger is better. "
        "The details have the area under the whole curve (trapezoid), and up to the least disparity that any "
        "system has at the smallest temperature (common; Wu and others 2022), which is larger for a curve "
        "that goes on to more disparity. None has an interval. A temperature means the same for two systems "
        "only if their scores are of the same size, or if it is relative to them."
    ),
    least=0.0,
    most=1.0,
    counted="users",
)
MEASURES["measure_agreement"] = Measure(
    title="Agreement of the measures",
    sentence="over {points} settings, {first} and {second} agree least: Kendall's correlation is {size}",
    definition=(
        "Kendall's rank correlation between the measures, and between their components, over systems and "
        "temperatures: 1 where two put all settings in the same order, so that one would do."
    ),
    no_effect=0.0,
    least=-1.0,
    most=1.0,
    counted="users",
)

MEASURES.update(
    {
        "decided_audits": Measure(
            title="Audits that came to a decision",
            sentence=(
                "{size} of the audits came to a decision: envy in {envy:.0%} of all, no envy in {no_envy:.0%}"
            ),
            definition=(
                "The share of simulated audits with the outcome envy or no_envy. The others spent their "
                "budget, or took chance for drift; such an audit certifies nothing."
            ),
            show="percent",
            least=0.0,
            most=1.0,
            counted="audits",
            key_result=True,
        ),
        "wrong_outcomes": Measure(
            title="Wrong outcomes",
            sentence="{size} of the audits ended with a wrong outcome",
            definition=(
                "The share of simulated audits that said envy where no policy is better than the user's own, "
                "or no envy where one is better by more than epsilon. The tolerance is delta, the error that "
                "an audit may have, which a broken constraint shares."
            ),
            show="percent",
            least=0.0,
            most=1.0,
            counted="audits",
        ),
        "broken_constraint": Measure(
            title="Audits that broke the constraint",
            sentence=(
                "in {size} of the audits the user had, at some step, got less than the share 1 − alpha of "
                "what their own policy gives"
            ),
            definition=(
                "The share of simulated audits in which constraint (3) of Do and others (2022), sum of the "
                "means shown >= (1 − alpha) t mu_0, did not hold at some step t, with the true means. The "
                "tolerance is delta."
            ),
            show="percent",
            least=0.0,
            most=1.0,
            counted="audits",
        ),
        "audit_duration": Measure(
            title="Duration",
            sentence=(
                "9 of 10 audits end within {within_90:,.0f} recommendations to the user, half of all "
                "within {size}"
            ),
            definition="The median over simulated audits of the steps to the outcome, each a recommendation.",
            least=0.0,
            counted="audits",
            key_result=True,
        ),
        "audit_cost": Measure(
            title="Cost",
            sentence=(
                "over an audit, {steps:,.0f} steps on average, the user's own policy would give a reward of "
                "{own_reward:,.1f}; the audit gives {size}"
            ),
            definition=(
                "The mean over simulated audits of t mu_0 minus the sum of the means of what was shown. "
                "Below 0 the user gains: a better policy is shown more and more often."
            ),
            directions=("more", "less"),
            no_effect=0.0,
            counted="audits",
            key_result=True,
        ),
        "shortest_audit": Measure(
            title="Shortest audit",
            sentence=(
                "of {alphas} values of alpha, {alpha:g} gives the shortest audits: half end within {size} "
                "steps"
            ),
            definition="The least median duration over the values of alpha.",
            least=0.0,
            counted="audits",
            key_result=True,
        ),
        "planned_duration": Measure(
            title="Expected duration",
            sentence="with alpha {alpha:g}, half of the audits end within {size} steps, 9 of 10 within "
            "{within_90:,.0f}",
            definition=(
                "The median over simulated audits of the steps to the outcome. Alpha is the share of their "
                "own policy's reward that the audit may cost the user at any time."
            ),
            least=0.0,
            counted="audits",
        ),
        "planned_cost": Measure(
            title="Expected cost",
            sentence="with alpha {alpha:g}, the user gets {size} reward over an audit than without it",
            definition="The mean over simulated audits of t mu_0 minus the sum of the means that were shown.",
            directions=("more", "less"),
            no_effect=0.0,
            counted="audits",
        ),
    }
)
MEASURES["direction"] = Measure(
    title="Direction of the attribute",
    sentence=(
        "along the direction {direction}, entities that had no part in making it are {size} standard "
        "deviations apart; this is {meaning} ({p})"
    ),
    definition=(
        "A direction in the space of the embeddings that tells the values of an attribute apart, made by one "
        "half of the entities and measured on the other. Its p-value is the largest of its tests (one value "
        "against the other, and the same beyond what random directions show), corrected for their "
        "number: all must pass. The details have the accuracy of a classifier, and how far other ways to "
        "make the direction agree (cosines)."
    ),
    no_effect=0.0,
    counted="entities",
    key_result=True,
)
MEASURES["geaa"] = Measure(
    title="Association of a group (GEAA)",
    sentence=(
        "items of {group} lean to {lean}: their mean cosine with {toward} minus that with {away} is {size} "
        "({p})"
    ),
    definition=(
        "The mean over the items of a group of EAA: the mean cosine of an item with the entities that have "
        "one value of the attribute, minus that with the others (Beattie 2023). Below 0, items are nearer to "
        "the others. The p-value shuffles the attribute, with the items as they are. The effect size is the "
        "difference between the two sets of entities in standard deviations of their cosine with the group."
    ),
    no_effect=0.0,
    least=-2.0,
    most=2.0,
    counted="items",
)
MEASURES["deaa"] = Measure(
    title="Difference in association (DEAA)",
    sentence=(
        "{first} leans more to {lean} than {second} does: the difference in mean cosine ({toward} minus "
        "{away}) is {size} ({p})"
    ),
    definition=(
        "The mean EAA of one group of items minus that of another (Beattie 2023); items that are in both are "
        "left out, or all other groups are held fixed. Groups that lie in different places differ along any "
        "line, also one made of noise. So the p-value is the larger of two: that of the items, shuffled over "
        "the groups, and that of the attribute, shuffled over the entities."
    ),
    no_effect=0.0,
    least=-4.0,
    most=4.0,
    counted="items",
)
MEASURES["r_ripa"] = Measure(
    title="Position along the direction (R-RIPA)",
    sentence="the mean cosine with the direction {direction} is {size}{place}",
    definition=(
        "The mean cosine of the items of a group with the direction of the attribute, or the difference of "
        "two groups (Beattie 2023). Only along a direction that passed its tests. The p-value is the larger "
        "of two: that of the items, compared with random sets of as many or shuffled over the groups, and "
        "that of the direction, made again without parts of those who made it. The interval has both."
    ),
    no_effect=0.0,
    least=-2.0,
    most=2.0,
    counted="items",
)


def _joint_exposure(name: str) -> Measure:
    """One of the six measures of joint exposure, by its letters: users first, items second."""
    users = {"I": "individual users", "G": "user groups", "A": "all users"}[name[0]]
    items = {"I": "individual items", "G": "item groups"}[name[1]]
    return Measure(
        title=f"{name}: {users}, {items}",
        sentence=f"for {users} and {items}, exposure misses its target by {{size}} (mean square)",
        instead="corrected",
        definition=(
            "The mean squared difference between the exposure of items to users and equal expected exposure, "
            "averaged over individuals (I), groups (G) or all users (A) before it is squared: first letter "
            "users, second letter items (Wu and others 2022). It is disparity minus relevance plus a "
            "constant. Squares of means over a sample of users are too large on average: what is shown, "
            "and has the interval, is corrected for that; the estimate in findings.json is as published."
        ),
        show="millionths",
        no_effect=0.0,
        least=0.0,
        people="users",
        counted="users",
    )


MEASURES.update({name: _joint_exposure(name) for name in ("II", "IG", "GI", "GG", "AI", "AG")})

AUDITS: dict[str, tuple[str, str]] = {
    "opportunity": ("Opportunity", "Do creators get equal opportunity, given what users like?"),
    "compare": ("Comparison", "Does a change to the system change who gets opportunity?"),
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
    "association": ("Association", "What do the embeddings know about a sensitive attribute?"),
    "mitigate": (
        "Mitigation",
        "Does re-ranking the lists of the worst served groups help them, and what does it cost?",
    ),
}


# What a section of the report is about: an attribute, and for some audits more.
SECTIONS: dict[str, tuple[str, ...]] = {
    "groups": ("by", "metric"),
    "exposure": ("by", "beta"),
    "association": ("by", "direction"),
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
    "corrected": "estimate corrected for its bias",
    "tau": "spread of the groups",
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
        Verdict.INCONCLUSIVE: "Where it is not decided, use more entities, or fewer and larger groups.",
    },
    "mitigate": {
        None: (
            "Show the new lists to some users of the chosen groups first, as one arm of an A/B test: a "
            "change on past candidates says what is shown, not what users will do with it."
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
