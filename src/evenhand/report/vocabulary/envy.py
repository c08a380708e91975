"""The words for envy, and for simulations and plans of audits of it."""

from __future__ import annotations

from evenhand.findings import Verdict
from evenhand.report.vocabulary.measure import Measure
from evenhand.report.vocabulary.room import Audit, Room
from evenhand.report.words.phrases import envy as phrases

AUDITS: dict[str, Audit] = {
    "envy": Audit(
        title="Envy",
        question="Would a user be better off with another user's recommendations?",
        serves="envy",
        drawn="average_envy",
        numbers=("envious_users", "average_envy"),
        headline="envious_users",
        advice={
            Verdict.VIOLATION: "See what better lists show that these users miss, and confirm it online.",
            Verdict.INCONCLUSIVE: "Draw more users, or more lists for each.",
        },
    ),
    "envy_simulation": Audit(
        title="Simulated audits of a user's envy",
        question=(
            "How would audits of one user end, how long would they take, and what would they cost the user?"
        ),
        serves="envy",
        part="How would an audit go?",
        simulated=True,
    ),
    "envy_plan": Audit(
        title="Planning an audit of a user's envy",
        question="How long would an audit take, and what would it cost, for different limits to its harm?",
        serves="envy",
        part="How long would an audit take?",
        simulated=True,
    ),
}

TERMS: dict[str, str] = {
    "within_90": "90% quantile",
    "epsilon_share": "epsilon as a share of the mean utility",
    "preference_range": "least and largest preference",
    "own_share": "share of steps with the user's own policy",
    "own_reward": "reward of the user's own policy over as many steps",
    "least_margin": "least distance from breaking the constraint",
}

