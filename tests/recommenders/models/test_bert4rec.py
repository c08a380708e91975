"""BERT4Rec: it learns an order, scores without torch as with it, goes on after a kill, and comes back."""

import dataclasses

import numpy as np
import pandas as pd
import pytest

import evenhand as eh
from evenhand.errors import InputError
from evenhand.recommenders import Interactions, fit, load, train_and_save
from evenhand.recommenders.evaluation import full_ranking
from evenhand.recommenders.stored import storage
from evenhand.recommenders.taken.sequences import last_items, windows, with_times

SMALL = {"factors": 16, "epochs": 60, "batch": 32, "learning_rate": 0.005}


@pytest.fixture
def torch():
    return pytest.importorskip("torch")


@pytest.fixture(scope="module")
def followers():
    """Ten items in order each: four at random, then six neighbours on a ring of twenty, from any on."""
    rng = np.random.default_rng(0)
    rows = []
    for user in range(240):
        ring = (rng.integers(20) + np.arange(6)) % 20
        before = rng.permutation(np.setdiff1d(np.arange(20), ring))[:4]
        rows += [(user, int(item), float(at)) for at, item in enumerate([*before, *ring])]
    return Interactions.from_frame(pd.DataFrame(rows, columns=["user_id", "item_id", "timestamp"]))


@pytest.fixture(scope="module")
def parts(followers):
    """The last item of each user is held out: every third user's for validation, others' for the test."""
    last = followers.time == 9
    judged = followers.user % 3 == 0
    return followers.rows(~last), followers.rows(last & judged), followers.rows(last & ~judged)


def test_sequences_are_in_order_of_time_and_end_with_the_latest():
    rows = pd.DataFrame(
        {"user_id": [1, 1, 1, 2, 1, 1], "item_id": [3, 4, 5, 4, 7, 8], "timestamp": [9.0, 2, 5, 1, 0, 7]}
    )
    data = Interactions.from_frame(rows)  # items 3, 4, 5, 7, 8 are 0 to 4
    assert last_items(data, 3).tolist() == [[2, 4, 0], [-1, -1, 1]]
    assert last_items(data, 6).tolist() == [[-1, 3, 1, 2, 4, 0], [-1, -1, -1, -1, -1, 1]]
    assert windows(data, 2).tolist() == [[4, 0], [1, 2], [-1, 3], [-1, 1]]
    assert windows(data, 5).tolist() == [[3, 1, 2, 4, 0], [-1, -1, -1, -1, 1]]


@pytest.mark.slow
def test_what_follows_is_learnt_and_popularity_cannot(torch, parts):
    train, valid, test = parts
    model, _ = fit("bert4rec", train, valid, 0, **SMALL)
    popular, _ = fit("popularity", train, valid, 0)
    seen = train.matrix()
    assert full_ranking(model, test, seen, k=1)["hit"] > 0.9
    assert full_ranking(popular, test, seen, k=1)["hit"] < 0.3


@pytest.mark.slow
def test_killed_and_resumed_is_not_killed(torch, parts, tmp_path):
    train, valid, _ = parts
    few = {**SMALL, "epochs": 6, "every": 2}

    def kill(message):
        if message.startswith("epoch 4 "):
            raise KeyboardInterrupt

    whole, used = fit("bert4rec", train, valid, 1, **few)
    assert (used["layers"], used["heads"], used["length"], used["factors"]) == (2, 2, 100, 16)
    with pytest.raises(KeyboardInterrupt):
        fit("bert4rec", train, valid, 1, checkpoint=tmp_path, progress=kill, **few)
    backwards = dataclasses.replace(train, time=-train.time)
    with pytest.raises(InputError, match="belongs to another run"):
        fit("bert4rec", backwards, valid, 1, checkpoint=tmp_path, **few)
    said = []
    resumed, _ = fit("bert4rec", train, valid, 1, checkpoint=tmp_path, progress=said.append, **few)
    assert said[0] == "resumed after epoch 3"
    assert all(np.array_equal(whole.weights[name], resumed.weights[name]) for name in whole.weights)
    other, _ = fit("bert4rec", train, valid, 2, **few)
    assert not np.array_equal(whole.weights["items"], other.weights["items"])


def shaken(torch, train, factors=16):
    """A module whose weights are far from where they begin."""
    from evenhand.recommenders.models.bert4rec import DEFAULTS, BERT4Rec

    torch.manual_seed(0)
    module = BERT4Rec(train, dataclasses.replace(DEFAULTS, factors=factors)).eval()
    with torch.no_grad():
        for weight in module.parameters():
            weight.add_(torch.randn_like(weight) * 0.3)
    return module


@pytest.mark.parametrize("at_a_time", [1, 7, 64])
def test_scores_without_torch_are_those_of_the_module(torch, at_a_time, followers, monkeypatch):
    monkeypatch.setattr("evenhand.recommenders.scores.attention.USERS", at_a_time)
    # Sequences of all lengths from 0 to 9.
    train = followers.rows(followers.time < followers.user % 11)
    module = shaken(torch, train)
    tokens = np.column_stack([last_items(train, 10), np.full(240, 20)])
    with torch.no_grad():
        expected = module.scores(module.encode(torch.from_numpy(tokens))[:, -1]).numpy()
    model = module.recommender(train)
    assert expected.std() > 0.5
    assert np.abs(model.score_block(np.arange(240)) - expected).max() < 1e-5
    vectors = model.embeddings
    assert vectors.users @ vectors.items.T + model.weights["bias"] == pytest.approx(expected, abs=1e-5)
    assert vectors.shared_space


