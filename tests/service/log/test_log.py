"""What a log answers, what it writes, and what is left of it when it is opened again."""

from string import ascii_letters

import pytest

from evenhand.envy import digest_of
from evenhand.errors import InputError
from evenhand.service.log import AskedLiveAudit, Log
from evenhand.service.log.folded import Auditors, warm_up
from evenhand.service.log.keeping.backups import backup, restore
from evenhand.service.log.keeping.checking import check
from evenhand.store.connecting import open_store
from service.log.conftest import USERS, Desk
from service.log.standin import COINS, Coin


def kinds(desk, audit, stream):
    return [one["kind"] for one in desk.log.read.events(audit, stream)]


def test_an_assignment_and_its_reward(desk):
    audit = desk.audit()
    made = desk("assign", audit, "user-0")
    assert made.status == 201
    assert made.body["policy_of"] in USERS
    assert made.body["deadline"] == 1_000_100.0
    assert desk("reward", made.body["id"], 0.5).body == {"counted": True}
    assert kinds(desk, audit, 1) == ["person", "agreed", "assign", "deliver"]
    assert kinds(desk, audit, 0)[:4] == ["created", "drawn", "seeds", "named"]


def test_the_same_key_again_is_the_same_answer_and_nothing_else(desk):
    audit = desk.audit()
    first = desk("assign", audit, "user-0", key="k", said="a")
    desk.again()
    assert desk("assign", audit, "user-0", key="k", said="a") == first
    assert desk("assign", audit, "user-0", key="k", said="b").status == 422
    assert kinds(desk, audit, 1) == ["person", "agreed", "assign"]


def test_the_same_key_twice_in_one_batch(desk):
    audit = desk.audit()
    answers = [desk.log.assign(desk.key("k"), audit, "user-0") for _ in range(20)]
    assert len({answer.result().body["id"] for answer in answers}) == 1


def test_the_same_report_again_and_another_value(desk):
    audit = desk.audit()
    id_ = desk("assign", audit, "user-0").body["id"]
    assert desk("reward", id_, 1.0).body == {"counted": True}
    assert desk("reward", id_, 1.0).body == {"counted": True}
    assert desk("reward", id_, 0.0).status == 409


def test_who_is_not_asked_and_why(desk):
    audit = desk.audit(daily=2)
    assert desk("assign", audit, "nobody").body == {"id": None, "policy_of": "nobody", "reason": "not_target"}
    for _ in range(2):
        assert desk("assign", audit, "user-0").status == 201
    assert desk("assign", audit, "user-0").body["reason"] == "budget"
    desk("opt_out", audit, "user-1")
    own = desk("assign", audit, "user-1").body
    assert (own["id"], own["policy_of"], own["reason"]) == (None, "user-1", "opted_out")
    desk("pause", audit)
    assert desk("assign", audit, "user-2").body["reason"] == "paused"
    desk("resume", audit)
    assert desk("assign", audit, "user-2").status == 201
    desk("end", audit, "enough")
    assert desk("assign", audit, "user-2").body["reason"] == "ended"
    assert desk("pause", audit).status == 409


def test_answers_without_an_id_write_nothing(desk):
    audit = desk.audit()
    desk("pause", audit)
    before, commits = kinds(desk, audit, 1), desk.log.writer.commits
    desk("assign", audit, "user-0")
    assert kinds(desk, audit, 1) == before
    assert desk.log.writer.commits == commits


def test_an_audit_that_ended_while_it_was_paused_is_over_and_not_paused(desk):
    audit = desk.audit()
    desk("pause", audit)
    assert desk.log.read.overview()[0]["paused"]
    desk("end", audit, "enough")
    told = desk.log.read.overview()[0]
    assert (told["outcome"], told["paused"]) == ("inconclusive", False)


def test_another_version_ends_the_audit(desk):
    audit = desk.audit(version="a")
    assert desk("assign", audit, "user-0", version="a").status == 201
    assert desk("assign", audit, "user-0", version="b").body["reason"] == "ended"
    told = desk.log.read.overview()[0]
    assert (told["outcome"], told["reason"]) == (
        "inconclusive",
        "The policies changed from version 'a' to 'b'.",
    )


def test_a_first_version_is_another_one_too(desk):
    desk("new_version", desk.audit(), "b")
    assert desk.log.read.overview()[0]["reason"] == "The policies changed from no version to 'b'."


