"""The picture of a trade-off: a line, what it costs on top, and the answers as marks."""

import pytest

from evenhand.pictures import Line, Lines
from evenhand.report.pictures.gallery import pictures_of
from short_findings import short

POINTS = [[0.0001, 0.4], [0.001, 0.13], [0.01, 0.04], [0.02, 0.03], [0.5, 0.01]]


def curve(**changes):
    marks = {"days": 14, "target": 0.04} | {key: value for key, value in changes.items() if key != "kind"}
    costs = tuple((share, 0.5 * share) for share, _ in POINTS)
    return Lines(
        of="share",
        aim=changes.get("kind", "half_width"),
        lines=(
            Line(name="reached", points=tuple(map(tuple, POINTS))),
            Line(name="relevance_cost", points=costs),
        ),
        marks={key: value for key, value in marks.items() if value is not None},
    )


def picture(**changes):
    found = short(
        audit="traffic_plan", measure="share_needed", subject={"by": "age", "days": 14}, estimate=0.01,
        pictures=(curve(**changes),),
    )  # fmt: skip
    (drawn,) = pictures_of(found)
    return drawn


def axes(drawn, channel):
    encodings = [layer["encoding"] for layer in drawn.specification["layer"]]
    return [encoding[channel].get("axis") for encoding in encodings if channel in encoding]


def test_shares_stand_below_and_what_they_cost_above():
    below, above, *none = axes(picture(share_needed=0.01), "x")
    assert below["values"] == above["values"] == [0.01, 0.1, 1, 10]
    assert above["orient"] == "top"
    assert "-0.5 * datum.value" in above["labelExpr"]
    # Marks share these axes: a third would stand on top of them.
    assert set(none) == {None}


def test_answers_are_marked_and_said():
    drawn = picture(share_needed=0.01, balanced_share=0.02)
    labels = [
        row["label"] for data in drawn.specification["datasets"].values() for row in data if "label" in row
    ]
    assert labels == [["needed", "1%"], ["best balance", "2%"]]
    assert "Needed 1%; best balance 2%." in drawn.description
    assert "from 40 with 0.01% random traffic to 1 with 50%" in drawn.description


def test_an_aim_out_of_reach_has_no_mark():
    assert "No share reaches what was asked for" in picture(share_needed=None).description


@pytest.mark.parametrize(("target", "rules"), [(None, 0), (0.04, 1)])
def test_only_an_aim_has_a_dashed_line(target, rules):
    drawn = picture(balanced_share=0.02, target=target)
    assert sum(layer["mark"]["type"] == "rule" for layer in drawn.specification["layer"]) == rules


def test_power_is_a_share_of_all_tests():
    line = picture(kind="power", target=0.8, share_needed=0.01).specification["layer"][0]
    assert line["encoding"]["y"]["scale"]["domain"] == [0, 100]
