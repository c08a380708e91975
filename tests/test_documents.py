"""The document: ids are one each, questions have one verdict, and documents of the schema before are read."""

from __future__ import annotations

import json

import pytest

from evenhand.documents import SCHEMA, Document
from evenhand.errors import InputError
from evenhand.findings import Exclusion, Interval, Verdict
from evenhand.pictures import Cell, Map
from evenhand.report.answers import verdicts_of_audits
from evenhand.report.words.sentences import sentence
from evenhand.results import AuditResult
from short_findings import short


def group(name: str, estimate: float | None, half: float = 0.05, **changes):
    values = {
        "audit": "opportunity",
        "measure": "relative_utility",
        "estimate": estimate,
        "interval": None
        if estimate is None
        else Interval(low=estimate - half, high=estimate + half, level=0.95, method="simultaneous"),
        "tolerance": 0.1,
        "harm": "outside",
    }
    return short({"by": "creator_age", "group": name}, n=100, **(values | changes))


def test_a_result_fills_in_what_belongs_to_the_measure():
    (finding,) = AuditResult((group("18-24", -0.3),)).findings
    assert finding.id == "opportunity.relative_utility/creators:creator_age=18-24"
    assert (finding.question, finding.unit) == ("creators", "share")
    assert (finding.family.name, finding.family.level) == (
        "opportunity.relative_utility/by=creator_age",
        0.95,
    )


def test_pairs_of_groups_are_a_family_beside_the_groups():
    pair = {"by": "gender", "direction": "F", "first": "drama", "second": "war"}
    interval = Interval(low=0, high=1, level=0.9, method="m")
    told = [
        short(subject, audit="association", measure="r_ripa", estimate=0.5, interval=interval)
        for subject in (pair, pair | {"second": "sport"}, {"by": "gender", "direction": "F", "group": "war"})
    ]
    families = [finding.family for finding in AuditResult(told).findings]
    assert families[0] == families[1] != families[2]
    assert families[0].level == 0.9


def test_checks_are_a_family_of_their_own():
    check = short({"by": "age"}, audit="opportunity", measure="random_items", estimate=0.1, p_value=0.5)
    result = AuditResult((check,))
    assert result.findings[0].family.name == "checks"
    assert result.questions == ()


def test_of_findings_with_one_id_the_later_are_numbered():
    """Such as those of two windows of one series, or of two models in one report."""
    result = AuditResult((group("a", 0.1),)) + AuditResult((group("a", 0.2),))
    first, second = (finding.id for finding in result.findings)
    assert second == f"{first}~2"
    with pytest.raises(ValueError, match="two findings have the id"):
        Document(findings=(group("a", 0.1), group("a", 0.2)), version="1")


def test_results_of_audits_that_asked_alike_are_joined_in_any_order():
    """Such as three labels of one log: each is there once, with an id and a family of its own."""
    one, two, three, four = (AuditResult((group("a", 0.01 * place),)) for place in range(1, 5))
    joined = one + two + three + four
    first = one.findings[0]
    assert [finding.id for finding in joined.findings] == [
        first.id, f"{first.id}~2", f"{first.id}~3", f"{first.id}~4"
    ]  # fmt: skip
    assert joined == one + (two + (three + four)) == joined + two
    assert AuditResult.from_json(joined.to_json()) == joined
    # Of a group that only the second audit has, the family is that of the second.
    wider = one + AuditResult((group("a", 0.02), group("b", 0.02)))
    assert [finding.family.name.partition("~")[2] for finding in wider.findings] == ["", "2", "2"]
    (answer,) = wider.questions
    assert answer.level == 0.9


def test_no_name_of_a_group_looks_like_the_number_of_an_id():
    result = AuditResult((group("a", 0.1), group("a", 0.2), group("a~2", 0.3)))
    assert [finding.id[-5:] for finding in result.findings] == ["age=a", "e=a~2", "a%7E2"]


