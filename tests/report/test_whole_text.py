"""The terminal: the same sentences, in 80 columns and without colour."""

from __future__ import annotations

import io
import re

from rich.console import Console

from evenhand.documents import Document
from evenhand.report.pages import html, whole_text
from evenhand.report.words import sentences, summary, verdicts
from evenhand.results import AuditResult


def flowing(page: str) -> str:
    """The text without the line breaks, so that sentences can be found in it."""
    return re.sub(r"\s+", " ", page)


def test_sentences_are_those_of_the_report(make):
    document = make.typical()
    page = flowing(whole_text.plain(document))
    assert summary.headline(document.findings) in page
    for finding in document.findings:
        if "group" not in finding.subject:
            assert sentences.sentence(finding) in page
            assert verdicts.reason(finding) in page
        for said in (*finding.assumptions, *finding.warnings):
            assert said in page


def test_it_fits_80_columns_without_colour(make):
    for document in (make.typical(), make.crowded(), make.hostile()):
        page = whole_text.plain(document)
        assert max(len(line) for line in page.splitlines()) <= 80
        assert "\x1b" not in page
        assert "…" not in page


def test_verdicts_are_words_and_shapes(make):
    page = whole_text.plain(make.typical())
    for verdict, shape in verdicts.SHAPES.items():
        assert f"{shape} {verdicts.WORDS[verdict]}" in page.replace("\N{NO-BREAK SPACE}", " ")


def test_a_warning_about_all_is_said_once_and_one_about_a_group_with_its_table(make):
    findings = (
        make.penalty(warnings=("about all",)),
        make.utility("a", -0.2, -0.25, -0.15, warnings=("about all", "about a")),
        make.utility("b", 0.0, -0.05, 0.05, warnings=("about all",)),
    )
    page = whole_text.plain(Document(findings=findings, version="1"))
    assert page.count("Take care: about all") == 1
    assert page.count("Take care: about a\n") == 1


def test_names_are_not_markup(make):
    assert "[red]markup[/" in whole_text.plain(make.hostile())


def test_many_groups_are_cut_and_said_to_be(make):
    page = whole_text.plain(make.crowded())
    assert "and 48 more" in page
    assert page.count("region-") < 40


def test_colour_on_a_terminal_that_has_it(make):
    page = io.StringIO()
    Console(file=page, width=80, force_terminal=True, color_system="standard").print(
        whole_text.render(make.typical())
    )
    assert "\x1b[1;31m" in page.getvalue()


def test_positive_rows_stand_beside_all_rows(make):
    """How many rows are liked decides what can be told, more than how many there are."""
    one = make.utility("a", 0.2, 0.1, 0.3, n=400)
    counts = one.details["positives_default"], one.details["positives_random"]
    other = make.utility("b", -0.2, -0.3, -0.1, n=900)
    result = AuditResult((one, other))
    said = f"{counts[0]:,}+{counts[1]:,}"
    lines = whole_text.plain(result.document).splitlines()
    header = next(place for place, line in enumerate(lines) if "Rows" in line)
    column = [line.split("Rows")[-1].split()[:2] for line in lines[header - 2 : header + 1]]
    assert column == [["Liked", "in"], ["default"], ["+", "random"]]  # what the two numbers are
    assert any(said in line for line in lines)
    page = html.render(result.document)
    assert ">Liked in default + random</th>" in page
    assert f'<td class="number">{said}</td>' in page
    frame = result.to_frame()
    assert frame[["n", "positives_default", "positives_random"]].iloc[0].tolist() == [400, *counts]
    assert "positives" not in frame.columns
