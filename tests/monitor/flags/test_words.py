"""What a person reads of a flag: short, the people first, and nothing that a terminal or a page obeys."""

from __future__ import annotations

import json

import pytest

from evenhand.documents import Document
from evenhand.findings import Finding, Interval
from evenhand.monitor.flags import words
from evenhand.monitor.flags.debounce import Episode
from evenhand.plan.watched.monitoring import FlagRule
from monitor.followed import BAD, GOOD, RULE, UNSURE, Followed, monitoring, penalty


@pytest.fixture
def world(address):
    world = Followed(address)
    yield world
    world.store.close()


def group(name, validity="anytime"):
    interval = Interval(low=-0.3, high=-0.2, level=0.95, method="hull", validity=validity)
    about = {"creators": {"gender": name}}
    return Finding(
        audit="opportunity", measure="relative_utility", about=about, estimate=-0.25, interval=interval,
        tolerance=0.1, harm="outside",
    )  # fmt: skip


def raised(finding, **limit):
    return Episode(FlagRule(name="r", measure="relative_utility", **limit), finding, "2026-01-01")


def test_an_opening_says_who_since_when_what_follows_and_where(world):
    rule = {**RULE, "open_after": 2, "then": "Ranking stops the roll-out."}
    plan = monitoring([rule]).model_copy(update={"page": "https://example.org/m.html"})
    world.looks([BAD, BAD], plan)
    (message,) = world.messages()
    who, since, follows, page = message["text"].splitlines()
    assert who.startswith(
        "Creators by age typically get 25% more or less opportunity than average (20 to 30%"
    )
    assert since == "The flag “penalty” opened on 2026-01-02, after 2 looks in a row."
    assert follows == "What follows: Ranking stops the roll-out."
    assert page == "Page: https://example.org/m.html"


def test_a_closing_says_what_is_found_now(world):
    (opened, closed) = world.looks([BAD, UNSURE, GOOD], monitoring())
    assert "opened" in opened
    assert closed.startswith("The flag “penalty” of 2026-01-01 closed on 2026-01-03. ")
    assert "0 to 5%" in closed


def test_an_interval_of_one_look_is_named(world):
    world.look(1, penalty(BAD, validity="fixed"), plan=monitoring())
    assert "with a look every day some flags open by chance" in world.messages()[0]["text"]


def test_values_are_called_as_the_plan_calls_them():
    document = Document(findings=(group("F"), group("M")), version="0", labels={"gender": {"F": "women"}})
    said = words.said_of(document, raised("opportunity.relative_utility/creators:gender=F"))
    assert "women" in said.lower()
    assert "25%" in said
    assert words.said_of(document, raised("opportunity.no")) == ""


def test_a_flag_with_a_limit_of_its_own_says_this_one():
    document = Document(findings=(group("F"),), version="0")
    named = "opportunity.relative_utility/creators:gender=F"
    assert "10%" in words.said_of(document, raised(named))
    said = words.said_of(document, raised(named, below=-0.15))
    assert said.endswith(" The flag’s own limit: below -0.15.")
    assert "10%" not in said


@pytest.mark.parametrize(
    "name", ["\x1b[31mred\x07", "a\nBcc: x@example.org", "x" * 100_000, "\u202eabc", "é" * 9_000]
)
def test_names_of_any_kind_and_length(world, name):
    world.look(1, group(name), plan=monitoring([{"name": "r", "measure": "relative_utility"}]))
    (message,) = world.messages()
    written = json.dumps(message, ensure_ascii=False)
    assert len(written.encode()) < words.MOST_BYTES + 2_000
    assert not set("\x1b\x07\u202e") & set(message["text"] + message["subject"])
    assert len(message["text"].splitlines()) == 2
    assert message["subject"].count("\n") == 0
