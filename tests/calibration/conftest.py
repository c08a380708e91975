"""Which of the long simulations are for whoever wants the whole claim: `make test-whole`.

`make test-slow` is part of CI. Of the settings of one claim it runs those in which it would fail
first (at the boundary, the rarest, the first of its kind), and leaves the others, named here, to
`make test-whole` and to benchmarks/*_calibration.py. Each has a quick form, or a like one, that always runs.
"""

from __future__ import annotations

import os
import re

import pytest

WHOLE = [
    re.compile(text)
    for text in (
        # Online envy: other rewards and delays than the plainest keep the boundaries, where errors are made.
        r"test_envy_online.*\[(Beta|0 or 1, zeros).*full: (easy|hard|frequent|twenty|arms as bad)",
        r"test_envy_online.*test_the_other_bounds.*zeros 20 steps late",
        r"test_envy_blocks.*test_graded.*(bad|good) ones 400 steps late-all equal",
        r"test_opportunity_coverage.*served_worse\[(1|3)-(0\.3|0\.6|0\.8)-full",
        r"test_opportunity_coverage.*from_equality_to_large\[(2|8)-(0\.0075|0\.05|0\.1)-full",
        r"test_traffic_plans.*(4 groups, from fair|for_80.*less unequal|thin_pilots.*full)",
        r"test_opportunity_experiments.*test_all_comparisons_at_once\[full",
        r"test_opportunity_series\.py.*all_changes_of_a_month_at_once\[0\.3",
        r"test_opportunity_series_weights.*users_who_come_back",
        r"test_opportunity_clusters.*(test_clustered_rows\[full|heavy_users\[2,000 users, eight)",
        r"test_association\.py.*there_is_no_direction.*(centroid-uneven|svc-round)-full",
        r"test_association_leakage.*(without_leakage.*\[0\.3-full|0\.3-200-full|is_rare\[full)",
        r"test_exposure\.py.*cover_as_they_say\[(biased|mild|accurate)-2000",
        r"test_groups.*(all differ, large groups-full|p_values_are_uniform\[full)",
        r"test_groups.*(of_30.*\[200-full|\[mixed-full)",
        r"test_groups.*rare_values_of_one_group.*world0-full",
        r"test_association\.py.*there_is_no_direction.*centroid-round-full",
        r"test_association\.py.*intervals_cover\[0\.3-1500-items0-svc-full",
        r"test_association_leakage.*0\.1-300-full",
        r"test_opportunity_series\.py.*(users_who_come_back|between \.05 and \.12-full)",
        r"test_opportunity_clusters.*8 groups, 100 items, unfair",
        r"test_opportunity_many_groups.*40 groups of 25, served.*-full",
        r"test_exposure\.py.*(seen_through_three_lists|fair to groups-2000)",
        r"test_opportunity_other_questions.*precision_where_most_is_liked.*full",
        r"test_random_log.*few_users_and_one_item.*full",
        r"test_envy\.py.*large_groups_may_lack.*full",
        r"test_together.*several_logs_share_its_error\[full",
        # Plans by power draw thousands of logs; by width they are quick.
        r"test_trade_off.*(no_point_of_a_curve_of_powers|balanced_by_its_power|power_of_some_days)",
        # Groups: one rare and one tight world stay of each claim, and the worlds with a third group.
        r"test_groups.*do_not_alarm_where.*\[(around \.91|around \.3, a 1 in (25|400)|scores of)",
        r"test_groups.*are_no_gap_where.*\[(100 users|around \.3|scores of)",
        r"test_groups.*called_detectable.*\[(20 of|50 of 40)",
        # Exposure of relevant items: the fewest users and the most stay of each world.
        r"test_exposure\.py.*what_relevant_items_get.*-10-50-full",
        # The unpaired design of envy audits is no default: its boundaries stay, plain and late.
        r"test_envy_online.*full: (bad arms|hard, between|easy, envy)",
        # Settings between others that stay.
        r"test_association\.py.*intervals_cover\[0\.6-300",
        r"test_groups.*different_shapes_do_not_alarm\[opposite tails.*-full",
        # Other questions of the same logs: what is doubted or not judged has a quick form that fails first.
        r"test_opportunity_other.*(same_logs_chose|heavy_users|three_users|less inequality).*full",
        # A year of looks: the plainest, windows of a week, a rare group among unequal ones, drift of chances.
        r"test_opportunity_series\.py.*year_of_looks\[(8 groups|4.*(plenty|swings|h = \.1)|a rare group, )",
        r"test_opportunity_series_w.*year_of_looks\[(8 groups|4.*(plenty|swings|h = \.1|h = 0, window))",
        r"test_opportunity_series_w.*year_of_looks\[.*\.1 times as often",
        r"test_opportunity_series_w.*to_and_from_a_fair_day\[.*windows of 2 days",
        r"test_opportunity_series\.py.*fair_day\[(8 groups, between 0|4.*(scarce|\.03))",
        r"test_opportunity_series\.py.*share_random_traffic\[(8 groups|4 groups), one random",
        r"test_opportunity_series\.py.*changes_of_a_month",
        r"test_opportunity_tastes.*90 days",
        # Many groups: the smallest arm, the smallest groups.
        r"test_opportunity_many.*many_small_groups\[40 groups of (100|25, (0|\.3))",
        r"test_opportunity_many.*(small_arm\[(15|25)|weigh_little\[1|three small and ten)",
        r"test_opportunity_many.*(few random-full|without_a_positive\[full)",
        r"test_opportunity_coverage.*served_worse\[(3-0\.[17]|7-0\.[3678])-full",
        r"test_opportunity_coverage.*equality_to_large\[(8-0\.(022|3)|4-0(\.1|\.022|\.05)?)-full",
        r"test_growth.*(svc|\[(many items|trainings)).*",
        r"test_traffic_plans.*(4 groups, (more|less) unequal|h = \.3 to \.2)",
        r"test_mitigation.*what_an_erasure_leaves.*\[4000",
        # Full forms of claims whose quick form has the same setting.
        r"test_association\.py.*there_is_no_direction.*svc-uneven-full",
        r"test_association_leakage.*(without_leakage.*0\.5-full|of_all_groups_of_items.*full|labels_of_items.*full)",
        r"test_exposure\.py.*cover_as_they_say\[unbiased-2000",
        r"test_groups.*(vary_more.*\[2-full|confirmed_gap_covers.*\[(one|nobody) differs-full)",
        r"test_opportunity_coverage.*an_arm_at_zero\[(both|control), eight groups-full",
        r"test_questions.*at_the_tolerance\[16-0\.3-full",
        r"test_opportunity_series\.py.*fair_day\[4 groups, between 0 and \.3, windows",
        r"test_opportunity_clusters.*(popular_items_happen.*full|heavy_users_in_both_logs\[500 users-full)",
        r"test_opportunity_many.*few default-full",
        r"test_mitigation.*accuracy_of_a_rare_attribute.*\[200",
        # One or two settings of a claim are left: the hardest, and the first of its kind.
        r"test_envy_blocks.*level_that_moves.*(decline|moods|cycle).*full",
        r"test_opportunity_coverage.*an_arm_at_zero\[(control, (eight.*plenty|four)|treatment, four).*full",
        r"test_opportunity_many.*changes_of_many.*\[(a rare.*served 3|10 groups|40.*places|a group of 400)",
        r"test_opportunity_series_w.*year_of_looks\[4 groups, h = 0, weighted",
        r"test_opportunity_series\.py.*year_of_looks\[4 groups, h = 0\]",
        r"test_opportunity_coverage.*equality_to_large\[4-0\.3-full",
        r"test_opportunity_many.*tiny_groups.*\[(10 groups|50 groups|20 groups|3 groups).*full",
        r"test_groups.*without_an_event.*\[(hits of 5%|no bounds).*full",
        r"test_groups.*one_mean.*\[(ranks, (50|100)|smooth and 0/1, 20).*full",
        r"test_groups.*(vary_more.*4-full|confirmed_gap.*all differ-full|spread_of_equal.*full)",
        r"test_exposure\.py.*cover_as_they_say\[(mild|accurate)-100",
        r"test_opportunity_tastes.*seldom_said_to_change\[(rows|3 positives)",
        r"test_association\.py.*intervals_cover\[0\.[36].*centroid-full",
        r"test_random_log.*seldom_said_not_to_be_one\[(independent|refreshes).*full",
        r"test_gate_trials.*arms_do_differ\[full",
        r"test_opportunity_clusters.*(heavy_users\[500 users-full|these\[50 items|more_heavy_users)",
        r"test_mitigation.*accuracy_of_a_rare_attribute.*\[400",
        # The longest of those that are left, where a like one stays: by what each took.
        r"test_association\.py.*intervals_cover\[(0\.6-300-items1|1\.0-120-items2)-svc-full",
        r"test_association\.py.*how_far_apart.*\[6-full",
        r"test_association_leakage.*drawn_anew\[0\.(2-400|1-200)",
        r"test_exposure\.py.*cover_as_they_say\[(biased|fair to groups)-100",
        r"test_envy_blocks.*level_that_moves.*(still|alternating visits).*full",
        r"test_envy_online.*right_and_conservative.*full: twenty equal arms",
        r"test_opportunity_many.*tiny_groups.*\[40 groups of 25-full",
        r"test_opportunity_other.*parity_of_many_small_groups\[full",
        r"test_gate_trials.*arms_do_differ\[heavy users",
        r"test_growth.*covers_and_alarms.*\[(far apart|two trainings)",
        r"test_following.*do_not_begin_the_error_anew\[(7|30)-",
        r"test_groups.*(of_30.*\[1000-full|do_not_alarm_where.*a 1 in 100, 100 users)",
        r"test_opportunity_two_way.*items_like_these\[(experiments|days, each)",
        r"test_opportunity_weights.*random_traffic\[(8 groups|4 groups, mild|4 groups, strong, little)",
        r"test_opportunity_coverage.*(served_worse\[7-1\.0|to_large\[8-0|four groups, opposite).*full",
        # Of those that are left, what took longest and has a like one, or a quick form, that stays.
        r"test_envy_online.*conservative.*Beta, high ones.*boundary",
        r"test_following.*without_a_change.*(groups: hits are rare|exposure: few users)",
        r"test_following.*within_the_days_promised\[(opportunity, \.35|groups, \.15|exposure, \.57).*-1-6",
        r"test_random_log.*depend_on_a_column.*items alike-full",
        r"test_opportunity_kinds.*everywhere\[(near fair|mild): two groups\]",
        r"test_opportunity_series_w.*share_random_traffic\[(4|8) groups, one random",
        r"test_opportunity_series\.py.*share_random_traffic\[4 groups, they lean",
        r"test_opportunity_series\.py.*fair_day\[4 groups, between 0 and \.2-full",
        r"test_questions.*at_the_tolerance\[10-0\.2-full",
        r"test_opportunity_weights.*(4 groups, strong-1000|users_who_lean\[full)",
        r"test_growth.*moved_alike_by_chance.*\[5-full",
        r"test_mitigation.*(an_erasure_leaves.*projection|few_items_carry.*20-20-full|know_nothing.*100-8-full)",
        r"test_together.*truths_at_their_limits\[full",
        r"test_exposure_rare.*few_have_most_of_them\[0\.005-1000",
        r"test_opportunity_many.*need_not_be_alike\[half.*-150",
        r"test_opportunity_clusters.*heavy_users_in_both_logs\[500 users, unfair-full",
        r"test_groups.*two_values_so_far.*world0-full",
    )
]


# Where the long tests follow the quick ones, a setting need not be run in both forms.
ONCE = "EVENHAND_EACH_SETTING_ONCE"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if item.get_closest_marker("slow") and any(one.search(item.nodeid) for one in WHOLE):
            item.add_marker(pytest.mark.whole)
    if os.environ.get(ONCE):
        _leave_to_the_long_tests(config, items)


def _leave_to_the_long_tests(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out quick forms whose full form is among the long tests."""
    long = {one.nodeid for one in items if one.get_closest_marker("slow")}
    long -= {one.nodeid for one in items if one.get_closest_marker("whole")}
    left = [one for one in items if _full_form(one.nodeid) in long]
    config.hook.pytest_deselected(items=left)
    items[:] = [one for one in items if _full_form(one.nodeid) not in long]


def _full_form(name: str) -> str | None:
    """`test_x[fair-quick]` is `test_x[fair-full]` in short."""
    return re.sub(r"\bquick(?=[-\]])", "full", name) if re.search(r"\bquick(?=[-\]])", name) else None
