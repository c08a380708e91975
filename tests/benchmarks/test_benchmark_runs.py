"""The benchmark runs, and what it compares counts the same rows. No time is asserted."""

import importlib.util
import sys
from pathlib import Path

import duckdb
import pytest

PATH = Path(__file__).parents[2] / "benchmarks" / "opportunity.py"


@pytest.fixture(scope="module")
def benchmark():
    spec = importlib.util.spec_from_file_location("benchmark_of_opportunity", PATH)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


@pytest.fixture(scope="module")
def logs(benchmark, tmp_path_factory):
    return benchmark.generate(tmp_path_factory.mktemp("logs"), rows=20_000)


@pytest.fixture
def connection():
    with duckdb.connect() as connection:
        yield connection


@pytest.mark.parametrize("cluster", ["user_id", None])
def test_the_audit_counts_what_the_bare_query_counts(benchmark, logs, connection, cluster):
    counts = benchmark.bare_counts(connection, logs)
    assert len(counts) == 4
    assert min(counts.values()) > 0
    assert benchmark.audit_counts(benchmark.audit(logs, cluster)) == counts


def test_sql_by_hand_counts_the_same_rows_and_buckets_of_the_audit(benchmark, logs, connection):
    bare, _, _, by_bucket, by_user, item_read, both = (
        benchmark.query(connection, sql, logs) for sql in benchmark.QUERIES.values()
    )
    for log in (0, 1):
        positives = sum(bare[log].column(1).to_pylist())
        for counted, times in ((by_bucket, 1), (by_user, 1), (item_read, 1), (both, 2)):
            assert sum(counted[log].column(3).to_pylist()) == times * positives
        assert set(by_bucket[log].column(1).to_pylist()) <= set(range(1024))


def test_the_same_seed_writes_the_same_rows(benchmark, logs, connection, tmp_path):
    again = benchmark.generate(tmp_path, rows=20_000)
    differing = f"SELECT count(*) FROM (FROM '{logs.default}' EXCEPT ALL FROM '{again.default}')"
    assert connection.execute(differing).fetchone() == (0,)
    assert connection.execute(f"SELECT count(*) FROM '{again.random}'").fetchone() == (2_000,)


def test_a_whole_run_shows_every_row_and_every_target(benchmark, tmp_path, capsys):
    path = tmp_path / "run.md"
    benchmark.compare(rows=20_000, rounds=1, path=path)
    shown = capsys.readouterr().out
    written = path.read_text()
    assert "20,000 default and 2,000 random rows" in written
    assert "reached" in shown
    with_bar = [line for line in written.splitlines() if line.startswith("| ")]
    # Two headers, two rules, fifteen calls, eight targets.
    assert len(with_bar) == 2 + 2 + 15 + 8
    assert written.count("reached |") == 8
