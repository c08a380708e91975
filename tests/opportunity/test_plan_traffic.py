"""Plans of random traffic: what they say, what they rest on, and what they refuse."""

import math
from functools import partial
from itertools import islice

import numpy as np
import pandas as pd
import pytest

import evenhand as eh
from evenhand.errors import InputError
from evenhand.opportunity import LogCounts, plan_traffic
from evenhand.opportunity.evidence import Weights
from evenhand.opportunity.logs.arms import Arms
from evenhand.opportunity.traffic import aims
from evenhand.opportunity.traffic.aims import Aim
from evenhand.opportunity.traffic.expected import Traffic
from evenhand.opportunity.traffic.pilot_noise import redrawn, signal
from evenhand.opportunity.traffic.precision import power
from evenhand.opportunity.traffic.published_bounds import sufficient_rows
from evenhand.report.words.sentences import sentence

RATES, UTILITIES = {"young": 0.02, "old": 0.03}, {"young": 2.4, "old": 2.0}
ASSUMED = {"rates": RATES, "utilities": UTILITIES, "rows_a_day": 100_000, "random_share": 0.01}


def days(**options):
    return plan_traffic(**ASSUMED | options).find("days_needed").estimate


def test_twice_as_exact_takes_about_four_times_as_long():
    assert days(half_width=0.02) / days(half_width=0.04) == pytest.approx(4, rel=0.1)


def test_scarce_random_traffic_sets_the_pace():
    """Default traffic is plentiful, so twice the random share takes nearly half the days."""
    found = plan_traffic(**ASSUMED | {"random_share": [0.01, 0.02]}, half_width=0.05)
    one, two = (found.find("days_needed", share=share).estimate for share in (0.01, 0.02))
    assert one / two == pytest.approx(2, rel=0.05)


def test_a_design_effect_multiplies_the_days():
    assert days(half_width=0.05, design_effect=1.5) == pytest.approx(1.5 * days(half_width=0.05), rel=0.02)


def test_a_long_pilot_and_its_rates_plan_the_same():
    pilot = (
        LogCounts.from_totals(["young", "old"], [4_800_000, 6_000_000], 100_000_000),
        LogCounts(("young", "old"), *np.array([[[40_000_000, 60_000_000]], [[2_000_000, 3_000_000]]])),
    )
    traffic = {"rows_a_day": 100_000, "random_share": 0.01, "half_width": 0.05}
    assert plan_traffic(*pilot, **traffic).find("days_needed").estimate == pytest.approx(
        days(half_width=0.05), rel=1e-4
    )


def test_what_chance_adds_to_the_penalty_of_a_pilot_is_not_planned_for():
    """Four groups as unequal as chance makes 50 liked rows of groups that are equal."""
    names, traffic = list("abcd"), {"rows_a_day": 20_000, "random_rows_a_day": 1_000, "half_width": 0.05}
    pilot = (
        LogCounts.from_totals(names, [2_000] * 4, 40_000),
        LogCounts.from_totals(names, [43, 47, 53, 57], 2_000),
    )
    equal = {"rates": dict.fromkeys(names, 0.025), "utilities": dict.fromkeys(names, 2)}
    planned = plan_traffic(*pilot, **traffic).find("days_needed")
    assert planned.details["penalty"] == pytest.approx(0, abs=1e-12)
    assert planned.estimate == pytest.approx(
        plan_traffic(**equal, **traffic).find("days_needed").estimate, rel=0.2
    )


def test_a_group_that_a_pilot_hardly_tells_is_planned_for():
    """The log that is planned will tell it, and its interval is that of three groups."""
    pilot = (
        LogCounts(tuple("abc"), np.array([[72_000, 72_000, 6_000]]), np.array([[7_200, 5_760, 420]])),
        LogCounts(tuple("abc"), np.array([[3_600, 3_600, 300]]), np.array([[180, 180, 15]])),
    )
    found = plan_traffic(*pilot, rows_a_day=20_000, random_rows_a_day=1_000, half_width=0.05).find(
        "days_needed"
    )
    assert found.details["random_positives"]["c"] > 150


