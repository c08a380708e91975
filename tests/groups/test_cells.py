"""Cells and groups against dictionaries and brute force."""

from collections import Counter
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.groups.cells import Cells, Groups, every_cell, every_combination


def cells_of(rows: list[tuple[int, ...]], counts: tuple[int, ...]) -> Cells:
    """Cells from a row of codes a user; attribute a0 has the values a0=0, a0=1 and so on."""
    names = [f"a{a}" for a in range(len(counts))]
    words = [[f"{name}={value}" for value in range(count)] for name, count in zip(names, counts, strict=True)]
    columns = np.array(rows, dtype=np.int64).reshape(len(rows), len(counts)).T
    return Cells.of(names, words, list(columns))


@st.composite
def people(draw):
    """Up to 40 users with up to four attributes of up to four values, of which some nobody has."""
    counts = tuple(draw(st.lists(st.integers(1, 4), min_size=1, max_size=4)))
    row = st.tuples(*(st.integers(0, count - 1) for count in counts))
    return draw(st.lists(row, max_size=40)), counts


def sizes_by_codes(groups: Groups) -> dict[tuple[int, ...], int]:
    found = dict(zip(map(tuple, groups.codes.tolist()), groups.sizes.tolist(), strict=True))
    assert len(found) == len(groups), "a group twice"
    return found


def members_by_codes(groups: Groups) -> dict[tuple[int, ...], set[int]]:
    """The users of each group, through its cells."""
    return {
        tuple(codes): set(
            np.flatnonzero(
                np.isin(groups.of.of_user, groups.cells[groups.offsets[g] : groups.offsets[g + 1]])
            )
        )
        for g, codes in enumerate(groups.codes.tolist())
    }


@settings(max_examples=100, deadline=None)
@given(people())
def test_cells_are_a_group_by(world):
    rows, counts = world
    cells = cells_of(rows, counts)
    observed = Counter(rows)
    assert [tuple(codes) for codes in cells.codes.tolist()] == sorted(observed)
    assert cells.sizes.tolist() == [observed[codes] for codes in sorted(observed)]
    assert [tuple(cells.codes[c]) for c in cells.of_user] == rows
    assert len(cells) == len(observed)


@settings(max_examples=100, deadline=None)
@given(people(), st.data())
def test_cells_of_some_users_are_a_group_by_of_those(world, data):
    rows, counts = world
    chosen = np.array([data.draw(st.booleans()) for _ in rows], dtype=bool)
    part = cells_of(rows, counts).restricted(chosen)
    alone = cells_of([row for row, mine in zip(rows, chosen, strict=True) if mine], counts)
    assert np.array_equal(part.codes, alone.codes)
    assert np.array_equal(part.of_user, alone.of_user)
    assert part.values == alone.values


def test_more_combinations_than_64_bits_can_count():
    """30 attributes of 1,000 values: 10^90 combinations, of which a few hundred occur."""
    rng = np.random.default_rng(0)
    kinds = rng.integers(1_000, size=(300, 30))
    kinds[0] = kinds[1] = 999  # the last combination of all
    rows = [tuple(row) for row in kinds[rng.integers(300, size=900)].tolist()]
    cells = cells_of(rows, (1_000,) * 30)
    observed = Counter(rows)
    assert [tuple(codes) for codes in cells.codes.tolist()] == sorted(observed)
    assert cells.sizes.tolist() == [observed[codes] for codes in sorted(observed)]


def test_many_combinations_and_few_are_found_in_two_ways_that_agree():
    """Two attributes of 2,000 values are too many for a table; the same people with few values are not."""
    rng = np.random.default_rng(1)
    few = rng.integers(20, size=(500, 2))
    table = cells_of([tuple(row) for row in few.tolist()], (20, 20))
    sorting = cells_of([tuple(row) for row in (100 * few).tolist()], (2_000, 2_000))
    assert np.array_equal(sorting.codes, 100 * table.codes)
    assert np.array_equal(sorting.of_user, table.of_user)


@settings(max_examples=50, deadline=None)
@given(people(), st.integers(1, 6))
def test_every_cell_of_a_size(world, least):
    rows, counts = world
    groups = every_cell(cells_of(rows, counts), least)
    assert sizes_by_codes(groups) == {codes: n for codes, n in Counter(rows).items() if n >= least}


@settings(max_examples=100, deadline=None)
@given(people(), st.integers(1, 6), st.integers(0, 5))
def test_every_combination_is_what_brute_force_finds(world, least, depth):
    rows, counts = world
    expected = {}
    for size in range(1, depth + 1):
        for attributes in combinations(range(len(counts)), size):
            for values in product(*(range(counts[a]) for a in attributes)):
                members = {u for u, row in enumerate(rows) if tuple(row[a] for a in attributes) == values}
                codes = [-1] * len(counts)
                for a, value in zip(attributes, values, strict=True):
                    codes[a] = value
                if len(members) >= least:
                    expected[tuple(codes)] = members
    groups = every_combination(cells_of(rows, counts), least, depth)
    assert members_by_codes(groups) == expected
    assert sizes_by_codes(groups) == {codes: len(members) for codes, members in expected.items()}


@settings(max_examples=50, deadline=None)
@given(people(), st.data())
def test_selected_groups_keep_their_codes_and_members(world, data):
    rows, counts = world
    groups = every_combination(cells_of(rows, counts), 1, 2)
    mask = np.array([data.draw(st.booleans()) for _ in range(len(groups))], dtype=bool)
    numbers = np.array(data.draw(st.permutations(np.flatnonzero(mask).tolist())), dtype=np.int64)
    members = members_by_codes(groups)
    for chosen, some in ((np.flatnonzero(mask), groups.select(mask)), (numbers, groups.select(numbers))):
        assert some.codes.tolist() == groups.codes[chosen].tolist()
        assert some.sizes.tolist() == groups.sizes[chosen].tolist()
        assert members_by_codes(some) == {tuple(c): members[tuple(c)] for c in some.codes.tolist()}


def test_a_group_of_no_cells_has_no_users():
    cells = cells_of([(0,), (1,), (1,)], (2,))
    nothing = np.zeros(0, dtype=np.int64)
    assert every_cell(cells, 5).sizes.tolist() == []
    assert Groups(
        cells, np.array([[0], [-1], [1], [-1]]), np.array([0, 1, 1, 2, 2]), np.array([0, 1])
    ).sizes.tolist() == [1, 0, 2, 0]
    assert len(Groups.single(cells, nothing).select(nothing)) == 0


@pytest.mark.parametrize(
    ("codes", "name"),
    [([1, 0, 2], "F, 18-24, chef"), ([1, -1, -1], "gender F"), ([-1, 1, 2], "age 25-34, job chef")],
)
def test_names_say_the_attribute_where_others_may_be_anything(codes, name):
    cells = Cells.of(
        ["gender", "age", "job"],
        [["M", "F"], ["18-24", "25-34"], ["nurse", "clerk", "chef"]],
        [np.array([0, 1]), np.array([0, 1]), np.array([0, 2])],
    )
    groups = Groups(cells, np.array([codes]), np.array([0, 1]), np.array([0]))
    assert groups.name(0) == name
