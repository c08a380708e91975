"""Numbers of an audit in sentences."""

from __future__ import annotations

import pytest

from evenhand.service.showing import audit_words as words
from evenhand.service.showing import claims, cost_words, durations
from evenhand.service.showing.arms import arms, reach

ASKED = {
    "epsilon": 0.05, "delta": 0.05, "alpha": 0.2, "gamma": 0.1, "lambda_": 0.1, "criterion": "exact",
    "population": 12, "budget": None, "daily": None, "dropouts": 0, "deadline_s": 3600.0, "grace_s": 60.0,
    "window_s": 360.0, "unshown": "compare",
}  # fmt: skip


def view(**more):
    counts = {"envy": 0, "no_envy": 0, "inconclusive": 0} | more.pop("outcomes", {})
    told = {
        "outcome": None, "checkable": True, "reason": None, "paused": False, "named": True, "targets": 12,
        "decided": 0, "undecided": 0, "deleted": 0, "outcomes": counts,
        "asked": ASKED | more.pop("asked", {}), "policies_each": 11, "visits": 1_200, "unshown": 0,
        "open": 0, "cost": 1.44, "cost_share": 0.12, "left_out": 0, "others": {"shown": 400},
        "margin": {"least": 0.4, "of": 7}, "began_at": 0.0, "last_at": 7_200.0,
        "expected": None, "reward": "a click", "version": None, "series": None, "link": None,
    }  # fmt: skip
    return told | more


def sample(**more):
    """Of a population of which some are tried against some."""
    asked = {"criterion": "probabilistic", "population": 40, "epsilon": 0.2, "gamma": 0.2}
    return view(asked=asked | more.pop("asked", {}), **more)


@pytest.mark.parametrize(
    ("told", "said"),
    [
        (
            view(decided=3, undecided=1),
            "Not decided yet: 3 of the 12 people are decided, and for each of them none of the 11 others is "
            "better by more than 0.05. Of the other 8 nothing can be said yet. The audit of one person ended "
            "without a decision.",
        ),
        (view(), "Nothing can be said yet: none of the 12 people is decided."),
        (view(paused=True), "The audit is paused: everybody gets their own recommendations."),
        (view(named=False), "Nobody is asked yet: the people who were drawn have not been named."),
        (
            view(outcome="envy", outcomes={"envy": 1}),
            "At least one person would be better off with another's recommendations. The probability that "
            "this is wrong is at most 5%. 11 people were not decided, since an audit stops at the first",
        ),
        (
            view(outcome="no_envy", outcomes={"no_envy": 12}),
            "None of the 12 people would be better off with another's recommendations by more than 0.05. "
            "The probability that this is wrong is at most 5%.",
        ),
        (
            sample(outcome="no_envy", outcomes={"inconclusive": 2}),
            "At most 10% of users would be better off by more than 0.2 with the recommendations of more than "
            "20% of others. The probability that this is wrong is at most 5%. Of 40 users 12 were drawn and "
            "tried, each against 11 of 39 others. What was not tried may be better for anybody, by any "
            "amount. The audits of 2 people ended without a decision, as was planned for.",
        ),
        (
            view(outcome="inconclusive", reason="Ended by hand."),
            "Nothing is certified: the audit ended before",
        ),
    ],
)
def test_the_outcome_is_a_sentence_about_people(told, said):
    assert " ".join(words.outcome(told)).startswith(said)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (1, "1 second"), (45, "45 seconds"), (60, "1 minute"), (90, "90 seconds"), (3600, "1 hour"),
        (5400, "90 minutes"), (7200, "2 hours"), (9000, "2.5 hours"), (86_400, "1 day"),
        (100_000, "28 hours"), (0.5, "0.5 seconds"), (864_000, "10 days"),
    ],
)  # fmt: skip
def test_times_are_said_in_the_largest_unit_that_fits(seconds, said):
    assert durations.span(seconds) == said


