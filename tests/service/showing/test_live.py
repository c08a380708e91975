"""What moves is drawn once for everybody, and only when something happened."""

from __future__ import annotations

import asyncio
import json

import pytest

from evenhand.errors import InputError
from evenhand.service.http.routes import pages
from evenhand.service.showing import live
from evenhand.service.showing.live import Drawn, Live


class Audits:
    """Versions that a test sets, and how often each audit was asked about and drawn."""

    def __init__(self):
        self.at, self.asked, self.drawn, self.over = "1", 0, [], False

    async def version(self, audit):
        self.asked += 1
        await asyncio.sleep(0)
        if self.at == "away":
            raise InputError("The store cannot be reached.")
        return self.at

    async def draw(self, audit, version):
        self.drawn.append(version)
        await asyncio.sleep(0)
        return Drawn(version, f"<p>{version}\n</p>", "said", self.over, {})


@pytest.fixture
def audits(monkeypatch):
    monkeypatch.setattr(live, "EVERY_S", 0.01)
    return Audits()


def told(events):
    return [
        json.loads(line.removeprefix("data: "))["html"]
        for event in events
        for line in event.decode().splitlines()
        if line.startswith("data: ")
    ]


async def taken(stream, number):
    """So many events that have a page in them."""
    found = []
    async for event in stream:
        found += told([event])
        if len(found) == number:
            break
    await stream.aclose()
    return found


def run(work):
    return asyncio.run(asyncio.wait_for(work, 30))


def test_many_viewers_are_drawn_for_once(audits):
    async def watch():
        one = Live(audits.version, audits.draw, asyncio.Event())
        streams = [one.events("a", None) for _ in range(20)]
        first = asyncio.gather(*(taken(stream, 2) for stream in streams))
        await asyncio.sleep(0.1)
        assert one.viewers == 20
        audits.at = "2"
        assert await first == [["<p>1\n</p>", "<p>2\n</p>"]] * 20
        assert audits.drawn == ["1", "2"]
        assert one.viewers == 0

    run(watch())


def test_who_has_seen_it_is_told_nothing_until_it_changes(audits):
    async def watch():
        one = Live(audits.version, audits.draw, asyncio.Event())
        waiting = asyncio.create_task(taken(one.events("a", "1"), 1))
        await asyncio.sleep(0.1)
        assert not waiting.done()
        audits.at = "2"
        assert await waiting == ["<p>2\n</p>"]

    run(watch())


def test_it_is_looked_at_no_oftener_than_agreed(audits, monkeypatch):
    async def watch():
        one = Live(audits.version, audits.draw, asyncio.Event())
        await asyncio.gather(*(one.now("a") for _ in range(50)))

    monkeypatch.setattr(live, "EVERY_S", 60.0)
    run(watch())
    assert audits.asked == 1


def test_it_ends_when_the_server_stops_and_when_the_audit_is_over(audits):
    async def watch():
        stopping = asyncio.Event()
        one = Live(audits.version, audits.draw, stopping)
        stream = asyncio.create_task(taken(one.events("a", None), 99))
        await asyncio.sleep(0.05)
        stopping.set()
        assert len(await stream) == 1
        audits.over, audits.at = True, "2"
        ended = Live(audits.version, audits.draw, asyncio.Event())
        assert len(await taken(ended.events("a", None), 99)) == 1

    run(watch())


def test_a_store_that_is_away_for_a_while_ends_nothing(audits):
    async def watch():
        one = Live(audits.version, audits.draw, asyncio.Event())
        waiting = asyncio.create_task(taken(one.events("a", None), 2))
        await asyncio.sleep(0.05)
        audits.at = "away"
        await asyncio.sleep(0.05)
        audits.at = "2"
        assert len(await waiting) == 2

    run(watch())


def test_a_viewer_passes_the_door_again_after_a_while(audits, monkeypatch):
    monkeypatch.setattr(live, "LASTS_S", 0.05)

    async def watch():
        one = Live(audits.version, audits.draw, asyncio.Event())
        assert len([event async for event in one.events("a", None)]) == 2  # how to come again, and the page

    run(watch())


def test_a_viewer_who_reads_nothing_is_given_up(audits, monkeypatch):
    monkeypatch.setattr(pages, "LASTS_S", 0.0)
    monkeypatch.setattr(pages, "_PATIENCE_S", 0.1)

    async def never(message=None):
        if message is None or message["type"] == "http.response.body":
            await asyncio.Event().wait()

    async def watch():
        one = Live(audits.version, audits.draw, asyncio.Event())
        answer = asyncio.create_task(pages.Moving(one.events("a", None), {})({"type": "http"}, never, never))
        await asyncio.sleep(0.05)
        assert one.viewers == 1
        await answer
        assert one.viewers == 0

    run(watch())


def test_what_takes_long_to_draw_is_drawn_seldom(audits):
    async def slow(audit, version):
        await asyncio.sleep(0.05)
        return await audits.draw(audit, version)

    async def watch():
        one = Live(audits.version, slow, asyncio.Event())
        await one.now("a")
        for number in range(10):  # while a twentieth of the time is far from spent
            audits.at = str(number)
            await asyncio.sleep(0.02)
            await one.now("a")
        assert len(audits.drawn) == 1

    run(watch())


def test_who_guesses_leaves_nothing_behind(audits):
    async def watch():
        one = Live(audits.version, audits.draw, asyncio.Event())
        audits.at = "away"
        for number in range(100):
            with pytest.raises(InputError):
                await one.now(str(number))
        assert not one._locks
        audits.at = "1"
        for number in range(100):
            await one.now(str(number))
        assert len(one._locks) == len(one._kept) == live._MOST_KEPT

    run(watch())


def test_the_number_of_viewers_is_bounded(audits, monkeypatch):
    monkeypatch.setattr(live, "MOST_VIEWERS", 1)

    async def watch():
        one = Live(audits.version, audits.draw, asyncio.Event())
        stream = one.events("a", None)
        await anext(stream)
        assert one.full
        await stream.aclose()
        assert not one.full

    run(watch())


def test_an_audit_is_streamed_over_http(service):
    made = service.audit(users=["a", "b"], budget=1)
    for user in ("a", "b"):
        service.visit(made, user, 1.0)
    service.running.log.settle()
    headers = {"authorization": f"Bearer {service.reader}"}
    answer = service.client.get(f"/audits/{made}/live", headers=headers)
    assert answer.headers["content-type"].startswith("text/event-stream")
    (page,) = told([answer.content])
    assert "Nothing is certified" in page
    assert service.client.get(f"/audits/{'0' * 16}/live", headers=headers).status_code == 404
