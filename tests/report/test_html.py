"""The page: safe, complete, the same every time, and sufficient in itself."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import pytest

from evenhand.documents import Document
from evenhand.report.pages import html
from evenhand.report.words import sentences, summary
from evenhand.report.words.legible import legible
from evenhand.results import AuditResult


class Page(HTMLParser):
    """The elements of a page as a browser would see them, and the text outside scripts and styles."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.words = ""
        self._inside = ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag in ("script", "style"):
            self._inside = tag
            self.scripts.append("")

    def handle_endtag(self, tag):
        if tag == self._inside:
            self._inside = ""

    def handle_data(self, data):
        if self._inside:
            self.scripts[-1] += data
        else:
            self.words += data


def charts(page: Page) -> list[dict]:
    return [json.loads(script) for script in page.scripts if script.startswith("{")]


def points(chart: dict) -> list[dict]:
    return [point for values in chart["datasets"].values() for point in values if "label" in point]


def test_equal_documents_give_equal_pages(make):
    assert html.render(make.typical()) == html.render(make.typical())


def test_the_page_asks_for_nothing_from_outside(make):
    page = Page(html.render(make.typical()))
    for tag, attributes in page.elements:
        for name in ("src", "href", "data", "srcset"):
            address = attributes.get(name)
            assert address is None or address.startswith(("#", "data:")), (tag, address)
    assert not any(re.search(r"@import|url\(", script) for script in page.scripts if ":root" in script)


def test_every_finding_is_on_the_page_in_its_own_words(make):
    document = make.typical()
    page = Page(html.render(document))
    assert summary.headline(document.findings) in page.words
    for finding in document.findings:
        if "group" not in finding.subject:
            assert sentences.sentence(finding) in page.words
        for text in (*finding.assumptions, *finding.warnings):
            assert text in page.words
    rows = page.words[page.words.index("Every finding") :]
    assert rows.count("Relative utility") == 6
    for fingerprint in document.inputs.values():
        assert fingerprint.sha256 in page.words


def test_what_concerns_every_number_is_said_once_and_what_concerns_one_beside_it(make):
    everywhere, once = "rows are taken as independent", "this group changed its name"
    findings = (
        make.penalty(warnings=(everywhere,)),
        make.ratio(warnings=(everywhere,)),
        make.utility("a", -0.2, -0.25, -0.15, warnings=(everywhere, once)),
        make.utility("b", 0.0, -0.05, 0.05, warnings=(everywhere,)),
        make.utility("c", None, warnings=("no random positives",)),
    )
    said = Page(html.render(Document(findings=findings, version="1"))).words
    assert said.count(everywhere) == 1
    assert said.count(once) == 1
    assert (
        said.index("Take care with every number")
        < said.index(everywhere)
        < said.index("Opportunity penalty", said.index(everywhere))
    )


def test_names_from_users_stay_text(make):
    page = Page(html.render(make.hostile()))
    assert "<script>alert(1)</script>" in page.words
    assert "{{ 7*7 }}" in page.words
    assert not any(
        tag in ("img", "b", "i") and attributes for tag, attributes in page.elements if tag == "img"
    )
    assert not any("onerror" in attributes for _, attributes in page.elements)
    assert not any(script.startswith("alert") for script in page.scripts)


def test_a_closing_tag_in_a_name_does_not_end_the_chart(make):
    document = make.hostile()
    (chart,) = charts(Page(html.render(document)))
    labels = {point["label"] for point in points(chart)}
    document = legible(document)
    assert labels == {finding.subject["group"] for finding in document.findings if "group" in finding.subject}


def test_charts_carry_the_numbers_of_the_findings_and_words_for_those_who_do_not_see(make):
    document = make.typical()
    page = Page(html.render(document))
    first = charts(page)[0]
    by_label = {point["label"]: point for point in points(first)}
    assert by_label["18-24"]["at"] == pytest.approx(-23.2)
    assert by_label["18-24"]["verdict"] == "violation"
    assert "65+" not in by_label
    alternatives = [dict(a)["aria-label"] for _, a in page.elements if "data-chart" in a]
    assert "from 18-24 (−23%) to 35-44 (+12%)" in alternatives[0]
    assert first["description"] == alternatives[0]


def test_without_charts_the_library_is_left_out(make):
    page = html.render(Document(findings=(make.penalty(),), version="0.1.0"))
    assert len(page) < 100_000
    assert len(html.render(make.typical())) > 500_000


def test_two_groups_of_one_name_are_two_rows_of_the_picture(make):
    twins = (make.utility("x", -0.1, -0.2, 0.0), make.utility("x", 0.1, 0.0, 0.2))
    (chart,) = charts(Page(html.render(AuditResult(twins).document)))
    assert [point["label"] for point in points(chart)] == ["x", "x (2)"]


def test_an_empty_result_has_a_page():
    assert "There are no findings." in html.render(Document(findings=(), version="0.1.0"))


def test_identifiers_are_unique_and_links_lead_somewhere(make):
    for document in (make.typical(), make.crowded()):
        page = Page(html.render(document))
        identifiers = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
        assert len(identifiers) == len(set(identifiers))
        targets = {a["href"][1:] for tag, a in page.elements if tag == "a"}
        assert targets
        assert targets <= set(identifiers)
