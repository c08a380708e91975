"""What a reader meets first in the audits of opportunity in depth."""

import pytest

from evenhand.findings import Interval
from evenhand.pictures import Series
from evenhand.report.pages.arrange import sections
from evenhand.report.words import advice, sentences, series, summary
from short_findings import short


def found(audit, measure, subject, estimate, low=None, high=None, **more):
    interval = None if low is None else Interval(low=low, high=high, level=0.95, method="delta")
    return short(
        audit=audit, measure=measure, subject={"by": "age"} | subject, estimate=estimate, interval=interval,
        **more,
    )  # fmt: skip


def stage(name, low, high):
    return found(
        "stages", "reo_penalty", {"stage": name}, (low + high) / 2, low, high, tolerance=0.1,
        details={"groups": 2},
    )  # fmt: skip


def test_stages_are_named_and_those_outside_come_first():
    whole, recall, ranking = (
        stage("all stages", 0.2, 0.3),
        stage("recall", 0.11, 0.2),
        stage("ranking", 0, 0.05),
    )
    assert sentences.sentence(recall).startswith("In recall, creators by age typically get")
    assert sentences.sentence(whole).startswith("Over all stages, creators")
    assert advice.next_steps([whole, recall, ranking]) == ["Start with recall; ranking is within its limit."]
    assert "No stage is beyond the limit by itself" in advice.next_steps([whole, ranking])[0]


def test_a_test_of_a_change_says_nothing_about_a_penalty_that_is_undecided():
    undecided = found("boost", "reo_penalty", {"arm": "boost"}, 0.1, 0.05, 0.2, tolerance=0.1)
    change = found("boost", "reo_difference", {"arm": "boost", "baseline": "no boost"}, -0.1, p_value=1e-9)
    assert not any("There is a difference" in note for note in summary.asides([undecided, change]))
    test = found("boost", "equality", {"arm": "boost"}, 30.0, p_value=1e-9)
    assert summary.asides([undecided, test])[0] == (
        "There is a difference among creators by age (p < 0.001); "
        "whether it is beyond the limit is not decided."
    )


@pytest.mark.parametrize(
    ("p", "said"),
    [
        # A p-value over all looks is no frequency: a plain test of the same counts has .30.
        (1.0, "no sign of a mismatch, however often it is looked at (p = 1.00)."),
        (0.051, "no sign of a mismatch, however often it is looked at (p = 0.051)."),
        (0.031, "at most 4 in 100 tests that are split as planned ever look so (p = 0.031)."),
        (0.0021, "at most 3 in 1,000 tests that are split as planned ever look so (p = 0.002)."),
        (1e-9, "fewer than 1 in 1,000 tests that are split as planned ever look so (p < 0.001)."),
    ],
)
def test_a_p_value_over_all_looks_is_not_told_as_how_often_chance_goes_so_far(p, said):
    check = found("experiments", "sample_ratio", {"arm": "b"}, -0.0044, p_value=p)
    told = sentences.sentence(check)
    assert told.startswith("The share of users in b is 0.44 points lower than planned, which is ")
    assert told.endswith(said)
    assert ("is a mismatch" in told) is (p <= 0.05)


def test_weights_are_not_called_a_boost():
    change = found("boost", "reo_difference", {"arm": "boost", "baseline": "no boost"}, -0.1, -0.2, -0.05)
    assert "under the new weights than under the present weights" in sentences.sentence(change)


def series_of(*verdicts, first=13):
    days = [
        {
            "day": f"2024-04-{first + i}", "n": 100, "estimate": 0.3 + i / 100, "low": 0.2, "high": 0.4,
            "fixed": {"low": 0.25, "high": 0.35}, "verdict": verdict,
        }
        for i, verdict in enumerate(verdicts)
    ]  # fmt: skip
    return found(
        "series",
        "daily_penalty",
        {},
        0.3,
        0.2,
        0.4,
        tolerance=0.1,
        details={"unit": "day"},
        pictures=(Series.of("day", days),),
    )


OUT, OPEN, IN = "violation", "inconclusive", "within_tolerance"


