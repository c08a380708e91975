"""An annex says what a result holds, and nothing of the law."""

from __future__ import annotations

import json
import re
import tomllib
from datetime import date
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from evenhand.documents import Fingerprint
from evenhand.findings import Exclusion, Finding, Interval
from evenhand.plan.model import Plan, parse
from evenhand.report import annex
from evenhand.report.annex.plan_text import plan_text
from evenhand.report.annex.ratios import figure, ratios
from evenhand.report.annex.render import KINDS, render
from evenhand.report.annex.told import rests_on
from evenhand.report.pages import html
from evenhand.results import AuditResult
from short_findings import short

DIGEST = "0" * 64
HOSTILE = "# x\n| a | [click](https://evil.example) www.evil.example <img src=x onerror=1> `code` ```"


def of_group(
    group: str, estimate: float | None, low: float = 0.0, high: float = 0.0, **values: object
) -> Finding:
    """A relative utility of a group, with its interval."""
    interval = None if estimate is None else Interval(low=low, high=high, level=0.95, method="simultaneous")
    told = {
        "subject": {"by": "creator_age", "group": group},
        "audit": "opportunity",
        "measure": "relative_utility",
    }
    asked = {"tolerance": 0.1, "harm": "outside", "estimate": estimate, "interval": interval}
    return short(n=100, **(told | asked | values))


def two_groups(**values: object) -> AuditResult:
    found = (of_group("18-24", -0.25, -0.3, -0.2), of_group("35+", 0.25, 0.2, 0.3))
    return AuditResult(found, seed=3, **values)


def written(result: AuditResult, kind: str = "ll144") -> str:
    return render(result.document, kind, DIGEST)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", KINDS)
def test_no_annex_says_that_a_rule_is_met(kind: str) -> None:
    told = written(two_groups(), kind).lower()
    assert "complian" not in told
    assert "comply" not in told
    assert "80% rule" not in told
    assert not re.search(r"\b(article|art\.|recital|section) ?\d|§", told)
    blanks = re.findall(r"\[to be filled: [^\]]*\]", told)
    assert len(blanks) == len(set(blanks)) > 5
    assert sum("independen" in blank for blank in blanks) == 1
    assert DIGEST in told


@pytest.mark.parametrize("kind", KINDS)
def test_every_annex_has_the_shared_parts_in_one_order(kind: str) -> None:
    headings = re.findall(r"^## (.*)$", written(two_groups(), kind), re.MULTILINE)
    assert headings == [
        "What was asked", "Criteria", "Method", "Level of assurance", "What was found",
        "What could not be concluded, and why", "The data", "Every number that was held against a limit",
        "How to run it again",
    ]  # fmt: skip


def test_an_impact_ratio_is_over_the_most_selected_group() -> None:
    (table,) = ratios(two_groups().findings)
    assert [(row.group, row.ratio) for row in table.rows] == [
        ("creators aged 18-24", pytest.approx(0.6)),
        ("creators aged 35+", 1.0),
    ]
    assert table.rows[0].bounds == pytest.approx((0.7 / 1.3, 0.8 / 1.2))
    assert table.rows[1].bounds == (1.0, 1.0)
    assert "| creators aged 18\\-24 | 100 rows | 0.75 | 0.60 | 0.54 to 0.67 |" in written(two_groups())


def test_a_ratio_below_1_does_not_look_like_1() -> None:
    assert [figure(ratio) for ratio in (1.0, 0.9999, 0.996, 0.6)] == ["1.00", "0.9999", "0.996", "0.60"]


def test_bounds_allow_for_another_group_being_the_most_selected() -> None:
    found = (of_group("a", 0.1, -0.1, 0.3), of_group("b", 0.0, -0.2, 0.2), of_group("c", -0.1, -0.3, 0.1))
    (table,) = ratios(AuditResult(found).findings)
    assert [row.bounds for row in table.rows] == [
        pytest.approx((0.7 / 1.3, 1.0)), pytest.approx((0.8 / 1.3, 1.0)), pytest.approx((0.9 / 1.2, 1.0)),
    ]  # fmt: skip


