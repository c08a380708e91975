"""What load costs: commits, what is read after a start, and what is kept in memory. Seconds are for
`benchmarks/service_http.py`; these are the counts that they come from."""

import json

import pytest

from evenhand.service.log.states import States
from service.log.conftest import USERS


@pytest.mark.parametrize("users", [USERS, USERS[:1]], ids=["many", "one hot user"])
def test_all_that_wait_are_committed_at_once(desk, users):
    audit, commits = desk.audit(), desk.log.writer.commits
    with desk.store.writing():  # nobody else writes meanwhile; one request may wait for that already
        asked = [desk.log.assign(desk.key(), audit, users[i % len(users)]) for i in range(60)]
    assert {one.result(30).status for one in asked} == {201}
    assert desk.log.writer.commits - commits <= 2


def test_a_start_reads_no_more_than_came_after_the_snapshots(desk, monkeypatch):
    monkeypatch.setattr("evenhand.service.log.states.SNAPSHOT_EVERY", 10)
    audit = desk.audit()
    for i in range(95):
        desk("assign", audit, USERS[i % 2])
    desk.again()
    read, events = [], States._events

    def counted(self, known):
        for one in events(self, known):
            read.append(known.number)
            yield one

    monkeypatch.setattr(States, "_events", counted)
    for user in USERS[:2]:
        assert desk("assign", audit, user).status == 201
    assert {read.count(number) < 10 for number in (1, 2)} == {True}
    assert len(desk.log.read.events(audit, 1)) > 40


@pytest.mark.parametrize("how", [{}, {"activation": "on_shown", "window_s": 5.0}], ids=["assigned", "shown"])
def test_a_state_does_not_grow_with_what_is_never_shown_or_reported(desk, time, how):
    audit, sizes = desk.audit(deadline_s=10.0, grace_s=1.0, **how), []
    for _ in range(2):
        for _ in range(40):
            desk("assign", audit, USERS[0])
            second = desk("assign", audit, USERS[0]).body["id"]
            if how:
                desk("shown", second)
            desk("reward", second, 0.5)
            time.pass_(20)  # less than an outage
            assert {one.status for one in desk.log.settle()} == {200}
        states = [one.state() for one in desk.log.read.people(audit)]
        sizes.append(len(json.dumps(states)))
    assert sizes[1] < sizes[0] + 40  # digits


def test_after_a_start_nobody_waits_for_what_was_done_in_audits_that_are_over(desk):
    over, runs = desk.audit(), desk.audit()
    for audit in (over, runs):
        for _ in range(3):
            desk("reward", desk("assign", audit, "user-0").body["id"], 0.5)
    desk("end", over, "enough")
    desk.again()
    desk.log.settle()
    assert {where.audit for where in desk.log.writer.states.kept} == {runs}
    assert desk("assign", over, "user-0").body["reason"] == "ended"
    assert desk("assign", runs, "user-0").status == 201
