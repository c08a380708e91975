"""A result: saved, loaded, joined, searched and shown."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
from rich.console import Console

import evenhand
from evenhand.documents import Fingerprint
from evenhand.errors import InputError
from evenhand.findings import Finding, Interval, Verdict
from evenhand.report import schema
from evenhand.results import AuditResult
from short_findings import short


def finding(group: str = "a", estimate: float | None = -0.3, n: int = 100, **changes) -> Finding:
    values = {
        "audit": "opportunity",
        "measure": "relative_utility",
        "subject": {"by": "creator_age", "group": group},
        "estimate": estimate,
        "interval": None
        if estimate is None
        else Interval(low=estimate - 0.05, high=estimate + 0.05, level=0.95, method="simultaneous logit"),
        "tolerance": 1 / 9,
        "harm": "outside",
        "n": n,
        "details": {"rows": [1, 2.5], "note": None},
    }
    return short(**(values | changes))


def overall(**changes) -> Finding:
    values = {"tolerance": None, "interval": None, "estimate": 9.5, "p_value": 0.02}
    return finding(measure="equality", subject={"by": "creator_age"}, **(values | changes))


@pytest.fixture
def result() -> AuditResult:
    return AuditResult(
        findings=(finding("a"), finding("b", 0.02), finding("c", 0.12), finding("d", None), overall()),
        inputs={"default": Fingerprint(source="log.parquet", rows=3, files=1, bytes=9, sha256="0" * 64)},
        seed=3,
        scope={"title": "Feed"},
    )


def test_the_version_is_that_of_the_package(result):
    assert result.version == evenhand.__version__


def test_round_trip_through_json(result):
    again = AuditResult.from_json(result.to_json())
    assert again == result
    assert again.to_json() == result.to_json()


def test_saved_documents_load_and_validate(result, tmp_path):
    saved = result.save(tmp_path / "new" / "folder")
    assert AuditResult.load(saved.findings.parent) == result
    content = json.loads(saved.findings.read_text(encoding="utf-8"))
    jsonschema.validate(content, json.loads(schema.PATH.read_text(encoding="utf-8")))
    assert saved.report.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_equal_results_give_equal_files_and_nothing_else_is_left(result, tmp_path):
    first, second = result.save(tmp_path / "1"), result.save(tmp_path / "2")
    result.save(tmp_path / "2")
    for one, other in zip(first, second, strict=True):
        assert one.read_bytes() == other.read_bytes()
    assert sorted(path.name for path in (tmp_path / "2").iterdir()) == ["findings.json", "report.html"]


def test_a_failed_save_leaves_the_old_files_alone(result, tmp_path, monkeypatch):
    before = result.save(tmp_path).findings.read_bytes()
    write = Path.write_bytes

    def full_disk(path: Path, content: bytes) -> int:
        if "report" in path.name:
            raise OSError(28, "No space left on device")
        return write(path, content)

    monkeypatch.setattr(Path, "write_bytes", full_disk)
    with pytest.raises(InputError, match="No space left on device"):
        AuditResult(findings=()).save(tmp_path)
    assert (tmp_path / "findings.json").read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["findings.json", "report.html"]


def test_saving_into_a_file_is_refused(result, tmp_path):
    (tmp_path / "taken").write_text("", encoding="utf-8")
    with pytest.raises(InputError, match=r"taken cannot be written to .*name another folder\.$"):
        result.save(tmp_path / "taken")


def test_small_groups_are_not_saved_but_stay_in_memory(tmp_path):
    result = AuditResult(findings=(finding("a", n=4), finding("b"), finding("c", n=90)))
    saved = result.save(tmp_path)
    loaded = AuditResult.load(tmp_path)
    assert [item.estimate for item in loaded.findings] == [-0.3, None, None]
    hidden = "fewer than 5 people in this group, or in one that would follow from it"
    assert loaded.findings[1].warnings == loaded.findings[2].warnings == (hidden,)
    assert "2 findings are not shown" in saved.report.read_text(encoding="utf-8")
    assert result.findings[0].estimate == -0.3
    result.save(tmp_path, min_cell=0)
    assert AuditResult.load(tmp_path) == result


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "The document is not JSON"),
        ("[]", "is not a findings document: the top level"),
        ('{"version": "1"}', "is not a findings document: findings: Field required"),
        ('{"schema": "evenhand.findings/9", "findings": [], "version": "1"}', "reads 'evenhand.findings/2'"),
    ],
)
def test_bad_documents_are_refused_in_one_sentence(text, message):
    with pytest.raises(InputError) as error:
        AuditResult.from_json(text)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_a_document_that_contradicts_itself_is_refused(result):
    answer, rest = result.to_json().split('"findings"', 1)
    of_finding = rest.replace('"violation"', '"within_tolerance"', 1)
    with pytest.raises(InputError, match="stated verdict is within_tolerance"):
        AuditResult.from_json(f'{answer}"findings"{of_finding}')
    of_question = answer.replace('"violation"', '"within_tolerance"', 1)
    with pytest.raises(InputError, match="of creators it says within_tolerance, but the findings"):
        AuditResult.from_json(f'{of_question}"findings"{rest}')


def test_loading_what_is_not_there(tmp_path):
    with pytest.raises(InputError, match=r"findings\.json cannot be read"):
        AuditResult.load(tmp_path)


def test_find_one(result):
    assert result.find("relative_utility", group="b").estimate == 0.02
    assert result.find("equality").p_value == 0.02


def pairs() -> AuditResult:
    """Nine genres to users of two genders: 18 findings of one measure."""
    told = [
        {"users": {"gender": gender}, "items": {"genre": genre}}
        for genre in "abcdefghi"
        for gender in ("F", "M")
    ]
    return AuditResult(
        tuple(Finding(audit="exposure", measure="pair_exposure", about=about, estimate=0.1) for about in told)
    )


def test_find_by_what_a_finding_is_about():
    found = pairs().find("pair_exposure", users="M", items="b")
    assert found.about == {"users": {"gender": "M"}, "items": {"genre": "b"}}
    assert pairs().find("pair_exposure", users={"gender": "M"}, items={"genre": "b"}) == found
    assert pairs().find("pair_exposure", group="b to M") == found


def test_find_says_how_many_more_there_are():
    with pytest.raises(InputError, match=r"There is no finding .*'group': 'f to M'\}; and 6 more\.$"):
        pairs().find("pair_exposure", users="M", items="z")
    with pytest.raises(InputError, match=r"9 findings match pair_exposure .*'group': 'i to M'\}\.$"):
        pairs().find("pair_exposure", users="M")


def test_find_prefers_the_exact_subject():
    total = finding(subject={"by": "creator_age"})
    assert AuditResult((finding("a"), total)).find("relative_utility", by="creator_age").id == total.id


def test_find_says_what_exists(result):
    with pytest.raises(
        InputError, match="There is no finding reo; this result has: equality, relative_utility"
    ):
        result.find("reo")
    with pytest.raises(InputError, match=r"There is no finding relative_utility .*'group': 'd'"):
        result.find("relative_utility", group="z")
    with pytest.raises(InputError, match="4 findings match relative_utility"):
        result.find("relative_utility", by="creator_age")


def test_verdicts_are_counted(result):
    assert result.verdicts == {"violation": 1, "inconclusive": 1, "not_applicable": 1, "within_tolerance": 1}
    assert result.verdicts[Verdict.VIOLATION] == 1


def test_frame_has_a_row_a_finding(result):
    frame = result.to_frame()
    assert list(frame["about_group"].fillna("")) == ["a", "b", "c", "d", ""]
    assert frame["low"].iloc[0] == pytest.approx(-0.35)
    assert frame["validity"].iloc[0] == "fixed"
    assert frame["verdict"].tolist()[0] == "violation"
    assert frame["n"].sum() == 500
    assert frame["estimate"].dtype == "float64"
    assert AuditResult(findings=()).to_frame().empty


def test_joining_keeps_everything(result):
    log = Fingerprint(source="other.parquet", sha256="1" * 64)
    other = AuditResult((finding("e"),), inputs={"default": log}, scope={"title": "Other", "owner": "us"})
    joined = result + other
    assert joined.findings[:-1] == result.findings
    (theirs,) = other.findings
    # What holds for the groups of each at once does not hold for those of both.
    assert joined.findings[-1] == theirs.amended(family=joined.findings[-1].family)
    assert joined.findings[-1].family.name == f"{theirs.family.name}~2"
    assert joined.inputs == {"default": result.inputs["default"], "default 2": log}
    assert joined.seed == 3
    assert joined.scope == {"title": "Feed", "owner": "us"}
    assert (result + result).inputs == result.inputs


def test_results_of_different_seeds_or_versions_do_not_join(result):
    with pytest.raises(InputError, match="seeds 3 and 4"):
        result + AuditResult(findings=(), seed=4)
    with pytest.raises(InputError, match=r"versions .* and 9"):
        result + AuditResult(findings=(), version="9")


def test_printing_and_notebooks_say_the_headline(result):
    page = io.StringIO()
    result.print(Console(file=page, width=80))
    assert "Do creators get equal opportunity?" in page.getvalue()
    assert page.getvalue().rstrip() == str(result)
    result.print(Console(file=page, width=80), whole=True)
    assert "1 of 4 checks is beyond its limit" in page.getvalue()
    assert "Do creators get equal opportunity?" in result._repr_html_()


def test_a_finding_that_two_results_share_counts_once():
    result = AuditResult((finding("a"), finding("b")))
    assert (result + result).findings == result.findings
    other = replace(result, findings=(finding("a", n=7), finding("b", -0.2)))
    assert len((result + other).findings) == 4
