"""Several steps of one audit in one plan: what they find can be told apart."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import evenhand as eh
from evenhand.plan.model import parse


@pytest.fixture
def logs(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    for name in ("default", "random"):
        table = pd.DataFrame({"creator_age": rng.choice(["young", "old"], 4_000)})
        table["liked"], table["shared"] = rng.random(4_000) < 0.3, rng.random(4_000) < 0.1
        table.to_parquet(tmp_path / f"{name}.parquet")
    monkeypatch.chdir(tmp_path)


def ran(*steps):
    inputs = {name: {"path": f"{name}.parquet"} for name in ("default", "random")}
    asked = {"audit": "opportunity", "default": "default", "random": "random", "group": "creator_age"}
    return eh.plan.run(
        parse({"inputs": inputs, "audits": [asked | step for step in steps]}, "plan"), base="."
    )


def test_two_labels_have_ids_of_their_own_in_any_order(logs):
    liked, shared = {"label": "liked"}, {"label": "shared"}
    one, other = ran(liked, shared), ran(shared, liked)
    assert {f.id: f.estimate for f in one.findings} == {f.id: f.estimate for f in other.findings}
    assert not [f.id for f in one.findings if "~" in f.id]
    assert one.find("reo_penalty", label="liked").estimate != one.find("reo_penalty", label="shared").estimate
    assert "label" not in ran(liked).findings[0].about


def test_two_families_hold_each_by_itself(logs):
    (answer,) = ran({"label": "liked"}, {"label": "shared"}).questions
    assert len(answer.headline) == 2
    assert answer.level == pytest.approx(0.9)
