"""A receiver that fails, hangs or is away gets every message once it is back, in order and signed."""

from __future__ import annotations

import asyncio
import logging
from email.utils import formatdate
from itertools import pairwise
from pathlib import Path

import pytest
from sqlalchemy import select

from evenhand.monitor.delivery import deliver, webhook
from evenhand.store.flag_tables import outbox
from monitor.delivery.receivers import SECRET, Clock, documented_check, receiving
from monitor.followed import BAD, GOOD, Followed, monitoring

DAY = 86_400


BOTH = pytest.mark.parametrize(
    "address", ["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)], indirect=True
)


@pytest.fixture
def world(address, monkeypatch):
    monkeypatch.setenv("FLAG_SECRET", SECRET)
    world = Followed(address)
    yield world
    world.store.close()


def hook(address, name="ops", **more):
    # Long, so that a busy machine is no silent receiver; tests of silence ask for less.
    told = {"name": name, "by": "webhook", "url": address, "secret_from": "FLAG_SECRET", "timeout": 30}
    return {**told, **more}


def send(world, plan, clock, **options):
    return deliver(world.store, 1, plan, Path(), clock=clock, **options)


@BOTH
def test_messages_arrive_in_order_signed_and_once(world):
    clock = Clock()
    with receiving(clock) as receiver:
        plan = monitoring(tell=[hook(receiver.url)])
        world.looks([BAD, GOOD, BAD], plan)
        told = send(world, plan, clock)
        assert told.lines() == ["3 messages delivered."]
        assert send(world, plan, clock).lines() == []
    assert [(one["type"], one["day"]) for one in receiver.got] == [
        ("flag.opened", "2026-01-01"),
        ("flag.closed", "2026-01-02"),
        ("flag.opened", "2026-01-03"),
    ]
    assert receiver.refused == []


@pytest.mark.parametrize("answer", [500, 404, 301, "hang up", "hang", "drip"])
def test_what_a_receiver_does_wrong_is_tried_again_until_it_is_right(world, answer):
    clock = Clock()
    with receiving(clock) as receiver:
        receiver.answers = [answer, answer, 204]
        plan = monitoring(tell=[hook(receiver.url)])
        impatient = monitoring(tell=[hook(receiver.url, timeout=1 if answer in ("hang", "drip") else 30)])
        world.looks([BAD, GOOD], plan)
        expected = world.waiting("ops")
        first = send(world, impatient, clock)
        assert first.delivered == 0
        assert "2 messages for 'ops' not delivered after 1 attempt: " in first.lines()[0]
        # Not before it is due, whoever asks; the messages behind it wait, too.
        assert send(world, plan, clock).delivered == 0
        assert receiver.asked == 1
        for asked in (impatient, plan):
            clock.now += 61
            send(world, asked, clock)
        assert receiver.shown == expected == [one["id"] for one in receiver.got]
        assert receiver.asked == 4


@BOTH
def test_a_receiver_that_is_away_for_a_day_gets_all_of_it_when_it_is_back(world):
    clock = Clock()
    with receiving(clock) as receiver:
        port = int(receiver.url.rsplit(":", 1)[1].strip("/"))
    plan = monitoring(tell=[hook(receiver.url)])
    attempts = 0
    for minutes in range(0, 24 * 60, 5):  # a job that runs every five minutes
        if minutes % 240 == 0:
            world.looks([BAD if minutes % 480 == 0 else GOOD], plan, first=1 + minutes // 240)
        before = clock.now
        send(world, plan, clock)
        clock.now = before + 300
        attempts += 1
    assert attempts == 288
    expected = world.waiting("ops")
    assert len(expected) == 6
    with receiving(clock, port) as receiver:
        clock.now += 3600  # the longest wait
        assert send(world, plan, clock).delivered == 6
    assert receiver.shown == expected
    assert receiver.refused == []


def test_attempts_thin_out_and_are_not_at_one_moment(world):
    clock = Clock()
    plan = monitoring(tell=[hook("http://127.0.0.1:9/")])
    world.looks([BAD], plan)
    waits, began = [], clock.now
    for _ in range(12):
        send(world, plan, clock)
        while send(world, plan, clock).waiting[0].attempts == len(waits) + 1:
            clock.now += 30
            if clock.now - began > 3600 * 12:
                raise AssertionError("never tried again")
        waits.append(clock.now)
    gaps = [later - earlier for earlier, later in pairwise(waits)]
    assert gaps[0] < 130
    assert all(900 <= gap <= 3610 for gap in gaps[-3:])


@pytest.mark.parametrize("as_a_time", [False, True])
def test_a_receiver_can_ask_for_time(world, as_a_time):
    clock = Clock()
    with receiving(clock) as receiver:
        receiver.answers = [503, 204]
        if as_a_time:
            receiver.retry_after = formatdate(clock.now + 600, usegmt=True)
        plan = monitoring(tell=[hook(receiver.url)])
        world.looks([BAD], plan)
        send(world, plan, clock)
        clock.now += 590
        assert send(world, plan, clock).delivered == 0
        clock.now += 20
        assert send(world, plan, clock).delivered == 1


@pytest.mark.parametrize(
    ("after", "seconds"),
    [
        ("90", 90),
        ("999999999", 3600),
        ("Thu, 01 Jan 1970 00:01:40 GMT", 60),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
        ("Fri, 01 Jan 2100 00:00:00 GMT", 3600),
        ("-5", None),
        ("soon", None),
        ("", None),
        ("1e3", None),
        ("Thu, 99 Jan 1970 00:00:00 GMT", None),
        ("Thu, 01 Jan 99999 00:00:00 GMT", None),
    ],
)
def test_for_how_long_it_asks(after, seconds):
    assert webhook._asked_for(after, now=40) == seconds


@BOTH
def test_one_channel_that_fails_does_not_hold_up_another(world):
    clock = Clock()
    with receiving(clock) as well, receiving(clock) as ill:
        ill.answers = [500]
        plan = monitoring(tell=[hook(ill.url, "ill"), hook(well.url, "well")])
        world.looks([BAD, GOOD], plan)
        assert send(world, plan, clock).delivered == 2
        assert (len(well.got), ill.asked) == (2, 1)


@BOTH
def test_two_at_once_do_not_send_the_same(world):
    """While one process is sending, another leaves the channel alone; its claim runs out if it ends."""
    from evenhand.monitor.delivery.outbox import Queue

    clock = Clock()
    with receiving(clock) as receiver:
        plan = monitoring(tell=[hook(receiver.url)])
        world.looks([BAD], plan)
        mine = Queue(world.store, 1, "ops").next(clock(), 1)
        assert send(world, plan, clock).delivered == 0
        clock.now += 32
        assert send(world, plan, clock).delivered == 1
        # Whose claim ran out marks nothing any more.
        row = _outbox(world)
        Queue(world.store, 1, "ops").failed(mine, clock(), "late", None)
        assert _outbox(world) == row
        assert world.waiting("ops") == []


def _outbox(world):
    with world.store.reading() as connection:
        return [tuple(row) for row in connection.execute(select(outbox))]


def test_a_receiver_that_drips_is_left_and_nothing_of_the_attempt_goes_on(world, monkeypatch):
    """The limit ends the connection itself: that of the thread, which comes later, would leave it open."""
    said, original = [], webhook.within
    monkeypatch.setattr(webhook, "within", lambda seconds, call: original(seconds + 5, _noted(call, said)))
    clock = Clock()
    with receiving(clock) as receiver:
        receiver.answers = ["drip"]
        plan = monitoring(tell=[hook(receiver.url, timeout=1)])
        world.looks([BAD], plan)
        assert send(world, plan, clock).delivered == 0
    assert said == ["TimeoutError"]


def _noted(call, said):
    def run():
        try:
            return call()
        except BaseException as error:
            said.append(type(error).__name__)
            raise

    return run


@pytest.mark.parametrize("jump", [-400 * DAY, 400 * DAY])
def test_a_clock_that_jumps_does_not_hold_a_message_back(world, jump):
    clock = Clock()
    with receiving(clock) as receiver:
        receiver.answers = [500, 204]
        plan = monitoring(tell=[hook(receiver.url)])
        world.looks([BAD], plan)
        send(world, plan, clock)
        clock.now += jump
        assert send(world, plan, clock).delivered == 1


def test_waiting_tries_until_it_is_delivered(world, monkeypatch):
    monkeypatch.setattr("evenhand.monitor.delivery.outbox._FIRST_WAIT", 0.2)
    with receiving() as receiver:
        receiver.answers = [500, 500, 204]
        plan = monitoring(tell=[hook(receiver.url)])
        world.looks([BAD], plan)
        assert deliver(world.store, 1, plan, Path(), wait=True, limit=20).delivered == 1


def test_within_a_running_loop(world):
    """As in a notebook or a service."""
    clock = Clock()
    with receiving(clock) as receiver:
        plan = monitoring(tell=[hook(receiver.url)])
        world.looks([BAD], plan)

        async def main() -> int:
            return send(world, plan, clock).delivered

        assert asyncio.run(main()) == 1


def test_the_documented_check_refuses_what_was_changed_or_is_old(world):
    clock = Clock()
    is_ours = documented_check()
    from evenhand.monitor.delivery.signing import signed

    headers = signed("flag-1-1", int(clock.now), b"{}", "FLAG_SECRET")
    assert is_ours(headers, b"{}", SECRET, clock.now)
    assert not is_ours(headers, b"{ }", SECRET, clock.now)
    assert not is_ours(headers, b"{}", SECRET + "x", clock.now)
    assert not is_ours(headers, b"{}", SECRET, clock.now + 301)
    assert not is_ours({**headers, "webhook-id": "flag-1-2"}, b"{}", SECRET, clock.now)
    later = str(int(clock.now) + 1)
    assert not is_ours({**headers, "webhook-timestamp": later}, b"{}", SECRET, clock.now)


def test_either_of_two_secrets_is_enough(world, monkeypatch):
    from evenhand.monitor.delivery.signing import signed

    monkeypatch.setenv("FLAG_SECRET", "whsec_YW5vdGhlciBzZWNyZXQgb2YgMjQgYnl0ZXMgb3IgbW9yZQ== " + "n" * 24)
    headers = signed("a", 5, b"x", "FLAG_SECRET")
    assert documented_check()(headers, b"x", "another secret of 24 bytes or more", 5)
    assert documented_check()(headers, b"x", "n" * 24, 5)


@pytest.mark.parametrize(
    ("environment", "why"),
    [
        ({}, "the environment variable FLAG_SECRET is not set"),
        ({"FLAG_SECRET": " \n"}, "the environment variable FLAG_SECRET has nothing but spaces in it"),
        ({"FLAG_SECRET": "hunter2"}, "the secret in FLAG_SECRET has fewer than 24 bytes"),
        ({"FLAG_SECRET": "whsec_hunter2!"}, "what is after whsec_ in FLAG_SECRET is not base64"),
        (
            {"FLAG_SECRET": SECRET, "URL": "http://hunter2.example.org/"},
            "the address in URL begins with http://",
        ),
        ({"FLAG_SECRET": SECRET, "URL": "https://hunter2@example.org/"}, "the address in URL has a user"),
        ({"FLAG_SECRET": SECRET, "URL": "file:///hunter2"}, "the address in URL has the scheme 'file'"),
    ],
)
def test_what_the_environment_lacks_is_said_without_its_secrets(world, monkeypatch, environment, why):
    monkeypatch.delenv("FLAG_SECRET")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    address = {"url": None, "url_from": "URL"} if "URL" in environment else {}
    plan = monitoring(tell=[hook("http://127.0.0.1:9/", **address)])
    world.looks([BAD], plan)
    (line,) = send(world, plan, Clock()).lines()
    assert why in line
    assert "hunter2" not in line


def test_no_secret_is_in_the_store_or_in_a_log(world, monkeypatch, caplog, tmp_path):
    caplog.set_level(logging.DEBUG)
    clock = Clock()
    with receiving(clock) as receiver:
        receiver.answers = [500, 204]
        monkeypatch.setenv("URL", f"{receiver.url}hunter2?token=hunter2")
        plan = monitoring(tell=[hook(None, url_from="URL")])
        world.looks([BAD], plan)
        told = send(world, plan, clock).lines()
        clock.now += 60
        told += send(world, plan, clock).lines()
        assert len(receiver.got) == 1
    assert "hunter2" not in caplog.text + str(told)
    assert SECRET not in caplog.text + str(told)
    world.store.close()
    stored = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"flag.opened" in stored
    assert b"hunter2" not in stored
    assert SECRET.encode() not in stored
