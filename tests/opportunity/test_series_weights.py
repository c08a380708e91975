"""A series against random traffic drawn with unequal probabilities: what its weights do to every day."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import evenhand as eh
from evenhand.errors import InputError
from evenhand.opportunity.logs.counting import Question
from evenhand.opportunity.over_time import every_day
from evenhand.opportunity.over_time.preparation import prepare_series
from evenhand.opportunity.over_time.timeline import Stretches
from evenhand.stats.log_ratios.counts import cluster_scores
from evenhand.stats.log_ratios.moderated import moderated_scores
from opportunity.conftest import make_log

ASKED = {"label": "liked", "group": "creator_age", "day": "day"}
DAYS = 5
# Squared weights are summed with six decimals.
ROUNDED = 1e-6


def logs_of(seed, rows=12_000):
    rng = np.random.default_rng(seed)
    default = make_log(rng, rows, {"18-24": 0.10, "25-34": 0.16, "35+": 0.14})
    random = make_log(rng, rows, {"18-24": 0.07, "25-34": 0.08, "35+": 0.08})
    return tuple(log.assign(day=rng.integers(DAYS, size=len(log))) for log in (default, random))


@pytest.fixture(scope="module")
def weighted():
    """Probabilities that differ up to ten times within a group, by group, and from day to day."""
    default, random = logs_of(0)
    chances = np.random.default_rng(1).uniform(0.1, 1, len(random))
    chances *= random["creator_age"].map({"18-24": 1, "25-34": 0.3, "35+": 0.6}) / (1 + random["day"])
    return default, random.assign(p=chances)


def timeline_of(logs, cluster=None, window="all"):
    question = Question.of("liked", "creator_age", cluster, None, None, "refuse", "p")
    tables = [eh.table(log, name=name) for log, name in zip(logs, ("default log", "random log"), strict=True)]
    return prepare_series(*tables, question, "day", "day", window, lambda message: None)


def weights_of(random):
    """Sums of w and of w^2 over the liked rows, a day (rows) and a group (columns)."""
    liked = random[random["liked"] == 1].assign(w=lambda rows: 1 / rows["p"], ww=lambda rows: rows["p"] ** -2)
    return tuple(liked.groupby(["day", "creator_age"])[sums].sum().unstack() for sums in ("w", "ww"))


def numbers_of(result):
    """Every number that is said of any day, and of each finding as a whole."""
    for finding in result.findings:
        yield from (finding.estimate, finding.interval.low, finding.interval.high, finding.n.count)
        for entry in finding.series.days:
            yield from (entry.n, entry.estimate, entry.low, entry.high, entry.fixed.low, entry.fixed.high)


@settings(max_examples=8, deadline=None)
@given(
    probability=st.floats(1e-6, 1),
    window=st.sampled_from(["all", 1, 3]),
    cluster=st.sampled_from([None, "user_id"]),
    seed=st.integers(0, 100),
)
def test_equal_probabilities_change_nothing(probability, window, cluster, seed):
    default, random = logs_of(seed, rows=3_000)
    options = ASKED | {"window": window, "cluster": cluster}
    plain = eh.opportunity.series(default, random, **options)
    same = eh.opportunity.series(default, random.assign(p=probability), probability="p", **options)
    assert [f.verdict for f in same.findings] == [f.verdict for f in plain.findings]
    assert list(numbers_of(same)) == pytest.approx(list(numbers_of(plain)), abs=ROUNDED)
    assert same.find("running_penalty").details["effective_random_rows"] == pytest.approx(3_000)


@pytest.mark.parametrize("window", ["all", 2])
def test_a_factor_common_to_all_probabilities_changes_nothing(weighted, window):
    default, random = weighted
    results = [
        eh.opportunity.series(default, log, probability="p", window=window, **ASKED)
        for log in (random, random.assign(p=random["p"] / 7))
    ]
    assert list(numbers_of(results[1])) == pytest.approx(list(numbers_of(results[0])), abs=ROUNDED)


@pytest.mark.parametrize("cluster", [None, "user_id"])
@pytest.mark.parametrize("window", ["all", DAYS])
def test_the_running_value_of_the_last_day_is_a_weighted_audit_of_the_whole(weighted, cluster, window):
    asked = {"cluster": cluster, "probability": "p"}
    whole = eh.opportunity.audit(*weighted, "liked", "creator_age", **asked).find("reo_penalty")
    running = eh.opportunity.series(*weighted, **ASKED, **asked, window=window).find("running_penalty")
    fixed = running.series.days[-1].fixed
    assert running.estimate == pytest.approx(whole.estimate)
    assert (fixed.low, fixed.high) == pytest.approx((whole.interval.low, whole.interval.high))
    assert running.details["effective_random_rows"] == pytest.approx(whole.details["effective_random_rows"])
    assert running.assumptions[0] == whole.assumptions[0]
    assert "'p'" in running.assumptions[0]
    assert running.n.count == whole.n.count == len(weighted[0]) + len(weighted[1])


@pytest.mark.parametrize("cluster", [None, "user_id"])
def test_a_day_is_a_weighted_audit_of_its_day_and_window(weighted, cluster):
    default, random = weighted
    found = eh.opportunity.series(default, random, **ASKED, cluster=cluster, probability="p", window=2)
    daily = found.find("daily_penalty").series.days
    young = found.find("daily_relative_utility", group="18-24")
    for day in range(1, DAYS):
        alone = eh.opportunity.audit(
            default[default.day == day], random[random.day.isin([day - 1, day])], "liked", "creator_age",
            cluster=cluster, probability="p",
        )  # fmt: skip
        penalty = alone.find("reo_penalty")
        assert daily[day].estimate == pytest.approx(penalty.estimate)
        assert (daily[day].fixed.low, daily[day].fixed.high) == pytest.approx(
            (penalty.interval.low, penalty.interval.high)
        )
        if young.details["day"] == str(day):
            theirs = alone.find("relative_utility", group="18-24")
            same = "effective_positives_random"
            assert young.details[same] == pytest.approx(theirs.details[same])
            assert young.n.count == theirs.n.count


def test_a_change_is_a_weighted_ab_test(weighted):
    default, random = weighted
    arms = {"before": default[default.day == 2], "day": default[default.day == 3]}
    test = eh.opportunity.compare(arms, random, "liked", "creator_age", probability="p")
    difference = test.find("reo_difference")
    found = eh.opportunity.series(default, random, **ASKED, probability="p", window="all")
    change = found.find("penalty_change", against="before").series.days[2]
    assert change.estimate == pytest.approx(difference.estimate)
    assert (change.fixed.low, change.fixed.high) == pytest.approx(
        (difference.interval.low, difference.interval.high)
    )


def test_windows_covary_by_the_squared_weights_of_the_rows_that_they_share(weighted):
    timeline = timeline_of(weighted, window=3)
    arms = Stretches(timeline, (timeline.day(3), timeline.day(4)))
    sums, squares = weights_of(weighted[1])
    first, second, shared = sums[1:4].sum(), sums[2:5].sum(), squares[2:4].sum()
    np.testing.assert_allclose(arms.errors(0, 1).covariance[:3, 3:], np.diag(shared / (first * second)))
    own = 1 / arms.positives[0] + squares[1:4].sum() / first**2
    np.testing.assert_allclose(arms.errors(0).covariance, np.diag(own))
    assert arms.random_of(0) is None


def test_clusters_take_the_weights_with_them(weighted):
    timeline = timeline_of(weighted, "user_id", window=2)
    arms = Stretches(timeline, (timeline.day(3), timeline.day(4)))
    parts = [part.weights.positives for part in timeline.random_parts]
    scores = []
    for t in (3, 4):
        own, random = timeline.positives[t], parts[t - 1] + parts[t]
        scores.append(cluster_scores(own) - cluster_scores(random))
    both = np.stack(scores, axis=1)
    learnt = moderated_scores(both - both.mean(axis=2, keepdims=True), 0.5)
    np.testing.assert_allclose(arms.errors(0, 1).covariance[:3, 3:], learnt[:, 0].T @ learnt[:, 1])


def test_the_clock_of_a_sequence_runs_with_the_squared_weights(weighted):
    """Random traffic gets rarer by the day, so that late rows are heavy and bring the most that is new."""
    timeline = timeline_of(weighted, window=2)
    squares = weights_of(weighted[1])[1].sum(axis=1).cumsum().to_numpy()
    positives = timeline.totals.sum(axis=1).cumsum()
    steps = np.maximum(squares[1:] / squares[:-1], positives[1:] / positives[:-1])
    np.testing.assert_allclose(every_day.growth(timeline), np.cumprod([1, *steps]))
    assert every_day.growth(timeline)[-1] > 2 * positives[-1] / positives[0]


def test_any_order_of_the_rows_gives_the_same_findings(weighted):
    default, random = weighted
    random = pd.concat([random] * 10, ignore_index=True)
    results = [
        eh.opportunity.series(default, log, **ASKED, probability="p", window=2).findings
        for log in (random, random.sample(frac=1, random_state=1))
    ]
    assert results[0] == results[1]


def test_windows_that_hang_on_a_few_heavy_rows_are_named(weighted):
    default, random = weighted
    # One row in 40 of a group is 40 times as heavy: over all days that is enough of them, on one day not.
    old = (random["creator_age"] == "35+").to_numpy()
    heavy = old & (np.arange(len(random)) % 40 == 0)
    random = random.assign(p=np.where(heavy, 0.02, 0.8))
    whole = (
        eh.opportunity.series(default, random, **ASKED, probability="p", window="all").findings[0].warnings
    )
    assert not any("heavy" in text for text in whole)
    windowed = eh.opportunity.series(default, random, **ASKED, probability="p", window=1)
    said = [text for text in windowed.findings[0].warnings if "heavy" in text]
    assert len(said) == 1
    assert said[0].startswith(
        "In the windows of 5 of 5 days (0, 1, 2, 3, 4) a few heavy rows of the random log"
    )
    assert "creator_age = 35+: intervals may be too narrow." in said[0]
    liked = old & (random["liked"] == 1).to_numpy()
    few = random.assign(p=np.where(liked & (np.cumsum(liked) <= 10), 0.8 / 150, 0.8))
    whole = eh.opportunity.series(default, few, **ASKED, probability="p", window="all").findings[0].warnings
    assert any(text.startswith("A few heavy rows of the random log decide about") for text in whole)


def test_a_group_that_a_day_does_not_show_has_its_limit(weighted):
    default, random = weighted
    hidden = (default["day"] == 2) & (default["creator_age"] == "35+")
    never = default.assign(liked=default["liked"].where(~hidden, 0))
    found = eh.opportunity.series(never, random, **ASKED, probability="p")
    entry = found.find("daily_relative_utility", group="35+").series.days[2]
    assert entry.estimate == entry.low == -1
    assert -1 < entry.fixed.high <= entry.high < -0.8


def test_a_day_whose_window_does_not_identify_a_group_is_named(weighted):
    default, random = weighted
    unseen = (random["day"] == 1) & (random["creator_age"] == "35+")
    scarce = random.assign(liked=random["liked"].where(~unseen, 0))
    penalty = eh.opportunity.series(default, scarce, **ASKED, probability="p", window=1).find("daily_penalty")
    assert [entry.estimate is None for entry in penalty.series.days] == [False, True, *[False] * 3]
    assert penalty.excluded[-1].what == "day 1"
    assert penalty.excluded[-1].count == (default["day"] == 1).sum()


@pytest.mark.parametrize("window", ["all", 2])
@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (0.0, "not a probability above 0 and at most 1 in 3 of 12,000 rows"),
        (1.5, "not a probability above 0 and at most 1 in 3 of 12,000 rows, for example p=1.5"),
        (None, "'p' is empty in 3 of 12,000 rows"),
    ],
)
def test_what_is_no_probability_is_refused_with_how_many(weighted, window, bad, said):
    default, random = weighted
    chances = random["p"].copy()
    chances.iloc[[5, 6, 7]] = bad
    with pytest.raises(InputError, match=said):
        eh.opportunity.series(default, random.assign(p=chances), **ASKED, probability="p", window=window)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"probability": "chance"}, "random log: there is no column 'chance'"),
        ({"probability": "day"}, "'day' is the day and something else too; they must be different columns."),
        ({"probability": "liked"}, "both the probability and the label"),
        ({"probability": 3}, "probability is 3, but must be the name of a column"),
        ({"probability": "text"}, "column 'text' is of type string, but must hold numbers"),
    ],
)
@pytest.mark.parametrize("dated", [True, False])
def test_columns_that_cannot_be_the_probability(weighted, options, said, dated):
    default, random = weighted
    random = random.assign(text="a")
    with pytest.raises(InputError, match=said):
        eh.opportunity.series(default, random if dated else random.drop(columns="day"), **ASKED, **options)
