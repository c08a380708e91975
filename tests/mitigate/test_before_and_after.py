"""Before and after: by hand, against SciPy, and that luck is not taken for an effect."""

import numpy as np
import pytest
from scipy import stats

from calibration.rates import can_be_at_least
from evenhand.errors import InputError
from evenhand.groups.cells import Cells, Groups, every_cell, every_combination
from evenhand.groups.lists.candidates import CandidateLists
from evenhand.groups.lists.metrics import METRICS, ItemFacts, per_user
from evenhand.mitigate import before_and_after, rerank, users_of, worst_groups
from evenhand.mitigate.before_and_after import paired_change
from evenhand.mitigate.lists.gaps import change_limits


def groups_of(codes: np.ndarray, least: int = 1) -> Groups:
    cells = Cells.of(["group"], [[f"g{g}" for g in range(codes.max() + 1)]], [codes])
    return every_cell(cells, least)


CODES = np.array([0, 0, 1, 1, 2, 2])
BEFORE = np.array([0.1, 0.3, 0.5, 0.7, 0.9, np.nan])


def test_by_hand():
    """Group means .2, .6 and .9 (one user without a value); group 0 is changed to .4, .2: a mean of .3."""
    after = np.array([0.4, 0.2, 0.5, 0.7, 0.9, np.nan])
    groups = groups_of(CODES)
    chosen = worst_groups(BEFORE, groups, "higher", least=1)
    assert chosen.tolist() == [0]
    assert users_of(groups, chosen).tolist() == [True, True, False, False, False, False]
    (change,) = before_and_after({"mrr": BEFORE}, {"mrr": after}, groups, chosen, least=1)
    assert (change.metric, change.better) == ("mrr", "higher")
    assert (change.chosen.users, change.chosen.users_better, change.chosen.users_worse) == (2, 1, 1)
    assert (change.chosen.before, change.chosen.after) == pytest.approx((0.2, 0.3))
    # Differences .3 and -.1: mean .1, standard deviation .4 / sqrt 2, error .4 / 2.
    assert (change.chosen.difference, change.chosen.standard_error) == pytest.approx((0.1, 0.2))
    assert (change.others.users, change.others.difference, change.others.users_worse) == (3, 0.0, 0)
    assert change.everybody.difference == pytest.approx(0.2 / 5)
    # UF: .9 - .2 and .9 - .3.
    assert (change.gap.groups, change.gap.before, change.gap.after) == pytest.approx((3, 0.7, 0.6))
    assert (change.groups_better, change.groups_worse) == (1, 0)
    # With at least two users, group 2 does not count: .6 - .2 and .6 - .3.
    (change,) = before_and_after({"mrr": BEFORE}, {"mrr": after}, groups, chosen, least=2)
    assert (change.gap.groups, change.gap.before, change.gap.after) == pytest.approx((2, 0.4, 0.3))


def test_where_lower_is_better_the_worst_have_the_largest_values_and_a_rise_is_worse():
    groups = groups_of(CODES)
    assert worst_groups(BEFORE, groups, "lower", least=1).tolist() == [2]
    assert worst_groups(BEFORE, groups, "lower", least=2, share=1.0).tolist() == [1, 0]
    (change,) = before_and_after({"urp": BEFORE}, {"urp": BEFORE + 0.1}, groups, np.array([1]), least=1)
    assert (change.chosen.users_worse, change.others.users_worse, change.groups_worse) == (2, 3, 3)
    assert (change.chosen.users_better, change.groups_better) == (0, 0)


def test_intervals_are_those_of_the_paired_t_test():
    rng = np.random.default_rng(0)
    before, codes = rng.random(60), np.arange(60) % 3
    after = before + rng.normal(0.1, 0.2, size=60)
    (change,) = before_and_after(
        {"urd": before}, {"urd": after}, groups_of(codes), np.array([1]), 5, level=0.9
    )
    for part, mine in (
        (change.chosen, codes == 1),
        (change.others, codes != 1),
        (change.everybody, codes >= 0),
    ):
        low, high = stats.ttest_rel(after[mine], before[mine]).confidence_interval(0.9)
        # The hull with the limits of `stats.tilting`, which in ordinary data are hardly beyond.
        assert part.low <= low + 1e-9
        assert part.high >= high - 1e-9
        assert part.high - part.low < 1.05 * (high - low)
        assert part.users == mine.sum()


def test_a_change_that_nobody_of_a_few_had_is_not_told_from_none():
    """By labels, that no hit moved in 20 lists says little; of lists that were left alone it says all."""
    before, codes = np.zeros(60), np.arange(60) % 3
    (change,) = before_and_after({"mrr": before}, {"mrr": before}, groups_of(codes), np.array([1]), 5)
    assert change.chosen.low < -0.1
    assert change.chosen.high > 0.1
    assert (change.others.low, change.others.high) == (0, 0)


@pytest.mark.parametrize(("users", "up", "down"), [(50, 0.04, 0.01), (50, 0.05, 0.0), (100, 0.02, 0.02)])
def test_rare_changes_are_covered(users, up, down):
    """Student's interval covers 77 to 84% where 50 users have 5% of changes, all or most of them gains."""
    rng = np.random.default_rng(3)
    runs, covered = 300, 0
    for _ in range(runs):
        drawn = rng.random(users)
        change = np.where(drawn < up, 1.0, np.where(drawn < up + down, -1.0, 0.0)) / rng.integers(1, 6, users)
        found = paired_change(np.zeros(users), change, 1, 0.95, ends=(-1.0, 1.0))
        covered += found.low <= (up - down) * np.mean(1 / np.arange(1, 6)) <= found.high
    assert can_be_at_least(covered, runs, 0.95)


