"""A joined attribute loses no row, doubles none, and says which keys it did not find."""

import duckdb
import ibis
import pandas as pd
import pytest

from evenhand.errors import InputError
from evenhand.inputs import join_attribute, problem_counts, table, without_problems
from evenhand.inputs.engines import calling_ibis

LOG = pd.DataFrame({"user_id": [1, 1, 2, 3], "liked": [1, 0, 1, 1]})
USERS = pd.DataFrame({"user_id": [1, 2, 3], "gender": ["f", "m", None]})


def _by_gender(log):
    t = log.expr
    result = log.run(t.group_by("gender").aggregate(n=t.count(), **problem_counts(log, labels=["liked"])))
    result = without_problems(result, log, labels=["liked"])
    return {None if pd.isna(g) else g: n for g, n in zip(result["gender"], result["n"], strict=True)}


def test_every_row_keeps_its_place_and_an_empty_attribute_stays_empty():
    assert _by_gender(join_attribute(table(LOG), USERS, ["user_id"], "gender")) == {"f": 2, "m": 1, None: 1}


def test_an_empty_attribute_can_be_a_group_of_its_own():
    joined = join_attribute(table(LOG), USERS, ["user_id"], "gender", fill_with="unknown")
    assert _by_gender(joined) == {"f": 2, "m": 1, "unknown": 1}
    ages = table(USERS.assign(age=[20, 30, 40]), name="users")
    with pytest.raises(InputError, match=r"users: column 'age' is of type .*cannot hold fill_with='unknown'"):
        join_attribute(table(LOG), ages, ["user_id"], "age", fill_with="unknown")


def test_unseen_keys_are_counted_in_the_same_pass():
    users = table(USERS.iloc[1:2], name="users")
    joined = join_attribute(table(LOG, name="default log"), users, ["user_id"], "gender", fill_with="unknown")
    with pytest.raises(
        InputError, match=r"default log: 2 distinct user_id not found in users, in 3 of 4 rows.*user_id=1"
    ):
        _by_gender(joined)


def test_an_empty_key_is_called_empty_and_not_unseen():
    log = table(LOG.assign(user_id=pd.array([1, 1, 2, None], "Int64")), name="default log")
    with pytest.raises(InputError, match="default log: column 'user_id' is empty in 1 of 4 rows"):
        _by_gender(join_attribute(log, USERS, ["user_id"], "gender"))


def test_two_attributes_from_two_tables():
    items = pd.DataFrame({"liked": [0, 1], "genre": ["x", "y"]})
    joined = join_attribute(
        join_attribute(table(LOG), USERS, ["user_id"], "gender"), items, ["liked"], "genre"
    )
    t = joined.expr
    result = joined.run(t.group_by("gender", "genre").aggregate(n=t.count(), **problem_counts(joined)))
    assert without_problems(result, joined)["n"].sum() == 4


def test_keys_of_several_columns():
    log = LOG.assign(day=[1, 2, 1, 1])
    days = pd.DataFrame({"user_id": [1, 1, 2, 3], "day": [1, 2, 1, 1], "gender": ["f", "g", "h", "i"]})
    assert _by_gender(join_attribute(table(log), days, ["user_id", "day"], "gender")) == dict.fromkeys(
        "fghi", 1
    )


@pytest.mark.parametrize(
    ("users", "words"),
    [
        (pd.concat([USERS, USERS]), "users: 3 keys of user_id appear more than once"),
        (USERS.astype({"user_id": str}), "'user_id' is of type int64 in default log, but string in users"),
        (USERS.rename(columns={"gender": "sex"}), "users: there is no column 'gender'"),
        (USERS.rename(columns={"user_id": "userid"}), "users: .*'user_id'.*Did you mean 'userid'"),
    ],
)
def test_attributes_that_cannot_be_joined(users, words):
    with pytest.raises(InputError, match=words):
        join_attribute(table(LOG, name="default log"), table(users, name="users"), ["user_id"], "gender")


def test_a_column_that_the_log_has_already():
    with pytest.raises(InputError, match="default log: there is a column 'liked' already"):
        join_attribute(table(LOG, name="default log"), USERS.assign(liked=1), ["user_id"], "liked")


def test_files_and_frames_follow_the_log_to_its_engine(tmp_path):
    USERS.rename(columns={"user_id": "id"}).to_parquet(tmp_path / "users.parquet")
    connection = duckdb.connect()
    connection.register("log", LOG)
    with calling_ibis():
        log = table(ibis.duckdb.from_connection(connection).table("log"), name="default log")
    for source in (USERS.rename(columns={"user_id": "id"}), tmp_path / "users.parquet"):
        users = table(source, name="users", columns={"user_id": "id"})
        assert _by_gender(join_attribute(log, users, ["user_id"], "gender")) == {"f": 2, "m": 1, None: 1}


def test_two_engines_are_refused_even_where_ibis_takes_them_for_one():
    one, other = duckdb.connect(), duckdb.connect()
    one.register("log", LOG)
    for connection in (one, other):  # the same name on both: reading the wrong one would not fail
        connection.register("users", USERS)
    with calling_ibis():
        log = table(ibis.duckdb.from_connection(one).table("log"), name="default log")
        users = table(ibis.duckdb.from_connection(other).table("users"), name="users")
    assert log.backend == users.backend  # the reason why the connections are compared
    with pytest.raises(InputError, match="users and default log are on two different engines"):
        join_attribute(log, users, ["user_id"], "gender")


def test_a_whole_number_is_found_also_where_it_is_a_float():
    """pandas makes floats of whole numbers beside an empty cell."""
    users = USERS.assign(user_id=USERS.user_id.astype(float))
    assert _by_gender(join_attribute(table(LOG), users, ["user_id"], "gender")) == {"f": 2, "m": 1, None: 1}
    half = users.assign(user_id=users.user_id + 0.4)
    with pytest.raises(InputError, match="3 distinct user_id not found"):
        _by_gender(join_attribute(table(LOG), half, ["user_id"], "gender"))
