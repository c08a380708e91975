"""Clusters of users and of items at once: how they are counted, what they add up to, what is refused."""

from dataclasses import replace

import ibis
import numpy as np
import pandas as pd
import pytest

import evenhand as eh
from evenhand.inputs import table
from evenhand.opportunity.evidence import LogCounts
from evenhand.opportunity.logs.arms import Arms, clustered_errors
from evenhand.opportunity.logs.cautions import few_hits
from evenhand.opportunity.logs.counting import Question
from evenhand.opportunity.over_time.preparation import prepare_series
from evenhand.opportunity.over_time.timeline import Stretches
from evenhand.stats.log_ratios.clusters import Errors, over_two
from opportunity.conftest import make_log

BOTH = ("user_id", "creator_id")
ASKED = {"label": "liked", "group": "creator_age", "cluster": BOTH}
GROUPS = ["18-24", "25-34", "35+"]


@pytest.fixture(scope="module")
def logs():
    """A creator has items of several groups."""
    rng = np.random.default_rng(3)
    default = make_log(rng, 9_000, {"18-24": 0.10, "25-34": 0.16, "35+": 0.16})
    random = make_log(rng, 6_000, {"18-24": 0.06, "25-34": 0.07, "35+": 0.07})
    days = pd.date_range("2024-04-18", periods=3).strftime("%Y-%m-%d")
    made = [
        log.assign(
            creator_id=rng.integers(80, size=len(log)), day=days[rng.integers(3, size=len(log))],
            p=rng.uniform(0.1, 1, len(log)), ranker=log.user_id.mod(2).map({0: "a", 1: "b"}),
        )
        for log in (default, random)
    ]  # fmt: skip
    return made[0], made[1]


def counted(log, cluster=BOTH, probability=None, missing="refuse"):
    question = Question.of("liked", "creator_age", cluster, None, None, missing, probability)
    return question.count(table(log), weighted=probability is not None)[0]


def test_the_second_side_counts_the_same_positives(logs):
    found = counted(logs[0])
    alone = counted(logs[0], "creator_id")
    np.testing.assert_array_equal(found.by_item, alone.positives)
    np.testing.assert_array_equal(found.positives, counted(logs[0], "user_id").positives)
    assert found.used_clusters == (200, 80)


def test_the_second_side_has_the_weights(logs):
    found = counted(logs[1], probability="p")
    np.testing.assert_allclose(found.by_item, counted(logs[1], "creator_id", "p").weights.positives)


def test_parts_add_up(logs):
    log = logs[0].assign(creator_age=logs[0].creator_age.where(logs[0].item_id > 3))
    for missing in ("group", "exclude"):
        whole = counted(log, missing=missing)
        halves = counted(log[:4000], missing=missing) + counted(log[4000:], missing=missing)
        np.testing.assert_array_equal(halves.over(whole.groups).by_item, whole.by_item)
        np.testing.assert_array_equal(whole.by_item.sum(axis=0), whole.positives.sum(axis=0))
    with pytest.raises(eh.InputError, match="same cluster columns"):
        counted(logs[0]) + counted(logs[0], "user_id")


def test_any_backend(logs):
    polars = ibis.polars.connect()
    theirs = counted(polars.create_table("log", ibis.memtable(logs[0]).to_polars()))
    np.testing.assert_array_equal(theirs.by_item, counted(logs[0]).by_item)


def test_a_few_items_that_hold_most_of_a_group_are_told():
    """Of pairs of rows one in twenty is of the same item; few rows of different items are no hits."""
    by_item = np.zeros((1024, 3))
    by_item[:400, 0] = 5
    by_item[:3, 1], by_item[3:103, 1] = 100, 3
    by_item[:4, 2] = 1
    log = LogCounts(
        ("even", "hits", "rare"), np.ones((1024, 3), int), np.ones((1024, 3), int), by_item=by_item
    )
    (said,) = few_hits([log], "age", BOTH)
    assert said.startswith("Few creator_id hold most positive rows of age = hits (as good as")
    assert few_hits([log.over(("even", "rare"))], "age", BOTH) == []
    assert few_hits([LogCounts(log.groups, log.rows, log.positives)], "age", ("user_id",)) == []


# The covariance


def test_where_each_row_is_a_user_and_an_item_it_is_that_of_rows():
    rng = np.random.default_rng(0)
    liked = np.eye(3)[rng.integers(3, size=3_000)]
    rows = np.diag(1 / liked.sum(axis=0))
    first = second = (liked / liked.sum(axis=0)).T @ (liked / liked.sum(axis=0))
    assert over_two(first, second, rows) == pytest.approx(rows)