def test_where_the_data_speak_against_the_numbers_a_ratio_has_no_interval() -> None:
    doubt = "the random log is not random: the chance of an item is typically 40% away from an average one"
    found = (
        of_group("18-24", -0.25, -0.3, -0.2, doubts=(doubt,)),
        of_group("35+", 0.25, 0.2, 0.3, doubts=(doubt,)),
    )
    (table,) = ratios(AuditResult(found).findings)
    assert (table.level, [row.bounds for row in table.rows]) == (None, [None, None])
    told = written(AuditResult(found))
    section = told[told.index("### Impact ratios") : told.index("the categories that the rule names")]
    assert "Intervals hold" not in section
    assert doubt in section


def test_a_hidden_group_may_be_the_most_selected() -> None:
    hidden = of_group("65+", None, tolerance=None, state="suppressed", warnings=("fewer than 5 people",))
    told = written(AuditResult((*two_groups().findings, hidden)))
    assert "could not be computed: 1 groups" in told


def test_it_says_what_is_in_no_group() -> None:
    missing = Exclusion(what="rows without creator_age", count=1_412, why="excluded as asked")
    found = [one.amended(excluded=(missing,), id=one.id) for one in two_groups().findings]
    assert "In none of these groups: rows without creator\\_age \\(1,412\\)." in written(
        AuditResult(tuple(found))
    )


def test_groups_of_several_attributes_are_intersections() -> None:
    found = tuple(
        of_group(
            f"F, {age}",
            estimate,
            estimate - 0.1,
            estimate + 0.1,
            subject={"by": "gender, age", "group": f"F, {age}"},
        )
        for age, estimate in (("18-24", -0.1), ("35+", 0.1))
    )
    assert "**Intersection of gender and age, opportunity.**" in written(AuditResult(found))
    assert "crosses attributes" not in written(AuditResult(found))
    assert "No audit of this result crosses attributes." in written(two_groups())


def test_it_is_said_plainly_that_no_finding_is_a_selection_rate() -> None:
    found = short(
        {"by": "gender", "group": "F"},
        whom="users",
        audit="user_precision",
        measure="precision",
        estimate=0.4,
    )
    told = written(AuditResult((found,)))
    assert "None of this result's findings is a selection rate" in told
    assert "| Group |" not in told


@pytest.mark.parametrize("kind", KINDS)
def test_names_from_data_are_text_and_nothing_else(kind: str) -> None:
    plan = {"inputs": {HOSTILE: {"path": HOSTILE}}, "audits": [{"audit": "opportunity", "group": HOSTILE}]}
    found = (of_group(HOSTILE, -0.25, -0.3, -0.2), of_group("35+", 0.25, 0.2, 0.3, warnings=(HOSTILE,)))
    told = written(AuditResult(found, scope={"title": HOSTILE, HOSTILE: HOSTILE}, plan=plan), kind)
    before, fence, plan_part = told.partition("````toml\n")
    assert fence
    assert plan_part.count("\n````") == 1
    assert plan_part.endswith("\n````\n")
    assert "<img" not in before
    assert "](http" not in before
    assert "https://" not in before
    assert not re.search(r"(?<!\\)www\.", before)
    headings = [line for line in before.splitlines() if re.match(r"#+ ", line)]
    assert headings == [line for line in headings if line.startswith(("# Annex", "## ", "### Impact"))]
    cells = {
        re.sub(r"\\\|", "", line).count("|") for line in before.splitlines() if line.startswith("| not ")
    }
    assert len(cells) <= 1


def test_a_result_without_a_plan_says_so() -> None:
    told = written(two_groups())
    assert "This result was not made from a plan." in told
    assert "No plan is kept with this result." in told


def test_a_result_without_findings_still_has_an_annex() -> None:
    assert "this result has no findings" in written(AuditResult(()))


