"""The boosting simulation: the counts say what resampling would, and a search does not flatter itself."""

import numpy as np
import pytest

import evenhand as eh
from evenhand.errors import InputError
from evenhand.opportunity.boosting import best_weights, boosted, halves
from evenhand.opportunity.evidence import LogCounts
from evenhand.opportunity.inference.one_log import ArmInference
from evenhand.opportunity.measures import penalty

ASKED = {"label": "liked", "group": "creator_age"}


def test_counts_say_what_resampled_rows_average_to(logs):
    default, random = logs
    weights = {"18-24": 2.0, "35+": 1.25}
    found = eh.opportunity.boost(default, random, weights=weights, **ASKED)
    chances = default["creator_age"].map(weights).fillna(1.0)
    rng = np.random.default_rng(0)
    resampled = default.iloc[rng.choice(len(default), 200_000, p=(chances / chances.sum()).to_numpy())]
    expected = eh.opportunity.audit(resampled, random, **ASKED).find("reo_penalty").estimate
    assert found.find("reo_penalty", arm="boost").estimate == pytest.approx(expected, abs=0.01)
    alone = eh.opportunity.audit(default, random, **ASKED).find("reo_penalty")
    assert found.find("reo_penalty", arm="no boost").estimate == alone.estimate
    assert found.find("reo_penalty", arm="no boost").interval == alone.interval


def test_a_boost_of_all_groups_changes_nothing(logs):
    found = eh.opportunity.boost(*logs, weights={"18-24": 3, "25-34": 3, "35+": 3}, **ASKED)
    change = found.find("reo_difference")
    assert (change.estimate, change.interval.low, change.interval.high) == pytest.approx((0, 0, 0), abs=1e-9)


def test_two_groups_in_closed_form():
    """h = |tanh(r/2)|; a weight moves r by its log and leaves its error alone."""
    log, random = (
        LogCounts.from_totals(["a", "b"], [400, 300], 5_000),
        LogCounts.from_totals(["a", "b"], [200, 300], 5_000),
    )
    arms = boosted(log, random, np.array([1.0, 1.5]))
    assert penalty(arms.utilities(1)) == pytest.approx(np.tanh(np.log(2 / 1.5) / 2))
    both = arms.errors(0, 1).covariance
    assert both == pytest.approx(np.kron(np.ones((2, 2)), arms.errors(0).covariance))


@pytest.mark.parametrize("limit", [1.1, 1.5, 3.0])
def test_the_best_weights_are_not_beaten(limit):
    rng = np.random.default_rng(1)
    for _ in range(20):
        utilities = rng.uniform(0.5, 1.5, size=4)
        best = best_weights(utilities, limit)
        assert best.min() == 1
        assert best.max() <= limit + 1e-9
        found = penalty(best * utilities)
        others = rng.uniform(1, limit, size=(2_000, 4))
        assert found <= penalty(others * utilities).min() + 2e-3
        if utilities.max() <= limit * utilities.min():
            assert found == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("cluster", [None, "user_id"])
def test_a_search_looks_at_one_half_and_is_judged_by_the_other(logs, cluster):
    found = eh.opportunity.boost(*logs, weights="search", cluster=cluster, **ASKED)
    weights = {f.subject["group"]: f.estimate for f in found.findings if f.measure == "boost_weight"}
    assert weights["18-24"] == max(weights.values())
    after = found.find("reo_penalty", arm="boost")
    assert 0 < after.estimate < found.find("reo_penalty", arm="no boost").estimate
    assert any("one half" in text for text in after.assumptions)
    assert after.n.count < len(logs[0]) + len(logs[1])


def test_halves_add_up_and_share_nobody():
    rng = np.random.default_rng(2)
    rows = rng.integers(0, 9, size=(1024, 3))
    clustered = LogCounts(("a", "b", "c"), rows, rng.binomial(rows, 0.3))
    plain = LogCounts(("a", "b", "c"), rows.sum(axis=0)[None], clustered.positives.sum(axis=0)[None])
    for log in (clustered, plain):
        first, second = halves(log, rng)
        assert first.total + second.total == log.total
        assert (first.positives.sum(axis=0) + second.positives.sum(axis=0)).tolist() == log.positives.sum(
            axis=0
        ).tolist()
        assert first.total == pytest.approx(log.total / 2, rel=0.1)
        assert (first.positives <= first.rows).all()


