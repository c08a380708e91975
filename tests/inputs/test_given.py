"""What is given from Python for rows that are known already has one reading, or is refused."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import evenhand as eh
from evenhand.association.vectors import labels, sources
from evenhand.envy.systems import policies
from evenhand.errors import InputError
from evenhand.inputs.given import Things, is_matrix, memberships, values

RNG = np.random.default_rng(0)
VECTORS = RNG.normal(size=(40, 4))
TASTES = RNG.random((6, 8))
MEMBER = np.array([[1, 0], [0, 1], [1, 1], [1, 0]] * 2)
ORDER = RNG.permutation(40)


def envy(groups):
    return eh.envy.audit(TASTES, inverse_temperature=5.0, groups=groups, epsilon=0.01)


def directions(attribute):
    return eh.association.directions(VECTORS, attribute)


def accuracy(attribute):
    return eh.association.accuracy(VECTORS, attribute)


@pytest.mark.parametrize("empty", [np.nan, None, pd.NA, pd.NaT, ""])
@pytest.mark.parametrize("kind", [list, lambda cells: np.array(cells, dtype=object), pd.Series])
@pytest.mark.parametrize(("asked", "count"), [(envy, 6), (directions, 40), (accuracy, 40)])
def test_what_is_empty_is_never_a_group_of_its_own(asked, count, kind, empty):
    cells = kind(["a", "b"] * (count // 2 - 1) + ["a", empty])
    with pytest.raises(eh.InputError, match=f"1 of {count} (users|vectors) have no group"):
        asked(cells)


@pytest.mark.parametrize(("asked", "count"), [(envy, 6), (directions, 40), (accuracy, 40)])
@pytest.mark.parametrize("kind", ["one-hot", "frame", "shuffled"])
def test_labels_that_have_two_readings_are_refused(asked, count, kind):
    given = {
        "one-hot": np.eye(count, dtype=int),
        "frame": pd.DataFrame(np.eye(count, dtype=int)),
        "shuffled": pd.Series(["a", "b"] * (count // 2), index=[*range(1, count), 0]),
    }[kind]
    with pytest.raises(eh.InputError, match=r"two axes|in another order|no column 'user_id'"):
        asked(given)


def test_amounts_are_no_groups():
    with pytest.raises(eh.InputError, match="40 different numbers with fractions"):
        directions(RNG.normal(size=40))


@pytest.mark.parametrize(
    "kind",
    [np.array, lambda rows: sparse.csr_array(rows), lambda rows: pd.DataFrame(rows, columns=["a", "b"])],
)
def test_categories_may_be_a_0_1_table(kind):
    names = [["a"], ["b"], ["a", "b"], ["a"]] * 2
    for policy in (policies.parity_of_exposure, policies.equity_of_exposure):
        np.testing.assert_allclose(policy(TASTES, kind(MEMBER)), policy(TASTES, names), atol=1e-9)


@pytest.mark.parametrize("kind", [lambda table: table, sparse.csr_array])
def test_memberships_without_ids_beside_a_table_of_vectors_are_refused(kind):
    """Its rows are put in the order of their ids, which a matrix does not know."""
    table = pd.DataFrame({"item_id": ORDER, **{f"d{i}": VECTORS[:, i] for i in range(4)}})
    things = sources.entities("items", table, "item")
    member = np.stack([ORDER % 2 == 0, ORDER % 2 == 1], axis=1).astype(int)
    with pytest.raises(eh.InputError, match="item_groups has no ids, but items come from a table"):
        labels.groups_of(kind(member), things, "item_id")
    by_id = labels.groups_of(pd.DataFrame(member, index=ORDER, columns=["even", "odd"]), things, "item_id")
    np.testing.assert_array_equal(by_id.membership[:, 0], np.arange(40) % 2 == 0)


def test_a_frame_of_memberships_is_taken_by_its_index():
    things = sources.entities("items", VECTORS, "item")
    frame = pd.DataFrame({"even": (ORDER % 2 == 0).astype(int), "odd": ORDER % 2}, index=ORDER)
    found = labels.groups_of(frame, things, "item_id")
    np.testing.assert_array_equal(found.membership[:, 1], np.arange(40) % 2 == 1)


def test_one_value_that_is_text_and_number_is_refused():
    things = sources.entities("users", VECTORS, "user")
    with pytest.raises(eh.InputError, match="has '1' both as text and as a number"):
        labels.attribute_of([1, "1", 2, 2] * 10, things, "user_id", missing="refuse")


def test_frames_of_preferences_are_taken_by_their_ids():
    users, items = list("uvwxyz"), [f"i{i}" for i in range(8)]
    tastes = pd.DataFrame(TASTES, index=users, columns=items)
    shown = pd.DataFrame(policies.softmax(TASTES[::-1], 5.0), index=users, columns=items)
    plain = eh.envy.audit(TASTES, shown.to_numpy(), groups=list("ababab"), top=10)
    named = eh.envy.audit(
        tastes, shown.iloc[::-1, ::-1], groups=pd.Series(list("ababab"), index=users).iloc[::-1], top=10
    )
    assert [f.estimate for f in named.findings] == [f.estimate for f in plain.findings]
    pairs = [f for f in named.findings if f.measure == "envy_pair"]
    assert pairs
    assert {f.subject["user"] for f in pairs} <= set(users)
    with pytest.raises(eh.InputError, match="6 of 6 users are not in its index"):
        eh.envy.audit(tastes, shown.set_axis(range(1, 7)))


def test_a_table_of_rows_is_no_matrix():
    rows = pd.DataFrame({"user": [1, 2], "item": [1, 2], "score": [0.1, 0.2]})
    assert not is_matrix(rows)
    assert not is_matrix(rows.rename(columns={"user": "user_id"}))
    assert is_matrix(rows, np.ones((2, 3)))
    assert is_matrix(rows.set_axis([0, 1, 2], axis=1))
    assert is_matrix(rows.rename_axis(index="user_id"))


@pytest.mark.parametrize(
    "given", [[["a"], ["b", "c"]], [["a", "b"], ["c", "d"]], ["a", "b"], [0, 1], [[0], [1]]]
)
def test_names_and_lists_of_names_are_no_memberships(given):
    assert memberships("groups", given, Things.of("items", 2)) is None


def test_ids_beside_rows_that_have_none_are_refused():
    """Nobody can tell whose row is whose."""
    given = pd.Series(["a", "b"], index=["u2", "u1"])
    with pytest.raises(InputError, match=r"its index has ids \(such as 'u2'\), while users are rows"):
        values("groups", given, Things.of("users", 2))
    assert values("groups", given.reset_index(drop=True), Things.of("users", 2)) == ["a", "b"]
    assert values("groups", given.to_numpy(), Things.of("users", 2)) == ["a", "b"]
    assert values("groups", given, Things.of("users", ["u1", "u2"])) == ["b", "a"]