def test_what_is_not_decided_says_what_it_would_take() -> None:
    undecided = of_group("18-24", -0.1, -0.2, 0.0)
    blind = Exclusion(what="creator_age = 65+", count=3, why="no positive row", unidentified=True)
    told = written(AuditResult((undecided, of_group("35+", 0.25, 0.2, 0.3, excluded=(blind,)))))
    part = told.partition("## What could not be concluded")[2].partition("\n## ")[0]
    assert "creators aged 18\\-24" in part
    assert "creator\\_age = 65\\+. no positive row. The data cannot speak about this." in part


def test_the_plan_can_be_read_back() -> None:
    content = {
        "scope": {"title": "tab\tand ünicode 𝄞", "stakeholders": ["users"], "attributes": {"genre": "why"}},
        "identify": {"period": [date(2026, 3, 1), date(2026, 3, 14)]},
        "revisions": [{"who": "me", "when": date(2026, 2, 1), "what": "all of it"}],
        "inputs": {"log": {"path": ["a.csv", 'b "quoted"\\ \u202e\x7f.csv']}, "random": {"path": "r.csv"}},
        "audits": [
            {
                "audit": "opportunity", "default": "log", "random": "random", "label": ["liked"],
                "group": "genre", "bins": {"genre": [18, 25.5]},
                "where": {"country": ["DE", "AT"], "premium": True},
            }
        ],
    }  # fmt: skip
    plan = parse(content, "plan")
    told = plan.told() | {"fingerprint": "0" * 16, "left_out": ["groups"]}
    result = AuditResult((), seed=7, scope=plan.scope.head(), plan=told, labels={"genre": {"a b": "x"}})
    text = plan_text(result.document)
    again = Plan.model_validate(tomllib.loads(text))
    assert again.told() == plan.told()
    assert (again.seed, again.labels) == (7, {"genre": {"a b": "x"}})
    assert "\u202e" not in text


