"""Counts of a day that are kept as bytes come back as they were."""

import numpy as np
import pytest

from evenhand.opportunity.evidence import LogCounts
from evenhand.opportunity.followed_days.packing import Packed


@pytest.mark.parametrize(("unseen", "kept"), [((0, 0), b"[3,2]"), ((5, 4), b"[3,2,5,4]")])
def test_what_was_left_out_comes_back_too(unseen, kept):
    rows = np.array([[4, 2], [0, 1]])
    log = LogCounts(("a", "b"), rows, rows // 2, 3, None, None, 2, *unseen)
    content = Packed({}, {"default": log}).to_bytes()
    assert b'"missing":' + kept in content
    found = Packed.of_bytes(content).logs["default"]
    assert (found.missing, found.missing_people, found.unseen, found.unseen_people) == (3, 2, *unseen)
    np.testing.assert_array_equal(found.rows, rows)
