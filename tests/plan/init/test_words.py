"""Names taken apart."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from evenhand.plan.init.meaning import vocabulary
from evenhand.plan.init.meaning.vocabulary import (
    DISLIKED,
    ITEM,
    LIKED,
    RANDOM,
    RANK,
    TIME,
    USER,
    YES_AND_NO,
)
from evenhand.plan.init.meaning.words import hints, tokens


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("user_id", ["user", "id"]),
        ("UserID", ["user", "id"]),
        ("userid", ["user", "id"]),
        ("visitorId", ["visitor", "id"]),
        ("Kundennummer", ["kunde", "nummer"]),
        ("Artikel-Nr.", ["artikel", "nr"]),
        ("id_utilisateur", ["id", "utilisateur"]),
        ("isClick", ["is", "click"]),
        ("isclick", ["is", "click"]),
        ("gefällt", ["gefaellt"]),
        ("HTTPStatus", ["http", "status"]),
        ("f_12", ["f"]),
        ("postcode", ["postcode"]),
        ("HomePostCode", ["home", "postcode"]),
        ("post_code", ["postcode"]),
        ("post_id", ["post", "id"]),
        ("", []),
    ],
)
def test_words_of_a_name(name, words):
    assert tokens(name) == words


def test_names_hint_in_several_languages():
    assert hints("Nutzer-ID", USER)
    assert hints("produit_id", ITEM)
    assert hints("gekauft", LIKED)
    assert hints("zufall", RANDOM)
    assert not hints("usage", USER)
    assert not hints("brand", RANDOM)


@pytest.mark.parametrize(
    "name",
    ["wishlisted", "hired", "t_appl", "guardadas", "Beğenildi", "zamówiono", "tilattu", "gillade_gillar",
     "rezervováno", "disukai", "purchasing", "contactados", "bookmarking"],
)  # fmt: skip
def test_forms_of_what_users_do(name):
    assert hints(name, LIKED)


@pytest.mark.parametrize(
    ("name", "words"),
    [("followers", LIKED), ("basketball", LIKED), ("red", LIKED), ("times_shown", TIME), ("places", RANK)],
)
def test_words_that_only_begin_alike_are_no_forms(name, words):
    assert not hints(name, words)


@pytest.mark.parametrize(
    ("name", "words"),
    [("kullanıcı_no", USER), ("kävijä", USER), ("ürün", ITEM), ("Geräte", LIKED), ("usr_sk", USER)],
)
def test_letters_with_and_without_dots(name, words):
    assert hints(name, words) is (words is not LIKED)


def test_no_word_is_written_twice_in_a_class():
    folder = Path(vocabulary.__file__).parent
    for file in folder.glob("*.py"):
        for text in re.findall(r'words\(\s*"""(.*?)"""', file.read_text(), re.S):
            listed = text.split()
            assert sorted(set(listed)) == sorted(listed), file.name
            assert all(word.isascii() and word.islower() for word in listed), file.name


def test_what_says_liked_does_not_say_that_it_was_turned_down():
    assert not LIKED & DISLIKED
    assert not USER & ITEM
    assert len({frozenset(pair) for pair in YES_AND_NO}) == len(YES_AND_NO)
