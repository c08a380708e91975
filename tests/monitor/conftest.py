"""Stores of both kinds; PostgreSQL is a server of the tests' own, which ends with them."""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from evenhand.monitor import dates

_BINARIES = sorted(Path("/usr/lib/postgresql").glob("*/bin")) + sorted(Path("/usr/local/bin").glob("initdb"))


@pytest.fixture(autouse=True)
def _clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """All days of the tests are over."""
    monkeypatch.setattr(dates, "now", lambda: datetime(2026, 11, 1, tzinfo=UTC))


@pytest.fixture(scope="session")
def postgres() -> Iterator[Callable[[], str]]:
    """The addresses of new databases on one server, which listens on a socket in a folder of its own."""
    found = shutil.which("initdb")
    binaries = Path(found).parent if found else (_BINARIES[-1] if _BINARIES else None)
    if binaries is None:
        pytest.skip("PostgreSQL is not installed")
    import psycopg

    folder = Path(tempfile.mkdtemp(prefix="evenhand-pg-"))
    # A server does not run as root.
    as_user = ["runuser", "-u", "nobody", "--"] if os.geteuid() == 0 else []
    if as_user:
        shutil.chown(folder, "nobody")
    data = folder / "data"
    made = [*as_user, str(binaries / "initdb"), "-D", str(data), "-U", "postgres", "-A", "trust", "-N"]
    subprocess.run(made, check=True, capture_output=True)
    ends = ["timeout", "900"]  # should nobody be left to end it
    options = ["-D", str(data), "-k", str(folder), "-h", "", "-c", "fsync=off"]
    started = [*ends, *as_user, str(binaries / "postgres"), *options]
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(started, stdout=log, stderr=log)
    address = f"postgresql://postgres@/{{}}?host={folder}"
    numbers = itertools.count(1)

    def new_database() -> str:
        name = f"days{next(numbers)}"
        with psycopg.connect(address.format("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return address.format(name)

    try:
        for _ in range(300):
            try:
                psycopg.connect(address.format("postgres")).close()
                break
            except psycopg.OperationalError:
                assert server.poll() is None, (folder / "log").read_text()
                time.sleep(0.1)
        yield new_database
    finally:
        stopped = [*as_user, str(binaries / "pg_ctl"), "stop", "-D", str(data), "-m", "immediate"]
        subprocess.run(stopped, check=True, capture_output=True)
        server.wait(30)
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty store: on SQLite, unless a test asks for both kinds."""
    if getattr(request, "param", "sqlite") == "sqlite":
        return str(tmp_path / "m.db")
    made: str = request.getfixturevalue("postgres")()
    return made
