"""The tables of association beside the published ones, on a small made-up world: every script runs, and what
it prints is what was put in."""

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evenhand.mitigate.vectors.erase import split_users
from evenhand.recommenders import Factors, Interactions

FOLDER = Path(__file__).parents[2] / "benchmarks"
USERS, FILMS_OF_A_GENRE, DIMENSIONS = 160, 12, 5
SEEDS = (0, 100)


@pytest.fixture(scope="module")
def scripts() -> Iterator[dict[str, Any]]:
    before = set(sys.modules)
    sys.path.insert(0, str(FOLDER))
    names = ("training", "published", "movielens", "change", "mitigated")
    yield {name: import_module(f"association_{name}") for name in names}
    sys.path.remove(str(FOLDER))
    for name in {name for name in sys.modules if name.startswith("association_")} - before:
        del sys.modules[name]


@pytest.fixture(scope="module")
def here(scripts: dict[str, Any]) -> Any:
    """Four in ten are women; men take films of the published male genres more often than women do."""
    rng = np.random.default_rng(0)
    genres = [{name} for name in scripts["published"].GENRES for _ in range(FILMS_OF_A_GENRE)]
    genres += [{"Comedy"}] * FILMS_OF_A_GENRE
    female = np.arange(USERS) % 5 < 2
    male_films = np.array([bool(mine & set(scripts["published"].MALE)) for mine in genres])
    chance = np.where(male_films[None, :] != female[:, None], 0.4, 0.2)
    part = np.where(rng.random(chance.shape) < chance, rng.integers(0, 3, chance.shape), -1)

    def rows(number: int) -> Interactions:
        user, item = np.nonzero(part == number)
        unknown = np.full(len(user), np.nan)
        return Interactions(np.arange(USERS), np.arange(len(genres)), user, item, unknown, unknown)

    told = {}
    for seed in SEEDS:
        told[seed] = female.astype(np.int64)
        told[seed][split_users(female.astype(np.int64), scripts["training"].HELD_OUT, seed)[1]] = -1
    data = scripts["training"].Data(*(rows(number) for number in range(3)), female, {}, told)
    ages = np.array(scripts["published"].AGES)[np.arange(USERS) % 7]
    return scripts["movielens"].World(data, np.where(female, "F", "M"), ages, genres)


def model(here: Any, seed: int, strength: float) -> Factors:
    """Men lie along the first axis, and so do male films."""
    rng = np.random.default_rng(seed)
    users = rng.normal(size=(USERS, DIMENSIONS))
    users[:, 0] += np.where(here.gender == "M", strength, -strength)
    items = rng.normal(size=(len(here.genres), DIMENSIONS)) * 0.5
    chosen = [here.groups[name] for name in ("Action", "Sci-Fi", "War", "Western", "Crime")]
    items[:, 0] += np.where(np.any(chosen, axis=0), strength, -strength)
    return Factors(np.arange(USERS), np.arange(len(here.genres)), users, items, np.zeros(len(here.genres)))


def rows_of(printed: str, title: str) -> dict[str, list[str]]:
    lines = printed.split(f"#### {title}")[1].split("####")[0].splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    return {row[0]: row[1:] for row in cells[2:]}


def test_growth_and_leakage_are_told_beside_the_published_ones(
    scripts: dict[str, Any], here: Any, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    change = scripts["change"]
    monkeypatch.setattr(change, "LOOPS", SEEDS)
    trained = {
        (kind, seed, round_): model(here, seed + round_, 1.0 + round_ / 5)
        for kind in ("bpr", "dmf")
        for seed in SEEDS
        for round_ in (0, change.ROUNDS)
    }
    change.loops(trained, here)
    printed = capsys.readouterr().out
    action = rows_of(printed, "bpr: genres from 1 to 5")["Action"]
    assert action[5] == "0.330 to 0.354"
    first, last = (float(cell.split(" ")[0]) for cell in action[3].split(" to "))
    assert 0 < first < last
    gaps = rows_of(printed, "Mean cosine")["dmf, svc"]
    assert float(gaps[4].split(" ")[0]) < float(gaps[5].split(" ")[0])
    change.leaks({key: one for key, one in trained.items() if key[1] == 0}, here)
    printed = capsys.readouterr().out
    sides = {
        name: float(cells[2]) for name, cells in rows_of(printed, "Films predicted to be women's").items()
    }
    assert sides["bpr, male"] < 0.2 < 0.8 < sides["bpr, female"]
    assert len(rows_of(printed, "Users predicted to be women")) == 6


def test_mitigations_are_told_beside_the_published_ones(
    scripts: dict[str, Any], here: Any, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    mitigated = scripts["mitigated"]
    monkeypatch.setattr(mitigated, "LOOPS", SEEDS[:1])
    trained = {
        (kind, 0, 0): model(here, 0, 1.0) for kind in ("bpr", *mitigated.RESAMPLED, *mitigated.ADVERSARIES)
    }
    mitigated.mitigations(trained, here)
    printed = capsys.readouterr().out
    accuracy = rows_of(printed, "Accuracy at 10 after")
    assert accuracy["adversarial-1"] == accuracy["adversarial-10"]
    assert accuracy["over"][0].endswith("(0.160)")
    told = rows_of(printed, "Balanced accuracy of fresh classifiers")
    assert float(told["none"][1]) > 0.8 > float(told["leace"][1])
    assert told["leace"][0] == "1"
    # In five dimensions no more than four can go, however many rounds.
    assert told["nullspace 200"] == told["nullspace 1000"]
    assert int(told["nullspace 200"][0]) <= DIMENSIONS - 1
    trained["over", 0, 0].user_vectors[here.data.female] *= 10
    mitigated.lengths(trained, here)
    told = rows_of(capsys.readouterr().out, "Women told from men")
    assert float(told["over"][0]) > 0.95
    assert 0.3 < float(told["none"][0]) < 0.7


def test_existence_and_significance_are_told_beside_the_published_ones(
    scripts: dict[str, Any], here: Any, capsys: Any
) -> None:
    movielens = scripts["movielens"]
    trained = {
        (kind, seed, 0): model(here, seed, 1.0) for kind in ("bpr", "dmf", "library") for seed in SEEDS
    }
    movielens.accuracies(trained, here)
    movielens.directions(trained, here)
    movielens.genres(trained, here)
    printed = capsys.readouterr().out
    assert rows_of(printed, "Accuracy at 10")["bpr, published"][0] == "0.146"
    assert rows_of(printed, "Directions of gender")["bpr, svc"][-1] == "2 of 2"
    romance = rows_of(printed, "dmf: genres")[f"Romance ({FILMS_OF_A_GENRE})"]
    assert romance[0].startswith("-")
    assert romance[1].startswith("-")
    assert romance[2] == "-0.161"
