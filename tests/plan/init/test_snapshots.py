"""Tables that every day has anew are one table of the last day; logs of days are all of their rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from evenhand.plan.init.tables.looking import look
from evenhand.plan.init.tables.snapshots import latest

DAYS = ("2024-06-03", "2024-06-04", "2024-06-05")
RNG = np.random.default_rng(0)


def _looked(home, frame_of):
    for number, day in enumerate(DAYS):
        path = home / "data" / day / "t.parquet"
        path.parent.mkdir(parents=True)
        frame_of(number).to_parquet(path)
    looked = look([home / "data"])
    latest(looked)
    return looked


def _users(number):
    return pd.DataFrame(
        {"user_id": range(100 + number), "gender": np.resize(["F", "M", None], 100 + number),
         "stored": pd.Timestamp(DAYS[number])}
    )  # fmt: skip


def test_snapshots_are_the_last_one(tmp_path):
    looked = _looked(tmp_path, _users)
    (files,) = looked.tables
    assert files.paths == (tmp_path / "data" / DAYS[2] / "t.parquet",)
    assert files.pattern is None
    assert "3 folders have anew" in looked.notes[0]


@pytest.mark.parametrize(
    "frame_of",
    [
        # One message a user a day: the users are the same, what they got is not.
        lambda number: pd.DataFrame({"user_id": range(100), "item_id": RNG.integers(0, 50, 100), "liked": 0}),
        # Rows that are numbered anew in each file.
        lambda number: pd.DataFrame({"row": range(100), "user_id": RNG.integers(0, 50, 100), "liked": 0}),
        # Keys of their own each day.
        lambda number: pd.DataFrame({"user_id": range(number * 100, number * 100 + 100), "gender": "F"}),
        lambda number: pd.DataFrame({"user_id": RNG.integers(0, 9, 100), "liked": RNG.integers(0, 2, 100)}),
        lambda number: pd.DataFrame({"user_id": [None] * 5, "liked": [1] * 5}),
    ],
)
def test_logs_of_days_stay_whole(frame_of, tmp_path):
    looked = _looked(tmp_path, frame_of)
    (files,) = looked.tables
    assert (len(files.paths), looked.notes) == (3, [])
