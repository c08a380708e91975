"""A CSV file is read as the same table that Parquet holds: no value becomes another on the way."""

import gzip

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import evenhand as eh
from evenhand.errors import InputError
from evenhand.inputs import table

MANY = 30_000  # more than the rows that an engine takes for a sample


def _column(source, name="x") -> list:
    opened = table(source)
    return opened.run(opened.expr.select(name))[name].tolist()


def _csv(path, values, name="x"):
    path.write_text("\n".join(["n," + name, *(f"{i},{value}" for i, value in enumerate(values))]) + "\n")
    return path


@pytest.mark.parametrize(
    ("first", "last", "read"),
    [
        ("1", "0.5", (1.0, 0.5)),
        ("1", "1e-3", (1.0, 0.001)),
        ("1", "007", ("1", "007")),
        ("1", "A7", ("1", "A7")),
        ("1", "0,5", ("1", "0,5")),
        ("1", "1,000", ("1", "1,000")),
        ("1", "NA", ("1", "NA")),
        ("1", "18446744073709551615", (1, 18446744073709551615)),
        ("1", "18446744073709551616", ("1", "18446744073709551616")),
        ("0.5", "9007199254740993", ("0.5", "9007199254740993")),
        ("0.5", "-3", (0.5, -3.0)),
        ("true", "maybe", ("true", "maybe")),
        ("F", "M", ("F", "M")),
        ("no", "yes", ("no", "yes")),
        ("2024-01-02", "soon", ("2024-01-02", "soon")),
        ("01/02/2024", "13/02/2024", ("01/02/2024", "13/02/2024")),
        ("10:30", "11:30", ("10:30", "11:30")),
    ],
)
def test_the_last_row_counts_as_much_as_the_first(first, last, read, tmp_path):
    quoted = f'"{last}"' if "," in last else last
    found = _column(_csv(tmp_path / "x.csv", [first] * MANY + [quoted]))
    assert (found[0], found[-1]) == read
    assert [type(value) for value in (found[0], found[-1])] == [type(value) for value in read]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (["9007199254740993", "", "9007199254740992"], [9007199254740993, None, 9007199254740992]),
        (["007", "7"], ["007", "7"]),
        (['"5"', '"6"'], [5, 6]),
        ([" 5", "6 "], [5, 6]),
        (["+5", "6"], [5.0, 6.0]),
        (["None", "nan"], ["None", "nan"]),
        (["nan", "nan"], ["nan", "nan"]),
        (["true", "False"], [True, False]),
        (["t", "f"], ["t", "f"]),
        (["-0.5", "-1e5"], [-0.5, -1e5]),
        ([".5", "1."], [0.5, 1.0]),
        (["-3", "-4"], [-3, -4]),
        (["1.10", "1.1"], [1.1, 1.1]),
        (["", ""], [None, None]),
    ],
)
def test_values_are_read_as_they_are_written(written, read, tmp_path):
    assert _column(_csv(tmp_path / "x.csv", written)) == read


def test_times_are_read_only_as_they_are_written_everywhere(tmp_path):
    days, times = _csv(tmp_path / "d.csv", ["2024-01-02"]), _csv(tmp_path / "t.csv", ["2024-01-02T10:00:00"])
    zoned = _csv(tmp_path / "z.csv", ["2024-01-02 10:00:00+02:00", "2024-01-02T10:00:00Z"])
    assert [str(table(path).expr.x.type()).split("(")[0] for path in (days, times, zoned)] == [
        "date", "timestamp", "timestamp",
    ]  # fmt: skip
    assert table(zoned).expr.x.type().timezone is not None
    assert table(times).expr.x.type().timezone is None


def test_files_of_one_glob_agree_on_order_and_type(tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n1,a\n2,b\n")
    (tmp_path / "b.csv").write_text("y,x\nc,0.5\n")
    (tmp_path / "c.csv").write_text(",y,x\n0,7,3\n")
    assert sorted(_column(tmp_path / "*.csv")) == [0.5, 1, 2, 3]
    assert sorted(_column(tmp_path / "*.csv", "y")) == ["7", "a", "b", "c"]


def test_the_row_numbers_that_pandas_writes_are_no_column(tmp_path):
    frame = pd.DataFrame({"user_id": [7, 8], "x": [0.5, 1.5]})
    frame.to_csv(tmp_path / "x.csv")
    assert table(tmp_path / "x.csv").columns == ("user_id", "x")
    assert _column(tmp_path / "x.csv") == [0.5, 1.5]
    (tmp_path / "y.csv").write_text("user_id,,x\n1,2,3\n")
    with pytest.raises(InputError, match=r"log: column 2 of y\.csv has no name"):
        table(tmp_path / "y.csv", name="log")


def test_the_same_log_gives_the_same_findings_from_every_source(tmp_path):
    """Labels are whole numbers, ids of 19 digits, and weights turn into fractions at the end."""
    n = 25_000
    frame = pd.DataFrame(
        {
            "user_id": [2**62 + i // 5 for i in range(n)],
            "liked": [int(i % 3 == 0) for i in range(n)],
            "group": [f"0{i % 2}" for i in range(n)],
            "p": [1.0] * (n - 2_000) + [0.25] * 2_000,
        }
    )
    frame.to_csv(tmp_path / "r.csv")
    with gzip.open(tmp_path / "z.csv.gz", "wt") as file:
        frame.to_csv(file, index=False)
    frame.to_parquet(tmp_path / "r.parquet")
    sources = [
        tmp_path / "r.csv", tmp_path / "z.csv.gz", tmp_path / "r.parquet", frame, pl.from_pandas(frame),
        pa.Table.from_pandas(frame),
    ]  # fmt: skip
    default = frame.iloc[::2].assign(liked=lambda t: t["liked"] * (t["group"] == "00"))
    found = [
        eh.opportunity.audit(
            default, source, label="liked", group="group", cluster="user_id", probability="p"
        ).findings
        for source in sources
    ]
    assert all(findings == found[2] for findings in found)


def test_parquet_files_of_one_table_have_one_kind_of_value_a_column(tmp_path):
    pq.write_table(pa.table({"x": pa.array([1], pa.int64())}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"x": ["1"]}), tmp_path / "b.parquet")
    with pytest.raises(
        InputError, match=r"log: column 'x' is of type string in b\.parquet, but int64 in a\."
    ):
        table(tmp_path, name="log")
    pq.write_table(pa.table({"x": [0.5]}), tmp_path / "b.parquet")
    assert sorted(_column(tmp_path)) == [0.5, 1]
    pq.write_table(pa.table({"x": pa.array([2**53 + 1], pa.int64())}), tmp_path / "a.parquet")
    with pytest.raises(InputError, match=r"log: column 'x' holds whole numbers in some files and floats"):
        table(tmp_path, name="log")


@pytest.mark.parametrize("names", [("x", "x"), ("x", "X"), ("x", "y\0")])
def test_columns_that_cannot_be_told_apart_are_refused_everywhere(names, tmp_path):
    arrow = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=list(names))
    pq.write_table(arrow, tmp_path / "x.parquet")
    (tmp_path / "x.csv").write_text(f"{names[0]},{names[1]}\n1,2\n")
    frame = pd.DataFrame([[1, 2]], columns=list(names))
    for source in (tmp_path / "x.parquet", tmp_path / "x.csv", arrow, frame):
        with pytest.raises(InputError, match="log"):
            table(source, name="log")
