"""Models that need nothing beyond the core: what they learn, and that folders give them back as they were."""

import json
import re
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from evenhand.errors import InputError
from evenhand.recommenders import Factors, as_recommender, fit, load, train_and_save
from evenhand.recommenders.adapters import from_callable, from_table
from evenhand.recommenders.evaluation import full_ranking
from evenhand.recommenders.models.classic import ease, puresvd
from evenhand.recommenders.scores.simple import ItemWeights
from evenhand.recommenders.stored.storage import save
from evenhand.recommenders.taken.splits import random_split

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
        ("brp", {}, "the model is 'brp', but must be one of bpr, dmf, neumf, widedeep, "),
        ("brp", {}, "Did you mean 'bpr'?"),
        ("ease", {"regularisation": 1e39}, "but must be a finite number from 0 to 1e+38."),
        (None, {}, "the model is None, but must be one of"),
        ("random", {"split": ["time"]}, "split is ['time'], but must be one of random, time, leave-one-out."),
        ("random", {"data": Path("pairs.csv")}, "but must be text."),
        ("random", {"progress": 3}, "progress is 3, but must be a function."),
        ("random", {"out": None}, "out is None, but must be the path of a folder."),
        ("random", {"out": ""}, "out is '', but must be the path of a folder."),
        ("random", {"out": __file__}, "cannot be written to (it is a file)"),
        (
            "random",
            {"interactions": None},
            "interactions is a NoneType, but must be Interactions or a pandas",
        ),
        ("puresvd", {"epochs": 3}, "'puresvd' has no setting 'epochs'; it has: factors"),
        ("popularity", {"factors": 3}, "no setting 'factors'; it has: none"),
        ("puresvd", {"factors": 400}, "factors (--factors) is 400, but puresvd can have at most 59 for 120"),
        ("puresvd", {"factors": 0}, "factors is 0, but must be a whole number from 1 to 2,147,483,647."),
        ("puresvd", {"factors": 1.5}, "factors is 1.5, but must be a whole number"),
        ("puresvd", {"factors": True}, "factors is True, but must be a whole number"),
        ("ease", {"regularisation": float("nan")}, "regularisation is nan, but must be a finite number"),
        ("ease", {"regularisation": 0}, "regularisation is 0.0, but must be a finite number above 0"),
        ("ease", {"regularisation": "3"}, "regularisation is '3', but must be a finite number"),
        ("knn", {"neighbours": 2.5}, "neighbours is 2.5, but must be a whole number"),
        (
            "random",
            {"seed": -1},
            "seed is -1, but must be a whole number from 0 to 9,223,372,036,854,775,807",
        ),
        ("random", {"seed": 2**63}, "seed is 9223372036854775808, but must be"),
        ("random", {"negatives": 9}, "negatives (--negatives) are drawn for the split leave-one-out only"),
        ("random", {"negatives": 4, "split": "leave-one-out"}, "negatives is 4, but must be a whole number"),
    ],
)
def test_what_cannot_be_trained(name, settings, says, interactions, tmp_path):
    with pytest.raises(InputError) as error:
        train_and_save(**{"name": name, "interactions": interactions, "out": tmp_path} | settings)
    assert says in str(error.value)
    assert not list(tmp_path.iterdir())


def test_a_matrix_that_cannot_be_inverted(interactions):
    few = interactions.rows(interactions.user < 5)  # fewer users than items
    with pytest.raises(
        InputError, match="regularisation is 1e-300, which is too small for ease on these data"
    ):
        fit("ease", few, few, 0, regularisation=1e-300)


def test_a_model_beyond_the_memory_is_refused_at_once(interactions, monkeypatch):
    pages = {"SC_PAGE_SIZE": 1, "SC_PHYS_PAGES": 16 * 60**2}
    monkeypatch.setattr("os.sysconf", pages.__getitem__)
    fit("ease", interactions, interactions, 0)
    pages["SC_PHYS_PAGES"] -= 1
    with pytest.raises(
        InputError, match="ease with 60 items needs at least 0 GB of memory, but this machine"
    ):
        fit("ease", interactions, interactions, 0)


def test_tables_are_interactions(tastes, interactions, tmp_path):
    train_and_save("popularity", tastes, tmp_path)
    assert load(tmp_path).user_ids.tolist() == interactions.user_ids.tolist()
    assert fit("popularity", tastes, tastes, 0)[0].item_scores.sum() == len(tastes)


