"""The share of a group that liked an item, against dictionaries."""

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.mitigate import group_prior
from groups.oracle import Candidate
from groups.worlds import ITEMS, lists_of, worlds


def test_by_hand():
    """Users 0, 1 and 2 are one group, 3 alone; item 5 was liked by 1 and 3."""
    lists = lists_of([[Candidate(1.0, 0, 5)]] * 4)
    found = group_prior(lists, np.array([1, 3, 1]), np.array([5, 5, 5]), np.array([0, 0, 0, 1]))
    # User 0: 1 of 2 others of the group, 2 of 3 others; user 1: 0 of 2, 1 of 3; user 3: nobody, 1 of 3.
    expected = [(1 + 20 * 2 / 3) / 22, (0 + 20 * 1 / 3) / 22, (1 + 20 * 2 / 3) / 22, (0 + 20 * 1 / 3) / 20]
    assert found == pytest.approx(expected)


@settings(max_examples=100, deadline=None)
@given(worlds(), st.data())
def test_it_is_what_the_others_liked(world, data):
    users = world[0]
    likes = data.draw(
        st.lists(st.tuples(st.integers(0, len(users) - 1), st.integers(0, ITEMS + 1)), max_size=30)
    )
    group = [data.draw(st.integers(0, 2)) for _ in users]
    liked_by = defaultdict(set)
    for user, item in likes:
        liked_by[item].add(user)
    lists = lists_of(users)
    found = group_prior(
        lists, np.array([u for u, _ in likes], int), np.array([i for _, i in likes], int), np.array(group)
    )
    owner = np.repeat(np.arange(lists.user_count), lists.lengths)
    for row, (user, item) in enumerate(zip(owner, lists.item, strict=True)):
        others = liked_by[item] - {user}
        near = {v for v in others if group[v] == group[user]}
        share = len(others) / max(len(users) - 1, 1)
        assert found[row] == pytest.approx((len(near) + 20 * share) / (group.count(group[user]) - 1 + 20))


def test_what_a_user_likes_does_not_move_what_that_user_is_told():
    """Also if the history holds the very items that the lists are tested with."""
    lists = lists_of([[Candidate(1.0, int(i == u), i) for i in range(4)] for u in range(4)])
    others = np.array([0, 0, 2, 3]), np.array([1, 2, 0, 3])
    with_own = np.append(others[0], 1), np.append(others[1], 1)
    plain, leaked = (group_prior(lists, *each, np.zeros(4, int)) for each in (others, with_own))
    assert plain[4:8].tolist() == leaked[4:8].tolist()
    assert (plain != leaked).any()