OLD = {
    "schema": "evenhand.findings/1",
    "findings": [
        {
            "audit": "opportunity", "measure": "relative_utility", "estimate": estimate,
            "subject": {"by": "creator_age", "group": group}, "tolerance": 0.1, "harm": "outside", "n": 50,
            "interval": {
                "low": estimate - 0.1, "high": estimate + 0.1, "level": 0.95, "method": "m",
                "validity": "fixed",
            },
        }
        for group, estimate in (("18-24", -0.25), ("35+", 0.25))
    ],
    "inputs": {}, "seed": 3, "version": "0.1.0", "scope": {},
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_documents_of_the_schema_before_have_an_annex(kind: str) -> None:
    told = written(AuditResult.from_json(json.dumps(OLD)), kind)
    assert "creators aged 18\\-24" in told
    assert ("0.60" in told) is (kind == "ll144")


def test_small_groups_stay_hidden() -> None:
    found = [of_group(name, size, size - 0.01, size + 0.01, people={name: count}) for name, size, count in (
        ("18-24", -0.313, 3), ("25-34", 0.017, 900), ("35+", 0.29, 900))]  # fmt: skip
    told = written(AuditResult(tuple(found)).published())
    assert "31%" not in told
    assert "0.687" not in told
    assert "18\\-24" in told.partition("## What could not be concluded")[2]


def test_reasons_and_revisions_of_the_plan_are_told() -> None:
    plan = {
        "scope": {"harm": "posts of the young are not seen"},
        "revisions": [{"who": "me", "when": "2026-02-01", "what": "another limit"}],
        "monitoring": {"cadence": "week"},
        "audits": [{"audit": "opportunity", "tolerance": 0.1, "reason": "asked | of creators"}],
    }
    told = written(two_groups(plan=plan), "ai-act")
    assert "- Harm that is feared: posts of the young are not seen" in told
    assert "me: another limit" in told
    assert "| asked \\| of creators |" in told
    assert "- Cadence: week" in told.partition("After deployment")[2]


@pytest.mark.parametrize("kind", KINDS)
def test_a_reader_of_markdown_finds_no_links_and_no_markup_of_others(kind: str) -> None:
    """By a parser of CommonMark with tables: every row has the cells of its heading."""
    found = (of_group(HOSTILE, -0.25, -0.3, -0.2), of_group("35+", 0.05, -0.2, 0.3, warnings=(HOSTILE,)))
    inputs = {HOSTILE: Fingerprint(source=HOSTILE, sha256=HOSTILE, label=HOSTILE, period=(HOSTILE, HOSTILE))}
    told = written(
        AuditResult(found, inputs, scope={"title": HOSTILE}, labels={"creator_age": {"35+": HOSTILE}}), kind
    )
    tokens = MarkdownIt("commonmark", {"html": True}).enable("table").parse(told)
    inner = [child for token in tokens for child in token.children or ()]
    kinds = {token.type for token in (*tokens, *inner)}
    assert not kinds & {"link_open", "image", "html_block", "html_inline", "blockquote_open"}
    assert sum(token.type == "heading_open" and token.tag == "h1" for token in tokens) == 1
    assert {child.content for child in inner if child.type == "code_inline"} <= {
        "findings.json", "audit.toml", "evenhand audit audit.toml --out again", 'group = ["gender", "age"]',
        "parity", "opportunity", "exposure", "sha256sum", found[1].id,
    }  # fmt: skip


def test_no_template_and_no_page_says_that_a_rule_is_met() -> None:
    folder = Path(annex.__file__).parent
    pages = [
        *folder.rglob("*.j2"),
        *folder.glob("*.py"),
        Path(__file__).parents[2] / "docs" / "howto" / "hand-to-an-auditor.md",
    ]
    assert len(pages) > 5
    for page in pages:
        assert not re.search("complian|comply", page.read_text(encoding="utf-8"), re.IGNORECASE), page


@pytest.mark.parametrize("kind", KINDS)
def test_it_says_how_many_rows_are_in_no_group(kind: str) -> None:
    missing = Exclusion(what="rows without creator_age", count=4_008, why="excluded as asked")
    found = [one.amended(excluded=(missing,), id=one.id) for one in two_groups().findings]
    told = written(AuditResult(tuple(found)), kind).partition("## The data")[2]
    assert "- Rows without creator\\_age \\(4,008\\): excluded as asked." in told


@pytest.mark.parametrize("kind", KINDS)
def test_a_limit_that_nobody_has_agreed_on_is_not_called_agreed(kind: str) -> None:
    """Nor where the plan of the annex is run."""
    steps = {"inputs": {}, "audits": [{"audit": "opportunity", "tolerance": 0.1}]}
    told = written(two_groups(plan=steps | {"unchecked": 14}), kind)
    assert "proposed by init: nobody has agreed on it yet" in told
    assert "tolerance = 0.1  # CHECK" in told
    agreed = written(two_groups(plan=steps), kind)
    assert "CHECK" not in agreed
    assert "proposed by init: nobody has agreed on it yet" not in agreed.replace("\\", "")


def test_an_address_of_the_plan_can_be_read_and_is_no_link() -> None:
    page = "https://intranet.example.org/fair-ness_1.html"
    plan = {"audits": [{"audit": "opportunity"}], "monitoring": {"page": page}}
    told = written(two_groups(plan=plan), "dsa")
    assert "- Page: `https://intranet.example.org/fair-ness_1.html`\n" in told
    tokens = MarkdownIt("commonmark").parse(told)
    assert not any(child.type == "link_open" for token in tokens for child in token.children or ())


def section(told: str, heading: str) -> str:
    return told.partition(f"\n## {heading}")[2].partition("\n## ")[0]


def test_it_gives_the_whole_command_of_what_was_run() -> None:
    steps = [{"audit": "opportunity", "name": "liked or shared"}, {"audit": "groups"}]
    plan = {"audits": steps, "left_out": ["exposure"], "together": True}
    command = '--seed 3 --together --only "liked or shared" --only groups'
    told = written(two_groups(plan=plan))
    assert f"`evenhand audit audit.toml --out again {command}`, where" in told
    told = written(two_groups(plan=plan).published(min_cell=10))
    assert f"`evenhand audit audit.toml --out again {command} --min-cell 10`, where" in told
    unclear = {"audits": [{"audit": "opportunity"}], "left_out": ["opportunity"]}
    told = written(two_groups(plan=unclear))
    assert "`, where `audit.toml` is the plan file" not in told
    assert "\\-\\-only` and" not in told
    assert "`--only` and the numbers of the audits" in told


def test_it_says_how_small_groups_must_be_to_be_hidden_and_whether_any_is() -> None:
    said = "of fewer than 5 people \\(rows, where no column says whose they are\\) are hidden; "
    document = two_groups().published().document
    assert f"{said}here none is." in render(document, "dsa", DIGEST, min_cell=5)
    few = AuditResult((*two_groups().findings, of_group("65+", 0.1, 0.0, 0.2, people={"65+": 3})))
    assert f"{said}here 2 are." in render(few.published().document, "dsa", DIGEST, min_cell=5)
    assert "Nothing was hidden" in render(document, "dsa", DIGEST, min_cell=0)
    of_ten = two_groups(plan={"audits": []}).published(min_cell=10)
    assert "fewer than 10 people" in render(of_ten.published().document, "dsa", DIGEST, min_cell=5)


def test_a_report_says_how_small_groups_are_hidden_and_its_plan_what_was_asked_for() -> None:
    of_ten = two_groups(plan={"audits": [], "scope": {"harm": "x"}}).published(min_cell=10)
    assert of_ten.published().plan == of_ten.plan
    assert (of_ten.plan or {})["min_cell"] == 10
    assert "min_cell" not in (two_groups(plan={"audits": []}).published().plan or {})
    assert "min_cell" not in plan_text(of_ten.document)
    page = html.render(of_ten.document, 5)
    assert "Findings that tell of fewer than 10 people" in page
    assert "<summary>What the plan says</summary>" in page


def test_cautions_of_the_report_are_in_the_annex_too() -> None:
    pair = short(
        {"users": {"gender": "M"}, "items": {"genre": "drama"}},
        audit="exposure", measure="pair_exposure", estimate=-0.5, tolerance=0.3, harm="outside",
        interval=Interval(low=-0.6, high=-0.4, level=0.95, method="m"), details={"unseen_factor": 1.04},
    )  # fmt: skip
    young = of_group("18-24", -0.25, -0.3, -0.2, warnings=("not of other items",))
    told = section(written(AuditResult((young, pair)), "dsa"), "What could not be concluded")
    assert "It might not stand if only 96% of the relevant items of other groups were observed" in told
    assert "Take care:\n\n- Opportunity: not of other items\n" in told


def test_everybody_beyond_the_limit_is_named_with_how_many_they_are() -> None:
    found = [of_group(name, far, far - 0.05, far + 0.05, people={name: 40}) for name, far in (
        ("18-24", -0.5), ("25-34", -0.3), ("35+", 0.3))]  # fmt: skip
    plan = {"audits": [{"audit": "opportunity", "tolerance": 0.1, "cluster": "user_id"}]}
    told = section(written(AuditResult(tuple(found), plan=plan), "dsa"), "What was found")
    assert "Also beyond the limit: creators aged 25\\-34." in told
    assert "| 100 rows; at least 40 users |" in told


@pytest.mark.parametrize(
    ("cluster", "people", "said"),
    [
        # Of 1,687 people, who fall into so many of 1,024 buckets.
        ("user_id", 832, "100 rows; at least 832 users"),
        (["user_id", "item_id"], 832, "100 rows; at least 832 users"),
        # Of 10,918 people: where the buckets are full, their number says nothing of people.
        ("user_id", 1024, "100 rows; at least 1,000 users"),
        ("user_id", 1014, "100 rows; at least 1,000 users"),
        # What is counted need not be people.
        ("item_id", 832, "100 rows"),
        ("session", 832, "100 rows"),
        (None, 832, "100 rows"),
        ("user_id", 0, "100 rows"),
    ],
)
def test_hash_buckets_are_not_taken_for_people(cluster: object, people: int, said: str) -> None:
    plan = {"audits": [{"audit": "opportunity", "tolerance": 0.1, "cluster": cluster}]}
    result = AuditResult((of_group("18-24", -0.5, -0.6, -0.4, people={"18-24": people}),), plan=plan)
    for kind in KINDS:
        assert f"| {said} |" in section(written(result, kind), "What was found")
        assert f"| {said} |" in section(written(result, kind), "Every number")


def test_of_several_groups_each_has_so_many_people_at_least() -> None:
    plan = {"audits": [{"audit": "opportunity", "tolerance": 0.1, "cluster": "user_id"}]}
    gap = of_group(
        "", 0.2, 0.1, 0.3, measure="reo_penalty", harm="above", subject={"by": "creator_age"},
        people={"18-24": 1024, "35+": 697},
    )  # fmt: skip
    told = section(written(AuditResult((gap,), plan=plan), "dsa"), "Every number")
    assert "| 100 rows; users, at least: 18\\-24 1,000, 35\\+ 697 |" in told


def test_users_that_were_counted_are_said_as_such() -> None:
    gap = of_group("", 0.2, 0.1, 0.3, audit="groups", people={"F": 1024, "M": 3000}, measure="confirmed_gap")
    gap = gap.amended(n={"count": 4024, "of": "users"})
    assert rests_on(gap) == "4,024 users; people, at least: F 1,000, M 3,000"


def test_ids_can_be_copied_as_they_stand() -> None:
    told = section(written(two_groups(), "dsa"), "Every number")
    assert "| `opportunity.relative_utility/creators:creator_age=18-24` |" in told


def test_it_says_which_intervals_hold_at_once_and_which_are_apart() -> None:
    ratio = of_group(
        "18-24", 0.6, 0.5, 0.7, measure="worst_ratio", tolerance=0.8, harm="below",
        subject={"by": "creator_age", "lowest": "18-24", "highest": "35+"},
    )  # fmt: skip
    found = [
        one.amended(family={"name": one.measure, "level": 0.95}) for one in (*two_groups().findings, ratio)
    ]
    told = section(written(AuditResult(tuple(found)), "dsa"), "Level of assurance")
    assert "- creators' opportunity: Opportunity: Relative utility \\(2 intervals\\), at 95%\n" in told
    assert "No others are part of that" in told
    assert "\n- Opportunity: Worst ratio\n" in told


def test_a_default_limit_is_said_to_be_one_and_is_a_comment_in_the_plan() -> None:
    steps = [{"audit": "opportunity", "tolerance": 0.125}, {"audit": "stages", "tolerance": 0.25}]
    told = written(two_groups(plan={"audits": steps, "default_limits": [1]}), "dsa")
    assert "- Opportunity: tolerance: 0.125 \\(the default: the plan gives no number\\)\n" in told
    assert "- Stages: tolerance: 0.25\n" in told
    assert "\n# tolerance = 0.125 is the default: this plan names no limit\n" in told
    assert "\ntolerance = 0.25\n" in told


def test_random_traffic_that_nobody_tested_is_said_to_be_untested() -> None:
    uniform = "Random traffic draws user-item pairs uniformly from all candidates."
    found = tuple(one.amended(assumptions=(uniform,), id=one.id) for one in two_groups().findings)
    untested = "uniformly from all candidates. Not tested in this result."
    assert untested in written(AuditResult(found), "dsa")
    tested = short({"by": "item_id"}, audit="opportunity", measure="random_items", estimate=0.02)
    assert untested not in written(AuditResult((*found, tested)), "dsa")
