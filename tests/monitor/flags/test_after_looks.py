"""Flags open and close by looks in a row, once each, and a correction can take them back."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import func, select

from evenhand.monitor import records
from evenhand.monitor.flags import after_looks
from evenhand.monitor.flags.debounce import Look, State, fold
from evenhand.store.flag_tables import flag_state
from monitor.followed import BAD, GOOD, NOTHING, RULE, UNSURE, Followed, date, followed, monitoring, penalty

BOTH = pytest.mark.parametrize(
    "address", ["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)], indirect=True
)


@pytest.fixture
def world(address):
    world = Followed(address)
    yield world
    world.store.close()


@pytest.mark.parametrize(
    ("looks", "open_after", "close_after", "flags"),
    [
        ([GOOD, GOOD], 1, 1, []),
        ([GOOD, BAD], 1, 1, [(2, None)]),
        ([BAD, GOOD, BAD], 1, 1, [(1, 2), (3, None)]),
        ([BAD, GOOD, BAD], 2, 1, []),
        ([BAD, BAD, GOOD, BAD], 2, 2, [(2, None)]),
        ([BAD, BAD, GOOD, GOOD], 2, 2, [(2, 4)]),
        ([BAD, BAD, GOOD, BAD, GOOD, GOOD], 2, 2, [(2, 6)]),
        # What was not computed neither counts nor breaks a row, and is no all-clear.
        ([BAD, NOTHING, BAD], 2, 1, [(3, None)]),
        ([BAD, NOTHING, NOTHING], 1, 1, [(1, None)]),
        ([BAD, GOOD, NOTHING, GOOD], 1, 2, [(1, 4)]),
        # What is not decided does not raise it, does not end it, and breaks either row.
        ([UNSURE, UNSURE], 1, 1, []),
        ([BAD, UNSURE], 1, 1, [(1, None)]),
        ([BAD, UNSURE, GOOD], 1, 1, [(1, 3)]),
        ([BAD, GOOD, UNSURE, GOOD], 1, 2, [(1, None)]),
        ([BAD, UNSURE, BAD], 2, 1, []),
    ],
)
def test_opening_and_closing_are_debounced(world, looks, open_after, close_after, flags):
    plan = monitoring([{**RULE, "open_after": open_after, "close_after": close_after}])
    world.looks(looks, plan)
    assert world.flags() == [
        ("closed" if closed else "open", date(opened), date(closed) if closed else None)
        for opened, closed in flags
    ]
    assert len(world.events()) == sum(1 + bool(closed) for _, closed in flags)


def test_a_flag_that_a_look_does_not_decide_is_said_to_stay_open(world):
    plan = monitoring()
    assert world.look(1, penalty(BAD), plan=plan).undecided == ()
    (told,) = world.look(2, penalty(UNSURE), plan=plan).undecided
    assert told.startswith("The flag “penalty” of 2026-01-01 stays open: 2026-01-02 decides nothing. ")
    assert world.look(3, penalty(GOOD), plan=plan).undecided == ()


def test_a_finding_that_is_not_in_a_look_keeps_its_flag(world):
    plan = monitoring()
    world.look(1, penalty(BAD), plan=plan)
    raised = world.look(2, penalty(BAD, group="gender"), plan=plan)
    assert [state for state, *_ in world.flags()] == ["open", "open"]
    assert raised.unmatched == ()


def test_a_rule_that_fits_nothing_is_named(world):
    assert world.look(1, penalty(BAD), plan=monitoring([{**RULE, "measure": "reo_penlty"}])).unmatched == (
        "penalty",
    )


@BOTH
def test_told_again_of_the_same_looks_nothing_changes(world):
    plan = monitoring(tell=[{"name": "f", "by": "file", "path": "x"}])
    world.looks([BAD, GOOD, BAD], plan)
    before = world.flags(), world.messages(), world.waiting("f")
    for since in (1, 2, 3, 3):
        with world.store.writing() as connection:
            assert after_looks(connection, 1, plan, since=date(since)).texts == ()
    assert (world.flags(), world.messages(), world.waiting("f")) == before


def test_a_look_that_is_not_committed_leaves_neither_flag_nor_message(world):
    plan = monitoring(tell=[{"name": "f", "by": "file", "path": "x"}])

    def add_and_fail() -> None:
        with world.store.writing() as connection:
            world.put(connection, 1, penalty(BAD))
            assert after_looks(connection, 1, plan, since=date(1)).texts
            raise InterruptedError

    with pytest.raises(InterruptedError):
        add_and_fail()
    assert world.flags() == []
    assert world.waiting("f") == []


@BOTH
def test_a_correction_withdraws_a_flag_and_says_so(world):
    plan = monitoring()
    world.looks([GOOD, BAD, BAD], plan)
    world.look(3, penalty(GOOD), plan=plan)
    assert world.flags() == [("closed", date(2), date(3))]
    raised = world.look(2, penalty(GOOD), plan=plan)
    assert world.flags()[0][0] == "withdrawn"
    assert raised.texts == (
        "The flag “penalty” of 2026-01-02 is withdrawn: 2026-01-02 was corrected, taken out or added late, "
        "and the looks do not raise it any more.",
    )
    # What was withdrawn stays so, and opens as another flag with another id.
    world.look(2, penalty(BAD), plan=plan)
    assert [state for state, *_ in world.flags()] == ["withdrawn", "closed"]
    ids = [message["id"] for message in world.messages()]
    assert len(set(ids)) == len(ids)


@BOTH
def test_a_correction_can_open_a_flag_again_or_move_its_days(world):
    plan = monitoring([{**RULE, "open_after": 2}])
    world.looks([GOOD, BAD, BAD, GOOD], plan)
    assert world.flags() == [("closed", date(3), date(4))]
    assert "is open again" in world.look(4, penalty(BAD), plan=plan).texts[0]
    assert world.flags() == [("open", date(3), None)]
    # The row begins a day earlier: the same flag, and whoever was told of another day is told.
    (moved,) = world.look(1, penalty(BAD), plan=plan).texts
    assert moved == (
        "The flag “penalty” of 2026-01-03 is now of 2026-01-02: 2026-01-01 was corrected, taken out or "
        "added late, and the looks from then on were made again."
    )
    assert world.flags() == [("open", date(2), None)]
    assert [kind for kind, _ in world.events()] == ["opened", "closed", "reopened", "moved"]


@BOTH
def test_a_flag_quotes_the_look_that_opens_it_as_it_is_now(world):
    plan = monitoring()
    world.looks([BAD, BAD], plan)
    before = world.said()
    world.look(1, penalty((0.4, 0.5)), plan=plan)
    (of_first,) = world.said()
    assert [of_first] != before
    assert "40 to 50%" in of_first
    assert [kind for kind, _ in world.events()] == ["opened"]
    # The first look is not decided any more: the flag is that of the second, and says what that says.
    world.look(1, penalty(UNSURE), plan=plan)
    assert world.flags() == [("open", date(2), None)]
    assert world.said() == before
    told = world.messages()[-1]
    assert (told["type"], told["day"]) == ("flag.moved", date(1))
    assert before[0] in told["text"]


@BOTH
def test_a_flag_that_closes_on_another_day_is_told(world):
    plan = monitoring()
    world.looks([BAD, GOOD, GOOD], plan)
    (said,) = world.look(2, penalty(UNSURE), plan=plan).texts
    assert "closed on 2026-01-03, and not on 2026-01-02" in said


@BOTH
def test_a_rule_that_changes_begins_anew_and_its_open_flags_are_withdrawn(world):
    world.looks([BAD, BAD], monitoring())
    higher = monitoring([{"name": "penalty", "measure": "reo_penalty", "above": 0.25}])
    raised = world.look(3, penalty(BAD), plan=higher)
    assert "the plan has no such rule any more" in raised.texts[0]
    assert world.flags() == [("withdrawn", date(1), None)]
    world.look(4, penalty((0.26, 0.3)), plan=higher)
    # The two days before the rule was written are not judged by it, whatever is corrected.
    world.look(1, penalty((0.3, 0.4)), plan=higher)
    assert world.flags() == [("withdrawn", date(1), None), ("open", date(4), None)]


def test_other_words_or_people_do_not_make_another_rule(world):
    world.look(1, penalty(BAD), plan=monitoring())
    world.look(2, penalty(BAD), plan=monitoring([{**RULE, "then": "Call.", "when": "violation"}]))
    assert world.flags() == [("open", date(1), None)]


@BOTH
def test_whoever_was_told_hears_that_the_plan_gave_a_flag_up(world):
    tell = [{"name": "f", "by": "file", "path": "x"}, {"name": "g", "by": "file", "path": "y"}]
    world.look(1, penalty(BAD), plan=monitoring([{**RULE, "tell": ["f"]}], tell))
    world.look(2, penalty(BAD), plan=monitoring([{**RULE, "name": "other"}], tell))
    assert len(world.waiting("f")) == 3  # opened, withdrawn, and the other rule's
    assert len(world.waiting("g")) == 1


def test_whoever_was_told_hears_the_end_though_the_rule_tells_others_now(world):
    tell = [{"name": name, "by": "file", "path": name} for name in ("old", "new")]
    world.look(1, penalty(BAD), plan=monitoring([{**RULE, "tell": ["old"]}], tell))
    world.look(2, penalty(GOOD), plan=monitoring([{**RULE, "tell": ["new"]}], tell))
    assert (len(world.waiting("old")), len(world.waiting("new"))) == (2, 1)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    looks=st.lists(st.sampled_from([BAD, GOOD, UNSURE, NOTHING]), min_size=1, max_size=12),
    corrected=st.lists(st.tuples(st.integers(0, 11), st.sampled_from([BAD, GOOD, NOTHING])), max_size=4),
    debounce=st.tuples(st.integers(1, 3), st.integers(1, 3)),
)
def test_however_days_came_in_the_flags_are_those_of_the_looks(tmp_path_factory, looks, corrected, debounce):
    """Days one by one with corrections between them end where one pass over the final looks ends."""
    plan = monitoring([{**RULE, "open_after": debounce[0], "close_after": debounce[1]}])
    world = followed(tmp_path_factory.mktemp("store"))
    final = list(looks)
    world.looks(looks, plan)
    for place, limits in corrected:
        if place < len(final):
            final[place] = limits
            world.look(place + 1, penalty(limits), plan=plan)
    days = [Look(date(number), (penalty(limits),)) for number, limits in enumerate(final, 1)]
    _, episodes = fold(plan.flags, State(), days)
    valid = sorted((opened, closed or "") for state, opened, closed in world.flags() if state != "withdrawn")
    assert valid == sorted((one.opened, one.closed or "") for one in episodes)
    # Every message is of its own, and they tell a story: nothing closes that is not open.
    ids = [message["id"] for message in world.messages()]
    assert len(set(ids)) == len(ids)
    world.store.close()


def test_a_day_costs_as_much_after_a_year(world, monkeypatch):
    """The looks before are not read again: only the state after the last of them is."""
    plan = monitoring([{**RULE, "open_after": 3}])
    world.looks([BAD, GOOD] * 5, plan)
    read = []
    original = records.read_document
    monkeypatch.setattr(records, "read_document", lambda text: read.append(text) or original(text))
    world.look(11, penalty(GOOD), plan=plan)
    assert len(read) == 1
    with world.store.reading() as connection:
        assert connection.execute(select(func.max(func.length(flag_state.c.content)))).scalar_one() < 300
