"""A store is brought to the schema of this version once, whole, and never beyond what this version knows."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import insert, inspect

from evenhand.errors import InputError
from evenhand.store import connecting, migrating
from evenhand.store.audit_tables import metadata
from evenhand.store.connecting import open_store
from evenhand.store.migrations import MIGRATIONS, Migration
from evenhand.store.tables import monitor


def test_a_new_store_has_the_tables_that_are_declared(tmp_path):
    store = open_store(str(tmp_path / "m.db"))
    found = inspect(store.engine)
    assert set(found.get_table_names()) == {*metadata.tables, "evenhand_migration"}
    for name, table in metadata.tables.items():
        columns = [(one["name"], str(one["type"]), one["nullable"]) for one in found.get_columns(name)]
        declared = [(one.name, str(one.type), bool(one.nullable)) for one in table.columns]
        assert columns == declared
        unique = {tuple(one["column_names"]) for one in found.get_unique_constraints(name)}
        wanted = {
            tuple(c.name for c in one.columns)
            for one in table.constraints
            if type(one).__name__ == "UniqueConstraint"
        }
        assert unique == wanted


def test_opening_again_changes_nothing(tmp_path):
    for _ in range(2):
        store = open_store(f"sqlite:///{tmp_path}/m.db")
        with store.reading() as connection:
            assert migrating.schema_of(connection) == len(MIGRATIONS)
        store.close()


def test_several_at_once_make_one_store(tmp_path):
    with ThreadPoolExecutor(8) as pool:
        stores = list(pool.map(open_store, [str(tmp_path / "m.db")] * 8))
    with stores[0].reading() as connection:
        assert migrating.schema_of(connection) == len(MIGRATIONS)


def test_a_new_file_that_another_is_writing_is_waited_for(tmp_path, monkeypatch):
    path = tmp_path / "m.db"
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("PRAGMA user_version = 1")  # so that the file is there
    other.execute("BEGIN IMMEDIATE")  # SQLite then refuses its write-ahead log at once, without waiting
    waits = []

    def wait(seconds):
        waits.append(seconds)
        other.execute("COMMIT")

    monkeypatch.setattr(connecting.time, "sleep", wait)
    open_store(str(path)).close()
    assert len(waits) == 1


def test_a_migration_that_fails_leaves_the_schema_before(tmp_path, monkeypatch):
    def half(connection):
        connection.exec_driver_sql("CREATE TABLE half (id INTEGER)")
        raise RuntimeError("interrupted")

    path = str(tmp_path / "m.db")
    open_store(path).close()
    monkeypatch.setattr(migrating, "MIGRATIONS", (*MIGRATIONS, Migration("half", half)))
    with pytest.raises(RuntimeError):
        open_store(path)
    monkeypatch.undo()
    store = open_store(path)
    assert "half" not in inspect(store.engine).get_table_names()


def test_a_store_of_days_and_flags_alone_gets_live_audits_and_keeps_what_it_has(tmp_path, monkeypatch):
    path = str(tmp_path / "m.db")
    monkeypatch.setattr(migrating, "MIGRATIONS", MIGRATIONS[:3])
    store = open_store(path)
    assert "stream" not in inspect(store.engine).get_table_names()
    with store.writing() as connection:
        connection.execute(insert(monitor).values(name="a", plan="{}", secret=b"s", created_at="now"))
    store.close()
    monkeypatch.undo()
    store = open_store(path)
    assert "stream" in inspect(store.engine).get_table_names()
    with store.reading() as connection:
        assert migrating.schema_of(connection) == len(MIGRATIONS)
        assert [row.name for row in connection.execute(monitor.select())] == ["a"]
    store.close()
    monkeypatch.setattr(migrating, "MIGRATIONS", MIGRATIONS[:3])  # the older version, beside the newer
    with pytest.raises(InputError, match="a newer version wrote it"):
        open_store(path)


def test_a_store_of_a_newer_schema_is_refused(tmp_path):
    path = str(tmp_path / "m.db")
    store = open_store(path)
    with store.writing() as connection:
        connection.execute(insert(migrating.migration).values(number=99, name="later", applied_at="then"))
    store.close()
    with pytest.raises(InputError, match=r"has schema 99, .* a newer version wrote it"):
        open_store(path)


@pytest.mark.parametrize("name", ["day", "customers"])
def test_a_database_of_others_is_refused(tmp_path, name):
    """Also where no table is called as one of ours: nothing is written into another program's file."""
    with sqlite3.connect(tmp_path / "m.db") as connection:
        connection.execute(f"CREATE TABLE {name} (x INTEGER)")
    with pytest.raises(InputError, match=f"has a table '{name}' already"):
        open_store(str(tmp_path / "m.db"))
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    connection.close()
    assert tables == [(name,)]


def test_what_is_committed_is_on_the_disk(tmp_path):
    store = open_store(str(tmp_path / "m.db"))
    with store.reading() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2
        assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar() == 1


def test_a_reader_sees_one_state_and_a_failed_writer_leaves_nothing(tmp_path):
    store = open_store(str(tmp_path / "m.db"))
    new = insert(monitor).values(name="a", plan="{}", secret=b"", created_at="now")

    def fails():
        with store.writing() as connection:
            connection.execute(new)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fails()
    with store.reading() as reader:
        assert reader.execute(monitor.select()).all() == []
        with store.writing() as writer:
            writer.execute(new)
        assert reader.execute(monitor.select()).all() == []
    with store.reading() as reader:
        assert len(reader.execute(monitor.select()).all()) == 1


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("mysql://x/y", "no store of the kind 'mysql'"),
        ("sqlite://", "names no file"),
        (":memory:", "must be a file on disk"),
        ("   ", "must be a file on disk"),
        ("sqlite:///:memory:", "must be a file on disk"),
        ("sqlite:///file:x?mode=memory&uri=true", "must be a file on disk"),
        ("postgresql://me:secret@127.0.0.1:1/no", r"postgresql://me:\*\*\*@127.0.0.1:1/no cannot be reached"),
        ("postgresql://me@host:port/x", "cannot be read"),
    ],
)
def test_addresses_that_cannot_be_opened(address, said):
    with pytest.raises(InputError, match=said) as refused:
        open_store(address)
    assert "secret" not in str(refused.value)


def test_files_that_cannot_be_opened(tmp_path):
    (tmp_path / "text.db").write_text("this is a text, no database at all, but long enough\n" * 40)
    with pytest.raises(InputError, match="is not a store of Evenhand"):
        open_store(str(tmp_path / "text.db"))
    with pytest.raises(InputError, match="is a folder"):
        open_store(str(tmp_path))
    with pytest.raises(InputError, match="There is no folder"):
        open_store(str(tmp_path / "no" / "m.db"))


def test_whoever_reads_does_not_wait_for_a_writer(tmp_path, monkeypatch):
    monkeypatch.setattr(connecting, "PATIENCE", 0)
    writer = open_store(str(tmp_path / "m.db"))
    with writer.writing():
        store = open_store(str(tmp_path / "m.db"), make=False)
        with store.reading() as connection:
            assert connection.execute(monitor.select()).all() == []


def test_what_cannot_be_overwritten_yet_is_said(tmp_path):
    store = open_store(str(tmp_path / "m.db"))
    with store.reading() as reader:
        reader.execute(monitor.select())
        with store.writing() as writer:
            writer.execute(insert(monitor).values(name="a", plan="{}", secret=b"", created_at="now"))
        assert store.erase(within_s=0) == "another program is reading or writing the store"
    assert store.erase() is None