def test_where_one_kind_is_all_it_is_that_kind():
    rng = np.random.default_rng(1)
    scores = rng.normal(size=(50, 4))
    covariance = scores.T @ scores
    assert over_two(covariance, 1e-9 * covariance, 1e-9 * covariance) == pytest.approx(covariance, rel=1e-6)


@pytest.mark.parametrize("clusters", [5, 12, 400])
def test_it_is_never_smaller_than_either_kind(clusters):
    """Also where there are fewer clusters than columns, or the difference is negative."""
    rng = np.random.default_rng(2)
    first, second = (s.T @ s for s in rng.normal(size=(2, clusters, 10)) / np.sqrt(clusters))
    made = over_two(first, second, 1.2 * np.eye(10))
    for one in (first, second):
        assert np.linalg.eigvalsh(made - one).min() > -1e-9
    assert np.linalg.eigvalsh(first + second - made).min() > -1e-9


def test_with_many_clusters_it_is_the_sum_less_the_rows():
    rng = np.random.default_rng(4)
    first, second = (s.T @ s for s in rng.normal(size=(2, 4_000, 3)) / np.sqrt(4_000))
    rows = 0.3 * np.eye(3)
    assert over_two(first, second, rows) == pytest.approx(first + second - rows, abs=0.01)


@pytest.mark.parametrize("together", [1.0, -1.0], ids=["liked together", "one or the other"])
def test_what_a_cluster_has_of_several_groups_counts_together(together):
    """A creator is in several groups, and a user likes several: their contrast varies less, or more."""
    rng = np.random.default_rng(6)
    common = rng.normal(size=(2, 600, 1)) * [1.0, together, 0.0, 0.0]
    users, items = 0.02 * (common + rng.normal(size=(2, 600, 4)) * [0.3, 0.3, 1.04, 1.04])
    rows = 1e-7 * np.eye(4)
    contrasts = np.array([[1.0, -1.0, 0.0, 0.0], [0.0, 0.0, 1.0, -1.0], [1.0, 1.0, -1.0, -1.0]])
    found = clustered_errors((users[:, None], items[:, None]), rows, 599).variances(contrasts)
    of_clusters = sum(((scores @ contrasts.T) ** 2).sum(axis=0) for scores in (users, items))
    assert found == pytest.approx(of_clusters, rel=0.02)
    apart = sum((scores**2).sum(axis=0) @ contrasts.T**2 for scores in (users, items))
    assert found[0] < 0.1 * apart[0] if together > 0 else found[0] > 1.9 * apart[0]


def test_degrees_are_those_of_the_clusters_that_count():
    rng = np.random.default_rng(5)
    scores = rng.normal(size=(1_000, 2))
    contrast = np.array([[1.0, -1.0]])
    alike = Errors(scores.T @ scores, (scores,), 999)
    assert alike.degrees(contrast)[0] == pytest.approx(999, rel=0.15)
    assert alike.degrees_together == pytest.approx(999, rel=0.15)
    scores[0] *= 1_000
    alone = Errors(scores.T @ scores, (scores,), 999)
    assert alone.degrees(contrast)[0] == pytest.approx(3, rel=0.05)
    assert alone.degrees_together == pytest.approx(3, rel=0.05)
    assert Errors(np.eye(2)).degrees(contrast) is None


def test_days_are_arms(logs):
    timeline = prepare_series(
        table(logs[0], name="default"), table(logs[1].drop(columns="day"), name="random"),
        Question.of("liked", "creator_age", BOTH, None, None, "refuse"), "day", "day", None, print,
    )  # fmt: skip
    days = Stretches(timeline, (timeline.day(0), timeline.day(1)))
    parts = [counted(logs[0][logs[0].day == day]) for day in ("2024-04-18", "2024-04-19")]
    arms = Arms.from_logs(parts, counted(logs[1]))
    ours, theirs = days.errors(0, 1), arms.errors(0, 1)
    np.testing.assert_allclose(ours.covariance, theirs.covariance, atol=1e-12)
    assert ours.most == theirs.most
    np.testing.assert_allclose(days.ratio_bias(1), arms.ratio_bias(1))


def test_the_bias_of_a_ratio_is_that_of_its_rows_whoever_holds_them():
    positives = np.full((1024, 2), 3)
    positives[1:, 1] = 0
    log = LogCounts(("a", "b"), positives, positives)
    assert Arms.from_logs([log], log).ratio_bias(0) == pytest.approx([1 / 3072, 1 / 3])


# The audits


