"""A result as a test report that builds read: what each audit found is a test case."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from evenhand.documents import Document
from evenhand.findings import Verdict
from evenhand.report.reading.model import Card, Part
from evenhand.report.reading.read import read
from evenhand.report.vocabulary.names import audit, question
from evenhand.report.words import verdicts

# What XML 1.0 has no room for, in whatever way it is written.
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(document: Document, *, undecided_fails: bool = False) -> str:
    """The document as JUnit's XML. What is not decided is skipped, or fails where that was asked for; what
    could not be computed is an error."""
    reading = read(document)
    suite = ElementTree.Element("testsuite", name=_said(reading.title))
    for card in reading.cards:
        _case(suite, card, card.verdict, card.main, undecided_fails)
        for part in card.parts:
            _case(suite, card, part.verdict, part, undecided_fails)
    for name, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(name, str(len(suite.findall(f"testcase/{tag}"))))
    suite.set("tests", str(len(suite)))
    suites = ElementTree.Element("testsuites")
    suites.append(suite)
    ElementTree.indent(suites)
    return ElementTree.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def _case(
    suite: ElementTree.Element,
    card: Card,
    verdict: Verdict | None,
    part: Part,
    undecided_fails: bool,
) -> None:
    # Named by its audit alone: the title of a card hangs on what else is in the plan, and builds follow a
    # test case by its name.
    name = question(part.audit) or audit(part.audit).title
    case = ElementTree.SubElement(
        suite, "testcase", classname=f"evenhand.{_said(card.question)}", name=_said(name), time="0"
    )
    said = _said(" ".join(line.text for line in part.lines))
    tag = _tag(verdict, undecided_fails)
    if tag is None:
        ElementTree.SubElement(case, "system-out").text = said
    else:
        told = ElementTree.SubElement(case, tag, message=verdicts.WORDS[verdict])
        if tag != "skipped":
            told.set("type", str(verdict))
        told.text = said


def _tag(verdict: Verdict | None, undecided_fails: bool) -> str | None:
    if verdict is Verdict.VIOLATION or (verdict is Verdict.INCONCLUSIVE and undecided_fails):
        return "failure"
    if verdict is Verdict.NOT_APPLICABLE:
        return "error"
    return "skipped" if verdict in (Verdict.INCONCLUSIVE, None) else None


def _said(text: str) -> str:
    return _FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text)