@pytest.mark.parametrize(
    ("told", "said"),
    [
        (view(), "1,200 visits in 2 hours, about 10 a minute."),
        (view(visits=6), "6 visits in 2 hours, about 3 an hour."),
        (view(last_at=30.0), "1,200 visits in less than a minute."),
        (view(began_at=None), "Nobody has been served yet."),
        (view(visits=0), "Nobody has been served yet."),
        (view(visits=0, outcome="inconclusive"), "Nobody was served."),
        (
            view(visits=0, outcome="inconclusive", deleted=1),
            "Of those who were not deleted nobody was served.",
        ),
    ],
)
def test_the_pace_is_that_of_all_people(told, said):
    assert durations.pace(told) == said


def test_what_is_expected_takes_as_long_as_the_pace_and_the_day_allow():
    steps = {"nobody_better_off": 1_000, "another_is_better": 100, "own_is_better": None}
    known = {"steps_a_user": steps, "days": dict.fromkeys(steps)}
    rows = durations.expected(view(expected=known))  # a person is served every 72 seconds
    assert [row["takes"] for row in rows] == ["about 20 hours", "about 2 hours", "–"]
    assert rows[2]["visits"] == "more than 20 million"
    assert rows[1]["if"] == "another's recommendations are better by 0.1"
    known = known | {"days": {"nobody_better_off": 50.0, "another_is_better": 5.0, "own_is_better": None}}
    rows = durations.expected(view(expected=known))
    assert [row["takes"] for row in rows] == ["about 50 days", "about 5 days", "–"]


@pytest.mark.parametrize(
    ("cost", "short", "said"),
    [
        (
            74.7,
            "75 rewards lost",
            "So far about 75 rewards fewer than their own recommendations "
            "would have given, which is about 12% of that. A reward is: a click.",
        ),
        (1.44, "1.4 rewards lost", "So far about 1.4 rewards fewer than"),
        (-2.0, "2.0 rewards gained", "So far about 2.0 rewards more than"),
        (0.01, "about none", "So far about as many rewards as"),
        (None, "–", "Nothing is known yet"),
    ],
)
def test_the_cost_says_who_lost_what(cost, short, said):
    told = view(cost=cost)
    assert cost_words.cost_in_short(told) == short
    assert cost_words.cost(told).startswith(said)


def test_the_cost_says_what_it_takes_to_be_as_the_rest():
    out = "What came of 390 of the 400 visits with others' recommendations, whose blocks"
    taken = "is taken to be as the rest"
    assert f"{out} wait for a reward, {taken}." in cost_words.cost(view(left_out=390))
    assert f"{out} wait for a reward, is not known." in cost_words.cost(view(left_out=390, cost=None))
    ended = cost_words.cost(view(left_out=390, outcome="envy"))
    assert ended.startswith("About 1.4 rewards fewer")
    assert f"{out} were not settled then, {taken}." in ended
    assert "What came of" not in cost_words.cost(view())
    assert "which is less than 1% of that" in cost_words.cost(view(cost_share=0.004))
    assert cost_words.cost(view(cost=None, outcome="inconclusive")) == "Nothing is known of what it cost."


def test_who_was_deleted_may_have_been_served():
    assert cost_words.margin(view(margin=None)) == "Nobody has been served."
    said = "Of those who were not deleted nobody has been served."
    assert cost_words.margin(view(margin=None, deleted=2)) == said


def test_the_margin_names_somebody_only_where_one_is_closest():
    assert cost_words.margin(view()).startswith("Everybody has at least 80%")
    assert "person 7 is closest" in cost_words.margin(view())
    together = cost_words.margin(view(margin={"least": 0.0, "of": None}))
    assert together == "Everybody has at least 80% of what their own recommendations would give."
    for least in (-0.1, None):
        assert "not certain" in cost_words.margin(view(margin={"least": least, "of": 7}))


def policy(of, low, high, state="open", estimate=0.0):
    return {"of": of, "low": low, "high": high, "estimate": estimate, "state": state}


def person(*policies):
    return {"number": 3, "policies": list(policies)}


