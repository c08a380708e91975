"""The published synthetic settings: errors that fall as 1/n, and boosts with the published signs."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "opportunity_synthetic.py"


@pytest.fixture(scope="module")
def synthetic():
    spec = importlib.util.spec_from_file_location("opportunity_synthetic", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
@pytest.mark.parametrize("index", [0, 1, 2])
def test_the_mean_squared_error_falls_as_one_over_n(synthetic, index):
    errors = synthetic.mean_squared_errors(synthetic.SETS[index], repeats=400, seed=1)
    assert len(errors) >= 3
    assert synthetic.slope(errors) == pytest.approx(-1, abs=0.06)


@pytest.mark.slow
def test_rarer_likes_have_larger_errors(synthetic):
    sets = [synthetic.mean_squared_errors(p, repeats=400, seed=2)[10**6] for p in synthetic.SETS]
    assert sets[0] < sets[1] < sets[2]


def test_boosts_move_the_penalty_as_published(synthetic):
    """A little less for those ahead is fairer, much less reverses it, more makes it worse."""
    found = synthetic.boosting(seed=3)
    assert found["1.25x deboost"][0] < 0
    assert found["2x deboost"][1] > 0
    assert found["2x boost"][1] > 0


def test_the_script_prints_its_tables():
    ran = subprocess.run(
        [sys.executable, str(SCRIPT), "--repeats", "5"],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert ran.stdout.count("\n| 0.0") == 3
    assert "| 2x boost |" in ran.stdout
