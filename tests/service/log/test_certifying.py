"""A log of real audits, from the first visit to a certificate that its events bear out."""

import json

import pytest
from sqlalchemy import select, update

from evenhand.envy import not_checked, verify
from evenhand.envy.online.chains import grown, leaf_of, root_of
from evenhand.errors import ChangedError
from evenhand.service.log import AskedLiveAudit
from evenhand.service.log.folded import online_auditors
from evenhand.service.log.keeping.checking import check
from evenhand.store import audit_tables as tables
from service.log.conftest import Desk

USERS = ("ann", "ben", "cem")


@pytest.fixture
def desk(tmp_path, time):
    made = Desk(str(tmp_path / "s.db"), time, online_auditors())
    yield made
    made.close()


def logged(desk, audit):
    """All events of the targets, as `verify` takes them."""
    told = []
    for number in range(1, len(USERS) + 1):
        after = 0
        while page := desk.log.read.events(audit, number, after):
            told += [[number, one["event"], one["salt"] or one["leaf"]] for one in page]
            after = page[-1]["seq"]
    return told


def served(desk, audit, visits, reward):
    for i in range(visits):
        user = USERS[i % len(USERS)]
        made = desk("assign", audit, user)
        if made.status == 201:
            desk("reward", made.body["id"], reward(user, made.body["policy_of"], i))


def test_envy_is_found_and_certified(desk):
    audit = desk.audit(users=USERS, alpha=0.5, epsilon=0.2)
    served(desk, audit, 600, lambda user, policy, _: float(policy == "ben"))
    desk.log.settle()
    assert desk.log.read.outcome(audit) == "envy"
    told = desk.log.read.certificate(audit)
    assert told["outcome"] == "envy"
    assert "ann" not in str(told)
    events = logged(desk, audit)
    assert verify(told, events).outcome == "envy"
    said = {"reward": "clicks", "deadline_s": 100.0, "grace_s": 10.0, "window_s": None, "daily": None}
    assert told["agreed"] == said
    assert not_checked(verify(told, events)) == ["software"]
    envious = [row for row in told["users"] if row["outcome"] == "envy"]
    for row in envious:
        (better,) = row["better"]
        assert better["policy_of"] == 2  # ben's
        assert 0 <= better["low"] < better["difference"] <= better["high"]
    better["policy_of"] = 3
    with pytest.raises(ChangedError, match="disagree about users"):
        verify(told, events)
    with pytest.raises(ChangedError, match="'agreed', which no certificate has"):
        verify(told | {"agreed": "more"}, events)
    for row in envious:  # as it was written before
        del row["better"]
    assert verify(told, events).outcome == "envy"
    changed = [one for one in events if one[1][0] == "deliver"][-1]
    changed[1][1][0][1] = 1 - changed[1][1][0][1]
    with pytest.raises(ChangedError):
        verify(told, events)


def test_a_snapshot_that_an_earlier_version_wrote_is_no_fault_and_a_changed_one_is(desk, monkeypatch):
    """Up to version 5 a state did not say how much was shown at once."""
    monkeypatch.setattr("evenhand.service.log.states.SNAPSHOT_EVERY", 10)
    audit = desk.audit(users=USERS, alpha=0.5, epsilon=0.2)
    served(desk, audit, 21, lambda user, policy, i: float(i % 2))
    desk.log.settle()
    s = tables.snapshot
    with desk.store.writing() as connection:
        for row in connection.execute(select(s.c.stream, s.c.state).where(s.c.stream > 0)).all():
            state = json.loads(row.state)
            state["folded"] = {k: v for k, v in state["folded"].items() if k not in ("crossed", "at_once")}
            state["folded"]["state"] = 5
            changed = update(s).where(s.c.stream == row.stream).values(state=json.dumps(state))
            connection.execute(changed)
    found = check(desk.store)
    assert (found.faults, found.snapshots) == ([], 3)
    state["folded"]["step"] += 1
    with desk.store.writing() as connection:
        connection.execute(update(s).where(s.c.stream == row.stream).values(state=json.dumps(state)))
    (fault,) = check(desk.store).faults
    assert fault.endswith("is not what its events make.")


