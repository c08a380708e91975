"""Who is deleted is in no file of the store; the chain still holds, and others are served on."""

import threading
import time

import pytest

from evenhand.service.log.keeping.checking import check
from evenhand.service.log.reading import is_checkable, summary
from evenhand.service.log.requests.settling import _decided
from evenhand.service.log.streams import AuditStream
from service.log.conftest import Desk, Time
from service.log.standin import COINS

WHO = "grandmother-0815"
USERS = (WHO, *(f"user-{i}" for i in range(5)))


def in_files(folder, *needles):
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [(path.name, needle) for path in files for needle in needles if needle in path.read_bytes()]


def test_neither_id_nor_payload_in_any_file(desk, tmp_path, monkeypatch):
    monkeypatch.setattr("evenhand.service.log.states.SNAPSHOT_EVERY", 10)
    audit = desk.audit(users=USERS)
    reward = 0.123456789
    for _ in range(12):
        desk("reward", desk("assign", audit, WHO, key=None).body["id"], reward)
    for user in USERS[1:]:
        desk("assign", audit, user)  # some of them are answered with the policy of WHO
    late = desk("assign", audit, WHO).body["id"]
    desk("opt_out", audit, WHO)
    assert desk("reward", late, reward).body == {"counted": False}
    needles = (WHO.encode(), str(reward).encode())
    assert in_files(tmp_path, *needles)
    events = len(desk.log.read.events(audit, 1))
    assert desk("delete_user", audit, WHO).status == 200
    desk.log.settle()
    assert in_files(tmp_path, *needles) == []
    left = desk.log.read.events(audit, 1)
    assert len(left) == events
    assert {(one["kind"], one["event"], one["salt"]) for one in left} == {("deleted", None, None)}
    found = check(desk.store, COINS)
    assert (found.faults, found.deleted) == ([], events)
    desk.again()
    assert desk("assign", audit, WHO).body["reason"] == "not_target"
    assert desk("reward", late, 1.0).body == {"counted": False}
    assert in_files(tmp_path, *needles) == []


def test_by_no_hash_of_a_batch_can_be_guessed_what_one_who_is_gone_did(desk):
    audit, other = desk.audit(users=USERS), desk.audit()
    visits = [desk("assign", one, user).body["id"] for one, user in ((audit, WHO), (audit, "user-1"))]
    visits.append(desk("assign", other, "user-2").body["id"])
    batches = {"within": visits[:2], "across": visits[::2], "elsewhere": visits[2:]}

    def send(name):
        return desk("rewards", [(one, 1.0, None) for one in batches[name]], key=name, said=f"hash of {name}")

    told = [send(name) for name in batches]
    desk("delete_user", audit, WHO)
    with desk.store.reading() as connection:
        kept = dict(connection.exec_driver_sql("SELECT key, fingerprint FROM answered").all())
    assert {kept[name] for name in ("within", "across")} == {"forgotten"}
    assert [send(name) for name in batches] == told
    fresh = [desk("assign", other, user).body["id"] for user in ("user-3", "user-4", "user-5")]
    batches |= {"later": [visits[0], fresh[0]], "others": fresh[1:]}
    assert [one["counted"] for one in send("later").body["results"]] == [False, True]
    send("others")
    with desk.store.reading() as connection:
        kept = dict(connection.exec_driver_sql("SELECT key, fingerprint FROM answered").all())
    assert (kept["later"], kept["others"]) == ("forgotten", "hash of others")


@pytest.mark.parametrize(("ask", "said"), [("end", "why"), ("new_version", "2")])
def test_what_ended_the_audit_is_answered_as_before(desk, ask, said):
    """Whoever of its people is deleted, also the first."""
    audit = desk.audit(users=USERS)
    told = desk(ask, audit, said, key="k")
    desk("delete_user", audit, WHO)
    assert desk(ask, audit, said, key="k") == told
    assert desk(ask, audit, said, key="k", said="else").status == 422


