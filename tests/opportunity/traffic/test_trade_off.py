"""Plans for the time that there is: the share that is needed, what it costs, and the best balance."""

import numpy as np
import pytest

from evenhand.errors import InputError
from evenhand.opportunity import plan_traffic
from evenhand.opportunity.traffic.aims import Aim
from evenhand.opportunity.traffic.expected import Traffic
from evenhand.opportunity.traffic.trade_off import TradeOff

ASSUMED = {
    "rates": {"young": 0.02, "old": 0.03},
    "utilities": {"young": 2.4, "old": 2.0},
    "rows_a_day": 100_000,
}
# What one random row costs in liked rows: 1 - (.02 + .03) / (.048 + .06).
LOST = 1 - 0.05 / 0.108


def planned(**options):
    return plan_traffic(**ASSUMED | options)


def needed(**options):
    return planned(**options).find("share_needed").estimate


@pytest.mark.parametrize("aim", [{"half_width": 0.05}, {"half_width": 0.1, "of": "old"}], ids=["all", "one"])
def test_the_share_for_some_days_takes_these_days(aim):
    share = needed(days=20, **aim)
    days = planned(random_share=share, **aim).find("days_needed").estimate
    assert days == pytest.approx(20, rel=0.02)


@pytest.mark.slow
def test_the_share_for_the_power_of_some_days_takes_these_days():
    ab_test = {"treatment": {"young": 1.3}, "power": 0.7}
    share = needed(days=20, **ab_test)
    days = planned(random_share=share, **ab_test).find("days_needed").estimate
    assert days == pytest.approx(20, rel=0.02)


def test_more_days_need_a_smaller_share():
    shares = [needed(days=days, half_width=0.05) for days in (3, 10, 30, 100)]
    assert shares == sorted(shares, reverse=True)
    # Random rows are the scarce ones, so there must be as many of them in the end.
    assert shares[2] / shares[3] == pytest.approx(100 / 30, rel=0.05)


def test_what_the_share_costs_and_brings():
    found = planned(days=14, half_width=0.05)
    share, cost = found.find("share_needed"), found.find("relevance_cost")
    assert cost.estimate == share.details["relevance_cost"] == pytest.approx(share.estimate * LOST)
    rows = 100_000 * share.estimate / (1 - share.estimate)
    assert share.details["random_rows"] == pytest.approx(14 * rows)
    assert share.details["random_positives"] == pytest.approx({"young": 0.28 * rows, "old": 0.42 * rows})
    assert found.find("bound_ratio").details["random_rows"] / share.details["random_rows"] == pytest.approx(
        found.find("bound_ratio").estimate
    )


def test_the_curve_is_of_all_shares_and_of_those_named():
    found = planned(days=14, half_width=0.05, random_share=[0.01, 0.7])
    (curve,) = found.findings[0].pictures
    shares, widths = zip(*curve.line("reached"), strict=True)
    shares, widths = list(shares), list(widths)
    costs = [cost for _, cost in curve.line("relevance_cost")]
    assert {0.01, 0.5, 0.7, curve.marks["share_needed"]} < set(shares)
    assert shares == sorted(shares)
    assert widths == sorted(widths, reverse=True)
    assert costs == pytest.approx([share * LOST for share in shares])
    # The first share has twenty liked rows of the rarer group, and as many more as chance may take.
    assert 20 < shares[0] / (1 - shares[0]) * 100_000 * 14 * 0.02 < 30
    at_aim = dict(zip(shares, widths, strict=True))[curve.marks["share_needed"]]
    assert at_aim == pytest.approx(0.05, rel=0.01)
    named = found.find("planned_half_width", share=0.01)
    assert named.estimate == dict(zip(shares, widths, strict=True))[0.01]


def test_rows_a_day_name_a_share_too():
    found = planned(days=14, half_width=0.05, random_rows_a_day=100_000 / 9)
    assert found.find("planned_half_width").subject["share"] == 0.1


