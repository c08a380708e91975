"""Users who come less often after they were shown little of what they like."""

from functools import reduce
from operator import add

import numpy as np
import pytest

from evenhand.about import structured
from evenhand.exposure.followed_days.counting import question_of
from evenhand.exposure.followed_days.kept_day import ExposureDay, OfPolicy
from evenhand.exposure.followed_days.telling import of_all_days, of_these_days
from evenhand.user_days.rows import UserRows
from evenhand.user_days.visits import BY_VISITS

SIZES = np.array([40, 40, 20])
BY = structured({"by": {"users": ("gender",), "items": ("genre",)}})
QUESTION = question_of({"tolerance": 0.05})


def days_of(leaving, shown=1.0, seed=0):
    """All are shown what they ask for times `shown`, in the mean; women who see little of it one day leave
    for good with this chance, and others take their places."""
    rng = np.random.default_rng(seed)
    group = (rng.random(3000) < 0.4).astype(np.int64)
    taste, person = rng.dirichlet(np.full(3, 0.6), 3000), np.arange(3000)
    found = []
    for _ in range(40):
        here = np.flatnonzero(rng.random(3000) < 0.3)
        target, luck = 5 * taste[here] / SIZES, rng.exponential(1.0, (len(here), 3))
        random = np.full(target.shape, 5 / SIZES.sum())
        cells = np.column_stack([shown * target * luck, target, random, np.full(len(here), 0.5)])
        columns = {str(place): column for place, column in enumerate(cells.T)}
        rows = UserRows.of(person[here], b"key", (("M",), ("F",)), group[here], columns)
        policy = OfPolicy(BY, 1.0, (), (), False, {})
        found.append(ExposureDay(rows, ("x", "y", "z"), tuple(SIZES.tolist()), (policy,)))
        little = luck[np.arange(len(here)), taste[here].argmax(axis=1)] < 0.6
        gone = here[little & (group[here] == 1) & (rng.random(len(here)) < leaving)]
        person[gone] = person.max() + 1 + np.arange(len(gone))
        taste[gone] = rng.dirichlet(np.full(3, 0.6), len(gone))
    return reduce(add, found)


@pytest.mark.parametrize("seed", range(2))
def test_users_who_leave_after_a_bad_list_do_not_make_a_pair_that_is_off(seed):
    """No pair is off on any day."""
    days = days_of(0.8, seed=seed)
    for found in (of_all_days(QUESTION, days, 40), of_these_days(QUESTION, days)):
        pairs = [one for one in found if one.measure == "pair_exposure"]
        assert any(one.interval.high < -0.05 for one in pairs)  # what would be said without a doubt
        assert all(one.verdict != "violation" for one in pairs)
        assert any(BY_VISITS in one.doubts for one in pairs)


def test_pairs_that_are_off_on_every_day_are_not_doubted():
    found = [one for one in of_all_days(QUESTION, days_of(0.0, shown=0.7), 40) if one.tolerance is not None]
    assert {one.verdict for one in found} == {"violation"}
    assert all(abs(one.details["moved_by_visits"]) < 0.05 for one in found)
