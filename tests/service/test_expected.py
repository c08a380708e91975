"""How long an audit will take: computed beside, one at a time, and remembered."""

import asyncio
import os
import signal
import subprocess
import sys
from types import SimpleNamespace

import pytest

from evenhand.service import expected
from evenhand.service.expected import Expectations, steps

SETTINGS = {"epsilon": 0.3, "alpha": 0.9, "budget": None, "delta": 0.1, "users": 2, "arms": 1}


def about(daily=None, **more):
    return SimpleNamespace(of_a_user=SETTINGS | more, settings={"daily": daily})


@pytest.mark.slow
def test_a_process_of_its_own_says_what_the_call_says(monkeypatch):
    monkeypatch.setattr(expected, "_SOON_S", 110.0)  # it lets everybody pass, also those beside the tests

    async def ask():
        made = Expectations()
        assert made.known(about()) is None
        found = await made.soon(about(daily=4))
        assert made.known(about(daily=4)) == found
        return found

    found = asyncio.run(ask())
    assert found["steps_a_user"] == steps(SETTINGS)
    assert found["days"] == {name: each / 4 for name, each in found["steps_a_user"].items()}


def test_the_process_ends_by_itself_when_nobody_is_left_to_end_it():
    """A server that is killed cannot, and a typical length may take hours."""
    command = [sys.executable, "-c", "from evenhand.service import expected; expected.main(0.2)"]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
        assert process.wait(30) == -signal.SIGALRM


class Processes:
    """Stands in for processes: counts those that run at once."""

    def __init__(self, monkeypatch, fails=None):
        self.now = self.most = self.count = 0
        self.fails = fails
        monkeypatch.setattr(expected, "_in_a_process", self.run)

    async def run(self, key):
        self.count += 1
        self.now += 1
        self.most = max(self.most, self.now)
        await asyncio.sleep(0.001)
        self.now -= 1
        if self.fails is not None:
            raise self.fails
        return {"nobody_better_off": len(key)}


def test_one_process_at_a_time_and_one_for_the_same(monkeypatch):
    processes = Processes(monkeypatch)

    async def ask():
        made = Expectations()
        asked = [about(epsilon=0.1 + i % 10 / 100) for i in range(50)]
        found = await asyncio.gather(*map(made.soon, asked))
        assert all(one is not None for one in found)

    asyncio.run(ask())
    assert processes.most == 1
    assert processes.count == 10


def test_what_is_remembered_is_bounded(monkeypatch):
    Processes(monkeypatch)
    monkeypatch.setattr(expected, "_MOST_KNOWN", 20)

    async def ask():
        made = Expectations()
        for i in range(60):
            await made.soon(about(epsilon=i / 100))
        assert len(made._known) == 20
        assert made._running == {}

    asyncio.run(ask())


def test_where_no_process_can_be_made_it_is_tried_again(monkeypatch):
    processes = Processes(monkeypatch, OSError("no memory"))

    async def ask():
        made = Expectations()
        assert await made.soon(about()) is None
        processes.fails = None
        for _ in range(100):
            if made.known(about()) is not None:
                return
            await asyncio.sleep(0.01)
        raise AssertionError("it was not tried again")

    asyncio.run(ask())


def test_a_process_that_takes_too_long_is_ended(monkeypatch):
    monkeypatch.setattr(expected, "_LONGEST_S", 0.05)
    ended, make = [], asyncio.create_subprocess_exec

    async def sleeps(*_, **told):
        made = await make("sleep", "60", **told)
        ended.append(made)
        return made

    monkeypatch.setattr(asyncio, "create_subprocess_exec", sleeps)
    assert asyncio.run(expected._in_a_process("{}")) is None
    with pytest.raises(ProcessLookupError):
        os.kill(ended[0].pid, 0)
