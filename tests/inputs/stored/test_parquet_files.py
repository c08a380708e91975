"""Ranges of ids come from Parquet footers, and only from footers that say all."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from evenhand.errors import InputError
from evenhand.inputs import join_attribute, table

FIRST = pa.table({"name": ["a", "b", "c"], "user_id": [7, 3, 5], "score": [0.5, 1.5, 2.5]})
SECOND = pa.table({"name": ["d"], "user_id": [-2], "score": [0.0]})


@pytest.fixture
def paths(tmp_path):
    for name, rows in (("first", FIRST), ("second", SECOND)):
        pq.write_table(rows, tmp_path / f"{name}.parquet", row_group_size=2)
    return tmp_path


def test_the_range_is_over_all_row_groups_and_files(paths):
    assert table(paths / "first.parquet").integer_range("user_id") == (3, 7)
    assert table(paths).integer_range("user_id") == (-2, 7)


def test_only_integers_have_one(paths):
    log = table(paths)
    assert [log.integer_range(column) for column in ("name", "score", "elsewhere")] == [None] * 3


def test_the_range_follows_a_column_that_was_renamed(paths):
    log = table(paths, columns={"viewer": "user_id"})
    assert log.integer_range("viewer") == (-2, 7)


def test_a_joined_column_has_none_even_if_the_file_had_one_of_its_name(paths):
    log = table(paths, columns={"viewer": "user_id"})
    owners = pd.DataFrame({"name": list("abcd"), "user_id": [2**40] * 4})
    assert join_attribute(log, owners, ["name"], "user_id").integer_range("user_id") is None


@pytest.mark.parametrize("kind", ["without statistics", "a row group of nulls", "no rows"])
def test_a_footer_that_does_not_say_gives_none(kind, tmp_path):
    rows = {
        "without statistics": FIRST,
        "a row group of nulls": pa.table({"user_id": pa.array([1, 2, None, None])}),
        "no rows": FIRST.slice(0, 0),
    }[kind]
    pq.write_table(
        rows, tmp_path / "log.parquet", row_group_size=2, write_statistics=kind != "without statistics"
    )
    assert table(tmp_path / "log.parquet").integer_range("user_id") is None


def test_a_nested_column_gives_none(tmp_path):
    rows = pa.table({"place": [{"x": 1, "y": 2}], "user_id": [9]})
    pq.write_table(rows, tmp_path / "log.parquet")
    assert table(tmp_path / "log.parquet").integer_range("user_id") is None


def test_frames_and_text_have_none(tmp_path):
    frame = pd.DataFrame({"user_id": [1, 2]})
    frame.to_csv(tmp_path / "log.csv", index=False)
    assert table(frame).integer_range("user_id") is None
    assert table(tmp_path / "log.csv").integer_range("user_id") is None


def test_unsigned_ids_beyond_the_signed_range(tmp_path):
    pq.write_table(pa.table({"user_id": np.array([1, 2**64 - 1], np.uint64)}), tmp_path / "log.parquet")
    assert table(tmp_path / "log.parquet").integer_range("user_id") == (1, 2**64 - 1)


def test_integers_beside_a_null_stay_integers():
    log = table(pa.table({"group": pa.array([1, 2, None])}))
    counted = log.run(log.expr.group_by("group").aggregate(n=log.expr.count()))
    assert {str(value) for value in counted["group"]} == {"1", "2", "None"}


def test_a_file_that_was_written_again_is_read_again(tmp_path):
    path = tmp_path / "log.parquet"
    for last in (5, 6):
        pq.write_table(pa.table({"user_id": [1, last]}), path)
        log = table(path)
        assert log.run(log.expr.aggregate(last=log.expr.user_id.max()))["last"][0] == last


@pytest.mark.parametrize("content", [b"", b"PAR1", None])
def test_a_file_that_is_being_written_again_is_said_to_be(paths, content):
    """Between the opening of a table and the question for its range."""
    path = paths / "first.parquet"
    log = table(path)
    path.write_bytes(content) if content is not None else pq.write_table(pa.table({"other": [1]}), path)
    with pytest.raises(InputError, match=r"first\.parquet cannot be read again, as it was changed"):
        log.integer_range("user_id")


def test_a_name_with_a_quote_is_a_name(tmp_path):
    pq.write_table(FIRST, tmp_path / "o'clock.parquet")
    assert table(tmp_path / "o'clock.parquet").columns == ("name", "user_id", "score")
