"""The small pictures: where things are drawn."""

from __future__ import annotations

import pytest

from evenhand.report.pictures.strips import strip


def test_order_on_the_strip_is_the_order_of_the_values(make):
    drawn = strip(make.penalty())
    assert drawn.no_effect.x == 0
    assert drawn.band[0] == 0
    assert drawn.band[1] == drawn.edges[0] < drawn.low < drawn.estimate < drawn.high < 100


def test_the_tolerated_side_follows_the_harm(make):
    below = strip(make.ratio())
    assert below.high < below.band[0] < below.band[1] == 100
    around = strip(make.utility("a", -0.06, -0.13, 0.02))
    assert around.band == around.edges
    assert around.tolerance.x == pytest.approx(around.no_effect.x, abs=0.02)


def test_findings_of_one_measure_share_a_scale(make):
    small, large = make.penalty(0.12, 0.1, 0.14), make.penalty(0.24, 0.2, 0.28)
    together = (small, large, make.ratio())
    assert strip(large, together).estimate == pytest.approx(2 * strip(small, together).estimate, abs=0.02)


def test_labels_stay_inside(make):
    assert strip(make.penalty()).no_effect.anchor == "start"
    assert strip(make.ratio()).no_effect.anchor == "end"


def test_nothing_to_draw_without_an_interval(make):
    assert strip(make.equality()) is None
    assert strip(make.utility("a", None)) is None
