"""A finding over time: gaps stay gaps, and what happened is marked where it happened."""

import json

import pytest
import vl_convert

from evenhand.monitor.page.model import Correction, Flag, Regime
from evenhand.monitor.page.picture import over_time
from monitor.page.watched import label, watch


def drawn(made):
    (finding,) = made.findings.values()
    picture = over_time(made, finding)
    assert picture is not None
    # Vega's own compiler takes it, and warns of nothing.
    vl_convert.vegalite_to_svg(json.dumps(picture.chart().to_dict()))
    return picture


def rows_with(picture, *names):
    """The data of the layers that have all of these columns."""
    sets = picture.specification["datasets"].values()
    return [rows for rows in sets if rows and set(names) <= rows[0].keys()]


def test_no_line_crosses_a_day_without_data():
    (points,) = rows_with(drawn(watch({1: 0.1, 2: 0.1, 5: 0.2, 6: 0.2})), "piece")
    pieces = {row["day"]: row["piece"] for row in points}
    assert pieces[label(1)] == pieces[label(2)]
    assert pieces[label(5)] == pieces[label(6)]
    assert pieces[label(2)] != pieces[label(5)]


def test_no_line_crosses_a_day_that_has_no_number():
    (points,) = rows_with(drawn(watch({1: 0.1, 2: None, 3: 0.1})), "piece")
    assert [row["day"] for row in points] == [label(1), label(3)]
    assert points[0]["piece"] != points[1]["piece"]


def test_no_line_crosses_into_days_that_are_counted_in_another_way():
    regimes = (Regime(1, label(1)), Regime(2, label(3), "another label"))
    picture = drawn(watch({1: 0.1, 2: 0.1, 3: 0.1}, regimes=regimes))
    (points,) = rows_with(picture, "piece")
    assert points[1]["piece"] != points[2]["piece"]
    assert rows_with(picture, "from") == [[{"day": label(3), "from": "regime 2"}]]
    assert "counted in another way" in picture.caption


def test_flags_are_drawn_from_where_they_opened_to_where_they_closed():
    made = watch(dict.fromkeys(range(1, 9), 0.3))
    (identifier,) = made.findings
    flags = (
        Flag("first", "a-1", identifier, "closed", label(2), label(4)),
        Flag("second", "a-2", identifier, "open", label(6)),
        Flag("never", "a-3", identifier, "withdrawn", label(1)),
        Flag("of another", "a-4", "another", "open", label(1)),
    )
    picture = drawn(watch(dict.fromkeys(range(1, 9), 0.3), flags=flags))
    (spans,) = rows_with(picture, "until", "flag")
    assert [(one["flag"], one["day"], one["until"]) for one in spans] == [
        ("first", label(2), label(4)),
        ("second", label(6), label(8)),
    ]
    ends = rows_with(picture, "what")
    assert [(one["what"], one["day"]) for rows in ends for one in rows] == [
        ("opened", label(2)),
        ("opened", label(6)),
        ("closed", label(4)),
    ]
    assert "A flag was open from 2026-01-02 to 2026-01-04 and from 2026-01-06 on." in picture.description


def test_a_picture_has_no_layer_without_data():
    """A browser would complain of each."""
    made = watch({1: 0.3})
    (identifier,) = made.findings
    picture = drawn(watch({1: 0.3}, flags=(Flag("first", "a-1", identifier, "open", label(1)),)))
    assert all(picture.specification["datasets"].values())


def test_the_data_of_a_picture_has_every_day_and_all_that_happened_on_it():
    made = watch({1: 0.1, 3: 0.3}, corrections=(Correction(label(3), 1, "written twice"),))
    rows = drawn(made).rows
    assert [row["day"] for row in rows] == [label(1), label(2), label(3)]
    assert [row["data"] for row in rows] == [True, False, True]
    assert [row["corrected"] for row in rows] == [False, False, True]
    assert [row["estimate"] for row in rows] == [0.1, None, 0.3]
    assert [row["verdict"] for row in rows] == ["inconclusive", None, "violation"]


def test_a_mark_that_is_not_there_is_not_explained():
    caption = drawn(watch({1: 0.1, 2: 0.1})).caption
    assert not any(word in caption for word in ("Grey", "flag", "Dotted", "corrected", "Only"))
    assert caption == (
        "Blocks: the 95% interval of each day, by which it was judged. Dashed: the limit (at most 10%)."
    )


def test_what_is_of_all_days_so_far_is_called_so():
    made = watch({1: 0.1, 2: 0.1})
    (finding,) = made.findings.values()
    pooled = finding.amended(id=finding.id, details={"first": label(1)}, tolerance=None)
    picture = over_time(made, pooled)
    assert picture is not None
    assert picture.caption == "Blocks: the 95% interval of all days up to each."


def test_of_a_year_only_days_beyond_the_limit_have_marks_and_lone_days():
    estimates = {day: 0.02 for day in range(1, 366) if day not in (99, 101)} | {200: 0.4}
    (marked,) = [rows for rows in rows_with(drawn(watch(estimates)), "piece") if len(rows) < 300]
    assert [row["day"] for row in marked] == [label(100), label(200)]


@pytest.mark.parametrize("estimates", [{1: None}, {1: None, 4: None}])
def test_what_never_had_a_number_is_not_drawn(estimates):
    made = watch(estimates)
    (finding,) = made.findings.values()
    assert over_time(made, finding) is None