@pytest.mark.parametrize("users", [6, 30])
def test_a_pilot_counted_by_user_may_have_a_group_of_few(users):
    rows = np.random.default_rng(0).poisson(2, (1024, 3))
    rows[users:, 2] = 0
    pilot = LogCounts(tuple("abc"), 10 * rows, 5 * rows), LogCounts(tuple("abc"), 5 * rows, rows)
    found = plan_traffic(*pilot, rows_a_day=20_000, random_rows_a_day=1_000, half_width=0.1).find(
        "days_needed"
    )
    left_out = any("A longer log may tell groups" in text for text in found.warnings)
    assert left_out == (users < 10)


def test_logs_and_their_counts_plan_the_same(logs):
    traffic = {"rows_a_day": 50_000, "random_rows_a_day": 1_000, "half_width": 0.05}
    asked = {"label": "liked", "group": "creator_age"}
    from_logs = plan_traffic(*logs, **asked, **traffic)
    counts = []
    for log in logs:
        liked = log[log["liked"] == 1].groupby("creator_age").size()
        counts.append(LogCounts.from_totals(list(liked.index), liked.tolist(), len(log)))
    from_counts = plan_traffic(*counts, **traffic)
    assert from_logs.find("days_needed").estimate == from_counts.find("days_needed").estimate
    assert set(from_logs.inputs) == {"default", "random"}


def test_equal_weights_do_not_change_a_plan(logs):
    default, random = logs
    traffic = {"rows_a_day": 50_000, "random_rows_a_day": 1_000, "half_width": 0.05}
    asked = {"label": "liked", "group": "creator_age"}
    plain = plan_traffic(default, random, **asked, **traffic)
    same = plan_traffic(default, random.assign(p=0.3), probability="p", **asked, **traffic)
    assert same.find("days_needed").estimate == pytest.approx(plain.find("days_needed").estimate)
    rng = np.random.default_rng(0)
    uneven = plan_traffic(
        default, random.assign(p=rng.uniform(0.02, 1, len(random))), probability="p", **asked, **traffic
    )
    assert uneven.find("days_needed").estimate > 1.3 * plain.find("days_needed").estimate


def pilot_that_draws_a_group_rarely():
    """Group a is as large as b, but comes twenty times less often in random traffic."""
    rng, rows = np.random.default_rng(0), 40_000
    default = pd.DataFrame({"g": rng.choice(["a", "b"], rows), "liked": (rng.random(rows) < 0.1).astype(int)})
    drawn = rng.choice(["a", "b"], rows, p=[1 / 21, 20 / 21])
    random = pd.DataFrame({"g": drawn, "liked": (rng.random(rows) < 0.05).astype(int)})
    return default, random.assign(p=np.where(drawn == "a", 0.05, 1.0))


def test_a_weighted_pilot_collects_what_its_sampler_draws():
    default, random = pilot_that_draws_a_group_rarely()
    asked = {"label": "liked", "group": "g", "probability": "p", "rows_a_day": 40_000}
    found = plan_traffic(default, random, **asked, random_share=0.5, half_width=0.05)
    planned, cost = found.find("days_needed"), found.find("relevance_cost")
    liked = random.groupby("g")["liked"].sum() / len(random)
    assert planned.details["random_positives"] == pytest.approx(
        (liked * planned.details["random_rows"]).to_dict()
    )
    # Users see what the sampler shows them, which weights do not change.
    assert cost.details["liked_random"] == pytest.approx(random["liked"].mean())
    assert cost.estimate == pytest.approx(0.5 * (1 - random["liked"].mean() / default["liked"].mean()))
    # Utilities are of the population: both groups are equally liked, and equally served.
    assert planned.details["penalty"] == pytest.approx(0, abs=0.06)
    rare = plan_traffic(default, random, **asked, random_share=0.02, half_width=0.3).find("days_needed")
    # Where an audit expects fewer than 20 it leaves a group out, however coarse the interval may be.
    assert 20 < rare.details["random_positives"]["a"] < 25


