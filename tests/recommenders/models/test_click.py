"""Click models and two towers in training: they learn from features, go on after a kill, and are stored."""

import json

import numpy as np
import pandas as pd
import pytest

from evenhand.recommenders import Factors, Features, Interactions, fit, load, train_and_save
from evenhand.recommenders.fitting.names import CLICK, FEATURED

pytestmark = pytest.mark.slow

SMALL = {"factors": 4, "epochs": 12, "batch": 128, "learning_rate": 0.01, "patience": 12}
NEW = 100  # users from this one on take no part in training


@pytest.fixture(autouse=True)
def library():
    pytest.importorskip("torch")


@pytest.fixture(scope="module")
def world():
    """120 users and 50 items of two kinds each; users take those of their own, mostly."""
    rng = np.random.default_rng(3)
    pairs = []
    for user in range(120):
        weights = np.where(np.arange(50) % 2 == user % 2, 12.0, 1.0)
        pairs += [
            (user, int(item)) for item in rng.choice(50, size=14, replace=False, p=weights / weights.sum())
        ]
    interactions = Interactions.from_frame(pd.DataFrame(pairs, columns=["user_id", "item_id"]))
    users = pd.DataFrame({"user_id": range(120), "side": [("left", "right")[u % 2] for u in range(120)]})
    tags = [["any", ("north", "south")[i % 2]] for i in range(50)]
    return interactions, users, pd.DataFrame({"item_id": range(50), "tags": tags})


@pytest.fixture(scope="module")
def train(world):
    interactions = world[0]
    known = interactions.user < NEW
    valid = np.random.default_rng(0).random(len(interactions)) < 0.1
    return interactions.rows(known & ~valid), interactions.rows(known & valid)


@pytest.fixture(scope="module")
def features(world):
    return Features.of(*world)


def own_kind_first(model):
    """How often a new user has an item of the own kind above one of the other kind."""
    scores = model.score_block(np.arange(NEW, 120))
    own = np.array([row[user % 2 :: 2] for user, row in enumerate(scores)])
    other = np.array([row[1 - user % 2 :: 2] for user, row in enumerate(scores)])
    return (own[:, :, None] > other[:, None, :]).mean()


@pytest.mark.parametrize("name", FEATURED)
def test_users_who_are_new_are_known_by_their_features(name, train, features):
    told, used = fit(name, *train, 0, features=features, **SMALL)
    assert used["features"] == ["user.side", "item.tags"]
    assert own_kind_first(told) > 0.95
    ids_alone, used = fit(name, *train, 0, **SMALL)
    assert used["features"] == []
    assert 0.25 < own_kind_first(ids_alone) < 0.75


@pytest.mark.parametrize("name", FEATURED)
def test_killed_and_resumed_is_not_killed(name, train, features, tmp_path):
    settings = {**SMALL, "epochs": 4}
    whole, _ = fit(name, *train, 1, features=features, **settings)

    def kill(message):
        if message.startswith("epoch 3 "):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit(name, *train, 1, features=features, checkpoint=tmp_path, progress=kill, **settings)
    said = []
    resumed, _ = fit(
        name, *train, 1, features=features, checkpoint=tmp_path, progress=said.append, **settings
    )
    assert said[0] == "resumed after epoch 2"
    assert np.array_equal(whole.score_block(np.arange(120)), resumed.score_block(np.arange(120)))


def test_a_checkpoint_with_other_features_is_another_run(train, features, tmp_path):
    from evenhand.errors import InputError

    def kill(message):
        if message.startswith("epoch 2 "):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit("dcn", *train, 1, features=features, checkpoint=tmp_path, progress=kill, **SMALL)
    with pytest.raises(InputError, match="belongs to another run"):
        fit("dcn", *train, 1, checkpoint=tmp_path, **SMALL)


@pytest.mark.parametrize("name", FEATURED)
def test_trained_judged_and_stored(name, world, features, tmp_path):
    trained = train_and_save(
        name, world[0], tmp_path, split="leave-one-out", negatives=9, features=features,
        **{**SMALL, "epochs": 5},
    )  # fmt: skip
    again = load(tmp_path)
    users = np.arange(120)
    assert np.array_equal(again.score_block(users), trained.model.score_block(users))
    table = pd.read_parquet(tmp_path / "candidates.parquet")
    held = table[table["label"] == 1].set_index("user_id")["score"]
    others = table[table["label"] == 0]
    above = others["user_id"].map(held) > others["score"]
    assert trained.metrics["auc"] == pytest.approx(above.groupby(others["user_id"]).mean().mean())
    assert trained.metrics["auc"] > 0.6
    described = json.loads((tmp_path / "model.json").read_text())
    assert described["settings"]["features"] == ["user.side", "item.tags"]
    assert ("architecture" in described) == (name in CLICK)
    assert not (tmp_path / "checkpoint.pt").exists()


def test_the_validation_part_says_when_to_stop(train, features):
    said = []
    fit(
        "deepfm",
        *train,
        0,
        features=features,
        progress=said.append,
        **{**SMALL, "epochs": 200, "patience": 3},
    )
    assert len(said) < 200
    assert all("validation AUC" in message for message in said)


def test_two_towers_are_vectors_in_one_space(train, features):
    model, _ = fit("two-tower", *train, 0, features=features, **{**SMALL, "epochs": 2})
    assert isinstance(model, Factors)
    assert model.embeddings.shared_space
    assert model.embeddings.users.shape == (120, 4)


def test_log_q_leaves_the_softmax_over_all_items():
    """Items of a batch, drawn as often as they are popular, stand for all of them: worked by hand."""
    import torch

    from evenhand.recommenders.models.two_tower import TwoTower
    from evenhand.recommenders.training import TrainingSettings

    pairs = pd.DataFrame({"user_id": [0, 1, 2, 3], "item_id": [0, 0, 0, 1]})
    interactions = Interactions.from_frame(pairs)
    module = TwoTower(
        interactions, TrainingSettings(factors=2, regularisation=0.0), Features.ids(interactions)
    )
    with torch.no_grad():
        p, q = module.users(torch.arange(4)).numpy(), module.items(torch.arange(2)).numpy()
        found = float(module.loss(torch.tensor([0, 3]), torch.tensor([0, 1]), torch.tensor([1, 0])))
    logits = p[[0, 3]] @ q.T - np.log([0.75, 0.25])
    expected = np.mean([np.logaddexp(*row) - row[place] for place, row in enumerate(logits)])
    assert found == pytest.approx(expected, abs=1e-6)