@pytest.mark.parametrize(
    ("estimates", "verdict", "decided_by", "beyond"),
    [
        ([-0.3, 0.2, 0.0], Verdict.VIOLATION, "0", ["0", "1"]),
        ([0.0, 0.12, 0.01], Verdict.INCONCLUSIVE, "1", []),
        ([0.0, 0.01, -0.02], Verdict.WITHIN_TOLERANCE, "2", []),
        ([None, None], Verdict.NOT_APPLICABLE, None, []),
        ([None, 0.0], Verdict.INCONCLUSIVE, "1", []),
    ],
)
def test_the_verdict_of_a_question_is_that_of_its_headline(estimates, verdict, decided_by, beyond):
    """The violation of a penalty beside it explains, and is not counted."""
    beside = short(
        {"by": "creator_age"}, audit="opportunity", measure="reo_penalty", estimate=0.9, tolerance=0.1,
        interval=Interval(low=0.8, high=1, level=0.95, method="hull"),
    )  # fmt: skip
    groups = [group(str(place), estimate) for place, estimate in enumerate(estimates)]
    (answer,) = AuditResult((beside, *groups)).questions
    prefix = "opportunity.relative_utility/creators:creator_age="
    assert (answer.question, answer.verdict) == ("creators", verdict)
    assert answer.decided_by == (None if decided_by is None else prefix + decided_by)
    assert answer.beyond == tuple(prefix + one for one in beyond)


def test_families_of_several_attributes_hold_together_at_a_lower_level():
    other = group("x", 0.0).amended(about={"creators": {"region": "x"}})
    (answer,) = AuditResult((group("a", 0.0), other)).questions
    assert answer.verdict is Verdict.WITHIN_TOLERANCE
    assert answer.level == 0.9


def test_without_a_tolerance_there_is_an_answer_and_no_verdict():
    (answer,) = AuditResult((group("a", 0.3, tolerance=None),)).questions
    assert (answer.verdict, answer.estimate) == (None, 0.3)


def worse(change: float):
    """A comparison whose second arm is so much less equal than the first."""
    return short(
        {"by": "creator_age", "arm": "new", "baseline": "old"}, audit="compare", measure="reo_difference",
        estimate=change, interval=Interval(low=change - 0.01, high=change + 0.01, level=0.95, method="m"),
        tolerance=0.02,
    )  # fmt: skip


def test_every_audit_of_a_question_has_its_verdict_beside_the_answer():
    """A check of a document must see what a gate follows: the change that must not be rolled out."""
    result = AuditResult((group("a", 0.0), worse(0.1)))
    (answer,) = json.loads(result.to_json())["questions"]
    assert answer["verdict"] == "within_tolerance"
    assert answer["parts"] == [
        {"audit": "opportunity", "verdict": "within_tolerance", "decided_by": result.findings[0].id},
        {"audit": "compare", "verdict": "violation", "decided_by": result.findings[1].id},
    ]
    assert [part.verdict for part in result.questions[0].parts] == [
        *verdicts_of_audits(result.findings).values()
    ]


def test_what_was_judged_is_there_where_nothing_answers_the_question():
    """Such as a penalty, where the groups' own numbers are moot."""
    penalty = short(
        {"by": "creator_age"}, audit="opportunity", measure="reo_penalty", estimate=0.9, tolerance=0.1,
        interval=Interval(low=0.8, high=1, level=0.95, method="hull"),
    )  # fmt: skip
    (answer,) = AuditResult((penalty,)).questions
    assert (answer.verdict, answer.headline) == (None, ())
    assert [(part.audit, part.verdict) for part in answer.parts] == [("opportunity", Verdict.VIOLATION)]


def test_a_part_that_says_otherwise_than_its_findings_is_refused():
    content = json.loads(AuditResult((group("a", 0.0), worse(0.1))).to_json())
    content["questions"][0]["parts"][1]["verdict"] = "within_tolerance"
    with pytest.raises(InputError, match="of compare it says within_tolerance, but the findings"):
        AuditResult.from_json(json.dumps(content))


