"""The sentences: what they say for each verdict and measure, and what they never say."""

from __future__ import annotations

import pytest

from evenhand.findings import Exclusion, Interval, MoreData
from evenhand.report.words import people, sentences, summary, verdicts
from short_findings import short

# One sentence a measure, whole, so that a change of wording is a decision.
SENTENCES = {
    "penalty": (
        "Creators by age typically get 15% more or less opportunity than average (12 to 19%; limit 11%)."
    ),
    "ratio": (
        "Creators aged 18-24 get 69% of the opportunity of creators aged 35-44 "
        "(63 to 75%; limit at least 80%)."
    ),
    "equality": (
        "If creators by age had equal opportunity, differences this large would appear in fewer than 1 in "
        "1,000 samples: chi-square 96, 4 degrees of freedom (p < 0.001)."
    ),
    "difference": (
        "Creators by age have an opportunity penalty 3 points lower under treatment than under control "
        "(1 to 5 points; limit 0)."
    ),
}


@pytest.mark.parametrize("maker", SENTENCES)
def test_each_measure_has_its_sentence(make, maker):
    assert sentences.sentence(getattr(make, maker)()) == SENTENCES[maker]


def test_a_group_below_the_average_is_shown_less_often(make):
    assert sentences.sentence(make.utility("18-24", -0.232, -0.281, -0.181)) == (
        "Liked items by 18-24-year-olds are shown 23% less often than average (18 to 28%; limit 11%)."
    )


def test_an_interval_across_zero_names_both_directions(make):
    said = sentences.sentence(make.utility("25-34", -0.06, -0.13, 0.02))
    assert "(13% less to 2% more often; limit 11% either way)" in said


def test_a_difference_of_a_group_between_arms(make):
    said = sentences.sentence(make.utility_difference("25-34", 0.012, -0.021, 0.046))
    assert said.startswith(
        "Opportunity of creators aged 25-34, against the average, is 1 point higher under treatment"
    )


def test_a_measure_of_one_arm_names_the_arm(make):
    said = sentences.sentence(
        make.penalty(audit="compare", subject={"by": "creator_age", "arm": "treatment"})
    )
    assert "opportunity than average under treatment (" in said


@pytest.mark.parametrize(
    ("by", "group", "expected"),
    [
        ("creator_age", "18-24", "creators aged 18-24"),
        ("creator_age", "unknown", "creators with age unknown"),
        ("creator_region", "north", "creators with region north"),
        ("genre", "Film noir", "items with genre “Film noir”"),
    ],
)
def test_groups_in_words(make, by, group, expected):
    assert people.who(make.utility(group, 0.1, 0, 0.2, subject={"by": by, "group": group})) == expected


def test_a_measure_that_nobody_registered_still_has_a_sentence():
    finding = short(audit="exposure", measure="gap_{size}", subject={"beta": 8}, estimate=0.01234)
    assert sentences.sentence(finding) == "Gap {size} is 0.012 for a more random ranking (beta 8)."
    assert verdicts.reason(finding) == "No limit was set, so there is no verdict."


def test_a_registered_measure_without_its_details_falls_back(make):
    assert sentences.sentence(make.ratio(details={})).startswith(
        "Worst ratio is 69% for creator age (63 to 75%"
    )


def test_each_verdict_says_why(make):
    assert verdicts.reason(make.penalty()) == "The whole interval lies beyond the limit."
    assert verdicts.reason(make.penalty(0.05, 0.04, 0.06)) == "The whole interval lies within the limit."
    undecided = "Not decided. The interval reaches both sides of the limit. "
    assert verdicts.reason(make.penalty(0.09, 0.05, 0.16)) == (
        f"{undecided}It is not known how much more would decide."
    )
    more = MoreData(times=22.1, low=2.4, of="rows in all logs")
    assert verdicts.reason(make.penalty(0.09, 0.05, 0.16, more_data=more)) == (
        f"{undecided}About 2.4 to 22 times as many rows in all logs would probably decide it; more, if the "
        "truth is nearer to the limit than the estimate."
    )
    wide = MoreData(times=55.0, low=1.7, of="rows in all logs")
    assert verdicts.reason(make.penalty(0.09, 0.05, 0.16, more_data=wide)) == (
        f"{undecided}It would take at least 1.7 times as many rows in all logs, and perhaps 55 times as "
        "many, to decide it; more, if the truth is nearer to the limit than the estimate."
    )
    assert verdicts.reason(make.penalty(None)) == "There is no estimate, so nothing can be said either way."


def test_what_the_data_cannot_speak_about_is_not_cured_by_more_data(make):
    blind = Exclusion(what="creators aged 65+", count=41, why="no random positives", unidentified=True)
    finding = make.penalty(0.05, 0.04, 0.06, excluded=(blind,))
    assert verdicts.reason(finding) == (
        "Not decided. The data cannot speak about creators aged 65+ (no random positives); "
        "only data about it can."
    )
    assert verdicts.exclusion(blind).endswith("The data cannot speak about this.")


