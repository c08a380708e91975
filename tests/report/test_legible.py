"""Names from data that a terminal, a page or a script would obey."""

import pytest

from evenhand.documents import Fingerprint
from evenhand.report.annex.render import KINDS, render
from evenhand.report.pages import html, whole_text
from evenhand.report.words import sentences
from evenhand.report.words.legible import line, lines
from short_findings import short


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("women", "women"),
        ("\x1b[31mred", "␛[31mred"),
        ("a\nb\x00\x7f", "a␊b␀␡"),
        ("\x9b2J", "\\u009b2J"),
        ("a\u2028b\u202ec", "a\\u2028b\\u202ec"),
        ("constructor", "constructor\N{ZERO WIDTH SPACE}"),
        ("a constructor", "a constructor"),
    ],
)
def test_a_name_is_on_one_line_and_obeyed_by_nobody(name, shown):
    assert line(name) == shown


def test_different_names_stay_different():
    assert line("a\x00") != line("a\x01")


def test_several_lines_stay_several():
    assert lines("first\nse\x07cond") == "first\nse␇cond"


def test_neither_the_terminal_nor_the_page_gets_what_they_would_obey(make):
    source = Fingerprint(source="log\x1b.csv", sha256="0" * 64, label="liked\x00 or \u202eshared")
    document = make.hostile().amended(inputs={"log": source})
    pages = [whole_text.plain(document), html.render(document)]
    for page in (*pages, *(render(document, kind, digest="") for kind in KINDS)):
        assert not {"\x1b", "\x00", "\u2028", "\u202e"} & {*page}
    assert all("␛[31mred" in page for page in pages)


def test_a_name_is_not_a_template():
    about = {"by": "gender", "first": "{first}", "second": "{x}"}
    finding = short(audit="association", measure="geaa_difference", subject=about, estimate=0.1)
    assert "{first} against {x}" in sentences.place(finding)
