"""The terminal: at most 30 lines of 80 columns, whatever was audited."""

from __future__ import annotations

import pytest

from evenhand.report.pages import text
from evenhand.results import AuditResult


def page(document):
    return text.plain(AuditResult(document.findings, scope=document.scope, version="1").document)


@pytest.mark.parametrize("world", ["typical", "crowded", "hostile", "associated"])
def test_it_is_short_and_fits(make, world):
    lines = page(getattr(make, world)()).splitlines()
    assert len(lines) <= text.LONGEST
    assert max(map(len, lines)) <= text.WIDTH
    assert "\x1b" not in "\n".join(lines)


def test_200_groups_take_no_more_room_than_twenty(make):
    few, many = (len(page(make.crowded(groups)).splitlines()) for groups in (20, 200))
    assert many <= few + 1


def test_a_name_of_10000_letters_is_cut(make):
    named = make.utility("x" * 10_000, -0.3, -0.4, -0.2)
    lines = str(AuditResult((named,), version="1", scope={"title": "y" * 10_000})).splitlines()
    assert len(lines) <= text.LONGEST
    assert max(map(len, lines)) <= text.WIDTH


def test_it_says_the_verdict_who_how_much_and_the_limit(make):
    said = page(make.typical())
    for part in ("creators aged 18-24", "23% less often", "limit 11%"):
        assert part in said


def test_no_question_is_left_out_before_its_words_are(make):
    """Eight questions that take two lines each, and what they rest on."""
    long = "a rather long name of a group of creators that takes more than one line of a terminal"
    found = [
        make.utility(f"{long} {number}", -0.3, -0.4, -0.2).amended(
            audit=f"audit_{number}", question=f"q{number}"
        )
        for number in range(8)
    ]
    said = str(AuditResult(tuple(found), version="1"))
    assert len(said.splitlines()) <= text.LONGEST
    assert said.count("no limit set") + said.count("beyond the limit") >= 8


def test_interval_and_limit_are_never_cut_where_words_can_be(make):
    """So many questions that each has one line: it was the brackets that went."""
    found = [
        make.utility(f"creators of the rather remote region number {number}", -0.15, -0.18, -0.12).amended(
            audit=f"audit_{number}", question=f"q{number}", tolerance=0.11, harm="outside"
        )
        for number in range(8)
    ]
    lines = str(AuditResult(tuple(found), version="1")).splitlines()
    assert max(map(len, lines)) <= text.WIDTH
    told = [line for line in lines if line.startswith("  ")]
    assert len(told) == 8
    assert all(line.endswith("… 15% less often … (12 to 18%; limit 11%).") for line in told)
