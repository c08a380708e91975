"""The benchmark of association runs, and its two ways to EAA agree. No time is asserted."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

PATH = Path(__file__).parents[2] / "benchmarks" / "association.py"


@pytest.fixture(scope="module")
def benchmark():
    spec = importlib.util.spec_from_file_location("benchmark_of_association", PATH)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


def test_it_runs_and_compares_the_same_numbers(benchmark):
    found = benchmark.compare(2_000, 400, 8, sample=5)
    assert all(value > 0 for value in found.values())


def test_the_fastest_double_sum_is_a_double_sum(benchmark):
    items, a, b = (np.random.default_rng(n).normal(size=(20, 4)).astype(np.float32) for n in range(3))
    np.testing.assert_allclose(
        benchmark.one_product(items, a, b), benchmark.double_sum(items, a, b), atol=1e-6
    )


def test_the_whole_audit_finds_the_direction(benchmark):
    found = benchmark.whole_audit(400, 2_000, 4, 3)
    assert found["findings"] == 1 + 3 + 3 + 6
    assert found["direction"] > 0.1
    assert found["peak"] >= found["before"]