def test_only_what_is_in_the_sequence_counts(torch, followers):
    """The same last items give the same scores, whoever's they are and whatever came long before."""
    train = followers.rows(followers.time < 8)
    model = shaken(torch, train).recommender(train)
    model.sequences = np.tile(model.sequences[:1], (240, 1))
    scores = model.score_block(np.array([0, 5, 9]))
    assert np.abs(scores - scores[0]).max() < 1e-5
    model.sequences[5, -2:] = model.sequences[5, -2:][::-1]
    assert np.abs(model.score_block(np.array([5])) - scores[0]).max() > 1e-3  # order counts


def test_batches_hide_items_and_say_which(torch, followers):
    train = followers.rows(followers.time < 1 + followers.user % 10)
    module = shaken(torch, train)
    batches = list(module.sampler(torch.Generator().manual_seed(0)).batches(50))
    tokens, items, hidden = (torch.cat(part).numpy() for part in zip(*batches, strict=True))
    assert [len(batch[0]) for batch in batches] == [50, 50, 50, 50, 40]
    assert (tokens[hidden] == 20).all()
    assert (items[hidden] >= 0).all()
    assert (tokens[~hidden] == items[~hidden]).all()
    assert hidden.any(axis=1).all()
    assert sorted(map(tuple, items)) == sorted(map(tuple, windows(train, items.shape[1])))


@pytest.mark.slow
def test_a_folder_holds_it_without_torch_and_an_audit_takes_it(torch, followers, tmp_path):
    frame = followers.frame()
    frame.loc[frame["user_id"] < 40, "timestamp"] = np.nan
    settings = {**SMALL, "epochs": 2}
    trained = train_and_save("bert4rec", frame, tmp_path, split="leave-one-out", negatives=5, **settings)
    assert trained.notes[0] == (
        "40 of 240 users have no complete timestamps and were left out, as bert4rec learns from the order in "
        "which users took items."
    )
    again, users = load(tmp_path), np.arange(200)
    assert np.array_equal(again.score_block(users), trained.model.score_block(users))
    assert again.user_ids.tolist() == list(range(40, 240))
    assert not (tmp_path / "checkpoint.pt").exists()
    with pytest.raises(InputError, match="1 user ids were not seen in training, for example 0"):
        again.score([0], [1])
    people = pd.DataFrame({"user_id": again.user_ids, "gender": np.where(again.user_ids % 2, "a", "b")})
    things = pd.DataFrame({"item_id": again.item_ids, "genre": np.where(again.item_ids % 2, "x", "y")})
    held_out = pd.read_parquet(tmp_path / "test.parquet")
    result = eh.exposure.audit(tmp_path, held_out, people, things, beta="static")
    assert result.find("II").estimate > 0


@pytest.mark.parametrize(
    ("array", "change", "says"),
    [
        ("sequences", lambda a: a + 20, "sequences speak of items beyond the 20 that there are"),
        ("sequences", lambda a: a[:, 1:], r"sequences must be whole numbers of the shape \(240, 9\)"),
        ("sequences", lambda a: a.astype(float), "sequences must be whole numbers"),
        ("sequences", lambda a: np.where(np.arange(9) == 4, -1, a), "sequences have gaps"),
        ("heads", lambda a: np.array(3), "vectors of length 16 cannot be divided among 3 heads"),
        ("heads", lambda a: np.array(0), "heads is 0, but must be a whole number"),
        ("weight.layers.1.wide.bias", lambda a: a[1:], r"wide.bias has the shape \(63,\), but must have"),
        ("weight.layers.0.wide.bias", lambda a: a * np.nan, "wide.bias has 64 of 64 numbers that are not"),
        ("weight.items", None, "items is missing"),
    ],
)  # fmt: skip
def test_arrays_that_were_tampered_with(torch, array, change, says, followers, tmp_path):
    train = followers.rows(followers.time < 9)
    model = shaken(torch, train).recommender(train)
    storage.save(tmp_path, model, name="bert4rec", history=train, description={})
    assert np.array_equal(load(tmp_path).score_block(np.arange(9)), model.score_block(np.arange(9)))
    with np.load(tmp_path / "arrays.npz") as file:
        arrays = dict(file)
    whole = arrays.pop(array)
    np.savez(tmp_path / "arrays.npz", **arrays, **({} if change is None else {array: change(whole)}))
    with pytest.raises(InputError, match=says):
        load(tmp_path)


def test_data_without_times_are_refused(torch, followers, tmp_path):
    untimed = followers.frame().drop(columns="timestamp")
    with pytest.raises(InputError) as error:
        train_and_save("bert4rec", untimed, tmp_path)
    assert str(error.value) == (
        "bert4rec learns from the order in which users took items, but none of 240 users has complete "
        "timestamps; bring data with a column 'timestamp', or use another model."
    )
    assert not list(tmp_path.iterdir())
    some = dataclasses.replace(followers, time=np.where(np.arange(2400) < 5, np.nan, followers.time))
    with pytest.raises(InputError, match="5 of 2,400 interactions have no timestamp, so that the order"):
        fit("bert4rec", some, some, 0)
    kept, (note,) = with_times(some, "bert4rec")
    assert len(kept.user_ids) == 239
    assert note.startswith("1 of 240 users have no complete timestamps and were left out")


def test_vectors_that_cannot_be_halved_are_refused(torch, parts):
    with pytest.raises(InputError, match=r"factors \(--factors\) is 15, but must be even"):
        fit("bert4rec", parts[0], parts[1], 0, factors=15)
