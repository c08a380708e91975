"""Shared by all tests: where real data are, stores of both kinds, and what a skip means on a machine that
should skip nothing."""

from __future__ import annotations

import importlib.abc
import os
import signal
import sys
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from databases import PostgreSQL

REPOSITORY = Path(__file__).resolve().parents[1]
FORBID_SKIPS = "EVENHAND_FORBID_SKIPS"
EXTRAS_OF_LONG_TESTS = ("torch", "implicit", "lenskit", "pyspark", "mlflow", "wandb", "playwright")


# Started in the background, the tests would ignore interrupts, and so would the commands that they run.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def data_folder() -> Callable[[str], Path]:
    """`data_folder("coat")`: the folder of a public data set, or a skip that says where it was looked for.

    EVENHAND_DATA names the folder that holds them; by default it is shared/data beside the repository.
    """
    root = Path(os.environ.get("EVENHAND_DATA", REPOSITORY / ".." / "shared" / "data"))

    def find(name: str) -> Path:
        folder = root / name
        if not folder.is_dir():
            pytest.skip(f"no data set {name!r} in {root} (set EVENHAND_DATA to the folder that holds it)")
        return folder

    return find


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgreSQL]:
    """A server for tests that need not survive the machine: nothing is synced."""
    from databases import PostgreSQL

    with PostgreSQL("-c", "fsync=off") as made:
        yield made


@pytest.fixture(scope="session")
def synced_postgres() -> Iterator[PostgreSQL]:
    """A server that a service takes: everything is synced. Whoever stops it starts it again."""
    from databases import PostgreSQL

    with PostgreSQL() as made:
        yield made


@pytest.fixture
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty store: on SQLite, unless a test asks for both kinds."""
    if getattr(request, "param", "sqlite") == "sqlite":
        return str(tmp_path / "m.db")
    made: PostgreSQL = request.getfixturevalue("postgres")
    return made.new_database()


def pytest_configure(config: pytest.Config) -> None:
    """The quick tests find only what `make test` installs, also where everything is installed."""
    if config.getoption("markexpr") == "not slow":
        sys.meta_path.insert(0, _WithoutExtras())


class _WithoutExtras(importlib.abc.MetaPathFinder):
    def find_spec(self, fullname: str, *_: object) -> None:
        if fullname in EXTRAS_OF_LONG_TESTS:
            raise ModuleNotFoundError(f"{fullname} is in an extra of the long tests", name=fullname)


# A skipped test looks like a passed one in a green build. Where everything needed is installed, set
# EVENHAND_FORBID_SKIPS and a skip is a failure; an expected failure (xfail) stays what it is. Reports are
# made in the worker that runs the test, so this works under pytest-xdist too.


def _forbid_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    if os.environ.get(FORBID_SKIPS) and report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"{reason}\n{FORBID_SKIPS} is set: a skipped test counts as failed."


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    _forbid_skip(report)
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    _forbid_skip(report)
    return report
