"""Files that are only appended to: what waits, in which batches, after any end of the process."""

import errno
import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.errors import InputError
from evenhand.service.client.spool import KINDS, Spool


@pytest.fixture
def spool(tmp_path):
    made = []

    def make(**options):
        for one in made:
            _end(one)
        made.append(Spool(tmp_path / "spool", **options))
        return made[-1]

    yield make
    for one in made:
        one.close()


def _end(one):
    """As a process that is killed: what it holds goes, and nothing is done."""
    if not one._closed:
        os.close(one._hold)
        os.close(one._file)
        one._closed = True


def said(batch):
    return None if batch is None else [(one.kind, one.of) for one in batch.items]


def test_shown_comes_before_the_rewards_and_the_oldest_first(spool):
    one = spool()
    for i in range(3):
        one.add("shown", f"a{i}", 1.0)
        one.add("reward", f"a{i}", 2.0, 0.5)
    first = one.next_batch(100)
    assert said(first) == [("shown", "a0"), ("shown", "a1"), ("shown", "a2")]
    one.add("shown", "a3", 3.0)
    one.add("reward", "a3", 3.0, 1.0)
    assert one.next_batch(100) is first  # until it is answered
    one.done(first.items)
    second = one.next_batch(100)
    # Rewards that are older do not wait for ever; the one whose showing is not told waits.
    assert said(second) == [("reward", "a0"), ("reward", "a1"), ("reward", "a2")]
    one.done(second.items)
    third = one.next_batch(100)
    one.done(third.items)
    fourth = one.next_batch(100)
    assert (said(third), said(fourth)) == ([("shown", "a3")], [("reward", "a3")])
    one.done(fourth.items)
    assert one.next_batch(100) is None
    assert len({b.key for b in (first, second, third, fourth)}) == 4


def test_a_reward_that_was_told_first_waits_for_what_was_shown(spool):
    one = spool()
    one.add("reward", "a", 1.0, 1.0)
    one.add("shown", "a", 1.0)
    assert said(one.next_batch(100)) == [("shown", "a")]


def test_who_opts_out_comes_first_and_alone(spool):
    one = spool()
    one.add("shown", "a", 1.0)
    one.add("opt_out", "ann", 1.0, audit="x")
    assert said(one.next_batch(100)) == [("opt_out", "ann")]


def test_what_waits_and_its_batch_survive_the_end(spool):
    one = spool()
    for i in range(5):
        one.add("shown", f"a{i}", float(i))
    done = one.next_batch(2)
    one.done(done.items[:1])
    under_way = one.next_batch(2)
    one.add("reward", "a0", 9.5, 0.25)
    again = spool()
    assert again.next_batch(500) == under_way  # its key and its content
    again.done(under_way.items)
    rest = again.next_batch(500)
    assert said(rest) == [("shown", "a3"), ("shown", "a4")]
    again.done(rest.items)
    (reward,) = again.next_batch(500).items
    assert (reward.of, reward.at, reward.reward) == ("a0", 9.5, 0.25)


def test_a_batch_of_which_some_are_done_is_another_batch(spool):
    one = spool()
    one.add("shown", "a", 1.0)
    one.add("shown", "b", 1.0)
    first = one.next_batch(10)
    one.done(first.items[:1])
    again = spool()
    second = again.next_batch(10)
    assert said(second) == [("shown", "b")]
    assert second.key != first.key


def test_one_process_at_a_time(spool, tmp_path):
    spool()
    with pytest.raises(InputError, match=r"Another client uses the spool .*; give each client"):
        Spool(tmp_path / "spool")


def test_files_go_when_all_in_them_is_done(spool):
    one = spool(file_bytes=1_000)
    for i in range(200):
        one.add("shown", f"assignment-{i}", 1.0)
    files = len(list(one.folder.glob("*.jsonl")))
    assert files > 5
    while (batch := one.next_batch(10)) is not None:
        one.done(batch.items)
    assert len(list(one.folder.glob("*.jsonl"))) == 1
    again = spool()
    assert len(again) == 0
    again.close()
    assert [path.name for path in one.folder.iterdir()] == ["lock"]


def test_killed_at_any_file_the_same_waits(spool):
    """Whatever is deleted of the files: what is done never comes back, what is not is never gone."""
    one, left = spool(file_bytes=300), []
    for i in range(60):
        one.add("shown", f"a{i}", 1.0)
        left.append(f"a{i}")
        if i % 3 == 2:
            batch = one.next_batch(2)
            one.done(batch.items)
            left = [of for of in left if of not in {item.of for item in batch.items}]
        if i % 7 == 6:
            one = spool(file_bytes=300)
        assert [item.of for item in one.waiting("shown")] == left


