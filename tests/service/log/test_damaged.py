"""One audit, or one person's stream, that nobody can read any more: it is named, and keeps no other back."""

import itertools
import random
import shutil
import sqlite3
from contextlib import suppress

import pytest

from evenhand.service.log.answers import DamagedError
from evenhand.service.log.folded import online_auditors
from evenhand.service.log.keeping.checking import check
from evenhand.service.log.keeping.retention import forget
from service.log.conftest import USERS, Desk, Time
from service.log.standin import COINS

OF_EVENT = [
    "UPDATE event SET payload = '[1' WHERE audit = :audit AND stream = :stream AND seq = 2",
    "UPDATE event SET payload = '5' WHERE audit = :audit AND stream = :stream AND seq = 2",
    "UPDATE event SET payload = CAST(x'ff22' AS TEXT) WHERE audit = :audit AND stream = :stream AND seq = 2",
    "UPDATE event SET payload = x'ff' WHERE audit = :audit AND stream = :stream AND seq = 2",
    "UPDATE event SET at = '[1]' WHERE audit = :audit AND stream = :stream AND seq = 2",
    "UPDATE event SET leaf = 'abc' WHERE audit = :audit AND stream = :stream AND seq = 2",
    "DELETE FROM event WHERE audit = :audit AND stream = :stream AND seq = 2",
    "UPDATE stream SET head = x'00' WHERE audit = :audit AND number = :stream",
    "INSERT INTO snapshot VALUES (:audit, :stream, 2, '{')",
    "INSERT INTO snapshot VALUES (:audit, :stream, 2, '{}')",
    "INSERT INTO snapshot VALUES (:audit, :stream, 99, '{}')",
    "UPDATE event SET payload = replace(hex(zeroblob(9999)), '0', '[') "
    "WHERE audit = :audit AND stream = :stream AND seq = 2",
    "UPDATE stream SET head = 'abc' WHERE audit = :audit AND number = :stream",
]
# What only those who check read.
SALT = "UPDATE event SET salt = 1000000000000000 WHERE audit = :audit AND stream = :stream AND seq = 2"
OF_AUDIT = [
    *OF_EVENT,
    "DELETE FROM stream WHERE audit = :audit AND number = :stream",
    "DELETE FROM event WHERE audit = :audit AND stream = :stream",
]


def damage(desk, how, audit, stream):
    """While no server runs, so that nothing is known by heart."""
    desk.close()
    with sqlite3.connect(desk.address) as connection:
        assert connection.execute(how, {"audit": audit, "stream": stream}).rowcount
    connection.close()
    desk.open()


@pytest.mark.parametrize("how", OF_AUDIT)
def test_a_damaged_audit_is_named_and_all_others_are_listed_and_served(desk, how):
    audits = [desk.audit() for _ in range(3)]
    visits = [desk("assign", one, USERS[0]).body["id"] for one in audits]
    damage(desk, how, audits[1], 0)
    found = {one["id"]: one["damaged"] for one in desk.log.read.overview()}
    assert list(found) == desk.log.read.audit_ids()
    assert [one for one in audits if found[one] is None] == [audits[0], audits[2]]
    assert found[audits[1]].startswith(f"The audit {audits[1]} is damaged in the store: its stream 0 ")
    for read in (desk.log.read.audit, desk.log.read.audit_view, desk.log.read.targets):
        with pytest.raises(DamagedError, match=audits[1]):
            read(audits[1])
    for ask in (
        ("assign", audits[1], USERS[0]),
        ("end", audits[1], "It is over."),
        ("opt_out", audits[1], USERS[0]),
        ("reward", visits[1], 1.0),
    ):
        answer = desk(*ask)
        assert answer.status == 503
        assert answer.body["error"].startswith(f"The audit {audits[1]} is damaged in the store: its stream ")
    assert [desk("assign", one, USERS[1]).status for one in audits] == [201, 503, 201]
    many = desk("rewards", [(one, 1.0, None) for one in visits])
    assert [one["status"] for one in many.body["results"]] == [200, 503, 200]
    assert audits[1] in many.body["results"][1]["error"]
    assert [one["status"] for one in desk("all_shown", visits).body["results"]] == [200, 503, 200]
    assert desk.audit() in [one["id"] for one in desk.log.read.overview()]


