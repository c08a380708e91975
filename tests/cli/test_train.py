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
