"""A log that has random rows among others, under a name that nobody knows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from evenhand.errors import InputError
from evenhand.plan.init.proposing import propose, see
from evenhand.plan.init.tables.looking import look
from plan.init.folders import log

NAMES = {"user": "user_id", "item": "item_id", "maker": "creator_gender"}


def written(home, even=True, values=(False, True), **more):
    """30,000 rows, of which 3,000 are marked with the second value, drawn evenly or like the others."""
    others = log(27_000, 1)
    marked = log(3_000, 2, uniform=True) if even else others.sample(3_000, random_state=1, replace=True)
    frame = pd.concat([others.assign(qwm=values[0]), marked.assign(qwm=values[1])])
    frame.assign(**more).rename(columns=NAMES).to_parquet(home / "shown.parquet", index=False)


@pytest.mark.parametrize("values", [(False, True), (0, 1), ("x", "y")])
def test_rows_that_come_evenly_are_random_traffic_and_marked(tmp_path, values):
    written(tmp_path, values=values)
    draft = propose(see(look([tmp_path])))
    assert [step.keys["audit"] for step in draft.steps][:1] == ["opportunity"]
    assert draft.inputs["random"].where == {"qwm": values[1]}
    assert draft.inputs["default"].where["qwm"] in (values[0], {"not": values[1]})
    (said,) = [mark for mark in draft.marks if "look randomly drawn" in mark]
    assert f"whose qwm is {values[1]}" in said
    assert not any("qwm" in mark for mark in draft.marks if mark.startswith("Label"))


def test_rows_that_come_like_the_others_are_not(tmp_path):
    written(tmp_path, even=False)
    assert see(look([tmp_path])).found.traffic.random is None


def test_a_column_of_items_is_none_although_its_items_come_evenly(tmp_path):
    frame = pd.concat([log(27_000, 1), log(20_000, 2, uniform=True).query("item < 30")])
    frame = frame[(frame.item >= 30) | (frame.index < 20_000)]
    frame["vanha"] = frame.item < 30
    frame.rename(columns=NAMES).to_parquet(tmp_path / "shown.parquet", index=False)
    assert see(look([tmp_path])).found.traffic.random is None


def test_they_are_found_where_many_items_are_in_none_of_them(tmp_path):
    """As in a sample of a log in many files: of 2,500 items, 3,500 random rows miss one in four."""
    rng = np.random.default_rng(4)
    chances = rng.gamma(2, 1, 2500)
    chosen = rng.choice(2500, 60_000, p=chances / chances.sum())
    drawn = rng.integers(0, 2500, 3500)
    few = rng.choice(2500, 3500, p=chances / chances.sum())
    for marked, found in ((drawn, {"qwm": 9}), (few, None)):
        item = np.concatenate([chosen, marked])
        frame = pd.DataFrame({"user_id": np.arange(len(item)) % 900, "item_id": item, "liked": item % 3 == 0})
        frame["qwm"] = np.repeat([2, 9], [len(chosen), len(marked)])
        frame.to_parquet(tmp_path / "shown.parquet", index=False)
        random = see(look([tmp_path])).found.traffic.random
        assert (random and random.where) == found


def test_somebody_may_name_the_column(tmp_path):
    """Which then need not be even: they know."""
    written(tmp_path, even=False)
    seen = see(look([tmp_path]), named={"random": ["qwm"]})
    assert seen.found.traffic.random.where == {"qwm": True}
    assert seen.found.traffic.default.where == {"qwm": False}
    assert any("named by you" in mark for mark in propose(seen).marks)


def test_a_column_whose_values_say_nothing_is_refused(tmp_path):
    written(tmp_path, even=False, xyl=np.resize(["a", "b", "c"], 30_000))
    with pytest.raises(InputError, match=r"nothing says which of its values do: a \(10,000\)"):
        see(look([tmp_path]), named={"random": ["xyl"]})


def test_a_random_log_is_found_beside_a_third_table_that_is_even_too(tmp_path):
    """Of what was drawn for a survey, whose answers are another label."""
    log(6000, 1).rename(columns=NAMES).to_parquet(tmp_path / "exibicoes.parquet", index=False)
    log(4000, 2, uniform=True).rename(columns=NAMES).to_parquet(tmp_path / "amostra.parquet", index=False)
    survey = log(5000, 3, uniform=True).rename(columns={**NAMES, "liked": "purchased"})
    survey.to_parquet(tmp_path / "inquerito.parquet", index=False)
    draft = propose(see(look([tmp_path])))
    assert draft.inputs["random"].files.name == "amostra"
    assert any(
        "Random traffic is taken to be amostra, because items come evenly" in one for one in draft.marks
    )


@pytest.mark.parametrize("values", [(1, 2, 9), ("a", "b", "c")])
def test_one_of_a_few_rankers_whose_items_come_evenly_is_random_traffic(tmp_path, values):
    """A ranker, a fallback to bestsellers, and a third that draws."""
    rng = np.random.default_rng(2)
    frame = pd.concat([log(20_000, 1), log(8_000, 4), log(5_000, 2, uniform=True)], ignore_index=True)
    frame["srv"] = np.repeat(np.array(values), [20_000, 8_000, 5_000])
    frame["hub"] = np.array(["x", "y", "z"])[rng.integers(0, 3, len(frame))]
    frame.rename(columns=NAMES).to_parquet(tmp_path / "shown.parquet", index=False)
    traffic = see(look([tmp_path])).found.traffic
    assert traffic.random.where == {"srv": values[2]}
    assert traffic.default.where == {"srv": {"not": values[2]}}
    assert any("look randomly drawn" in mark for mark in traffic.marks)


def test_lottery_is_a_word_for_random_and_no_category_of_items(tmp_path):
    frame = log(9000, 1)
    frame["motore"] = np.where(frame.index < 6000, "cucina", "sorteggio")
    frame["genere"] = np.where(frame.item % 2 == 0, "carte", "dadi")
    frame["kind"] = np.where(frame.item % 3 == 0, "dice", "cards")
    frame.rename(columns=NAMES).to_parquet(tmp_path / "shown.parquet", index=False)
    assert see(look([tmp_path])).found.traffic.random.where == {"motore": "sorteggio"}


def test_of_many_small_files_all_are_read_as_few_hold_too_few_random_rows(tmp_path):
    """Files of single hours: of a few of them alone nobody could say that items come evenly."""
    rng = np.random.default_rng(5)
    chances = rng.gamma(1, 1, 900)
    for hour in range(60):
        item = np.concatenate([rng.choice(900, 300, p=chances / chances.sum()), rng.integers(0, 900, 50)])
        frame = pd.DataFrame({"user_id": rng.integers(0, 500, 350), "item_id": item, "liked": item % 3 == 0})
        frame["srv"] = np.repeat([1, 2, 9], [200, 100, 50])
        frame.to_parquet(tmp_path / f"imp_{hour:03}.parquet", index=False)
    seen = see(look([tmp_path]))
    assert seen.found.traffic.random.where == {"srv": 9}
    assert [one.profile.rows for one in seen.tables()] == [60 * 350]