def test_nobody_can_try_out_what_is_shown_next(desk):
    """Somebody who is drawn sees whose policies they get, and could look for a seed that gives just these."""
    audit = ended(desk)
    told = desk.log.read.certificate(audit)
    assert told["seed"] >= 2**127
    seeds = [one.seed for one in verify(json.loads(json.dumps(told)), logged(desk, audit)).audits.values()]
    assert sum(seed >= 2**33 for seed in seeds) > len(seeds) / 2


def ended(desk, **asked):
    audit = desk.audit(users=USERS, **asked)
    served(desk, audit, 9, lambda *_: 0.5)
    desk("end", audit, "The season is over.")
    return audit


@pytest.mark.parametrize(
    "changed",
    [
        lambda told: told["agreed"].update(reward="likes"),
        lambda told: told["agreed"].update(deadline_s=100),
        lambda told: told["settings"].update(drift=0.02),
        lambda told: told.update(population_digest="0" * 64),
        lambda told: told.pop("agreed"),
        lambda told: told.pop("population_digest"),
    ],
)
def test_what_an_audit_was_begun_with_cannot_be_changed_in_its_certificate(desk, changed):
    audit = ended(desk)
    told = desk.log.read.certificate(audit)
    assert not_checked(verify(told, logged(desk, audit))) == ["software"]
    changed(told)
    with pytest.raises(ChangedError, match=r"disagree about (what the audit was begun with|population_dig)"):
        verify(told, logged(desk, audit))


@pytest.mark.parametrize("now", ['"reward":"likes"', '"reward":"clicks","daily":5', '"epsilon":0.06'])
def test_nor_in_the_store(desk, now):
    audit = ended(desk)
    before = {"reward": '"reward":"clicks"', "epsilon": '"epsilon":0.05'}[now.split('"')[1]]
    with desk.store.writing() as connection:
        change = f"UPDATE event SET payload = replace(payload, '{before}', '{now}') WHERE stream = 0"
        connection.exec_driver_sql(change)
    if "daily" in now:
        with desk.store.writing() as connection:
            connection.exec_driver_sql("UPDATE event SET payload = replace(payload, '\"daily\":null,', '')")
    desk.again()
    with pytest.raises(ChangedError, match="disagree about what the audit was begun with"):
        verify(desk.log.read.certificate(audit), logged(desk, audit))


def chained(told, events):
    """The certificate of another log: with its hashes."""
    chains = {}
    for number, event, salt in events:
        count, head = chains.get(number, (0, ""))
        chains[number] = count + 1, grown(head, leaf_of(event, bytes.fromhex(salt)))
    rows = [
        row | {"events": dict(zip(("count", "sha256"), chains[row["user"]], strict=True))}
        for row in told["users"]
    ]
    root = root_of(head for _, head in chains.values())
    return told | {"users": rows, "events": {"count": len(events), "root": root}}


def test_logs_of_before_do_not_say_what_was_agreed_and_still_hold(desk):
    audit = ended(desk)
    told, events = desk.log.read.certificate(audit), logged(desk, audit)
    older = [one for one in events if one[1][0] != "agreed"]
    assert len(older) == len(events) - len(USERS)
    assert not_checked(verify(chained(told, older), older)) == [
        "settings.drift",
        "software",
        "population_digest",
        "agreed",
    ]
    some = [one for one in events if one[1][0] != "agreed" or one[0] == 2]
    with pytest.raises(ChangedError, match=r"^The logs of some users say what was agreed"):
        verify(chained(told, some), some)
    others = [one if one[:2] != [2, events[1][1]] else [2, ["agreed", "0" * 64], one[2]] for one in events]
    with pytest.raises(ChangedError, match=r"^The logs of users do not agree about"):
        verify(chained(told, others), others)
    twice = [*events, events[1]]
    with pytest.raises(ChangedError, match="what was agreed is said once, right after who the user is"):
        verify(chained(told, twice), twice)