MEASURES: dict[str, Measure] = {
    "average_envy": Measure(
        phrases=phrases.gains,
        amount="{more} from the list that suits them best",
        title="Average envy",
        unit="utility",
        sentence=(
            "the best-suited list would give {people} {more} on average: {size}{evidence} on top of "
            "{mean_utility:.2g}"
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
        key_result=True,
    ),
    "envious_users": Measure(
        phrases=phrases.envious,
        amount="{size} would gain from {lists}",
        title="Envious users",
        sentence="{size} of {people} would be better off by more than {epsilon:g} with {lists}",
        definition=(
            "The share of (epsilon, gamma)-envious users: those for whom more than the share gamma of all "
            "policies is better than their own by more than epsilon (Do and others 2022, Definition 3.2). "
            "With gamma 0 one better policy is enough. The limit is the share lambda of users that may "
            "be envious, the same for all users and for the members of each group."
        ),
        show="percent",
        no_effect=0.0,
        least=0.0,
        most=1.0,
        people="users",
    ),
    "sampled_envy": Measure(
        phrases=phrases.gains,
        amount="{more} from the best of {others} lists",
        title="Envy of some others",
        unit="utility",
        sentence=(
            "the best of {others} lists drawn at random would give {people} {more} on average: "
            "{size}{evidence} on top of {mean_utility:.2g}"
        ),
        definition=(
            "The mean over users of max(max_n u(m, n) − u(m, m), 0), with n among policies drawn at random. "
            "It is at most the average envy of all policies, which a sample of them cannot tell."
        ),
        no_effect=0.0,
        least=0.0,
        people="users",
    ),
    "envy_pair": Measure(
        amount="{size} more from another user’s list",
        title="Who envies whom",
        unit="utility",
        sentence=(
            "one user gets {own_utility:.2g} and would get {utility_there:.2g} from the list of another: "
            "{size} more"
        ),
        definition=(
            "u(m, n) − u(m, m) for the users m with the most envy, each with the policy n that m would like "
            "best; only those who envy by more than epsilon."
        ),
        no_effect=0.0,
        least=0.0,
        people="users",
    ),
    "group_envy": Measure(
        amount="{size} than with their own",
        title="Envy between groups",
        unit="utility",
        sentence="{who} would get {size} from lists of {other_people} than from their own",
        definition=(
            "The mean over the members of a group of what they would get from the policy of a random member "
            "of the other group, minus what they get from their own. Where groups share one policy it is the "
            "group's envy (Do and others 2022, Sec. 3.2); where members differ, some may gain and others "
            "lose. The intervals hold for all pairs of groups at once. The limit is epsilon: how much "
            "more utility another policy must give to count."
        ),
        directions=("less", "more"),
        no_effect=0.0,
        people="users",
    ),
    "decided_audits": Measure(
        title="Audits that came to a decision",
        sentence=(
            "{size} of simulated audits came to a decision: envy in {envy:.0%} of all, no envy in "
            "{no_envy:.0%}"
        ),
        definition=(
            "The share of simulated audits with the outcome envy or no_envy. The others spent their "
            "budget, or took chance for drift or for rewards that are missing unequally; such an audit "
            "certifies nothing."
        ),
        show="percent",
        least=0.0,
        most=1.0,
        key_result=True,
    ),
    "wrong_outcomes": Measure(
        title="Wrong outcomes",
        sentence="{size} of simulated audits ended with a wrong outcome",
        definition=(
            "The share of simulated audits that said envy where no policy is better than the user's own, "
            "or no envy where one is better by more than epsilon. The limit is delta, the error that "
            "an audit may have, which a broken constraint shares."
        ),
        show="percent",
        least=0.0,
        most=1.0,
    ),
    "broken_constraint": Measure(
        title="Audits that broke the constraint",
        sentence=(
            "in {size} of simulated audits the user at some step had less than the share 1 − alpha of what "
            "their own list gives"
        ),
        definition=(
            "The share of simulated audits in which constraint (3) of Do and others (2022), sum of the "
            "means shown >= (1 − alpha) t mu_0, did not hold at some step t, with the true means. The "
            "limit is delta."
        ),
        show="percent",
        least=0.0,
        most=1.0,
    ),
    "audit_duration": Measure(
        title="Duration",
        unit="steps",
        sentence=(
            "half of the audits end within {size} recommendations to the user{evidence}, 9 of 10 within "
            "{within_90:,.0f}"
        ),
        definition="The median over simulated audits of the steps to the outcome, each a recommendation.",
        least=0.0,
        key_result=True,
    ),
    "audit_cost": Measure(
        title="Cost",
        unit="utility",
        sentence=(
            "the user gets {size} over an audit of {steps:,.0f} steps on average{evidence}, where their own"
            " list gives {own_reward:,.1f}"
        ),
        definition=(
            "The mean over simulated audits of t mu_0 minus the sum of the means of what was shown. "
            "Below 0 the user gains: a better policy is shown more and more often."
        ),
        directions=("more", "less"),
        no_effect=0.0,
        key_result=True,
    ),
    "shortest_audit": Measure(
        title="Shortest audit",
        unit="steps",
        sentence="alpha {alpha:g} gives the shortest audits of {alphas} values: half end within {size} steps",
        definition="The least median duration over the values of alpha.",
        least=0.0,
        key_result=True,
    ),
    "planned_duration": Measure(
        title="Expected duration",
        unit="steps",
        sentence="with alpha {alpha:g}, half of the audits end within {size} steps, 9 of 10 within "
        "{within_90:,.0f}",
        definition=(
            "The median over simulated audits of the steps to the outcome. Alpha is the share of their "
            "own policy's reward that the audit may cost the user at any time."
        ),
        least=0.0,
    ),
    "planned_cost": Measure(
        title="Expected cost",
        unit="utility",
        sentence="with alpha {alpha:g}, the user gets {size} reward over an audit than without it",
        definition="The mean over simulated audits of t mu_0 minus the sum of the means that were shown.",
        directions=("more", "less"),
        no_effect=0.0,
    ),
}

ROOM = Room(audits=AUDITS, measures=MEASURES, terms=TERMS)
