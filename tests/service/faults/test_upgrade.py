"""Another version: a store that an older one left is brought up to date and served; a server that is older
than the store writes nothing; a backup of an older schema is sent to the version that made it."""

import gzip
import json
import sqlite3
import threading
from pathlib import Path

import pytest
from sqlalchemy import insert, select

from evenhand.envy import verify
from evenhand.service.access.tokens import hash_of
from evenhand.service.log.keeping.backups import TABLES
from evenhand.service.log.keeping.checking import check
from evenhand.store import audit_tables as tables
from evenhand.store import migrating
from evenhand.store.connecting import open_store
from evenhand.store.migrations import MIGRATIONS
from service.faults import spoilt
from service.faults.conftest import USERS, Desk, servers
from service.faults.test_faults import sound

pytestmark = pytest.mark.slow
OLDER = 4  # the first schema with live audits
# A store that it left: one audit with 36 visits, snapshots, answers, one who opted out, and a monitor.
STORED = Path(__file__).with_name("schema4.sql")
SECRET = "a-secret-of-the-tests"


def older_store(address, monkeypatch):
    monkeypatch.setattr(migrating, "MIGRATIONS", MIGRATIONS[:OLDER])
    store = open_store(address)
    with sqlite3.connect(":memory:") as kept:
        kept.executescript(STORED.read_text())
        kept.row_factory = sqlite3.Row
        there = {row["name"] for row in kept.execute("SELECT name FROM sqlite_master")}
        with store.writing() as connection:
            for table in (one for one in TABLES if one.name in there):
                rows = [dict(row) for row in kept.execute(f'SELECT * FROM "{table.name}"')]
                if rows:
                    connection.execute(insert(table), rows)
            connection.execute(tables.token.update().values(hash=hash_of(SECRET)))
            audit = connection.execute(select(tables.audit.c.id)).scalar_one()
            token = connection.execute(select(tables.token.c.id)).scalar_one()
            first = connection.execute(select(tables.answered.c.body).where(tables.answered.c.key == "a0"))
            answer = json.loads(first.scalar_one())
            assert migrating.schema_of(connection) == OLDER
    kept.close()
    store.close()
    monkeypatch.undo()
    return audit, f"evh_{token}_{SECRET}", answer


def test_a_store_that_an_older_version_left_is_served(nursery, store, tmp_path, monkeypatch):
    audit, token, answer = older_store(store, monkeypatch)
    server = servers.Server(nursery, store, tmp_path, "server").start().is_up()
    path = f"/api/audits/{audit}"
    status, again = server.ask("POST", f"{path}/assignments", token, "a0", {"user": "ann"})
    assert (status, again["id"]) == (201, answer["id"])
    assert server.ask("POST", f"{path}/assignments", token, "new", {"user": "ann"})[0] == 201
    reason = server.ask("POST", f"{path}/assignments", token, "cem", {"user": "cem"})[1]["reason"]
    assert reason == "opted_out"
    # Before it is over neither its seed nor the orders of its blocks are told.
    assert server.ask("POST", f"{path}/end", token, "end", {"reason": "Enough."})[0] == 200
    events = [
        [number, one["event"], one["salt"]]
        for number in (1, 2, 3)
        for one in server.ask("GET", f"{path}/events?after={number}:0", token)[1]["events"]
    ]
    certificate = server.ask("GET", f"{path}/certificate", token)[1]
    assert verify(certificate, events).outcome == "inconclusive"
    assert certificate["users"][2]["outcome"] == "inconclusive"
    server.stop()
    opened = open_store(store)
    found = check(opened)
    assert (found.faults, found.snapshots) == ([], 3)
    with opened.reading() as connection:
        assert migrating.schema_of(connection) == len(MIGRATIONS)
    opened.close()


def test_a_server_that_is_older_than_the_store_writes_nothing(nursery, store, tmp_path, monkeypatch):
    older = Desk(nursery, store, tmp_path)
    told, stop = {}, threading.Event()

    def ask():
        for number in range(10_000):
            if stop.is_set():
                return
            told[f"key-{number}"] = older.assign(USERS[number % 3], f"key-{number}")

    asks = threading.Thread(target=ask)
    asks.start()
    while len(told) < 5:
        stop.wait(0.01)
    monkeypatch.setattr(migrating, "MIGRATIONS", MIGRATIONS)
    spoilt.knows_a_later_schema()  # in the process of the tests: the newer version, which migrates
    open_store(store).close()
    before = len(told)
    while len(told) < before + 5:
        stop.wait(0.01)
    stop.set()
    asks.join()
    statuses = [status for status, _ in told.values()]
    assert sorted(statuses, reverse=True) == statuses[::-1]  # 201 up to the migration, then 503
    assert set(statuses) == {201, 503}
    assert older.server.ask("GET", "/readyz")[0] == 503
    assert older.server.ask("GET", "/healthz")[0] == 200
    assert len(older.kinds()) > 1  # it still reads
    if "://" not in store:
        older.server.stop()  # there is one at a time
    newer = servers.Server(nursery, store, tmp_path, "newer", "service.faults.spoilt:knows_a_later_schema")
    older.server, stopped = newer.start().is_up(), older.server
    for number, (key, (status, body)) in enumerate(told.items()):
        again = older.assign(USERS[number % 3], key)
        assert again[0] == 201
        assert status != 201 or again[1] == body
    newer.stop()
    if "://" in store:
        stopped.stop()
    assert sound(store) == ([], len(told))


def test_a_backup_of_an_older_schema(nursery, tmp_path):
    said = [{"evenhand": "backup", "schema": OLDER}, {"rows": 0}]
    (tmp_path / "b.gz").write_bytes(gzip.compress("".join(json.dumps(one) + "\n" for one in said).encode()))
    command = ["serve", "restore", str(tmp_path / "b.gz"), "--store", str(tmp_path / "s.db"), "--quiet"]
    assert nursery.ended(nursery.begin(command, tmp_path / "log")) == 2
    knows = f"backup of schema {OLDER}, and this version of Evenhand knows {len(MIGRATIONS)}; restore it with"
    assert (
        f"{knows} the version that made it, then open that store with this one."
        in (tmp_path / "log").read_text()
    )
