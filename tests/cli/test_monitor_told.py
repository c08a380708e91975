"""From logs to people: days are added by the command, a flag opens, and a receiver and a file are told."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from evenhand.monitor.days import adding, dates
from monitor.delivery.receivers import SECRET, receiving
from monitor.worlds import PLAN, days, write_day, write_plan

DAYS = days(4)
MONITORED = """tolerance = 0.02

[scope]
system = "Home feed"

[labels]
group.c = "newcomers"

[monitoring]
page = "https://example.org/monitor.html"

[[monitoring.flags]]
measure = "running_penalty"
open_after = OPEN_AFTER
then = "Ranking stops the roll-out."

[[monitoring.flags]]
id = "series.daily_penalty/by:creators=nobody"

[[monitoring.tell]]
by = "webhook"
url = "URL"
secret_from = "FLAG_SECRET"

[[monitoring.tell]]
by = "file"
path = "flags.jsonl"
"""


@pytest.fixture
def add(tmp_path, monkeypatch, evenhand):
    monkeypatch.setenv("FLAG_SECRET", SECRET)
    monkeypatch.setattr(dates, "now", lambda: datetime(2026, 11, 1, tzinfo=UTC))
    for one in DAYS:
        write_day(tmp_path, one, rows=30_000)

    def run(url, *words, open_after=2):
        text = MONITORED.replace("URL", url).replace("OPEN_AFTER", str(open_after))
        plan = write_plan(tmp_path, PLAN + text)
        ran = evenhand("monitor", *words[:1], plan, "--store", tmp_path / "m.db", *words[1:])
        assert ran.code == 0, ran.err
        return ran.out

    return run


def test_a_flag_opens_and_is_told(add, tmp_path, evenhand):
    with receiving() as receiver:
        first, second, third, fourth = (add(receiver.url, "add", "--day", one) for one in DAYS)
    assert "opened" not in first
    assert "The flag “running_penalty” opened on 2026-01-02, after 2 looks in a row." in second
    assert (
        "No finding fits these flags of the plan: series.daily_penalty/by:creators=nobody "
        "(there is series.daily_penalty/by:creators=group)."
    ) in second
    assert "2 messages delivered." in second
    assert "delivered" not in third + fourth
    (message,) = receiver.got
    assert message["subject"] == "Home feed: flag “running_penalty” opened"
    lines = message["text"].splitlines()
    assert "limit 2%" in lines[0]
    assert lines[2].startswith("On that day by itself, least: newcomers: shown ")
    assert lines[-2:] == [
        "What follows: Ranking stops the roll-out.",
        "Page: https://example.org/monitor.html",
    ]
    assert message["finding"]["id"] == "series.running_penalty/by:creators=group"
    assert json.loads((tmp_path / "flags.jsonl").read_text()) == message
    assert evenhand("monitor", "flags", tmp_path / "feed.toml", "--store", tmp_path / "m.db").out.startswith(
        "open "
    )


@pytest.mark.parametrize(
    ("secret", "why"),
    [
        (None, "the environment variable FLAG_SECRET is not set"),
        ("hunter2", "the secret in FLAG_SECRET has fewer than 24 bytes"),
    ],
)
def test_a_secret_that_lacks_is_said_before_a_flag_opens(add, evenhand, tmp_path, monkeypatch, secret, why):
    monkeypatch.delenv("FLAG_SECRET")
    if secret is not None:
        monkeypatch.setenv("FLAG_SECRET", secret)
    said = f"! Nobody can be told by 'webhook' from here: {why}."
    assert said in add("http://127.0.0.1:9/", "add", "--day", DAYS[0]).splitlines()
    checked = evenhand("plan", "check", tmp_path / "feed.toml")
    assert checked.code == 0
    assert said in checked.out.splitlines()


def test_a_receiver_that_is_away_does_not_stop_a_day(add):
    outs = [add("http://127.0.0.1:9/", "add", "--day", one) for one in DAYS[:2]]
    assert "1 message for 'webhook' not delivered after 1 attempt: it cannot be reached" in outs[1]
    assert "2026-01-02: added." in outs[1]


def test_a_corrected_day_withdraws_the_flag_and_people_are_told(add, tmp_path):
    with receiving() as receiver:
        for one in DAYS[:2]:
            add(receiver.url, "add", "--day", one)
        write_day(tmp_path, DAYS[0], rows=90, seed=1)
        told = add(receiver.url, "correct", "--day", DAYS[0], "--reason", "the log was of another system")
    assert "The flag “running_penalty” of 2026-01-02 is withdrawn: 2026-01-01 was corrected" in told
    assert "(flags: 1 withdrawn)" in told
    # The day that was not corrected is as it was.
    assert "By itself still beyond the limit: 2026-01-02." in told.splitlines()
    assert [one["type"] for one in receiver.got] == ["flag.opened", "flag.withdrawn"]
    assert "When it opened, it said: " in receiver.got[1]["text"]


def test_a_flag_that_a_late_day_raises_stays_open(add, tmp_path, evenhand):
    for one in (DAYS[0], DAYS[1]):
        write_day(tmp_path, one, rows=200)
    write_day(tmp_path, DAYS[3], rows=200, seed=5)
    for one in (DAYS[0], DAYS[1], DAYS[3]):
        assert "opened" not in add("http://127.0.0.1:9/", "add", "--day", one, open_after=1)
    told = add("http://127.0.0.1:9/", "add", "--day", DAYS[2], "--late", open_after=1)
    assert "opened on 2026-01-04" in told
    assert "closed" not in told
    at = (tmp_path / "feed.toml", "--store", tmp_path / "m.db")
    assert evenhand("monitor", "flags", *at, "--open").out.startswith("open ")
    evenhand("monitor", "export", *at, "--out", tmp_path / "feed.prom")
    exported = (tmp_path / "feed.prom").read_text()
    assert 'evenhand_flags_open{monitor="feed"} 1' in exported
    shown = json.loads(evenhand("monitor", "show", *at, "--json").out)["document"]["findings"]
    running = next(one for one in shown if one["measure"] == "running_penalty")
    assert running["verdict"] == "violation"
    assert f"{running['estimate']!r}" in exported
    # What stands is the head, the last day is not; and no day is forgotten in a count.
    said = evenhand("monitor", "show", *at, "--out", tmp_path / "page").out
    assert said.splitlines()[:3] == [
        "One flag is open: running_penalty, since 4 January 2026.",
        "Beyond the limit over all days together: all groups.",
        "The latest day, 2026-01-04, by itself:",
    ]
    assert "3 days at once" not in said
    page = (tmp_path / "page" / "monitor.html").read_text()
    assert "of 1 days" not in page
    assert "the one day is" not in page.lower()


def test_a_late_day_before_a_corrected_one_is_followed_again(add, tmp_path, monkeypatch):
    """Looks are made again in the order of arrival, so that of the late day changes, too."""
    began = []
    original = adding.after_looks

    def noted(*given, since):
        began.append(since)
        return original(*given, since=since)

    monkeypatch.setattr(adding, "after_looks", noted)
    for one in (DAYS[0], DAYS[2]):
        add("http://127.0.0.1:9/", "add", "--day", one)
    add("http://127.0.0.1:9/", "add", "--day", DAYS[1], "--late")
    write_day(tmp_path, DAYS[2], rows=90, seed=1)
    add("http://127.0.0.1:9/", "correct", "--day", DAYS[2], "--reason", "late rows")
    assert began == [DAYS[0], DAYS[2], DAYS[1], DAYS[1]]
