"""The page: safe, complete, the same every time, and sufficient in itself."""

from __future__ import annotations

import csv
import io
import re
from typing import Any

import pytest

from dom import Element, parsed, pictures, words
from evenhand.documents import Document
from evenhand.findings import Finding, Interval
from evenhand.report.pages import html
from evenhand.report.pages.anchors import anchor
from evenhand.report.reading.read import read
from evenhand.report.words import sentences, verdicts
from evenhand.report.words.legible import legible
from evenhand.results import AuditResult


def charts(page: Element) -> list[dict[str, Any]]:
    return [picture["specification"] for picture in pictures(page).values()]


def is_folded(element: Element) -> bool:
    return any(around.tag == "details" for around in element.around())


def points(chart: dict[str, Any]) -> list[dict[str, Any]]:
    return [point for values in chart["datasets"].values() for point in values if "label" in point]


def test_equal_documents_give_equal_pages(make):
    assert html.render(make.typical()) == html.render(make.typical())


def test_the_page_asks_for_nothing_from_outside(make):
    page = parsed(html.render(make.typical()))
    for element in page.walk():
        for name in ("src", "href", "data", "srcset", "action"):
            address = element.attributes.get(name)
            assert address is None or address.startswith(("#", "data:")), (element.tag, address)
    assert not any(re.search(r"@import|url\(", one.text) for one in page.all("style"))


def test_the_first_screen_has_the_answer_to_every_question(make):
    document = make.associated()
    reading = read(document)
    page = parsed(html.render(document))
    (header,) = page.all("header")
    said = words(header)
    for line in reading.overall:
        assert line.text in said
    for card in reading.cards:
        assert card.title in said
        assert verdicts.WORDS[card.verdict] in said
        assert card.next_step in said
        for row in card.rows:
            assert row.how_much in said


def test_a_question_is_a_card_with_one_picture_and_its_parts(make):
    page = parsed(html.render(make.typical()))
    (card,) = page.all("section", id="creators")
    unfolded = [one for one in card.having("data-chart") if not is_folded(one)]
    # That of the answer, and that of its one part.
    assert len(unfolded) == 2
    assert [one.text for one in card.all("h3", id="creators.compare-title")] == ["Did the change help?"]


def test_every_finding_is_on_the_page_in_its_own_words(make):
    document = make.typical()
    said = words(parsed(html.render(document)))
    for finding in legible(document).findings:
        if "group" not in finding.subject:
            assert sentences.sentence(finding) in said
        for text in (*finding.assumptions, *finding.warnings):
            assert text in said
    rows = said[said.index("Every finding") :]
    assert rows.count("Relative utility") == 6
    for fingerprint in document.inputs.values():
        assert fingerprint.sha256 in said


def test_assumptions_and_warnings_stand_once_and_cards_refer_to_them(make):
    everywhere, once = "rows are taken as independent", "this group changed its name"
    findings = (
        make.penalty(warnings=(everywhere,)),
        make.ratio(warnings=(everywhere,)),
        make.utility("a", -0.2, -0.25, -0.15, warnings=(everywhere, once)),
        make.utility("b", 0.0, -0.05, 0.05, warnings=(everywhere,)),
        make.utility("c", None, warnings=("no random positives",)),
        make.difference(warnings=(everywhere,)),
    )
    page = parsed(html.render(AuditResult(findings, version="1").document))
    said = words(page)
    for text in (everywhere, once, *findings[0].assumptions):
        assert said.count(text) == 1, text
    (first,) = page.all("li", id="assumption-1")
    assert findings[0].assumptions[0] in first.text
    assert len([link for link in page.all("a") if link["href"] == "#assumption-1"]) == 2


def test_a_suppressed_number_is_said_to_be_hidden_and_why(make):
    findings = (
        make.utility("a", 0.0, -0.02, 0.02, n=4000),
        make.utility("b", 0.0, -0.02, 0.02, n=5000),
        make.utility("tiny", 0.3, 0.2, 0.4, n=3),
        make.utility("small", 0.3, 0.2, 0.4, n=4),
    )
    published = AuditResult(findings, version="1").published()
    hidden = [finding.id for finding in published.findings if finding.state == "suppressed"]
    page = parsed(html.render(published.document))
    assert hidden
    for name in hidden:
        (row,) = page.all("tr", id=anchor(name))
        assert "not shown" in row.text
        assert row.all("abbr")[0]["title"]
    assert "not shown: a group is very small" in words(page.all("header")[0])


def test_people_are_followed_through_all_questions(make):
    page = parsed(html.render(make.typical()))
    (table,) = (one for one in page.all("table") if "people" in one.classes)
    assert table.all("button")[0].text == "Creators aged 18-24"
    (opened,) = table.all("tr", id="people-1")
    assert {one["data-finding"] for one in opened.having("data-finding")} == {
        finding.id for finding in make.typical().findings if finding.subject.get("group") == "18-24"
    }


