"""The benchmark runs, and its samplers estimate what is computed exactly. No time is asserted."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

from evenhand.exposure.rankings.plackett_luce import plackett_luce

PATH = Path(__file__).parents[2] / "benchmarks" / "exposure.py"


@pytest.fixture(scope="module")
def benchmark():
    spec = importlib.util.spec_from_file_location("benchmark_of_exposure", PATH)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


@pytest.mark.parametrize("name", ["full sort", "top 64"])
def test_samplers_estimate_the_exact_exposure(benchmark, name):
    scores = np.tile(benchmark.made_up_scores(1, 80), (400, 1))  # one user, 40,000 draws
    estimate = benchmark.sampled(benchmark.SAMPLERS[name], scores, 0.5).mean(axis=0)
    # A weight in [0, 1] has a standard error of at most 0.0025 over 40,000 draws.
    assert np.abs(estimate - plackett_luce(scores[:1], 0.5)[0]).max() < 0.01


def test_a_whole_run_shows_every_row_and_every_target(benchmark, monkeypatch, capsys):
    monkeypatch.setattr(benchmark, "peak_memory", lambda arguments: 12.0)
    benchmark.main(["--users", "20", "--items", "100", "--some", "16", "--few", "2"])
    shown = capsys.readouterr().out
    for words in ("exact, to 1e-6", "full sort", "top 64", "DCG cut at 100", "static", "Peak memory 12 MB"):
        assert words in shown
    assert shown.count("times more accurate: yes") == 2
