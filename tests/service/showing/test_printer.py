"""The process that prints: it may end, hang or fail, and nobody gets the answer of another."""

from __future__ import annotations

import asyncio
import sys

import pytest

from evenhand.service.log.answers import RefusedError
from evenhand.service.showing import printer
from evenhand.service.showing.printer import Printed, Printer

# Answers with the width that it was asked for; a specification may ask it to end, hang or fail.
STANDIN = """
import json, sys, time
for line in sys.stdin:
    asked = json.loads(line)
    how = asked.get("specification")
    if how == "ends":
        sys.exit()
    if how == "hangs":
        time.sleep(60)
    wrong = {"error": {"error": "It cannot be drawn."}, "fault": {"fault": "KeyError"}}
    drawn = {"svg": f"{asked.get('width')}-{asked.get('dark')}"}
    print(json.dumps(wrong.get(how, drawn)), flush=True)
"""
PAGE = Printed("v", "", None, [{"specification": how} for how in ("fine", "ends", "hangs", "error", "fault")])


@pytest.fixture(autouse=True)
def standin(monkeypatch):
    monkeypatch.setattr(printer, "_COMMAND", (sys.executable, "-c", STANDIN))


def run(work):
    async def closed():
        made = Printer()
        try:
            await work(made)
        finally:
            await made.close()

    asyncio.run(asyncio.wait_for(closed(), 60))


def test_a_picture_is_drawn_once_for_each_width_and_scheme():
    async def work(made):
        answers = [made.picture(PAGE, 1, "wide", dark) for dark in (True, False, True)]
        assert await asyncio.gather(*answers) == ["860-True", "860-False", "860-True"]
        first = made._process
        assert await made.picture(PAGE, 1, "narrow", False) == "340-False"
        assert made._process is first
        assert len(made._pictures) == 3

    run(work)


def test_a_process_that_is_gone_is_started_again():
    async def work(made):
        await made.picture(PAGE, 1, "wide", False)
        made._process.kill()
        await made._process.wait()
        assert await made.picture(PAGE, 1, "narrow", False) == "340-False"
        with pytest.raises(RuntimeError, match="ends at once"):
            await made.picture(PAGE, 2, "wide", False)
        assert await made.picture(PAGE, 1, "wide", True) == "860-True"

    run(work)


def test_one_that_hangs_is_ended_and_its_answer_given_to_nobody(monkeypatch):
    monkeypatch.setattr(printer, "_PATIENCE_S", 0.5)

    async def work(made):
        with pytest.raises(RefusedError) as refused:
            await made.picture(PAGE, 3, "wide", False)
        assert refused.value.answer.status == 503
        assert made._process is None
        monkeypatch.setattr(printer, "_PATIENCE_S", 30.0)
        leaving = asyncio.create_task(made.picture(PAGE, 3, "wide", False))
        await asyncio.sleep(0.3)
        leaving.cancel()
        with pytest.raises(asyncio.CancelledError):
            await leaving
        assert await made.picture(PAGE, 1, "narrow", True) == "340-True"

    run(work)


def test_what_cannot_be_drawn_is_refused_and_a_fault_is_ours():
    async def work(made):
        with pytest.raises(RefusedError, match="cannot be drawn") as refused:
            await made.picture(PAGE, 4, "wide", False)
        assert refused.value.answer.status == 503
        with pytest.raises(RuntimeError, match="KeyError"):
            await made.picture(PAGE, 5, "wide", False)

    run(work)


def test_so_many_wait_and_no_more(monkeypatch):
    monkeypatch.setattr(printer, "_MOST_WAITING", 2)
    monkeypatch.setattr(printer, "_PATIENCE_S", 1.0)

    async def work(made):
        asked = [made.picture(PAGE, 3, "wide", bool(number)) for number in range(2)]
        waiting = [asyncio.create_task(one) for one in asked]
        await asyncio.sleep(0.1)
        with pytest.raises(RefusedError) as refused:
            await made.picture(PAGE, 1, "wide", False)
        assert "Too many pages" in refused.value.answer.body["error"]
        await asyncio.gather(*waiting, return_exceptions=True)

    run(work)


def test_it_gets_ready_once_and_nothing_is_started_after_the_end():
    async def work(made):
        made.get_ready()
        made.get_ready()
        assert await made.picture(PAGE, 1, "wide", False) == "860-False"
        first = made._process
        made.get_ready()
        await made._readying
        assert made._process is first
        await made.close()
        made.get_ready()
        await made._readying
        assert made._process is None
        with pytest.raises(RefusedError, match="stopping"):
            await made.picture(PAGE, 1, "narrow", False)

    run(work)
