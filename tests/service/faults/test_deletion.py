"""Who is deleted over HTTP is in no file of the store: neither their id nor what they did. On PostgreSQL that
is so once the commands of docs/reference/service-log.md were run. The certificate says what can still be
checked."""

import re
import secrets
import time
from pathlib import Path

import psycopg
import pytest

from databases import PostgreSQL
from evenhand.envy import verify
from evenhand.envy.online.certificates.certify import not_checked
from service.faults.conftest import USERS, Desk
from service.faults.test_faults import sound

pytestmark = pytest.mark.slow
DOCS = Path(__file__).parents[3] / "docs" / "reference" / "service-log.md"
REWARD = 0.8136429751


def with_one_deleted(nursery, address, folder):
    """A desk; an id and a reward that must be gone."""
    who = f"who-{secrets.token_hex(8)}"
    desk = Desk(nursery, address, folder, "makes_many_snapshots", users=(who, *USERS), alpha=0.9)
    for _ in range(12):
        desk.reward(desk.assign(who)[1]["id"], REWARD)
        desk.reward(desk.assign(USERS[0])[1]["id"], 0.5)
    desk.assign(who)
    return desk, (who.encode(), str(REWARD).encode())


def delete(desk, who):
    path = f"/api/audits/{desk.audit}/deletions"
    status, said = desk.post(path, {"user": who.decode()})
    assert (status, said["deleted"], said["known"]) == (200, True, True)


def holding(folder, needles):
    files = [path for path in folder.rglob("*") if path.is_file()]
    return sorted({path.name for path in files for needle in needles if needle in path.read_bytes()})


def certified(desk):
    """What of the certificate cannot be checked any more."""
    until = time.monotonic() + 30
    while desk.get(f"/api/audits/{desk.audit}")["outcome"] is None:  # before that not all is told
        assert time.monotonic() < until
        time.sleep(0.1)
    told = []
    for number in range(1, 5):
        page = desk.get(f"/api/audits/{desk.audit}/events?after={number}:0")["events"]
        told += [[number, one["event"], one["salt"] or one["leaf"]] for one in page]
    audit = verify(desk.get(f"/api/audits/{desk.audit}/certificate"), told)
    assert audit.linked_only == {1}
    return not_checked(audit)


def test_deleted_on_sqlite(nursery, tmp_path):
    folder = tmp_path / "store"
    folder.mkdir()
    desk, needles = with_one_deleted(nursery, str(folder / "s.db"), folder)
    assert holding(folder, needles)
    delete(desk, needles[0])
    until = time.monotonic() + 30
    while holding(folder, needles):  # the next sweep empties the journal
        assert time.monotonic() < until, holding(folder, needles)
        time.sleep(0.1)
    assert desk.assign(needles[0].decode())[1]["reason"] == "not_target"
    assert "what 1 deleted user did and their outcome (linked, not replayable)" in certified(desk)
    desk.server.stop()
    assert sound(str(folder / "s.db"))[0] == []
    assert holding(folder, needles) == []


def commands():
    """What the docs say must be run, in order."""
    found = re.search(r"^ALTER SYSTEM.*?(?=^```$)", DOCS.read_text(), re.MULTILINE | re.DOTALL)
    return [one.strip() for one in found[0].replace("\n", " ").split(";") if one.strip()]


@pytest.fixture
def database():
    """A server of its own: every file of it is looked through, and its settings are changed."""
    with PostgreSQL(lasts_s=300) as made:
        yield made


def test_deleted_on_postgresql(nursery, database, tmp_path):
    address, data = database.new_database(), database.folder / "data"
    desk, needles = with_one_deleted(nursery, address, tmp_path)
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("ANALYZE")  # as PostgreSQL does by itself: it keeps frequent values
        delete(desk, needles[0])
        assert holding(data, needles)  # what is deleted stays in tables and in the journal
        for command in commands():
            connection.execute(command)
    until = time.monotonic() + 30
    while holding(data, needles):
        assert time.monotonic() < until, holding(data, needles)
        time.sleep(0.5)
    assert "what 1 deleted user did and their outcome (linked, not replayable)" in certified(desk)
    desk.server.stop()
    assert sound(address)[0] == []
