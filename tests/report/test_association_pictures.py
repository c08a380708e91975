"""Pictures of the association audit: what they draw is what was found, and not what is about very few."""

from __future__ import annotations

import json

import numpy as np
import pytest

import evenhand as eh
from evenhand.pictures import Map
from evenhand.report.pages import html, whole_text
from evenhand.report.pages.arrange import sections
from evenhand.report.pictures.gallery import pictures_of, pictures_together
from evenhand.report.pictures.names import in_two_lines
from evenhand.report.suppression.suppress import suppress
from evenhand.report.words import summary
from evenhand.report.words.sentences import sentence

GENRES = ("action", "comedy", "drama", "war")


def drawn(picture, *columns):
    """Rows of the layers that have these columns."""
    rows = [row for data in picture.specification["datasets"].values() for row in data]
    return [row for row in rows if set(columns) <= set(row)]


def audited(women=60, men=80, **options):
    rng = np.random.default_rng(1)
    users, items = rng.normal(size=(women + men, 3)), rng.normal(size=(60, 3))
    users[:women, 0] += 1.5
    genres = np.array(GENRES)[np.arange(60) % 4]
    items[genres == "drama", 0] += 2
    gender = np.repeat(["f", "m"], [women, men])
    return eh.association.audit(items, users, gender, genres, "centroid", 199, name="gender", **options)


@pytest.fixture(scope="module")
def result():
    return audited()


def families(result):
    (section,) = sections(result.findings)
    return {(family.first.measure, family.member): family for family in section.families}


def test_the_curves_are_as_far_apart_as_the_finding_says(result):
    finding = result.find("direction")
    (curves, *_) = pictures_of(finding)
    means = [row["mean"] for row in drawn(curves, "mean")]
    # Places are counted in bins of a quarter of a standard deviation.
    assert means[0] - means[1] == pytest.approx(finding.estimate, abs=0.05)
    rows = drawn(curves, "share", "label")
    for label in ("f (60)", "m (80)"):
        assert sum(row["share"] for row in rows if row["label"] == label) == pytest.approx(1, abs=1e-4)
    assert "(f (60)) and " in curves.description


def test_a_direction_of_noise_has_curves_that_lie_together():
    rng = np.random.default_rng(2)
    users = rng.normal(size=(400, 30))
    found = eh.association.audit(None, users, ["a", "b"] * 200).find("direction")
    means = [row["mean"] for row in drawn(pictures_of(found)[0], "mean")]
    along = users @ np.array(found.details["vector"])
    in_sample = (along[::2].mean() - along[1::2].mean()) / along.std()
    assert abs(means[0] - means[1]) < 0.25 < in_sample  # those who made the direction lie apart along it


def test_ways_to_make_the_direction():
    """Where they all find the same line, a map of it would be one colour, and there is none."""
    rng = np.random.default_rng(2)
    finding = eh.association.audit(
        None, rng.normal(size=(400, 30)), ["a", "b"] * 200, method="centroid"
    ).find("direction")
    cells = {(row["row"], row["column"]): row["value"] for row in drawn(pictures_of(finding)[1], "column")}
    assert cells["centroid", "svc"] == pytest.approx(finding.details["cosines"]["svc"], abs=1e-5)
    assert cells["pca", "pca"] == 1
    assert len(cells) == 16
    (ways,) = finding.drawn(Map, "cosine")
    alike = ways.model_copy(update={"cells": tuple(c.model_copy(update={"value": 0.95}) for c in ways.cells)})
    assert pictures_of(finding.amended(pictures=(alike,))) == []


def test_pairs_are_a_square_with_both_signs(result):
    family = families(result)["deaa", "pair"]
    (square,) = pictures_together(family)  # and no dots of the same beside it
    cells = {(row["row"], row["column"]): row for row in drawn(square, "row", "column")}
    assert len(cells) == 12
    found = result.find("deaa", first="comedy", second="drama")
    assert cells["comedy", "drama"]["value"] == pytest.approx(found.estimate, rel=1e-5)
    assert cells["comedy", "drama"]["value"] == -cells["drama", "comedy"]["value"]
    assert cells["drama", "comedy"]["sign"] == ("+" if found.interval.high < 0 else "")
    assert found.estimate in [row["first minus second"] for row in square.rows]
    assert cells["comedy", "drama"]["text"].removeprefix("(").startswith("−")
    assert "toward f" in square.caption