def test_the_gap_of_groups_that_are_clearly_at_the_ends_changes_as_the_group_does():
    """Groups far apart, of which the worst is changed: the paired limits of that group with half of the error
    (the rest is for pairs of groups), and of that a third, as it might have been any of three."""
    rng = np.random.default_rng(0)
    codes = np.arange(120) % 3
    before = codes + rng.normal(0, 0.1, size=120)
    after = before + np.where(codes == 0, rng.normal(0.2, 0.05, size=120), 0)
    worst = (after - before)[codes == 0]
    (change,) = before_and_after({"urd": before}, {"urd": after}, groups_of(codes), np.array([0]), 5)
    low, high = change_limits(worst, float(stats.t.ppf(1 - 0.025 / 6, 39)), None)
    assert change.gap.difference == pytest.approx(-worst.mean())
    assert (change.gap.low, change.gap.high) == pytest.approx((-high, -low))
    limits = stats.ttest_1samp(worst, 0).confidence_interval(1 - 0.025 / 3)
    assert limits.high - limits.low <= high - low < 1.05 * (limits.high - limits.low)


def test_the_gap_is_unsure_where_a_changed_group_may_be_at_an_end():
    """Three equal groups: the one that was changed is not at an end as found, and may be in truth."""
    codes, values = np.arange(90) % 3, np.tile(np.repeat([0.0, 1.0], 3), 15)
    after = np.where(codes == 1, values[::-1], values)
    after[codes == 1] = 0.5 + 0.9 * (after[codes == 1] - 0.5)
    (change,) = before_and_after({"urd": values}, {"urd": after}, groups_of(codes), np.array([1]), 5)
    assert change.gap.low < 0 < change.gap.high


def test_lists_that_stay_leave_the_gap_where_it_is():
    """Also of groups that overlap."""
    rng = np.random.default_rng(1)
    a, b = rng.integers(2, size=(2, 400))
    before = a + 0.5 * b + rng.normal(0, 0.2, size=400)
    cells = Cells.of(["a", "b"], [["0", "1"]] * 2, [a, b])
    groups = every_combination(cells, 10, 2)
    (change,) = before_and_after({"urd": before}, {"urd": before}, groups, np.array([0]), 10)
    assert (change.gap.difference, change.gap.low, change.gap.high) == (0.0, 0.0, 0.0)
    assert change.others.users == 400 - users_of(groups, np.array([0])).sum()


def test_too_few_to_say_is_not_a_number():
    groups = groups_of(np.array([0, 1]))
    values = {"mrr": np.array([0.5, np.nan])}
    (change,) = before_and_after(values, values, groups, np.array([0]), least=1)
    assert (change.chosen.users, change.chosen.difference) == (1, 0.0)
    assert np.isnan([change.chosen.standard_error, change.chosen.low, change.others.before]).all()
    assert (change.others.users, change.gap.groups) == (0, 1)
    assert np.isnan(change.gap.difference)


def test_the_worst_tenth_is_at_least_one_group_and_nan_never_the_worst():
    codes = np.arange(400) % 40
    values = codes / 40.0
    values[codes < 3] = np.nan
    assert worst_groups(values, groups_of(codes), "higher", least=10).tolist() == [3, 4, 5, 6]
    with pytest.raises(InputError, match="No group has 11 users with a value; the largest has 10"):
        worst_groups(values, groups_of(codes), "higher", least=11)


def test_other_metrics_after_than_before_are_refused():
    values = np.zeros(6)
    with pytest.raises(InputError, match="Before there are mrr, after ndcg"):
        before_and_after({"mrr": values}, {"ndcg": values}, groups_of(CODES), np.array([0]), 1)


def test_a_random_order_helps_the_unlucky_unless_they_are_measured_apart():
    """Scores and labels are noise, and the new order is noise as well: nothing is gained in truth. The worst
    groups of 20 gain on the users that made them the worst, though the differences are paired, and do not on
    others of the same groups.
    """
    rng = np.random.default_rng(5)
    users, length = 2_000, 20
    groups = groups_of(np.arange(users) % 50)
    owner, first = np.repeat(np.arange(users), length), np.arange(users) * length
    same, apart = [], []
    for _ in range(30):
        label = np.zeros(users * length, dtype=np.uint8)
        label[first + rng.integers(length, size=users)] = 1
        lists = CandidateLists.of(owner, rng.random(users * length), label, user_count=users)
        before = per_user([METRICS["mrr"]], lists, ItemFacts(), 10)
        half = rng.random(users) < 0.5
        chosen = worst_groups(before["mrr"], groups, "higher", 5, users=half)
        mine = users_of(groups, chosen)
        new = rerank(lists, ItemFacts(), mine, "relevance", 10, 1e6, boost=rng.random(users * length))
        after = per_user([METRICS["mrr"]], new, ItemFacts(), 10)
        for part, found in ((half, same), (~half, apart)):
            found.append(before_and_after(before, after, groups, chosen, 5, users=part)[0].chosen)
    assert np.mean([c.low > 0 for c in same]) > 0.8
    assert np.mean([c.low <= 0 <= c.high for c in apart]) >= 0.8  # 24 of 30; nominal .95
    assert abs(np.mean([c.difference for c in apart])) < 0.02 < np.mean([c.difference for c in same])
