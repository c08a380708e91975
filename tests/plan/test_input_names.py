"""What the data of a result are called."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import evenhand as eh
from evenhand.plan.model import parse

ENVY = {
    "audit": "envy", "preferences": "likes", "inverse_temperature": 1.0, "users": "tenure", "group": "tenure",
}  # fmt: skip
VECTORS = {"audit": "association", "users": "users.npy", "items": "items.npy", "attribute": "users:gender"}


@pytest.fixture
def data(tmp_path):
    """Users with two tables and vectors, and what they like."""
    rng = np.random.default_rng(0)
    ids = [f"u{number}" for number in range(40)]
    users = pd.DataFrame({"user_id": ids, "gender": ["f", "m"] * 20})
    users.to_csv(tmp_path / "users.csv", index=False)
    users.assign(tenure=["new", "old"] * 20).to_csv(tmp_path / "tenure.csv", index=False)
    likes = [(user, item, rng.random()) for user in ids for item in range(5)]
    pd.DataFrame(likes, columns=["user_id", "item_id", "preference"]).to_csv(
        tmp_path / "likes.csv", index=False
    )
    for side, rows in (("users", 40), ("items", 30)):
        np.save(tmp_path / f"{side}.npy", rng.normal(size=(rows, 6)))
    return tmp_path


def ran(data, *audits):
    inputs = {name: {"path": f"{name}.csv"} for name in ("users", "tenure", "likes")}
    return eh.plan.run(parse({"inputs": inputs, "audits": list(audits)}, "audit.toml"), base=data)


@pytest.mark.parametrize("audits", [(ENVY, VECTORS), (VECTORS, ENVY)], ids=["envy first", "vectors first"])
def test_tables_have_the_names_of_the_plan_whatever_audits_call_them(data, audits):
    inputs = ran(data, *audits).inputs
    named = {name: found.source for name, found in inputs.items()}
    assert named["likes"] == "likes.csv"
    assert named["tenure"] == "tenure.csv"
    assert named["users"] == "users.csv"
    assert named["association users"] == "users.npy"
    assert not any(name.endswith(" 2") for name in named)


def test_a_table_of_several_audits_is_there_once(data):
    means = {"audit": "groups", "users": "users", "attributes": "gender", "metric": "age"}
    frame = pd.read_csv(data / "users.csv")
    frame.assign(age=np.arange(40) / 40).to_csv(data / "users.csv", index=False)
    names = list(ran(data, means, VECTORS | {"items": "items.npy"}).inputs)
    assert names.count("users") == 1
    assert "users 2" not in names


def test_a_table_that_values_are_only_looked_up_in_is_told_and_logs_have_their_days(data):
    users = [f"u{number % 40}" for number in range(400)]
    log = pd.DataFrame({"user_id": users, "liked": [0, 1, 1, 0, 1] * 80, "at": pd.Timestamp("2026-01-03")})
    log.to_parquet(data / "log.parquet")
    step = {
        "audit": "user_precision", "default": "log", "label": "liked", "group": "gender",
        "attributes": "users", "on": "user_id", "cluster": "user_id",
    }  # fmt: skip
    inputs = {"log": {"path": "log.parquet"}, "users": {"path": "users.csv"}}
    found = eh.plan.run(parse({"inputs": inputs, "audits": [step]}, "audit.toml"), base=data).inputs
    assert found["users"].source == "users.csv"
    assert found["log"].period == ("2026-01-03", "2026-01-03")
    assert found["users"].period is None