def test_a_column_of_groups_has_one_kind_of_number_and_says_which():
    """A gap gives its verdict to the group that it names, never its number: that would be read as a mean."""
    by = {"users": ["tongue"]}
    gap = Finding(
        audit="groups", measure="confirmed_gap", about={"by": by, "metric": "mrr"}, estimate=0.3,
        interval=Interval(low=0.26, high=0.38, level=0.95, method="t"), tolerance=0.05,
        details={"halves": [{"lowest": "tr", "highest": "de"}] * 2, "better": "higher"},
    )  # fmt: skip
    means = [
        Finding(audit="groups", measure="group_mean", about={"users": {"tongue": name}, "metric": "mrr"},
                estimate=size, interval=Interval(low=size - 0.02, high=size + 0.02, level=0.95, method="t"))
        for name, size in (("tr", 0.53), ("de", 0.83))
    ]  # fmt: skip
    document = AuditResult((gap, *means), version="1").document
    page = parsed(html.render(document))
    (table,) = (one for one in page.all("table") if "people" in one.classes)
    assert "Mean of the group, mrr" in words(table.all("thead")[0])
    rows = [words(row) for row in table.all("tr") if row.all("button")]
    assert rows[0].split("\n")[1:3] == ["Users with tongue tr", "◆beyond the limit: 0.530"]
    assert "0.83" in rows[1]


def test_many_groups_are_folded_and_their_findings_searched_for(make):
    page = parsed(html.render(make.crowded()))
    tables = [one for one in page.all("table") if "people" in one.classes]
    assert [len(table.all("button")) for table in tables] == [12, 48]
    assert [is_folded(table) for table in tables] == [False, True]


def test_names_from_users_stay_text(make):
    page = parsed(html.render(make.hostile()))
    said = words(page)
    assert "<script>alert(1)</script>" in said
    assert "{{ 7*7 }}" in said
    assert not page.all("img")
    assert not page.having("onerror")
    assert not any(script.text.startswith("alert") for script in page.all("script"))


def test_a_very_long_name_is_cut_and_stays_one_of_its_kind(make):
    long = "x" * 10_000
    findings = (make.utility(long, -0.3, -0.4, -0.2), make.utility(f"{long}y", 0.3, 0.2, 0.4))
    document = AuditResult(findings, version="1", scope={"title": long}).document
    page = parsed(html.render(document))
    readable = [text for text in re.split(r"\s", words(page)) if len(text) > 320]
    assert readable == []
    (table,) = (one for one in page.all("table") if "people" in one.classes)
    first, second = (one.text for one in table.all("button"))
    assert first != second


def test_a_closing_tag_in_a_name_does_not_end_the_chart(make):
    document = make.hostile()
    chart = charts(parsed(html.render(document)))[0]
    labels = {point["label"] for point in points(chart)}
    document = legible(document)
    assert labels == {finding.subject["group"] for finding in document.findings if "group" in finding.subject}


def test_charts_carry_the_numbers_of_the_findings_and_words_for_those_who_do_not_see(make):
    page = parsed(html.render(make.typical()))
    first = charts(page)[0]
    by_label = {point["label"]: point for point in points(first)}
    assert by_label["18-24"]["at"] == pytest.approx(-23.2)
    assert by_label["18-24"]["verdict"] == "violation"
    assert "65+" not in by_label
    alternatives = [one["aria-label"] for one in page.having("data-chart")]
    assert "18-24" in alternatives[0]


def test_the_data_of_a_picture_is_beside_it(make):
    page = parsed(html.render(make.typical()))
    rows = list(csv.DictReader(io.StringIO(pictures(page)["1"]["data"])))
    by_id = {finding.id: finding for finding in make.typical().findings}
    assert len(rows) == 5
    for row in rows:
        assert float(row["estimate"]) == pytest.approx(by_id[row["id"]].estimate, rel=1e-6)
        assert row["verdict"] == by_id[row["id"]].verdict


def test_without_charts_the_library_is_left_out(make):
    page = html.render(Document(findings=(make.equality(),), version="0.1.0"))
    assert len(page) < 100_000
    assert len(html.render(make.typical())) > 400_000


def test_two_groups_of_one_name_are_two_rows_of_the_picture(make):
    twins = (make.utility("x", -0.1, -0.2, 0.0), make.utility("x", 0.1, 0.0, 0.2))
    chart = charts(parsed(html.render(AuditResult(twins).document)))[0]
    assert [point["label"] for point in points(chart)] == ["x", "x (2)"]


def test_an_empty_result_has_a_page():
    assert "There are no findings." in html.render(Document(findings=(), version="0.1.0"))
