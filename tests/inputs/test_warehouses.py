"""Tables of databases: DuckDB and SQLite files here; PostgreSQL goes the same way."""

from __future__ import annotations

import sqlite3

import duckdb
import pandas as pd
import pytest

from evenhand import inputs
from evenhand.errors import InputError

ROWS = pd.DataFrame({"user_id": [1, 2], "liked": [0, 1]})


@pytest.fixture(params=["duckdb", "sqlite"])
def database(request, tmp_path):
    path = tmp_path / "warehouse.db"
    if request.param == "duckdb":
        with duckdb.connect(str(path)) as connection:
            connection.register("rows_", ROWS)
            connection.execute("CREATE TABLE impressions AS SELECT * FROM rows_")
    else:
        with sqlite3.connect(path) as connection:
            ROWS.to_sql("impressions", connection, index=False)
        connection.close()
    return str(path)


def test_tables_are_listed_and_read(database):
    assert inputs.tables_of(database) == ["impressions"]
    opened = inputs.table(inputs.stored_table(database, "impressions", "log"), name="log")
    assert opened.run(opened.expr.aggregate(n=opened.expr.liked.sum())).n[0] == 1
    assert inputs.tables_of(database) == ["impressions"]  # no view of ours


def test_rows_are_counted_and_of_a_copy_only_some_are_taken(database):
    opened = inputs.table(inputs.stored_table(database, "impressions", "log", most=1))
    assert inputs.rows_of(database, "impressions", "log") == 2
    copied = database != "duckdb" and opened.run(opened.expr.aggregate(n=opened.expr.count())).n[0]
    assert copied in (1, 2)  # DuckDB reads its own tables where they are


def test_tables_of_one_database_are_on_one_connection(database):
    first, second = (inputs.stored_table(database, "impressions", name) for name in "ab")
    assert first.get_backend() is second.get_backend()


def test_a_table_that_is_not_there_is_refused(database):
    with pytest.raises(InputError, match="It has: impressions"):
        inputs.stored_table(database, "clicks", "log")


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("nowhere.duckdb", "there is no database"),
        ("postgresql://me:secret@localhost/x", "set PGPASSWORD"),
        ("oracle://localhost/x", "no database that is read"),
    ],
)
def test_what_is_no_database_is_refused(source, sentence):
    with pytest.raises(InputError, match=sentence) as refused:
        inputs.connected(source)
    assert "secret" not in str(refused.value)


def test_a_file_that_is_none_is_refused(tmp_path):
    (tmp_path / "x.duckdb").write_text("hello")
    with pytest.raises(InputError, match="cannot be opened"):
        inputs.tables_of(str(tmp_path / "x.duckdb"))
