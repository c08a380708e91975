"""A PostgreSQL server of the tests' own, on a socket in a folder of its own; it ends by itself."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

_BINARIES = sorted(Path("/usr/lib/postgresql").glob("*/bin")) + sorted(Path("/usr/local/bin").glob("initdb"))


class PostgreSQL:
    """Everything is synced, unless `options` say otherwise."""

    def __init__(self, *options: str, lasts_s: int = 5400) -> None:
        found = shutil.which("initdb")
        binaries = Path(found).parent if found else (_BINARIES[-1] if _BINARIES else None)
        if binaries is None:
            pytest.skip("PostgreSQL is not installed")
        self._binaries, self._options, self._lasts_s = binaries, options, lasts_s
        self.folder, self._number = Path(tempfile.mkdtemp(prefix="evenhand-pg-")), 0
        # A server does not run as root.
        self._as_user = ["runuser", "-u", "nobody", "--"] if os.geteuid() == 0 else []
        if self._as_user:
            shutil.chown(self.folder, "nobody")
        self._run("initdb", "-U", "postgres", "-A", "trust", "-N")

    def __enter__(self) -> PostgreSQL:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        self.remove()

    def _run(self, name: str, *options: str) -> None:
        command = [*self._as_user, str(self._binaries / name), "-D", str(self.folder / "data"), *options]
        subprocess.run(command, check=True, capture_output=True)

    def start(self) -> None:
        options = ["-D", str(self.folder / "data"), "-k", str(self.folder), "-h", "", *self._options]
        ends = ["timeout", str(self._lasts_s)]  # should nobody be left to end it
        with (self.folder / "log").open("ab") as log:
            command = [*ends, *self._as_user, str(self._binaries / "postgres"), *options]
            self._process = subprocess.Popen(command, stdout=log, stderr=log)
        import psycopg

        for _ in range(3000):  # after a crash every file is synced first, which a busy disk makes long
            try:
                return self.sql("SELECT 1")
            except psycopg.OperationalError:
                assert self._process.poll() is None, (self.folder / "log").read_text()
                time.sleep(0.1)
        raise AssertionError((self.folder / "log").read_text())

    @property
    def process(self) -> str:
        """The server's own; all others are begun by it."""
        return (self.folder / "data" / "postmaster.pid").read_text().split()[0]

    def stop(self) -> None:
        self._run("pg_ctl", "stop", "-m", "immediate")
        self._process.wait(30)

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    def sql(self, said: str) -> None:
        import psycopg

        with psycopg.connect(self.address("postgres"), autocommit=True) as connection:
            connection.execute(said)

    def address(self, name: str) -> str:
        return f"postgresql://postgres@/{name}?host={self.folder}"

    def new_database(self) -> str:
        """Its address."""
        self._number += 1
        name = f"store{self._number}"
        self.sql(f"CREATE DATABASE {name}")
        return self.address(name)
