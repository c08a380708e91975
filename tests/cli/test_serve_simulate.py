"""`evenhand serve simulate`: what is refused before anything is asked of a server."""

import random

import pytest

from evenhand.cli.served.simulate import _told
from evenhand.service.client.counts import Counts
from evenhand.service.simulating import Asked, Means, Simulated


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--url", "https://audit.example.com"), "audit.example.com is not this machine"),
        (("--url", "http://10.0.0.7:8000"), "10.0.0.7 is not this machine"),
        (("--url", "http://127.0.0.1.example.com"), "127.0.0.1.example.com is not this machine"),
        (("--url", "somewhere"), "--url is not the address of a server"),
        (("--url", "ftp://127.0.0.1"), "--url is not the address of a server"),
        (("--url", "http://[::1"), "--url is not the address of a server"),
        ((), "Say who you are: --token-file, or EVENHAND_TOKEN in the environment."),
        (("--token-file", "nowhere"), "The system refused nowhere"),
        (("--token-file", "odd"), "token is not a token"),
        (("--better-by", "0.7"), "--better-by is 0.7, but must be a finite number from 0 to 0.5."),
        (("--epsilon", "much"), "--epsilon is 'much', but must be a finite number from 0.01 to 0.5."),
        (("--users", "1"), "--users is 1"),
        (("--rate", "0"), "--rate is 0"),
    ],
)
def test_what_is_refused(evenhand, monkeypatch, tmp_path, words, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "odd").write_bytes(b"two\nlines \xff")
    monkeypatch.delenv("EVENHAND_TOKEN", raising=False)
    ran = evenhand("serve", "simulate", *words)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err


def test_nobody_is_better_off_but_for_whom_it_was_planted():
    for better_by in (0.0, 0.3):
        means = Means(5, better_by, random.Random(1))
        gains = {
            (user, other): means.of(user, other) - means.of(user, user)
            for user in means.users
            for other in means.users
            if user != other
        }
        better = {pair: gain for pair, gain in gains.items() if gain > 0}
        assert better == ({("user-1", "user-2"): pytest.approx(0.3)} if better_by else {})


def test_the_page_of_help(evenhand, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    page = evenhand("serve", "simulate", "--help").out
    assert [odd for odd in ("<", "x>=", "None") if odd in page] == []
    assert [line for line in page.splitlines() if len(line) > 80] == []


@pytest.mark.parametrize(
    ("better_by", "outcome", "agrees"),
    [
        (0.0, "no_envy", True), (0.0, "envy", False), (0.5, "envy", True), (0.5, "no_envy", False),
        (0.1, "envy", True), (0.1, "no_envy", True), (0.5, "inconclusive", None), (0.0, None, None),
    ],
)  # fmt: skip
def test_what_the_server_says_is_compared_with_what_was_planted(better_by, outcome, agrees):
    asked = Asked(3, better_by, 0.2, 50.0, 10.0, 0.0, 0.0, 0)
    assert asked.agrees_with(outcome) is agrees


def test_what_is_told_has_the_rate_that_was_reached_and_whether_it_agrees():
    asked, stats = Asked(3, 0.5, 0.2, 100.0, 10.0, 0.0, 0.0, 0), Counts().stats(0, True)
    means, said = Means(3, 0.5, random.Random(0)), {"outcome": "no_envy", "decided": 3, "targets": 3}
    told = _told(asked, means, Simulated("a", 370, 10.0, stats, said, "Nobody is."))
    assert told[0].endswith("That is 37 visits a second, where 100 were asked for.")
    assert told[-1] == "This does not agree with what was planted."
    quick = _told(asked, means, Simulated("a", 990, 10.0, stats, said | {"outcome": None}, ""))
    assert "a second" not in quick[0]
    assert quick[-1].startswith("The server says: not decided yet")
