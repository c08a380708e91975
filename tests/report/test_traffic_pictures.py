"""The picture of a plan: a line over days, the aim, and where they meet; also in words."""

import pytest

from evenhand.report.traffic_pictures import against_days


@pytest.mark.parametrize(
    ("kind", "target", "values", "said"),
    [
        ("half_width", 0.05, [0.09, 0.05, 0.025], "5 is reached after 30.9 days"),
        ("power", 0.8, [0.4, 0.81, 1.0], "80 is reached after 30.9 days"),
    ],
)
def test_a_curve_has_its_aim(kind, target, values, said):
    points = [[8, values[0]], [31, values[1]], [124, values[2]]]
    picture = against_days({"kind": kind, "target": target, "planned": 30.9, "points": points})
    assert said in picture.description
    rule, line, _, diamond = picture.specification["layer"]
    data = picture.specification["datasets"]
    assert rule["data"] == diamond["data"]
    assert data[rule["data"]["name"]] == [{"days": 30.9, "value": 100 * target}]
    assert [point["days"] for point in data[line["data"]["name"]]] == [8, 31, 124]
    if kind == "power":
        assert line["encoding"]["y"]["scale"]["domain"] == [0, 100]
