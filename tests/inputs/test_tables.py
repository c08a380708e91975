"""Every accepted source is the same table, and every one that is not accepted says why."""

import gzip
import shutil
import sys
from pathlib import Path

import duckdb
import ibis
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from evenhand.errors import InputError
from evenhand.inputs import Table, same_label_definition, table, unique_key
from evenhand.inputs.engines import calling_ibis

FRAME = pd.DataFrame({"user_id": [1, 2, 3, 4], "liked": [0, 1, 1, 0], "group": ["a", "a", "b", "b"]})


def _csv(path: Path, separator: str = ",") -> str:
    FRAME.to_csv(path, sep=separator, index=False)
    return str(path)


def _parquet(path: Path) -> str:
    FRAME.to_parquet(path)
    return str(path)


def _parquet_parts(folder: Path) -> Path:
    folder.mkdir()
    FRAME.iloc[:1].to_parquet(folder / "part-0.parquet")
    FRAME.iloc[1:].to_parquet(folder / "part-1.parquet")
    return folder


def _ibis_table(path: Path):
    with calling_ibis():
        return ibis.duckdb.connect().read_parquet(_parquet(path))


SOURCES = {
    "parquet": lambda p: _parquet(p / "log.parquet"),
    "pq": lambda p: Path(_parquet(p / "log.pq")),
    "csv": lambda p: _csv(p / "log.csv"),
    "csv.gz": lambda p: _csv(p / "log.csv.gz"),
    "tsv": lambda p: _csv(p / "log.tsv", "\t"),
    "tsv.gz": lambda p: _csv(p / "log.tsv.gz", "\t"),
    "glob": lambda p: str(_parquet_parts(p / "parts") / "*.parquet"),
    "folder": lambda p: _parquet_parts(p / "parts"),
    "list": lambda p: sorted(_parquet_parts(p / "parts").iterdir()),
    "brackets": lambda p: _parquet(p / "log[1].parquet"),
    "pandas": lambda p: FRAME,
    "polars": lambda p: pl.from_pandas(FRAME),
    "polars lazy": lambda p: pl.from_pandas(FRAME).lazy(),
    "pyarrow": lambda p: pa.Table.from_pandas(FRAME),
    "relation": lambda p: duckdb.sql(f"SELECT * FROM '{_parquet(p / 'log.parquet')}'"),
    "ibis": lambda p: _ibis_table(p / "log.parquet"),
    "memtable": lambda p: ibis.memtable(FRAME),
    "table": lambda p: table(FRAME),
}


def _rates(log: Table) -> dict[str, tuple[int, int]]:
    t = log.expr
    result = log.run(t.group_by("group").aggregate(n=t.count(), positives=t.liked.sum(), ids=t.user_id.sum()))
    return {row.group: (row.n, row.positives, row.ids) for row in result.itertuples()}


@pytest.mark.parametrize("kind", SOURCES)
def test_every_source_gives_the_same_aggregate(kind, tmp_path):
    assert _rates(table(SOURCES[kind](tmp_path))) == {"a": (2, 1, 3), "b": (2, 1, 7)}


def test_columns_are_renamed_without_reading(tmp_path):
    log = table(_csv(tmp_path / "log.csv"), columns={"viewer": "user_id", "group": "group"})
    assert log.columns == ("viewer", "liked", "group")
    assert log.run(log.expr.aggregate(total=log.expr.viewer.sum()))["total"][0] == 10


def test_a_table_is_returned_as_it_is_or_with_what_was_asked():
    log = table(FRAME, name="default log", columns={"viewer": "user_id"})
    assert table(log) is log
    again = table(log, name="random log", columns={"person": "viewer"})
    assert (again.name, again.columns[0], again.origin.columns) == (
        "default log",  # a name that was given stays
        "person",
        {"person": "user_id"},
    )


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"viewer": "usr_id"}, ["'usr_id'", "Did you mean 'user_id'", "liked"]),
        ({"liked": "group"}, ["'liked'", "already"]),
    ],
)
def test_a_mapping_that_cannot_be_is_refused(columns, words):
    with pytest.raises(InputError) as error:
        table(FRAME, name="default log", columns=columns)
    assert all(word in str(error.value) for word in ["default log", *words])


def test_an_unknown_column_names_the_closest_and_the_others():
    with pytest.raises(
        InputError, match=r"default log: .*'likes'.*Did you mean 'liked'.*user_id, liked, group"
    ):
        table(FRAME, name="default log").require("user_id", "likes")


