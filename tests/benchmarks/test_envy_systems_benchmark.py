"""The benchmark of whole systems counts outcomes by the arms that were really drawn. No time is asserted."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

PATH = Path(__file__).parents[2] / "benchmarks" / "envy_systems.py"


@pytest.fixture(scope="module")
def benchmark():
    spec = importlib.util.spec_from_file_location("benchmark_of_systems", PATH)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


def test_a_system_without_envy_and_one_with(benchmark):
    calm = np.full((100, 100), 0.1) + 0.6 * np.eye(100)
    envious = calm[:, ::-1].copy()  # what suits a user is given to another
    users = {"all": np.ones(100, dtype=bool)}
    found = [
        benchmark.audit(benchmark.System("made up", table, users), 0.4, seed=0) for table in (calm, envious)
    ]
    assert [trial.found.outcome for trial in found] == ["no_envy", "envy"]
    assert found[1].end == found[1].found.durations[found[1].found.outcomes == "envy"].min()
    assert not any(trial.wrong.any() for trial in found)
    assert benchmark.summary(found).startswith("2 | 1 | 1 | 0 |")
    same = benchmark.comparison(found, found, users["all"]).split(" | ")
    assert (same[0], same[2]) == (same[1], "1")


def test_users_are_counted_by_their_share_of_better_policies(benchmark):
    table = np.array([[0.5, 0.6, 0.5], [0.9, 0.5, 0.9], [0.1, 0.1, 0.2]])
    assert benchmark.share_better(table) == pytest.approx([1 / 3, 2 / 3, 0])
