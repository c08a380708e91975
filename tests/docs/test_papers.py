"""Papers are called by name, and each has its entry in the one bibliography."""

import re

from evenhand.report.vocabulary.names import words
from papers import BIBLIOGRAPHY, NAMED, keys
from site_pages import DOCS, REPOSITORY, pages

# Words before a year that are no authors.
OTHERS = {"April", "Oklahoma", "Kit", "Rec", "Sys", "LensKit"}


def named(text: str) -> set[tuple[str, str]]:
    """The papers that a text names, by authors and year."""
    plain = re.sub(r"\s+", " ", text)
    return {(one["who"], one["year"]) for one in NAMED.finditer(plain) if one["who"] not in OTHERS}


def test_every_paper_that_a_page_names_is_in_the_bibliography():
    found = {(who, year): page for page in pages() for who, year in named(page.read_text(encoding="utf-8"))}
    assert len(found) > 30
    assert {what: str(page) for what, page in found.items() if what not in keys()} == {}


def test_every_paper_that_a_measure_names_is_in_the_bibliography():
    found = named(" ".join(measure.definition for measure in words().measures.values()))
    assert {("Beattie", "2023"), ("Wu and others", "2022")} <= found
    assert found <= set(keys())


def test_a_paper_is_called_by_its_name():
    called = re.compile(r"\bthe source's|\bthe source\b(?! that chose)|\(source\b", re.IGNORECASE)
    for page in DOCS.rglob("*.md"):
        assert not called.search(re.sub(r"\s+", " ", page.read_text(encoding="utf-8"))), page


def test_every_entry_has_authors_a_title_a_place_and_a_year():
    entries = re.findall(
        r"^@misc\{(\w+),\n(.*?)^\}", BIBLIOGRAPHY.read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    assert len(entries) == len(dict(entries)) == BIBLIOGRAPHY.read_text("utf-8").count("@")
    for key, entry in entries:
        fields = dict(re.findall(r"^  (\w+) = \{(.+)\},$", entry, re.MULTILINE))
        assert {"author", "title", "howpublished", "year"} <= set(fields), key
    assert set(keys().values()) == {key for key, _ in entries}


def test_the_citation_file_names_the_version_that_is_here():
    text = (REPOSITORY / "CITATION.cff").read_text(encoding="utf-8")
    version = re.search(r'^version = "(.+)"$', (REPOSITORY / "pyproject.toml").read_text(), re.MULTILINE)
    assert f"version: {version[1]}\n" in text
