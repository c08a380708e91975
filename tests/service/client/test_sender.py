"""Reports: they arrive once, in order, whatever is in the way; or it is known why not."""

import errno
import json
import os
import subprocess
import sys
import textwrap
import threading
from functools import partial

import pytest

from evenhand.errors import InputError
from evenhand.service.client import client as module
from evenhand.service.client import sender
from service.client.fake import AUDIT, TOKEN


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    monkeypatch.setattr(sender, "_FIRST_S", 0.01)


def test_shown_and_rewards_arrive_in_batches(fake, client):
    one = client()
    found = [one.assign("ann") for _ in range(3)]
    for i, each in enumerate(found):
        one.shown(each)
        one.reward(each.id, i / 2, observed_at=100.0 + i)
    assert one.flush(30)
    ids = [each.id for each in found]
    assert fake.done == [("shown", id_) for id_ in ids] + [
        ("reward", id_, i / 2) for i, id_ in enumerate(ids)
    ]
    rewards = [said for _, body, _ in fake.said("/rewards") for said in body]
    assert [said["observed_at"] for said in rewards] == [100.0, 101.0, 102.0]
    assert (one.stats().spooled, one.stats().sent, one.stats().dropped) == (0, 6, {})


def test_what_has_no_id_is_not_reported(fake, client):
    one = client()
    found = one.assign("zoe")
    one.shown(found)
    one.reward(found, 1.0)
    assert one.stats().spooled == 0


def test_without_a_flush_they_are_sent_all_the_same(fake, client):
    one = client()
    one.shown("id-1")
    fake.wait_for("/shown", 1)


def test_an_answer_that_was_lost_is_asked_for_again_under_the_same_key(fake, client):
    one = client()
    fake.how = {"/shown": "lose"}
    one.shown("id-1")
    fake.wait_for("/shown", 4)
    fake.how = {}
    assert one.flush(30)
    assert fake.done == [("shown", "id-1")]  # once, though it came at least five times
    assert len({key for key, *_ in fake.said("/shown")}) == 1


@pytest.mark.parametrize("how", ["fail", "close", "garbage", "not_json", "forbid"])
def test_a_server_that_is_wrong_gets_it_when_it_is_right(fake, client, how):
    one = client()
    fake.how = {"/shown": how, "/rewards": how}
    one.shown("id-1")
    one.reward("id-1", 1.0)
    fake.wait_for("/shown", 3)
    assert fake.said("/rewards") == []  # not before it is told that it was shown
    assert one.stats().spooled == 2
    assert one.stats().trouble.startswith("What was reported waits: The server")
    fake.how = {}
    assert one.flush(30)
    assert fake.done == [("shown", "id-1"), ("reward", "id-1", 1.0)]


def test_what_is_refused_for_good_is_dropped_and_it_is_known_why(fake, client):
    one = client()
    fake.results = {
        "id-2": {"status": 409, "error": "Another reward was reported for this assignment before."},
        "id-3": {"status": 404, "error": "There is no such assignment."},
        "id-4": {"status": 200, "counted": False},
    }
    for i in range(1, 5):
        one.reward(f"id-{i}", 1.0)
    assert one.flush(30)
    stats = one.stats()
    assert (stats.sent, stats.uncounted, stats.spooled) == (2, 1, 0)
    assert stats.dropped == {
        "409: Another reward was reported for this assignment before.": 1,
        "404: There is no such assignment.": 1,
    }
    assert [(each.kind, each.assignment, each.why[:3]) for each in one.dropped()] == [
        ("reward", "id-2", "409"),
        ("reward", "id-3", "404"),
    ]