@pytest.mark.parametrize("runs", [150, pytest.param(2_000, marks=pytest.mark.slow)], ids=["quick", "full"])
def test_the_interval_after_a_search_covers(runs):
    """What the chosen weights would do to the true utilities; on the data that chose them it is always 0."""
    p, u = np.array([0.03, 0.04, 0.05]), np.array([2.6, 2.0, 1.8])
    rng = np.random.default_rng(5)
    hits = flattered = 0
    for _ in range(runs):
        counts = [
            LogCounts.from_totals(["a", "b", "c"], rng.multinomial(n, [*s, 1 - s.sum()])[:-1].tolist(), n)
            for n, s in ((40_000, p * u), (10_000, p))
        ]
        (train, log), (train_random, random) = halves(counts[0], rng), halves(counts[1], rng)
        fit = boosted(train, train_random, np.ones(3)).utilities(0)
        weights = best_weights(fit, 2.0)
        truth = penalty(u * weights)
        low, high = ArmInference(boosted(log, random, weights), 1, 0).penalty_interval(0.95)
        hits += low <= truth <= high
        flattered += penalty(fit * weights) < truth
    assert hits / runs >= 0.95 - 3 * np.sqrt(0.05 * 0.95 / runs)
    assert flattered / runs > 0.99


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"weights": {"18-24": -1}}, "weights is {'18-24': -1}, but must be"),
        ({"weights": {"18-24": 0}}, "weights is {'18-24': 0}, but must be"),
        ({"weights": {"18-24": float("nan")}}, "weights is {'18-24': nan}, but must be"),
        ({"weights": {"young": 2}}, "names the group 'young', but the groups are 18-24, 25-34, 35\\+"),
        ({"weights": {}}, "weights is empty: say how many times"),
        ({"weights": "best"}, "weights is 'best'"),
        ({"weights": "search", "limit": 1}, "limit is 1"),
        ({"weights": "search", "probability": "p"}, "can only be halved by user"),
    ],
)
def test_impossible_boosts_are_refused(logs, options, said):
    default, random = logs
    with pytest.raises(InputError, match=said):
        eh.opportunity.boost(default, random.assign(p=0.5), **ASKED | options)


def test_too_little_data_for_a_search_is_refused(logs):
    default, random = logs
    young = random.index[(random["creator_age"] == "18-24") & (random["liked"] == 1)]
    once = random.assign(liked=random["liked"].mask(random.index.isin(young[1:]), 0))
    with pytest.raises(InputError, match="too little data to search"):
        eh.opportunity.boost(default, once, weights="search", **ASKED)


def test_each_half_of_a_search_must_have_enough_users(logs):
    """Twelve users are enough for an audit, but a search has six in each half."""
    few = [log.assign(user_id=log["user_id"] % 12) for log in logs]
    assert eh.opportunity.boost(*few, weights={"18-24": 1.2}, cluster="user_id", **ASKED)
    with pytest.raises(InputError, match="one half of the default log come from only 6 user_id"):
        eh.opportunity.boost(*few, weights="search", cluster="user_id", **ASKED)


def test_a_search_warns_of_the_half_that_judges(logs):
    few = [log.assign(user_id=log["user_id"] % 80) for log in logs]
    whole = eh.opportunity.boost(*few, weights={"18-24": 1.2}, cluster="user_id", **ASKED)
    assert not any("come from few" in text for text in whole.findings[0].warnings)
    searched = eh.opportunity.boost(*few, weights="search", cluster="user_id", **ASKED)
    said = [text for text in searched.findings[0].warnings if "come from few" in text]
    assert said[0].startswith("The positive rows of the held-out default log come from few user_id")
    assert said[1].startswith("The positive rows of the held-out random log come from few user_id")
