"""Which picture is the one of a question, and what the interface of pictures promises."""

from __future__ import annotations

import json

import pytest

import evenhand as eh
from evenhand.errors import InputError
from evenhand.findings import Finding, Interval
from evenhand.report.pages.arrange import sections
from evenhand.report.pictures.gallery import chart_of, main_picture, picture_of, pictures_together
from evenhand.report.reading.read import read


def pair(users, items, estimate, tolerance=0.3, beta=1):
    return Finding(
        audit="exposure", measure="pair_exposure", tolerance=tolerance, harm="outside", estimate=estimate,
        about={"users": {"region": users}, "items": {"genre": items}, "beta": beta},
        interval=Interval(
            low=estimate - 0.1, high=estimate + 0.1, level=0.95, method="bootstrap", validity="fixed"
        ),
    )  # fmt: skip


def rows(picture):
    return [row for data in picture.specification["datasets"].values() for row in data]


def test_pairs_of_people_and_items_are_one_map_that_says_what_is_beyond_the_limit():
    found = [
        pair("n", "drama", 0.5),
        pair("n", "war", -0.05),
        pair("s", "drama", -0.2),
        pair("s", "war", 0.1),
    ]
    (family,) = sections(found)[0].families
    (picture,) = pictures_together(family)
    tiles = {(row["row"], row["column"]): row["text"] for row in rows(picture)}
    assert tiles == {
        ("n", "drama"): "◆ +50%", ("n", "war"): "(−5%)", ("s", "drama"): "−20%", ("s", "war"): "(+10%)",
    }  # fmt: skip
    assert "◆: beyond the limit of ±30%" in picture.caption
    assert [row["verdict"] for row in picture.rows] == [f.verdict for f in family.findings]


def test_of_two_settings_the_one_furthest_from_a_pass_is_drawn():
    near = [pair(u, i, 0.05) for u in "ab" for i in "xy"]
    far = [pair(u, i, 0.9, beta=8) for u in "ab" for i in "xy"]
    assert {row["text"] for row in rows(main_picture([*near, *far]))} == {"◆ +90%"}


def test_very_many_are_a_picture_that_can_be_read_and_rows_that_have_all():
    found = [
        pair(f"region {u:02}", f"genre {i:02}", ((u * 7 + i * 3) % 10 - 4.5) / 10 + (u == 41) * (i == 27))
        for u in range(50)
        for i in range(30)
    ]
    picture = main_picture(found)
    tiles = rows(picture)
    assert len({tile["row"] for tile in tiles}) <= 24
    assert len({tile["column"] for tile in tiles}) <= 16
    assert ("region 41", "genre 27") in {(tile["row"], tile["column"]) for tile in tiles}
    assert "of 50 rows and 16 of 30 columns" in picture.caption
    assert len(picture.rows) == 1500
    assert len(json.dumps(picture.specification)) < 80_000


def test_of_many_groups_those_that_stand_out_are_drawn_and_all_are_in_the_rows(make):
    document = make.crowded()
    family = max((f for s in sections(document.findings) for f in s.families), key=lambda f: len(f.findings))
    (picture,) = pictures_together(family)
    known = [finding for finding in family.findings if finding.estimate is not None]
    drawn = {row["label"] for row in rows(picture) if "label" in row}
    assert len(drawn) <= 12 < len(known) == len(picture.rows)
    assert f"{len(known) - len(drawn)} that stand out less are not drawn" in picture.caption


def test_a_legend_names_verdicts_that_occur_and_no_others(make):
    def legend(*findings):
        picture = main_picture(findings)
        return picture.specification["layer"][-1]["encoding"]["shape"]

    beyond, inside = make.utility("a", 0.5, 0.4, 0.6), make.utility("b", 0.0, -0.05, 0.05)
    assert legend(beyond, inside)["scale"]["domain"] == ["violation", "within_tolerance"]
    assert legend(beyond)["scale"]["domain"] == ["violation"]
    assert legend(make.equality().amended(measure="group_mean", interval=beyond.interval))["legend"] is None


def test_every_part_of_a_card_has_a_picture_or_nothing_to_draw(make):
    for name in ("typical", "associated", "planned"):
        for card in read(getattr(make, name)()).cards:
            picture = picture_of(card.main)
            assert picture is not None
            assert picture.caption or picture.specification.get("title")
            assert picture.description
            assert picture.rows
            assert all(isinstance(row, dict) and row.keys() == picture.rows[0].keys() for row in picture.rows)


def test_a_chart_by_question_and_by_id(make):
    document = make.typical()
    by_question = chart_of(document, read(document).cards[0].question).to_dict()
    assert "var(--" not in json.dumps(by_question)
    assert "containerSize" not in json.dumps(by_question)
    one = next(f for f in document.findings if f.measure == "relative_utility" and f.interval is not None)
    drawn = chart_of(document, one.id).to_dict()
    assert [row["label"] for data in drawn["datasets"].values() for row in data if "label" in row]
    with pytest.raises(InputError, match="no finding or question 'fairness'"):
        chart_of(document, "fairness")
    with pytest.raises(InputError, match="nothing to draw"):
        chart_of(document, next(f.id for f in document.findings if f.measure == "equality"))


def test_names_that_look_like_anything_are_data(make):
    hostile = "a'] + alert(1) + ['" + "x" * 10_000
    found = [make.utility(name, 0.5, 0.4, 0.6) for name in (hostile, "</script>", "datum.value")]
    picture = main_picture(found)
    assert len(json.dumps(picture.specification)) < 12_000
    assert [row["who"] for row in picture.rows] == [hostile, "</script>", "datum.value"]
    chart_of(eh.AuditResult(tuple(found)).document, "creators").to_json()


def test_the_picture_is_of_the_groups_of_which_the_sentence_speaks_and_says_which():
    """Of users by gender and by year of birth the latter are further apart: they are said, and drawn."""

    def of_users(measure, estimate, about, tolerance=None):
        interval = Interval(low=estimate - 0.01, high=estimate + 0.01, level=0.95, method="delta")
        return Finding(
            audit="user_precision", measure=measure, estimate=estimate, interval=interval, about=about,
            tolerance=tolerance,
        )  # fmt: skip

    found = [
        one
        for by, far, groups in (("gender", 0.02, "fm"), ("birth_year", 0.05, ("1980", "1990")))
        for one in (
            of_users("precision_penalty", far, {"by": {"users": [by]}}, 0.11),
            *(of_users("precision", 0.09, {"users": {by: group}}) for group in groups),
        )
    ]
    (card,) = read(eh.AuditResult(found).document).cards
    assert "birth year" in card.main.lines[0].text
    picture = picture_of(card.main)
    assert picture is not None
    assert [row["who"] for row in picture.rows] == ["1980", "1990"]
    assert picture.specification["title"]["text"] == "Precision by birth year"
    assert "Precision by birth year" in picture.description
