"""CSV files with semicolons: the same table as with commas, and no comma taken for what it may not be."""

import gzip
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evenhand.errors import InputError
from evenhand.inputs import file_header, table, unique_key

MANY = 30_000  # more than the rows that types are guessed from at first


def _column(source, name="x") -> list:
    opened = table(source, name="log")
    found = opened.run(opened.expr.select(name))[name].tolist()
    return [None if value != value else value for value in found]


def _csv(path, values, name="x", start="", end="\n", encoding="utf-8"):
    rows = [f"n;{name}", *(f"{place};{value}" for place, value in enumerate(values))]
    path.write_bytes((start + end.join(rows) + end).encode(encoding))
    return path


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (["12,5", "3"], [12.5, 3.0]),
        (["12,5", "", '""'], [12.5, None, None]),
        (["-0,5", "+1,5", "-3"], [-0.5, 1.5, -3.0]),
        (["1,5", "1e5", "2,5e-3"], [1.5, 1e5, 2.5e-3]),
        ([" 5,5", "6 "], [5.5, 6.0]),
        ([",5", "1,"], [0.5, 1.0]),
        (['"12,5"', "1,25"], [12.5, 1.25]),
        (["1,5", "nan"], [1.5, None]),
        (["0,123", "0,456"], [0.123, 0.456]),
        (["1,234", "1234,567"], [1.234, 1234.567]),
        (["1,234", "2,5"], [1.234, 2.5]),
        (["1.234,56", "12,5", "-3", "1.234.567,00"], [1234.56, 12.5, -3.0, 1234567.0]),
        (["1.234,567", "1,234"], [1234.567, 1.234]),
        (["1.5", "2.25"], [1.5, 2.25]),
        (["1", "2"], [1, 2]),
    ],
)
def test_numbers_with_decimal_commas(written, read, tmp_path):
    assert _column(_csv(tmp_path / "x.csv", written)) == read


@pytest.mark.parametrize(
    "written",
    [
        ["1.5", "2,5"],  # a point and a comma cannot both be decimal signs
        ["1.234,56", "1234,5"],  # thousands with and without points
        ["1.234,56", "1.234"],
        ["1.23,5", "1,5"],
        ["1,234.56", "1,5"],
        ["1,234", "1,234,567"],  # two commas: thousands, or a list
        ["12,5", "soon"],
        ["12,5 €", "3"],
        ["12,5", "007"],
        ["1234567890123456", "1,5"],  # more digits than a float tells apart
        ["1,5,2", "1"],
        ["29.08.2019", "03.09.2019"],
        ["E10", "e5"],
        [",", "1"],
        ["1;2", "a,b"],
    ],
)
def test_anything_else_is_the_text_that_it_is(written, tmp_path):
    quoted = [f'"{value}"' if ";" in value else value for value in written]
    assert _column(_csv(tmp_path / "x.csv", quoted)) == written


@pytest.mark.parametrize(
    ("written", "advice"),
    [
        (["1,234"], "write 1234 or 1.234."),
        (["3", "12,345", "", "1,000"], "write 12345 or 12.345."),
        (["-1,234", "1234", "1e5"], "write -1234 or -1.234."),
    ],
)
def test_thousands_or_decimals_are_asked_for(written, advice, tmp_path):
    with pytest.raises(InputError, match=r"log: column 'x' of x\.csv has ") as error:
        table(_csv(tmp_path / "x.csv", written), name="log")
    assert str(error.value).endswith(advice)
    assert "\n" not in str(error.value)


