"""A store that somebody else changed is said to be damaged, whatever in it it was; our own faults are not."""

from __future__ import annotations

import shutil
import sqlite3
import struct
import zlib

import pytest

from evenhand import monitor
from evenhand.cli.main import app
from evenhand.errors import InputError
from monitor.worlds import days, write_day, write_plan

DAYS = days(3)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A plan, and a store with two of its three days."""
    folder = tmp_path_factory.mktemp("whole")
    plan = write_plan(folder)
    store = monitor.open_store(str(folder / "whole.db"))
    for one in DAYS:
        write_day(folder, one, rows=600)
    for one in DAYS[:2]:
        monitor.add(plan, store, one)
    store.close()
    return plan, folder / "whole.db"


def command(name, plan, store, *more):
    app(["monitor", name, str(plan), "--store", str(store), *more], standalone_mode=False)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("DELETE FROM regime", "2026-01-01 lacks its regime"),
        ("DELETE FROM evidence", "2026-01-01 lacks its evidence"),
        ("DELETE FROM look WHERE day = '2026-01-01'", "2026-01-01 lacks what was found on it"),
        ("DELETE FROM day", "a regime has no day"),
        ("UPDATE look SET number = 'x'", "number in a row of the table look"),
        ("UPDATE look SET number = -5", "number in a row of the table look"),
        ("UPDATE look SET document = '{}'", "document in a row of the table look"),
        ("UPDATE look SET day = 'x' WHERE day = '2026-01-01'", "day in a row of the table look"),
        ("UPDATE day SET inputs = '[1]'", "inputs in a row of the table day"),
        ("UPDATE day SET inputs = '{\"default\": 3}'", "inputs in a row of the table day"),
        ("UPDATE look SET number = 9223372036854775807", "number in a row of the table look"),
        ("UPDATE day SET number = 9223372036854775807", "number in a row of the table day"),
        ("UPDATE look SET day_id = 99", "found on a day is of a day that is not there"),
        ("UPDATE evidence SET step = 'x'", "the evidence of 2026-01-01 is not what was counted"),
        ("DROP TABLE look", "no such table: look"),
        ("DELETE FROM evenhand_migration WHERE number > 1", "already exists"),
    ],
)
def test_damage_is_one_sentence(whole, tmp_path, change, said):
    plan, store = whole
    shutil.copy(store, tmp_path / "m.db")
    with sqlite3.connect(tmp_path / "m.db") as connection:
        connection.execute(change)
    connection.close()
    prom = ("--out", str(tmp_path / "m.prom"))
    asked = [("show",), ("show", "--from", DAYS[0]), ("export", *prom), ("add", "--day", DAYS[2])]
    found = []
    for name, *more in asked:
        try:
            command(name, plan, tmp_path / "m.db", *more)
        except InputError as error:
            found.append(str(error))
    assert any("damaged" in one and said in one for one in found), found


def changed(store, table, change):
    """The store with each content of a table as `change` makes it, packed as it was."""
    with sqlite3.connect(store) as connection:
        connection.create_function(
            "changed", 1, lambda content: zlib.compress(change(zlib.decompress(content)))
        )
        connection.execute(f"UPDATE {table} SET content = changed(content)")
    connection.close()


@pytest.mark.parametrize("change", [lambda content: b"", lambda content: content[:-9], lambda _: b"x" * 99])
def test_a_state_that_cannot_be_read_is_damage(whole, tmp_path, change):
    plan, store = whole
    shutil.copy(store, tmp_path / "m.db")
    changed(tmp_path / "m.db", "state", change)
    with pytest.raises(InputError, match="The store is damaged: a state cannot be read"):
        command("add", plan, tmp_path / "m.db", "--day", DAYS[2])


@pytest.mark.parametrize(
    "asked",
    [("show", "--from", DAYS[0]), ("correct", "--day", DAYS[1], "--reason", "slip", "--remove")],
)
def test_evidence_with_other_numbers_goes_into_no_sum(whole, tmp_path, asked):
    """It can be read: the last of its numbers is another."""
    plan, store = whole
    shutil.copy(store, tmp_path / "m.db")
    changed(tmp_path / "m.db", "evidence", lambda content: content[:-8] + struct.pack("<d", 7.0))
    with pytest.raises(InputError, match="evidence of 2026-01-01 is not what was counted; go back to a b"):
        command(asked[0], plan, tmp_path / "m.db", *asked[1:])


def test_what_is_no_text_is_damage(whole, tmp_path):
    plan, store = whole
    shutil.copy(store, tmp_path / "m.db")
    with sqlite3.connect(tmp_path / "m.db") as connection:
        connection.execute("UPDATE look SET document = CAST(x'7BFF' || document AS TEXT)")
    connection.close()
    with pytest.raises(InputError, match=r"damaged \(the column document of a row is no text\)"):
        command("show", plan, tmp_path / "m.db")


def test_a_fault_of_ours_stays_one(whole, monkeypatch):
    def fault(*given, **more):
        raise KeyError("ours")

    monkeypatch.setattr(monitor, "history", fault)
    with pytest.raises(KeyError, match="ours"):
        command("show", *whole)
