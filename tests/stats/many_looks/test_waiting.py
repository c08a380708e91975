"""Looks until a change is seen, against simulated looks."""

import numpy as np
import pytest

from evenhand.stats.many_looks.waiting import looks_until_seen


def simulated(distance, reach, correlation, in_a_row, looks, runs=20_000):
    """The share of runs that have seen the change by each look."""
    rng = np.random.default_rng(0)
    errors = np.sqrt(correlation) * rng.normal(size=(runs, 1)) + np.sqrt(1 - correlation) * rng.normal(
        size=(runs, looks)
    )
    sees = distance + errors > np.array([reach(look) for look in range(1, looks + 1)])
    streak, seen, shares = np.zeros(runs), np.zeros(runs, dtype=bool), []
    for look in range(looks):
        streak = np.where(sees[:, look], streak + 1, 0)
        seen |= streak >= in_a_row
        shares.append(seen.mean())
    return np.array(shares)


@pytest.mark.parametrize("correlation", [0.0, 0.3, 0.8])
@pytest.mark.parametrize("in_a_row", [1, 2, 3])
def test_the_promise_is_that_of_simulated_looks(correlation, in_a_row):
    def reach(look):
        return 2.5 + 0.1 * np.log(look)

    promised = looks_until_seen(3.6, 1.0, reach, 1, correlation=correlation, in_a_row=in_a_row)
    shares = simulated(3.6, reach, correlation, in_a_row, promised)
    assert shares[-1] >= 0.8 - 0.012
    assert promised == 1 or shares[-2] <= 0.8 + 0.012


def test_users_who_all_return_make_waiting_useless():
    assert looks_until_seen(2.0, 1.0, lambda look: 2.5, 1, correlation=1.0) is None
    assert looks_until_seen(2.0, 1.0, lambda look: 2.5, 1, correlation=0.0) == 5
    assert looks_until_seen(4.0, 1.0, lambda look: 2.5, 1, correlation=1.0) == 1


def test_a_small_change_is_not_promised():
    assert looks_until_seen(0.1, 1.0, lambda look: 4 + look / 10, 1) is None


def test_what_is_certain_is_seen_as_soon_as_it_may_be_told():
    assert looks_until_seen(1.0, 0.0, lambda look: 0.5, 1) == 1
    assert looks_until_seen(1.0, 0.0, lambda look: 0.5, 1, in_a_row=3) == 3
