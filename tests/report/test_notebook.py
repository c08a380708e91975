"""A notebook shows the answers, or one question; never scripts."""

from __future__ import annotations

from html import unescape

import pytest

from evenhand.errors import InputError
from evenhand.results import AuditResult


def result(document):
    return AuditResult(document.findings, version="1", scope=document.scope)


def test_answers_are_those_of_the_terminal(make):
    shown = result(make.typical())._repr_html_()
    for said in ("Do creators get equal opportunity?", "creators aged 18-24", "23% less often"):
        assert said in shown


def test_one_question_with_its_parts(make):
    card = result(make.typical()).card("creators")
    for told in (str(card), unescape(card._repr_html_())):
        assert "Do creators get equal opportunity?" in told
        assert "Did the change help?" in told


def test_a_question_that_was_not_asked_is_refused(make):
    with pytest.raises(InputError, match="no question 'envy' here; asked were: creators"):
        result(make.typical()).card("envy")


def test_names_are_text(make):
    hostile = result(make.hostile())
    for shown in (
        hostile._repr_html_(),
        *(hostile.card(a.question)._repr_html_() for a in hostile.questions),
    ):
        assert "<script" not in shown
        assert "<img" not in shown


def test_200_groups_are_no_longer_than_three(make):
    few, many = (len(result(make.crowded(groups))._repr_html_()) for groups in (3, 200))
    assert many < 1.3 * few


def test_a_picture_of_a_question_or_of_a_finding(make):
    shown = result(make.typical())
    assert shown.picture("creators").to_dict()["layer"]
    with pytest.raises(InputError, match="nothing"):
        shown.picture("nothing")
