"""Folders of neighbours, topics and sequences: every audit that takes a model takes them, in process."""

import numpy as np
import pandas as pd
import pytest

MODELS = {
    "user-knn": (),
    "plsa": ("--factors", "3"),
    "lda": ("--factors", "3", "--epochs", "3"),
    "bert4rec": ("--factors", "8", "--epochs", "2"),
}
ASKED = {
    "exposure": (
        "exposure", "--relevance", "model/test.parquet", "--users", "users.csv", "--user-group", "gender",
        "--items", "items.csv", "--item-group", "genre", "--beta", "static",
    ),
    "groups": ("groups", "--users", "users.csv", "--attribute", "gender", "--permutations", "99"),
    "envy": ("envy", "offline", "--inverse-temperature", "5"),
    "association": (
        "association", "--attribute", "users.csv:gender", "--groups", "items.csv:genre",
        "--permutations", "99",
    ),
}  # fmt: skip


@pytest.fixture(autouse=True)
def data(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    pairs = [(u, int(i), at) for u in range(60) for at, i in enumerate(rng.choice(30, 12, replace=False))]
    pd.DataFrame(pairs, columns=["user_id", "item_id", "timestamp"]).to_csv("pairs.csv", index=False)
    pd.DataFrame({"user_id": range(60), "gender": ["F", "M"] * 30}).to_csv("users.csv", index=False)
    pd.DataFrame({"item_id": range(30), "genre": ["a", "b", "c"] * 10}).to_csv("items.csv", index=False)


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_every_audit_takes_the_folder(name, evenhand):
    if name == "bert4rec":
        pytest.importorskip("torch")
    given = ("--out", "model", "--split", "leave-one-out", "--negatives", "9", *MODELS[name])
    ran = evenhand("train", name, "pairs.csv", *given)
    assert ran.code == 0, ran.err
    assert "hit@5" in ran.out
    for question, words in ASKED.items():
        ran = evenhand(*words, "--model", "model", "--quiet")
        if (name, question) == ("user-knn", "association"):
            assert ran.code == 2
            assert "a model of similar users has no vectors of users and items" in " ".join(ran.err.split())
        else:
            assert ran.code in (0, 1), (question, ran.err)


@pytest.mark.slow
def test_data_without_times_are_refused(evenhand):
    pytest.importorskip("torch")
    pd.read_csv("pairs.csv").drop(columns="timestamp").to_csv("untimed.csv", index=False)
    ran = evenhand("train", "bert4rec", "untimed.csv", "--out", "model")
    assert ran.code == 2
    assert "none of 60 users has complete timestamps" in " ".join(ran.err.split())
