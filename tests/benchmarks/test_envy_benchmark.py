"""The benchmark of audits runs, and its table says what was reached. No time is asserted."""

import importlib.util
import sys
from pathlib import Path

import pytest

PATH = Path(__file__).parents[2] / "benchmarks" / "envy.py"


@pytest.fixture(scope="module")
def benchmark():
    spec = importlib.util.spec_from_file_location("benchmark_of_envy", PATH)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


def test_every_problem_is_a_row_that_is_reached(benchmark):
    rows = benchmark.compare(runs=10, alphas=(0.2,))
    assert len(rows) == 4
    assert all(row.reached for row in rows)
    assert [row.wanted for row in rows] == [6, 10, 6, 10]
    written = benchmark.table(rows)
    assert written.count("| reached |") == 4 + 1  # and the header
    assert len(written.splitlines()) == 2 + 4


def test_speed_is_steps_by_seconds(benchmark):
    for design in ("blocks", "unpaired"):
        assert benchmark.speed(5_000, next(iter(benchmark.PROBLEMS)), alpha=0.4, design=design) > 0
