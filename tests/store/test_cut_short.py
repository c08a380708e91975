"""A store whose end is missing takes no day, wherever it ends; one that was left after a crash does."""

from __future__ import annotations

import shutil
import struct

import pytest
from sqlalchemy import text

from evenhand.errors import InputError
from evenhand.store.connecting import open_store
from evenhand.store.cut_short import refuse_cut_short

PAGE = 4096


@pytest.fixture
def crashed(tmp_path):
    """A store that was copied while a row of it was in its log alone."""
    (tmp_path / "was").mkdir()
    store = open_store(str(tmp_path / "was" / "m.db"))
    with store.writing() as connection:
        long = {"text": "x" * 99_999}
        connection.execute(text("INSERT INTO published VALUES ('n', 'd', :text, 'by', 0)"), long)
    store.close()
    with store.writing() as connection:
        connection.execute(text("INSERT INTO audit VALUES ('a', x'00', NULL, NULL, 0)"))
    with store.engine.connect() as holds:
        holds.exec_driver_sql("SELECT id FROM audit").all()
        for name in ("m.db", "m.db-wal"):
            shutil.copy(tmp_path / "was" / name, tmp_path / name)
    store.close()
    return tmp_path / "m.db"


def rows(path):
    store = open_store(str(path))
    with store.reading() as connection:
        found = connection.execute(text("SELECT count(*) FROM audit")).scalar()
    store.close()
    return found


def test_after_a_crash_nothing_is_missing(crashed):
    assert rows(crashed) == 1
    assert rows(crashed) == 1


@pytest.mark.parametrize("gone", [1, PAGE, PAGE + 1, 9 * PAGE])
def test_a_file_that_is_cut_short_is_refused(crashed, gone):
    """Its log stands beside it, so that SQLite counts its pages by that."""
    content = crashed.read_bytes()
    crashed.write_bytes(content[:-gone])
    with pytest.raises(InputError, match="is damaged"):
        open_store(str(crashed))


@pytest.mark.parametrize("name", ["m.db", "link.db"])
def test_pages_that_are_in_the_log_still_are_not_missing(crashed, name):
    """As after a crash while they were put into the file, which says how many it has first."""
    log = crashed.with_name("m.db-wal").read_bytes()
    assert rows(crashed) == 1
    content = crashed.read_bytes()
    crashed.write_bytes(content[:-PAGE])
    crashed.with_name("m.db-wal").write_bytes(log + _frame(log, len(content) // PAGE, content[-PAGE:]))
    crashed.with_name("link.db").symlink_to(crashed)
    refuse_cut_short(crashed.with_name(name), name)


def _frame(log, number, page):
    return struct.pack(">II", number, number) + log[16:24] + bytes(8) + page


@pytest.mark.parametrize("gone", [1, PAGE - 1, PAGE, PAGE + 1])
def test_so_it_is_without_a_log(crashed, gone):
    assert rows(crashed) == 1
    content = crashed.read_bytes()
    assert not crashed.with_name("m.db-wal").exists()
    crashed.write_bytes(content[:-gone])
    with pytest.raises(InputError, match="is damaged"):
        open_store(str(crashed))


def test_a_new_file_is_not_cut_short(tmp_path):
    (tmp_path / "m.db").touch()
    assert rows(tmp_path / "m.db") == 0
