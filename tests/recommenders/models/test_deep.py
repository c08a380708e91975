"""The torch models and those of implicit: they learn, repeat exactly, and survive being killed."""

import dataclasses

import numpy as np
import pandas as pd
import pytest

from evenhand.errors import InputError
from evenhand.recommenders import fit, load, train_and_save
from evenhand.recommenders.evaluation import full_ranking
from evenhand.recommenders.taken.splits import random_split

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:Method expects CSR input:UserWarning"),
    pytest.mark.filterwarnings("ignore:OpenBLAS is configured:RuntimeWarning"),
]

DEEP = ["bpr", "dmf", "neumf"]
SMALL = {"factors": 8, "epochs": 40, "batch": 256, "learning_rate": 0.02}


@pytest.fixture(autouse=True)
def libraries():
    pytest.importorskip("torch")
    pytest.importorskip("implicit")


@pytest.fixture
def parts(interactions):
    return random_split(interactions, np.random.default_rng(0))


def weights_of(model):
    vectors = model.embeddings
    return np.concatenate([vectors.users.ravel(), vectors.items.ravel()])


@pytest.mark.parametrize("name", [*DEEP, "als", "knn"])
def test_models_learn_tastes_and_beat_popularity(name, parts):
    seen = parts.train.matrix() + parts.valid.matrix()
    settings = {"als": {"factors": 4}, "knn": {}}.get(name, SMALL)
    model, _ = fit(name, parts.train, parts.valid, 0, **settings)
    popular, _ = fit("popularity", parts.train, parts.valid, 0)
    recall = full_ranking(model, parts.test, seen)["recall"]
    assert recall > full_ranking(popular, parts.test, seen)["recall"] + 0.04


@pytest.mark.parametrize("name", DEEP)
def test_the_same_seed_gives_the_same_weights_with_one_thread_or_two(name, parts):
    import torch

    before = torch.get_num_threads()
    weights = []
    try:
        for threads in (1, 2, 2):
            torch.set_num_threads(threads)
            weights.append(weights_of(fit(name, parts.train, parts.valid, 5, **SMALL)[0]))
            assert torch.get_num_threads() == threads
    finally:
        torch.set_num_threads(before)
    assert np.array_equal(weights[0], weights[1])
    assert np.array_equal(weights[1], weights[2])
    assert not np.array_equal(weights[0], weights_of(fit(name, parts.train, parts.valid, 6, **SMALL)[0]))


@pytest.mark.parametrize("name", DEEP)
def test_killed_and_resumed_is_not_killed(name, parts, tmp_path):
    whole, _ = fit(name, parts.train, parts.valid, 1, **SMALL)

    def kill(message):
        if message.startswith("epoch 13 "):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit(name, parts.train, parts.valid, 1, checkpoint=tmp_path, progress=kill, **SMALL)
    said = []
    resumed, _ = fit(name, parts.train, parts.valid, 1, checkpoint=tmp_path, progress=said.append, **SMALL)
    assert said[0] == "resumed after epoch 12"
    assert np.array_equal(weights_of(whole), weights_of(resumed))


@pytest.mark.parametrize("name", DEEP)
def test_a_model_comes_back_from_its_folder_as_it_was(name, interactions, tmp_path):
    trained = train_and_save(name, interactions, tmp_path, seed=2, **SMALL)
    again = load(tmp_path)
    users = np.arange(120)
    assert np.array_equal(again.score_block(users), trained.model.score_block(users))
    assert again.embeddings.shared_space == (name != "neumf")
    assert not (tmp_path / "checkpoint.pt").exists()


def test_a_neumf_scores_without_torch_as_the_module_does(parts):
    import torch

    from evenhand.recommenders.models.neumf import DEFAULTS, NeuMF

    torch.manual_seed(0)
    module = NeuMF(parts.train, DEFAULTS)
    with torch.no_grad():
        for weight in module.parameters():
            weight.add_(torch.randn_like(weight) * 0.3)
        user, item = np.arange(120), np.arange(120) % 60
        expected = module(torch.from_numpy(user), torch.from_numpy(item)).numpy()
    model = module.recommender(parts.train)
    assert model.score_pairs(user, item) == pytest.approx(expected, abs=1e-4)
    assert model.score_block(user)[user, item] == pytest.approx(expected, abs=1e-4)