def test_default_traffic_is_chance_too_and_sets_a_limit():
    found = planned(days=2, half_width=0.01).find("share_needed")
    assert found.estimate is None
    assert "up to 50% is enough: that much would give an interval of ±2.4 points" in found.warnings[0]
    assert "share_needed" not in found.pictures[0].marks
    assert planned(days=2, half_width=0.025).find("share_needed").estimate == pytest.approx(0.45, abs=0.05)


@pytest.mark.parametrize("tighter", [1.0005, 0.999], ids=["just enough", "just not"])
def test_the_most_that_is_looked_at_counts_too(tighter):
    three = {
        "rates": {"a": 0.03, "b": 0.02, "c": 0.05},
        "utilities": {"a": 1.5, "b": 1.2, "c": 1.6},
        "rows_a_day": 20_000,
        "days": 14,
        "random_share": 0.5,
    }
    at_half = plan_traffic(**three, importance=0.5).find("planned_half_width").estimate
    found = plan_traffic(**three, half_width=at_half * tighter).find("share_needed").estimate
    assert found is None if tighter < 1 else found == pytest.approx(0.5, abs=0.01)


def test_days_in_which_nothing_happens_are_said_so():
    found = planned(days=0.001, importance=0.5, half_width=0.1)
    assert [finding.estimate for finding in found.findings] == [None, None]
    assert "a group has too few random rows" in found.findings[0].warnings[0]


def test_a_named_share_that_brings_nothing_is_said_so():
    found = planned(days=14, half_width=0.05, random_share=[1e-9, 0.01])
    nothing, something = (f for f in found.findings if f.measure == "planned_half_width")
    assert nothing.estimate is None
    assert "In 14 days with 1e-07% random traffic, a group has too few random rows" in nothing.warnings[0]
    assert something.estimate < 0.1


def test_the_best_balance_is_where_a_share_more_tells_as_much_as_it_costs():
    """Far from equality and with little random traffic the half-width is a / sqrt(share), so that
    (1 - g) c = g a / (2 share^1.5) at the best share."""
    far = {"rates": {"a": 0.02, "b": 0.03}, "utilities": {"a": 3.0, "b": 1.0}, "rows_a_day": 1e7}
    found = plan_traffic(**far, days=1, importance=0.1, random_share=0.001)
    a = found.find("planned_half_width").estimate * np.sqrt(0.001)
    c = found.find("relevance_cost", share=0.001).estimate / 0.001
    assert found.find("balanced_share").estimate == pytest.approx(
        (0.1 * a / (2 * 0.9 * c)) ** (2 / 3), rel=0.05
    )


def test_no_share_is_better_than_the_best_balance():
    traffic = Traffic(("a", "b"), np.array([[0.05, 0.04]]), np.array([0.02, 0.02]), 50_000, 1)
    trade_off = TradeOff(traffic, 10, Aim("half_width", None, "penalty", 0.95, 0))

    def utility(share, g):
        return (1 - g) * (1 - traffic.relevance_cost(share)) + g * (1 - trade_off.at(share))

    for g in (0.02, 0.3, 0.9):
        best = utility(trade_off.balanced_share(g), g)
        assert best >= max(utility(share, g) for share in np.geomspace(1e-4, 0.5, 40)) - 1e-4


def test_the_more_accuracy_counts_the_more_random_traffic_is_best():
    shares = [planned(days=14, importance=g).find("balanced_share").estimate for g in (0.05, 0.2, 0.6)]
    assert shares == sorted(shares)
    assert shares[0] < shares[2] / 3


@pytest.mark.parametrize(
    ("importance", "rates", "said"),
    [
        (0.999, {"young": 0.02, "old": 0.03}, "is at 50%, the most that is looked at"),
        # The widest interval hardly matters, and every random row costs nearly a liked one.
        (0.001, {"young": 6e-4, "old": 9e-4}, "is at the least share that can be planned for"),
    ],
)
def test_a_balance_at_an_edge_is_said_so(importance, rates, said):
    found = planned(days=1, importance=importance, rates=rates).find("balanced_share")
    assert any(said in warning for warning in found.warnings)


