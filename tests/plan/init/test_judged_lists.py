"""Candidates whose outcome no name tells."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from evenhand.plan.init.labelling.judged_lists import alike, score_tells
from evenhand.plan.init.labelling.labels import Label
from evenhand.plan.init.proposing import propose, see
from evenhand.plan.init.tables.looking import look
from evenhand.plan.init.tables.opening import opened
from evenhand.plan.init.tables.profiling import profile
from plan.init.test_lifted import shown


def candidates(home, gap: float = 1.0, name: str = "oo", words: bool = True):
    rng = np.random.default_rng(1)
    so = rng.random(4000) < 0.3
    frame = pd.DataFrame({"user_id": np.repeat(np.arange(200), 20), "item_id": np.tile(np.arange(20), 200)})
    frame["score"] = rng.normal(size=4000) + gap * so
    frame[name] = np.where(so, "Y", "N") if words else so.astype(int)
    frame["zz"] = (rng.random(4000) < 0.5).astype(int)
    frame.to_parquet(home / "cand.parquet")


@pytest.mark.parametrize("words", [True, False])
def test_an_outcome_that_rises_with_the_score_belongs_to_it(tmp_path, words):
    candidates(tmp_path, words=words)
    seen = see(look([tmp_path]))
    (table,) = seen.tables()
    assert (table.role, table.chosen_label.column) == ("candidates", "oo")
    assert "score tells it apart (AUC 0.7" in table.chosen_label.why
    assert [one.column for one in table.labels if one.strength >= 2] == ["oo"]


def test_one_that_does_not_is_listed_and_not_taken(tmp_path):
    candidates(tmp_path, gap=0.1)
    seen = see(look([tmp_path]))
    (table,) = seen.tables()
    assert table.role == "scores"
    assert any("oo (two words, but its name says nothing" in one for one in propose(seen).first)


def test_one_that_is_called_like_the_label_of_the_log_is_that(tmp_path):
    candidates(tmp_path, gap=0.1, name="is_zqwert")
    log = shown().drop(columns=["wv"]).rename(columns={"zq": "zqwerten"})
    log.to_parquet(tmp_path / "imp.parquet")
    found = {one.name: one for one in see(look([tmp_path])).tables()}
    assert found["imp"].chosen_label.column == "zqwerten"
    assert found["cand"].chosen_label.column == "is_zqwert"
    assert "called like zqwerten of the log" in found["cand"].chosen_label.why


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [("suka", "disukai", True), ("t_appl", "appl_flg", True), ("lk", "lk", True), ("is_ad", "ad_x", False),
     ("clicked", "bought", False)],
)  # fmt: skip
def test_names_that_are_alike(one, other, same):
    assert alike(one, other) is same


def test_the_area_is_counted_by_places_and_equal_scores_share_them(tmp_path):
    pairs = pd.DataFrame({"score": [1.0, 2.0, 2.0, 3.0, 4.0], "oo": [0, 0, 1, 0, 1]})
    pairs.to_parquet(tmp_path / "x.parquet")
    seen = profile(opened(look([tmp_path]).tables[0], tmp_path))
    # Of 6 pairs, 4 are in order and 1 is equal.
    assert score_tells(seen, "score", Label("oo", 0, "")) == pytest.approx(4.5 / 6)