def test_every_audit_of_random_traffic_takes_two(logs):
    default, random = logs
    arms = {arm: default[default.ranker == arm] for arm in ("a", "b")}
    results = {
        "reo_penalty": eh.opportunity.audit(*logs, **ASKED, probability="p"),
        "reo_difference": eh.opportunity.compare(arms, random, **ASKED),
        "relative_utility_difference": eh.opportunity.experiments(*logs, ["ranker"], **ASKED),
        "daily_penalty": eh.opportunity.series(*logs, day="day", **ASKED),
        "worst_ratio": eh.opportunity.stages({"random": random, "one": default, "two": arms["a"]}, **ASKED),
        "boost_weight": eh.opportunity.boost(*logs, weights={"18-24": 1.5}, **ASKED),
    }
    for measure, result in results.items():
        finding = next(f for f in result.findings if f.measure == measure)
        assert any("creator_id like these" in text for text in finding.assumptions), measure
        assert not any("allow for" in text for text in finding.warnings), measure


def test_experiments_are_comparisons(logs):
    default, random = logs
    found = eh.opportunity.experiments(*logs, ["ranker"], **ASKED).find("reo_difference")
    arms = {arm: default[default.ranker == arm] for arm in ("a", "b")}
    theirs = eh.opportunity.compare(arms, random, **ASKED).find("reo_difference")
    assert (found.interval.low, found.interval.high) == (theirs.interval.low, theirs.interval.high)


def test_users_alone_are_about_these_items(logs):
    finding = eh.opportunity.audit(*logs, **ASKED | {"cluster": "user_id"}).find("reo_penalty")
    assert "The numbers are about these items, not about others like them." in finding.assumptions
    said = [text for text in finding.warnings if "allow for" in text]
    assert said == [
        "The intervals allow for other values of user_id than these, but not of creator_id: to speak of "
        "others like these, too, cluster by both (--cluster user_id --cluster creator_id, or cluster = "
        '["user_id", "creator_id"] in a plan).'
    ]


def test_few_creators_are_told(logs):
    few = [log.assign(creator_id=log.creator_id % 20) for log in logs]
    finding = eh.opportunity.audit(*few, **ASKED).find("reo_penalty")
    assert any("few creator_id" in text for text in finding.warnings)
    too_few = [log.assign(creator_id=log.creator_id % 5) for log in logs]
    finding = eh.opportunity.audit(*too_few, **ASKED).find("reo_penalty")
    assert finding.estimate is None
    assert "fewer than 10 creator_id" in finding.warnings[0]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda logs: eh.opportunity.audit(*logs, **ASKED, interval="bca"), "clusters of one kind"),
        (lambda logs: eh.opportunity.boost(*logs, weights="search", **ASKED), "halves the users"),
        (lambda logs: eh.opportunity.user_precision(logs[0], **ASKED), "takes one column"),
        (lambda logs: eh.opportunity.parity(logs[0], {"35+": 3}, "creator_age", BOTH), "takes one column"),
        (lambda logs: eh.opportunity.audit(*logs, **ASKED | {"cluster": [*BOTH, "day"]}), "user column, or"),
        (lambda logs: eh.opportunity.audit(*logs, **ASKED | {"cluster": ["user_id"] * 2}), "user column, or"),
        (lambda logs: eh.opportunity.audit(*logs, **ASKED | {"cluster": 3}), "must be the name of a column"),
    ],
)
def test_what_is_refused(logs, call, said):
    with pytest.raises(eh.InputError, match=said):
        call(logs)


def test_a_liked_row_without_a_creator_is_refused(logs):
    for kind in ("Int64", "string"):
        both = [log.assign(creator_id=log.creator_id.astype(kind)) for log in logs]
        both[0].loc[both[0].item_id < 4, "creator_id"] = None
        with pytest.raises(eh.InputError, match="'creator_id' is empty in"):
            eh.opportunity.audit(*both, **ASKED)


def test_pairs_of_rows_that_logs_share_are_counted_alike(logs):
    """Of A rows of B the logarithm of the share varies by 1/A - 1/B, and of others by 1/A + 1/B."""
    question = replace(Question.of("liked", "creator_age", BOTH, None, None, "refuse"), pairs=True)
    before = question.count(table(logs[0]))[0]
    half, other = (question.count(table(log))[0] for log in (logs[0].iloc[::2], logs[1]))
    np.testing.assert_array_equal(before.by_pair.sum(axis=0), before.positives.sum(axis=0))
    for log, sign in ((half, -1), (other, 1)):
        arms = Arms.from_logs([log], before)
        expected = 1 / arms.positives[0] + sign / arms.random_positives
        np.testing.assert_allclose(np.diag(arms._of_rows), expected, rtol=0.3)


def test_stages_count_pairs_and_other_audits_say_what_they_take_for_granted(logs):
    default, random = logs
    shown = eh.opportunity.stages(
        {"random": random, "recall": default, "ranking": default.iloc[::2]}, **ASKED
    )
    audited = eh.opportunity.audit(default, random, **ASKED)
    granted = "No row of one log is a row of another"
    assert not any(granted in text for f in shown.findings for text in f.assumptions)
    assert any(granted in text for f in audited.findings for text in f.assumptions)