def test_two_label_definitions_are_refused():
    long, short = (
        table(FRAME, name=n, label_definition=d) for n, d in [("default log", "30 s"), ("random log", "5 s")]
    )
    same_label_definition(long, table(FRAME, name="third"), table(FRAME, label_definition="30 s"))
    with pytest.raises(
        InputError, match=r"default log and random log define the label differently.*30 s.*5 s"
    ):
        same_label_definition(long, short)


def test_a_relation_on_its_own_connection_needs_that_connection(tmp_path):
    connection = duckdb.connect(tmp_path / "mine.duckdb")
    connection.execute("CREATE TABLE log AS SELECT 7 AS user_id, 1 AS liked, 'a' AS \"group\"")
    # A table of the same name elsewhere must never be read in its place.
    duckdb.sql("CREATE OR REPLACE TEMP TABLE log AS SELECT 8 AS user_id, 0 AS liked, 'b' AS \"group\"")
    relation = connection.sql("SELECT * FROM log")
    with pytest.raises(InputError, match=r"default log: .*connection of its own.*from_connection"):
        table(relation, name="default log")
    opened = table(relation, engine=ibis.duckdb.from_connection(connection))
    assert _rates(opened) == {"a": (1, 1, 7)}
    duckdb.sql("DROP TABLE log")
    views = connection.execute(
        "SELECT count(*) FROM duckdb_views() WHERE NOT internal AND NOT temporary"
    ).fetchone()
    assert views == (0,), "nothing may be left in the user's database"


def test_the_default_connection_keeps_its_settings():
    before = duckdb.sql(
        "SELECT current_setting('TimeZone'), current_setting('python_enable_replacements')"
    ).fetchall()
    duckdb.execute("SET TimeZone = 'Asia/Tokyo'")
    table(duckdb.sql("SELECT 1 AS user_id"))
    visible = FRAME  # noqa: F841  (read by name below, which Ibis turns off)
    after = duckdb.sql("SELECT current_setting('TimeZone'), count(*) FROM visible").fetchall()
    duckdb.execute(f"SET TimeZone = '{before[0][0]}'")
    assert after == [("Asia/Tokyo", 4)]


def test_all_columns_that_are_missing_are_named_at_once_and_the_tables_own_names_listed():
    frame = pd.DataFrame({"uid": [1], "vid": [2], "watched": [1]})
    opened = table(frame, name="shown", columns={"item_id": "vid"})
    with pytest.raises(InputError) as refused:
        opened.require("user_id", "item_id", "label", "score")
    assert str(refused.value) == (
        "shown: there are no columns 'user_id' (did you mean 'uid'?), 'label' and 'score'. It has: uid, vid "
        "(as item_id), watched. If they are called otherwise there, say so: columns in a plan or "
        "evenhand.table, --columns user_id=NAME --columns label=NAME --columns score=NAME on the command "
        "line, once for every name that a table has for it."
    )