_STEP = st.one_of(
    st.tuples(st.just("add"), st.sampled_from(["shown", "reward"]), st.integers(0, 5)),
    st.tuples(st.just("send"), st.integers(1, 4), st.booleans()),
    st.just(("killed",)),
)


@settings(max_examples=60, deadline=None)
@given(steps=st.lists(_STEP, max_size=40))
def test_whatever_happens_what_waits_is_what_was_added_and_is_not_done(tmp_path_factory, steps):
    """Files of a few lines each, and a process that is killed again and again, against a list."""
    folder, waits = tmp_path_factory.mktemp("spool"), []
    one, under_way = Spool(folder, file_bytes=200), None
    for step in steps:
        if step[0] == "add":
            one.add(step[1], f"a{step[2]}", 1.0, 0.5 if step[1] == "reward" else None)
            waits.append((step[1], f"a{step[2]}"))
        elif step[0] == "killed":
            _end(one)
            one = Spool(folder, file_bytes=200)
        else:
            batch = one.next_batch(step[1])
            assert under_way in (None, batch)
            under_way = batch
            if batch is not None and step[2]:
                one.done(batch.items)
                under_way = None
                for item in batch.items:
                    waits.remove((item.kind, item.of))
        found = sorted((item.n, item.kind, item.of) for kind in KINDS for item in one.waiting(kind))
        assert [each[1:] for each in found] == waits
    one.close()


def test_what_is_too_much_makes_the_oldest_go_and_it_stays_gone(spool):
    one = spool(most=4)
    one.add("opt_out", "ann", 1.0, audit="x")
    gone = [one.add("shown", f"a{i}", 1.0) for i in range(3)]
    under_way = one.next_batch(10)
    one.done(under_way.items)
    batch = one.next_batch(2)  # a0 and a1 are on their way
    gone += [one.add("shown", f"a{i}", 1.0) for i in range(3, 6)]
    assert [each and each.of for each in gone] == [None, None, None, None, "a2", "a3"]
    assert said(batch) == [("shown", "a0"), ("shown", "a1")]
    assert [item.of for item in spool(most=4).waiting("shown")] == ["a0", "a1", "a4", "a5"]


def test_the_wish_to_be_left_alone_is_never_dropped(spool):
    one = spool(most=2)
    one.add("opt_out", "ann", 1.0, audit="x")
    gone = [one.add("shown", f"a{i}", 1.0) for i in range(3)]
    assert [each and each.of for each in gone] == [None, "a0", "a1"]
    assert [item.of for item in one.waiting("opt_out")] == ["ann"]


def test_half_a_line_is_left_out_and_the_next_is_whole(spool):
    one = spool()
    one.add("shown", "a", 1.0)
    os.write(one._file, b'{"n": 2, "kind": "sho')
    again = spool()
    assert (len(again), again.unreadable) == (1, 1)
    again.add("shown", "b", 1.0)
    assert [item.of for item in spool().waiting("shown")] == ["a", "b"]


@pytest.mark.parametrize("line", ['{"n": "x", "kind": "shown", "of": "a", "at": 1.0}', "[" * 100_000])
def test_what_cannot_be_understood_is_left_out(spool, line):
    one = spool()
    one.add("shown", "b", 1.0)
    (one.folder / "000000000000.jsonl").write_text(f"{line}\n")
    again = spool()
    assert (said(again.next_batch(10)), again.unreadable) == ([("shown", "b")], 1)


def test_files_that_are_not_of_the_spool_are_let_be(spool):
    """Such as a copy that somebody made of one."""
    one = spool()
    one.add("shown", "a", 1.0)
    copy = one.folder / "copy.jsonl"
    copy.write_text(one._path.read_text())
    again = spool()
    again.done(again.next_batch(10).items)
    again.close()
    assert sorted(path.name for path in one.folder.iterdir()) == ["copy.jsonl", "lock"]


def test_a_disk_that_is_full_loses_nothing_while_the_process_lives(spool, monkeypatch):
    one, write = spool(), os.write
    one.add("shown", "a", 1.0)

    def full(file, text):
        write(file, text[:5])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    one.add("shown", "b", 1.0)
    monkeypatch.undo()
    one.add("shown", "c", 1.0)
    assert said(one.next_batch(10)) == [("shown", "a"), ("shown", "b"), ("shown", "c")]
    again = spool()
    assert [item.of for item in again.waiting("shown")] == ["a", "c"]
    assert said(again.next_batch(10)) == [("shown", "a"), ("shown", "c")]
