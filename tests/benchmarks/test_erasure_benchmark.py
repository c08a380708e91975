"""The benchmark of erasure runs; what it found is in docs/evidence/calibration/erasure.md."""

import importlib.util
from pathlib import Path

import pytest

PATH = Path(__file__).parents[2] / "benchmarks" / "erasure.py"


@pytest.fixture(scope="module")
def benchmark():
    spec = importlib.util.spec_from_file_location("benchmark_of_erasure", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_method_has_a_row(benchmark, monkeypatch):
    monkeypatch.setattr(benchmark, "WORLDS", ((300, 6, 0.25),))
    lines = list(benchmark.simulated(2))
    assert [line.split(" | ")[3] for line in lines[2:]] == list(benchmark.METHODS)
    assert all(line.count("|") == lines[0].count("|") for line in lines)
