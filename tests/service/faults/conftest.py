"""Real servers: `evenhand serve` in processes of their own, and one that they are forked from."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from databases import PostgreSQL

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"


def benchmark(name):
    """A module of the benchmarks, which stand in no package."""
    sys.path.insert(0, str(BENCHMARKS))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(BENCHMARKS))


servers, kills = benchmark("service_servers"), benchmark("service_kills")


@pytest.fixture(scope="package")
def nursery():
    made = servers.Nursery(Path(__file__).parents[2])
    yield made
    made.close()


@pytest.fixture(scope="package")
def database():
    """PostgreSQL with everything synced."""
    made = PostgreSQL(lasts_s=600)
    made.start()
    yield made
    made.stop()
    made.remove()


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request, tmp_path):
    """The address of an empty store."""
    if request.param == "sqlite":
        return str(tmp_path / "s.db")
    return request.getfixturevalue("database").new_database()