def test_points_beside_decimal_commas_may_be_thousands(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("x;y\n12,5;1.234\n1,5;7.000\n")
    with pytest.raises(InputError, match=r"column 'y' of x\.csv has 1\.234, .* the point .* write 1234 or"):
        table(path, name="log")
    path.write_text("x;y\n12,5;1.234\n1,5;7.5\n")
    assert _column(path, "y") == [1.234, 7.5]
    path.write_text("x;y\n12.5;1.234\n1.5;7.000\n")  # as the sentence says
    assert _column(path, "y") == [1.234, 7.0]


@pytest.mark.parametrize(
    ("first", "last", "read"),
    [
        ("1,234", "2,5", (1.234, 2.5)),
        ("1", "2,5", (1.0, 2.5)),
        ("1,5", "1.5", ("1,5", "1.5")),
        ("1,5", "soon", ("1,5", "soon")),
        ("1.5", "2,5", ("1.5", "2,5")),
        ("12,5", "1.234,56", (12.5, 1234.56)),
    ],
)
def test_the_last_row_counts_as_much_as_the_first(first, last, read, tmp_path):
    found = _column(_csv(tmp_path / "x.csv", [first] * MANY + [last]))
    assert (found[0], found[-1]) == read


def test_the_files_of_a_glob_are_decided_together(tmp_path):
    _csv(tmp_path / "a.csv", ["1,234", "5,678"])
    (tmp_path / "b.csv").write_text("x;n\n2,5;1\n")
    assert sorted(_column(tmp_path / "*.csv")) == [1.234, 2.5, 5.678]
    (tmp_path / "b.csv").write_text("x;n\n2.5;1\n")
    assert sorted(_column(tmp_path / "*.csv")) == ["1,234", "2.5", "5,678"]
    (tmp_path / "b.csv").write_text("x;n\n7;1\n")
    with pytest.raises(InputError, match=r"column 'x' of a\.csv has 1,234"):
        table(tmp_path / "*.csv", name="log")


def test_files_of_a_glob_have_one_delimiter(tmp_path):
    _csv(tmp_path / "a.csv", ["1"])
    (tmp_path / "b.csv").write_text("n,x\n1,2\n")
    with pytest.raises(
        InputError, match=r"log: a\.csv has semicolons between names and b\.csv has commas; .* alike\.$"
    ):
        table(tmp_path / "*.csv", name="log")


@pytest.mark.parametrize("start", ["", "\ufeff"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_marks_at_the_start_and_line_ends_of_windows(start, end, tmp_path):
    path = _csv(tmp_path / "x.csv", ["12,5", "3"], start=start, end=end)
    assert table(path).columns == ("n", "x")
    assert _column(path) == [12.5, 3.0]
    packed = tmp_path / "y.csv.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert file_header(packed) == ("n", "x")
    assert _column(packed) == [12.5, 3.0]


def test_fields_in_quotes_hold_both_marks(tmp_path):
    path = _csv(tmp_path / "x.csv", ['"a;b"', '"c,d"', '"e ""f""; g,\nh"'])
    assert _column(path) == ["a;b", "c,d", 'e "f"; g,\nh']


@pytest.mark.parametrize(
    ("header", "columns"),
    [
        ("a;b", ("a", "b")),
        ('"a";"b"', ("a", "b")),
        ('"a;1";b', ("a;1", "b")),
        ('"a,1";b', ("a,1", "b")),
        ('a;"b,1"', ("a", "b,1")),
        ('"a;1",b', ("a;1", "b")),
        ("a;1,b", ("a;1", "b")),  # both: as before, a comma divides
        ('"say ""a,b""";c', ('say "a,b"', "c")),
        (";a", ("a",)),  # the numbers of rows that pandas writes
        ("a", ("a",)),
    ],
)
def test_what_divides_a_header(header, columns, tmp_path):
    (tmp_path / "x.csv").write_text(header + "\n")
    assert file_header(tmp_path / "x.csv") == columns


@pytest.mark.parametrize(
    ("file", "header", "says"),
    [
        ("x.csv", '"a;b"', "is one name in quotes, with semicolons in it"),
        ("x.tsv", "a;b", "has semicolons and no tabs between names"),
        ("x.csv", "a;b;", "column 3 of x.csv has no name"),
        ("x.csv", "a;a", "names the column 'a' twice"),
        ("x.csv", ";", "line 1 of x.csv is empty"),
        ("x.csv", "a;b;ä", "it is not UTF-8"),
    ],
)
def test_headers_that_are_refused(file, header, says, tmp_path):
    (tmp_path / file).write_bytes((header + "\n1;2\n").encode("latin-1"))
    with pytest.raises(InputError, match=re.escape(says)) as error:
        table(tmp_path / file, name="log")
    assert "\n" not in str(error.value)


def test_a_row_too_long_is_named_by_its_line(tmp_path):
    path = _csv(tmp_path / "x.csv", ["1,5", "2;5"])
    with pytest.raises(InputError, match=r"log: line 3 of x\.csv has 3 fields where the header has 2"):
        table(path, name="log")


def test_letters_of_windows_are_told_to_be_written_again(tmp_path):
    path = _csv(tmp_path / "x.csv", ["Köln"], encoding="cp1252")
    with pytest.raises(InputError, match="is not UTF-8 text; write the file again as UTF-8"):
        table(path, name="log")


def test_decimal_commas_are_no_ids(tmp_path):
    for mark, delimiter in ((".", ","), (",", ";")):
        path = tmp_path / f"{'a' if mark == '.' else 'b'}.csv"
        rows = [f"{2**60}{mark}5{delimiter}F", f"2{mark}5{delimiter}M"]
        path.write_text("\n".join([f"user_id{delimiter}g", *rows, ""]))
    said = [_refusal(tmp_path / f"{name}.csv") for name in "ab"]
    assert said[0] == said[1] != ""


def _refusal(path) -> str:
    try:
        unique_key(table(path, name="users"), ["user_id"])
    except InputError as error:
        return str(error)
    return ""


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    values=st.lists(
        st.one_of(st.none(), st.floats(-1e9, 1e9).map(lambda x: round(x, 2)), st.integers(-(10**9), 10**9)),
        min_size=1,
        max_size=20,
    )
)
def test_pandas_writes_the_same_numbers_with_commas_and_points(values, tmp_path):
    frame = pd.DataFrame({"n": range(len(values) + 1), "x": [0.5, *values]})
    frame.to_csv(tmp_path / "points.csv", index=False)
    frame.to_csv(tmp_path / "commas.csv", index=False, sep=";", decimal=",")
    assert _column(tmp_path / "commas.csv") == _column(tmp_path / "points.csv")


def test_the_types_of_all_other_columns_are_those_of_commas(tmp_path):
    frame = pd.DataFrame(
        {"id": [2**62 + 1, 7], "zip": ["007", "7"], "day": ["2024-01-02", "2024-02-03"], "yes": [True, False],
         "at": ["2024-01-02 10:00:00", "2024-01-03 11:30:00"], "p": [np.pi, 1e-5]}
    )  # fmt: skip
    frame.to_csv(tmp_path / "commas.csv", index=False)
    frame.to_csv(tmp_path / "semicolons.csv", index=False, sep=";")
    schemas = [table(tmp_path / f"{name}.csv").expr.schema() for name in ("commas", "semicolons")]
    assert schemas[0] == schemas[1]