@pytest.mark.parametrize("how", OF_EVENT)
def test_a_damaged_person_is_named_and_all_others_of_the_audit_go_on(desk, time, how):
    audit = desk.audit()
    visits = [desk("assign", audit, one).body["id"] for one in USERS[:3]]
    damage(desk, how, audit, 1)
    named = f"The audit {audit} is damaged in the store: its stream 1 "
    assert desk("assign", audit, USERS[0]).body["error"].startswith(named)
    assert desk("end", audit, "It is over.").body["error"].startswith(named)
    many = desk("rewards", [(one, 1.0, None) for one in visits[:2]])
    assert [one["status"] for one in many.body["results"]] == [503, 200]
    with pytest.raises(DamagedError, match=named):
        desk.log.read.audit_view(audit)
    for _ in range(12):
        time.pass_(10)
        desk.log.settle()
    assert desk.log.read.events(audit, 3)[-1]["kind"] == "deliver"


@pytest.mark.parametrize(
    "how",
    [
        'INSERT INTO snapshot VALUES (:audit, :stream, 2, \'{"user": "user-0", "folded": {}, "head": ""}\')',
        "UPDATE event SET payload = '[1]' WHERE audit = :audit AND stream = :stream AND seq = 3",
        "UPDATE event SET payload = '[]' WHERE audit = :audit AND stream = :stream AND seq = 3",
    ],
)
def test_what_the_arithmetic_refuses_is_damage_and_does_not_mean_that_the_store_is_away(tmp_path, time, how):
    """It says so as of what a user gave it, with a cause."""
    desk = Desk(str(tmp_path / "s.db"), time, online_auditors())
    audits = [desk.audit() for _ in range(2)]
    visits = [desk("assign", one, USERS[0]).body["id"] for one in audits]
    damage(desk, how, audits[1], 1)
    answer = desk("assign", audits[1], USERS[0])
    assert answer.status == 503
    assert answer.body["error"].startswith(f"The audit {audits[1]} is damaged in the store: its stream 1 ")
    many = desk("rewards", [(one, 1.0, None) for one in visits])
    assert [one["status"] for one in many.body["results"]] == [200, 503]
    with pytest.raises(DamagedError, match=audits[1]):
        desk.log.read.audit_view(audits[1])
    assert len(check(desk.store).faults) == 1
    desk.close()


@pytest.mark.parametrize("stream", [0, 1])
@pytest.mark.parametrize("how", [*OF_EVENT, SALT])
def test_a_check_names_what_is_damaged_and_looks_at_all_the_rest(desk, how, stream):
    audits = [desk.audit() for _ in range(2)]
    damage(desk, how, audits[1], stream)
    found = check(desk.store, COINS)
    assert found.streams == 2 * (1 + len(USERS))
    assert all(audits[1] in one for one in found.faults)
    assert any(f"tream {stream} of" in one for one in found.faults)
    assert not [one for one in found.faults if "user-" in one or "targets" in one]


@pytest.mark.parametrize(
    ("how", "said"),
    [
        (
            "UPDATE event SET kind = 'x' WHERE audit = :audit AND stream = :stream AND seq = 3",
            "under another",
        ),
        (
            "UPDATE event SET assignment = 9 WHERE audit = :audit AND stream = :stream AND seq = 3",
            "under another",
        ),
        ("UPDATE audit SET link = NULL WHERE id = :audit AND :stream", "another series or link"),
        ("UPDATE audit SET series = 't' WHERE id = :audit AND :stream", "another series or link"),
        ("DELETE FROM audit WHERE id = :audit AND :stream", "is not there, though it has events"),
    ],
)
def test_a_check_compares_what_stands_beside_the_events(desk, how, said):
    """By which they are found again, and successors told what error is left for them."""
    audit = desk.audit(series="s")
    desk("assign", audit, USERS[0])
    assert check(desk.store, COINS).faults == []
    damage(desk, how, audit, 1)
    (fault,) = check(desk.store, COINS).faults
    assert said in fault
    assert audit in fault


