"""The benchmark of experiments runs; what it found is in docs/explain/creators-experiments.md."""

import importlib.util
import sys
from pathlib import Path

PATH = Path(__file__).parents[2] / "benchmarks" / "opportunity_experiments.py"


def test_it_runs(monkeypatch, capsys):
    spec = importlib.util.spec_from_file_location("benchmark_of_experiments", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(sys, "argv", ["benchmark", "--rows", "20000", "--rounds", "1"])
    module.main()
    printed = capsys.readouterr().out
    assert printed.startswith("20,000 rows, 2,000 users")
    assert printed.count("\n| ") == 7
