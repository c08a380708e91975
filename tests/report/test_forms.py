"""A result for builds: Markdown for a summary page, and a test report."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from evenhand.report.pages import junit, markdown
from evenhand.results import AuditResult

FAIR = {"estimate": 0.0, "low": -0.02, "high": 0.02}
WORSE = {"estimate": -0.3, "low": -0.4, "high": -0.2}
OPPORTUNITY = "Do creators get equal opportunity, given what users like?"
CHANGE = "Does a change to the system change who gets opportunity?"
UNSURE = {"estimate": -0.1, "low": -0.2, "high": 0.0}


def document(*findings, **scope):
    return AuditResult(findings, version="1", scope=scope).document


def cases(text):
    """Each test case by its name, with the tag that says how it ended."""
    suites = ElementTree.fromstring(text)
    assert suites.tag == "testsuites"
    (suite,) = suites
    numbers = {tag: len(suite.findall(f"testcase/{tag}")) for tag in ("failure", "error", "skipped")}
    assert suite.attrib["tests"] == str(len(suite))
    assert (suite.attrib["failures"], suite.attrib["errors"], suite.attrib["skipped"]) == tuple(
        str(number) for number in numbers.values()
    )
    for case in suite:
        assert case.tag == "testcase"
        assert {"name", "classname"} <= case.attrib.keys()
        assert {child.tag for child in case} <= {"failure", "error", "skipped", "system-out"}
    return {case.attrib["name"]: next(iter(case)).tag for case in suite}


@pytest.mark.parametrize(
    ("values", "strict", "tag"),
    [
        (WORSE, False, "failure"),
        (FAIR, False, "system-out"),
        (UNSURE, False, "skipped"),
        (UNSURE, True, "failure"),
        ({"estimate": None}, False, "error"),
    ],
)
def test_a_question_is_a_test_case(make, values, strict, tag):
    told = document(make.utility("a", **values))
    assert cases(junit.render(told, undecided_fails=strict)) == {OPPORTUNITY: tag}


def test_parts_are_test_cases_of_their_own(make):
    told = document(
        make.utility("a", **WORSE), make.difference(estimate=0.1, interval=make.interval(0.05, 0.15))
    )
    assert cases(junit.render(told)) == {
        OPPORTUNITY: "failure",
        CHANGE: "failure",
    }


def test_a_test_case_has_one_name_whatever_else_is_in_the_plan(make):
    """A build follows it by its name."""
    for told in ((make.difference(),), (make.difference().amended(tolerance=None),)):
        assert list(cases(junit.render(document(*told)))) == [CHANGE]
    of = (make.utility("a", **FAIR), make.penalty(0.0, 0.0, 0.02, audit="parity", measure="rsp_penalty"))
    alone = {name for finding in of for name in cases(junit.render(document(finding)))}
    assert len(alone) == 2
    assert cases(junit.render(document(*of))).keys() == alone


def test_what_xml_has_no_room_for_is_left_out(make):
    for world in (make.hostile(), make.typical(), make.crowded()):
        whole = AuditResult(world.findings, version="1", scope=world.scope).document
        assert cases(junit.render(whole))


def test_markdown_is_a_short_page_in_which_names_are_text(make):
    world = make.hostile()
    long = make.utility("x" * 10_000, **WORSE)
    told = markdown.render(
        AuditResult((*world.findings, long), version="1", scope={"title": "<b>|*bold*"}).document
    )
    assert len(told) < 8_000
    assert "<script" not in told
    assert "<b>" not in told
    for line in told.splitlines():
        if line.startswith("|"):
            assert line.replace("\\|", "").count("|") == 5


def test_markdown_says_who_how_much_and_what_to_do(make):
    told = markdown.render(document(make.utility("18-24", **WORSE), make.utility("25-34", **FAIR)))
    for part in ("Do creators get equal opportunity?", "30% less often", "limit 11%"):
        assert part in told
