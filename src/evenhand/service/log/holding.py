"""Who may write: on SQLite one process at a time; on PostgreSQL several, if what it commits is kept."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from sqlalchemy import text

from evenhand.errors import InputError
from evenhand.store.connecting import Store
from evenhand.store.one_file import identity


class Hold:
    """Held until it is closed, or the process ends, however it ends."""

    def __init__(self, store: Store) -> None:
        self._file: int | None = None
        self._store, self._held = store, _identity(store)
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

    def refuse_another_file(self) -> None:
        """What is written into a file that was moved away or replaced is acknowledged, and then nobody finds
        it.
        """
        if _identity(self._store) != self._held:
            raise InputError(
                f"The file of the store {self._store.name} was moved away or replaced while the server runs; "
                "put it back, or start the server again."
            ) from FileNotFoundError(self._store.name)

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None


def _identity(store: Store) -> tuple[int, int] | None:
    return identity(Path(str(store.engine.url.database))) if store.is_sqlite else None


def _refuse_forgetful(store: Store) -> None:
    with store.reading() as connection:
        for setting in ("fsync", "synchronous_commit"):
            if connection.execute(text(f"SHOW {setting}")).scalar_one() == "off":
                raise InputError(
                    f"The store {store.name} has {setting} off: what it says is kept may be lost. Turn it on."
                )
