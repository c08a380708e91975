"""What somebody outside can check with a token that may only read: chain, certificate, seed, draw."""

import copy
import hashlib
import json

import pytest

from evenhand.envy import verify
from evenhand.errors import ChangedError
from evenhand.service.log import Key
from service.http.served import ASKED

POPULATION = [f"user-{i:04d}" for i in range(500)]


class Outsider:
    """Knows HTTP and sha256, and nothing of how the server works."""

    def __init__(self, served, audit):
        self.token, self.served, self.audit = served.token("read", audits=[audit]), served, audit

    def get(self, what=""):
        found = self.served.get(f"/api/audits/{self.audit}{what}", token=self.token)
        assert found.status_code == 200, found.text
        return found.json()

    def stream(self, number):
        after, told = f"{number}:0", []
        while (page := self.get(f"/events?after={after}"))["events"]:
            told += page["events"]
            after = page["next"]
        return told

    def head(self, events):
        """Recomputed: each leaf from its event, where that is told."""
        head = b""
        for number, one in enumerate(events, 1):
            assert one["seq"] == number
            if one["event"] is not None:
                text = json.dumps(one["event"], separators=(",", ":")).encode()
                assert hashlib.sha256(bytes.fromhex(one["salt"]) + text).hexdigest() == one["leaf"]
            head = hashlib.sha256(head + bytes.fromhex(one["leaf"])).digest()
        return head.hex()

    def streams(self):
        return [self.stream(n) for n in range(self.get("/events")["streams"])]


def serve_visits(served, audit, users, count, reward):
    """Many at once, within the server: what is tested here is what can be seen of it."""
    for start in range(0, count, 30):
        some = [users[i % len(users)] for i in range(start, min(start + 30, count))]
        asked = [
            served.log.assign(Key(f"a{start}-{i}", audit, ""), audit, user) for i, user in enumerate(some)
        ]
        made = [one.result(30).body for one in asked]
        told = [(one["id"], reward(one["policy_of"]), None) for one in made if one["id"]]
        served.log.rewards(Key(f"r{start}", audit, ""), told).result(30)


@pytest.fixture(scope="module")
def envious(served):
    audit = served.audit()
    serve_visits(served, audit, ASKED["users"], 600, lambda policy: float(policy == "ben"))
    return audit


def test_a_chain_that_is_recomputed_is_that_of_the_certificate(served, envious):
    outsider = Outsider(served, envious)
    served.log.settle()
    told = outsider.get("/certificate")
    assert told["outcome"] == "envy"
    streams = outsider.streams()
    assert len(streams) == 4
    heads = [outsider.head(events) for events in streams]
    rows = {row["user"]: row["events"] for row in told["users"]}
    for number in (1, 2, 3):
        assert rows[number] == {"count": len(streams[number]), "sha256": heads[number]}
    root = "".join(f"{place}:{head}\n" for place, head in enumerate(heads[1:], 1))
    assert told["events"]["root"] == hashlib.sha256(root.encode()).hexdigest()
    assert told["events"]["count"] == sum(len(events) for events in streams[1:])


def test_everything_but_names_is_told_when_it_is_over(served, envious):
    served.log.settle()
    outsider = Outsider(served, envious)
    streams = outsider.streams()
    hidden = {one["kind"] for events in streams for one in events if one["event"] is None}
    assert hidden == {"person"}
    assert not any(name in json.dumps(streams) for name in ASKED["users"])
    assert not any(f'"{name}"' in json.dumps(outsider.get("/certificate")) for name in ASKED["users"])


def test_the_certificate_follows_from_the_events(served, envious):
    """By Evenhand's own replay, without the names."""
    served.log.settle()
    outsider = Outsider(served, envious)
    told = outsider.get("/certificate")
    events = [[n, one["event"], one["salt"] or one["leaf"]] for n in (1, 2, 3) for one in outsider.stream(n)]
    checked = verify(told, events)
    assert checked.outcome == "envy"
    assert checked.linked_only == set()
    changed = copy.deepcopy(events)
    last = [one for one in changed if one[1] and one[1][0] == "deliver"][-1]
    last[1][1][0][1] = 1 - last[1][1][0][1]
    with pytest.raises(ChangedError):
        verify(told, changed)
    with pytest.raises(ChangedError):  # a first event that is not the name cannot be hidden so
        verify(told, [one for one in events if one[1] is not None])


