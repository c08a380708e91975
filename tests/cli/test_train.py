"""`evenhand train` and `evenhand download`, in process."""

import json

import numpy as np
import pandas as pd
import pytest

import evenhand as eh


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    pairs = [(f"u{u}", int(i)) for u in range(40) for i in rng.choice(30, size=12, replace=False)]
    pd.DataFrame(pairs, columns=["user_id", "item_id"]).to_csv("pairs.csv", index=False)
    return tmp_path


def test_a_trained_folder_scores_by_original_ids(evenhand, data):
    ran = evenhand(
        "train", "puresvd", "pairs.csv", "--out", "model", "--factors", "4", "--seed", "3", "--json"
    )
    assert ran.code == 0
    described = json.loads(ran.out)
    assert (described["model"], described["seed"], described["settings"]) == ("puresvd", 3, {"factors": 4})
    assert described["notes"] == ["There are no attributes of users and items."]
    scores = eh.recommenders.load("model").score(["u0", "u39"], [0, 29])
    assert np.isfinite(scores).all()
    said = evenhand("train", "popularity", "pairs.csv", "--out", "other")
    assert "recall@10" in said.out
    assert "Model: other" in said.out


def test_a_file_may_call_its_columns_otherwise(evenhand, data):
    theirs = pd.read_csv("pairs.csv").rename(columns={"user_id": "uid", "item_id": "vid"})
    theirs.to_csv("theirs.csv", index=False)
    named = ("--columns", "user_id=uid", "--columns", "item_id=vid")
    for words in (("pairs.csv", "--out", "ours"), ("theirs.csv", "--out", "theirs", *named)):
        assert evenhand("train", "puresvd", *words, "--factors", "4").code == 0
    ours, theirs = (eh.recommenders.load(name).score(["u0", "u39"], [0, 29]) for name in ("ours", "theirs"))
    assert (ours == theirs).all()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("train", "puresdv", "pairs.csv", "--out", "m"), "Did you mean 'puresvd'?"),
        (("train", "ease", "nowhere", "--out", "m"), "nowhere"),
        (("train", "ease", "pairs.csv", "--out", "m", "--split", "half"), "split is 'half'"),
        (("train", "popularity", "pairs.csv", "--out", "m", "--epochs", "3"), "has no setting 'epochs'"),
        (("train", "ease", "pairs.csv", "--out", "pairs.csv"), "pairs.csv"),
        (("train", "ease", "pairs.csv", "--out", "m", "--seed", "-1"), "--seed is -1, but must be"),
        (("train", "puresvd", "pairs.csv", "--out", "m", "--factors", "40"), "factors (--factors) is 40"),
        (
            ("train", "ease", "pairs.csv", "--out", "m", "--regularisation", "nan"),
            "regularisation is nan, but",
        ),
        (("train", "ease", "pairs.csv", "--out", "m", "--regularisation", "inf"), "regularisation is inf"),
        (
            ("train", "ease", "pairs.csv", "--out", "m", "--split", "leave-one-out"),
            "at most 18 (--negatives)",
        ),
        (("train", "ease", "pairs.csv", "--out", "m", "--negatives", "9"), "(--negatives) are drawn for"),
        (
            ("train", "ease", "pairs.csv", "--out", "m", "--features", "gender"),
            "--features are for widedeep, deepfm, dcn, fgcnn, two-tower; ease takes none.",
        ),
        (
            ("train", "deepfm", "pairs.csv", "--out", "m", "--features", "gender"),
            "there is no feature 'gender' of users or items. There is: none",
        ),
        (("train", "ease", "pairs.csv", "--out", ""), "--out is '', but must be the path of a folder."),
        (
            ("train", "ease", "pairs.csv", "--out", "m", "--columns", "user_id=usr_id"),
            "columns: no table has a column 'usr_id' (did you mean 'user_id'?)",
        ),
        (
            ("train", "ease", ".", "--out", "m", "--columns", "user_id=u"),
            "columns are for a file of your own",
        ),
        (("download", "ml-1m", "--out", ""), "--out is '', but must be the path of a folder."),
        (("download", "ml-1m", "--out", "pairs.csv"), "pairs.csv cannot be written to (it is a file)"),
        (("download", "netflix", "--out", "m"), "ml-1m"),
    ],
)
def test_what_cannot_be_trained_or_fetched_is_one_sentence(evenhand, data, words, says):
    ran = evenhand(*words)
    assert ran.code == 2
    assert says in ran.err
    assert ran.err.count("\n") == 1
    assert not (data / "m").exists()