def test_a_weighted_pilot_says_when_its_sampler_draws_too_few():
    """Of 400 random rows a day, .23% are liked and of group a: 20 in 22 days, though its weights add up."""
    default, random = pilot_that_draws_a_group_rarely()
    asked = {"label": "liked", "group": "g", "probability": "p", "rows_a_day": 400, "half_width": 0.3}
    found = plan_traffic(default, random, **asked, days=20).find("share_needed")
    assert found.estimate is None
    assert "a group has too few random rows" in found.warnings[0]
    found = plan_traffic(default, random, **asked, days=30, random_share=0.5)
    assert found.find("planned_half_width").estimate is not None


@pytest.mark.parametrize("clustered", [False, True], ids=["rows", "users"])
def test_a_weighted_pilot_of_a_day_expects_its_own_covariance(clustered):
    rng = np.random.default_rng(2)
    buckets = 1024 if clustered else 1
    rows = rng.poisson(20_000 / buckets, size=(2, buckets, 3))
    positives = rng.binomial(rows, 0.1)
    heavy = positives * [1.0, 5.0, 20.0]
    weights = Weights(rows * 3.0, rows * 30.0, heavy, heavy * [2.0, 6.0, 20.0])
    default = LogCounts(("a", "b", "c"), rows[0], positives[0])
    random = LogCounts(("a", "b", "c"), rows[1], positives[1], 0, weights.map(lambda sums: sums[1]))
    traffic = Traffic.from_pilot(default, random, default.total, random.total)
    seen = Arms.from_logs([default], random)
    assert traffic.arms(1).errors(0).covariance == pytest.approx(seen.errors(0).covariance)
    assert traffic.arms(1).utilities(0) == pytest.approx(seen.utilities(0))


def test_a_pilot_of_a_day_expects_its_own_covariance():
    """Growing a clustered pilot by 1 leaves its variance as the audit sees it."""
    rng = np.random.default_rng(2)
    logs = []
    for _ in range(2):
        positives = rng.poisson(rng.gamma(0.5, 2, size=(1024, 1)) * [1, 2, 3])
        logs.append(LogCounts(("a", "b", "c"), positives + 5, positives))
    traffic = Traffic.from_pilot(*logs, rows=logs[0].total, random_rows=logs[1].total)
    seen = Arms.from_logs(logs[:1], logs[1])
    assert traffic.arms(1).errors(0).covariance == pytest.approx(seen.errors(0).covariance)
    contrast = np.array([1, -1, 0])
    ratio = (
        seen.errors(0).variances(contrast[None])[0] / traffic.arms(4).errors(0).variances(contrast[None])[0]
    )
    assert ratio == pytest.approx(4)


@pytest.mark.parametrize("factor", [1.0001, 0.9999], ids=["more", "less"])
def test_power_does_not_count_a_change_of_the_wrong_sign(factor):
    """Of a change of nearly nothing 5% of the intervals leave out 0, but only half of them on its side."""
    traffic = Traffic(("a", "b"), np.array([[0.06, 0.03]]), np.array([0.02, 0.02]), 20_000, 20_000)
    assert power(traffic.with_treatment({"a": factor}), 14, 0.95, 0, 512) == pytest.approx(0.025, abs=0.01)


def test_the_bounds_of_the_source_are_written_out():
    """K = 2, U = (2, 1): n = 16 log(20) / (9 eps^2), times 4 (1 - p)/p for the first group."""
    p, q = np.array([0.1, 0.2]), np.array([0.2, 0.2])
    n = 16 * math.log(20) / (9 * 0.01)
    default, random = sufficient_rows(q, p, 0.1, 0.95)
    assert random == pytest.approx(n * 4 * 9)
    assert default == pytest.approx(n * 4 * 4)
    both = 16 * math.log(40) / (9 * 0.01)
    assert sufficient_rows(q, p, 0.1, 0.95, all_groups=True)[1] == pytest.approx(both * 36)


def test_random_traffic_costs_what_it_is_liked_less():
    found = plan_traffic(**ASSUMED, half_width=0.05).find("relevance_cost")
    assert found.estimate == pytest.approx(0.01 * (1 - 0.05 / 0.108))