def test_what_was_agreed_is_bound_where_people_are_named_later_or_deleted(desk):
    asked = {"users": None, "population": 30, "digest": "1" * 64, "criterion": "probabilistic"}
    made = AskedLiveAudit.of(
        asked | {"gamma": 0.6, "lambda": 0.9, "series": "s", "deadline_s": 60, "reward": "r"}
    )
    body = desk("create_audit", made).body
    audit, names = body["id"], tuple(f"u{place}" for place in body["places"])
    desk("name_people", audit, names)
    targets = range(1, body["targets"] + 1)
    kinds = [[one["kind"] for one in desk.log.read.events(audit, n)] for n in range(1, len(names) + 1)]
    assert kinds == [["person", "agreed"]] * len(targets) + [["person"]] * (len(names) - len(targets))
    desk("delete_user", audit, names[0])
    desk("end", audit, "The season is over.")
    told = desk.log.read.certificate(audit)
    events = [
        [number, one["event"], one["salt"] or one["leaf"]]
        for number in targets
        for one in desk.log.read.events(audit, number)
    ]
    checked = verify(told, events)
    assert checked.bound_by_log
    assert "agreed" not in not_checked(checked)
    told["agreed"]["reward"] = "s"
    with pytest.raises(ChangedError, match="disagree about what the audit was begun with"):
        verify(told, events)


def test_certificates_after_opting_out_deletion_and_the_end(desk):
    audit = desk.audit(users=USERS, alpha=0.5, activation="on_shown", window_s=50.0)
    for i in range(30):
        made = desk("assign", audit, USERS[i % 3]).body["id"]
        if i % 5:
            desk("shown", made)
            desk("reward", made, (i % 7) / 6)
    desk("opt_out", audit, "ann")
    told = desk.log.read.certificate(audit)
    assert told["seed"] is None  # before it is over
    told["seed"] = desk.log.read.audit(audit).seed
    assert verify(told, logged(desk, audit)).outcome is None
    desk("delete_user", audit, "cem")
    desk("end", audit, "The season is over.")
    told = desk.log.read.certificate(audit)
    assert [row["outcome"] for row in told["users"]] == ["inconclusive"] * 3
    assert told["outcome"] == "inconclusive"
    checked = verify(told, logged(desk, audit))
    assert checked.outcome == "inconclusive"
    assert checked.linked_only == {3}
    measured = ("duration", "cost", "constraint_margin", "exploring_share")
    assert [told["users"][2][name] for name in measured] == [None] * 4  # 0 would look as if it were measured
    assert told["users"][0]["duration"] > 0
    note = "are without 1 person who was deleted: of them only outcome and hashes are kept."
    assert told["notes"] == [f"Numbers of visits and costs {note}"]
    view = desk.log.read.audit_view(audit)
    assert view["notes"] == told["notes"]
    assert told["duration"] == sum(one["step"] for one in view["people"] if not one["deleted"])
    with pytest.raises(ChangedError, match="disagree about notes"):
        verify(told | {"notes": ["All is well."]}, logged(desk, audit))
    assert verify({k: v for k, v in told.items() if k != "notes"}, logged(desk, audit)).linked_only == {3}
    desk.again()
    assert desk.log.read.certificate(audit) == told
    assert check(desk.store).faults == []


def test_what_pages_show(desk):
    audit = desk.audit(users=USERS, alpha=0.5)
    served(desk, audit, 60, lambda *_: 0.5)
    view = desk.log.read.audit_view(audit)
    assert view["targets"] == 3
    assert view["notes"] == []
    person = view["people"][0]
    assert person["step"] == sum(person["assigned"]) == 20
    assert len(person["intervals"]) == 3
    assert desk.log.read.overview()[0]["id"] == audit
