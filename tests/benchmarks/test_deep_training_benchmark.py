"""The benchmark of the deep models trains on the parts that the package splits, and judges them."""

import importlib.util
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"
USERS, TAKEN, FILMS = 60, 70, 75


@pytest.fixture(scope="module")
def benchmark() -> Any:
    spec = importlib.util.spec_from_file_location("benchmark_of_deep_models", FOLDER / "deep_training.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    sys.path.insert(0, str(FOLDER))
    spec.loader.exec_module(module)
    yield module
    sys.path.remove(str(FOLDER))
    del sys.modules[spec.name]


@pytest.fixture(scope="module")
def world(tmp_path_factory) -> Path:
    """A folder as that of MovieLens-1M; every third user has no times, and five films were never taken."""
    folder = tmp_path_factory.mktemp("movies")
    rng = np.random.default_rng(0)
    rows = [
        (user, int(item) + 1, 5, 1000 + at)
        for user in range(1, USERS + 1)
        for at, item in enumerate(rng.choice(TAKEN, 12, replace=False))
    ]
    ratings = pd.DataFrame(rows, columns=["user_id", "movie_id", "rating", "timestamp"])
    ratings["timestamp"] = ratings["timestamp"].where(ratings["user_id"] % 3 > 0)
    ratings.to_parquet(folder / "ratings.parquet")
    people = [f"{user}::{'MF'[user % 2]}::25::4::11111" for user in range(1, USERS + 1)]
    (folder / "users.dat").write_text("\n".join(people) + "\n")
    films = [f"{item}::Film (1990)::{('Comedy', 'Drama')[item % 2]}" for item in range(1, FILMS + 1)]
    (folder / "movies.dat").write_text("\n".join(films) + "\n")
    return folder


@pytest.fixture(scope="module")
def prepared(benchmark, world, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("prepared")
    benchmark.prepare(str(world), folder)
    return folder


def test_what_was_prepared_is_what_the_package_splits(benchmark, world, prepared):
    dataset, rows = benchmark._rows(str(world))
    assert {name: len(of.user_ids) for name, of in rows.items()} == {
        "movies": USERS, "taken": USERS, "timed": 40,
    }  # fmt: skip
    for job in benchmark.JOBS:
        train, valid, features = benchmark.read(prepared, job)
        split = benchmark._split(rows[job.rows], job.split, job.seed)
        for ours, theirs in ((train, split.train), (valid, split.valid)):
            np.testing.assert_array_equal(
                np.sort(ours.user * FILMS + ours.item), np.sort(theirs.user * FILMS + theirs.item)
            )
            np.testing.assert_array_equal(ours.item_ids, theirs.item_ids)
        if job.told:
            expected = benchmark._features(dataset, rows[job.rows], job.told)
            assert features.names == expected.names
            assert features.digest() == expected.digest()


def test_click_models_know_all_films_or_those_that_were_taken(benchmark, prepared):
    jobs = {job.called: job for job in benchmark.JOBS}
    assert len(jobs) == len(benchmark.JOBS)
    assert len(benchmark.read(prepared, jobs["deepfm-1"])[0].item_ids) == FILMS
    assert len(benchmark.read(prepared, jobs["deepfm-taken-1"])[0].item_ids) == TAKEN
    assert benchmark.read(prepared, jobs["two-tower-with-1"])[2].names == ["user.gender"]
    assert benchmark.read(prepared, jobs["two-tower-without-1"])[2].names == []


@pytest.mark.slow
def test_a_whole_run_judges_every_model_and_writes_its_folder(benchmark, world, prepared, tmp_path, capsys):
    pytest.importorskip("torch")
    chosen = [job for job in benchmark.JOBS if job.seed == 1 and job.name not in ("dcn", "fgcnn", "widedeep")]
    for job in chosen:
        benchmark.fitted(prepared, job, tmp_path, {"epochs": 1})
    families = list(dict.fromkeys(job.family for job in chosen))
    benchmark.finish(str(world), tmp_path, families, tmp_path / "models")
    said = capsys.readouterr().out
    for job in chosen:
        assert said.count(f"\n| {job.called.rsplit('-', 1)[0]} | 1 | ") == 1
        assert (tmp_path / "models" / job.called / "model.json").exists()
    assert "nan" not in said
