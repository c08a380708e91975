"""Labels for values: wherever a value is shown, and nowhere else."""

from __future__ import annotations

import json

import pytest

from evenhand.errors import InputError
from evenhand.findings import Exclusion, Finding, Interval
from evenhand.pictures import Cell, Map, Share, Shares
from evenhand.report.pages import html, text
from evenhand.report.words.labels import labelled
from evenhand.report.words.legible import legible
from evenhand.report.words.people import short_who
from evenhand.report.words.sentences import sentence
from evenhand.results import AuditResult

LABELS = {"gender": {"F": "women", "M": "men"}, "age": {"55+": "55 and older"}}


def of(measure: str, about: dict, estimate: float = -0.5, audit: str = "a", **more) -> Finding:
    interval = Interval(low=estimate - 0.07, high=estimate + 0.06, level=0.95, method="t")
    return Finding(audit=audit, measure=measure, about=about, estimate=estimate, interval=interval, **more)


COOKING = of(
    "pair_exposure", {"users": {"gender": "M"}, "items": {"genre": "cooking"}}, tolerance=0.3, harm="outside"
)
WORST = of(
    "confirmed_gap", {"by": {"users": ["gender", "age"]}, "metric": "mrr@5"}, 0.16,
    details={"halves": [{"highest": "M, 18-24", "lowest": "F, 55+"}] * 2, "better": "higher"},
)  # fmt: skip
LEANING = of(
    "geaa", {"by": {"users": ["gender"]}, "direction": "F against M", "items": {"genre": "sport"}},
    details={"toward": "F", "away": "M", "lean": "M"},
)  # fmt: skip


def shown(*findings: Finding, labels=LABELS) -> tuple[Finding, ...]:
    return legible(AuditResult(findings, labels=labels).document).findings


def test_a_label_names_the_people():
    said = [sentence(one) for one in shown(COOKING, WORST, LEANING)]
    assert said[0] == "Men are shown half as much cooking as relevance asks for (44 to 57% less; limit 30%)."
    assert said[1].startswith(
        "Women, 55 and older get mrr@5 0.16 below men aged 18-24, rechecked on other users ("
    )
    assert said[2].startswith("Sport leans to men: mean cosine −0.50, women minus men (")
    assert [short_who(one) for one in shown(COOKING, WORST)] == ["men: cooking", "women, 55 and older"]


def test_ids_and_the_document_keep_the_values():
    result = AuditResult((COOKING, WORST), labels=LABELS)
    assert [one.id for one in shown(COOKING, WORST)] == [one.id for one in result.findings]
    assert result.findings[0].about["users"] == {"gender": "M"}
    written = json.loads(result.to_json())
    assert written["labels"] == LABELS
    assert "labels" not in written["findings"][0]
    assert result.find("pair_exposure", group="cooking to M").estimate == -0.5


def test_a_saved_result_is_rendered_the_same(tmp_path):
    result = AuditResult((COOKING, WORST, LEANING), labels=LABELS)
    result.save(tmp_path)
    read = AuditResult.load(tmp_path)
    assert read.labels == LABELS
    assert str(read) == str(result.published())
    assert "women, 55 and older" in str(read).lower()


def test_pictures_and_details_are_labelled_by_their_attribute():
    """A genre may be called M: the rows of a map are users, its columns items."""
    cells = (Cell(row="M", column="M", value=1.0),)
    finding = of(
        "GG", {"by": {"users": ["gender"], "items": ["genre"]}}, 0.1,
        pictures=(
            Map(of="mean", rows="gender", columns="genre", cells=cells),
            Shares(edges=(0.0, 1.0), groups=(Share(group="F", shares=(1.0,)),)),
        ),
        details={"values": [{"group": "F", "users": 3}], "method": "M", "leaning": {"F": ["cooking"]}},
    )  # fmt: skip
    (one,) = shown(finding)
    assert (one.pictures[0].cells[0].row, one.pictures[0].cells[0].column) == ("men", "M")
    assert one.pictures[1].groups[0].group == "women"
    assert one.details == {
        "values": [{"group": "women", "users": 3}],
        "method": "M",
        "leaning": {"women": ["cooking"]},
    }


def test_what_has_its_labels_gets_no_others():
    document = AuditResult((LEANING,), labels={"gender": {"F": "M", "M": "F"}}).document
    once = legible(document)
    assert once.findings[0].details["lean"] == "F"
    assert legible(once) == once


def test_a_group_that_was_left_out_is_labelled():
    left = [Exclusion(what=what, count=9, why="too few") for what in ("gender = F", "rows = F", "users of F")]
    (one,) = shown(of("spread", {"by": {"users": ["gender"]}}, excluded=tuple(left)))
    assert [exclusion.what for exclusion in one.excluded] == ["gender = women", "rows = F", "users of F"]


def test_a_name_that_may_be_of_two_attributes_stays_as_it_is():
    both = {"gender": {"x": "women"}, "genre": {"x": "drama"}}
    finding = of("GG", {"by": {"users": ["gender"], "items": ["genre"]}}, details={"lowest": "x"})
    assert labelled(AuditResult((finding,), labels=both).document).findings[0].details == {"lowest": "x"}


@pytest.mark.parametrize(
    "label", ["<script>alert(1)</script>", "a, b", 'say "x"', "\x1b[31m", "{size}", "F", "m" * 10_000]
)
def test_hostile_labels_are_text(label):
    result = AuditResult((COOKING, WORST), labels={"gender": {"M": label}})
    page, terminal = html.render(result.document), text.plain(result.document)
    assert "<script>alert(1)" not in page
    assert "\x1b" not in page + terminal
    assert sentence(shown(COOKING, labels=result.labels)[0]).count("cooking") == 1


def test_labels_from_python():
    result = AuditResult((COOKING, LEANING))
    named = result.labelled({"gender": {"F": "women"}}).labelled({"gender": {"F": "ladies", "M": "men"}})
    assert named.labels == {"gender": {"F": "ladies", "M": "men"}}
    assert result.labels == {}
    assert (named + AuditResult((WORST,), labels=LABELS)).labels == {
        "gender": {"F": "ladies", "M": "men"}, "age": {"55+": "55 and older"},
    }  # fmt: skip
    for labels, said in [
        ({"gendr": {"F": "women"}}, "no group has gendr.F"),
        ({"gender": {"X": "women"}}, "no group has gender.X"),
        ({"gender": {"F": "people", "M": "people"}}, "gender.F and gender.M have one label, 'people'"),
        ({"gender": {"F": "M"}}, "gender.F would be called 'M', which another group is"),
        ({"gender": {"F": " "}}, "the label of gender.F is empty"),
    ]:
        with pytest.raises(InputError, match=said) as refused:
            result.labelled(labels)
        assert "\n" not in str(refused.value)


def test_tables_for_papers_have_labels_and_frames_have_values():
    result = AuditResult((COOKING,), labels=LABELS)
    assert "cooking to men" in result.to_markdown()
    assert result.to_frame()["about_group"].tolist() == ["cooking to M"]
