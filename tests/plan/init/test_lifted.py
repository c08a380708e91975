"""Labels that no name tells, and that users have more often where the system chose."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from evenhand.plan.init.proposing import propose, see
from evenhand.plan.init.tables.looking import look

LATER = pd.Timestamp("2026-02-01")
USERS, ITEMS, DEFAULT, RANDOM = 200, 60, 6000, 3000


def shown(seed: int = 0) -> pd.DataFrame:
    """Five rows a request; `how` says which rows were drawn. Whoever is shown what was chosen for them does
    `zq` twice as often, and `wv` in half of these; `xx` is less often so, and `kk` is as often."""
    rng = np.random.default_rng(seed)
    rows = DEFAULT + RANDOM
    request = np.arange(rows) // 5
    drawn = rng.random(request[-1] + 1)[request] < RANDOM / rows
    chances = rng.gamma(2, 1, ITEMS)
    item = np.where(drawn, rng.integers(0, ITEMS, rows), rng.choice(ITEMS, rows, p=chances / chances.sum()))
    did = rng.random(rows) < np.where(drawn, 0.25, 0.5)
    return pd.DataFrame(
        {
            "user_id": rng.integers(0, USERS, request[-1] + 1)[request],
            "item_id": item,
            "at": pd.Timestamp("2026-01-01") + pd.to_timedelta(request, unit="min"),
            "how": np.where(drawn, "uniform", "v3"),
            "zq": did.astype(int),
            "wv": (did & (rng.random(rows) < 0.5)).astype(int),
            "xx": (rng.random(rows) < np.where(drawn, 0.4, 0.2)).astype(int),
            "kk": (rng.random(rows) < 0.3).astype(int),
            "creator_gender": np.where(item % 2, "f", "m"),
        }
    )


def label_of(home, frame, **named):
    frame.to_parquet(home / "imp.parquet")
    seen = see(look([home]), named=named)
    (table,) = seen.tables()
    marks = [mark for mark in propose(seen).marks if mark.startswith("Label of")]
    return table, marks


@pytest.mark.parametrize(
    ("values", "rule"),
    [
        (lambda one: one, {}),
        (lambda one: one.astype(bool), {}),
        (lambda one: np.where(one == 1, "Y", "N"), {"among": ["Y"]}),
        (lambda one: np.where(one == 1, "trello", "nix"), {"among": ["trello"]}),
        (lambda one: LATER + pd.to_timedelta(one.where(one == 1) * one.index, unit="min"), {"known": True}),
        (lambda one: one * (1 + one.index % 3), {"at_least": 1}),
        (
            lambda one: (one * 3 + 1 + one.index // 3 % 2).where(one.index % 3 == 0),
            {"at_least": 4, "empty": False},
        ),
    ],
)  # fmt: skip
def test_what_is_more_frequent_where_the_system_chose_is_taken_and_said(tmp_path, values, rule):
    frame = shown().drop(columns=["wv"])
    frame["zq"] = values(frame.zq)
    table, (mark,) = label_of(tmp_path, frame)
    assert (table.role, table.chosen_label.column, table.chosen_label.rule) == ("log", "zq", rule)
    assert "times as often in rows that the system chose as in random rows; nothing else says so" in mark
    assert "Chosen by init: check it" in mark
    assert not {"xx", "kk"} & {one.column for one in table.labels if one.strength >= 2}


def test_of_several_the_most_frequent_is_taken_and_the_others_are_as_plausible(tmp_path):
    table, (mark,) = label_of(tmp_path, shown())
    assert table.chosen_label.column == "zq"
    assert "As plausible: wv; only you know" in mark


@pytest.mark.parametrize("name", ["clicked", "wishlisted", "guardada"])
def test_a_name_that_says_it_plainly_wins(tmp_path, name):
    table, _ = label_of(tmp_path, shown().rename(columns={"kk": name}))
    assert table.chosen_label.column == name


@pytest.mark.parametrize("name", ["dvc", "channel", "arm", "served_by", "is_hidden", "gndr", "bounced"])
def test_names_of_something_else_are_not_taken(tmp_path, name):
    frame = shown().drop(columns=["wv"]).rename(columns={"zq": name})
    table, marks = label_of(tmp_path, frame)
    assert not marks
    assert table.chosen_label is None


def test_what_is_the_same_in_a_request_or_for_a_user_or_item_is_of_no_visit(tmp_path):
    frame = shown().drop(columns=["wv", "zq"])
    rng = np.random.default_rng(5)
    chosen = (frame["how"] == "v3").to_numpy()
    request = (frame["at"].astype("int64").rank(method="dense") - 1).astype(int)
    frame["rq"] = ((rng.random(request.max() + 1)[request]) < np.where(chosen, 0.6, 0.3)).astype(int)
    frame["io"] = (frame.item_id < 30).astype(int)
    table, _ = label_of(tmp_path, frame)
    assert table.chosen_label is None


def test_of_words_those_that_say_shown_or_opened_only_do_not_count_where_others_do(tmp_path):
    frame = shown()
    words = np.where(frame.wv == 1, "boo", np.where(frame.zq == 1, "far", "opened"))
    frame["ow"] = np.where((frame.zq == 0) & (frame.kk == 1), "zip", words)
    table, (mark,) = label_of(tmp_path, frame.drop(columns=["wv", "zq"]))
    assert set(table.chosen_label.rule["among"]) == {"boo", "far"}
    assert "nothing else says so" in mark


def test_what_random_rows_never_have_is_what_the_ranker_wrote(tmp_path):
    frame = shown().drop(columns=["wv", "zq"])
    frame["mk"] = np.where(frame["how"] == "v3", frame.index % 2, 0)
    frame["vs"] = np.where(frame["how"] == "v3", np.where(frame.index % 2, "7a", "7b"), "7c")
    table, _ = label_of(tmp_path, frame)
    assert table.chosen_label is None


def test_random_rows_in_a_file_of_their_own_tell_it_too(tmp_path):
    frame = shown().drop(columns=["wv"])
    for how, name in (("v3", "main"), ("uniform", "random_rows")):
        frame[frame["how"] == how].drop(columns="how").to_parquet(tmp_path / f"{name}.parquet")
    seen = see(look([tmp_path]))
    (mark,) = [one for one in propose(seen).marks if one.startswith("Label of")]
    assert "Label of main and random_rows: zq is 1" in mark
    assert "times as often in rows that the system chose" in mark


def test_the_id_of_an_impression_does_not_hide_it(tmp_path):
    """Each row has one of its own, and so one value of everything."""
    frame = shown().drop(columns=["wv"])
    table, _ = label_of(tmp_path, frame.assign(impression_id=[f"i{row}" for row in range(len(frame))]))
    assert table.chosen_label.column == "zq"


def test_without_random_rows_nothing_is_taken(tmp_path):
    frame = shown()
    table, marks = label_of(tmp_path, frame[frame["how"] == "v3"].drop(columns="how"))
    assert table.chosen_label is None
    assert not marks


def test_what_somebody_names_is_the_label(tmp_path):
    table, _ = label_of(tmp_path, shown(), label=["kk"])
    assert table.chosen_label.column == "kk"