def test_a_validation_part_with_other_ids_is_refused(interactions):
    other = replace(interactions, item_ids=interactions.item_ids + 1)
    with pytest.raises(InputError, match=r"valid has other item ids than train \(60 and 60\): 0 is in only"):
        fit("popularity", interactions, other, 0)
    with pytest.raises(InputError, match="valid is a NoneType, but must be Interactions"):
        fit("popularity", interactions, None, 0)


@pytest.mark.parametrize(
    ("folder", "says"),
    [("", "is '', but must be the path"), (None, "is None, but"), (3, "is 3, but must be the path")],
)
def test_paths_that_are_no_folders(folder, says):
    with pytest.raises(InputError, match=f"the folder of a model {says}"):
        load(folder)


def test_a_folder_is_a_recommender(interactions, tmp_path):
    trained = train_and_save("popularity", interactions, tmp_path)
    for given in (tmp_path, str(tmp_path)):
        assert np.array_equal(as_recommender(given).item_scores, trained.model.item_scores)


def test_the_files_of_two_models_are_refused(interactions, tmp_path):
    for seed in (1, 2):
        train_and_save("popularity", interactions, tmp_path / str(seed), seed=seed)
    path = tmp_path / "1" / "model.json"
    path.write_bytes((tmp_path / "2" / "model.json").read_bytes())
    with pytest.raises(InputError, match=r"model.json and arrays.npz belong to different models"):
        load(tmp_path / "1")
    content = json.loads(path.read_text())
    del content["arrays"]  # as folders were before
    path.write_text(json.dumps(content))
    assert len(load(tmp_path / "1").user_ids) == 120