def test_the_default_of_puresvd_is_lowered_for_small_data(evenhand, data):
    ran = evenhand("train", "puresvd", "pairs.csv", "--out", "model")
    assert ran.code == 0
    note = "Note: puresvd has 29 factors and not 64, its default: there are only 40 users and 30 items.\n"
    assert note in ran.out


def test_fewer_negatives(evenhand, data):
    words = ("train", "ease", "pairs.csv", "--out", "model", "--split", "leave-one-out", "--json")
    ran = evenhand(*words, "--negatives", "18")
    assert ran.code == 0
    assert json.loads(ran.out)["negatives"] == 18


@pytest.mark.slow
def test_features_of_a_data_set_are_chosen_by_name(evenhand, data):
    pytest.importorskip("torch")
    rng = np.random.default_rng(0)
    folder = data / "ml-100k"
    folder.mkdir()
    ratings = [(u, i, 5, u * i) for u in range(1, 41) for i in rng.choice(30, size=9, replace=False) + 1]
    people = [f"{u}|{20 + u}|{'MF'[u % 2]}|artist|{u:05d}" for u in range(1, 41)]
    films = [
        f"{i}|Film {i} (1990)|01-Jan-1990||x|" + "|".join("01"[n in (i % 3, 5)] for n in range(19))
        for i in range(1, 31)
    ]
    (folder / "u.data").write_text("\n".join("\t".join(map(str, row)) for row in ratings) + "\n")
    (folder / "u.user").write_text("\n".join(people) + "\n")
    (folder / "u.item").write_text("\n".join(films) + "\n")
    (folder / "u.occupation").write_text("artist\n")
    genres = ["unknown", *(f"genre {n}" for n in range(1, 19))]
    (folder / "u.genre").write_text("".join(f"{name}|{n}\n" for n, name in enumerate(genres)))
    chosen = {
        "all": ("deepfm",),
        "two": ("deepfm", "--features", "gender,genres"),
        "none": ("deepfm", "--features", "none"),
        "towers": ("two-tower",),
        "gender": ("two-tower", "--features", "gender"),
    }
    found = {}
    for name, (model, *words) in chosen.items():
        ran = evenhand("train", model, "ml-100k", "--out", name, "--epochs", "1", "--json", *words)
        assert ran.code == 0, ran.err
        found[name] = json.loads(ran.out)["settings"]["features"]
        assert np.isfinite(eh.recommenders.load(name).score([1, 40], [1, 30])).all()
    assert found == {
        "all": ["user.gender", "user.age_band", "item.genres"],
        "two": ["user.gender", "item.genres"],
        "none": [],
        "towers": [],
        "gender": ["user.gender"],
    }
    users = pd.DataFrame({"user_id": range(1, 41), "gender": [("M", "F")[u % 2] for u in range(1, 41)]})
    users.to_csv("users.csv", index=False)
    items = pd.DataFrame({"item_id": range(1, 31), "kind": [f"kind {i % 3}" for i in range(1, 31)]})
    items.to_csv("items.csv", index=False)
    for name in ("all", "gender"):
        words = ("--users", "users.csv", "--items", "items.csv", "--relevance", f"{name}/test.parquet")
        groups = ("--user-group", "gender", "--item-group", "kind", "--beta", "static")
        ran = evenhand("exposure", "--model", name, *words, *groups)
        assert ran.code == 0, ran.err
    ran = evenhand("train", "deepfm", "ml-100k", "--out", "m", "--features", "gendre")
    assert "there is no feature 'gendre' of users or items. There is: gender, age" in ran.err