def test_the_score_is_the_product_where_the_embeddings_say_so(parts):
    for name in ("bpr", "dmf"):
        model, _ = fit(name, parts.train, parts.valid, 0, **SMALL)
        vectors = model.embeddings
        products = vectors.users @ vectors.items.T + model.item_bias
        assert model.score_block(np.arange(120)) == pytest.approx(products, abs=1e-5)


def test_a_checkpoint_of_another_model_or_a_damaged_one_is_refused(parts, tmp_path):
    def kill(message):
        if message.startswith("epoch 2 "):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit("bpr", parts.train, parts.valid, 1, checkpoint=tmp_path, progress=kill, **SMALL)
    with pytest.raises(InputError, match="belongs to another run"):
        fit("dmf", parts.train, parts.valid, 1, checkpoint=tmp_path, **SMALL)
    mirrored = dataclasses.replace(parts.train, item=59 - parts.train.item)
    with pytest.raises(InputError, match="belongs to another run"):
        fit("bpr", mirrored, parts.valid, 1, checkpoint=tmp_path, **SMALL)
    (tmp_path / "checkpoint.pt").write_bytes(b"PK not a checkpoint")
    with pytest.raises(InputError, match=r"checkpoint.pt is damaged"):
        fit("bpr", parts.train, parts.valid, 1, checkpoint=tmp_path, **SMALL)


def test_a_loss_that_is_not_finite_stops_with_epoch_and_learning_rate(parts):
    with pytest.raises(InputError, match=r"the loss is .* in epoch \d+ with a learning rate of 1e\+30"):
        fit("bpr", parts.train, parts.valid, 0, **{**SMALL, "learning_rate": 1e30})
    one_step = {**SMALL, "learning_rate": 1e30, "epochs": 1, "batch": 100_000}
    with pytest.raises(InputError, match="scores are not finite after epoch 1"):
        fit("bpr", parts.train, parts.valid, 0, **one_step)


@pytest.mark.parametrize(
    ("name", "setting", "value"),
    [
        ("bpr", "batch", 0),
        ("bpr", "every", 0),
        ("bpr", "patience", -1),
        ("bpr", "epochs", 0),
        ("bpr", "epochs", "3"),
        ("dmf", "factors", 0),
        ("dmf", "factors", 2.5),
        ("dmf", "learning_rate", float("nan")),
        ("dmf", "learning_rate", -0.1),
        ("dmf", "learning_rate", 0),
        ("bpr", "regularisation", float("inf")),
        ("bpr", "regularisation", "much"),
        ("neumf", "factors", 1),
        ("als", "factors", 0),
        ("als", "regularisation", -1),
    ],
)
def test_settings_that_make_no_sense(name, setting, value, parts):
    says = f"{setting} is {value!r}, but must be a (whole|finite) number"
    with pytest.raises(InputError, match=says):
        fit(name, parts.train, parts.valid, 0, **{setting: value})


@pytest.mark.parametrize(
    ("name", "settings", "says"),
    [
        ("als", {"regularisation": 1e39}, "regularisation is 1e\\+39, but must be a finite number from 0"),
        ("als", {"regularisation": 9e37}, "als gave no numbers with a regularisation of 9e\\+37"),
        (
            "als",
            {"factors": 2_000_000_000},
            "als with 2,000,000,000 factors needs at least [0-9,]+ GB of memory",
        ),
        (
            "bpr",
            {"factors": 2_000_000_000},
            "bpr with 2,000,000,000 factors needs at least 5,760 GB of memory",
        ),
        ("neumf", {"factors": 10_000_000}, "neumf with 10,000,000 factors needs at least 1,[0-9,]+ GB"),
        ("bpr", {"factors": 10**20}, "factors is 100000000000000000000, but must be a whole number from 1"),
        (
            "bpr",
            {"learning_rate": 1e39},
            "learning_rate is 1e\\+39, but must be a finite number above 0 and at",
        ),
    ],
)
def test_settings_that_no_machine_can_use(name, settings, says, parts):
    with pytest.raises(InputError, match=says):
        fit(name, parts.train, parts.valid, 0, **settings)