def test_a_description_that_cannot_be_written_leaves_the_folder_alone(interactions, tmp_path):
    trained = train_and_save("popularity", interactions, tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(InputError, match="must be plain JSON"):
        save(tmp_path, trained.model, name="x", history=interactions, description={"data": tmp_path})
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_finished_model_that_is_replaced_is_named(interactions, tmp_path):
    assert train_and_save("popularity", interactions, tmp_path, seed=3).notes == ()
    assert train_and_save("popularity", interactions, tmp_path, seed=3).notes == ()
    (note,) = train_and_save("ease", interactions, tmp_path).notes
    assert note == f"{tmp_path} held another model, which was replaced: popularity, seed 3."


def test_lists_that_hold_everything_are_named(tastes, tmp_path):
    few = tastes[tastes.item_id < 16]
    taken = few.groupby("user_id").size()
    held_out = np.maximum(np.rint(taken * 0.1), 1).clip(upper=taken)  # of so few, one
    short = ((taken >= 3) & (16 - taken + held_out <= 10)).sum()
    notes = train_and_save("popularity", few, tmp_path).notes
    says = f"{short} of {(taken >= 3).sum()} users that the model is judged on have at most 10 items left to"
    assert 0 < short < 120
    assert any(note.startswith(says) for note in notes), notes


def test_settings_of_numpy_are_written_as_plain_numbers(interactions, tmp_path):
    train_and_save("puresvd", interactions, tmp_path, factors=np.int64(3), seed=np.int64(2))
    content = json.loads((tmp_path / "model.json").read_text())
    assert (content["settings"], content["seed"]) == ({"factors": 3}, 2)


def test_a_default_that_the_data_are_too_small_for_is_lowered_and_that_is_said(interactions, tmp_path):
    trained = train_and_save("puresvd", interactions, tmp_path)
    note = "puresvd has 59 factors and not 64, its default: there are only 120 users and 60 items."
    assert trained.notes == (note,)
    assert trained.model.user_vectors.shape == (120, 59)
    content = json.loads((tmp_path / "model.json").read_text())
    assert (content["settings"], content["notes"]) == ({"factors": 59}, [note])
    assert fit("puresvd", interactions, interactions, 0)[1] == {"factors": 59}


def test_one_item_has_no_factors(interactions):
    pairs = interactions.rows(interactions.item == 0).frame()
    with pytest.raises(InputError, match=r"factors \(--factors\) is 64, but puresvd can have at most 0"):
        fit("puresvd", pairs, pairs, 0)


def test_an_unknown_split(interactions, tmp_path):
    with pytest.raises(InputError, match="split is 'half', but must be one of random, time, leave-one-out"):
        train_and_save("popularity", interactions, tmp_path, split="half")


def test_folders_that_are_no_models(interactions, tmp_path):
    with pytest.raises(InputError, match=r"is not a trained model: there is no model.json in it"):
        load(tmp_path)
    (tmp_path / "file.csv").write_text("user_id,item_id\n")
    for name in ("file.csv", "nowhere"):
        with pytest.raises(InputError, match=f"{name} is not a trained model: it is not a folder"):
            load(tmp_path / name)
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


def first_missing(values):
    values = values.astype(np.float32)
    values.flat[0] = np.nan
    return values


@pytest.mark.parametrize(
    ("name", "array", "change", "says"),
    [
        ("popularity", "item_scores", lambda a: a[:-1], r"item_scores has the shape \(59,\), but must have"),
        ("popularity", "item_scores", lambda a: a[None], r"item_scores has the shape \(1, 60\)"),
        ("popularity", "item_scores", first_missing, "item_scores has 1 of 60 numbers that are not finite"),
        ("popularity", "item_scores", lambda a: a.astype(str), "item_scores must be numbers"),
        (
            "ease",
            "weights",
            lambda a: a[:, :-1],
            r"weights has the shape \(60, 59\), but must have \(60, 60\)",
        ),
        ("ease", "weights", first_missing, "weights has 1 of 3,600 numbers that are not finite"),
        ("ease", "weights", lambda a: a.astype(str), "weights must be numbers"),
        ("puresvd", "user_vectors", first_missing, "1 of 120 user vectors are not finite"),
        ("puresvd", "item_bias", lambda a: a[1:], r"item_bias has the shape \(59,\)"),
        ("random", "seed", lambda a: np.array(-1), "seed is -1"),
        ("random", "seed", lambda a: np.array([1, 2]), "size 1"),
        ("popularity", "user_ids", lambda a: a.reshape(2, -1), r"user ids must be a plain list.* \(2, 60\)"),
        (
            "popularity",
            "item_ids",
            lambda a: np.minimum(a, 58),
            "1 item ids appear more than once, for example 58",
        ),
        ("popularity", "item_ids", lambda a: a[::-1], "item ids are not in order"),
        ("popularity", "item_ids", lambda a: a[:0], "there are no item ids"),
        ("popularity", "history_user", lambda a: a + 100, "index"),
        ("popularity", "history_user", lambda a: a[1:], "the history is not two lists"),
        ("popularity", "history_item", lambda a: a.astype(float), "the history is not two lists"),
        ("popularity", "item_scores", None, "item_scores is missing"),
        ("popularity", "item_ids", None, "item_ids is missing"),
    ],
)
def test_arrays_that_were_tampered_with(name, array, change, says, interactions, tmp_path):
    train_and_save(name, interactions, tmp_path, **SETTINGS.get(name, {}))
    with np.load(tmp_path / "arrays.npz") as file:
        arrays = dict(file)
    whole = arrays.pop(array)
    np.savez(tmp_path / "arrays.npz", **arrays, **({} if change is None else {array: change(whole)}))
    with pytest.raises(InputError, match=says) as error:
        load(tmp_path)
    assert str(error.value).startswith(f"{tmp_path / 'arrays.npz'} is damaged (")
    assert str(error.value).endswith("); train the model again.")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"users": "120"}, r"model.json is damaged \(users is '120', but must be a whole number"),
        ({"items": None}, r"model.json is damaged \(items is None"),
        ({"users": 121}, r"speaks of 121 users and 60 items, but arrays.npz holds 120 and 60"),
        ({"kind": "Oracle"}, r"is damaged \(a model of the unknown kind 'Oracle'\)"),
        ({"kind": ["ItemScores"]}, "unknown kind"),
        ({"schema": "evenhand.model/0"}, "is not a model of this version"),
    ],
)
def test_descriptions_that_were_tampered_with(change, says, interactions, tmp_path):
    train_and_save("popularity", interactions, tmp_path)
    path = tmp_path / "model.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(InputError, match=says):
        load(tmp_path)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"nonsense"])
def test_arrays_that_are_no_archive(content, interactions, tmp_path):
    train_and_save("popularity", interactions, tmp_path)
    (tmp_path / "arrays.npz").write_bytes(content)
    with pytest.raises(InputError, match=r"arrays.npz is damaged .*; train the model again"):
        load(tmp_path)
    with (tmp_path / "arrays.npz").open("wb") as file:
        np.save(file, np.zeros(3))  # one array, and not an archive of several
    with pytest.raises(InputError, match=r"arrays.npz is damaged"):
        load(tmp_path)


def saved(model, history, folder):
    save(folder, model, name="mine", history=history, description={})
    return load(folder)


