"""Rows of users of several days, added up."""

import numpy as np
import pytest

from evenhand.errors import InputError
from evenhand.user_days.rows import SEVERAL, UserRows, hashed

KEY = b"secret"


def day(people, group, values, names=(("a",), ("b",))):
    return UserRows.of(people, KEY, names, np.array(group), {"x": np.array(values, dtype=float)})


def of(rows, person):
    return int(np.flatnonzero(rows.users == hashed([person], KEY)[0])[0])


def test_each_user_has_the_mean_over_the_own_days():
    rows = day(["u", "v"], [0, 1], [1.0, 0.5]) + day(["u", "w"], [0, 1], [0.0, 0.25]) + day(["u"], [0], [0.5])
    assert len(rows) == 3
    assert rows.means[of(rows, "u"), 0] == pytest.approx(0.5)
    assert rows.days[of(rows, "u"), 0] == 3
    assert rows.means[of(rows, "w"), 0] == 0.25


def test_the_order_of_days_does_not_matter():
    rng = np.random.default_rng(0)
    days = [day(rng.choice(50, 30, False), rng.integers(0, 2, 30), rng.random(30)) for _ in range(4)]
    one, other = days[0] + days[1] + days[2] + days[3], days[3] + (days[2] + days[0]) + days[1]
    assert np.array_equal(one.users, other.users)
    assert np.array_equal(one.group == SEVERAL, other.group == SEVERAL)
    np.testing.assert_allclose(one.sums, other.sums)
    assert np.array_equal(one.days, other.days)


def test_who_changes_the_group_is_in_none_for_good():
    rows = day(["u", "v"], [0, 1], [1, 1]) + day(["u", "v"], [1, 1], [1, 1]) + day(["u"], [0], [1])
    assert rows.group[of(rows, "u")] == SEVERAL
    assert rows.groups[rows.group[of(rows, "v")]] == ("b",)


def test_groups_are_known_by_name_and_not_by_place():
    rows = day(["u"], [0], [1], (("a",), ("b",))) + day(["u", "v"], [1, 0], [1, 1], (("c",), ("a",)))
    assert rows.groups[rows.group[of(rows, "u")]] == ("a",)
    assert rows.groups[rows.group[of(rows, "v")]] == ("c",)


def test_a_day_without_a_value_is_no_day():
    rows = day(["u"], [0], [np.nan]) + day(["u", "v"], [0, 0], [0.5, np.nan])
    assert rows.means[of(rows, "u"), 0] == 0.5
    assert np.isnan(rows.means[of(rows, "v"), 0])


def test_another_key_gives_other_hashes():
    assert hashed([1, 2], b"one").tolist() != hashed([1, 2], b"two").tolist()
    assert hashed(["7"], KEY).tolist() == hashed([7], KEY).tolist() == hashed([7.0], KEY).tolist()


def test_days_of_other_questions_are_not_added():
    other = UserRows.of(["u"], KEY, (("a",),), np.array([0]), {"y": np.array([1.0])})
    with pytest.raises(InputError, match="only days of the same question"):
        day(["u"], [0], [1]) + other


def test_rows_survive_the_store():
    rows = day(["u", "v"], [0, 1], [1.0, np.nan]) + day(["u"], [1], [0.25])
    again = UserRows.read(rows.content())
    assert (again.columns, again.groups) == (rows.columns, rows.groups)
    for name in ("users", "group", "days", "sums"):
        assert np.array_equal(getattr(again, name), getattr(rows, name))
        assert getattr(again, name).dtype == getattr(rows, name).dtype
    assert again.content() == rows.content()