def test_groups_and_pairs_are_rankings_of_their_own(result):
    found = families(result)
    assert set(found) == {("geaa", "group"), ("deaa", "pair"), ("r_ripa", "group"), ("r_ripa", "pair")}
    assert found["r_ripa", "group"].labels[-1] == "drama"
    assert found["deaa", "pair"].labels[0] == "action against drama"
    page = html.render(result.document)
    assert "R-RIPA), group by group" in page
    assert "R-RIPA), pair by pair" in page
    assert sentence(result.find("r_ripa", first="comedy", second="drama")).startswith(
        "Comedy leans more to m than drama along the direction f against m: mean cosine −"
    )


def test_the_page_opens_with_the_answer_and_says_which_side_is_which(result):
    """Without a tolerance there is nothing to count: no zeros, no column of verdicts."""
    assert not summary.judged(result.findings)
    opening = summary.headline(result.findings)
    score = result.find("direction").details["accuracy"]
    assert opening.startswith(
        f"Gender can be guessed for {score['balanced']:.0%} of new users (chance: 50%)."
    )
    assert "On held-out users, users with gender f and m differ by" in opening
    assert " SD of all users (" in opening  # and not of those of one value, as Cohen's d is
    assert ", more than chance by all of its tests (p " in opening
    assert "Drama leans most to f." in opening
    page = html.render(result.document)
    assert page.count("no limit set") == 1  # in the guide to reading
    assert ">Verdict</th>" not in page
    family = families(result)["geaa", "group"]
    (picture,) = pictures_together(family)
    assert picture.specification["title"]["subtitle"] == "← nearer to m  |  nearer to f →"
    assert "Below 0: nearer to m. Above 0: nearer to f." in whole_text.plain(result.document)


def test_what_does_not_pass_is_no_failed_check():
    """A model that knows nothing has groups that could not be placed, and no check that went undecided."""
    rng = np.random.default_rng(0)
    found = eh.association.audit(
        rng.normal(size=(60, 4)), rng.normal(size=(200, 4)), np.tile(["f", "m"], 100),
        np.repeat(["a", "b"], 30), method="centroid", permutations=99, name="gender",
    )  # fmt: skip
    assert not found.find("direction").details["passes"]
    assert summary.headline(found.findings).startswith(
        "No direction of gender is shown. A classifier guesses gender for "
    )
    notes = summary.asides(found.findings)
    assert notes[0] == "No limit was set, so there are numbers and no verdicts."
    assert notes[1].startswith("3 findings are not computed: the direction f against m did not pass")
    assert summary.by_verdict(found.findings) == []
    assert found.find("r_ripa", group="a").warnings[0] in html.render(found.document)


def test_long_names_are_broken_and_not_cut_off_alike():
    lines = in_two_lines(["Romance against Film-Noir", "Romance against Western", "War"])["labelExpr"]
    narrow = json.loads(lines[lines.index("{") : lines.index("}") + 1])
    assert narrow["Romance against Western"] == ["Romance against", "Western"]
    assert narrow["War"] == ["War"]


def test_a_value_of_very_few_is_not_drawn_nor_told():
    """Six women are enough to be audited, and too few to be shown where ten are asked for."""
    whole = audited(women=6)
    assert pictures_of(whole.find("direction"))
    shown = suppress(whole.findings, 10)
    for finding in shown:
        assert (finding.estimate, finding.details) == (None, {})
        assert finding.warnings[0] == (
            "it would tell of a group of fewer than 10 people; merge small groups, or take more data"
        )
        assert pictures_of(finding) == []
    assert suppress(whole.findings, 5) == whole.findings


def test_one_small_value_of_several_takes_a_second_with_it():
    """Each against the rest: what the others are apart from their mean adds up to what the hidden one is."""
    rng = np.random.default_rng(3)
    users = rng.normal(size=(106, 3))
    place = np.repeat(["east", "west", "islands"], [50, 50, 6])
    users[:50, 0] += 2
    found = eh.association.audit(None, users, place, method="centroid")
    shown = eh.AuditResult(suppress(found.findings, 10))
    assert shown.find("direction", direction="islands against the rest").estimate is None
    assert shown.find("direction", direction="east against the rest").estimate is None
    assert shown.find("direction", direction="west against the rest").estimate is not None
    together = shown.find("direction", direction="all categories")
    assert (together.estimate, together.details) == (None, {})


def test_small_groups_of_items_have_nobody_to_hide():
    rng = np.random.default_rng(4)
    genres = ["rare"] * 3 + ["usual"] * 37
    found = eh.association.audit(rng.normal(size=(40, 3)), rng.normal(size=(60, 3)), ["a", "b"] * 30, genres)
    assert suppress(found.findings, 5) == found.findings
