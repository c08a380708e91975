"""Pages are short, sentences too, and code says what language it is."""

import json
import tomllib

import pytest

from pages import all_pages, blocks, indented, name_of, words, words_a_sentence

EVIDENCE = "evidence/"
# What code makes is as long as the code is.
MADE = ("reference/commands/", "reference/python/", "reference/measures/", "reference/plan-keys/")
LANGUAGES = {"python", "console", "toml", "json", "yaml", "text", "sql", "nginx", "bibtex", "ini", "html"}
STEPS = [page for page in all_pages() if name_of(page).startswith(("start/", "tutorials/", "howto/"))]


@pytest.mark.parametrize("page", all_pages(), ids=name_of)
def test_no_page_is_longer_than_2000_words(page):
    if not name_of(page).startswith((EVIDENCE, *MADE)):
        assert words(page) <= 2000


@pytest.mark.parametrize("page", STEPS, ids=name_of)
def test_sentences_of_steps_are_short(page):
    assert words_a_sentence(page) < 20


@pytest.mark.parametrize("page", all_pages(), ids=name_of)
def test_code_says_its_language(page):
    assert indented(page) == []
    assert [block.line for block in blocks(page) if block.language not in LANGUAGES] == []


@pytest.mark.parametrize("page", all_pages(), ids=name_of)
def test_what_is_said_to_be_toml_or_json_is(page):
    for block in blocks(page):
        read = {"toml": tomllib.loads, "json": json.loads}.get(block.language)
        if read is not None:
            read(block.text)
