"""The same request again: the same answer, byte for byte, also from a server that was started again."""

import json

import pytest

from evenhand.envy import digest_of
from evenhand.service.expected import Expectations
from service.http.served import ASKED, Served
from service.log.conftest import Time


@pytest.fixture
def address(request, tmp_path):
    if getattr(request, "param", "sqlite") == "sqlite":
        return str(tmp_path / "s.db")
    return request.getfixturevalue("synced_postgres").new_database()


@pytest.fixture
def served(address):
    made = Served(address, Time())
    yield made
    made.end()


# Of PostgreSQL the time is the database's own, so that not everything can be tried there.
on_both = pytest.mark.parametrize(
    "address", ["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)], indirect=True
)


def test_every_write_again(served):
    audit = served.audit(activation="on_shown", window_s=50.0, version="1")
    population = {"users": None, "population": 3, "digest": digest_of(["a", "b", "c"])}
    drawn = served.post("/api/audits", ASKED | population).json()["id"]
    late = served.post(f"/api/audits/{audit}/assignments", {"user": "cem"}).json()["id"]
    served.time.pass_(120)
    served.log.settle()
    one, two = (
        served.post(f"/api/audits/{audit}/assignments", {"user": user}).json()["id"]
        for user in ("ann", "ben")
    )
    writes = [
        ("/api/audits", ASKED),
        ("/api/audits", ASKED | {"series": "s"}),
        (f"/api/audits/{drawn}/people", {"users": ["a", "b", "c"]}),
        (f"/api/audits/{audit}/assignments", {"user": "ann", "version": "1"}),
        (f"/api/assignments/{one}/shown", None),
        ("/api/shown", [one, two, "x"]),
        (f"/api/assignments/{two}/reward", {"reward": 0.1}),
        ("/api/rewards", [{"assignment": late, "reward": 1 / 3}]),
        (f"/api/audits/{audit}/pause", None),
        (f"/api/audits/{audit}/resume", None),
        (f"/api/audits/{audit}/opt-outs", {"user": "ben"}),
        (f"/api/audits/{audit}/deletions", {"user": "cem"}),
        (f"/api/audits/{audit}/end", {"reason": "Enough."}),
    ]

    def send():
        found = [served.post(path, said, key=f"w{i}") for i, (path, said) in enumerate(writes)]
        return [(one.status_code, one.content) for one in found]

    # Of who is deleted nothing is kept, and so not what was answered either.
    deleted = next(i for i, (path, _) in enumerate(writes) if path.endswith("/deletions"))
    first = send()
    assert first[2][0] == 200
    assert json.loads(first[deleted][1]) == {"deleted": True, "known": True, "ended": 1}
    kept = first.copy()
    kept[deleted] = 200, b'{"deleted":true,"known":false,"ended":0}'
    events = [served.get(f"/api/audits/{audit}/events?after={n}:0").json()["events"] for n in range(4)]
    assert send() == kept
    served.again()
    assert send() == kept
    assert [
        served.get(f"/api/audits/{audit}/events?after={n}:0").json()["events"] for n in range(4)
    ] == events
    ids = [one["id"] for one in served.get("/api/audits").json()]
    assert len(ids) == 4


@on_both
def test_what_is_expected_is_told_again_as_it_was_told(served, monkeypatch):
    """Whoever heard that it is not known hears so again; the audit itself tells it when it is."""
    known = Expectations.soon

    async def not_soon(self, about):
        return None

    monkeypatch.setattr(Expectations, "soon", not_soon)
    first = served.post("/api/audits", ASKED, key="k")
    assert first.json()["expected"] is None
    monkeypatch.setattr(Expectations, "soon", known)
    assert served.post("/api/audits", ASKED, key="k").content == first.content
    served.again()
    assert served.post("/api/audits", ASKED, key="k").content == first.content
    view = f"/api/audits/{first.json()['id']}"
    served.wait(lambda: served.get(view).json()["expected"] is not None)
    assert served.get(view).json()["expected"]["steps_a_user"]["another_is_better"] == 200
    other = served.post("/api/audits", ASKED | {"daily": 10}, key="l").json()
    assert other["expected"]["days"] == {
        "nobody_better_off": 100.0, "another_is_better": 20.0, "own_is_better": None,
    }  # fmt: skip


@on_both
def test_keys_are_a_token_s_own(served):
    audit = served.audit()
    path, said = f"/api/audits/{audit}/assignments", {"user": "ann"}
    mine, theirs = served.token("assign"), served.token("assign")
    first = served.post(path, said, key="k", token=mine)
    assert served.post(path, said, key="k", token=theirs).json()["id"] != first.json()["id"]
    assert served.post(path, {"user": "ben"}, key="k", token=mine).status_code == 422
    assert served.post(path, said, key="k", token=mine).content == first.content


@on_both
def test_the_same_key_many_times_at_once(served):
    import threading

    audit, found = served.audit(), []
    path = f"/api/audits/{audit}/assignments"

    def send():
        found.append(served.post(path, {"user": "ann"}, key="k").content)

    threads = [threading.Thread(target=send) for _ in range(16)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert len(set(found)) == 1
    assert len(found) == 16
    events = served.get(f"/api/audits/{audit}/events?after=1:0").json()["events"]
    assert [one["kind"] for one in events] == ["person", "agreed", "assign"]
