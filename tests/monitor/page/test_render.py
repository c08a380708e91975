"""The page of a monitor: what holds now, what happened, and nothing that data can slip in."""

from dataclasses import replace

import pytest

from dom import parsed, pictures
from evenhand.monitor.page.model import Correction, Flag, Regime
from evenhand.monitor.page.render import render
from monitor.page.watched import label, penalty, point, watch

HOSTILE = "</script><img src=x onerror=alert(1)>\"'&\u202e"
DAYS = {1: 0.02, 2: 0.3, 5: 0.3}


def full(name="gap", group="creator_age", said="It was large."):
    """A monitor to which everything happened."""
    (identifier,) = watch(DAYS, group).findings
    return watch(
        DAYS,
        group,
        flags=(
            Flag(name, f"{name}-1", identifier, "closed", label(1), label(2), said),
            Flag(name, f"{name}-2", identifier, "open", label(2), None, said, "Ada"),
            Flag(name, f"{name}-3", identifier, "withdrawn", label(1)),
        ),
        regimes=(Regime(1, label(1)), Regime(2, label(5), said)),
        corrections=(Correction(label(2), 2, said),),
        remarks=((label(5), "default has 3 rows."), (label(1), "random has 4 rows.")),
    )


def section(page, name):
    (found,) = page.all(id=name)
    return " ".join(found.text.split())


def test_the_first_words_say_what_holds_now_which_flags_are_open_and_what_is_missing():
    said = section(parsed(render(full())), "answers")
    assert "Home feed" in said
    assert "5 January 2026" in said
    assert (
        "3 of the 5 days from 1 January 2026 to 5 January 2026; 2 are missing: 3 and 4 January 2026." in said
    )
    assert "One flag is open: gap, since 2 January 2026." in said
    assert said.index("One flag is open") < said.index("beyond the")
    assert "default has 3 rows." in said
    assert "random has 4 rows." not in said
    assert "(25 to 35%, at every look; limit 10%)" in said


def test_every_flag_is_there_with_its_days_the_open_ones_first():
    page = parsed(render(full()))
    rows = [" ".join(row.text.split()) for row in page.all(id="flags")[0].all("tr")[1:]]
    assert rows == [
        "gapgap-2, seen by Ada open since 2 January 2026 It was large. ↓",
        "gapgap-1 1 January 2026 to 2 January 2026 It was large. ↓",
        "gapgap-3 withdrawn, of 1 January 2026 Opportunity penalty ↓",
    ]


def test_missing_corrected_and_other_days_are_listed():
    said = section(parsed(render(full(said="Written twice."))), "days")
    assert "Missing: 3 January 2026 to 4 January 2026 (2 days)." in said
    assert "2 January 20262Written twice." in said
    assert "1 January 2026random has 4 rows." in said
    assert "25 January 2026Written twice." in said


def test_a_quiet_monitor_says_no_more_than_there_is():
    page = parsed(render(watch({1: 0.02, 2: 0.02})))
    assert "No flag was ever raised." in section(page, "flags")
    said = section(page, "days")
    assert not any(word in said for word in ("Missing", "Corrected", "another way"))


def test_links_within_the_page_lead_somewhere():
    made = full()
    gone = made.findings[next(iter(made.findings))].amended(about={"by": {"creators": ("town",)}})
    made = replace(
        made,
        findings={**made.findings, gone.id: gone},
        points={**made.points, gone.id: {label(1): point(penalty(0.2))}},
    )
    page = parsed(render(made))
    places = {one["id"] for one in page.having("id")}
    targets = {one["href"].removeprefix("#") for one in page.all("a")}
    assert targets <= places
    assert "The latest day says nothing of it." in page.text


def test_what_the_plan_no_longer_asks_is_kept_apart():
    made = full()
    gone = made.findings[next(iter(made.findings))].amended(
        audit="groups", measure="confirmed_gap", about={"by": {"users": ("gender",)}}, question="users"
    )
    points = {**made.points, gone.id: {label(1): point(penalty(0.2))}}
    page = parsed(render(replace(made, findings={**made.findings, gone.id: gone}, points=points)))
    assert "Confirmed gap" in section(page, "gone")


def test_names_and_reasons_from_outside_cannot_leave_their_place():
    page = parsed(render(full(name=HOSTILE, group=HOSTILE, said=HOSTILE)))
    assert not page.all("img")
    assert len(page.all("script")) == 3
    assert "\u202e" not in page.text


def test_the_page_asks_nobody_and_equal_monitors_give_equal_pages():
    text = render(full())
    assert text == render(full())
    page = parsed(text)
    assert all(one["href"].startswith(("#", "data:,")) for one in page.having("href"))
    assert not page.having("src")


@pytest.mark.parametrize("unit", ["day", "week"])
def test_each_followed_finding_has_a_picture_with_its_data(unit):
    made = watch({1: 0.02, 8: 0.3, 15: 0.3}, unit=unit)
    drawn = pictures(parsed(render(made)))
    assert len(drawn) == 1
    assert f"\n{label(8)}," in drawn["1"]["data"]


def test_a_title_is_that_of_the_plan_or_else_the_name_of_the_monitor():
    assert "<title>Home feed: monitor</title>" in render(watch({1: 0.1}))
    assert "<title>home-feed: monitor</title>" in render(watch({1: 0.1}, scope={}))
