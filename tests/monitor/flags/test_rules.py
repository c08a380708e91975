"""Which findings a rule follows, and which of them raise its flag."""

from __future__ import annotations

import pytest

from evenhand.findings import Exclusion
from evenhand.monitor.flags.rules import condition, follows, said
from evenhand.plan.watched.monitoring import FlagRule
from monitor.followed import BAD, GOOD, NOTHING, RULE, UNSURE, penalty


def rule(**given):
    return FlagRule.model_validate({**RULE, **given})


@pytest.mark.parametrize(
    ("given", "fits"),
    [
        ({"measure": "reo_penalty"}, True),
        ({"measure": "reo"}, False),
        ({"audit": "opportunity"}, True),
        ({"audit": "groups"}, False),
        ({"audit": "groups", "measure": "reo_penalty"}, False),
        ({"id": "opportunity.reo_penalty/by:creators=creator_age"}, True),
        ({"id": "opportunity.*"}, True),
        ({"id": "*age"}, True),
        ({"id": "*creator?age"}, True),
        ({"id": "opportunity"}, False),
        ({"id": "[o]pportunity.*"}, False),
    ],
)
def test_what_a_rule_follows(given, fits):
    assert follows(FlagRule(name="x", **given), penalty(BAD)) is fits


@pytest.mark.parametrize(
    ("given", "limits", "says"),
    [
        ({}, BAD, "raises"),
        ({}, GOOD, "clears"),
        ({}, UNSURE, "undecided"),
        ({}, NOTHING, None),
        ({"when": "inconclusive"}, UNSURE, "raises"),
        ({"when": "inconclusive"}, BAD, "clears"),
        ({"when": "not_applicable"}, NOTHING, "raises"),
        ({"when": "not_applicable"}, GOOD, "clears"),
        ({"when": ["violation", "not_applicable"]}, NOTHING, "raises"),
        ({"above": 0.15}, BAD, "raises"),
        ({"above": 0.2}, BAD, "undecided"),  # a bound that touches the value is not beyond it
        ({"above": 0.25}, BAD, "undecided"),  # the estimate alone would be just there
        ({"above": 0.3}, BAD, "clears"),
        ({"above": 0.15}, NOTHING, None),
        ({"below": 0.06}, GOOD, "raises"),
        ({"below": 0.05}, GOOD, "undecided"),
        ({"below": 0.2}, BAD, "clears"),
    ],
)
def test_what_a_look_says_of_a_flag(given, limits, says):
    assert said(rule(**given), penalty(limits)) == says


def test_what_is_in_doubt_says_nothing_about_a_value():
    doubted = penalty(BAD).amended(doubts=("The random log is not random.",))
    assert said(rule(above=0.1), doubted) is None
    assert said(rule(), doubted) == "undecided"


def test_without_a_limit_there_is_no_all_clear():
    assert said(rule(), penalty(GOOD).amended(tolerance=None)) is None


def test_harm_may_hide_in_what_is_not_known():
    hidden = Exclusion(what="rows", count=3, why="no group", unidentified=True)
    assert said(rule(when="inconclusive"), penalty(GOOD).amended(excluded=(hidden,))) == "raises"


def test_a_rule_is_another_when_it_asks_something_else():
    asked = {condition(rule(**given)) for given in ({}, {"when": "violation"}, {"when": ["violation"]})}
    assert len(asked) == 1
    others = [{"above": 0.1}, {"below": 0.1}, {"open_after": 2}, {"close_after": 2}, {"id": "*"}]
    assert len({condition(rule(**given)) for given in others} | asked) == 6
    assert condition(rule(then="x", tell=["y"])) in asked
