"""The benchmark of the monitor runs on both kinds of store, and what they keep gives the audit over all rows.

No time is asserted.
"""

import importlib.util
import sys
from pathlib import Path

import pytest

PATH = Path(__file__).parents[2] / "benchmarks" / "monitor.py"


@pytest.fixture(scope="module")
def benchmark():
    spec = importlib.util.spec_from_file_location("benchmark_of_monitor", PATH)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


@pytest.mark.slow
@pytest.mark.parametrize("clusters", [1, 2])
def test_ten_days_of_it(benchmark, tmp_path, postgres, clusters):
    stores = [str(tmp_path / "m.db"), postgres.new_database()]
    for found in benchmark.measured(tmp_path, stores, 10, 20_000, clusters):
        assert found["largest bytes a day"] < 200_000
        assert found["largest difference"] < 1e-9
        assert found["difference of all days so far"] < 1e-9
