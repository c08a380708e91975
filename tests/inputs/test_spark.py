"""The same plans on Spark: the same numbers, and broken rows refused as strictly."""

import numpy as np
import pandas as pd
import pytest

from evenhand.errors import InputError
from evenhand.inputs import (
    JoinedFrom,
    bucket,
    join_attribute,
    part_of,
    positives,
    problem_counts,
    table,
    without_problems,
)

pytestmark = [
    pytest.mark.slow,
    # Spark and its Java bridge warn about the machine they find and leave sockets to the garbage collector.
    pytest.mark.filterwarnings("ignore"),
]


@pytest.fixture(autouse=True)
def spark():
    # In a fixture: a skip while collecting would count where slow tests are not even asked for.
    pytest.importorskip("pyspark")


IDS = np.concatenate([np.arange(-500, 500), np.array([2**63 - 1, -(2**63), 2**32])])


def _write(folder, kind):
    frame = pd.DataFrame({"user_id": IDS, "liked": (IDS % 2 == 0).astype(int)})
    if kind == "csv":
        frame.to_csv(folder / "log.csv", index=False)
    else:
        frame.to_parquet(folder / "log.parquet")
    return folder / f"log.{kind}"


def _by_bucket(log):
    t = log.expr
    counters = problem_counts(log, labels=["liked"], required=["user_id"])
    grouped = t.group_by(bucket=bucket(t.user_id))
    result = log.run(grouped.aggregate(n=t.count(), positives=positives(log, ["liked"]), **counters))
    result = without_problems(result, log, labels=["liked"], required=["user_id"])
    return {int(row.bucket): (int(row.n), int(row.positives)) for row in result.itertuples()}


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_spark_and_duckdb_agree_bucket_by_bucket(kind, tmp_path):
    path = _write(tmp_path, kind)
    assert _by_bucket(table(path, engine="spark")) == _by_bucket(table(path))


def test_a_frame_is_joined_on_spark(tmp_path):
    users = pd.DataFrame({"user_id": IDS[1:], "gender": "f"})
    joined = join_attribute(
        table(_write(tmp_path, "parquet"), engine="spark", name="log"),
        table(users, name="users"),
        ["user_id"],
        "gender",
    )
    with pytest.raises(InputError, match=r"log: 1 distinct user_id not found in users, in 1 of 1,003 rows"):
        _by_bucket(joined)


def test_a_row_with_too_few_fields_is_refused(tmp_path):
    path = _write(tmp_path, "csv")
    path.write_text(path.read_text().replace("\n400,1\n", "\n400\n"))
    with pytest.raises(InputError, match=r"log: line 902 of log\.csv has 1 fields"):
        _by_bucket(table(path, engine="spark", name="log"))


def test_nanoseconds_are_named(tmp_path):
    path = tmp_path / "log.parquet"
    pd.DataFrame({"liked": [0, 1], "at": pd.to_datetime(["2024-04-18", "2024-04-19"])}).to_parquet(path)
    with pytest.raises(InputError, match=r"log\.parquet has a column of type .*NANOS.* microseconds"):
        table(path, engine="spark", name="log")


def test_spark_reads_the_types_that_duckdb_reads(tmp_path):
    (tmp_path / "log.csv").write_text(",id,x,liked\n0,007,1,true\n1,7,0.5,false\n")
    logs = [table(tmp_path / "log.csv", engine=engine) for engine in ("spark", None)]
    rows = [log.run(log.expr.order_by("x")).to_dict("list") for log in logs]
    assert rows[0] == rows[1] == {"id": ["7", "007"], "x": [0.5, 1.0], "liked": [False, True]}


def test_a_column_of_another_file_is_joined_on_spark(tmp_path):
    (tmp_path / "episodes.csv").write_text("item_id,show_id\n1,a\n2,b\n3,\n4,z\n")
    (tmp_path / "shows.csv").write_text("id,host\na,f\nb,m\n,x\n,y\n")
    wanted = {"host": JoinedFrom(tmp_path / "shows.csv", "show_id", "id")}
    opened = [table(tmp_path / "episodes.csv", engine=engine) for engine in ("spark", None)]
    joined = [part_of(one, joined=wanted) for one in opened]
    found = [one.run(one.expr.order_by("item_id"))["host"].tolist() for one in joined]
    assert found[0] == found[1] == ["f", "m", None, None]
    assert joined[0].fingerprint() == joined[1].fingerprint()


def test_spark_reads_semicolons_and_decimal_commas_as_duckdb_does(tmp_path):
    lines = ["\ufeffid;x;y;z", "1;12,5;1.234,56;1.5", '2;-0,5;"3,5";2,5', ';;"";""', '4;1e5;2;"a;b"']
    (tmp_path / "log.csv").write_text("\n".join(lines) + "\n")
    logs = [table(tmp_path / "log.csv", engine=engine) for engine in ("spark", None)]
    totals = [
        log.run(log.expr.aggregate(x=log.expr.x.sum(), y=log.expr.y.sum(), n=log.expr.y.count()))
        for log in logs
    ]
    assert (
        totals[0].to_dict("list") == totals[1].to_dict("list") == {"x": [100012.0], "y": [1240.06], "n": [3]}
    )
    assert [str(log.expr.schema()["z"]) for log in logs] == ["string", "string"]
