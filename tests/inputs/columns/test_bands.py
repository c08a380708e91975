"""Numbers in bands: their names, their edges, and what is refused."""

import numpy as np
import pandas as pd
import pytest

from evenhand.errors import InputError
from evenhand.inputs import Bands, band_names, bands_of, refuse_no_numbers, table, with_whole


@pytest.mark.parametrize(
    ("edges", "whole", "names"),
    [
        ([18, 25, 35], True, ("under 18", "18 to 24", "25 to 34", "35 or more")),
        ([18, 25, 35], False, ("under 18", "18 to under 25", "25 to under 35", "35 or more")),
        ([18, 19], True, ("under 18", "18", "19 or more")),
        ([0.5, 1.5], True, ("under 0.5", "0.5 to under 1.5", "1.5 or more")),
        ([-0.0], True, ("under 0", "0 or more")),
        ([1_000_000, 2_000_000], True, ("under 1000000", "1000000 to 1999999", "2000000 or more")),
        ([0.1, 0.1000001], False, ("under 0.1", "0.1 to under 0.1000001", "0.1000001 or more")),
        ([], False, ("any",)),
    ],
)
def test_names(edges, whole, names):
    assert band_names(edges, whole) == names


def named(values, edges, whole=True):
    log = table(pd.DataFrame({"age": values}))
    made = log.run(log.expr.select(age=Bands(tuple(map(float, edges)), whole).of(log.expr.age)))
    return [None if pd.isna(name) else name for name in made["age"]]


def test_a_band_has_its_lower_edge_and_not_its_upper_one():
    assert named([17, 18, 24, 25, -3], [18, 25]) == [
        "under 18",
        "18 to 24",
        "18 to 24",
        "25 or more",
        "under 18",
    ]


def test_what_is_no_finite_number_is_in_no_band():
    found = named([17.5, np.nan, np.inf, -np.inf, 18.0], [18], whole=False)
    assert found == ["under 18", None, None, None, "18 or more"]


def test_whole_numbers_are_those_that_are_so_in_every_table():
    whole, halves = pd.DataFrame({"age": [1.0, None, 3.0]}), pd.DataFrame({"age": [1.5, 2.0]})
    bands, integers = {"age": Bands((2.0,))}, table(pd.DataFrame({"age": [1, 2]}))
    assert with_whole(bands, [integers, table(whole)])["age"].whole
    assert not with_whole(bands, [integers, table(halves)])["age"].whole


@pytest.mark.parametrize(
    "edges",
    [
        4, "18", [], [18, 18], [25, 18], [1, np.inf], [np.nan], ["18"], [True], [[1, 2]], None, 10**400,
        [10**400], list(range(2_000)),
    ],
    ids=lambda edges: str(edges)[:12],
)  # fmt: skip
def test_edges_that_are_refused(edges):
    with pytest.raises(
        InputError, match=r"bins of 'age' are .*, but must be edges, finite numbers that ascend"
    ):
        bands_of({"age": edges}, ["age"])


def test_other_bins_that_are_refused():
    with pytest.raises(InputError, match=r"bins has edges for 'age', which is no group here; .* of gender"):
        bands_of({"age": [18]}, ["gender"])
    with pytest.raises(InputError, match="bins is 4, but must be edges by column"):
        bands_of(4, ["age"])
    with pytest.raises(InputError, match="users: column 'age' is of type string, but bins are for numbers"):
        refuse_no_numbers(table(pd.DataFrame({"age": ["18"]}), name="users"), {"age": Bands((18.0,))})
    assert bands_of({"age": np.array([18, 25])}, ["age"])["age"].edges == (18.0, 25.0)
