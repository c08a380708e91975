"""Columns of other tables: found by a key, with no row lost or doubled, and never by the wrong key."""

from __future__ import annotations

import ibis
import pandas as pd
import pytest

from evenhand import inputs
from evenhand.errors import InputError
from evenhand.inputs import JoinedFrom, part_of

EPISODES = pd.DataFrame(
    {"item_id": [1, 2, 3, 4, 5], "show_id": ["a", "b", "a", None, "z"], "kind": ["x", "x", "y", "y", "y"]}
)
SHOWS = pd.DataFrame(
    {"show_id": ["a", "b", "c", None, None], "host": ["f", "m", None, "f", "m"], "network": [1, 2, 2, 1, 1]}
)
HOST = {"host": JoinedFrom("shows.csv", "show_id")}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    EPISODES.to_parquet(tmp_path / "episodes.parquet", index=False)
    SHOWS.to_csv(tmp_path / "shows.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def episodes(folder):
    return inputs.table("episodes.parquet", name="items")


def column(table, name):
    found = table.run(table.expr.select("item_id", name).order_by("item_id"))[name]
    return [None if pd.isna(one) else one for one in found]


def test_a_column_is_found_by_its_key_and_empty_where_there_is_none(episodes):
    joined = part_of(episodes, joined=HOST)
    assert joined.columns == (*episodes.columns, "host")
    assert column(joined, "host") == ["f", "m", "f", None, None]


def test_key_and_column_may_be_called_otherwise_there(episodes, folder):
    SHOWS.rename(columns={"show_id": "id", "host": "sex"}).to_csv("renamed.csv", index=False)
    joined = part_of(episodes, joined={"host": JoinedFrom("renamed.csv", "show_id", "id", "sex")})
    assert column(joined, "host") == ["f", "m", "f", None, None]


def test_what_is_joined_finds_what_is_joined_next(episodes):
    networks = pd.DataFrame({"network": [1, 2], "country": ["DE", "AT"]})
    wanted = {"network": JoinedFrom("shows.csv", "show_id"), "country": JoinedFrom(networks, "network")}
    assert column(part_of(episodes, joined=wanted), "country") == ["DE", "AT", "DE", None, None]


def test_rows_are_chosen_before_and_columns_are_made_after(episodes):
    made = {"by_women": {"column": "host", "among": ["f"]}}
    joined = part_of(episodes, {"kind": "x"}, made, HOST, every_value=True)
    assert column(joined, "by_women") == [1, 0]
    with pytest.raises(InputError, match=r"made.by_women: no row has host = g"):
        part_of(episodes, None, {"by_women": {"column": "host", "among": ["g"]}}, HOST)
    with pytest.raises(InputError, match="items: there is no column 'host'"):
        part_of(episodes, {"host": "f"}, None, HOST)


def test_numbers_are_found_as_what_they_are(folder):
    items = inputs.table(pd.DataFrame({"item_id": [1, 2, 3], "by": [7.0, None, 8.0]}), name="items")
    people = pd.DataFrame({"by": [7, 8], "host": ["f", "m"]})
    assert column(part_of(items, joined={"host": JoinedFrom(people, "by")}), "host") == ["f", None, "m"]


@pytest.mark.parametrize(
    ("wanted", "sentence"),
    [
        ({"kind": JoinedFrom("shows.csv", "show_id")}, "items: there is a column 'kind' already; call what"),
        ({"KIND": JoinedFrom("shows.csv", "show_id")}, "items: there is a column 'KIND' already"),
        ({"host": JoinedFrom("shows.csv", "show")}, "no column 'show'. Did you mean 'show_id'"),
        ({"host": JoinedFrom("shows.csv", "item_id")}, "no column 'item_id'.*say so with `key`"),
        ({"hosts": JoinedFrom("shows.csv", "show_id")}, "no column 'hosts'.*'host'.*say so with `column`"),
        ({"host": JoinedFrom("shows.csv", "show_id", "ide")}, "there is no column 'ide'"),
        ({"host": JoinedFrom("nowhere.csv", "show_id")}, "there is no file"),
        (
            {"host": JoinedFrom("shows.csv", "item_id", "show_id")},
            "column 'item_id' is of type .*int64 in items, but string in joined table",
        ),
        (
            {"host": JoinedFrom(pd.concat([SHOWS, SHOWS[:1]]), "show_id")},
            "1 key of show_id appears more than once, for example show_id='a' in 2 rows",
        ),
        (
            {"host": JoinedFrom(SHOWS.assign(show_id=["a", "q", "r", None, None]), "show_id")},
            "items: of 3 different values of 'show_id', 1 is in joined table: it is not the key",
        ),
        (
            {"host": JoinedFrom("shows.csv", "kind", "show_id")},
            r"of 2 different values of 'kind', 0 are in joined table \(as 'show_id'\)",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_joined_is_refused(episodes, wanted, sentence):
    with pytest.raises(InputError, match=sentence):
        part_of(episodes, joined=wanted)


def test_floats_that_cannot_tell_ids_apart_are_no_keys(folder):
    items = inputs.table(pd.DataFrame({"item_id": [1, 2], "by": [2.0**60, 3.0]}), name="items")
    people = pd.DataFrame({"by": [3, 2**60], "host": ["f", "m"]})
    with pytest.raises(InputError, match="items: column 'by' holds floats beyond"):
        part_of(items, joined={"host": JoinedFrom(people, "by")})


def test_the_joined_table_is_part_of_what_the_data_are(episodes, folder):
    before = part_of(episodes, joined=HOST).fingerprint()
    assert before == part_of(episodes, joined=HOST).fingerprint()
    assert before.rows == 5
    assert before.sha256 != episodes.fingerprint().sha256
    SHOWS.assign(host=["female", "m", None, "f", "m"]).to_csv("shows.csv", index=False)
    assert before.sha256 != part_of(episodes, joined=HOST).fingerprint().sha256


def test_the_same_rows_are_the_same_data_whatever_is_joined(episodes):
    with pytest.raises(InputError, match="the same data"):
        inputs.different_data(episodes, part_of(episodes, joined=HOST))


def test_a_joined_file_that_changes_meanwhile_is_refused(episodes, folder):
    joined = part_of(episodes, joined=HOST)
    SHOWS[:2].to_csv("shows.csv", index=False)
    with pytest.raises(InputError, match=r"shows.csv cannot be read to its end, as it was changed"):
        column(joined, "host")


def test_it_goes_to_another_engine_with_the_names_that_columns_were_given(episodes):
    made = {"by_women": {"column": "host", "among": ["f"]}}
    here = inputs.renamed(
        {"items": part_of(episodes, None, made, HOST)}, {"gender": "host", "women": "by_women"}
    )
    there = inputs.table("episodes.parquet", name="log", engine=ibis.duckdb.connect())
    moved = here["items"].on_backend_of(there)
    assert moved.backend is there.backend
    assert moved.columns == here["items"].columns
    assert column(moved, "gender") == ["f", "m", "f", None, None]
    assert moved.fingerprint() == here["items"].fingerprint()


def test_no_range_of_a_column_of_that_name_is_taken_for_that_of_what_is_joined(folder):
    pd.DataFrame({"item_id": [1, 2], "by": [1, 2], "age": [3, 4]}).to_parquet("items.parquet", index=False)
    items = inputs.table("items.parquet", name="items", columns={"years": "age"})
    people = pd.DataFrame({"by": [1, 2], "age": [30, 40]})
    joined = part_of(items, joined={"age": JoinedFrom(people, "by")})
    assert joined.integer_range("age") is None
    assert joined.integer_range("by") == (1, 2)