OLD = {
    "schema": "evenhand.findings/1",
    "findings": [
        {
            "audit": "opportunity", "measure": "relative_utility", "estimate": -0.3,
            "subject": {"by": "creator_age, region", "group": '18-24, "a, b"'},
            "interval": {"low": -0.4, "high": -0.2, "level": 0.95, "method": "m", "validity": "fixed"},
            "tolerance": 0.1, "harm": "outside", "n": 50, "verdict": "violation",
        },
        {
            "audit": "opportunity", "measure": "relative_utility", "estimate": 0.05, "more_data": 2.5,
            "subject": {"by": "creator_age", "group": "x"}, "tolerance": 0.1, "harm": "outside",
            "interval": {"low": -0.1, "high": 0.2, "level": 0.95, "method": "m", "validity": "fixed"},
        },
        {
            "audit": "groups", "measure": "group_mean", "estimate": None,
            "subject": {"by": "gender", "metric": "mrr@5", "group": "F"},
            "warnings": ["suppressed: fewer than 5 people in this group"],
        },
        {
            "audit": "association", "measure": "r_ripa", "estimate": None, "details": {"moot": True},
            "subject": {"by": "gender", "direction": "F", "first": "drama", "second": "war"},
        },
        {
            "audit": "exposure", "measure": "pair_exposure", "estimate": 0.2, "n": 40,
            "subject": {"by": "gender, genre", "beta": 1.0, "group": "drama to F"},
        },
        {
            "audit": "envy", "measure": "group_envy", "estimate": 0.1, "n": 7,
            "subject": {"by": "gender", "group": "F", "other": "M"},
        },
    ],
    "inputs": {}, "seed": 3, "version": "0.1.0", "scope": {},
}  # fmt: skip


def test_documents_of_the_schema_before_are_read():
    result = AuditResult.from_json(json.dumps(OLD))
    creators, open_, hidden, moot, pair, envy = result.findings
    assert creators.about == {"creators": {"creator_age": "18-24", "region": "a, b"}}
    assert (creators.n.count, creators.n.of, creators.verdict) == (50, "rows", Verdict.VIOLATION)
    assert open_.more_data.times == 2.5
    assert (hidden.state, hidden.warnings) == ("suppressed", ("fewer than 5 people in this group",))
    assert moot.state == "moot"
    assert pair.about["items"] == {"genre": "drama"}
    assert pair.about["users"] == {"gender": "F"}
    assert envy.about == {"users": {"gender": "F"}, "other": {"gender": "M"}}
    for finding, old in zip(result.findings, OLD["findings"], strict=True):
        assert finding.subject == old["subject"]
    again = AuditResult.from_json(result.to_json())
    assert again == result
    assert json.loads(result.to_json())["schema"] == SCHEMA
    assert "18-24" in str(result)


# Findings that said in words what their numbers say, and the sentences that they had.
OLD_WORDS = {
    "In the week of 15 April 2024, liked items by 18-24-year-olds are shown 30% less often than "
    "average.": {
        "audit": "series", "measure": "daily_relative_utility", "estimate": -0.3,
        "subject": {"by": "creator_age", "group": "18-24"},
        "details": {
            "unit": "week", "day": "2024-04-15", "days": 2, "when": "in the week of 2024-04-15",
            "tally": "2 weeks were looked at",
        },
    },
    "The latest change: on day 4, creators by age have an opportunity penalty 10 points lower than over"
    " the first 3 days.": {
        "audit": "series", "measure": "penalty_change", "estimate": -0.1,
        "subject": {"by": "age", "against": "first 3 days"},
        "details": {
            "unit": "day", "day": "4", "days_clear": 0, "which": "the latest change", "when": "on day 4",
            "than": "over the first 3 days",
        },
    },
    "16 days of logs with 2% random traffic (2,020 random rows a day) tell the relative utility of a, b"
    " to ±5 points.": {
        "audit": "traffic_plan", "measure": "days_needed", "estimate": 15.4,
        "subject": {"by": "age", "share": "2%"},
        "details": {
            "daily": "2,020", "days": "16 days", "aim": "tell the relative utility of a, b to ±5 points"
        },
    },
    "5.0% random traffic for 14 days (1,010 random rows a day) is the best balance where accuracy has "
    "20% of the weight and relevance 80%; it gives 51% of A/B tests that find the change.": {
        "audit": "traffic_plan", "measure": "balanced_share", "estimate": 0.05,
        "subject": {"by": "age", "days": 14, "importance": 0.2},
        "details": {
            "daily": "1,010", "length": "14 days", "weight": "20%", "rest": "80%",
            "gives": "51% of A/B tests that find the change",
        },
    },
    "Of items of 1,000 users or more, those taken mostly by F are labelled F 10 points more often than "
    "the others, with balanced training (p = 0.020).": {
        "audit": "association_leakage", "measure": "leak_items", "estimate": 0.1, "p_value": 0.02,
        "subject": {
            "by": "gender", "direction": "F against M", "training": "balanced",
            "popularity": "1,000 users or more",
        },
        "details": {"toward": "F", "away": "M", "deciles": [{"audience": "10-20%", "items": 3}]},
    },
    "Chosen groups: mean mrr@5 went from 0.10 to 0.20, a change of 0.10: it may be chance.": {
        "audit": "mitigate", "measure": "rerank_change", "estimate": 0.1,
        "subject": {"by": "gender", "metric": "mrr@5", "who": "chosen groups"},
        "details": {"before": 0.1, "after": 0.2, "meaning": "not told from no change"},
    },
    "Users with gender F get a mean hit@5 of 0.10.": {
        "audit": "groups", "measure": "group_mean", "estimate": 0.1,
        "subject": {"by": "gender, age", "metric": "hit@5", "group": "gender F"},
    },
}  # fmt: skip


