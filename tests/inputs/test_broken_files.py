"""A broken row is never repaired: it stops the audit, with the file and the line, wherever it is."""

import gzip

import ibis
import numpy as np
import pandas as pd
import pytest

from evenhand.errors import InputError
from evenhand.inputs import problem_counts, table

ROWS = 60_000  # well below the 20,480 rows that DuckDB looks at to find the types

BREAKS = {
    "fewer": ("5,1", "has 2 fields where the header has 3"),
    "more": ("5,1,2,3", "has 4 fields where the header has 3"),
    "quote": ('5,"1,2.0', "quote that is never closed"),
}


def _write(path, broken: dict[int, str], rows: int = ROWS):
    lines = ["user_id,liked,score", *(f"{i},{i % 2},{i / 2}" for i in range(rows))]
    for line, text in broken.items():
        lines[line - 1] = text
    content = ("\n".join(lines) + "\n").encode()
    path.write_bytes(gzip.compress(content, 1) if path.suffix == ".gz" else content)
    return path


def _count(path) -> pd.DataFrame:
    log = table(path, name="default log")
    return log.run(log.expr.aggregate(rows=log.expr.count(), liked=log.expr.liked.sum()))


@pytest.mark.parametrize("line", [2, 3, 50_000, ROWS + 1])
@pytest.mark.parametrize("kind", BREAKS)
def test_a_broken_row_names_file_and_line(kind, line, tmp_path):
    text, reason = BREAKS[kind]
    with pytest.raises(InputError) as error:
        _count(_write(tmp_path / "log.csv", {line: text}))
    message = str(error.value)
    assert message.startswith(f"default log: line {line} of log.csv ")
    assert reason in message
    assert str(tmp_path) not in message
    assert "\n" not in message


def test_a_broken_row_in_a_compressed_file_is_found_too(tmp_path):
    with pytest.raises(InputError, match=r"line 50000 of log\.csv\.gz has 2 fields"):
        _count(_write(tmp_path / "log.csv.gz", {50_000: "5,1"}))


def test_the_broken_file_of_several_is_named(tmp_path):
    _write(tmp_path / "a.csv", {}, rows=10)
    _write(tmp_path / "b.csv", {4: "5,1"}, rows=10)
    with pytest.raises(InputError, match=r"line 4 of b\.csv has 2 fields"):
        _count(tmp_path / "*.csv")


def test_one_word_far_below_whole_numbers_is_named(tmp_path):
    log = table(_write(tmp_path / "log.csv", {50_000: "5,maybe,2.0"}), name="default log")
    with pytest.raises(
        InputError, match=r"'liked' is of type string.* 1 of 60,000 values are no numbers.*'maybe'"
    ):
        problem_counts(log, labels=["liked"])


def test_a_whole_file_is_read_whole(tmp_path):
    assert _count(_write(tmp_path / "log.csv", {})).iloc[0].to_dict() == {"rows": ROWS, "liked": ROWS // 2}


def test_text_that_is_not_utf8(tmp_path):
    lines = [b"user_id,name", *(f"{i},somebody".encode() for i in range(ROWS))]
    lines[49_999] = b"5,Ren\xe9"
    (tmp_path / "users.csv").write_bytes(b"\n".join(lines) + b"\n")
    users = table(tmp_path / "users.csv", name="users")
    with pytest.raises(InputError, match=r"users: line 50000 of users\.csv is not UTF-8"):
        users.run(users.expr.aggregate(longest=users.expr.name.length().max()))


def test_damaged_parquet_pages_are_reported_when_they_are_read(tmp_path):
    path = tmp_path / "log.parquet"
    values = np.random.default_rng(0).integers(0, 1 << 40, 20_000)
    pd.DataFrame({"user_id": values, "liked": values % 2}).to_parquet(path, compression="zstd")
    content = bytearray(path.read_bytes())
    content[4:4000] = bytes(3996)  # the footer stays whole, so that opening succeeds
    path.write_bytes(content)
    log = table(path, name="default log")
    with pytest.raises(InputError, match=r"default log: log\.parquet cannot be read to its end") as error:
        log.run(log.expr.aggregate(total=log.expr.user_id.sum()))
    assert str(tmp_path) not in str(error.value)


def test_a_file_that_goes_away_is_reported(tmp_path):
    pd.DataFrame({"user_id": [1], "liked": [0]}).to_parquet(tmp_path / "log.parquet")
    log = table(tmp_path / "log.parquet", name="default log")
    (tmp_path / "log.parquet").unlink()
    with pytest.raises(InputError, match=r"default log: log\.parquet cannot be read"):
        log.run(log.expr.aggregate(rows=log.expr.count()))


def test_a_query_that_does_not_fit_in_memory_says_so(tmp_path):
    pd.DataFrame({"user_id": np.arange(2_000_000)}).to_parquet(tmp_path / "log.parquet")
    small = ibis.duckdb.connect(memory_limit="40MB", temp_directory="", threads=1)
    log = table(tmp_path / "log.parquet", name="default log", engine=small)
    everyone = log.expr.group_by(name=log.expr.user_id.cast("string") + "-a-name-of-some-length").aggregate(
        n=log.expr.count()
    )
    with pytest.raises(InputError, match=r"default log: the query does not fit in memory; .*spark"):
        log.run(everyone.aggregate(most=everyone.n.max()))
