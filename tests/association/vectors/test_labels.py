"""Values and groups are matched by id, or in an order that is beyond doubt, or not at all."""

import numpy as np
import pandas as pd
import pytest

from evenhand.association import audit
from evenhand.association.vectors import labels, sources
from evenhand.errors import InputError

RNG = np.random.default_rng(3)
COUNT, DIMENSIONS = 40, 4
VECTORS = RNG.normal(size=(COUNT, DIMENSIONS))
VALUES = np.array(["a", "b"])[np.arange(COUNT) % 2]
IDS = RNG.permutation(COUNT) + 1
TABLE = pd.DataFrame({"user_id": IDS, **{f"d{place}": VECTORS[:, place] for place in range(DIMENSIONS)}})


def codes(given, vectors=VECTORS, ids=None):
    people = sources.entities("users", vectors, "user", ids)
    return labels.attribute_of(given, people, "user_id", missing="refuse").codes


def test_an_array_is_in_the_order_of_an_array() -> None:
    np.testing.assert_array_equal(codes(VALUES), np.arange(COUNT) % 2)
    np.testing.assert_array_equal(codes(VALUES, ids=IDS), np.arange(COUNT) % 2)


@pytest.mark.parametrize("given", [VALUES, list(VALUES), pd.Series(VALUES)], ids=["array", "list", "series"])
def test_rows_of_a_table_have_no_order_to_take_values_in(given) -> None:
    with pytest.raises(InputError, match="come from a table, whose rows are in no particular order"):
        codes(given, TABLE)


def test_a_series_is_matched_by_its_index_whatever_its_kind() -> None:
    by_id = pd.Series(VALUES, index=IDS)
    in_a_range = by_id.sort_index()
    in_a_range.index = pd.RangeIndex(1, COUNT + 1)
    for given in (by_id, in_a_range, by_id.to_dict()):
        np.testing.assert_array_equal(codes(given, ids=IDS), np.arange(COUNT) % 2)
    in_order = np.argsort(IDS)
    np.testing.assert_array_equal(codes(by_id, TABLE), (np.arange(COUNT) % 2)[in_order])


def test_a_series_that_only_numbers_its_rows_is_not_taken_for_ids() -> None:
    with pytest.raises(InputError, match="whose index numbers its rows"):
        codes(pd.Series(VALUES), ids=IDS)


def test_ids_that_may_be_numbers_of_rows_in_another_order_are_refused() -> None:
    table = pd.DataFrame({"user_id": IDS - 1, "gender": VALUES})
    with pytest.raises(InputError, match="ids 0 to 39 in another order"):
        codes((table, "gender"))
    np.testing.assert_array_equal(
        codes((table.sort_values("user_id"), "gender")), VALUES[np.argsort(IDS)] == "b"
    )


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([["a"]] * COUNT, "holds lists"),
        ({}, "is empty"),
        (pd.Series(VALUES, index=[0] * COUNT), "39 ids appear more than once"),
        ((TABLE, "user_id"), "is the id itself"),
    ],
)
def test_what_is_no_value_an_entity_is_refused(given, said) -> None:
    with pytest.raises(InputError, match=said):
        codes(given)


@pytest.mark.parametrize("kind", [bool, int, float])
def test_groups_may_be_arrays_of_zeros_and_ones(kind) -> None:
    things = sources.entities("items", VECTORS, "item")
    given = {"first": (VALUES == "a").astype(kind), "rest": (VALUES == "b").astype(kind)}
    found = labels.groups_of(given, things, "item_id")
    np.testing.assert_array_equal(found.membership, np.stack([VALUES == "a", VALUES == "b"], axis=1))


def test_no_groups_are_refused() -> None:
    things = sources.entities("items", VECTORS, "item")
    with pytest.raises(InputError, match="item_groups is empty"):
        labels.groups_of({}, things, "item_id")


def test_dimensions_of_two_tables_are_matched_by_name() -> None:
    items = TABLE.rename(columns={"user_id": "item_id"})[["item_id", "d3", "d1", "d0", "d2"]]
    space = sources.space(items, TABLE)
    np.testing.assert_array_equal(space.items.vectors, space.users.vectors)


def test_a_single_dimension_has_no_directions() -> None:
    with pytest.raises(InputError, match="single dimension"):
        audit(None, VECTORS[:, :1], VALUES)


def test_one_id_for_each_vector() -> None:
    with pytest.raises(InputError, match="40 x 2 ids for 40 vectors"):
        sources.entities("users", VECTORS, "user", np.zeros((COUNT, 2)))


def test_vectors_of_zeros_are_named_and_left_out_on_request(tmp_path) -> None:
    """What is given in the order of rows stays in that of all rows."""
    vectors, member = VECTORS.copy(), np.stack([VALUES == "a", VALUES == "b"], axis=1)
    vectors[[3, 17]] = 0
    np.save(tmp_path / "users.npy", vectors)
    with pytest.raises(InputError, match=r"2 of 40 vectors are zero.* \(rows 3, 17, .*zeros='exclude'"):
        sources.space(vectors, tmp_path / "users.npy")
    space = sources.space(vectors, tmp_path / "users.npy", zeros="exclude")
    kept = np.delete(np.arange(COUNT), [3, 17])
    np.testing.assert_array_equal(space.users.vectors, vectors[kept])
    assert [(one.what, one.count) for one in space.excluded] == [
        ("users with a vector of zeros", 2),
        ("items with a vector of zeros", 2),
    ]
    table = pd.DataFrame({"user_id": [f"u{n}" for n in range(COUNT)], "gender": VALUES})
    for given in (VALUES, list(VALUES), dict(enumerate(VALUES)), pd.Series(VALUES), (table, "gender")):
        found = labels.attribute_of(given, space.users, "user_id", missing="refuse")
        np.testing.assert_array_equal(found.codes, (VALUES == "b")[kept])
    for groups in (member, pd.DataFrame(member), {"a": member[:, 0], "b": member[:, 1]}, VALUES):
        found = labels.groups_of(groups, space.items, "item_id")
        np.testing.assert_array_equal(found.membership, member[kept])
    with pytest.raises(InputError, match="all 40 vectors are zero"):
        sources.space(vectors * 0, vectors, zeros="exclude")


@pytest.mark.parametrize(
    ("ids", "ordered"),
    [("a{:02}", True), ("i{}", True), ("{}x", True), ("r{0[1]}{0[0]}", False)],
)
def test_text_ids_beside_vectors_without_any_must_be_in_order(ids, ordered) -> None:
    named = [ids.format(f"{place:02}" if "[" in ids else place) for place in range(COUNT)]
    table = pd.DataFrame({"user_id": named, "sex": VALUES})
    if ordered:
        np.testing.assert_array_equal(codes((table, "sex")), np.arange(COUNT) % 2)
    else:
        with pytest.raises(InputError, match="are not in the order of 'user_id'"):
            codes((table, "sex"))
