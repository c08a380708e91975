"""What a running system asks and says, over HTTP: which policy, shown, rewarded, too late, not at all."""

import pytest

from service.http.served import ASKED


def assigned(served, audit, user="ann", **said):
    return served.post(f"/api/audits/{audit}/assignments", {"user": user, **said})


def kinds(served, audit, stream):
    return [
        one["kind"] for one in served.get(f"/api/audits/{audit}/events?after={stream}:0").json()["events"]
    ]


def test_an_assignment_and_its_reward(served, time):
    audit = served.audit()
    made = assigned(served, audit)
    assert made.status_code == 201
    told = made.json()
    assert told["policy_of"] in ASKED["users"]
    assert told["deadline"] == time.wall + 100.0
    assert told["reason"] == "assigned"
    found = served.post(f"/api/assignments/{told['id']}/reward", {"reward": 1})
    assert (found.status_code, found.json()) == (200, {"counted": True})
    assert kinds(served, audit, 1) == ["person", "agreed", "assign", "deliver"]


def test_who_is_not_asked_and_why(served):
    audit = served.audit(daily=2)

    def own(user):
        found = assigned(served, audit, user)
        assert found.status_code == 200
        assert found.json() == {"id": None, "reason": found.json()["reason"], "policy_of": user}
        return found.json()["reason"]

    assert own("nobody") == "not_target"
    assert [assigned(served, audit).status_code for _ in range(3)] == [201, 201, 200]
    assert own("ann") == "budget"
    assert served.post(f"/api/audits/{audit}/opt-outs", {"user": "ben"}).json() == {
        "opted_out": True,
        "known": True,
    }
    assert own("ben") == "opted_out"
    assert served.post(f"/api/audits/{audit}/pause").json() == {"paused": True}
    assert own("cem") == "paused"
    before = kinds(served, audit, 3)
    assert served.post(f"/api/audits/{audit}/resume").json() == {"paused": False}
    assert assigned(served, audit, "cem").status_code == 201
    assert before == ["person", "agreed"]  # nothing was written without an id
    assert served.post(f"/api/audits/{audit}/end", {"reason": "Enough."}).json() == {
        "outcome": "inconclusive"
    }
    assert own("cem") == "ended"
    for path, said in (("pause", None), ("resume", None), ("end", {"reason": "again"})):
        assert served.post(f"/api/audits/{audit}/{path}", said).status_code == 409
    over = served.get(f"/api/audits/{audit}/targets").json()
    assert (over["targets"], over["ended"]) == ([], True)


def test_targets_and_their_etag(served):
    audit = served.audit(version="7")
    found = served.get(f"/api/audits/{audit}/targets")
    assert found.json() == {
        "targets": ASKED["users"],
        "paused": False,
        "ended": False,
        "version": "7",
    }
    tag = {"if-none-match": found.headers["etag"]}
    again = served.get(f"/api/audits/{audit}/targets", headers=tag)
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", found.headers["etag"])
    assigned(served, audit)  # changes nothing of whom to ask for
    assert served.get(f"/api/audits/{audit}/targets", headers=tag).status_code == 304
    served.post(f"/api/audits/{audit}/opt-outs", {"user": "ben"})
    changed = served.get(f"/api/audits/{audit}/targets", headers=tag)
    assert changed.json()["targets"] == ["ann", "cem"]
    served.post(f"/api/audits/{audit}/pause")
    assert served.get(f"/api/audits/{audit}/targets").json()["paused"] is True


def test_opting_out_counts_at_once_for_what_is_open(served):
    audit = served.audit()
    id_ = assigned(served, audit, "ben").json()["id"]
    served.post(f"/api/audits/{audit}/opt-outs", {"user": "ben"})
    assert assigned(served, audit, "ben").json()["reason"] == "opted_out"
    assert served.post(f"/api/assignments/{id_}/reward", {"reward": 1.0}).json() == {"counted": False}
    view = served.get(f"/api/audits/{audit}").json()
    assert [one["outcome"] for one in view["people"]] == [None, "inconclusive", None]
    assert served.post(f"/api/audits/{audit}/opt-outs", {"user": "who"}).json() == {
        "opted_out": True,
        "known": False,
    }


def test_another_version_ends_the_audit(served):
    audit = served.audit(version="7")
    assert assigned(served, audit, version="7").status_code == 201
    assert assigned(served, audit, version="8").json()["reason"] == "ended"
    assert served.get(f"/api/audits/{audit}").json()["outcome"] == "inconclusive"
    audit = served.audit(version="7")
    assert served.post(f"/api/audits/{audit}/version", {"version": "7"}).json() == {"outcome": None}
    assert served.post(f"/api/audits/{audit}/version", {"version": "8"}).json() == {"outcome": "inconclusive"}


