"""What is wrong with the values: counted in one pass, explained with column, count and example."""

import numpy as np
import pandas as pd
import pytest

from evenhand.errors import InputError
from evenhand.inputs import (
    PROBLEMS,
    explain_problems,
    finite,
    positives,
    problem_counts,
    table,
    unique_key,
    without_problems,
)

GOOD = pd.DataFrame(
    {"user_id": [11, 12, 13, 14], "liked": [True, False, True, False], "score": [1.0, 0.5, 0.0, 2.0]}
)


def _audit(frame, **columns):
    log = table(frame, name="default log")
    t = log.expr
    result = log.run(t.aggregate(n=t.count(), **problem_counts(log, **columns)))
    return without_problems(result, log, **columns), result[PROBLEMS][0]


@pytest.mark.parametrize("type_", ["bool", "int8", "int64", "uint8", "float64"])
def test_zeros_and_ones_of_any_type_pass(type_):
    frame = GOOD.astype({"liked": type_})
    result, problems = _audit(frame, labels=["liked"], required=["user_id"], scores=["score"])
    assert (result["n"][0], problems) == (4, 0)
    log = table(frame)
    assert log.run(log.expr.aggregate(p=positives(log, ["liked"])))["p"][0] == 2


def test_positives_are_rows_with_any_label():
    log = table(pd.DataFrame({"liked": [True, False, False], "shared": [1, 1, 0]}))
    assert log.run(log.expr.aggregate(p=positives(log, ["liked", "shared"])))["p"][0] == 2


BAD = {
    "null label": (
        {"liked": [True, None, None, False]},
        "'liked' is empty in 2 of 4 rows.*user_id=12.*not a negative",
    ),
    "null in numbers": ({"liked": pd.array([1, None, 0, 1], "Int64")}, "'liked' is empty in 1 of 4 rows"),
    "all null": ({"liked": pd.array([None] * 4, "boolean")}, "'liked' is empty in 4 of 4 rows"),
    "two": (
        {"liked": [0, 1, 2, 1]},
        "'liked' has values other than 0 and 1 in 1 of 4 rows, for example liked=2",
    ),
    "negative": ({"liked": [0, 1, -1, -1]}, "'liked' has values other than 0 and 1 in 2 of 4 rows"),
    "half": (
        {"liked": [0.5, 1, 0, 1]},
        "'liked' has values other than 0 and 1 in 1 of 4 rows, for example liked=0.5",
    ),
    "null key": ({"user_id": pd.array([11, 12, 13, None], "Int64")}, "'user_id' is empty in 1 of 4 rows"),
    "infinite": (
        {"score": [1.0, -np.inf, 0.0, np.inf]},
        "'score' is not finite in 2 of 4 rows, for example score=-inf",
    ),
    "null score": ({"score": [1.0, None, 0.0, 2.0]}, "'score' is empty in 1 of 4 rows"),
}


@pytest.mark.parametrize("kind", BAD)
def test_bad_values_are_counted_and_explained(kind):
    change, message = BAD[kind]
    with pytest.raises(InputError, match=f"default log: column {message}"):
        _audit(GOOD.assign(**change), labels=["liked"], required=["user_id"], scores=["score"])


def test_a_nan_that_is_not_null_is_no_label_and_no_score(tmp_path):
    import pyarrow as pa

    frame = pa.table({"liked": [1.0, float("nan")], "score": [float("nan"), 1.0]})
    with pytest.raises(InputError, match="'liked' has values other than 0 and 1 in 1 of 2 rows"):
        _audit(frame, labels=["liked"])
    with pytest.raises(InputError, match="'score' is not finite in 1 of 2 rows"):
        finite(table(frame, name="scores"), "score")


def test_the_counter_adds_up_over_groups():
    log = table(GOOD.assign(liked=[0, 3, 4, 1], half=["a", "a", "b", "b"]))
    result = log.run(log.expr.group_by("half").aggregate(**problem_counts(log, labels=["liked"])))
    assert sorted(result[PROBLEMS]) == [1, 1]


def test_a_group_of_nulls_does_not_hide_the_others():
    log = table(pd.DataFrame({"g": ["a", "b"], "liked": pd.array([None, 1], "Int64")}))
    result = log.run(log.expr.group_by("g").aggregate(**problem_counts(log, labels=["liked"])))
    assert dict(zip(result["g"], result[PROBLEMS], strict=True)) == {"a": 1, "b": 0}


@pytest.mark.parametrize(
    ("columns", "word"), [({"labels": ["liked"]}, "0/1"), ({"scores": ["liked"]}, "numbers")]
)
def test_text_is_refused_where_numbers_must_be(columns, word):
    log = table(pd.DataFrame({"liked": ["yes", "no"]}), name="default log")
    with pytest.raises(InputError, match=f"column 'liked' is of type string.*{word}.* 2 of 2 values.*'no'"):
        problem_counts(log, **columns)


def test_nothing_wrong_explains_nothing():
    explain_problems(table(GOOD), labels=["liked"], required=["user_id"], scores=["score"])


def test_duplicate_keys_are_counted_with_an_example():
    users = table(pd.DataFrame({"user_id": [5, 3, 3, 9, 9, 9], "day": [1, 1, 2, 1, 1, 1]}), name="users")
    with pytest.raises(
        InputError, match="users: 2 keys of user_id appear more than once, for example user_id=3 in 2"
    ):
        unique_key(users, ["user_id"])
    with pytest.raises(InputError, match=r"users: 1 key of user_id, day appears.*user_id=9, day=1 in 3 rows"):
        unique_key(users, ["user_id", "day"])
    unique_key(table(GOOD), ["user_id"])
