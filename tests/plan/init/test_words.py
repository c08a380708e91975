"""Names taken apart."""

from __future__ import annotations

import pytest

from evenhand.plan.init.meaning.vocabulary import ITEM, LIKED, RANDOM, USER
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
