"""A data set from its folder or file, whichever it is."""

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from evenhand.datasets import World, load
from evenhand.errors import InputError


@pytest.fixture
def rows() -> pd.DataFrame:
    return pd.DataFrame(
        {"user_id": ["b", "a", "b"], "item_id": [7, 7, 8], "rating": [1, 5, 3], "timestamp": [10, 11, 12]}
    )


@pytest.mark.parametrize("name", ["log.parquet", "log.csv"])
def test_one_file(tmp_path: Path, rows: pd.DataFrame, name: str) -> None:
    write = rows.to_parquet if name.endswith("parquet") else rows.to_csv
    write(tmp_path / name, index=False)
    data = load(tmp_path / name)
    pd.testing.assert_frame_equal(
        data.interactions, rows.astype({"rating": "float64", "timestamp": "Int64"}), check_dtype=True
    )
    assert data.users["user_id"].to_list() == ["a", "b"]
    assert data.items["item_id"].to_list() == [7, 8]


def test_pairs_alone_are_enough_and_other_columns_are_left_out(tmp_path: Path, rows: pd.DataFrame) -> None:
    rows[["user_id", "item_id"]].assign(city="x").to_parquet(tmp_path / "log.parquet")
    assert list(load(str(tmp_path / "log.parquet")).interactions) == ["user_id", "item_id"]


def test_dates_become_seconds_and_stay_empty(tmp_path: Path, rows: pd.DataFrame) -> None:
    rows["timestamp"] = pd.to_datetime(["1970-01-02 00:00:00", None, "2001-09-09 01:46:40"])
    rows.to_parquet(tmp_path / "log.parquet")
    assert load(tmp_path / "log.parquet").interactions["timestamp"].to_list() == [86400, pd.NA, 1_000_000_000]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (pd.to_datetime(["1970-01-01 00:00:01.5", None, "1970-01-01"], format="mixed"), [1.5, pd.NA, 0.0]),
        (pd.to_datetime(["2050-01-01", "1890-01-01", "1970-01-01"]), [2524608000, -2524521600, 0]),
        (np.array(["3000-01-01", "NaT", "1500-01-01"], "M8[us]"), [32503680000, pd.NA, -14831769600]),
        (pd.to_datetime([0, None, 86400], unit="s", utc=True).tz_convert("CET"), [0, pd.NA, 86400]),
        (pd.array([0, None, 10**6], dtype=pd.ArrowDtype(pa.timestamp("us", "UTC"))), [0, pd.NA, 1]),
        ([date(1970, 1, 2), None, date(3000, 1, 1)], [86400, pd.NA, 32503680000]),
        (np.array([1, 2, 3], dtype=np.uint64), [1, 2, 3]),
        (np.array([1, 2, 2**63], dtype=np.uint64), [1.0, 2.0, 2.0**63]),
        (pd.array([10**18 + 1, 1, 2]), [10**18 + 1, 1, 2]),
        ([1.0, None, 2.0], [1, pd.NA, 2]),
        ([1.25, None, 2.0], [1.25, pd.NA, 2.0]),
        ([None, None, None], [pd.NA] * 3),
    ],
)  # fmt: skip
def test_times_of_any_type(tmp_path: Path, rows: pd.DataFrame, given: Any, expected: list) -> None:
    rows.assign(timestamp=given).to_parquet(tmp_path / "log.parquet")
    found = load(tmp_path / "log.parquet").interactions["timestamp"]
    assert list(map(str, found)) == list(map(str, expected))  # 1 is not 1.0


def test_a_column_of_times_that_is_empty_in_a_csv_file(tmp_path: Path, rows: pd.DataFrame) -> None:
    rows.assign(timestamp=None).to_csv(tmp_path / "log.csv", index=False)
    assert load(tmp_path / "log.csv").interactions["timestamp"].isna().all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"user_id": [b"a", b"b", b"c"]}, "column 'user_id' is of type binary, but ids must be text or"),
        ({"user_id": [{"a": 1}, {"a": 2}, {"a": 3}]}, "column 'user_id' is of type struct"),
        ({"item_id": [True, False, True]}, "column 'item_id' is of type boolean, but ids must be text"),
        ({"timestamp": [1.0, np.inf, 2.0]}, "column 'timestamp' is not a finite number in 1 of 3 rows"),
        ({"timestamp": [True, False, True]}, "column 'timestamp' is of type boolean"),
        ({"user_id": ["a", None, "b"]}, "column 'user_id' is empty in 1 of 3 rows"),
        ({"user_id": ["b", "b", "b"]}, "1 key of user_id, item_id appears more than once"),
        ({"rating": [1.0, np.inf, 2.0]}, "column 'rating' is not finite in 1 of 3 rows"),
        ({"rating": ["good", "bad", "good"]}, "column 'rating' is of type string"),
        ({"timestamp": ["today", "now", "then"]}, "column 'timestamp' is of type string"),
    ],
)
def test_a_bad_file_is_refused(tmp_path: Path, rows: pd.DataFrame, change: dict, message: str) -> None:
    rows.assign(**change).to_parquet(tmp_path / "log.parquet")
    with pytest.raises(InputError, match=message):
        load(tmp_path / "log.parquet")


def test_a_file_without_ids_or_rows_is_refused(tmp_path: Path, rows: pd.DataFrame) -> None:
    rows.drop(columns="item_id").to_parquet(tmp_path / "log.parquet")
    with pytest.raises(InputError, match="no column 'item_id'"):
        load(tmp_path / "log.parquet")
    rows.iloc[:0].to_parquet(tmp_path / "log.parquet")
    with pytest.raises(InputError, match="there are no rows"):
        load(tmp_path / "log.parquet")


def test_a_saved_world(tmp_path: Path, small: World) -> None:
    data = load(small.save(tmp_path))
    log = small.default_log
    liked = log[log["liked"] == 1].drop_duplicates(["user_id", "item_id"])
    expected = liked[["user_id", "item_id"]].sort_values(["user_id", "item_id"], ignore_index=True)
    pd.testing.assert_frame_equal(data.interactions, expected, check_dtype=False)
    assert data.users.to_dict("list") == small.users.to_dict("list")
    assert data.items.to_dict("list") == small.items.to_dict("list")


def test_coat(data_folder: Callable[[str], Path]) -> None:
    data = load(data_folder("coat"))
    assert (len(data.interactions), len(data.users), len(data.items)) == (6960, 290, 300)
    assert data.interactions["rating"].dtype == "float64"


def test_what_was_looked_for_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none of these files is in it: u\.data .*train\.ascii"):
        load(tmp_path)
    with pytest.raises(InputError, match=r"no file or folder .*nowhere"):
        load(tmp_path / "nowhere")
