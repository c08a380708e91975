"""Candidates with several lists a user: the plan names the column that tells lists apart."""

import tomllib

import numpy as np
import pandas as pd

from evenhand import plan
from evenhand.plan.init.command import run


def test_a_column_of_lists_is_named(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    people = pd.DataFrame({"user_id": [f"u{n}" for n in range(300)]})
    people["gender"] = np.array(["women", "men"])[np.arange(300) % 2]
    people.to_csv(tmp_path / "users.csv", index=False)
    rows = [
        (f"l{nth}", f"u{nth % 300}", f"i{item}")
        for nth in range(600)
        for item in rng.choice(100, 10, replace=False)
    ]
    candidates = pd.DataFrame(rows, columns=["request_id", "user_id", "item_id"])
    candidates["score"] = rng.normal(size=len(candidates)).round(6)
    candidates["liked"] = (rng.random(len(candidates)) < 0.3).astype(int)
    candidates.to_csv(tmp_path / "candidates.csv", index=False)
    monkeypatch.chdir(tmp_path)
    run(["."], tmp_path / "audit.toml")
    written = tomllib.loads((tmp_path / "audit.toml").read_text())
    assert written["inputs"]["candidates"]["columns"]["list_id"] == "request_id"
    result = plan.run(tmp_path / "audit.toml")
    gap = next(one for one in result.findings if one.measure == "uf")
    assert 300 < gap.details["search"]["lists_scored"] <= 600
