"""Candidates with several lists a user: the plan names the column that tells lists apart."""

import tomllib

import numpy as np
import pandas as pd

from evenhand import plan
from evenhand.plan.init.command import run
from evenhand.plan.init.proposing import propose, see
from evenhand.plan.init.tables.looking import look


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


def test_lists_are_told_by_what_tells_pairs_apart_whatever_it_is_called(tmp_path):
    """Baskets that were scored for a day: dated, with places, and the same pair in several of them."""
    baskets = np.repeat(np.arange(300), 8)
    users = baskets * 7 % 60
    rng = np.random.default_rng(5)
    items = np.concatenate([rng.choice(40, 8, replace=False) for _ in range(300)])
    scored = pd.DataFrame(
        {"bsk_zz": 9_000 + baskets, "day": "2026-03-01", "user_id": users, "item_id": items}
    )
    scored["day"] = np.where(baskets % 2, "2026-03-01", "2026-03-02")
    scored = scored.assign(rank=np.tile(np.arange(1, 9), 300), score=rng.random(2400))
    scored.assign(bought=(rng.random(2400) < scored.score / 3).astype(int)).to_parquet(
        tmp_path / "scored_candidates.parquet"
    )
    pd.DataFrame({"user_id": np.arange(60), "gender": np.array(["F", "M"])[np.arange(60) % 2]}).to_csv(
        tmp_path / "users.csv", index=False
    )
    draft = propose(see(look([tmp_path])))
    (step,) = (one for one in draft.steps if one.keys["audit"] == "groups")
    assert draft.inputs[step.keys["candidates"]].columns["list_id"] == "bsk_zz"
    assert any("as it is called so, although its rows have a time" in mark for mark in draft.marks)
