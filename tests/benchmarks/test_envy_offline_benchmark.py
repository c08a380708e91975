"""The benchmark runs, and finds the penalty that it looks for. No time is asserted."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

PATH = Path(__file__).parents[2] / "benchmarks" / "envy_offline.py"


@pytest.fixture(scope="module")
def benchmark():
    spec = importlib.util.spec_from_file_location("benchmark_of_envy", PATH)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    sys.path.insert(0, str(PATH.parent))  # for the published figures beside it
    spec.loader.exec_module(module)
    sys.path.remove(str(PATH.parent))
    yield module
    del sys.modules[spec.name]


def test_times_are_printed_for_every_way(benchmark, capsys):
    benchmark.time_and_memory(60, 30, None)
    benchmark.sampled(50, 20, (30, 20))
    shown = capsys.readouterr().out
    for name in ("one NumPy product", "utilities", "envy of every user"):
        assert f"| {name}" in shown
    assert "30 of 50 users x 20 items, 20 policies each" in shown


def test_the_penalty_keeps_the_share_that_was_asked_for(benchmark):
    tastes = np.random.default_rng(0).random((50, 20)) * np.linspace(0.3, 1, 50)[:, None]
    _, policies = benchmark.penalty_for(tastes, 0.9)
    assert (policies * tastes).sum() == pytest.approx(0.9 * tastes.max(axis=1).sum(), rel=1e-6)
