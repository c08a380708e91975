"""What clients were told against what the store has: nothing lost, nothing doubled, no gaps, every state the
fold of its log, every log what an uninterrupted run of the same observations makes, every certificate borne
out."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from service_clients import Acknowledged, Notes, World
from service_servers import Server
from sqlalchemy import select

from evenhand.envy import verify
from evenhand.envy.online.auditor import OF_THE_SERVICE
from evenhand.service.log.assignment_ids import Place, read_id
from evenhand.service.log.folded import online_auditors
from evenhand.service.log.keeping.checking import check
from evenhand.store import audit_tables as tables
from evenhand.store.connecting import Store, open_store

_AWAY = "The store could not be written"


def compared(
    address: str, worlds: Sequence[World], notes: Notes, server: Server, token: str
) -> dict[str, Any]:
    store = open_store(address)
    try:
        return _compared(store, worlds, notes, server, token)
    finally:
        store.close()


def _compared(
    store: Store, worlds: Sequence[World], notes: Notes, server: Server, token: str
) -> dict[str, Any]:
    checked = check(store)
    assert not checked.faults, checked.faults
    e, a, r = tables.event, tables.answered, tables.late_reward
    with store.reading() as connection:
        rows = connection.execute(select(e).order_by(e.c.audit, e.c.stream, e.c.seq)).all()
        answered = {row.key: row for row in connection.execute(select(a))}
        late = {
            Place(row.audit, row.stream, row.assignment): row.reward for row in connection.execute(select(r))
        }
    kept = _kept(notes.acknowledged, answered)
    _same_events(kept, rows, late)
    outcomes: Counter[str] = Counter()
    begun = {place.audit for place in map(_place_of, kept.values())}
    for world in worlds:
        if world.audit in begun:
            outcomes += _replayed(world, store, server, token)
    unheard = sum(key in answered and answered[key].at < at for key, at in notes.cut_at.items())
    # Two servers wait for each other, and never fail by each other.
    assert not any(_AWAY in said for said in notes.unavailable), notes.unavailable
    twice = len(notes.twice) / len({one.asked.key for one in notes.acknowledged})
    assert twice >= 0.05, "too little was sent twice"
    return {
        "events": checked.events, "requests acknowledged": len(notes.acknowledged), "of them kept": len(kept),
        "sent twice at once": f"{twice:.1%}", "cut off": sum(notes.cut_off.values()),
        "cut off and yet recorded": unheard,
        "acknowledged after 503": dict(notes.unavailable), "audits of users": dict(outcomes),
        "kinds of events": dict(Counter(row.kind for row in rows if row.stream)),
    }  # fmt: skip


def _kept(acknowledged: Sequence[Acknowledged], answered: dict[str, Any]) -> dict[str, Acknowledged]:
    """What was written by its key: the store has the answer that the client heard, every time it asked."""
    kept: dict[str, Acknowledged] = {}
    for one in acknowledged:
        key = one.asked.key
        assert one.status in (200, 201, 409), f"{key} was answered {one.status}: {one.body}"
        writes = {"a": one.status == 201, "s": one.body.get("counted"), "r": one.status == 200}[one.kind]
        if not writes:
            continue
        assert key in answered, f"{key} was acknowledged, and is lost"
        said = {name: value for name, value in one.body.items() if name != "policy_of"}
        assert json.loads(answered[key].body) == said, f"{key} was answered otherwise than the store says"
        assert kept.setdefault(key, one).body == one.body, f"{key} was answered in two ways"
    told = {key for key in answered if not key.startswith("made-")}
    assert set(kept) == told, f"{len(told - set(kept))} answers are nobody's"
    return kept


def _same_events(kept: dict[str, Acknowledged], rows: Sequence[Any], late: dict[Place, float]) -> None:
    """Each thing that was acknowledged is one event, and each event was acknowledged."""
    assigned: dict[Place, float] = {}
    rewards: dict[Place, float] = {}
    missed: dict[Place, float] = {}
    shown: list[Place] = []
    for one in kept.values():
        place = _place_of(one)
        if one.kind == "a":
            assert place not in assigned, f"{place} was given twice"
            assigned[place] = one.body["deadline"]
        elif one.kind == "s":
            shown.append(place)
        else:
            assert one.asked.body is not None
            (rewards if one.body["counted"] else missed)[place] = one.asked.body["reward"]
    logged: dict[str, list[tuple[Place, Any]]] = {"assign": [], "shown": [], "deliver": [], "withdraw": []}
    for row in rows:
        if row.stream and row.kind in logged:
            logged[row.kind].append((Place(row.audit, row.stream, row.assignment), json.loads(row.payload)))
    counted = [(place, event[1][0][1]) for place, event in logged["deliver"] if event[1][0][1] is not None]
    assert sorted(assigned.items()) == sorted((place, event[3]) for place, event in logged["assign"])
    assert sorted(shown) == sorted(place for place, _ in logged["shown"])
    assert sorted(rewards.items()) == sorted(counted)
    assert missed == late
    settled = Counter(place for kind in ("deliver", "withdraw") for place, _ in logged[kind])
    assert max(settled.values()) == 1, "an assignment was settled twice"


def _place_of(one: Acknowledged) -> Place:
    found = read_id(one.body["id"] if one.kind == "a" else one.asked.path.split("/")[3])
    assert found is not None
    return found[0]


def _replayed(world: World, store: Store, server: Server, token: str) -> Counter[str]:
    """The same visits and observations without an interruption make the same log, hence the same outcomes;
    the server says the same, and its certificate holds."""
    about = [event for _, event, _ in logged(store, world.audit, [0])]
    settings, seeds, auditors = about[1][3], about[2][2], online_auditors()
    certificate, events = _settled(world, store, server, token)
    outcomes = []
    for number, seed in enumerate(seeds, start=1):
        told = [event for who, event, _ in events if who == number]
        audit, again = auditors.begin(settings, seed), []
        audit.listener = again.append
        for event in told:
            if event[0] == "assign":
                audit.assign(deadline=event[3], version=event[4])
            elif event[0] == "withdraw":
                audit.withdraw(event[1])
            elif event[0] == "deliver":
                audit.deliver(dict(event[1]))
        plain = [event for event in told if event[0] not in OF_THE_SERVICE]
        assert json.loads(json.dumps(again)) == plain, f"an uninterrupted run of user {number} goes otherwise"
        outcomes.append(audit.outcome)
    assert [one["outcome"] for one in certificate["users"]] == outcomes
    assert verify(certificate, events).outcome == certificate["outcome"]
    if "envy" in outcomes:
        assert certificate["outcome"] == "envy"
    return Counter(str(one) for one in outcomes)


def _settled(
    world: World, store: Store, server: Server, token: str
) -> tuple[dict[str, Any], list[list[Any]]]:
    """The certificate and the events that it is about: a server may still settle what was never reported."""
    path = f"/api/audits/{world.audit}/certificate"
    for _ in range(20):
        certificate = _get(server, path, token)
        events = logged(store, world.audit, range(1, len(world.users) + 1))
        if certificate == _get(server, path, token):
            return certificate | {"seed": logged(store, world.audit, [0])[2][1][1]}, events
        time.sleep(0.5)
    raise AssertionError("an audit changes all the time, and nobody visits it")


def logged(store: Store, audit: str, streams: Iterable[int]) -> list[list[Any]]:
    """Events as `verify` takes them, from the store: a server tells some of them, and the seed, only when the
    audit is over."""
    e = tables.event
    chosen = select(e).where(e.c.audit == audit, e.c.stream.in_(list(streams))).order_by(e.c.stream, e.c.seq)
    with store.reading() as connection:
        return [
            [row.stream, json.loads(row.payload), row.salt.hex()]
            if row.payload is not None
            else [row.stream, None, row.leaf.hex()]
            for row in connection.execute(chosen)
        ]


def _get(server: Server, path: str, token: str) -> Any:
    status, body = server.ask("GET", path, token)
    assert status == 200, (path, status, body)
    return body
