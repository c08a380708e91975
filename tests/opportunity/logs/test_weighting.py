"""Random traffic drawn with unequal probabilities: weighted counts, and what they cannot do."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import evenhand as eh
from evenhand.errors import InputError
from evenhand.inputs import table
from evenhand.opportunity.evidence import LogCounts
from evenhand.opportunity.logs.arms import Arms
from evenhand.opportunity.logs.counting import Question
from evenhand.stats.log_ratios.counts import cluster_scores

ASKED = {"label": "liked", "group": "creator_age"}


@pytest.fixture
def weighted(logs):
    default, random = logs
    rng = np.random.default_rng(3)
    return default, random.assign(p=rng.uniform(0.01, 1, len(random)))


def count(log, cluster=None, probability="p"):
    question = Question.of("liked", "creator_age", cluster, None, None, "refuse", probability)
    return question.count(table(log), weighted=True)[0]


def test_equal_probabilities_change_nothing(logs):
    default, random = logs
    plain = eh.opportunity.audit(default, random, **ASKED)
    same = eh.opportunity.audit(default, random.assign(p=0.25), probability="p", **ASKED)
    for a, b in zip(plain.findings, same.findings, strict=True):
        assert b.estimate == pytest.approx(a.estimate, rel=1e-12)
        if a.interval is not None:
            assert (b.interval.low, b.interval.high) == pytest.approx((a.interval.low, a.interval.high))
    assert same.find("reo_penalty").details["effective_random_rows"] == pytest.approx(4_000)


@pytest.mark.parametrize("cluster", [None, "user_id"])
def test_sums_are_those_of_pandas_and_parts_add_up(weighted, cluster):
    random = weighted[1]
    counts = count(random, cluster)
    w, liked = 1 / random["p"], random["liked"] == 1
    for sums, rows in (
        (counts.weights.positives, w.where(liked, 0)),
        (counts.weights.positives_squared, (w**2).where(liked, 0)),
        (counts.weights.rows, w),
        (counts.weights.rows_squared, w**2),
    ):
        expected = rows.groupby(random["creator_age"]).sum()[list(counts.groups)]
        assert sums.sum(axis=0) == pytest.approx(expected.to_numpy(), rel=1e-9)
    merged = count(random.iloc[:1_234], cluster) + count(random.iloc[1_234:], cluster)
    for part in ("rows", "rows_squared", "positives", "positives_squared"):
        assert getattr(merged.weights, part) == pytest.approx(getattr(counts.weights, part), rel=1e-14)


def test_the_estimate_and_its_variance_are_written_out(weighted):
    default, random = weighted
    found = eh.opportunity.audit(default, random, probability="p", **ASKED, interval="delta")
    liked = random[random["liked"] == 1].assign(w=lambda rows: 1 / rows["p"])
    a = default[default["liked"] == 1].groupby("creator_age").size()
    b = liked.groupby("creator_age")["w"].sum()
    v = 1 / a + liked.groupby("creator_age")["w"].apply(lambda w: (w**2).sum() / w.sum() ** 2)
    u = a / b
    d = u / u.mean() - 1
    h = np.sqrt((d**2).mean())
    g = (1 + d) * (d - h**2) / (3 * h)
    penalty = found.find("reo_penalty")
    assert penalty.estimate == pytest.approx(h)
    assert penalty.interval.high - h == pytest.approx(1.959964 * np.sqrt((g**2 * v).sum()))


def test_clusters_take_the_weights_with_them(weighted):
    default, random = weighted
    counts = count(random, "user_id")
    default_counts = Question.of("liked", "creator_age", "user_id", None, None, "refuse").count(
        table(default)
    )[0]
    arms = replace(Arms.from_logs([default_counts], counts), moderated=False)
    scores = cluster_scores(default_counts.positives) - cluster_scores(counts.weights.positives)
    assert arms.errors(0).covariance == pytest.approx(scores.T @ scores)


def test_any_order_of_the_rows_gives_the_same_findings(weighted):
    default, random = weighted
    random = pd.concat([random] * 50, ignore_index=True)
    shuffled = random.sample(frac=1, random_state=1)
    results = [
        eh.opportunity.audit(default, log, probability="p", **ASKED).findings for log in (random, shuffled)
    ]
    assert results[0] == results[1]


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (0.0, r"not a probability above 0 and at most 1 in 3 of 4,000 rows"),
        (-0.5, r"not a probability above 0 and at most 1 in 3 of 4,000 rows"),
        (1.5, r"not a probability above 0 and at most 1 in 3 of 4,000 rows, for example p=1.5"),
        (np.inf, r"not a probability above 0 and at most 1 in 3 of 4,000 rows"),
        (1e-300, r"multiply all by one number"),
        (None, r"'p' is empty in 3 of 4,000 rows"),
    ],
)
def test_what_is_no_probability_is_refused_with_how_many(weighted, bad, said):
    default, random = weighted
    random.loc[random.index[[5, 6, 7]], "p"] = bad
    with pytest.raises(InputError, match=said):
        eh.opportunity.audit(default, random, probability="p", **ASKED)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"probability": "chance"}, "random log: there is no column 'chance'"),
        ({"probability": "liked"}, "both the probability and the label"),
        ({"probability": 3}, "probability is 3, but must be the name of a column"),
        ({"probability": "p", "interval": "bca"}, "which draws or divides counts"),
        ({"probability": "p", "variance": "independent"}, "a formula for uniform random traffic"),
        ({"probability": "creator_age"}, "both the probability and the label, group or cluster"),
        ({"probability": "text"}, "column 'text' is of type string, but must hold numbers"),
    ],
)
def test_impossible_questions_are_refused(weighted, options, said):
    default, random = weighted
    with pytest.raises(InputError, match=said):
        eh.opportunity.audit(default, random.assign(text="a"), **ASKED | options)


def test_only_the_random_log_needs_the_column(weighted):
    default, random = weighted
    arms = {"control": default.iloc[:3_000], "treatment": default.iloc[3_000:]}
    found = eh.opportunity.compare(arms, random, probability="p", **ASKED)
    assert "'p'" in found.find("reo_difference").assumptions[0]


@pytest.mark.parametrize("interval", ["welch", "normal", "percentile", "bca"])
def test_differences_made_from_counts_are_refused(weighted, interval):
    default, random = weighted
    halves = {"control": default.iloc[:3_000], "treatment": default.iloc[3_000:]}
    with pytest.raises(InputError, match=r"which draws or divides counts.*choose hull or delta"):
        eh.opportunity.compare(halves, random, probability="p", interval=interval, **ASKED)
    with pytest.raises(InputError, match="which draws or divides counts"):
        eh.opportunity.experiments(
            default.assign(arm="a"), random, ["arm"], probability="p", interval=interval, **ASKED
        )


@pytest.mark.parametrize("cluster", [None, "user_id"])
def test_experiments_and_arms_are_weighted_alike(weighted, cluster):
    default, random = weighted
    default = default.assign(arm=np.where(default["user_id"] % 2 == 0, "a", "b"))
    asked = ASKED | {"probability": "p", "cluster": cluster}
    by_column = eh.opportunity.experiments(default, random, ["arm"], **asked)
    arms = {arm: default[default["arm"] == arm] for arm in ("a", "b")}
    by_log = eh.opportunity.compare(arms, random, **asked)
    for measure in ("reo_difference", "relative_utility_difference", "reo_penalty"):
        one, other = ([f for f in r.findings if f.measure == measure] for r in (by_column, by_log))
        assert [(f.estimate, f.interval, f.p_value) for f in one] == [
            (f.estimate, f.interval, f.p_value) for f in other
        ]
    unweighted = eh.opportunity.experiments(default, random, ["arm"], **ASKED, cluster=cluster)
    found = by_column.find("reo_difference")
    assert found.estimate != unweighted.find("reo_difference").estimate
    assert found.details["effective_random_rows"] < len(random)
    assert "'p'" in found.assumptions[0]


def test_an_experiment_cannot_be_the_probability(weighted):
    default, random = weighted
    with pytest.raises(InputError, match="'p' is both the probability and an experiment"):
        eh.opportunity.experiments(default.assign(p="a"), random, ["p"], probability="p", **ASKED)


def test_a_few_heavy_rows_are_warned_of(weighted):
    default, random = weighted
    young = random.index[(random["creator_age"] == "18-24") & (random["liked"] == 1)]
    random["p"] = 1.0
    random.loc[young[:12], "p"] = 0.016
    warnings = eh.opportunity.audit(default, random, probability="p", **ASKED).findings[0].warnings
    assert any(
        "A few heavy rows" in text and "creator_age = 18-24" in text and "35+" not in text
        for text in warnings
    )


def test_a_group_whose_rows_are_worth_too_few_is_left_out(weighted):
    """Whichever of its rows are liked: two of them weigh as much as all others."""
    default, random = weighted
    random["p"] = 1.0
    random.loc[random.index[random["creator_age"] == "18-24"][:2], "p"] = 0.0005
    (excluded,) = eh.opportunity.audit(default, random, probability="p", **ASKED).findings[0].excluded
    assert excluded.what == "creator_age = 18-24"
    assert excluded.unidentified
    assert "each worth what its weight leaves of it" in excluded.why


def test_a_group_without_positives_is_excluded_or_zero_as_ever(weighted):
    default, random = weighted
    never = default.assign(liked=default["liked"].where(default["creator_age"] != "35+", 0))
    found = eh.opportunity.audit(never, random, probability="p", **ASKED)
    assert found.find("relative_utility", group="35+").estimate == -1
    assert found.find("equality").estimate is None
    unseen = random.assign(liked=random["liked"].where(random["creator_age"] != "35+", 0))
    excluded = eh.opportunity.audit(default, unseen, probability="p", **ASKED).findings[0].excluded
    assert [exclusion.what for exclusion in excluded] == ["creator_age = 35+"]


def test_weighted_and_unweighted_evidence_do_not_mix(weighted):
    with pytest.raises(InputError, match="same probability column"):
        count(weighted[1]) + LogCounts.from_totals(["18-24"], [1], 2)
