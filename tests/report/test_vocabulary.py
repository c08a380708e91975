"""The words of all rooms together: nothing is missing or there twice, and headlines have their order."""

from __future__ import annotations

import pytest

from evenhand.asked.audits import AUDITS
from evenhand.report.vocabulary.measure import SHOWN
from evenhand.report.vocabulary.names import headlines, question, rooms, words


@pytest.mark.parametrize("name", words().measures)
def test_every_measure_has_a_title_a_definition_and_a_unit(name):
    known = words().measures[name]
    assert known.title
    assert known.definition
    assert known.unit or SHOWN.get(known.show)


def test_every_audit_has_words_and_asks_a_question():
    assert AUDITS.keys() <= words().audits.keys()
    for name, known in words().audits.items():
        assert question(name).endswith(("?", "."))
        assert known.serves in ("creators", "exposure", "users", "envy", "embeddings")
        assert not known.headline or known.headline in words().measures
        assert known.question != AUDITS[name].about if name in AUDITS else True, "it is written twice"


def test_no_room_has_the_words_of_another():
    for part in ("audits", "measures", "headings", "terms"):
        named = [name for room in rooms() for name in getattr(room, part)]
        assert sorted(named) == sorted(set(named))


def test_the_best_answer_to_a_question_comes_first():
    assert [audit for audit, _ in headlines("creators")] == [
        "opportunity", "series", "stages", "compare", "experiments", "boost", "parity",
    ]  # fmt: skip
    assert headlines("users") == [("groups", "confirmed_gap"), ("user_precision", "precision_penalty")]
    assert headlines("exposure") == [("exposure", "pair_exposure")]
    assert headlines("envy") == [("envy", "envious_users")]
    assert [measure for _, measure in headlines("embeddings")] == ["geaa", "geaa_growth", "leak_parity"]
