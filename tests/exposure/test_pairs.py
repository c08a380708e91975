"""Shares of what relevance asks for, pair by pair of groups, and their limits."""

import numpy as np
import pytest
from scipy import stats

from evenhand.exposure.evidence import Evidence
from evenhand.exposure.pairs import pairs
from evenhand.exposure.problem.rows import dense_rows
from exposure.worlds import BLOCKS, make_world


def plain_limits(d, t, everybody, users, level, size):
    """Low and high of mean D / mean T by the formulas of the module, from the users of a group and of all."""
    n, x = len(d), d.sum() / t.sum()
    r = d - x * t
    carriers = (
        1.5 * n / (n * (r**4).sum() / (r**2).sum() ** 2 - 1 - n * (r**3).sum() ** 2 / (r**2).sum() ** 3 / 2)
    )
    quantile = stats.t.ppf(0.5 + level ** (1 / size) / 2, (carriers if 0 < carriers < 0.15 * n else n) - 1)
    scale = quantile / np.sqrt(n) / t.mean()
    anybody = np.sum([len(r) * np.var(r) for r in (g_d - x * g_t for g_d, g_t in everybody)]) / users
    own = np.sum((d - x * t) ** 2)
    reach = scale * np.sqrt((own + 8 * anybody) / (n + 7))
    if n < 100:
        reach = max(reach, scale * d.std(ddof=1))
    y, h = 1 + x, scale * np.sqrt(own / (n - 1))
    # The largest z with (z - y)^2 <= h^2 + slope (z - y): the variance grows with the ratio, or as if tilted.
    slope = max(h**2 / y, quantile**2 / n * (r**3).sum() / (r**2).sum() / t.mean())
    largest = y + max(np.roots([1, -slope, -(h**2)]).real)
    return max(x - reach, -1), max(x + reach, largest - 1)


@pytest.mark.parametrize("users", [50, 600])
def test_limits_are_those_of_the_residuals_of_a_ratio(users):
    world = make_world(users=users, seed=6)
    target = world.targets().dense(30)
    found = pairs(world.evidence("listed"), 0.9)
    for g in range(3):
        for k, items in enumerate(world.item_lists):
            t = target[:, items].mean(axis=1)
            d = world.exposure[:, items].mean(axis=1) - t
            own = world.user_groups == g
            everybody = [(d[world.user_groups == h], t[world.user_groups == h]) for h in range(3)]
            expected = plain_limits(d[own], t[own], everybody, users, 0.9, found.share.size)
            assert found.share[g, k] == pytest.approx(d[own].sum() / t[own].sum())
            assert (found.low[g, k], found.high[g, k]) == pytest.approx(expected)


def test_what_few_are_shown_is_counted_like_rare_events():
    """One user in 60 of the first group sees the first item group on top, two of the second, whom Poisson's
    upper limit counts; none of the third, who may have all there is."""
    world = make_world(users=180)
    world.user_groups[:] = np.repeat(np.arange(3), 60)
    world.exposure[:, world.item_lists[0]] = 0
    world.exposure[np.ix_([3, 70, 90], world.item_lists[0])] = 0.2
    evidence = world.evidence()
    found = pairs(evidence, 0.95)
    upper = 0.5 + 0.95 ** (1 / found.share.size) / 2
    means = np.array([1, 2, 0]) / 60 * 0.2
    seen = [np.where(np.arange(60) < users, 0.2, 0) for users in (1, 2, 0)]
    second, third = (sum(((s - s.mean()) ** power).sum() for s in seen) for power in (2, 3))
    one, count = third / second, [s.var() * 60 / (third / second) ** 2 for s in seen]
    most = means + one * (stats.gamma.ppf(upper, np.array(count) + 1) - count) / 60
    assert found.share[2, 0] == pytest.approx(-1)
    assert (found.high[:2, 0] >= most[:2] / found.matrix.target[:2, 0] - 1).all()
    all_there_is = world.targets().dense(30)[0].sum() / len(world.item_lists[0])
    rare = -np.log(1 - upper) / 60 * all_there_is
    assert rare > most[2]
    assert found.high[2, 0] == pytest.approx(rare / found.matrix.target[2, 0] - 1)


def test_a_share_that_is_the_same_for_all_is_certain():
    """Everybody is shown half as much again as asked for: the ratio is known, the difference is not."""
    world = make_world(users=600)
    target = world.targets()
    evidence = Evidence.empty(world.items, 3, **BLOCKS)
    evidence.add(dense_rows(1.5 * target.dense(30), target), world.user_groups, world.blocks)
    found = pairs(evidence)
    for side in (found.low, found.share, found.high):
        assert side == pytest.approx(0.5, abs=1e-6)


def test_the_matrix_names_who_is_over_and_under_exposed():
    # Group 0 is shown items of group 0 only, whatever it deserves; nobody else gets anything.
    world = make_world(users=60, groups=2)
    world.exposure[:] = 0
    world.exposure[np.ix_(world.user_groups == 0, world.item_lists[0])] = 1
    world.exposure[np.ix_(world.user_groups == 0, np.flatnonzero(world.membership[:, 0] == 0))] = 0
    found = pairs(world.evidence())
    assert found.over_exposed[0, 0]
    assert found.under_exposed[1].all()
    assert not (found.over_exposed & found.under_exposed).any()


def test_a_group_of_one_user_has_no_interval_in_the_matrix():
    world = make_world(users=10)
    world.user_groups[:] = [0] * 9 + [1]
    found = pairs(world.evidence())
    assert np.isnan(found.low[1]).all()
    assert not found.over_exposed[1].any()
    assert np.isfinite(found.low[0]).all()


def test_what_nobody_was_shown_is_not_certain():
    world = make_world(users=600)
    world.exposure[:, world.item_lists[1]] = 0
    found = pairs(world.evidence())
    assert found.share[:, 1] == pytest.approx(-1)
    assert (found.low[:, 1] == -1).all()
    assert (found.high[:, 1] > -0.99).all()
