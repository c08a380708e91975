"""Every number on the page is that of the finding which it names, and every finding is on the page."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

import pytest

from dom import Element, parsed
from evenhand.documents import Document, text_of
from evenhand.findings import Finding
from evenhand.report.pages import html
from evenhand.report.pages.anchors import anchor
from evenhand.report.vocabulary.names import measure
from evenhand.report.words.numbers import SCALES
from evenhand.results import AuditResult

NUMBER = re.compile(r"[−+]?\d+(?:,\d{3})*(?:\.\d+)?")
# Sentences may say a number of the finding's details, in any of the units in which numbers are shown.
IN_UNITS = (1, 100, 1e6)
# Places without numbers of findings: names, what was given, and numbers of rows.
NOT_FOUND = {"nav", "title", "h1", "code", "script", "style", "header"}


def numbers(text: str) -> list[tuple[float, float]]:
    """Each number in a text, with half a step of its last digit."""
    found = []
    for token in NUMBER.findall(text):
        plain = token.replace("−", "-").replace(",", "")
        decimals = len(plain.partition(".")[2])
        found.append((float(plain), 0.5 * 10**-decimals * (1 + 1e-6)))
    return found


def held(value, numeric, named):
    """All numbers in what a finding says, and all its text."""
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, int | float):
        numeric.append(float(value))
    elif isinstance(value, str):
        named.append(value)
    elif isinstance(value, dict):
        for key, inner in value.items():
            held(key, numeric, named)
            held(inner, numeric, named)
    elif isinstance(value, list | tuple):
        numeric.append(float(len(value)))
        for inner in value:
            held(inner, numeric, named)


@pytest.fixture(params=["typical", "crowded", "associated", "planned"])
def told(request, make):
    """A page, and the findings of the findings.json that is written with it, by id."""
    return page_of(getattr(make, request.param))


@cache
def page_of(made: Callable[[], Document]) -> tuple[Element, dict[str, Finding]]:
    document = made()
    written = AuditResult.from_json(text_of(document))
    return parsed(html.render(document)), {finding.id: finding for finding in written.findings}


def test_every_finding_has_a_place_of_its_own(told):
    page, findings = told
    places = [one["id"] for one in page.having("id")]
    assert len(places) == len(set(places))
    assert {anchor(name) for name in findings} <= set(places)


def test_every_link_leads_somewhere(told):
    page, _ = told
    places = {one["id"] for one in page.having("id")}
    links = [one["href"] for one in page.all("a")]
    assert links
    assert [link for link in links if link[:1] != "#" or link[1:] not in places] == []


def test_every_number_names_its_finding_or_says_what_else_it_is(told):
    page, _ = told
    silent = []
    for element in page.walk():
        own = "".join(child for child in element.children if isinstance(child, str))
        if not any(letter.isdigit() for letter in own):
            continue
        around = list(element.around())
        named = any({"data-finding", "data-about"} & one.attributes.keys() for one in around)
        listed = any("every" in one.classes for one in around)
        if not (named or listed or NOT_FOUND & {one.tag for one in around}):
            silent.append((element.tag, own.strip()))
    # Names of groups and titles of measures are no numbers.
    assert [one for one in silent if one[0] not in ("button", "a", "h2", "h3", "h4", "h5", "p", "th")] == []


def test_every_cell_is_the_number_of_its_finding(told):
    page, findings = told
    checked = 0
    for element in page.having("data-field"):
        field = element["data-field"]
        if field not in ("estimate", "interval", "tolerance", "n", "p_value"):
            continue
        finding = findings[element.nearest("data-finding")]
        checked += agrees(field, element.text, finding)
    assert checked >= len(findings) / 2


def test_every_row_of_the_appendix_is_its_finding(told):
    page, findings = told
    (table,) = (one for one in page.all("table") if "every" in one.classes)
    judged = any(finding.tolerance is not None for finding in findings.values())
    limit, verdict = (["tolerance"], [None]) if judged else ([], [])
    fields = (None, None, "estimate", "interval", *limit, "n", "p_value", *verdict)
    by_place = {anchor(name): finding for name, finding in findings.items()}
    rows = [row for row in table.all("tr") if "id" in row.attributes]
    assert len(rows) == len(findings)
    for row in rows:
        finding = by_place[row["id"]]
        cells = [cell for cell in row.children if isinstance(cell, Element)]
        assert row.all("code")[0].text == finding.id
        for field, cell in zip(fields, cells, strict=True):
            if field is not None:
                agrees(field, cell.text, finding)
        assert not judged or (finding.verdict or "none") in cells[-1].classes


def agrees(field, text, finding) -> bool:
    """Whether a cell had a number, which is then that of the finding to the last digit that is shown."""
    said = measure(finding.measure)
    scale = {"n": 1.0, "p_value": 1.0}.get(field, SCALES[said.show])
    wanted = {
        "estimate": [finding.details.get(said.instead, finding.estimate)],
        "interval": [] if finding.interval is None else [finding.interval.low, finding.interval.high],
        "tolerance": [finding.tolerance],
        "n": [] if finding.n is None else [finding.n.count],
        "p_value": [finding.p_value],
    }[field]
    wanted = [one for one in wanted if one is not None]
    shown = numbers(text)
    if not shown:
        assert not wanted or "counted" in text, (text, finding.id)
        return False
    if "<" in text:
        assert wanted[0] < shown[0][0]
        return True
    assert len(shown) == len(wanted), (text, finding.id)
    for (value, step), one in zip(shown, wanted, strict=True):
        signed = abs(one) if said.sign_in_words or field == "tolerance" else one
        assert abs(signed * scale - value) <= step + (0.51 if said.show == "days" else 0), (text, finding.id)
    return True


def test_sentences_say_only_numbers_of_their_finding(told):
    page, findings = told
    for element in page.having("data-field"):
        if element["data-field"] not in ("sentence", "row", "how_much", "more_data"):
            continue
        finding = findings[element.nearest("data-finding")]
        # One answer over all may compare two findings: the system as it is, and a change that mends it.
        over_all = any({"overall", "mended"} & one.classes for one in element.around())
        known, names = said_by(list(findings.values()) if over_all else [finding])
        strange = [
            token
            for token, (value, step) in zip(NUMBER.findall(element.text), numbers(element.text), strict=True)
            if token not in names and not any(abs(one - abs(value)) <= step for one in known)
        ]
        assert strange == [], (element.text, finding.id)


def said_by(findings: list[Finding]) -> tuple[list[float], set[str]]:
    """The numbers that words may say of findings, and those in their names."""
    numeric, named = [], []
    held([finding.model_dump(mode="json") for finding in findings], numeric, named)
    known = [abs(one) * unit for one in numeric for unit in IN_UNITS]
    known += [100 * (1 - one) for one in numeric if 0 < one < 1]  # the other part of a whole
    known += [100 // one for one in numeric if one >= 1]  # how much was seen, if each stands for several
    if any(finding.p_value is not None for finding in findings):
        known += [0.001, 1, 100, 1000]  # "p < 0.001", "fewer than 1 in 1,000"
    return known, {number for name in named for number in NUMBER.findall(name)}
