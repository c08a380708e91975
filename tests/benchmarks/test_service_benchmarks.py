"""The benchmarks of the live service run, and say what they measure. No time is asserted."""

import importlib
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def benchmark(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    return importlib.import_module


@pytest.mark.slow
def test_load_over_http(benchmark, tmp_path, capsys):
    http, server = benchmark("service_http"), benchmark("service_http_server")
    (found,) = http.rounds(server.Stores(tmp_path, None), 0.5, 1)
    assert min(found.bare, found.single.pairs, found.group.pairs, found.hot.pairs, found.half.pairs) > 0
    assert found.group.p50 <= found.group.p99 <= found.group.worst
    assert len(http.summary([found]).splitlines()) == 7
    assert "bare commits a second" in capsys.readouterr().out


@pytest.mark.slow
def test_a_server_imports_nothing_that_it_does_not_need(benchmark, tmp_path):
    start = benchmark("service_start")
    names = start.needed(str(tmp_path / "s.db"))
    assert {"fastapi", "sqlalchemy", "uvloop", "httptools", "numba"} <= set(names)
    heavy = {
        "duckdb",
        "ibis",
        "pandas",
        "pyarrow",
        "sklearn",
        "altair",
        "torch",
        "scipy.stats",
        "scipy.optimize",
    }
    assert not heavy & set(names)
    found = {"imports": [start.importing(names)], "empty store": [start.starting(str(tmp_path / "s.db"))]}
    assert "x imports" in start.told(found)


@pytest.mark.slow
def test_memory_by_events(benchmark, tmp_path, capsys):
    load = benchmark("service_load")
    load.memory(str(tmp_path / "s.db"), 5_000, load.online_auditors())
    assert len(capsys.readouterr().out.splitlines()) >= 5
