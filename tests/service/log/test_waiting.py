"""Visits first, then batches: at least one each time, and no more than a transaction takes."""

import threading

import pytest

from evenhand.service.log import waiting
from evenhand.service.log.answers import TOO_MANY
from evenhand.service.log.waiting import Waiting


def test_what_is_one_thing_goes_first_and_a_batch_with_it():
    line = Waiting()
    for name in ("a", "b", "c"):
        assert line.put(name, 600)
    for name in ("x", "y"):
        assert line.put(name)
    assert len(line) == 1_802
    assert line.take() == ["x", "y", "a"]
    line.put("d", 300)
    assert line.take() == ["b"]
    assert line.take() == ["c", "d"]
    assert len(line) == 0


def test_many_visits_keep_no_batch_back_for_ever():
    line = Waiting()
    line.put("batch", 1_000)
    for number in range(2_500):
        line.put(number)
    first = line.take()
    assert (len(first), first[-1]) == (1_001, "batch")
    assert line.take() == list(range(1_000, 2_000))


def test_there_is_room_for_so_many_in_batches_and_for_visits_beside(monkeypatch):
    monkeypatch.setattr(waiting, "MOST_IN_BATCHES", 1_000)
    line = Waiting()
    assert line.put("a", 1_000)
    assert not line.put("b", 2)
    assert line.put("visit")
    line.take()
    assert line.put("b", 2)


def test_one_who_waits_is_woken_and_after_the_end_nothing_comes_in():
    line, taken = Waiting(), []
    thread = threading.Thread(target=lambda: taken.extend([line.take(), line.take(), line.take()]))
    thread.start()
    line.put("a")
    while not taken and len(line):
        pass
    line.put("b", 5)
    line.close()
    thread.join(10)
    assert [one for some in taken for one in some] == ["a", "b"]
    assert not line.put("c")
    assert line.take() == []


@pytest.mark.parametrize("size", [1, 3])
def test_whoever_finds_no_room_hears_it_at_once(desk, monkeypatch, size):
    monkeypatch.setattr(waiting, "MOST_IN_BATCHES", 2)
    audit = desk.audit()
    made = [desk("assign", audit, "user-0").body["id"] for _ in range(3)]
    answer = desk("rewards", [(one, 0.5, None) for one in made[:size]])
    assert (answer == TOO_MANY) is (size == 3)
    assert desk("assign", audit, "user-1").status == 201