def test_a_balance_that_is_none_needs_no_aim_and_an_aim_needs_no_balance():
    alone = planned(days=14, importance=0.2)
    assert {finding.measure for finding in alone.findings} == {"balanced_share", "relevance_cost"}
    assert not {"target", "share_needed"} & set(alone.findings[0].pictures[0].marks)


@pytest.mark.slow
def test_an_ab_test_is_balanced_by_its_power():
    found = planned(days=14, treatment={"young": 1.3}, importance=0.5, power=0.7)
    (curve,) = found.findings[0].pictures
    assert curve.aim == "power"
    powers = dict(curve.line("reached"))
    assert powers[curve.marks["share_needed"]] == pytest.approx(0.7, abs=0.01)
    utility = {share: 0.5 * (1 - share * LOST) + 0.5 * power for share, power in powers.items()}
    assert utility[curve.marks["balanced_share"]] == max(utility.values())


@pytest.mark.slow
def test_no_point_of_a_curve_of_powers_is_better_than_the_best_balance():
    """A power is a share of draws, so that it has steps and its curve is never quite smooth."""
    found = plan_traffic(
        rates={"a": 0.03, "b": 0.02, "c": 0.05},
        utilities={"a": 1.5, "b": 1.2, "c": 1.6},
        rows_a_day=20_000,
        days=14,
        treatment={"a": 1.2},
        importance=0.1,
        random_share=[0.055, 0.06, 0.065, 0.8],
    )
    (curve,) = found.findings[0].pictures
    costs = dict(curve.line("relevance_cost"))
    utility = {share: 0.9 * (1 - costs[share]) + 0.1 * reached for share, reached in curve.line("reached")}
    best = curve.marks["balanced_share"]
    # One of 80% is beyond what is looked at.
    assert {0.055, 0.06, 0.065, best} < set(utility)
    assert utility[best] == max(value for share, value in utility.items() if share <= 0.5)
    assert found.find("balanced_share").warnings == ()


class Stepped(Aim):
    """A power that one share has a little more of by chance, as a share of draws has."""

    def reached(self, traffic, days):
        return 0.5 + 0.2 * round(traffic.share, 1) + (0.1 if traffic.share == pytest.approx(0.0123) else 0)


def test_a_named_share_that_is_better_than_what_the_search_found_is_the_answer():
    traffic = Traffic(("a", "b"), np.array([[0.05, 0.04]] * 2), np.array([0.02, 0.02]), 50_000, 1)
    trade_off = TradeOff(traffic, 10, Stepped("power", 0.8, "penalty", 0.95, 0))
    assert trade_off.balanced_share(0.5) != 0.0123
    assert trade_off.balanced_share(0.5, [0.02, 0.0123]) == 0.0123
    # Too little to plan by, and more than is looked at.
    assert trade_off.balanced_share(0.99, [1e-9, 0.9]) == 0.5


def test_a_best_balance_that_mostly_misses_the_change_is_said_so():
    small = {"days": 0.01, "treatment": {"young": 1.0001}, "importance": 0.5}
    found = planned(**small).find("balanced_share")
    assert "would miss the change more often than not" in found.warnings[-1]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"days": 0, "half_width": 0.1}, "days is 0, but must be a finite number above 0 and at most 3,650"),
        ({"days": 1e6, "half_width": 0.1}, "days is 1000000"),
        ({"days": "14", "half_width": 0.1}, "days is '14'"),
        ({"days": 14}, "half_width or treatment must be given"),
        ({"days": 14, "importance": 1, "half_width": 0.1}, "importance is 1, but must be"),
        ({"days": 14, "importance": 0}, "importance is 0, but must be"),
        ({"random_share": 0.1, "importance": 0.5, "half_width": 0.1}, "name the days"),
        ({"days": 14, "importance": 0.5, "power": 0.8}, "power belongs to an A/B test"),
        ({"days": 14, "half_width": 0.1, "treatment": {"young": 2}}, "and not both"),
        ({"days": 14, "half_width": 0.1, "random_share": 0.1, "random_rows_a_day": 10}, "and not both"),
    ],
)
def test_contradictions_are_refused(options, said):
    with pytest.raises(InputError, match=said):
        planned(**options)