def test_ids_that_are_not_ours(desk):
    audit = desk.audit()
    id_ = desk("assign", audit, "user-0").body["id"]
    other = desk.audit()
    wrong = [
        id_[:-1],
        id_ + "A",
        "",
        "é",
        "A" * 40,
        id_.swapcase(),
        f"{id_[:3]}{'-' if id_[3] == '_' else '_'}{id_[4:]}",
        id_ + "=" * (-len(id_) % 4),  # the same bytes in another spelling
        *(id_[:-1] + letter for letter in ascii_letters if letter != id_[-1]),
    ]
    assert len(id_) % 4
    for each in wrong:
        assert desk("reward", each, 1.0).status == 404, each
    assert desk("assign", "no", "user-0").status == 404
    assert desk("assign", other, "user-0").body["id"] != id_


def test_what_was_not_reported_is_missing_and_what_comes_later_does_not_count(desk, time):
    audit = desk.audit()
    id_ = desk("assign", audit, "user-0").body["id"]
    time.pass_(109)
    desk.log.settle()
    assert kinds(desk, audit, 1)[-1] == "assign"
    time.pass_(2)
    desk.log.settle()
    assert desk.log.read.events(audit, 1)[-1]["event"] == ["deliver", [[1, None]]]
    assert desk("reward", id_, 1.0).body == {"counted": False}
    assert desk("reward", id_, 1.0).body == {"counted": False}
    assert desk("reward", id_, 0.0).status == 409
    assert kinds(desk, audit, 1)[-1] == "deliver"


def test_a_reward_counts_if_it_was_observed_in_time(desk, time):
    audit = desk.audit()
    first, second = (desk("assign", audit, "user-0").body["id"] for _ in range(2))
    time.pass_(105)
    assert desk("reward", first, 1.0, 1_000_099.0).body == {"counted": True}
    assert desk("reward", second, 1.0, 1_000_101.0).body == {"counted": False}


def test_after_one_that_was_observed_too_late_another_value_is_refused(desk, time):
    audit = desk.audit()
    first, second = (desk("assign", audit, "user-0").body["id"] for _ in range(2))
    time.pass_(105)
    for id_ in (first, second):
        assert desk("reward", id_, 0.0).body == {"counted": False}
    assert desk("reward", first, 1.0, 1_000_099.0).status == 409
    assert desk("reward", second, 0.0, 1_000_099.0).body == {"counted": True}


def test_what_was_not_shown_is_withdrawn(desk, time):
    audit = desk.audit(activation="on_shown", window_s=20.0)
    first, second = (desk("assign", audit, "user-0").body["id"] for _ in range(2))
    assert desk("reward", first, 1.0).status == 425
    assert desk("shown", first).body == {"counted": True}
    time.pass_(21)
    assert desk("shown", second).body == {"counted": False}
    assert desk("reward", second, 1.0).body == {"counted": False}  # before the sweep as after it
    desk.log.settle()
    assert kinds(desk, audit, 1) == ["person", "agreed", "assign", "assign", "shown", "withdraw"]
    assert desk("reward", first, 1.0).body == {"counted": True}
    assert desk("reward", second, 1.0).body == {"counted": False}
    assert desk("reward", second, 0.0).status == 409


def test_many_rewards_with_a_result_each(desk):
    audit = desk.audit()
    ids = [desk("assign", audit, f"user-{i}").body["id"] for i in range(3)]
    items = [(ids[0], 1.0, None), ("no", 1.0, None), (ids[1], 0.0, None), (ids[0], 0.5, None)]
    results = desk("rewards", items).body["results"]
    assert [one["status"] for one in results] == [200, 404, 200, 409]


def test_a_population_is_drawn_by_places_and_named_afterwards(desk):
    asked = {"users": None, "population": 10**9, "digest": "0" * 64, "criterion": "probabilistic"}
    told = AskedLiveAudit.of({**asked, "deadline_s": 10.0, "reward": "clicks"})
    made = desk("create_audit", told).body
    audit, places = made["id"], made["places"]
    assert len(set(places)) == len(places)
    assert desk("assign", audit, "p0").body["reason"] == "not_target"
    assert (
        desk("opt_out", audit, "p1", key="leaves").status == 425
    )  # or it would be forgotten when they are named
    assert desk("name_people", audit, ["a"]).status == 422
    assert desk("name_people", audit, [f"p{i}" for i in range(len(places))]).status == 200
    assert desk("opt_out", audit, "p1", key="leaves").body == {"opted_out": True, "known": True}
    assert desk("opt_out", audit, "nobody").body == {"opted_out": True, "known": False}
    assert desk("assign", audit, "p0").status == 201
    assert desk("assign", audit, "p1").body["reason"] == "opted_out"
    assert desk("name_people", audit, ["a"]).status == 409


