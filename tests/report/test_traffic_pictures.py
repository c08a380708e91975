"""Pictures of a plan and of new weights: what they draw, and the same in words."""

import pytest

from evenhand.pictures import Line, Lines
from evenhand.report.pages.arrange import Family
from evenhand.report.pictures.gallery import pictures_together
from evenhand.report.pictures.kinds.traffic import against_days
from short_findings import short


@pytest.mark.parametrize(
    ("kind", "target", "values", "said"),
    [
        ("half_width", 0.05, [0.09, 0.05, 0.025], "5 is reached after 31 days"),
        ("power", 0.8, [0.4, 0.81, 1.0], "80 is reached after 31 days"),
    ],
)
def test_a_curve_has_its_aim(kind, target, values, said):
    line = Line(name="reached", points=tuple(zip((8, 31, 124), values, strict=True)))
    marks = {"target": target, "planned": 30.9}
    picture = against_days(Lines(of="traffic", aim=kind, lines=(line,), marks=marks))
    assert said in picture.description
    rule, line, _, diamond = picture.specification["layer"]
    data = picture.specification["datasets"]
    assert rule["data"] == diamond["data"]
    assert data[rule["data"]["name"]] == [{"days": 30.9, "value": 100 * target}]
    assert [point["days"] for point in data[line["data"]["name"]]] == [8, 31, 124]
    if kind == "power":
        assert line["encoding"]["y"]["scale"]["domain"] == [0, 100]


def test_all_shares_are_one_picture():
    found = [
        short(
            audit="traffic_plan", measure="days_needed", subject={"by": "age", "share": share}, estimate=days
        )
        for share, days in ((0.01, 30.9), (0.02, 15.4))
    ]
    (picture,) = pictures_together(Family(tuple(found), ("1%", "2%")))
    (points,) = picture.specification["datasets"].values()
    assert [(point["share"], point["label"]) for point in points] == [(1.0, "31"), (2.0, "16")]


def test_new_weights_are_an_arrow_a_group():
    found = [
        short(
            audit="boost", measure="boost_weight", subject={"by": "age", "group": group}, estimate=weight,
            details={"relative_utility_now": before, "relative_utility_boosted": after},
        )
        for group, weight, before, after in (("old", 1.0, 0.1, 0.0), ("young", 1.25, -0.1, 0.0))
    ]  # fmt: skip
    (picture,) = pictures_together(Family(tuple(found), ("old", "young")))
    assert "young: −10% now, +0% when shown 1.25 times as often" in picture.description
    assert [(row["group"], row["now"], row["with the weights"]) for row in picture.rows] == [
        ("old", 0.1, 0.0), ("young", -0.1, 0.0),
    ]  # fmt: skip
