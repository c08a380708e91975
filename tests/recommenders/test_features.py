"""Features of users and items from tables: which columns, which codes, and what is refused."""

import datetime

import numpy as np
import pandas as pd
import pytest

from evenhand.errors import InputError
from evenhand.recommenders import Features, Interactions, fit


@pytest.fixture
def interactions():
    pairs = pd.DataFrame({"user_id": ["a", "b", "c", "d"], "item_id": [1, 2, 3, 1]})
    return Interactions.from_frame(pairs)


def users(**columns):
    return pd.DataFrame({"user_id": ["d", "c", "b", "a"], **columns})


def test_values_have_codes_in_the_order_of_the_ids(interactions):
    found = Features.of(interactions, users(gender=["F", "M", "M", None]), columns=["gender"])
    ids, gender = found.users
    assert (ids.name, gender.name, gender.values) == ("user_id", "gender", ("F", "M"))
    assert gender.codes.tolist() == [[0], [2], [2], [1]]  # a is not known, d is F
    assert found.names == ["user.gender"]
    assert found.size == 4 + 3 + 3
    assert found.notes == (
        "Features besides the ids: gender (2 values).",
        "gender is 'unknown' for 1 of 4 users.",
    )


def test_lists_are_bags_and_an_empty_one_is_unknown(interactions):
    items = pd.DataFrame({"item_id": [1, 2, 3], "genres": [["x", "y"], [], ["y"]]})
    field = Features.of(interactions, items=items, columns=["genres"]).items[1]
    assert field.several
    assert field.codes.tolist() == [[1, 2], [0, -1], [2, -1]]


def test_somebody_who_is_not_in_the_table_is_unknown_and_counted(interactions):
    table = pd.DataFrame({"user_id": ["a", "b"], "gender": ["F", "M"]})
    found = Features.of(interactions, table, columns=["gender"])
    assert found.users[1].codes.ravel().tolist() == [1, 2, 0, 0]
    assert "2 of 4 users are not in the table of users: their features are 'unknown'." in found.notes


def test_only_few_categories_are_taken_unless_named(interactions):
    many = pd.DataFrame({"user_id": [f"u{n}" for n in range(60)], "item_id": 0})
    table = pd.DataFrame(
        {
            "user_id": [f"u{n}" for n in range(60)],
            "zip": [str(n) for n in range(60)],
            "age": range(60),
            "country": "DE",
            "nickname": [f"n{n}" if n < 40 else None for n in range(60)],
            "premium": [n % 2 == 0 for n in range(60)],
        }
    )
    data = Interactions.from_frame(many)
    assert Features.of(data, table).names == ["user.premium"]
    assert Features.of(data, table, columns=["zip", "age"]).names == ["user.zip", "user.age"]
    assert Features.of(data, table, columns=[]).names == []


def test_a_name_on_both_sides_is_a_feature_of_both(interactions):
    items = pd.DataFrame({"item_id": [1, 2, 3], "gender": ["men", "women", "men"]})
    found = Features.of(interactions, users(gender=["F", "M", "M", "F"]), items, ["gender"])
    assert found.names == ["user.gender", "item.gender"]


def test_whole_numbers_read_as_floats_are_the_same_values(interactions):
    field = Features.of(interactions, users(age=[18.0, 25.0, np.nan, 18.0]), columns=["age"]).users[1]
    assert field.values == ("18", "25")
    assert field.codes.ravel().tolist() == [1, 0, 2, 1]


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ([1.5, 2.0, 3.25, 1.0], "'x' holds numbers with fractions, which are no categories; put them into"),
        ([datetime.date(2020, 1, 1)] * 4, "'x' holds values of the type date, which are no categories; make"),
        ([{"a": 1}] * 4, "'x' holds values of the type dict"),
        (["a", 1, "b", 2], "'x' holds both text and whole numbers; make them all text"),
        ([None] * 4, "'x' is empty in all rows; leave it out"),
    ],
)
def test_columns_that_are_no_categories(interactions, values, says):
    table = users(x=pd.Series(values, dtype=None if isinstance(values[0], float) else object))
    with pytest.raises(InputError, match=says):
        Features.of(interactions, table, columns=["x"])


@pytest.mark.parametrize(
    ("table", "columns", "says"),
    [
        (
            users(gender=list("FMFM")),
            ["gendre"],
            "there is no feature 'gendre' of users or items. There is: g",
        ),
        (users(gender=list("FMFM")), "gender", "must be a list of names"),
        (pd.DataFrame({"id": [1]}), None, "users: there is no column 'user_id'. It has: id"),
        (pd.DataFrame({"user_id": ["a", "a"], "g": ["x", "y"]}), None, "users: 1 rows repeat a user_id"),
        (pd.DataFrame({"user_id": [1, 1], "g": ["x", "y"]}), None, "repeat a user_id, for example 1; keep"),
        (pd.DataFrame({"user_id": [1, 2], "g": ["x", "y"]}), None, "none of the 4 users .* written alike"),
        ([1, 2], None, "a list is not a pandas DataFrame"),
    ],
)
def test_tables_that_do_not_fit(interactions, table, columns, says):
    with pytest.raises(InputError, match=says):
        Features.of(interactions, table, columns=columns)


@pytest.mark.slow
def test_features_of_other_data_or_for_a_model_that_has_none(interactions):
    other = Interactions.from_frame(pd.DataFrame({"user_id": ["a", "b"], "item_id": [1, 2]}))
    with pytest.raises(InputError, match="'ease' knows users and items by who took what alone"):
        fit("ease", interactions, interactions, 0, features=Features.ids(interactions))
    pytest.importorskip("torch")
    with pytest.raises(InputError, match="features are about 2 users, but there are 4"):
        fit("deepfm", interactions, interactions, 0, features=Features.ids(other))
    with pytest.raises(InputError, match="features is a DataFrame, but must be Features"):
        fit("deepfm", interactions, interactions, 0, features=users())