def test_days_do_not_depend_on_the_run():
    assert days(half_width=0.05) == days(half_width=0.05)


@pytest.mark.parametrize("aim", [{"half_width": 0.1}, {"half_width": 0.1, "of": "old"}], ids=["all", "one"])
def test_the_order_of_groups_does_not_matter(aim):
    three = {"rates": RATES | {"middle": 0.03}, "utilities": UTILITIES | {"middle": 1.6}}
    turned = {name: dict(reversed(given.items())) for name, given in three.items()}
    found, again = (plan_traffic(**ASSUMED | groups | aim).findings for groups in (three, turned))
    assert [f.estimate for f in found] == pytest.approx([f.estimate for f in again], rel=1e-9)


def test_draws_go_by_what_a_group_is_and_not_by_its_place():
    """Groups as common as each other in the first arm, in random traffic, or as well served in the second."""
    rates, random_rates = np.array([[0.06, 0.06, 0.04, 0.04]]), np.array([0.02, 0.03, 0.03, 0.01])
    treatment, order = {"0": 1.5, "3": 0.8}, [2, 0, 3, 1]
    first = Traffic(tuple("0123"), rates, random_rates, 10_000, 1_000).with_treatment(treatment)
    again = Traffic(tuple("2031"), rates[:, order], random_rates[order], 10_000, 1_000).with_treatment(
        treatment
    )
    for one, other in zip(first.drawn(5, 8, 0), again.drawn(5, 8, 0), strict=True):
        assert one.positives[:, order] == pytest.approx(other.positives, rel=1e-12)
        assert one.random_positives[order] == pytest.approx(other.random_positives, rel=1e-12)


def test_an_aim_out_of_reach_is_said_so():
    found = plan_traffic(**ASSUMED | {"random_share": 1e-6}, half_width=0.001).find("days_needed")
    assert found.estimate is None
    assert "More than 3,650 days" in found.warnings[0]


def test_no_plan_is_so_short_that_an_audit_would_leave_a_group_out():
    found = plan_traffic(**ASSUMED | {"rates": {"young": 2e-4, "old": 0.03}}, half_width=0.4)
    needed = found.find("days_needed")
    assert 20 < needed.details["random_positives"]["young"] < 24
    days = [f.subject["days"] for f in found.findings if f.measure == "planned_half_width"]
    assert min(days) >= needed.estimate


def test_a_treatment_keeps_the_liked_rows():
    traffic = Traffic(("a", "b"), np.array([[0.1, 0.2]]), np.array([0.05, 0.1]), 1, 1)
    changed = traffic.with_treatment({"a": 2})
    assert changed.rates.sum(axis=1) == pytest.approx([0.3, 0.3])
    assert changed.rates[1, 0] / changed.rates[1, 1] == pytest.approx(1)


def test_the_report_has_the_picture(tmp_path):
    found = plan_traffic(**ASSUMED, half_width=0.05, group="creator_age")
    page = found.save(tmp_path).report.read_text()
    assert "31 days of logs with 1% random traffic (1,010 random rows a day) tell the penalty" in page
    assert "the diamond the days that it takes" in page
    assert eh.AuditResult.load(tmp_path).findings == found.findings


