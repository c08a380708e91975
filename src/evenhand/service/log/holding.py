"""Who may write: on SQLite one process at a time; on PostgreSQL several, if what it commits is kept."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from sqlalchemy import text

from evenhand.errors import InputError
from evenhand.store.connecting import Store


class Hold:
    """Held until it is closed, or the process ends, however it ends."""

    def __init__(self, store: Store) -> None:
        self._file: int | None = None
        if store.is_sqlite:
            self._lock(store)
        else:
            _refuse_forgetful(store)

    def _lock(self, store: Store) -> None:
        # By whatever name it is called: through a link it is the same store.
        path = Path(f"{os.path.realpath(str(store.engine.url.database))}.lock")
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._file)
            self._file = None
            raise InputError(
                f"Another server runs on the store {store.name}; stop it, or use PostgreSQL for several."
            ) from None

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None


def _refuse_forgetful(store: Store) -> None:
    with store.reading() as connection:
        for setting in ("fsync", "synchronous_commit"):
            if connection.execute(text(f"SHOW {setting}")).scalar_one() == "off":
                raise InputError(
                    f"The store {store.name} has {setting} off: what it says is kept may be lost. Turn it on."
                )
