"""From logs to the page: days that were added, missed, corrected and counted in another way."""

from datetime import UTC, datetime

import pytest

from dom import parsed, pictures
from evenhand import monitor
from evenhand.monitor import prometheus
from evenhand.monitor.days import dates
from evenhand.monitor.page.render import render
from evenhand.monitor.page.stored import watch
from evenhand.report.words.days import dated
from monitor.worlds import PLAN, days, write_day, write_plan

DAYS = days(6)
MISSED = DAYS[2]
FLAG = """
[monitoring]
[[monitoring.flags]]
name = "group"
measure = "daily_relative_utility"
"""


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """A monitor of five days: one is missing, the first was corrected, the last begins anew."""
    folder = tmp_path_factory.mktemp("feed")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(dates, "now", lambda: datetime(2026, 11, 1, tzinfo=UTC))
        plan = write_plan(folder, PLAN + FLAG)
        store = monitor.open_store(str(folder / "monitor.db"))
        for one in DAYS:
            write_day(folder, one, rows=30_000)
        for one in DAYS[:-1]:
            if one != MISSED:
                monitor.add(plan, store, one)
        write_day(folder, DAYS[0], rows=30_000, seed=1)
        monitor.correct(plan, store, DAYS[0], "The log was written twice.")
        monitor.add(plan, store, DAYS[-1], new_regime="Another ranker.")
        made = watch(store, "feed")
        store.close()
    return made


def test_a_followed_plan_is_read_with_all_that_happened(shown):
    assert shown.days == tuple(one for one in DAYS if one != MISSED)
    assert shown.gaps == (MISSED,)
    assert [one.day for one in shown.corrections] == [DAYS[0]]
    assert [one.first_day for one in shown.regimes] == [DAYS[0], DAYS[-1]]
    assert shown.flags


def test_every_finding_of_a_look_has_its_days_on_the_page(shown):
    page = parsed(render(shown))
    judged = [one for one in shown.latest.findings if one.estimate is not None]
    assert len(pictures(page)) >= len(judged) > 3
    said = page.text
    assert "The log was written twice." in said
    assert "Another ranker." in said
    assert f"1 is missing: {dated([MISSED])}." in said
    for one in pictures(page).values():
        assert f"\n{MISSED},,,,,False," in one["data"]


def test_a_day_is_drawn_with_the_limits_by_which_it_was_judged(shown):
    """Those hold on all days at once; the interval of a day by itself would be narrower."""
    finding = next(one for one in shown.latest.findings if one.measure == "daily_relative_utility")
    entry = finding.series.known[-1]
    point = shown.points[finding.id][shown.last_day]
    assert (point.low, point.high) == (entry.low, entry.high)
    assert entry.low <= entry.fixed.low <= entry.fixed.high <= entry.high


def test_what_is_exported_is_what_the_last_look_found(shown):
    lines = prometheus.text(shown).splitlines()
    told = [one for one in lines if one.startswith("evenhand_estimate{")]
    known = [one for one in shown.latest.findings if one.estimate is not None]
    assert len(told) == len(known)
    for one in known:
        assert any(f'finding="{one.id}"' in line and line.endswith(f" {one.estimate!r}") for line in told)