PILOT = (
    LogCounts.from_totals(["young", "old"], [0, 60], 1_000),
    LogCounts.from_totals(["young", "old"], [20, 30], 1_000),
)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "half_width or treatment must be given"),
        ({"half_width": 0.1, "treatment": {"young": 2}}, "and not both"),
        ({"half_width": 0}, "half_width is 0, but must be a finite number from 1e-06 to 1"),
        ({"half_width": 1e-300}, "half_width is 1e-300, but must be"),
        ({"half_width": 0.1, "power": 0.8}, "power belongs to an A/B test"),
        ({"half_width": 0.1, "of": "middle"}, "of is 'middle', but must be 'penalty' or a group: young, old"),
        ({"half_width": 0.1, "rows_a_day": None}, "rows_a_day is None"),
        ({"half_width": 0.1, "rows_a_day": -5}, "rows_a_day is -5"),
        ({"half_width": 0.1, "rows_a_day": 1e300}, "rows_a_day is 1e\\+300, but must be .* to 1,000,000"),
        ({"half_width": 0.1, "rows_a_day": 1e-320}, "rows_a_day is 1e-320, but must be .* from 1e-06 to"),
        ({"half_width": 0.1, "design_effect": 1e-320}, "design_effect is 1e-320, but .* of at least 1e-06"),
        (
            {"half_width": 0.1, "random_share": 1e-320},
            "random_share is 1e-320, but must be .* from one in a million million to",
        ),
        ({"half_width": 0.1, "rates": {"young": 1e-320, "old": 0.1}}, "rates\\['young'\\] is 1e-320"),
        ({"half_width": 0.1, "utilities": {"young": 1e-320, "old": 1}}, "utilities\\['young'\\] is 1e-320"),
        ({"treatment": {"young": 1e-320}}, "treatment\\['young'\\] is 1e-320, but must be .* from 1e-06 to"),
        ({"half_width": 0.1, "of": np.array(["young", "old"])}, "of is array.*, but must be text"),
        (
            {"half_width": 0.1, "rates": {1: 0.02, "1": 0.03}, "utilities": {1: 2, "1": 2}},
            "rates has the group '1' twice, as 1 and '1': give each group one name",
        ),
        ({"treatment": {1: 1.2, "1": 1.3}}, "treatment has the group '1' twice"),
        ({"half_width": 0.1, "random_share": None, "random_rows_a_day": 1e300}, "random_rows_a_day is 1e"),
        ({"treatment": {"young": 2}, "of": "young"}, "of is 'young', but an A/B test is planned for the"),
        ({"half_width": 0.1, "random_share": None}, "random_rows_a_day or random_share must be given"),
        ({"half_width": 0.1, "random_share": []}, "random_share is empty"),
        ({"half_width": 0.1, "random_share": 1.5}, "random_share is 1.5"),
        ({"half_width": 0.1, "random_rows_a_day": 10}, "and not both"),
        ({"half_width": 0.1, "rates": {"young": 0.5, "old": 0.6}}, "rates add up to 1.1"),
        ({"half_width": 0.1, "utilities": {"young": 30, "old": 20}}, "rates times utilities add up to 1.2"),
        ({"half_width": 0.1, "rates": {"young": -0.1, "old": 0.6}}, "rates\\['young'\\] is -0.1"),
        ({"half_width": 0.1, "utilities": {"young": 1}}, "'old' is in one only"),
        ({"half_width": 0.1, "utilities": None}, "rates and utilities belong together"),
        ({"half_width": 0.1, "rates": {"a": 0.1}, "utilities": {"a": 1}}, "compares at least two"),
        ({"half_width": 0.1, "design_effect": 0}, "design_effect is 0"),
        ({"half_width": 0.1, "design_effect": np.array([1.0, 2.0])}, "design_effect is array"),
        (
            {"half_width": 0.1, "rates": [0.1, 0.2]},
            "rates is .*, but must be a table of groups",
        ),
        ({"treatment": {"middle": 2}}, "names the group 'middle', but the groups are young, old"),
        ({"treatment": {"young": -2}}, "treatment\\['young'\\] is -2"),
        ({"treatment": {}}, "treatment must say by which factor"),
        ({"treatment": {"young": 1.0}}, "does not change the penalty"),
        ({"treatment": {"young": 2.0}, "power": 1.0}, "power is 1.0"),
        ({"half_width": 0.1, "default": PILOT[0]}, "stand in place of a pilot"),
        ({"half_width": 0.1, "level": 2}, "level is 2"),
    ],
)
def test_impossible_plans_are_refused(options, said):
    with pytest.raises(InputError, match=said):
        plan_traffic(**ASSUMED | options)


