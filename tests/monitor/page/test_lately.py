"""Since when single days are beyond the limit."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evenhand.findings import Finding, Interval, Verdict, compared
from evenhand.monitor.page import words
from evenhand.monitor.page.lately import lately
from evenhand.monitor.page.render import told as told_of_page
from evenhand.pictures import Series
from evenhand.results import AuditResult
from monitor.page.watched import label, watch

LIMIT = 1 / 9
FAIR, OPEN, BEYOND, BLANK = (0.02, 0.0, 0.09), (0.2, 0.05, 0.3), (0.37, 0.13, 0.53), None


def finding(measure, ends, verdicts_of, first=1, **details):
    entries = []
    for place, one in enumerate(verdicts_of):
        day = {"day": label(first + place)}
        if one is not None:
            estimate, low, high = one
            verdict = compared(low, high, LIMIT, "above").value
            fixed = {"low": low, "high": high}
            day |= {"estimate": estimate, "low": low, "high": high, "fixed": fixed, "verdict": verdict}
        entries.append(day)
    estimate, low, high = ends
    return Finding(
        audit="series",
        measure=measure,
        about={"by": {"creators": ("age",)}},
        estimate=estimate,
        interval=Interval(low=low, high=high, level=0.95, method="region", validity="anytime"),
        tolerance=LIMIT,
        harm="above",
        details={"unit": "day", "day": entries[-1]["day"], **details},
        pictures=(Series.of("day", entries),),
    )


def told(*days, pooled=OPEN):
    daily = finding("daily_penalty", days[-1] or FAIR, days)
    return daily, finding("running_penalty", pooled, days, last=label(len(days)))


def test_a_change_that_all_days_together_do_not_show_yet_is_the_first_that_is_said():
    found = told(*[FAIR] * 8, *[BEYOND] * 6)
    assert found[0].verdict is Verdict.VIOLATION
    assert found[1].verdict is Verdict.INCONCLUSIVE
    assert words.standing([("daily", label(9))], found) == [
        "Since 9 January 2026, every day is beyond the limit by itself (6 days; the latest 37%, 13 to 53%; "
        "limit 11%).",
        "Whether all 14 days taken together are beyond the limit is not decided: among them are the 8 days "
        "before, which were within it.",
        "To see these days alone: evenhand monitor show ... --from 2026-01-09. Days that are picked because "
        "they look bad look worse than they are, for which its intervals do not allow.",
        "One flag is open: daily, since 9 January 2026.",
    ]


def test_the_page_begins_with_it_too_and_what_the_latest_day_says_comes_after():
    found = told(*[FAIR] * 8, *[BEYOND] * 6)
    latest = AuditResult(found).document
    made = replace(watch({14: 0.02}), latest=latest, findings={one.id: one for one in latest.findings})
    made = replace(made, points={one.id: {} for one in latest.findings})
    said = [line.text for line in told_of_page(made)["overall"]]
    assert said[0].startswith("Since 9 January 2026, every day is beyond the limit by itself (6 days;")
    assert said[3] == "The latest day by itself:"


@pytest.mark.parametrize(
    ("days", "said"),
    [
        ([FAIR, FAIR], []),
        ([FAIR, OPEN], []),
        ([BEYOND, FAIR], []),
        ([BEYOND, FAIR, OPEN], []),
        (
            [BEYOND, FAIR, OPEN, BEYOND],
            "Since 4 January 2026, every day is beyond the limit by itself (1 day; the latest 37%,",
        ),
        (
            [FAIR, BEYOND, OPEN],
            "Since 2 January 2026, 1 of 2 days is beyond the limit by itself, 1 not decided (the last of ",
        ),
        (
            [FAIR, BEYOND, OPEN, BLANK, BEYOND, OPEN],
            "Since 2 January 2026, 2 of 5 days are beyond the limit each by itself, 2 not decided and 1 not "
            "to be judged (the last of them, 5 January 2026, 37%, 13 to 53%; limit 11%).",
        ),
    ],
)
def test_days_count_from_the_first_that_is_beyond_after_the_last_within(days, said):
    found = lately(told(*days))
    assert found[:1] == [] if not said else found[0].startswith(said)


def test_days_before_of_several_kinds_are_counted():
    said = lately(told(FAIR, FAIR, OPEN, FAIR, BEYOND))[1]
    before = "among them are the 4 days before, of which 3 were within it and 1 not decided"
    assert said == f"Whether all 5 days taken together are beyond the limit is not decided: {before}."


def test_all_days_together_that_are_within_the_limit_are_said_to_be():
    said = lately(told(FAIR, BEYOND, pooled=FAIR))[1]
    among = "among them is the day before, which was within it"
    assert said == f"All 2 days taken together are within the limit: {among}."


def test_all_days_together_that_are_beyond_too_are_said_where_they_are():
    found = told(FAIR, BEYOND, pooled=BEYOND)
    assert not any("ll 2 days" in one for one in lately(found))
    assert words.standing([], found)[-1] == "Beyond the limit over all days together: creators by age."


def test_a_day_that_came_late_counts_though_no_look_at_all_days_has_its_date():
    daily, pooled = told(FAIR, FAIR, BEYOND)
    pooled = pooled.amended(pictures=(Series.of("day", pooled.series.days[1:]),))
    assert (
        "Whether all 3 days taken together are beyond the limit is not decided" in lately([daily, pooled])[1]
    )


def test_missing_days_are_not_among_every_day():
    daily = finding("daily_penalty", BEYOND, [BEYOND, BEYOND])
    apart = daily.series.days[0].model_dump(), daily.series.days[1].model_dump() | {"day": label(4)}
    daily = daily.amended(pictures=(Series.of("day", apart),))
    said = lately([daily])[0]
    assert said.startswith("Since 1 January 2026, every day that was added is beyond the limit")