def test_words_of_the_schema_before_are_numbers_now():
    """What they said is said again; two findings that were alike have an id each."""
    told = [*OLD_WORDS.values(), *OLD_WORDS.values()]
    found = AuditResult.from_json(json.dumps(OLD | {"findings": told})).findings
    assert [sentence(finding) for finding in found] == [*OLD_WORDS, *OLD_WORDS]
    changed, week, plan, leak = found[1], found[0], found[2], found[4]
    assert changed.about == {"by": {"creators": ("age",)}, "against": "first", "unit": "day", "periods": 3}
    assert week.details == {"unit": "week", "day": "2024-04-15", "days": 2}
    assert plan.subject["share"] == 0.02
    assert plan.details["aim"] == {"kind": "half_width", "wanted": 0.05, "of": "a, b"}
    assert leak.details["deciles"] == [{"from": 0.1, "to": 0.2, "items": 3}]
    assert found[-1].about["by"] == {"users": ("gender", "age")}
    assert found[-1].about["users"] == {"gender": "F"}
    assert found[-1].id == f"{found[len(OLD_WORDS) - 1].id}~2"


def test_other_schemas_are_refused_in_one_sentence():
    with pytest.raises(InputError, match=r"reads 'evenhand\.findings/2'"):
        AuditResult.from_json(json.dumps(OLD | {"schema": "evenhand.findings/7"}))


@pytest.mark.parametrize(
    ("key", "value"),
    [("details", 5), ("details", {"heat": {"cells": 3}}), ("subject", [1]), ("subject", {"by": 1.5}),
     ("warnings", 5), ("details", {"series": 3, "trade_off": []})],
)  # fmt: skip
def test_documents_that_only_say_that_they_are_of_the_schema_before_are_refused(key, value):
    for text in (OLD | {"findings": [OLD["findings"][0] | {key: value}]}, OLD | {"findings": None}):
        with pytest.raises(InputError, match="The document is not a findings document: findings"):
            AuditResult.from_json(json.dumps(text))


@pytest.mark.parametrize("about", [5, {"by": 5}, {"by": {"users": None}}, {"users": -1}, {"items": "drama"}])
def test_documents_about_nothing_that_can_be_are_refused(about):
    read = json.loads(AuditResult((group("a", 0.1),)).to_json())
    for changes in ({"about": about}, {"about": about, "id": ""}):
        with pytest.raises(InputError, match=r"The document is not a findings document: findings\.0"):
            AuditResult.from_json(json.dumps(read | {"findings": [read["findings"][0] | changes]}))


