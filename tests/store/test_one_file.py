"""A store whose file is moved away while it is open: what was written is there when it comes back."""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager

import pytest
from sqlalchemy import text

from evenhand.errors import InputError
from evenhand.store.connecting import open_store


@contextmanager
def written(path):
    """A store that is open, and of which a row is in its log alone."""
    store = open_store(str(path))
    with store.engine.connect() as stays:
        with store.writing() as connection:
            connection.execute(text("INSERT INTO audit VALUES ('a', x'00', NULL, NULL, 0)"))
        stays.exec_driver_sql("SELECT id FROM audit").all()
        yield store
    store.close()


def rows(store):
    with store.reading() as connection:
        return connection.execute(text("SELECT count(*) FROM audit")).scalar()


@pytest.mark.parametrize("instead", ["nothing", "another"])
def test_who_asks_meanwhile_makes_no_new_file_and_deletes_no_log(tmp_path, instead):
    path, away, crashed = tmp_path / "s.db", tmp_path / "away.db", tmp_path / "crashed"
    crashed.mkdir()
    with written(path) as store:
        os.rename(path, away)
        if instead == "another":
            open_store(str(tmp_path / "other.db")).close()
            os.rename(tmp_path / "other.db", path)
        store.engine.pool.dispose()  # connections that are used are not closed by this
        with pytest.raises(InputError, match="the file was moved away or replaced"):
            rows(store)
        assert path.exists() == (instead == "another")
        os.replace(away, path)
        for name in ("s.db", "s.db-wal"):  # as it is after a crash now
            shutil.copy(tmp_path / name, crashed / name)
        assert rows(store) == 1
    after = open_store(str(crashed / "s.db"))
    assert rows(after) == 1
    after.close()


@pytest.mark.parametrize("left", ["nothing", "an empty file"])
@pytest.mark.parametrize("name", ["s.db", "link.db"])
def test_no_new_store_is_made_beside_the_log_of_one_that_is_gone(tmp_path, left, name):
    path, crashed = tmp_path / "s.db", tmp_path / "crashed"
    crashed.mkdir()
    with written(path):
        shutil.copy(tmp_path / "s.db-wal", crashed / "s.db-wal")
        shutil.copy(path, tmp_path / "away.db")
    if left == "an empty file":
        (crashed / "s.db").touch()
    (crashed / "link.db").symlink_to(crashed / "s.db")
    with pytest.raises(InputError, match=r"There is s\.db-wal beside the store .* is gone"):
        open_store(str(crashed / name))
    shutil.copy(tmp_path / "away.db", crashed / "s.db")
    store = open_store(str(crashed / name))
    assert rows(store) == 1
    store.close()
