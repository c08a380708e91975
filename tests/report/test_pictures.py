"""Pictures that a finding of the group audit brings along, and where they stand."""

import pytest

import evenhand as eh
from dom import parsed, pictures
from evenhand.pictures import Line, Lines
from evenhand.report.pages import arrange, html
from evenhand.report.pictures.gallery import pictures_of
from evenhand.report.suppression.suppress import suppress


@pytest.fixture(scope="module")
def audited():
    world = eh.datasets.marketplace(users=400, items=60, default_rows=0, random_rows=0)
    return eh.groups.audit(
        world.candidates, world.users, ["gender", "age_band"], metric=["mrr", "auc"], permutations=40
    )


def values(specification):
    """The rows that a picture draws; Altair keeps them apart, under a name."""
    return specification["datasets"][specification["data"]["name"]]


def test_a_heat_map_of_two_attributes_shows_every_group(audited):
    uf = audited.find("uf", metric="mrr@5")
    (picture,) = pictures_of(uf)
    means = {(row["gender"], row["age band"]): row["mean"] for row in picture.rows}
    assert len(means) == uf.details["groups"] == 8
    assert max(means.values()) - min(means.values()) == pytest.approx(uf.estimate)
    drawn = {(cell["row"], cell["column"]): cell["value"] for cell in values(picture.specification)}
    assert drawn == pytest.approx(means, rel=1e-5)
    assert "Map of 8 groups" in picture.description


def test_the_correlation_of_metrics_is_drawn(audited):
    finding = audited.find("metric_agreement")
    (picture,) = pictures_of(finding)
    drawn = {(c["row"], c["column"]): c["value"] for c in values(picture.specification)}
    assert drawn["mrr@5", "mrr@5"] == 1
    assert drawn["mrr@5", "auc"] == drawn["auc", "mrr@5"] == pytest.approx(finding.estimate, rel=1e-5)


def test_a_search_is_drawn_as_it_went(audited):
    uf = audited.find("uf", metric="auc")
    gaps = Line(name="gap", points=((10, 0.1), (30, 0.25)))
    went = uf.amended(pictures=(Lines(of="search", lines=(gaps,)),))
    (picture,) = pictures_of(went)
    points = values(picture.specification)
    assert points == [{"users": 10, "gap": 0.1}, {"users": 30, "gap": 0.25}]
    assert "rises to 0.25 after 30 users" in picture.description


def test_each_metric_has_a_section_of_its_own_with_its_pictures(audited):
    about = [section.about for section in arrange.sections(audited.findings)]
    assert about == [("gender, age_band", "mrr@5"), ("gender, age_band", "auc"), ("gender, age_band", "")]
    page = html.render(audited.document)
    assert ">Groups of users by gender, age band: mrr@5</h3>" in page
    assert page.count("<figcaption") == 5
    told = parsed(page)
    assert {one["data-chart"] for one in told.having("data-chart")} == pictures(told).keys()


def test_the_ranking_shows_what_chance_would_give(audited):
    page = html.render(audited.document)
    specification = pictures(parsed(page))["1"]["specification"]
    points = [row for rows in specification["datasets"].values() for row in rows if "chance_low" in row]
    assert len(points) == 8
    assert all(point["chance_low"] < 0.5 < point["chance_high"] for point in points)
    assert "Grey: where chance alone would put a group of its size." in page


def test_small_groups_are_not_listed_in_details(audited):
    uf = audited.find("uf", metric="mrr@5")
    users = {"X, 55+": 3, "X, 18-24": 7, "Y, 55+": 9}
    small = [{"group": name, "users": number} for name, number in users.items()]
    listed = uf.amended(details={"search": {"excluded_groups": small}})
    (published,) = suppress([listed], min_cell=5)
    # All that were left out are counted, so that the one that is missing would follow from two others.
    assert published.details["search"]["excluded_groups"] == small[2:]