def test_who_writes_waits_for_no_certificate(desk):
    """That of many people takes seconds, in which a deletion would hold up everybody."""
    audit, other = desk.audit(users=USERS), desk.audit()
    desk("assign", audit, "user-1")
    reads, done = threading.Event(), threading.Event()
    watch = threading.Thread(
        target=desk.log.read.seen, args=(other, lambda *_: reads.set() or done.wait(30)), daemon=True
    )
    watch.start()
    assert reads.wait(30)
    deleted = desk.log.delete_user(desk.key(), audit, WHO)
    assert deleted.result(10).status == 200
    assert desk("assign", other, "user-1").status == 201
    done.set()
    watch.join()
    assert WHO not in [one.user for one in desk.log.read.people(audit)]
    assert WHO not in [getattr(one, "user", None) for one in desk.log.read._states.kept.values()]


def test_a_reader_of_an_older_state_holds_up_nobody_and_is_waited_for(desk, tmp_path):
    """As a backup is, which may take minutes."""
    audit, other = desk.audit(users=USERS), desk.audit()
    with desk.store.reading() as connection:
        connection.exec_driver_sql("SELECT count(*) FROM event")
        desk("delete_user", audit, WHO)
        began = time.monotonic()
        desk.log.settle()
        assert desk("assign", other, "user-1").status == 201
        assert time.monotonic() - began < 20  # and not the 60 seconds that one waits for another writer
        assert in_files(tmp_path, WHO.encode())
    desk.log.settle()
    assert in_files(tmp_path, WHO.encode()) == []


def test_killed_after_a_deletion(desk, tmp_path):
    """What the next server finds in the journal."""
    audit = desk.audit(users=USERS)
    desk("delete_user", audit, WHO)
    (tmp_path / "killed").mkdir()
    for path in tmp_path.glob("s.db*"):
        (tmp_path / "killed" / path.name).write_bytes(path.read_bytes())
    assert in_files(tmp_path / "killed", WHO.encode())
    next_one = Desk(str(tmp_path / "killed" / "s.db"), Time())
    next_one.log.settle()
    assert in_files(tmp_path / "killed", WHO.encode()) == []
    next_one.close()


def test_who_tries_the_policy_of_one_deleted_is_inconclusive_and_keeps_their_own(desk):
    audit = desk.audit(users=USERS)
    before = desk("assign", audit, "user-1", key="k")
    desk("delete_user", audit, WHO)
    assert desk("assign", audit, "user-1").body["reason"] == "ended"
    again = desk("assign", audit, "user-1", key="k")
    assert again.body["id"] == before.body["id"]
    assert again.body["policy_of"] in USERS[1:]
    desk.log.settle()
    assert desk.log.read.outcome(audit) == "inconclusive"


def test_one_who_is_no_target_has_no_outcome(desk):
    users = tuple(f"user-{i}" for i in range(300))
    audit = desk.audit(users=users, criterion="probabilistic", dropouts=1)
    known = desk.log.people.of(audit)
    others = [user for user, number in known.everybody.items() if number > len(known.arms)]
    for user in others:
        desk("delete_user", audit, user)
        desk.log.settle()
        about = desk.log.read.audit(audit)
        assert set(about.outcomes) <= set(range(1, about.targets + 1))
        if about.outcome is not None:
            break
    assert set(about.outcomes) == set(range(1, about.targets + 1))


def test_to_delete_one_who_is_only_tried_is_no_outcome_of_a_target():
    about = AuditStream("a", {"arms": [[4], [5], [6]], "settings": {"dropouts": 1}})
    for event in (["outcome", 1, "no_envy"], ["outcome", 2, "no_envy"], ["deleted", 6, None, "me"]):
        about.fold(event, 0.0)
    assert _decided(about) is None  # the third goes on
    about.fold(["outcome", 3, "no_envy"], 0.0)
    assert _decided(about)[0] == "no_envy"


