"""Models that need nothing beyond the core: what they learn, and that folders give them back as they were."""

import json

import numpy as np
import pytest

from evenhand.errors import InputError
from evenhand.recommenders import fit, load, train_and_save
from evenhand.recommenders.evaluation import full_ranking
from evenhand.recommenders.models.classic import ease, puresvd
from evenhand.recommenders.splits import random_split

CORE = ["popularity", "random", "puresvd", "ease"]
SETTINGS = {"puresvd": {"factors": 4}, "ease": {"regularisation": 20.0}}


@pytest.mark.parametrize("name", ["puresvd", "ease"])
def test_models_learn_tastes_and_beat_popularity(name, interactions):
    parts = random_split(interactions, np.random.default_rng(0))
    seen = parts.train.matrix() + parts.valid.matrix()
    recall = {}
    for model in (name, "popularity"):
        trained, _ = fit(model, parts.train, parts.valid, 0, **SETTINGS.get(model, {}))
        recall[model] = full_ranking(trained, parts.test, seen)["recall"]
    assert recall[name] > recall["popularity"] + 0.1


def test_puresvd_is_the_truncated_svd(interactions):
    model = puresvd(interactions, 0, factors=5)
    u, s, vt = np.linalg.svd(interactions.matrix().toarray())
    expected = (u[:, :5] * s[:5]) @ vt[:5]
    assert model.score_block(np.arange(120)) == pytest.approx(expected, abs=1e-4)


def test_ease_solves_its_least_squares(interactions):
    """B minimises |X - XB|^2 + lambda |B|^2 with a zero diagonal: off the diagonal the gradient is 0."""
    model = ease(interactions, 0, regularisation=20.0)
    x, b = interactions.matrix().toarray().astype(float), np.asarray(model.weights, dtype=float)
    gradient = x.T @ (x @ b - x) + 20.0 * b
    np.fill_diagonal(gradient, 0)
    assert np.abs(gradient).max() < 1e-3
    assert (np.diag(b) == 0).all()


@pytest.mark.parametrize("name", CORE)
def test_a_model_comes_back_from_its_folder_as_it_was(name, interactions, tmp_path):
    trained = train_and_save(name, interactions, tmp_path / "model", seed=4, **SETTINGS.get(name, {}))
    again = load(tmp_path / "model")
    assert np.array_equal(again.score_block(np.arange(120)), trained.model.score_block(np.arange(120)))
    assert again.user_ids.tolist() == interactions.user_ids.tolist()
    assert again.history.sum() == len(trained.split.train)
    content = json.loads((tmp_path / "model" / "model.json").read_text())
    assert content["metrics"] == trained.metrics
    assert set(trained.metrics) == {"recall@10", "mrr@10", "ndcg@10", "hit@10", "precision@10"}
    assert (content["seed"], content["split"]) == (4, "random")


@pytest.mark.parametrize(
    ("name", "settings", "says"),
    [
        ("brp", {}, "no model 'brp'. Did you mean 'bpr'?"),
        ("puresvd", {"epochs": 3}, "'puresvd' has no setting 'epochs'; it has: factors"),
        ("popularity", {"factors": 3}, "no setting 'factors'; it has: none"),
        ("puresvd", {"factors": 400}, "factors is 400, but must be below 60"),
    ],
)
def test_what_cannot_be_trained(name, settings, says, interactions, tmp_path):
    with pytest.raises(InputError) as error:
        train_and_save(name, interactions, tmp_path, **settings)
    assert says in str(error.value)


def test_an_unknown_split(interactions, tmp_path):
    with pytest.raises(InputError, match="split is 'half', but must be one of random, time, leave-one-out"):
        train_and_save("popularity", interactions, tmp_path, split="half")


def test_folders_that_are_no_models(interactions, tmp_path):
    with pytest.raises(InputError, match="is not a trained model: there is no"):
        load(tmp_path)
    train_and_save("popularity", interactions, tmp_path / "a")
    train_and_save("puresvd", interactions.rows(interactions.item < 50), tmp_path / "b", factors=3)
    arrays = tmp_path / "a" / "arrays.npz"
    whole = arrays.read_bytes()
    arrays.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match="is damaged"):
        load(tmp_path / "a")
    arrays.write_bytes((tmp_path / "b" / "arrays.npz").read_bytes())
    with pytest.raises(InputError, match="damaged"):
        load(tmp_path / "a")
    arrays.unlink()
    with pytest.raises(InputError, match="is missing"):
        load(tmp_path / "a")
    (tmp_path / "a" / "model.json").write_text("{")
    with pytest.raises(InputError, match="is not readable"):
        load(tmp_path / "a")


def test_nothing_is_unpickled(interactions, tmp_path):
    train_and_save("popularity", interactions, tmp_path)
    np.savez(tmp_path / "arrays.npz", user_ids=np.array([{"a": 1}], dtype=object))
    with pytest.raises(InputError, match="damaged"):
        load(tmp_path)


def test_settings_that_would_crash_a_solver(interactions):
    with pytest.raises(InputError, match="regularisation is 0"):
        ease(interactions, 0, regularisation=0)
    with pytest.raises(InputError, match="neighbours is 0"):
        fit("knn", interactions, interactions, 0, neighbours=0)


def test_an_unfinished_run_of_another_model_is_left_alone(interactions, tmp_path):
    (tmp_path / "checkpoint.pt").write_bytes(b"of a bpr")
    with pytest.raises(InputError, match="holds an unfinished run"):
        train_and_save("popularity", interactions, tmp_path)
    assert (tmp_path / "checkpoint.pt").exists()