def test_an_event_that_is_changed_breaks_the_chain(served, envious):
    outsider = Outsider(served, envious)
    events = outsider.stream(1)
    events[-1]["leaf"] = hashlib.sha256(b"another").hexdigest()
    events[-1]["event"] = None
    rows = {row["user"]: row["events"] for row in outsider.get("/certificate")["users"]}
    assert outsider.head(events) != rows[1]["sha256"]


def test_what_comes_next_is_told_to_nobody_while_it_runs(served):
    audit = served.audit()
    serve_visits(served, audit, ASKED["users"], 30, lambda *_: 0.5)
    for token in (served.token("read"), served.admin):
        seeds = served.get(f"/api/audits/{audit}/events", token=token).json()["events"][2]
        assert (seeds["kind"], seeds["event"], seeds["salt"]) == ("seeds", None, None)
        assert served.get(f"/api/audits/{audit}/certificate", token=token).json()["seed"] is None
        person = served.get(f"/api/audits/{audit}/events?after=1:0", token=token).json()["events"]
        told = [(one["event"], one["salt"]) for one in person if one["kind"] == "assign"]
        assert len(told) == 10
        assert set(told) == {(None, None)}  # neither the order of a block, nor where one begins
    # The chain holds all the same.
    outsider = Outsider(served, audit)
    rows = {row["user"]: row["events"] for row in outsider.get("/certificate")["users"]}
    assert {n: outsider.head(outsider.stream(n)) for n in rows} == {n: rows[n]["sha256"] for n in rows}


def test_a_draw_from_a_population_can_be_drawn_again(served):
    """The client says only how many there are and a digest; at the end it has the seed, and draws itself."""
    import numpy as np

    from evenhand.envy.online.drawing import draw_targets
    from evenhand.envy.online.system import digest_of, drawn_places

    lines = "".join(json.dumps(user) + "\n" for user in POPULATION)
    digest = hashlib.sha256(lines.encode()).hexdigest()
    assert digest == digest_of(POPULATION)
    asked = {name: value for name, value in ASKED.items() if name not in ("users", "criterion")}
    shares = {"lambda": 0.3, "gamma": 0.3, "delta": 0.1}
    made = served.post(
        "/api/audits", asked | shares | {"population": len(POPULATION), "digest": digest}
    ).json()
    audit, places = made["id"], made["places"]
    outsider = Outsider(served, audit)
    published = outsider.stream(0)
    # The hash stands in the log before what was drawn; the seed itself is hidden.
    assert [one["kind"] for one in published] == ["created", "drawn", "seeds"]
    assert published[0]["event"][1]["seed_hash"] == made["seed_hash"]
    assert published[0]["event"][1]["digest"] == digest
    assert published[2]["event"] is None
    head = outsider.head(published)

    assert served.get(f"/api/audits/{audit}/certificate").status_code == 409
    assert (
        served.post(f"/api/audits/{audit}/assignments", {"user": POPULATION[places[0]]}).json()["id"] is None
    )
    named = [POPULATION[place] for place in places]
    for wrong in (named[:-1], [*named, "more"], [named[0], *named[:-1]]):
        assert served.post(f"/api/audits/{audit}/people", {"users": wrong}).status_code == 422
    assert served.post(f"/api/audits/{audit}/people", {"users": named}).json() == {"targets": made["targets"]}
    assert served.post(f"/api/audits/{audit}/people", {"users": named}).status_code == 409
    targets = served.get(f"/api/audits/{audit}/targets").json()["targets"]
    assert targets == named[: made["targets"]]
    assert served.post(f"/api/audits/{audit}/assignments", {"user": targets[0]}).status_code == 201

    served.post(f"/api/audits/{audit}/end", {"reason": "Enough."})
    log = outsider.stream(0)
    assert outsider.head(log[:3]) == head  # what was published is still what it was
    assert log[2]["kind"] == "seeds"
    seed = log[2]["event"][1]
    assert hashlib.sha256(str(seed).encode()).hexdigest() == made["seed_hash"]
    assert outsider.get("/certificate")["seed"] == seed
    again = {"delta": 0.1, "gamma": 0.3, "lambda_": 0.3}
    assert sorted(places) == drawn_places(len(POPULATION), seed, **again)
    drawn = draw_targets(len(POPULATION), "probabilistic", 0.1, 0.3, 0.3, np.random.default_rng(seed))
    assert places[: made["targets"]] == list(drawn)
    arms = [[places[number - 1] for number in tried] for tried in log[1]["event"][2]]
    assert arms == list(drawn.values())


def test_two_audits_have_seeds_of_their_own(served):
    hashes = {served.post("/api/audits", ASKED).json()["seed_hash"] for _ in range(3)}
    assert len(hashes) == 3