def test_people_who_are_only_tried_are_not_counted_among_those_audited():
    about = AuditStream("a", {"arms": [[4], [5], [6]], "settings": {"dropouts": 1, "reward": "clicks"}})
    for event in (["deleted", 6, None, "me"], ["deleted", 1, "no_envy", "me"], ["opt_out", 5, "me"]):
        about.fold(event, 0.0)
    assert (summary(about)["deleted"], summary(about)["opted_out"]) == (1, 0)


def test_deleting_one_who_is_not_known_writes_nothing(desk):
    audit = desk.audit()
    commits = desk.log.writer.commits
    assert desk("delete_user", audit, "nobody").body == {"deleted": True, "known": False, "ended": 0}
    assert desk.log.writer.commits == commits


def test_the_request_to_delete_somebody_leaves_no_hash_of_their_id(desk):
    audit = desk.audit()
    desk("delete_user", audit, "user-5", key="k", said="a hash that has no salt")
    with desk.store.reading() as connection:
        kept = connection.exec_driver_sql("SELECT fingerprint FROM answered").scalars().all()
    assert "a hash that has no salt" not in kept


@pytest.mark.parametrize("what", ["payload", "gap", "order", "snapshot", "user", "a person", "an audit"])
def test_a_check_finds_what_was_changed(desk, monkeypatch, what):
    monkeypatch.setattr("evenhand.service.log.states.SNAPSHOT_EVERY", 5)
    audit = desk.audit()
    for _ in range(6):
        desk("reward", desk("assign", audit, "user-0").body["id"], 0.5)
    assert check(desk.store, COINS).faults == []
    change = {
        "payload": "UPDATE event SET payload = replace(payload, '0.5', '0.6') WHERE stream = 1 AND seq = 4",
        "gap": "DELETE FROM event WHERE stream = 1 AND seq = 3",
        "snapshot": "UPDATE snapshot SET state = replace(state, '\"last\": 4', '\"last\": 3')",
        "order": "UPDATE stream SET head = x'00' WHERE number = 1",
        "user": "UPDATE stream SET user = 'another' WHERE number = 1",
        "a person": "DELETE FROM stream WHERE number = 6",  # who was never served
        "an audit": "DELETE FROM stream",
    }[what]
    with desk.store.writing() as connection:
        connection.exec_driver_sql("PRAGMA defer_foreign_keys = ON")
        if what in ("a person", "an audit"):
            for table in ("event", "snapshot", "answered"):
                whose = "WHERE stream = 6" if what == "a person" else ""
                connection.exec_driver_sql(f"DELETE FROM {table} {whose}")
        connection.exec_driver_sql(change)
    assert len(check(desk.store, COINS).faults) == 1


@pytest.mark.parametrize(
    ("outcome", "outcomes", "deleted", "checkable"),
    [
        ("envy", ["envy", "no_envy"], {1}, False),
        ("envy", ["envy", "envy"], {1}, True),
        ("envy", ["envy"], {2}, True),
        ("no_envy", ["no_envy", "no_envy"], {1}, False),
        ("no_envy", ["no_envy", "no_envy"], set(), True),
        ("no_envy", ["no_envy", "no_envy"], {3}, True),  # whose policy was only tried
        ("inconclusive", ["inconclusive", "inconclusive"], {1}, True),
        ("inconclusive", ["inconclusive", "no_envy"], {1}, False),
        (None, [], {1}, True),
    ],
)
def test_an_outcome_that_rests_on_the_deleted_cannot_be_checked(outcome, outcomes, deleted, checkable):
    about = AuditStream("a", {"arms": [[2], [1]], "settings": {"dropouts": 0}, "outcome": outcome})
    about.outcomes, about.deleted = dict(enumerate(outcomes, start=1)), deleted
    assert is_checkable(about) is checkable