def test_frames_have_a_row_a_finding_a_group_and_a_day():
    result = AuditResult(
        (group("a", -0.3, excluded=(Exclusion(what="x", count=1, why="y"),)), group("b", None))
    )
    frame = result.to_frame()
    assert list(frame["about_group"]) == ["a", "b"]
    assert list(frame["verdict"]) == ["violation", "not_applicable"]
    assert list(frame["state"]) == ["computed", "not_computable"]
    assert frame.loc[0, ["low", "high", "n", "n_of", "unit"]].tolist() == [-0.35, -0.25, 100, "rows", "share"]
    assert list(result.to_frame("groups")["creators_creator_age"]) == ["a", "b"]
    assert len(result.to_frame("days")) == 0
    with pytest.raises(InputError, match="rows is 'weeks'"):
        result.to_frame("weeks")


def test_tables_for_papers_escape_what_they_must(tmp_path):
    result = AuditResult((group("a|b_c & 5%", -0.3),))
    assert "a\\|b_c & 5%" in result.to_markdown()
    assert r"a|b\_c \& 5\%" in result.to_latex()
    path = result.to_parquet(tmp_path / "f.parquet")
    import pandas as pd

    assert pd.read_parquet(path)["about_group"].tolist() == ["a|b_c & 5%"]


@pytest.mark.parametrize("name", ["a\nb", "a\r\nb", "\x1b[31m", "\u2028"])
def test_tables_for_papers_have_a_line_a_finding_whatever_it_is_called(name):
    result = AuditResult((group(name, -0.3),))
    assert len(result.to_markdown().splitlines()) == 3
    assert len(result.to_latex().splitlines()) == len(AuditResult(()).to_latex().splitlines()) + 1
    assert "\x1b" not in result.to_markdown() + result.to_latex()


def test_a_markdown_table_has_no_marks_from_data():
    table = AuditResult((group("<b> *x* [y](z) `q` a\\|b", -0.3),)).to_markdown()
    assert r"&lt;b> \*x\* \[y\](z) \`q\` a\\\|b" in table


def test_temperatures_and_words_can_be_stored_in_one_column(tmp_path):
    import pandas as pd

    told = [group("a", 0.1).amended(about={"beta": beta}) for beta in (1.0, "static")]
    result = AuditResult(told)
    assert list(result.to_frame()["about_beta"]) == [1.0, "static"]
    stored = pd.read_parquet(result.to_parquet(tmp_path / "f.parquet"))
    assert list(stored["about_beta"]) == ["1.0", "static"]


@pytest.mark.parametrize("rows", ["findings", "groups", "days"])
def test_a_frame_without_rows_has_its_columns(rows, tmp_path):
    frame = AuditResult(()).to_frame(rows)
    assert len(frame) == 0
    assert {"id", "measure", "estimate", "low", "high", "tolerance", "verdict", "n"} <= set(frame.columns)
    assert frame["estimate"].dtype == "float64"
    AuditResult(()).to_parquet(tmp_path / "f.parquet", rows)


def test_a_difference_is_by_id():
    before = AuditResult((group("a", -0.3), group("b", 0.0), group("c", 0.0), group("d", 0.02)))
    after = AuditResult((group("a", -0.31), group("b", 0.3), group("d", 0.02), group("e", 0.1)))
    told = after.diff(before).set_index(after.diff(before)["id"].str[-1])
    assert told["change"].to_dict() == {"a": "number", "b": "verdict", "d": "same", "e": "new", "c": "gone"}
    assert told.loc["b", ["difference", "verdict_before", "verdict", "apart"]].tolist() == [
        0.3,
        "within_tolerance",
        "violation",
        True,
    ]
    assert not told.loc["a", "apart"]


def test_what_cannot_be_correlated_is_shown_and_published():
    """A metric that has one mean in all groups is correlated with none."""
    cells = [Cell(row="mrr", column="hit", value=None), Cell(row="mrr", column="mrr", value=1.0)]
    result = AuditResult((group("a", 0.1, pictures=(Map(of="correlation", cells=cells),)),))
    assert "10%" in str(result)
    assert result.published().findings == result.findings
    assert AuditResult.from_json(result.to_json()) == result
