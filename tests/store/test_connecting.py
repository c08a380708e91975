"""A store that too many use at once says so, in one sentence."""

from __future__ import annotations

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
