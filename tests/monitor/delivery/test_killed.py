"""Killed at any moment between storing and sending: every flag is delivered, in order, and shown once."""

from __future__ import annotations

import json
import multiprocessing
import random
import time

import pytest

from monitor.delivery.adding import add_days
from monitor.delivery.receivers import receiving
from monitor.followed import Followed, monitoring


@pytest.mark.parametrize(
    ("address", "kills"),
    [
        ("sqlite", 5),
        pytest.param("sqlite", 30, marks=[pytest.mark.slow, pytest.mark.whole]),
        pytest.param("postgresql", 5, marks=pytest.mark.slow),
    ],
    indirect=["address"],
)
def test_killed_at_random_moments(address, tmp_path, kills):
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["monitor.delivery.adding", "evenhand.monitor.delivery.webhook"])
    days, rng, later = 6 * kills, random.Random(kills), 0.0
    stored_and_not_sent = 0
    with receiving(lambda: time.time() + later) as receiver:
        plan = monitoring(
            tell=[
                {"name": "hook", "by": "webhook", "url": receiver.url, "secret_from": "FLAG_SECRET"},
                {"name": "list", "by": "file", "path": "flags.jsonl"},
            ]
        )
        world = Followed(address)
        for kill in range(kills + 1):
            later += 100
            hears, began = context.Pipe(duplex=False)
            process = context.Process(
                target=add_days, args=(address, str(tmp_path), plan, days, later, began)
            )
            process.start()
            began.close()
            assert hears.poll(60)
            if kill < kills and not stored_and_not_sent:
                while process.is_alive() and not world.waiting("hook"):
                    pass
                process.kill()
            elif kill < kills:
                time.sleep(rng.uniform(0, 0.4))
                process.kill()
            process.join(120)
            stored_and_not_sent += bool(world.waiting("hook"))
        assert process.exitcode == 0
    # Some of the kills must have come between storing and sending, or this shows nothing: until one has, they
    # come as soon as something waits.
    assert stored_and_not_sent > 0
    messages = [one["id"] for one in world.messages()]
    assert len(messages) == days
    assert world.waiting("hook") == world.waiting("list") == []
    assert receiver.shown == messages
    assert receiver.refused == []
    lines = (tmp_path / "flags.jsonl").read_text().splitlines()
    assert [json.loads(line)["id"] for line in lines] == messages
    flags = world.flags()
    assert len(flags) == len(set(flags)) == days // 2
    late = f"{stored_and_not_sent} of {kills} kills came before sending"
    print(f"{late}; {len(receiver.got) - days} repeats")
    world.store.close()
