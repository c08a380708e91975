"""The benchmark of re-ranking runs; what it found is in docs/evidence/replications/guo-2023.md."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

PATH = Path(__file__).parents[2] / "benchmarks" / "rerank.py"


@pytest.fixture(scope="module")
def benchmark():
    spec = importlib.util.spec_from_file_location("benchmark_of_rerank", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_random_order_gains_among_those_who_were_chosen_for_bad_luck(benchmark):
    rng = np.random.default_rng(0)
    runs = [benchmark.simulate(20, 20, rng) for _ in range(20)]
    same, others = (np.mean([run[which].chosen.difference for run in runs]) for which in (0, 1))
    assert same > 0.02
    assert abs(others) < 0.02