@pytest.mark.parametrize(
    ("pilot", "said"),
    [
        ((PILOT[0], PILOT[1]), "has no positive row of young"),
        ((PILOT[0], None), "needs both a default and a random log"),
        ((PILOT[0], pd.DataFrame({"liked": [1]})), "not one of each"),
        ((PILOT[1], LogCounts.from_totals(["young", "old"], [0, 3], 9)), "cannot be planned from"),
        ((pd.DataFrame({"liked": [1]}), pd.DataFrame({"liked": [1]})), "label and group must be named"),
    ],
)
def test_pilots_that_say_nothing_are_refused(pilot, said):
    with pytest.raises(InputError, match=said):
        plan_traffic(*pilot, rows_a_day=100, random_rows_a_day=10, half_width=0.1)


def test_the_design_effect_is_that_of_the_pilot():
    """Users who like everything or nothing, four rows of a group at a time: four times the variance."""
    rng = np.random.default_rng(3)
    logs = []
    for _ in range(2):
        positives = 4 * rng.poisson(0.5, size=(1024, 3))
        logs.append(LogCounts(("a", "b", "c"), positives + 1, positives))
    found = plan_traffic(*logs, rows_a_day=1_000, random_rows_a_day=1_000, half_width=0.1).find("days_needed")
    assert found.details["design_effect"] == pytest.approx(4, rel=0.1)
    assert plan_traffic(**ASSUMED, half_width=0.1).find("days_needed").details["design_effect"] == 1


def test_random_traffic_of_an_ab_test_is_a_share_of_both_arms(monkeypatch):
    """1% of all traffic, where each arm has 100,000 rows: 1% of 202,020."""
    monkeypatch.setattr(aims, "power", partial(power, draws=128))  # the same in both
    asked = ASSUMED | {"treatment": {"young": 1.5}, "rows_a_day": 100_000}
    by_share = plan_traffic(**asked | {"random_share": 0.01}).find("days_needed")
    daily = 200_000 * 0.01 / 0.99
    assert by_share.details["daily"] == daily
    by_rows = plan_traffic(**asked | {"random_share": None, "random_rows_a_day": daily}).find("days_needed")
    assert (by_rows.estimate, by_rows.subject["share"]) == (by_share.estimate, 0.01)


def test_a_plan_from_a_pilot_has_an_interval_that_a_longer_pilot_narrows():
    """Rates of a pilot are estimates, and what is planned from them moves with its chance."""

    def planned(times: int, **aim):
        default = LogCounts.from_totals(["a", "b"], [400 * times, 900 * times], 20_000 * times)
        random = LogCounts.from_totals(["a", "b"], [60 * times, 45 * times], 3_000 * times)
        return eh.opportunity.plan_traffic(default, random, rows_a_day=100_000, **aim).findings[0]

    thin, long = (planned(times, random_share=0.01, half_width=0.05) for times in (1, 25))
    for found in (thin, long):
        assert found.interval.low < found.estimate < found.interval.high
        assert found.interval.method == "the pilot drawn again, 64 times"
    widths = [np.log(found.interval.high / found.interval.low) for found in (thin, long)]
    assert widths[1] < widths[0] / 3
    assert " days)" in sentence(thin)
    in_time = planned(1, days=20, half_width=0.05)
    assert in_time.measure == "share_needed"
    assert in_time.interval.low < in_time.estimate < in_time.interval.high


def test_the_interval_of_a_plan_is_near_what_other_pilots_would_plan():
    traffic = Traffic(("a", "b"), np.array([[0.02, 0.045]]), np.array([0.02, 0.015]), 1e5, 1e3,
                      pilot_rows=(20_000.0, 3_000.0))  # fmt: skip
    aim = Aim("half_width", 0.05, "penalty", 0.95, 0)
    planned = aim.days(traffic)
    here = signal(aim, traffic, planned)
    for other in islice(redrawn(traffic, aim), 3):
        assert planned * (here / signal(aim, other, planned)) ** 2 == pytest.approx(aim.days(other), rel=0.15)


def test_assumed_rates_have_no_interval():
    found = eh.opportunity.plan_traffic(
        rates={"a": 0.02, "b": 0.015}, utilities={"a": 1.0, "b": 3.0}, rows_a_day=1e5, random_share=0.01,
        half_width=0.05,
    )  # fmt: skip
    assert found.find("days_needed").interval is None