@pytest.mark.parametrize(
    ("file", "says"),
    [
        (
            "dt=2026-10-01/part-0.parquet",
            "the folder hive holds no .parquet files itself, but its folders do: pass the pattern "
            "'{folder}/*/*.parquet' (a column is not made of names of folders, such as dt=2026-10-01).",
        ),
        ("2026/10/log.parquet", "itself, but its folders do: pass the pattern '{folder}/*/*/*.parquet'."),
        ("log.csv.gz", "holds no .parquet files; pass a pattern such as '{folder}/*.csv.gz'."),
        ("notes.txt", "holds no .parquet files; name another one."),
    ],
)
def test_a_folder_without_parquet_files_says_what_to_pass(tmp_path, file, says):
    path = tmp_path / "hive" / file
    path.parent.mkdir(parents=True)
    if path.suffix == ".parquet":
        FRAME.to_parquet(path)
    else:
        path.write_text("text")
    folder = tmp_path / "hive"
    with pytest.raises(InputError) as refused:
        table(folder, name="log")
    assert str(refused.value).endswith(says.format(folder=folder))
    if path.suffix == ".parquet":
        assert table(str(refused.value).split("'")[1]).columns == tuple(FRAME.columns)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda p: str(p / "no.parquet"), ["no file", "no.parquet"]),
        (lambda p: str(p / "*.parquet"), ["no file matches", "*.parquet"]),
        (lambda p: p, ["holds no .parquet"]),
        (lambda p: [], ["list of paths is empty"]),
        (lambda p: _touch(p / "log.xlsx", b"x"), ["log.xlsx", "extension", ".parquet"]),
        (lambda p: _touch(p / "log.csv", b""), ["log.csv", "0 bytes"]),
        (lambda p: _touch(p / "log.parquet", b""), ["log.parquet", "0 bytes"]),
        (
            lambda p: _touch(p / "log.parquet", b"user_id,liked\n1,0\n"),
            ["log.parquet", "not a readable Parquet"],
        ),
        (lambda p: _touch(p / "log.csv.gz", b"user_id,liked\n1,0\n"), ["log.csv.gz", "line 1", ".gz"]),
        (lambda p: _touch(p / "log.csv", b"\n1,2\n"), ["line 1 of log.csv is empty"]),
        (lambda p: _touch(p / "log.csv", b"liked,liked\n1,0\n"), ["'liked' twice"]),
        (lambda p: [_csv(p / "a.csv"), _parquet(p / "b.parquet")], ["different formats"]),
        (lambda p: "s3://bucket/log.parquet", ["s3://", "Ibis table"]),
        (lambda p: {"user_id": [1]}, ["dict is not a table"]),
        (lambda p: pd.DataFrame({"user_id": [1, "x", 2.0]}), ["pandas frame", "one type"]),
    ],
)
def test_what_is_not_a_table_says_why(make, words, tmp_path):
    with pytest.raises(InputError) as error:
        table(make(tmp_path), name="default log")
    assert all(word in str(error.value) for word in ["default log", *words])
    assert str(tmp_path) not in str(error.value) or "no file" in str(error.value)  # the user's own words


def _touch(path: Path, content: bytes) -> str:
    path.write_bytes(content)
    return str(path)


@pytest.mark.parametrize("extension", ["csv", "parquet"])
def test_files_of_one_glob_need_the_same_columns(extension, tmp_path):
    for name, frame in {"a": FRAME, "b": FRAME.rename(columns={"liked": "clicked"})}.items():
        path = tmp_path / f"{name}.{extension}"
        frame.to_csv(path, index=False) if extension == "csv" else frame.to_parquet(path)
    with pytest.raises(
        InputError, match=rf"log: b\.{extension} lacks 'liked', adds 'clicked' compared with a\."
    ):
        table(str(tmp_path / f"*.{extension}"), name="log")


def test_files_that_differ_in_type_or_order_are_aligned_by_name(tmp_path):
    pq.write_table(pa.table({"x": pa.array([1], pa.int32()), "y": [2]}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"y": [5], "x": pa.array([0.5])}), tmp_path / "b.parquet")
    log = table(tmp_path)
    assert log.run(log.expr.aggregate(x=log.expr.x.sum(), y=log.expr.y.sum())).iloc[0].to_dict() == {
        "x": 1.5,
        "y": 7,
    }


def test_a_table_without_rows_is_legal(tmp_path):
    (tmp_path / "log.csv").write_text("user_id,liked\n")
    for source in (tmp_path / "log.csv", FRAME.iloc[:0]):
        log = table(source)
        assert log.run(log.expr.aggregate(n=log.expr.count()))["n"][0] == 0


def test_spark_that_is_not_installed_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    with pytest.raises(InputError, match=r"pyspark.*pip install \"evenhand\[spark\]\""):
        table(FRAME, engine="spark")


def test_the_answer_does_not_depend_on_the_number_of_threads(tmp_path):
    pd.concat([FRAME] * 50_000).to_parquet(tmp_path / "log.parquet", row_group_size=10_000)
    answers = [
        _rates(table(tmp_path / "log.parquet", engine=ibis.duckdb.connect(threads=threads)))
        for threads in (1, 4)
    ]
    assert answers[0] == answers[1] == {"a": (100_000, 50_000, 150_000), "b": (100_000, 50_000, 350_000)}


def test_an_unknown_engine_is_refused():
    with pytest.raises(InputError, match=r"engine 'sparkle'.*\"spark\""):
        table(FRAME, engine="sparkle")


def test_an_ibis_table_must_be_bound_to_the_engine_named(tmp_path):
    with pytest.raises(InputError, match=r"log: .*not on one engine"):
        table(ibis.table({"a": "int64"}, name="nowhere"), name="log")
    with pytest.raises(InputError, match=r"log: .*another engine"):
        table(_ibis_table(tmp_path / "a.parquet"), name="log", engine="duckdb")


