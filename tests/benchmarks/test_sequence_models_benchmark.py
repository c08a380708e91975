"""The benchmark of sequence models judges and audits all models on the same users."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

PATH = Path(__file__).parents[2] / "benchmarks" / "sequence_models.py"


@pytest.fixture
def world(tmp_path):
    """A folder as that of MovieLens-1M; every third user has no times."""
    rng = np.random.default_rng(0)
    rows = [
        (user, int(item) + 1, 5, 1000 + at)
        for user in range(1, 91)
        for at, item in enumerate(rng.choice(80, 12, replace=False))
    ]
    ratings = pd.DataFrame(rows, columns=["user_id", "movie_id", "rating", "timestamp"])
    ratings["timestamp"] = ratings["timestamp"].where(ratings["user_id"] % 3 > 0)
    ratings.to_parquet(tmp_path / "ratings.parquet")
    people = [f"{user}::{'MF'[user % 2]}::25::4::11111" for user in range(1, 91)]
    (tmp_path / "users.dat").write_text("\n".join(people) + "\n")
    movies = [f"{item}::Film (1990)::{('Comedy', 'Drama')[item % 2]}" for item in range(1, 81)]
    (tmp_path / "movies.dat").write_text("\n".join(movies) + "\n")
    return tmp_path


@pytest.mark.slow
def test_a_whole_run_has_a_row_for_each_model_in_every_table(world, monkeypatch, capsys):
    pytest.importorskip("torch")
    spec = importlib.util.spec_from_file_location("benchmark_of_sequences", PATH)
    benchmark = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(benchmark)
    given = f"run --data {world} --out {world / 'out'} --users 50 --epochs 1 --factors 4"
    monkeypatch.setattr(sys, "argv", given.split())
    benchmark.main()
    said = capsys.readouterr().out
    assert "30 of 90 users have no complete timestamps and were left out" in said
    assert "50 users, 600 interactions, seed 1." in said
    for name in ("popularity", "bpr", "bert4rec"):
        assert said.count(f"\n| {name} | ") == 3  # accuracy, and exposure by two attributes
    assert "nan" not in said
