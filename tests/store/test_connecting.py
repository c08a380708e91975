"""Stores that cannot be opened or used: one sentence, which holds no part of a password."""

from __future__ import annotations

import os
from contextlib import ExitStack

import pytest

from evenhand.errors import InputError
from evenhand.store.connecting import open_store


def test_more_who_read_than_there_are_connections(tmp_path, monkeypatch):
    store = open_store(str(tmp_path / "s.db"))
    monkeypatch.setattr(store.engine.pool, "_timeout", 0.05)
    with ExitStack() as reading:
        for _ in range(15):
            reading.enter_context(store.reading())
        with pytest.raises(InputError, match="Too many use the store"), store.reading():
            pass
    with store.reading():
        pass
    store.close()


def test_a_password_with_an_at_sign_is_not_shown_as_a_host():
    with pytest.raises(InputError, match=r"has a second '@'.*%40") as refused:
        open_store("postgresql://me:hun@ter2@127.0.0.1:1/monitor")
    assert "hun" not in str(refused.value)
    assert "ter2" not in str(refused.value)


def test_a_host_that_is_not_there_cannot_be_reached():
    with pytest.raises(InputError, match=r"nosuch\.invalid/monitor cannot be reached"):
        open_store("postgresql://me:secret@nosuch.invalid/monitor")


def test_a_store_whose_first_page_is_no_text_is_damaged(tmp_path):
    path = tmp_path / "m.db"
    open_store(str(path)).close()
    path.write_bytes(path.read_bytes().replace(b"CREATE TABLE", b"CREATE \xc5ABLE"))
    with pytest.raises(InputError, match=r"m\.db is not a store of Evenhand, or is damaged"):
        open_store(str(path))


def test_what_the_disk_refuses_may_be_a_full_one(tmp_path):
    """As on a disk with no room for the log that is written first; a pipe gives the same error."""
    os.mkfifo(tmp_path / "m.db")
    with pytest.raises(InputError, match=r"cannot be read or written .*: is its disk full, or failing"):
        open_store(str(tmp_path / "m.db"))
