"""Years of daily looks against simulated truth: flags where nothing changed, and changes that are flagged.

The claim is 500 years of every world, as `benchmarks/following.py` makes them; the tests have fewer. Seeds
are fixed, so nothing here is flaky.
"""

import numpy as np
import pytest

from calibration import following_worlds
from calibration.following_worlds import YEARS, flagged_while_forgetting, in_a_row, years_with_flags
from calibration.promise_worlds import CHANGES, promises
from calibration.rates import can_be_at_least, can_be_at_most

QUICK = {"opportunity": 1, "groups": 6, "exposure": 3}
# The worlds in which a flag comes first; benchmarks/following.py has them all.
HARDEST = [name for name in YEARS if name.endswith(("at the tolerance", "a few come always", "are rare"))]


@pytest.mark.parametrize("name", [name for name in YEARS if name.endswith("at the tolerance")])
def test_a_year_without_a_change_seldom_raises_a_flag_quick(name):
    runs = QUICK[name.partition(":")[0]]
    for flagged in years_with_flags(name, runs).values():
        assert can_be_at_most(flagged, runs, 0.05)


@pytest.mark.slow
@pytest.mark.parametrize("name", HARDEST)
def test_a_year_without_a_change_seldom_raises_a_flag(name):
    """In at most 5% of years at any of 365 looks, by any reading, with users who return."""
    runs = 6 if name.startswith("opportunity") else 20
    for flagged in years_with_flags(name, runs, first=1000).values():
        assert can_be_at_most(flagged, runs, 0.05)


@pytest.mark.parametrize(
    ("name", "runs", "least"), [("groups: at the tolerance", 6, 2), ("exposure: at the tolerance", 2, 2)]
)
def test_looks_that_do_not_share_the_error_raise_flags(name, runs, least, monkeypatch):
    """The same worlds with the interval of one day alone, which the test above must not hold in."""
    monkeypatch.setattr(following_worlds, "level_of_look", lambda level, look, share: level)
    assert years_with_flags(name, runs)["daily"] >= least


@pytest.mark.parametrize(
    ("keep", "runs"), [(7, 8), *(pytest.param(keep, 150, marks=pytest.mark.slow) for keep in (2, 7, 30))]
)
def test_days_that_are_forgotten_do_not_begin_the_error_anew(keep, runs):
    """Who keeps the last week only looks at another sample every day."""
    flagged = sum(flagged_while_forgetting(keep, np.random.default_rng([3, year])) for year in range(runs))
    assert can_be_at_most(flagged, runs, 0.05)


def test_waiting_for_several_looks_in_a_row_raises_no_flag_that_is_not_there_at_once():
    rng = np.random.default_rng(0)
    for _ in range(50):
        looks = np.flatnonzero(rng.random(40) < 0.3).tolist()
        there = [in_a_row(looks, count) for count in (1, 2, 3)]
        assert there == sorted(there, reverse=True)
    assert in_a_row([3, 5, 6], 2)
    assert not in_a_row([3, 5, 7], 2)


@pytest.mark.parametrize(
    ("name", "waiting", "runs"),
    [
        ("opportunity, .35 for .11", 1, 2),
        ("exposure, .57 for .3", 2, 3),
        ("opportunity, small traffic, .17 for .11", 1, 6),
        ("opportunity, small traffic, .44 for .11", 1, 4),
        *(pytest.param(name, 1, 6, marks=pytest.mark.slow) for name in CHANGES),
    ],
)
def test_a_change_is_flagged_within_the_days_promised(name, waiting, runs):
    """In at least 4 of 5 years, of those in which something was promised."""
    for told in promises(name, runs, waiting).values():
        assert _can_be_kept(told)


@pytest.mark.parametrize(
    ("name", "before", "runs"),
    [
        ("opportunity, .35 for .11", 30, 2),
        pytest.param("opportunity, .35 for .11", 40, 10, marks=pytest.mark.slow),
    ],
)
def test_a_change_that_comes_late_is_flagged_within_the_days_promised_by_then(name, before, runs):
    """The more days there are, the longer it takes until a change is seen in all of them."""
    told = promises(name, runs, before=before)
    assert any(one["promised"] for one in told.values())
    assert all(map(_can_be_kept, told.values()))


def _can_be_kept(told) -> bool:
    kept = sum(took <= days for took, days in zip(told["took"], told["promised"], strict=True))
    return can_be_at_least(kept, max(len(told["promised"]), 1), 0.8) or not told["promised"]