def test_pictures_reach_as_far_as_what_is_known_does_and_share_a_scale():
    wide, narrow = person(policy(1, -0.3, 0.42)), person(policy(1, -0.02, 0.03))
    assert reach([wide, narrow], 0.05) == 0.5
    assert reach([narrow], 0.05) == 0.1
    assert reach([person(policy(1, -1.0, 1.0))], 0.05) == 1.0  # nothing is known


def test_a_picture_has_a_row_a_policy_that_lies_where_its_limits_are():
    drawn = arms(
        person(
            policy(7, 0.05, 0.2, "better", 0.1), policy(2, -1.0, 1.0, estimate=None), policy(9, -0.5, 0.0)
        ),
        0.05,
        0.25,
    )
    better, unknown, cut = drawn.rows
    assert (better.label, better.state) == ("person 7", "better")
    assert drawn.own < better.low < better.high
    assert better.low == drawn.limit
    assert unknown.state == "unknown"
    assert unknown.estimate is None
    assert cut.caps == (drawn.own,)  # the other limit is beyond the picture
    assert "Those of person 7 give more: 0.05 to 0.20." in drawn.description
    assert "Of 1 nothing is known yet." in drawn.description


def test_who_was_deleted_has_no_picture():
    assert arms({"number": 1, "policies": []}, 0.05, 1.0) is None


def test_what_differs_by_policy_is_said_of_whom():
    told = view(in_doubt={"missing": [3], "withdrawn": []})
    assert words.cautions(told) == [
        "Rewards seem to be missing more often under some policies than others, for person 3; while "
        "that is so nothing is claimed of them."
    ]
    assert "for 2 people;" in words.cautions(view(in_doubt={"missing": [], "withdrawn": [1, 2]}))[0]


def test_only_where_everybody_was_tried_against_everybody_nobody_is_better_off():
    assert words.state(view(outcome="no_envy")) == "nobody better off"
    assert words.state(sample(outcome="no_envy")) == "nobody found in a sample"
    found = {"deleted": False, "opted_out": False, "outcome": "no_envy", "policies": [], "visits": 1}
    assert words.person(sample(), found) == "None of the 11 others tried is better by more than 0.2."
    assert words.person(view(), found) == "None of the 11 others is better by more than 0.05."
    assert words.person(view(policies_each=1), found) == "The other is not better by more than 0.05."
    assert claims.of_one(sample(), "no_envy") == "none better of 11 tried"
    assert claims.of_one(view(), "no_envy") == "not better off"
    assert "for each of them none of the 11 others tried is better" in words.outcome(sample(decided=2))[0]


def test_what_was_agreed_is_what_the_audit_can_claim():
    told = dict(words.asked(sample()))
    assert told["Who is asked"] == "Of 40 users 12 are drawn and tried, each against 11 of 39 others."
    assert told["Better off"].endswith(
        "is not if none of the 11 others tried is better by more than 0.2; a reward goes from 0 to 1."
    )
    assert told["Claimed if nobody is found"] == (
        "At most 10% of users would be better off by more than 0.2 with the recommendations of more than 20% "
        "of others. It does not claim that nobody would."
    )
    everybody = dict(words.asked(sample(targets=40, policies_each=39)))
    assert everybody["Who is asked"] == "All 40 users are tried, each against all 39 others."
    exact = dict(words.asked(view()))["Claimed if nobody is found"]
    assert exact.startswith("None of the 12 people would be better off")
    assert "does not claim" not in exact


def test_the_error_is_of_the_outcome_and_not_of_all_limits_together():
    said = dict(words.asked(view()))["Error"]
    assert said.startswith(
        "At most 5% that the outcome of the whole audit is wrong or that the limit to harm"
    )
    assert "Limits of a single policy" in said
    assert "hold each for itself: of many such some may be wrong." in said


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"window_s": None}, "What is assigned counts as shown."),
        ({}, "must also hold with all of it as 0, and with all of it as 1."),
        ({"unshown": "again"}, "It is taken to be as what was shown."),
        ({"unshown": None}, "It is taken to be as what was shown."),  # of an audit that could not be asked
    ],
)
def test_what_is_thought_of_what_was_never_shown(asked, said):
    assert dict(words.asked(view(asked=asked)))["Shown"].endswith(said)