def test_rewards_that_come_again_otherwise_or_late(served, time):
    audit = served.audit()
    first, second = (assigned(served, audit).json()["id"] for _ in range(2))

    def report(id_, reward, **said):
        found = served.post(f"/api/assignments/{id_}/reward", {"reward": reward, **said})
        return found.status_code, found.json().get("counted")

    assert report(first, 1.0) == report(first, 1.0) == (200, True)
    assert report(first, 0.0) == (409, None)
    time.pass_(105)
    assert report(second, 0.5, observed_at=time.wall - 4.0) == (200, False)  # observed after the deadline
    assert report(second, 0.5) == (200, False)
    assert report(second, 0.25) == (409, None)
    third = assigned(served, audit).json()["id"]
    assert report(third, 0.5, observed_at=time.wall + 1e6) == (
        200,
        True,
    )  # a clock ahead: it was observed now
    fourth = assigned(served, audit).json()["id"]
    assert report(fourth, 0.5, observed_at=0) == (200, True)
    fifth = assigned(served, audit).json()["id"]
    time.pass_(111)
    served.log.settle()
    assert report(fifth, 0.5, observed_at=time.wall - 100.0) == (200, False)


def test_a_batch_with_the_same_one_twice(served):
    audit = served.audit()
    one, two = (assigned(served, audit).json()["id"] for _ in range(2))
    items = [(one, 1.0), (one, 1.0), (one, 0.5), ("nothing", 1.0), (two, 0.25), (one, 1.0)]
    batch = [{"assignment": id_, "reward": reward} for id_, reward in items]
    results = served.post("/api/rewards", batch).json()["results"]
    assert [(each["status"], each.get("counted")) for each in results] == [
        (200, True), (200, True), (409, None), (404, None), (200, True), (200, True),
    ]  # fmt: skip
    assert kinds(served, audit, 1).count("deliver") == 2


def test_a_reward_before_it_was_shown(served, time):
    audit = served.audit(activation="on_shown", window_s=20.0)
    one, two, three = (assigned(served, audit).json()["id"] for _ in range(3))
    early = served.post(f"/api/assignments/{one}/reward", {"reward": 1.0})
    assert early.status_code == 425  # too early, not wrong: whoever shows may say so later
    assert "shown" in early.json()["error"]
    assert served.post(f"/api/assignments/{one}/shown").json() == {"counted": True}
    assert served.post(f"/api/assignments/{one}/shown").json() == {"counted": True}
    assert served.post(f"/api/assignments/{one}/reward", {"reward": 1.0}).json() == {"counted": True}
    results = served.post("/api/shown", [two, two, "x"]).json()["results"]
    assert [each["status"] for each in results] == [200, 200, 404]
    time.pass_(21)
    assert served.post(f"/api/assignments/{three}/shown").json() == {"counted": False}
    served.log.settle()
    assert served.post(f"/api/assignments/{three}/reward", {"reward": 1.0}).json() == {"counted": False}
    assert kinds(served, audit, 1)[-1] == "withdraw"


def test_fallbacks_are_counted(served):
    audit = served.audit()

    def count():
        lines = served.client.get("/metrics").text.splitlines()
        return next(
            float(line.split()[1]) for line in lines if line.startswith("evenhand_client_fallbacks_total")
        )

    before = count()
    served.post(f"/api/audits/{audit}/assignments", {"user": "x"}, headers={"evenhand-fallbacks": "17"})
    assert count() == before + 17


def test_deleting_a_person(served):
    audit = served.audit()
    id_ = assigned(served, audit, "cem").json()["id"]
    assert served.post(f"/api/audits/{audit}/deletions", {"user": "cem"}).json() == {
        "deleted": True,
        "known": True,
        "ended": 2,
    }
    assert served.post(f"/api/audits/{audit}/deletions", {"user": "who"}).json()["known"] is False
    assert assigned(served, audit, "cem").json()["reason"] == "not_target"
    assert served.post(f"/api/assignments/{id_}/reward", {"reward": 1.0}).json() == {"counted": False}
    assert served.post(f"/api/assignments/{id_}/shown").json() == {"counted": False}
    events = served.get(f"/api/audits/{audit}/events?after=3:0").json()["events"]
    assert {(one["kind"], one["event"], one["salt"]) for one in events} == {("deleted", None, None)}
    assert "cem" not in served.get(f"/api/audits/{audit}/targets").json()["targets"]


@pytest.mark.parametrize("spend", [(0.05, 3), (0.2, 2)])
def test_a_series_spends_its_error(served, spend):
    from math import pi

    delta, links = spend
    name, spent = f"series of {delta}", []
    for link in range(1, links + 1):
        made = served.post("/api/audits", ASKED | {"series": name, "delta": delta}).json()
        assert made["link"] == link
        settings = served.get(f"/api/audits/{made['id']}/certificate").json()["settings"]
        assert settings["delta"] == pytest.approx(delta * 6 / (pi * link) ** 2)
        spent.append(settings["delta"])
    assert sum(spent) < delta