@pytest.mark.parametrize(
    ("verdicts", "said"),
    [
        (
            [OPEN, OUT, OUT],
            "Each day alone is beyond the limit; two remain so after correcting for 3 looks: 14 and 15 April "
            "2024 (31 to 32%).",
        ),
        ([OUT], "The one day is beyond the limit (30%)."),
        ([OUT] * 3, "All 3 days are beyond the limit (30 to 32%)."),
        (
            [OUT] * 5 + [OPEN, IN],
            "Each day alone is beyond the limit; five remain so after correcting for 7 looks (30 to 34%).",
        ),
        ([IN, IN], "All 2 days are within the limit."),
        (
            [OPEN, IN],
            "Each day alone is beyond the limit; none remains so after correcting for 2 looks.",
        ),
    ],
)
def test_which_days(verdicts, said):
    assert series.which_days(series_of(*verdicts)) == said


def test_a_wider_interval_says_why():
    finding = series_of(OPEN, OUT)
    alone = finding.amended(details=finding.details | {"day": "2024-04-14"})
    assert sentences.evidence(alone) == "20 to 40%, all 2 days at once; limit 10%"
    anytime = finding.interval.amended(validity="anytime")
    assert sentences.evidence(finding.amended(interval=anytime)) == "20 to 40%, at every look; limit 10%"
    assert sentences.evidence(finding.amended(pictures=())) == "20 to 40%; limit 10%"


def test_a_series_leads_with_its_latest_day():
    finding = series_of(OPEN, OUT)
    assert summary.headline([finding]).startswith(
        "On 14 April 2024, the latest day, the penalty was 31% (20 to 40%): beyond the limit."
    )


def test_weeks_are_called_weeks():
    finding = series_of(OPEN, OUT)
    weeks = finding.amended(details=finding.details | {"unit": "week"})
    assert summary.headline([weeks]) == (
        "In the week of 14 April 2024, the latest week, the penalty was 31% (20 to 40%): beyond the limit. "
        "Each week alone is beyond the limit; one remains so after correcting for 2 looks: the week of 14 "
        "April 2024 (31%)."
    )


def test_experiments_lead_with_what_is_clear():
    changes = [
        found(
            "experiments", "reo_difference", {"experiment": name, "arm": "b", "baseline": "a"}, middle,
            middle - 0.03, middle + 0.03, details={"comparisons": 2},
        )
        for name, middle in (("ranker", 0.01), ("recall", -0.08))
    ]  # fmt: skip
    assert summary.headline(changes) == (
        "1 of 2 comparisons is clear: recall = b has a penalty 8 points lower than a. "
        "The other comparison is not clear."
    )
    with_arms = [found("experiments", "reo_penalty", {"experiment": "ranker", "arm": "a"}, 0.1), *changes]
    (section,) = sections(with_arms)
    assert section.families[0].first.measure == "reo_difference"
    judged = [change.amended(tolerance=0.05) for change in changes]
    assert summary.headline(judged).startswith("1 of 2 comparisons is clear: recall = b")
    assert summary.further_results(changes)[0].subject["experiment"] == "recall"
    assert any("corrected for 2 comparisons" in note for note in summary.asides(changes))


@pytest.mark.parametrize(
    ("method", "shared", "first"),
    [
        ("delta, clustered in 1,024 hash buckets", True, "in the arms first"),
        ("difference of hulls, clustered in 1,024 hash buckets", True, "in the arms and at random"),
        ("delta", False, "random traffic first"),
    ],
)
def test_arms_that_share_random_traffic_need_more_of_their_own(method, shared, first):
    arms = {"arm": "B", "baseline": "A", "by": "age"}
    change = found("compare", "reo_difference", arms, 0.01, -0.03, 0.05, tolerance=0.02)
    assert change.interval is not None
    told = change.amended(interval=change.interval.amended(method=method), details={"shared_random": shared})
    (step,) = advice.next_steps([told])
    assert first in step


def test_doubts_about_a_number_without_a_limit_say_nothing_about_those_that_more_data_would_decide():
    undecided = found("opportunity", "relative_utility", {"group": "old"}, 0.02, -0.1, 0.14, tolerance=0.11)
    arms = {"arm": "B", "baseline": "A", "experiment": "variant"}
    doubted = found("experiments", "reo_difference", arms, 0, -0.1, 0.1, doubts=("other users than planned",))
    assert advice.next_steps([undecided, doubted]) == ["Collect more traffic, random traffic first."]
    judged = found(
        "experiments", "reo_difference", arms, 0, -0.1, 0.1, tolerance=0.02, doubts=("other users",)
    )
    for told in ([undecided, judged], [doubted]):
        assert advice.next_steps(told)[0].startswith("See to the warnings first")
