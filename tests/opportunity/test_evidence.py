"""Evidence of parts adds up to that of the whole, whatever the parts."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.errors import InputError
from evenhand.inputs import table
from evenhand.opportunity.evidence import LogCounts, all_groups
from evenhand.opportunity.logs.counting import Question


def question(cluster):
    return Question.of("liked", "creator_age", cluster, None, None, "refuse")


def same(a, b):
    groups = all_groups(a, b)
    a, b = a.over(groups), b.over(groups)
    return np.array_equal(a.rows, b.rows) and np.array_equal(a.positives, b.positives)


@settings(max_examples=15, deadline=None)
@given(cut=st.integers(0, 300), cluster=st.sampled_from([None, "user_id"]), seed=st.integers(0, 99))
def test_counts_of_two_parts_are_the_counts_of_the_whole(cut, cluster, seed):
    rng = np.random.default_rng(seed)
    log = pd.DataFrame(
        {
            "user_id": rng.integers(40, size=301),
            "creator_age": rng.choice(["young", "old", "other"], size=301),
            "liked": rng.random(301) < 0.3,
        }
    )
    whole, _ = question(cluster).count(table(log))
    first, _ = question(cluster).count(table(log.iloc[: cut + 1]))
    if cut == 300:
        assert same(first, whole)
        return
    second, _ = question(cluster).count(table(log.iloc[cut + 1 :]))
    assert same(first + second, whole)
    assert same(second + first, whole)


def test_groups_of_only_one_part_are_kept():
    a = LogCounts.from_totals(["x", "y"], [1, 2], 10)
    b = LogCounts.from_totals(["z", "y"], [3, 4], 20)
    merged = a + b
    assert merged.groups == ("x", "y", "z")
    assert merged.positives.tolist() == [[1, 6, 3]]
    assert merged.total == 30


def test_clustered_and_unclustered_evidence_do_not_mix():
    clustered = LogCounts(("x",), np.ones((1024, 1), dtype=np.int64), np.ones((1024, 1), dtype=np.int64))
    with pytest.raises(InputError, match="same cluster column"):
        clustered + LogCounts.from_totals(["x"], [1], 2)


def test_more_positives_than_rows_are_refused():
    with pytest.raises(InputError, match="7 positives cannot come from 5 rows"):
        LogCounts.from_totals(["x", "y"], [3, 4], 5)


def test_missing_rows_add_up():
    a = LogCounts(("x",), np.array([[2]]), np.array([[1]]), missing=3, unseen=2, unseen_people=1)
    both = (a + a).over(("x", "y"))
    assert (both.missing, both.unseen, both.unseen_people) == (6, 4, 1)


@pytest.mark.parametrize(
    ("totals", "said"),
    [
        ((["x", "y"], [-3, 4], 50), "positives\\[0\\] is -3"),
        ((["x", "y"], [1.5, 4], 50), "positives\\[0\\] is 1.5"),
        ((["x", "y"], [3, 4], 50.5), "rows is 50.5"),
        ((["x", "y", "z"], [3, 4], 50), "positives has 2 counts, but there are 3 groups"),
        (([], [], 50), "positives has 0 counts"),
        ((["x", "x"], [3, 4], 50), "groups names one twice: x, x"),
        ((["x", "y"], [3, 2**70], 2**71), "rows is "),
    ],
)
def test_totals_that_are_no_counts_are_refused(totals, said):
    with pytest.raises(InputError, match=said):
        LogCounts.from_totals(*totals)
