"""A day that is taken out counts no more: the rest is as if it had never come."""

from __future__ import annotations

import pytest

from evenhand import monitor
from evenhand.cli.monitors import words
from evenhand.errors import InputError
from evenhand.monitor.flags import listed
from evenhand.monitor.records import known_monitor
from monitor.worlds import PLAN, days, write_day, write_plan

DAYS = days(4)
SLIP = "1926-01-01"
FLAGS = '[[monitoring.flags]]\nid = "series.daily_relative_utility/*"\nbelow = 5.0\n'


@pytest.fixture
def world(tmp_path):
    for one in (*DAYS, SLIP):
        write_day(tmp_path, one, rows=900)
    store = monitor.open_store(str(tmp_path / "m.db"))
    yield write_plan(tmp_path, PLAN + FLAGS), store
    store.close()


def numbers(plan, store):
    """What all days say together, and what the last one does."""
    found = monitor.history(store, "feed")
    assert found.document is not None
    together = monitor.over_days(plan, store).findings
    return [(one.id, one.estimate) for one in (*found.document.findings, *together)], found.gaps


@pytest.mark.parametrize(
    ("order", "out"),
    [
        ([SLIP, *DAYS], SLIP),  # the first
        (DAYS, DAYS[3]),  # the last
        (DAYS, DAYS[1]),  # one between
        ([DAYS[0], DAYS[2], DAYS[1]], DAYS[1]),  # one that came late
        ([DAYS[0], DAYS[2], DAYS[1]], DAYS[2]),  # one that another came late after
    ],
)
def test_what_is_left_is_as_if_the_day_had_never_come(world, tmp_path, order, out):
    plan, store = world
    for one in order:
        monitor.add(plan, store, one, late=True)
    assert monitor.remove(plan, store, out, "a slip").what == "taken out"
    never = monitor.open_store(str(tmp_path / "never.db"))
    for one in order:
        if one != out:
            monitor.add(plan, never, one, late=True)
    (ours, gaps), (theirs, their_gaps) = numbers(plan, store), numbers(plan, never)
    assert gaps == their_gaps
    assert [one.remarks for one in monitor.history(store, "feed").days] == [
        one.remarks for one in monitor.history(never, "feed").days
    ]
    assert [name for name, _ in ours] == [name for name, _ in theirs]
    assert [value for _, value in ours] == pytest.approx([value for _, value in theirs], abs=1e-12)
    # The state is right, too: the next day goes on from it.
    if DAYS[3] not in order:
        for each in (store, never):
            monitor.add(plan, each, DAYS[3])
        assert [value for _, value in numbers(plan, store)[0]] == pytest.approx(
            [value for _, value in numbers(plan, never)[0]], abs=1e-12
        )


def test_the_only_day_can_be_taken_out_and_come_again(world):
    plan, store = world
    write_day(plan.parent, SLIP, rows=3_000)
    monitor.add(plan, store, SLIP)
    with store.reading() as connection:
        assert {one.state for one in listed(connection, known_monitor(connection, "feed").id)} == {"open"}
    monitor.remove(plan, store, SLIP, "the year")
    assert monitor.history(store, "feed").document is None
    with store.reading() as connection:
        assert {one.state for one in listed(connection, known_monitor(connection, "feed").id)} == {
            "withdrawn"
        }
    for one in DAYS[:2]:
        monitor.add(plan, store, one)
    assert monitor.history(store, "feed").regimes[0].first_day == DAYS[0]
    said = monitor.remove(plan, store, DAYS[1], "of another system").raised.texts
    assert all(f": {DAYS[1]} was corrected, taken out or added late" in one for one in said), said
    assert monitor.add(plan, store, DAYS[1]).what == "added"
    assert [one.revision for one in monitor.history(store, "feed").days] == [1, 2]


def test_what_cannot_be_taken_out_is_said(world):
    plan, store = world
    monitor.add(plan, store, DAYS[0])
    with pytest.raises(InputError, match="2026-01-02 is not in the store"):
        monitor.remove(plan, store, DAYS[1], "a slip")
    with pytest.raises(InputError, match="Say why"):
        monitor.remove(plan, store, DAYS[0], " ")


def test_a_slip_can_be_taken_out_of_a_regime_that_is_closed(world, tmp_path):
    """Nothing else of its regime is looked at again, and no page was to be had while it was there."""
    plan, store = world
    monitor.add(plan, store, SLIP)
    monitor.add(plan, store, DAYS[0], new_regime="counted otherwise")
    with pytest.raises(InputError, match="36,526, of which 2 are there, cannot be drawn"):
        monitor.write_page(store, "feed", tmp_path / "page")
    now = numbers(plan, store)
    removed = monitor.remove(plan, store, SLIP, "the year")
    assert (removed.what, removed.looked) == ("taken out", ())
    assert numbers(plan, store) == now
    found = monitor.history(store, "feed")
    assert [one.day for one in found.days] == [DAYS[0]]
    assert [one.number for one in found.regimes] == [2]
    assert "counted otherwise" not in monitor.write_page(store, "feed", tmp_path / "page").read_text()


def test_why_a_day_was_taken_out_is_shown_wherever_the_days_are(world, tmp_path):
    plan, store = world
    for one in DAYS:
        monitor.add(plan, store, one)
    write_day(tmp_path, DAYS[0], rows=950)
    monitor.correct(plan, store, DAYS[0], "late rows")
    monitor.remove(plan, store, DAYS[1], "of another <system>")
    monitor.remove(plan, store, DAYS[2], "half of a day")
    monitor.add(plan, store, DAYS[2], late=True)
    found = monitor.history(store, "feed")
    told = [(one.day, one.reason, one.added_again) for one in found.taken_out]
    assert told == [(DAYS[1], "of another <system>", False), (DAYS[2], "half of a day", True)]
    with store.reading() as connection:
        flags = listed(connection, known_monitor(connection, "feed").id)
    said = list(words.of_history(found, flags))
    assert [one for one in said if "was taken out" in one or "was corrected" in one] == [
        f"{DAYS[0]} was corrected: late rows",
        f"{DAYS[1]} was taken out: of another <system>",
        f"{DAYS[2]} was taken out, and added again: half of a day",
    ]
    page = monitor.write_page(store, "feed", tmp_path / "page").read_text(encoding="utf-8")
    assert "<td>of another &lt;system&gt;</td>" in page
    assert "<td>half of a day (added again since)</td>" in page
    assert page.count("late rows") >= 1


def test_why_the_only_day_was_taken_out_is_said_too(world):
    plan, store = world
    monitor.add(plan, store, SLIP)
    monitor.remove(plan, store, SLIP, "the\x1b[2J year")
    assert list(words.of_taken_out(monitor.history(store, "feed"))) == [f"{SLIP} was taken out: the␛[2J year"]