def test_a_reward_from_a_process_that_is_quicker_than_the_one_that_shows_is_not_lost(
    fake, client, monkeypatch
):
    monkeypatch.setattr(sender, "_EARLY_S", 0.05)
    one = client()
    fake.results = {"id-1": {"status": 425, "error": "This assignment was not reported as shown yet."}}
    one.reward("id-1", 1.0)
    one.reward("id-2", 0.5)
    one.flush(0)
    fake.wait_for("/rewards", 3)
    assert one.stats().dropped == {}
    assert fake.done == [("reward", "id-2", 0.5)]  # it keeps no other back
    fake.results = {}
    assert one.flush(30)
    assert fake.done == [("reward", "id-2", 0.5), ("reward", "id-1", 1.0)]


def test_one_that_could_not_be_taken_is_sent_again_with_another_key(fake, client):
    one = client()
    fake.results = {"id-2": {"status": 503, "error": "Later."}}
    one.shown("id-1")
    one.shown("id-2")
    one.flush(0)
    fake.wait_for("/shown", 2)
    fake.results = {}
    assert one.flush(30)
    assert fake.done == [("shown", "id-1"), ("shown", "id-2")]


def test_a_batch_that_is_refused_in_one_piece_is_sent_one_by_one(fake, client):
    one = client()
    fake.how = {"/shown": "refuse_many"}
    for i in range(5):
        one.shown(f"id-{i}")
    assert one.flush(30)
    assert fake.done == [("shown", f"id-{i}") for i in range(5)]
    fake.how = {"/shown": "refuse"}
    one.shown("id-9")
    assert one.flush(30)
    assert one.stats().dropped == {"422: No.": 1}


@pytest.mark.parametrize("how", ["fail", "early"])
def test_who_opts_out_is_left_alone_at_once(fake, client, how):
    one = client()
    fake.how = {"/opt-outs": how}
    one.opt_out("ann")
    assert one.assign("ann").reason == "opted_out"
    one.opt_out("ann")
    fake.wait_for("/opt-outs", 2)
    one.close(0)
    again = client()
    assert again.assign("ann").reason == "opted_out"  # also after a restart, though no server knows it yet
    fake.how = {}
    assert again.flush(30)
    assert fake.opted_out == ["ann"]
    assert fake.said("/assignments") == []


def test_close_flushes_and_what_is_not_sent_is_sent_by_the_next(fake, client):
    with client() as one:
        one.shown("id-1")
    assert fake.done == [("shown", "id-1")]
    fake.how = {"/shown": "hang"}
    one = client()
    one.shown("id-2")
    one.close(0.01)
    fake.how = {}
    again = client()
    assert again.flush(30)
    assert fake.done == [("shown", "id-1"), ("shown", "id-2")]
    assert sorted(path.name for path in again._spool.folder.iterdir())[-1] == "lock"


def test_a_spool_that_is_full_drops_the_oldest_and_counts_them(fake, client, monkeypatch):
    monkeypatch.setattr(module, "Spool", partial(module.Spool, most=3))
    one = client()
    fake.how = {"/shown": "hang"}
    one.shown("id-0")
    fake.wait_for("/shown", 1)  # on its way
    for i in range(1, 5):
        one.shown(f"id-{i}")
    stats = one.stats()
    assert (stats.spooled, stats.dropped) == (3, {"The spool was full, and the oldest made place.": 2})
    assert [each.assignment for each in one.dropped()] == ["id-1", "id-2"]


def test_a_disk_that_is_full_is_said_and_nothing_is_lost(fake, client, monkeypatch):
    one, write = client(), os.write

    def full(file, text):
        if file == one._spool._file:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(file, text)

    monkeypatch.setattr(os, "write", full)
    one.shown("id-1")
    assert one.stats().trouble.startswith("The spool cannot be written to")
    assert one.flush(30)
    assert fake.done == [("shown", "id-1")]


def test_half_a_line_is_counted(fake, client, tmp_path):
    (tmp_path / "spool").mkdir()
    (tmp_path / "spool" / "000000000001.jsonl").write_text('{"n": 1, "kin')
    assert client().stats().dropped == {"A line of the spool could not be read.": 1}