def test_an_id_that_is_no_text_is_not_said_and_keeps_no_other_back(desk):
    audits = [desk.audit() for _ in range(2)]
    how = "UPDATE stream SET user = CAST(x'ff' || 'user-0' AS TEXT) WHERE audit = :audit AND number = :stream"
    damage(desk, how, audits[0], 1)
    assert [desk("assign", one, USERS[1]).status for one in audits] == [503, 201]
    faults = check(desk.store, COINS).faults
    assert faults == [f"Stream 1 of the audit {audits[0]} has a text that is not UTF-8."]


def test_a_damaged_audit_keeps_nobody_of_another_from_being_forgotten(desk, time):
    audits = [desk.audit() for _ in range(2)]
    for one in audits:
        desk("end", one, "It is over.")
    damage(desk, OF_EVENT[0], audits[0], 0)
    found = forget(desk.log, time.wall + 100.0, answers_s=1.0, people_s=1.0)
    assert found.people == len(USERS)
    assert [audits[0] in one for one in found.damaged] == [True]


# What may stand in a row that was not written so.
ODD = [None, "", "x", "[]", "{}", "[1]", "null", "NaN", '["assign", 1]', b"\xff", b"", -1, 10**15, 1.5]


@pytest.fixture(scope="module")
def lived(tmp_path_factory):
    """A store with three audits that went on for a while, with snapshots; and a visit of each."""
    desk = Desk(str(tmp_path_factory.mktemp("lived") / "s.db"), Time(), online_auditors())
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("evenhand.service.log.states.SNAPSHOT_EVERY", 10)
        visits = {}
        for number in range(3):
            audit = desk.audit(users=USERS[:3], activation=("on_assign", "on_shown")[number % 2])
            for step in range(12):
                visits[audit] = desk("assign", audit, USERS[step % 3]).body["id"]
                desk("shown", visits[audit])
                if step < 11:
                    desk("reward", visits[audit], 0.5)
    desk.close()
    return desk.address, visits


@pytest.mark.parametrize("seed", range(40))
def test_whatever_is_damaged_of_one_audit_hurts_no_other(lived, tmp_path, time, seed):
    (address, visits), rng, path = lived, random.Random(seed), tmp_path / "s.db"
    shutil.copy(address, path)
    victim = rng.choice(list(visits))
    with sqlite3.connect(path) as connection:
        table = rng.choice(["event", "event", "stream", "snapshot", "audit"])
        names = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        key = "id" if table == "audit" else "audit"
        of_it = connection.execute(f"SELECT rowid FROM {table} WHERE {key} = ?", (victim,)).fetchall()
        name = rng.choice([one for one in names if one != key])
        with suppress(sqlite3.IntegrityError):
            said = f'UPDATE {table} SET "{name}" = ? WHERE rowid = ?'
            connection.execute(said, (rng.choice(ODD), *rng.choice(of_it)))
    connection.close()
    desk = Desk(str(path), time, online_auditors())
    desk.numbers = itertools.count(1_000)  # keys that were not asked under before
    with suppress(DamagedError):
        desk.log.settle()
    assert {one["id"] for one in desk.log.read.overview() if one["id"] != victim} == visits.keys() - {victim}
    many = desk("rewards", [(one, 1.0, None) for one in visits.values()])
    assert [
        one["status"] for audit, one in zip(visits, many.body["results"], strict=True) if audit != victim
    ] == [200, 200]
    for audit in visits.keys() - {victim}:
        assert desk("assign", audit, USERS[0]).status == 201
        assert desk.log.read.audit_view(audit)["damaged"] is None
    with suppress(DamagedError):
        desk.log.read.audit_view(victim)
    assert not [one for one in check(desk.store).faults if victim not in one]
    desk.close()