def test_inconclusive_without_an_interval_or_exactly_at_the_tolerance(make):
    assert "no interval" in verdicts.reason(make.penalty(interval=None))
    assert "is not known" in verdicts.reason(make.penalty(1 / 9, 0.05, 0.2))


def test_not_applicable_gives_the_first_warning(make):
    finding = make.utility("65+", None, warnings=("no random positives.",))
    assert sentences.sentence(finding) == (
        "Relative utility, creators aged 65+: could not be computed (no random positives)."
    )


def test_a_bound_never_looks_equal_to_the_tolerance(make):
    """0.1113 and 1/9 are both 11%; the reader must see on which side the bound lies."""
    said = sentences.sentence(make.penalty(0.154, 0.1113, 0.187))
    assert "(11.13 to 19%; limit 11.11%)" in said


def test_a_small_bound_is_not_shown_as_zero_and_an_exact_zero_is(make):
    assert "(0.4 to 19%;" in sentences.sentence(make.penalty(0.1, 0.004, 0.187))
    assert "(0 to 19%;" in sentences.sentence(make.penalty(0.1, 0.0, 0.187))


def test_a_bound_just_below_zero_is_told_from_zero(make):
    assert "(0.2 to 24%;" in sentences.sentence(make.utility("women", -0.124, -0.243, -0.002))


def test_headline_of_one_violation(make):
    findings = [make.utility("18-24", -0.232, -0.281, -0.181)] + [
        make.utility(str(number), 0.01, -0.02, 0.03) for number in range(4)
    ]
    assert summary.headline(findings) == (
        "1 of 5 checks is beyond its limit: liked items by 18-24-year-olds are shown 23% less often than "
        "average (18 to 28%; limit 11%)."
    )


def test_headline_names_the_worst_served_group_of_several(make):
    findings = [
        make.penalty(),
        make.utility("a", 0.9, 0.8, 1.0),
        make.utility("b", -0.2, -0.25, -0.15),
        make.utility("c", -0.4, -0.45, -0.35),
    ]
    assert summary.headline(findings).startswith(
        "4 of 4 checks are beyond their limits, among them: liked items by creators with age c are shown 40% "
        "less often"
    )


def test_inconclusive_is_never_worded_as_a_pass(make):
    undecided = make.penalty(0.09, 0.05, 0.16)
    alone = summary.headline([undecided])
    mixed = summary.headline([undecided, make.penalty(0.05, 0.04, 0.06)])
    assert "That is not a pass." in alone
    assert "What is not decided is not a pass." in mixed
    for said in (alone, mixed):
        assert not said.startswith("All")


def test_all_within_tolerance_is_not_declared_fair(make):
    said = summary.headline([make.penalty(0.05, 0.04, 0.06)] * 2)
    assert said.startswith("All 2 checks are within their limits.")
    assert said.endswith("it does not show that the system is fair.")


def test_without_tolerances_there_are_no_verdicts(make):
    assert summary.headline([make.equality()]) == ("No limit was set, so there is 1 finding and no verdict.")
    assert summary.headline([make.equality()] * 2).endswith("there are 2 findings and no verdicts.")
    assert summary.headline([]) == "There are no findings."


def test_what_the_counts_leave_out_is_said(make):
    hidden = make.utility("x", None, state="suppressed", warnings=("fewer than 5 rows in this group",))
    notes = summary.asides([make.penalty(), make.equality(), hidden])
    assert notes == [
        "1 other number has no limit.",
        "1 finding is not shown: a group is very small, or one would follow from it. Merge small groups, or "
        "take more data.",
    ]


def test_only_what_was_counted_is_said_to_be():
    """An interval of one number may also come from data that are all alike."""
    said = {}
    for method in ("counted, not estimated: every user", "order statistics"):
        exact = Interval(low=0.1, high=0.1, level=0.95, method=method, validity="exact")
        finding = short(audit="a", measure="share", estimate=0.1, interval=exact, tolerance=0.2)
        said[method.split(",")[0]] = sentences.sentence(finding), verdicts.reason(finding)
    assert said["counted"] == (
        "Share is 0.10 (counted; limit 0.2).",
        "The number was counted, and lies within the limit.",
    )
    assert "(0.10 to 0.10; limit 0.2)" in said["order statistics"][0]
    assert said["order statistics"][1] == "The whole interval lies within the limit."


def test_a_key_result_is_not_said_again_of_each_group():
    everybody = short(audit="envy", measure="average_envy", estimate=0.1, details={"mean_utility": 0.5})
    group = everybody.amended(about={"users": {"shift": "night"}})
    assert summary.key_results([everybody, group]) == [everybody]
    assert "would give users with shift night 20% more on average: 0.10 on top of 0.5" in sentences.sentence(
        group
    )