def test_fingerprints_follow_the_content_and_not_the_folder(tmp_path):
    (tmp_path / "copy").mkdir()
    for name in ("log.parquet", "log.csv"):
        path = Path(SOURCES[name.split(".")[1]](tmp_path))
        shutil.copy(path, tmp_path / "copy" / name)
        first = table(path).fingerprint(4)
        assert table(tmp_path / "copy" / name).fingerprint(4) == first
        assert (first.source, first.rows, first.files, first.bytes) == (name, 4, 1, path.stat().st_size)
        assert str(tmp_path) not in first.model_dump_json()
    changed = FRAME.assign(liked=[9, 1, 1, 0])
    changed.to_parquet(tmp_path / "copy" / "log.parquet")
    assert (
        table(tmp_path / "copy" / "log.parquet").fingerprint()
        != table(tmp_path / "log.parquet").fingerprint()
    )
    assert table(tmp_path / "log.csv").fingerprint(5) != table(tmp_path / "log.csv").fingerprint(4)
    with (tmp_path / "copy" / "log.csv").open("a") as file:
        file.write("5,1,b\n")
    assert table(tmp_path / "copy" / "log.csv").fingerprint(4) != table(tmp_path / "log.csv").fingerprint(4)


def test_parquet_fingerprints_count_rows_themselves(tmp_path):
    fingerprint = table(_parquet_parts(tmp_path / "parts")).fingerprint()
    assert (fingerprint.rows, fingerprint.files, fingerprint.source) == (4, 2, "2 parquet files")


def test_frames_are_fingerprinted_by_schema_and_count():
    first = table(FRAME).fingerprint(4)
    assert first == table(FRAME, columns={"viewer": "user_id"}).fingerprint(4)
    others = [table(FRAME).fingerprint(5), table(FRAME.astype({"liked": bool})).fingerprint(4)]
    assert first.sha256 not in {other.sha256 for other in others}


def test_gzip_text_is_read_as_written(tmp_path):
    with gzip.open(tmp_path / "log.csv.gz", "wt") as file:
        file.write('user_id,comment\n1,"said ""no"", then\nleft"\n')
    log = table(tmp_path / "log.csv.gz")
    assert log.run(log.expr.aggregate(text=log.expr.comment.max()))["text"][0] == 'said "no", then\nleft'


def test_numbers_of_other_machines_are_read():
    frame = pd.DataFrame({"a": np.arange(3, dtype=">i8"), "b": np.arange(3, dtype=">f4"), "c": list("xyz")})
    opened = table(frame.assign(d=np.float16([0.5, 1, 2])))
    assert opened.run(opened.expr)["a"].tolist() == [0, 1, 2]
    assert opened.run(opened.expr)["b"].tolist() == [0, 1, 2]
    assert opened.run(opened.expr)["d"].tolist() == [0.5, 1, 2]


def test_a_plan_of_polars_that_fails_is_a_sentence():
    lazy = pl.LazyFrame({"a": [1]}).select("nobody")
    with pytest.raises(
        InputError, match=r"log: the polars frame cannot be read as a table \(.*nobody"
    ) as error:
        table(lazy, name="log")
    assert "\n" not in str(error.value)


def test_lists_are_of_paths():
    with pytest.raises(InputError, match="log: a list must be of paths, and this one has a DataFrame"):
        table([pd.DataFrame({"a": [1]})], name="log")


@pytest.mark.parametrize(("mark", "called"), [("\t", "tabs"), ("|", "bars")])
def test_csv_with_other_marks_says_so(mark, called, tmp_path):
    (tmp_path / "log.csv").write_text(f"a{mark}b\n1{mark}2\n")
    with pytest.raises(InputError, match=rf"log: line 1 of log\.csv has {called} and no commas"):
        table(tmp_path / "log.csv", name="log")


@pytest.mark.parametrize("path", ["x" * 5000, "x" * 256 + ".parquet", "é" * 128 + ".csv"])
def test_paths_longer_than_any(path):
    with pytest.raises(InputError, match=r"log: .*is longer than any path can be"):
        table(path, name="log")


def test_ids_in_lists_and_records_are_refused():
    for ids in ([[1], [2]], [{"id": 1}, {"id": 2}], pd.to_timedelta([1, 2], unit="D")):
        with pytest.raises(InputError, match=r"log: column 'user_id' is of type .*, which names nobody"):
            unique_key(table(pd.DataFrame({"user_id": ids}), name="log"), ["user_id"])