def test_vectors_with_biases_of_users_come_back(interactions, tmp_path):
    rng = np.random.default_rng(0)
    shapes = ((120, 3), (60, 3), 60, 120)
    model = Factors(
        interactions.user_ids, interactions.item_ids, *(rng.normal(size=shape) for shape in shapes)
    )
    again = saved(model, interactions, tmp_path)
    users = np.arange(120)
    assert np.array_equal(again.score_block(users), model.score_block(users))
    plain = Factors(model.user_ids, model.item_ids, model.user_vectors, model.item_vectors, model.item_bias)
    assert not np.allclose(plain.score_block(users), model.score_block(users))


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_what_was_taken_may_be_more_than_the_history(form, interactions, tmp_path):
    weights = form(np.random.default_rng(0).normal(size=(60, 60)).astype(np.float32))
    ids = interactions.user_ids, interactions.item_ids
    model = ItemWeights(*ids, 3 * interactions.matrix(), weights)
    again = saved(model, interactions.rows(np.arange(500)), tmp_path)
    assert np.array_equal(again.score_block(np.arange(120)), model.score_block(np.arange(120)))
    assert again.history.sum() == 500


@pytest.mark.parametrize(
    ("array", "change"),
    [
        ("weights_indices", lambda places: places + 1),
        ("weights_indices", lambda places: np.full(len(places), np.nan)),
        ("weights_indptr", lambda starts: starts[:-1]),
        ("weights_data", lambda values: values[1:]),
        ("weights_data", first_missing),
    ],
)
def test_sparse_weights_that_were_tampered_with(array, change, interactions, tmp_path):
    ids = interactions.user_ids, interactions.item_ids
    model = ItemWeights(*ids, interactions.matrix(), sparse.csr_array(np.ones((60, 60), dtype=np.float32)))
    assert saved(model, interactions, tmp_path).score_block(np.arange(2)).tolist() == [[20.0] * 60] * 2
    with np.load(tmp_path / "arrays.npz") as file:
        arrays = dict(file)
    arrays[array] = change(arrays[array])
    np.savez(tmp_path / "arrays.npz", **arrays)
    with pytest.raises(InputError, match=r"arrays.npz is damaged"):
        load(tmp_path)


def test_models_that_are_not_plain_arrays_are_not_saved(interactions, tmp_path):
    ids = interactions.user_ids, interactions.item_ids
    table = interactions.frame().assign(score=1.0)
    for model in (from_callable(lambda u, i: np.zeros(len(u)), *ids), from_table(table)):
        with pytest.raises(InputError) as error:
            saved(model, interactions, tmp_path / "out")
        first, kinds, last = re.split(r"[()]", str(error.value))
        assert first == f"a {type(model).__name__} cannot be saved, as only models that are plain arrays can "
        assert {
            "DeepFMScores",
            "Factors",
            "ItemScores",
            "NeuMFScores",
            "SequenceScores",
            "UserWeights",
        } < set(kinds.split(", "))
        assert last == "; save a table of its scores instead, and read that with from_table."
    assert not (tmp_path / "out").exists()


def test_a_history_of_other_users_and_ids_that_only_pickle_could_write(interactions, tmp_path):
    vectors = np.ones((2, 1)), np.ones((60, 1))
    with pytest.raises(InputError, match=r"other user ids than the model \(120 and 2\)"):
        saved(Factors([1, 2], interactions.item_ids, *vectors), interactions, tmp_path)
    ids = np.array([Decimal(1), Decimal(2)], dtype=object)
    history = replace(interactions.rows(interactions.user < 2), user_ids=ids)
    with pytest.raises(InputError, match="user ids of type Decimal cannot be saved"):
        saved(Factors(ids, interactions.item_ids, *vectors), history, tmp_path)


def test_an_unfinished_run_of_another_model_is_left_alone(interactions, tmp_path):
    (tmp_path / "checkpoint.pt").write_bytes(b"of a bpr")
    with pytest.raises(InputError, match="holds an unfinished run"):
        train_and_save("popularity", interactions, tmp_path)
    assert (tmp_path / "checkpoint.pt").exists()


def test_leave_one_out_writes_what_it_was_judged_by(interactions, tmp_path):
    trained = train_and_save("popularity", interactions, tmp_path, split="leave-one-out", negatives=9)
    candidates = pd.read_parquet(tmp_path / "candidates.parquet")
    assert candidates.groupby("user_id").size().eq(10).all()
    assert candidates.groupby("user_id")["label"].sum().eq(1).all()
    again = load(tmp_path).score(candidates["user_id"], candidates["item_id"])
    np.testing.assert_allclose(candidates["score"], again)
    ranks = candidates.groupby("user_id")["score"].rank(ascending=False, method="average")
    assert (ranks[candidates["label"] == 1] <= 5).mean() == pytest.approx(trained.metrics["hit@5"], abs=0.1)

    train_and_save("popularity", interactions, tmp_path, split="random")
    assert not (tmp_path / "candidates.parquet").exists()
