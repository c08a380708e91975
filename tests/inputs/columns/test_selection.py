"""`where`: rows by the values of columns, typed by the column, and what is refused."""

import numpy as np
import pandas as pd
import pytest

from evenhand.errors import InputError
from evenhand.inputs import (
    conditions,
    in_words,
    join_attribute,
    only,
    problem_counts,
    table,
    without_problems,
)

ROWS = pd.DataFrame(
    {
        "user_id": [1, 1, 2, 3, 4],
        "country": ["DE", "AT", "DE", None, "US"],
        "stars": [1.0, 2.0, None, 4.5, 1.0],
        "premium": [True, False, True, True, None],
        "zip": ["007", "7", "8", "9", ""],
        "day": pd.to_datetime(["2024-01-01"] * 5),
    }
)
LOG = table(ROWS, name="default log")


def chosen(where, people=None, log=LOG):
    (kept,) = only([log], conditions(where), people)
    return kept


def rows(where):
    kept = chosen(where)
    return kept.run(kept.expr.select("user_id", "zip"))["zip"].tolist()


@pytest.mark.parametrize(
    ("where", "kept"),
    [
        ({"country": "DE"}, ["007", "8"]),
        ({"country": ["DE", "AT"]}, ["007", "7", "8"]),
        ({"country": {"not": ["DE", "AT"]}}, ["9", ""]),  # an empty value is another one
        ({"country": {"not": ["DE", "FR"]}, "premium": True}, ["9"]),
        ({"country": {"DE", "AT"}, "premium": True}, ["007", "8"]),
        ({"user_id": 1}, ["007", "7"]),
        ({"user_id": "1"}, ["007", "7"]),
        ({"user_id": np.int64(1)}, ["007", "7"]),
        ({"user_id": ["1", 1, "+1"]}, ["007", "7"]),
        ({"stars": 1}, ["007", ""]),
        ({"premium": "False"}, ["7"]),
        ({"zip": "7"}, ["7"]),
        ({"zip": ""}, [""]),
    ],
)
def test_rows_that_are_kept(where, kept):
    assert rows(where) == kept


def test_what_is_left_out_is_counted_in_rows_and_people():
    kept = chosen({"country": ["DE", "AT"]}, "user_id")
    assert (kept.left_out.rows, kept.left_out.people) == (2, 2)
    assert chosen({"country": ["DE", "AT"]}).left_out.people == 2
    one = chosen({"country": ["DE", "US"]}, "user_id").left_out
    assert (one.rows, one.people) == (2, 2)
    # The data is the same, whichever of its rows are looked at.
    assert kept.fingerprint(rows=3) == LOG.fingerprint(rows=5)


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("country=DE", "where is 'country=DE', but must be a value or several by column"),
        ({1: 2}, "where is {1: 2}, but must be"),
        ({"country": []}, "where of 'country' is [], but must be text, a whole number, true or false"),
        ({"country": 1.5}, "where of 'country' is 1.5, but must be"),
        ({"country": None}, "where of 'country' is None, but must be"),
        ({"country": {"DE": 1}}, "where of 'country' is {'DE': 1}, but must be"),
        ({"country": {"not": {"not": "DE"}}}, "but must be values, or {not = values} for all others"),
        ({"country": {"not": "DEU"}}, "no row has country = DEU. Did you mean 'DE'?"),
        ({"country": "D\0"}, "where of 'country' is 'D\\x00', which is no text"),
        ({"country": "\ud800"}, "where of 'country' is '\\ud800', which is no text"),
        ({"countri": "DE"}, "default log: there is no column 'countri'. Did you mean 'country'?"),
        ({"country": 1}, "where of 'country' is 1, but the column holds text: write the value in quotes"),
        ({"country": True}, "where of 'country' is True, but the column holds text"),
        ({"user_id": "one"}, "where of 'user_id' is 'one', but the column holds numbers"),
        ({"user_id": "1.0"}, "where of 'user_id' is '1.0', but the column holds numbers"),
        ({"user_id": True}, "where of 'user_id' is True, but the column holds numbers"),
        ({"user_id": 2**63}, "but the column holds numbers"),
        ({"user_id": "9" * 5_000}, "but the column holds numbers"),
        ({"premium": 1}, "where of 'premium' is 1, but the column holds true or false"),
        ({"premium": "yes"}, "where of 'premium' is 'yes', but the column holds true or false"),
        ({"day": "2024-01-01"}, "column 'day' is of type timestamp"),
        ({"country": "DEU"}, "no row has country = DEU. Did you mean 'DE'? Its most frequent values are: DE"),
        ({"country": ["DE", "FR"]}, "no row has country = FR. Its most frequent values are: DE, AT, US."),
        ({"user_id": 9}, "no row has user_id = 9. Its most frequent values are: 1, 2, 3, 4."),
        (
            {"country": "US", "premium": True},
            "default log: none of its 5 rows has country = US, premium = true, so that nothing is left",
        ),
    ],
    ids=lambda value: str(value)[:30],
)  # fmt: skip
def test_what_is_refused(where, said):
    with pytest.raises(InputError) as error:
        chosen(where)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_a_value_must_be_in_one_of_the_tables_and_every_table_keeps_a_row():
    other = table(ROWS[ROWS["country"] == "AT"], name="random log")
    kept = only([LOG, other], conditions({"country": ["DE", "AT"]}))
    assert [each.left_out.rows for each in kept] == [2, 0]
    with pytest.raises(InputError, match="random log: none of its 1 rows has country = DE"):
        only([LOG, other], conditions({"country": "DE"}))


def test_an_empty_table_is_said_to_be_empty():
    for rows in (ROWS.iloc[:0], ROWS.iloc[:0].assign(country=pd.Series(dtype="string"))):
        with pytest.raises(InputError, match=r"default log: (column 'country' is empty|the log is empty)"):
            chosen({"country": "DE"}, log=table(rows, name="default log"))


def test_a_key_that_the_attributes_lack_is_not_dropped_with_the_rest():
    users = pd.DataFrame({"user_id": [1, 2, 3], "city": ["a", "b", "a"]})
    kept = chosen({"city": "a"}, log=join_attribute(LOG, users, ["user_id"], ["city"]))
    counted = kept.run(kept.expr.aggregate(rows=kept.expr.count(), **problem_counts(kept)))
    assert counted["rows"][0] == 4
    with pytest.raises(InputError, match="1 distinct user_id not found in attributes"):
        without_problems(counted, kept)


def test_in_words_nothing_can_be_read_in_two_ways():
    assert in_words({"country": ["DE", "AT"], "premium": [True]}) == "country = DE or AT, premium = true"
    assert in_words({"city": ["DE or AT"]}) == 'city = "DE or AT"'
    assert in_words({"a = b": ['x", y']}) == '"a = b" = "x"", y"'