def test_memory_that_runs_out_is_said(parts, monkeypatch):
    from evenhand.recommenders import training

    def fail(*args, **kwargs):
        raise RuntimeError("DefaultCPUAllocator: can't allocate memory")

    monkeypatch.setattr(training, "train", fail)
    with pytest.raises(InputError, match="there is not enough memory to train bpr on these data"):
        fit("bpr", parts.train, parts.valid, 0)


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("state", None),
        ("state", {"epoch": "two"}),
        ("state", {"epoch": 2, "best": float("nan"), "best_weights": None, "waited": 0}),
        ("state", {"epoch": 2, "best": 0.1, "best_weights": {"users": 3}, "waited": 0}),
        ("state", {"epoch": 2, "surprise": 1}),
        ("model", {}),
        ("optimizer", {}),
        ("optimizer", "moments"),
        ("draw", 7),
    ],
)
def test_a_checkpoint_of_this_run_that_is_damaged(part, value, parts, tmp_path):
    import torch

    def kill(message):
        if message.startswith("epoch 2 "):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit("bpr", parts.train, parts.valid, 1, checkpoint=str(tmp_path), progress=kill, **SMALL)
    path = tmp_path / "checkpoint.pt"
    content = torch.load(path, weights_only=True)
    if value == "moments":
        value = content[part]
        value["state"][0]["exp_avg"] = torch.zeros(3)
    torch.save(content | {part: value}, path)
    with pytest.raises(InputError, match=r"checkpoint.pt is damaged; delete it to train anew"):
        fit("bpr", parts.train, parts.valid, 1, checkpoint=tmp_path, **SMALL)


def not_a_number(weight):
    return np.full_like(weight, np.nan)


@pytest.mark.parametrize(
    ("layer", "change"),
    [
        ("out.weight", lambda weight: weight[:, :3]),
        ("hidden.0.bias", lambda weight: weight[None]),
        ("users_mf", lambda weight: weight[0, 0]),
        ("users_mf", lambda weight: weight[:, 0]),
        ("items_mlp", not_a_number),
        ("hidden.2.weight", not_a_number),
        ("bias", None),
    ],
)
def test_weights_of_a_neumf_that_were_tampered_with(layer, change, interactions, tmp_path):
    train_and_save("neumf", interactions, tmp_path, **{**SMALL, "epochs": 1})
    with np.load(tmp_path / "arrays.npz") as file:
        arrays = dict(file)
    whole = arrays.pop(f"weight.{layer}")
    if change is not None:
        arrays[f"weight.{layer}"] = change(whole)
    np.savez(tmp_path / "arrays.npz", **arrays)
    with pytest.raises(InputError, match=rf"arrays.npz is damaged \({layer} .*train the model again"):
        load(tmp_path)


def test_leave_one_out_is_judged_among_sampled_candidates(tastes, tmp_path):
    from evenhand.recommenders import Interactions

    # Items that nobody took make up the negatives; any model must know them from those that are taken.
    more = tastes.iloc[:60].assign(user_id="everything", item_id=range(60, 120))
    trained = train_and_save(
        "bpr",
        Interactions.from_frame(pd.concat([tastes, more])),
        tmp_path,
        split="leave-one-out",
        **SMALL,
    )
    assert set(trained.metrics) == {"recall@5", "mrr@5", "ndcg@5", "hit@5", "precision@5", "auc"}
    assert trained.metrics["hit@5"] > 2 * 5 / 50