def test_where_everybody_is_named_they_are_compared_with_the_digest(desk):
    users = [f"user-{i}" for i in range(6)]
    asked = {"users": None, "population": 6, "digest": digest_of(users), "criterion": "exact"}
    made = desk("create_audit", AskedLiveAudit.of({**asked, "deadline_s": 10.0, "reward": "clicks"})).body
    named = [users[place] for place in made["places"]]
    for wrong in ([*named[:-1], "another"], named[::-1]):
        refused = desk("name_people", made["id"], wrong)
        assert refused.status == 422
        assert "do not make the digest" in refused.body["error"]
    assert desk("name_people", made["id"], named).status == 200


def test_successors_of_a_series_spend_what_is_left(desk):
    deltas = []
    for _ in range(3):
        audit = desk.audit(series="s", delta=0.05)
        deltas.append(desk.log.read.audit(audit).settings["delta"])
    assert deltas == pytest.approx([0.05 * 6 / (3.141592653589793 * i) ** 2 for i in (1, 2, 3)])


def test_the_audit_ends_when_its_people_have(desk):
    audit = desk.audit(budget=3)
    for user in USERS:
        for _ in range(3):
            desk("reward", desk("assign", audit, user).body["id"], 1.0)
    desk.log.settle()
    assert desk.log.read.outcome(audit) == "no_envy"
    assert desk.log.read.targets(audit) == []


def test_one_who_opted_out_makes_it_inconclusive_unless_planned_for(desk):
    for dropouts, outcome in ((0, "inconclusive"), (1, "no_envy")):
        asked = {"budget": 1, "dropouts": dropouts, "criterion": "probabilistic", "lambda": 0.5}
        audit = desk.audit(**asked)
        desk("opt_out", audit, "user-0")
        for user in USERS[1:]:
            desk("reward", desk("assign", audit, user).body["id"], 1.0)
        desk.log.settle()
        assert desk.log.read.outcome(audit) == outcome


def test_a_request_that_breaks_fails_alone(desk, monkeypatch):
    audit = desk.audit()
    whole = COINS.begin.deliver

    def breaks(self, rewards):
        whole(self, rewards)
        if 0.25 in rewards.values():
            raise RuntimeError("a fault")

    ids = [desk("assign", audit, user).body["id"] for user in ("user-0", "user-0", "user-1")]
    monkeypatch.setattr(COINS.begin, "deliver", breaks)
    futures = desk.log.writer.submit, []
    with desk.store.writing():  # nobody else writes meanwhile, so that all come in one batch
        futures = [
            desk.log.reward(desk.key(), id_, value) for id_, value in zip(ids, (1.0, 0.25, 1.0), strict=True)
        ]
    assert [one.result().status for one in futures] == [200, 503, 200]
    assert kinds(desk, audit, 1) == ["person", "agreed", "assign", "assign", "deliver"]
    assert check(desk.store, COINS).faults == []


def test_what_is_compiled_at_first_use_is_so_beforehand():
    begun = []
    warm_up(Auditors(lambda *asked: begun.append(Coin(*asked)) or begun[-1], Coin.from_dict))
    assert begun[0].last == 100


def test_a_second_server_is_refused(desk, time, tmp_path):
    (tmp_path / "link.db").symlink_to(desk.address)
    for name in (desk.address, str(tmp_path / "link.db")):
        with pytest.raises(InputError, match="Another server runs on the store"):
            Desk(name, time)


def test_nothing_is_acknowledged_into_a_file_that_was_moved_away(desk, tmp_path):
    """As somebody does who wants to restore a backup, and forgets the server."""
    audit = desk.audit()
    backup(desk.store, tmp_path / "b.gz")
    for part in tmp_path.glob("s.db*"):
        if not part.name.endswith(".lock"):
            part.rename(part.with_name(f"old-{part.name}"))
    assert desk("assign", audit, "user-0").status == 503
    restored = open_store(desk.address)
    with pytest.raises(InputError, match="Another server runs on the store"):
        restore(tmp_path / "b.gz", restored)
    assert desk("assign", audit, "user-0").status == 503
    desk.close()
    restore(tmp_path / "b.gz", restored)
    restored.close()
    desk.open()
    assert desk("assign", audit, "user-0").status == 201


def test_states_are_those_of_the_log_after_a_restart_and_snapshots(desk, monkeypatch):
    monkeypatch.setattr("evenhand.service.log.states.SNAPSHOT_EVERY", 10)
    audit = desk.audit()
    for i in range(40):
        id_ = desk("assign", audit, "user-0").body["id"]
        if i % 3:
            desk("reward", id_, 0.5)
    before = [one.state() for one in desk.log.read.people(audit)]
    desk.again()
    assert [one.state() for one in desk.log.read.people(audit)] == before
    found = check(desk.store, COINS)
    assert found.faults == []
    assert found.snapshots == 1
    assert isinstance(desk.log, Log)
