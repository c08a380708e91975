"""Nothing expires by a clock that jumped; nobody loses a reward by an outage; time never goes back."""

import sqlite3

import pytest

from evenhand.errors import InputError
from evenhand.service.log.answers import DamagedError
from evenhand.service.log.clock import PATIENCE, Clock
from evenhand.store.connecting import Store

DAY = 86_400.0


def moved(desk, time, seconds):
    """The last kind of event of user-0, after a jump of the wall alone and a sweep."""
    audit = desk.audit()
    made = desk("assign", audit, "user-0")
    desk.log.settle()
    time.wall += seconds
    time.pass_(1)
    desk.log.settle()
    return audit, made.body["id"]


@pytest.mark.parametrize("jump", [DAY, -DAY])
def test_a_clock_a_day_off_expires_nothing_says_so_and_recovers(desk, time, jump):
    audit, id_ = moved(desk, time, jump)
    assert not desk.log.clock.trusted
    assert desk.log.read.events(audit, 1)[-1]["kind"] == "assign"
    assert desk("assign", audit, "user-1").body["deadline"] == pytest.approx(1_000_101.0)
    time.wall -= jump
    assert desk("reward", id_, 1.0).body == {"counted": True}
    assert desk.log.clock.trusted
    for _ in range(10):
        time.pass_(20)
        desk.log.settle()
    assert desk.log.read.events(audit, 2)[-1]["event"] == ["deliver", [[1, None]]]


