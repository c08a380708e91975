"""Questions on a terminal: what was typed is what is proposed, and Enter takes the first."""

from __future__ import annotations

from evenhand.plan.init.asking import answers
from evenhand.plan.init.proposing import propose, see
from evenhand.plan.init.tables.looking import look
from plan.init.folders import arms_of_a_test, plain_english


def asked(home, *typed):
    seen = see(look([home]))
    said, waiting = [], list(typed)
    answers(seen, ask=lambda prompt, default: waiting.pop(0) or default, say=said.append)
    assert not waiting
    return propose(seen), "\n".join(said)


def test_enter_takes_what_is_likeliest(tmp_path):
    plain_english(tmp_path)
    draft, said = asked(tmp_path, "", "", "")
    assert draft.steps[0].keys["label"] == "clicked"
    assert "Everything rests on what counts as liked" in said


def test_a_number_takes_another(tmp_path):
    arms_of_a_test(tmp_path)
    draft, said = asked(tmp_path, "x", "9", "2", "1")
    assert draft.steps[0].keys["label"] == "addedToCart"
    assert said.count("Type a number from") == 2
    assert draft.agreed == ["Label: addedToCart is 1.", "Groups of creators or items: sellerRegion."]
    assert not any("Label" in mark or "Groups" in mark for mark in draft.marks)


def test_none_of_the_labels_asks_nothing_that_needs_one(tmp_path):
    arms_of_a_test(tmp_path)
    draft, _ = asked(tmp_path, "3", "1")
    assert draft.steps == []
