"""A monitor out of a real store."""

import pytest

from evenhand.errors import InputError
from evenhand.monitor.page import write_page
from evenhand.monitor.page.model import Correction, Flag, Point, Regime
from evenhand.monitor.page.stored import point_of, watch
from monitor.page.in_store import filled
from monitor.page.watched import label, penalty


@pytest.fixture
def store(tmp_path):
    opened = filled(tmp_path / "monitor.db")
    yield opened
    opened.close()


def test_a_monitor_is_read_as_it_is_now(store):
    made = watch(store, "feed")
    identifier = penalty(0.3).id
    assert made.days == (label(1), label(3))
    assert made.gaps == (label(2),)
    points = made.points[identifier]
    assert points[label(1)].estimate == 0.02, "of a day that was corrected, what counts now"
    assert points[label(3)] == Point(0.3, 0.25, 0.35, "violation")
    assert made.latest.findings[0].estimate == 0.3
    assert made.findings[identifier].estimate == 0.3
    assert made.flags == (Flag("gap", "gap-1", identifier, "open", label(3), None, "It is large.", "Ada"),)
    assert made.regimes == (Regime(1, label(1), "first"),)
    assert made.corrections == (Correction(label(1), 1, "written twice"),)
    assert made.remarks == ((label(3), "default has 3 rows."), (label(1), "default has 3 rows."))
    assert made.looked_at == 1770098400
    assert made.scope["title"] == "Home feed"


def test_a_name_that_is_not_there_and_a_monitor_without_days_are_one_sentence(store):
    with pytest.raises(InputError, match=r"^The store .* has no monitor 'fed'; it has: empty, feed\.$"):
        watch(store, "fed")
    with pytest.raises(InputError, match=r"^The monitor 'empty' has no day yet; add one with .*\.$"):
        watch(store, "empty")


def test_the_page_is_written_into_a_folder(store, tmp_path):
    path = write_page(store, "feed", tmp_path / "shown")
    assert path == tmp_path / "shown/monitor.html"
    assert "<title>Home feed: monitor</title>" in path.read_text(encoding="utf-8")


def test_a_day_of_a_series_is_judged_by_the_limits_of_all_days_at_once():
    entry = {"day": label(2), "estimate": 0.3, "low": 0.1, "high": 0.5, "verdict": "inconclusive"}
    told = {
        "estimate": 0.3,
        "interval": {"low": 0.2, "high": 0.4},
        "verdict": "violation",
        "pictures": [{"kind": "series", "days": [entry]}],
    }
    assert point_of(told, label(2)) == Point(0.3, 0.1, 0.5, "inconclusive")
    assert point_of(told, label(3)) == Point(0.3, 0.2, 0.4, "violation")
    assert point_of({"estimate": None, "interval": None, "verdict": "not_applicable"}, label(1)) == Point(
        None, verdict="not_applicable"
    )