def test_a_clock_that_stays_ahead_is_believed_after_a_while_and_nobody_loses_by_it(desk, time):
    audit = desk.audit(deadline_s=2 * PATIENCE)
    id_ = desk("assign", audit, "user-0").body["id"]
    desk.log.settle()
    time.wall += DAY
    for _ in range(int(PATIENCE // 20) + 2):
        time.pass_(20)
        desk.log.settle()
    assert desk.log.clock.trusted
    assert "outage" in [one["kind"] for one in desk.log.read.events(audit, 0)]
    assert desk.log.read.events(audit, 1)[-1]["kind"] == "assign"
    assert desk("reward", id_, 1.0, 1_000_100.0).body == {"counted": True}


def test_time_never_goes_back_within_a_stream(desk, time):
    audit = desk.audit()
    desk("assign", audit, "user-0")
    desk.close()
    time.wall -= DAY
    time.monotonic = 0.0
    desk.open()
    assert desk("assign", audit, "user-0").body["deadline"] == 1_000_100.0
    times = [one["at"] for one in desk.log.read.events(audit, 1)]
    assert times == sorted(times)


def test_an_outage_of_the_server_extends_what_was_open(desk, time):
    audit = desk.audit()
    id_ = desk("assign", audit, "user-0").body["id"]
    desk.log.settle()
    time.pass_(20)
    desk.log.settle()
    desk.close()
    time.pass_(200)  # nobody could report
    desk.open()
    desk.log.settle()
    assert desk.log.read.events(audit, 1)[-1]["kind"] == "assign"
    assert desk("reward", id_, 1.0, 1_000_050.0).body == {"counted": True}
    late = desk("assign", audit, "user-1").body["id"]
    time.pass_(111)
    desk.log.settle()
    assert desk("reward", late, 1.0).body == {"counted": False}


def test_clocks_that_drift_apart_slowly_agree():
    clock_at = [0.0]
    clock = Clock(lambda: clock_at[0])
    for step in range(1_000):
        clock_at[0] = 10.0 * step
        clock.now(5_000.0 + 10.005 * step)
        assert clock.trusted


def test_a_start_with_a_clock_a_day_ahead_hides_no_later_outage(desk, time):
    desk.log.settle()
    desk.close()
    time.wall += DAY
    desk.open()
    desk.log.settle()
    desk.close()
    time.wall -= DAY
    desk.open()
    desk.log.settle()
    audit = desk.audit()
    id_ = desk("assign", audit, "user-0").body["id"]
    time.pass_(20)
    desk.log.settle()
    observed = time.wall
    desk.close()
    time.pass_(7_200)
    desk.open()
    assert desk("reward", id_, 1.0, observed).body == {"counted": True}


def test_who_reports_before_the_first_sweep_loses_nothing_by_an_outage(desk, time):
    audit = desk.audit()
    id_ = desk("assign", audit, "user-0").body["id"]
    desk.log.settle()
    desk.close()
    time.pass_(200)
    desk.open()
    assert desk("reward", id_, 1.0, 1_000_050.0).body == {"counted": True}


def test_who_reports_first_when_the_store_is_back_loses_nothing(desk, time, monkeypatch):
    audit = desk.audit()
    id_ = desk("assign", audit, "user-0").body["id"]
    desk.log.settle()

    def away(self):
        raise InputError("The store is away.") from OSError()

    with monkeypatch.context() as broken:
        broken.setattr(Store, "writing", away)
        assert desk("assign", audit, "user-1").status == 503
        time.pass_(200)
    assert desk("reward", id_, 1.0, 1_000_050.0).body == {"counted": True}


def test_a_clock_that_is_believed_again_between_two_signs_of_life_makes_nothing_overdue(desk, time):
    audit = desk.audit(deadline_s=2 * PATIENCE)
    desk("assign", audit, "user-0")
    desk.log.settle()
    time.wall += DAY
    for _ in range(int(PATIENCE // 3) + 2):
        time.pass_(3)
        desk.log.settle()
    assert desk.log.clock.trusted
    assert [one["kind"] for one in desk.log.read.events(audit, 1)] == ["person", "agreed", "assign"]


def test_an_outage_is_told_once_and_a_damaged_audit_keeps_it_from_no_other(desk, time):
    damaged, audit = sorted([desk.audit(), desk.audit()])
    desk.log.settle()
    desk.close()
    with sqlite3.connect(desk.address) as connection:
        connection.execute("UPDATE event SET payload = '[1' WHERE audit = ? AND stream = 0", [damaged])
    connection.close()
    time.pass_(200)
    desk.open()
    assert desk("assign", audit, "user-0").status == 201
    desk.close()
    time.pass_(5)
    desk.open()
    assert desk("assign", audit, "user-0").status == 201
    outages = [one["event"] for one in desk.log.read.events(audit, 0) if one["kind"] == "outage"]
    assert outages == [["outage", 1_000_000.0, 1_000_200.0]]


@pytest.mark.parametrize("damage", ["payload = '[1'", "leaf = x'00'"])
def test_a_damaged_audit_keeps_no_other_from_being_swept(desk, time, damage):
    damaged = desk.audit()
    time.pass_(1)
    audit = desk.audit()
    desk("assign", audit, "user-0")
    desk.log.settle()
    desk.close()
    with sqlite3.connect(desk.address) as connection:
        connection.execute(f"UPDATE event SET {damage} WHERE audit = ? AND stream = 0", [damaged])
    connection.close()
    desk.open()
    for _ in range(12):
        time.pass_(10)
        with pytest.raises(DamagedError, match=damaged):  # which the thread that sweeps goes on after
            desk.log.settle()
    assert [one["kind"] for one in desk.log.read.events(audit, 1)][-1] == "deliver"


def test_who_waited_while_the_whole_server_hung_loses_nothing(desk, time):
    audit = desk.audit()
    id_ = desk("assign", audit, "user-0").body["id"]
    desk.log.settle()
    time.pass_(200)
    assert desk("reward", id_, 1.0, 1_000_050.0).body == {"counted": True}


def test_an_outage_shortly_after_another_takes_nothing_back_of_what_the_first_extended(desk, time):
    """Each is longer than anything is open, and between the two there is less time than a client waits."""
    audit = desk.audit()
    desk.log.settle()
    visit = desk("assign", audit, "user-0").body["id"]
    observed = time.wall + 5.0
    for _ in range(3):
        time.pass_(10.0)
        desk.log.settle()
        desk.close()
        time.pass_(3600.0)
        desk.open()
        desk.log.settle()
    assert desk("reward", visit, 1.0, observed).body == {"counted": True}
    # What is over is forgotten, so that a list of outages does not grow for ever.
    for _ in range(30):
        time.pass_(20.0)
        desk.log.settle()
    time.pass_(3600.0)
    desk.log.settle()
    assert len(desk.log.read.audit(audit).outages) == 1