def test_many_threads_at_once(fake, client):
    one, kept = client(), []

    def visit():
        for i in range(25):
            found = one.assign("ann")
            one.shown(found)
            one.reward(found, 0.5)
            kept.append(found.id)
            if i == 12:
                fake.how = {"/shown": "lose", "/rewards": "lose"}
            if i == 20:
                fake.how = {}

    threads = [threading.Thread(target=visit) for _ in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    fake.how = {}
    assert one.flush(60)
    assert len(set(kept)) == 200
    assert sorted(fake.done) == sorted(
        [("shown", id_) for id_ in kept] + [("reward", id_, 0.5) for id_ in kept]
    )
    place = {said[:2]: i for i, said in enumerate(fake.done)}
    assert all(place["shown", id_] < place["reward", id_] for id_ in kept)
    assert one.stats().sent == 400


def test_two_clients_do_not_share_a_spool(client):
    client()
    with pytest.raises(InputError, match="Another client uses the spool"):
        client()


KILLED = """
    import json, sys
    from evenhand.service import Client
    url, token, audit, spool = json.loads(sys.argv[1])
    client = Client(url, token, audit, spool=spool)
    for i in range(40):
        client.shown(f"id-{i}")
        client.reward(f"id-{i}", i / 40, observed_at=1000.0 + i)
    print("spooled", flush=True)
    client.flush(60)
"""


@pytest.mark.parametrize("how", ["lose", "hang", "fail"])
def test_killed_and_begun_again_everything_arrives_once_and_in_order(fake, client, tmp_path, how):
    fake.how = {"/shown": how, "/rewards": how}
    told = json.dumps([fake.url, TOKEN, AUDIT, str(tmp_path / "spool")])
    command = [sys.executable, "-c", textwrap.dedent(KILLED), told]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "spooled\n"
        fake.wait_for("/shown", 1)
        process.kill()
    before = [key for key, *_ in fake.said("/shown")]
    fake.how = {}
    one = client()
    assert one.flush(30)
    assert [said for said in fake.done if said[0] == "shown"] == [("shown", f"id-{i}") for i in range(40)]
    assert [said for said in fake.done if said[0] == "reward"] == [
        ("reward", f"id-{i}", i / 40) for i in range(40)
    ]
    for i in range(40):
        assert fake.done.index(("shown", f"id-{i}")) < fake.done.index(("reward", f"id-{i}", i / 40))
    assert before[0] == [key for key, *_ in fake.said("/shown")][len(before)]  # the batch that was on its way
    assert len(one._spool) == 0


def test_with_a_token_of_another_audit_reports_wait(fake, client):
    fake.how = {"/targets": "unknown", "/opt-outs": "unknown"}
    fake.results = {"id-1": {"status": 404, "error": "There is no such assignment."}}
    one = client(ready=False)
    one.reward("id-1", 1.0)
    fake.wait_for("/rewards", 2)
    one.opt_out("ann")
    fake.wait_for("/opt-outs", 2)
    assert (one.stats().spooled, one.dropped()) == (2, [])
    assert "404: There is no such" in one.stats().trouble
    one.close(0)
    fake.how, fake.results = {}, {}
    with client() as one:  # with the right one
        assert one.flush(30)
        assert (one.stats().sent, one.dropped()) == (2, [])
    assert (fake.done, fake.opted_out) == ([("reward", "id-1", 1.0)], ["ann"])


@pytest.mark.parametrize("path", ["/rewards", "/shown", "/opt-outs"])
def test_a_proxy_that_finds_no_server_refuses_nothing_for_good(fake, client, path):
    one = client()
    fake.how = {path: "elsewhere"}
    one.shown("id-1")
    one.reward("id-2", 1.0)
    one.opt_out("ann")
    fake.wait_for(path, 2)
    fake.how = {}
    assert one.flush(30)
    assert (one.stats().sent, one.dropped()) == (3, [])
