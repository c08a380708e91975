"""Neighbours of users, and topics: what they are by definition, what they find, and their folders."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from evenhand.errors import InputError
from evenhand.recommenders import Interactions, fit, load, train_and_save
from evenhand.recommenders.evaluation import full_ranking
from evenhand.recommenders.models import user_knn as neighbours
from evenhand.recommenders.models.plsa import steps
from evenhand.recommenders.stored import storage
from evenhand.recommenders.taken.splits import random_split

NAMES = ["user-knn", "plsa", "lda"]
SETTINGS = {"user-knn": {"neighbours": 30}, "plsa": {"factors": 2}, "lda": {"factors": 2, "epochs": 10}}


def scores_by_definition(taken, keep):
    lengths = np.linalg.norm(taken, axis=1)
    cosines = taken @ taken.T / np.outer(lengths, lengths)
    np.fill_diagonal(cosines, 0)
    near = np.argsort(-cosines.round(12), axis=1, kind="stable")[:, :keep]
    return np.stack([cosines[u, near[u]] @ taken[near[u]] for u in range(len(taken))])


@pytest.mark.parametrize("keep", [1, 7, 119, 500])
@pytest.mark.parametrize("cells", [1, 1_000, 1 << 23])
def test_neighbours_are_those_of_the_definition_whatever_the_block(keep, cells, interactions, monkeypatch):
    monkeypatch.setattr(neighbours, "CELLS", cells)
    model, used = fit("user-knn", interactions, interactions, 0, neighbours=keep)
    expected = scores_by_definition(interactions.matrix().toarray().astype(float), keep)
    assert used == {"neighbours": keep}
    assert model.score_block(np.arange(120)) == pytest.approx(expected, abs=1e-5)
    assert np.diff(model.weights.indptr).max() <= min(keep, 119)
    assert model.weights.diagonal().max() == 0


def test_a_user_with_nothing_in_common_has_no_neighbours(interactions):
    alone = pd.concat([interactions.frame(), pd.DataFrame({"user_id": ["x"], "item_id": [99]})])
    model, _ = fit("user-knn", alone, alone, 0)
    assert model.score(["x"] * 61, model.item_ids).tolist() == [0.0] * 61


def test_the_perplexity_never_rises(interactions):
    fell = [found.perplexity for found in steps(interactions.matrix(), 5, np.random.default_rng(0), 60)]
    assert (np.diff(fell) <= 1e-12).all()
    assert fell[0] > 55  # of 60 items, all but at random
    assert fell[-1] < fell[0] - 10


def test_a_step_is_that_of_the_definition():
    rng = np.random.default_rng(1)
    taken = (rng.random((6, 5)) < 0.5).astype(float)
    taken[0] = 1  # all items, so that none is without users
    first, second = steps(sparse.csr_array(taken), 3, np.random.default_rng(2), 2)
    joint = np.einsum("uz,iz->uiz", first.of_user, first.of_item)
    topics = taken[:, :, None] * joint / joint.sum(axis=2, keepdims=True)  # p(z|u, i) of what was taken
    busy = taken.any(axis=1)
    of_user = topics.sum(axis=1)[busy] / topics.sum(axis=(1, 2))[busy, None]
    assert second.of_user[busy] == pytest.approx(of_user)
    assert second.of_item == pytest.approx(topics.sum(axis=0) / topics.sum(axis=(0, 1)))


@pytest.fixture(scope="module")
def planted():
    """Three topics of twenty items each, and users who take from one or two of them alone."""
    rng = np.random.default_rng(3)
    rows = []
    for user in range(150):
        likes = [user % 3] if user % 2 else [user % 3, (user + 1) % 3]
        open_to = np.concatenate([np.arange(20) + 20 * topic for topic in likes])
        rows += [(user, item) for item in rng.choice(open_to, size=12, replace=False)]
    return Interactions.from_frame(pd.DataFrame(rows, columns=["user_id", "item_id"]))


@pytest.mark.parametrize("name", ["plsa", "lda"])
def test_planted_topics_are_found(name, planted):
    model, _ = fit(name, planted, planted, 0, factors=3)
    kinds = model.item_vectors.argmax(axis=1).reshape(3, 20)
    assert (kinds == kinds[:, :1]).all()
    assert len(set(kinds[:, 0])) == 3
    one = model.user_vectors[1::2]
    assert (one.argmax(axis=1) == kinds[np.arange(1, 150, 2) % 3, 0]).all()
    assert one.max(axis=1).min() > 0.9


@pytest.mark.parametrize("name", ["plsa", "lda"])
def test_scores_of_topics_are_probabilities(name, interactions):
    model, _ = fit(name, interactions, interactions, 0, **SETTINGS[name])
    scores = model.score_block(np.arange(120))
    assert scores.min() >= 0
    assert scores.sum(axis=1) == pytest.approx(np.ones(120), abs=1e-5)


def test_a_user_and_an_item_without_rows_are_scored(interactions):
    some = interactions.rows((interactions.user > 0) & (interactions.item > 0))
    for name in NAMES:
        model, _ = fit(name, some, some, 0, **SETTINGS[name])
        scores = model.score_block(np.arange(120))
        assert np.isfinite(scores).all()
        assert scores[1:, 0].max() < scores[1:, 1:].mean()


@pytest.mark.parametrize("name", NAMES)
def test_they_learn_tastes_and_beat_popularity(name, interactions):
    parts = random_split(interactions, np.random.default_rng(0))
    seen = parts.train.matrix() + parts.valid.matrix()
    recall = {}
    for model in (name, "popularity"):
        trained, _ = fit(model, parts.train, parts.valid, 0, **SETTINGS.get(model, {}))
        recall[model] = full_ranking(trained, parts.test, seen)["recall"]
    assert recall[name] > recall["popularity"] + 0.1


@pytest.mark.parametrize("name", NAMES)
def test_a_model_comes_back_from_its_folder_as_it_was(name, interactions, tmp_path):
    trained = train_and_save(name, interactions, tmp_path, seed=2, **SETTINGS[name])
    again, users = load(tmp_path), np.arange(120)
    assert np.array_equal(again.score_block(users), trained.model.score_block(users))
    with pytest.raises(InputError, match="1 user ids were not seen in training, for example 'nobody'"):
        again.score(["nobody"], [1])
    with pytest.raises(InputError, match="1 item ids were not seen in training, for example 99"):
        again.score(["u001"], [99])


@pytest.mark.parametrize("name", ["plsa", "lda"])
def test_the_same_seed_gives_the_same_topics_and_another_seed_others(name, interactions):
    first, same, other = (
        fit(name, interactions, interactions, seed, **SETTINGS[name])[0].user_vectors
        for seed in (2**40, 2**40, 1)
    )
    assert np.array_equal(first, same)
    assert not np.array_equal(first, other)


def test_neighbours_who_took_more_than_the_history_come_back(interactions, tmp_path):
    model, _ = fit("user-knn", interactions, interactions, 0)
    part = interactions.rows(np.arange(500))
    storage.save(tmp_path, model, name="user-knn", history=part, description={})
    assert np.array_equal(load(tmp_path).score_block(np.arange(9)), model.score_block(np.arange(9)))


def test_weights_of_other_users_are_refused(interactions, tmp_path):
    train_and_save("user-knn", interactions, tmp_path)
    with np.load(tmp_path / "arrays.npz") as file:
        arrays = dict(file)
    arrays["weights_indices"] = arrays["weights_indices"] + 1
    np.savez(tmp_path / "arrays.npz", **arrays)
    with pytest.raises(InputError, match=r"arrays.npz is damaged"):
        load(tmp_path)
