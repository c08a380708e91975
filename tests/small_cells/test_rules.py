"""What counts as few, what goes with it, and that all doors keep to it."""

from __future__ import annotations

import json
from functools import reduce
from operator import add

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import evenhand as eh
from evenhand.cli.main import app
from evenhand.findings import Finding
from evenhand.pictures import Blank
from evenhand.report.suppression.too_small import hidden_groups
from evenhand.report.words.verdicts import exclusion
from short_findings import short
from small_cells.worlds import ASKED, log, logs, user_precision

REASON = "fewer than 5 people in this group, or in one that would follow from it"


def shown(result: eh.AuditResult, min_cell: int = 5, measure: str = "relative_utility") -> set[str]:
    """The groups of which this measure is published."""
    found = [
        f for f in result.published(min_cell).findings if f.measure == measure and f.estimate is not None
    ]
    return {str(f.subject["group"]) for f in found}


def test_one_user_with_many_rows_is_one_person():
    """Rows would have been enough; and one of default traffic is one, however many random ones there are."""
    default, random = logs(13)
    others = default[default.place != "tiny"]
    many = pd.concat([default[default.user_id == 1_000]] * 6)
    result = eh.opportunity.audit(pd.concat([others, many]), random, **ASKED)
    tiny = result.find("relative_utility", group="tiny")
    assert tiny.n.count > 100
    assert tiny.people == {"tiny": 1}
    assert shown(result) == {"a", "b", "c"}


def test_without_users_rows_are_counted():
    asked = {"label": "liked", "group": "place"}
    result = eh.opportunity.audit(*logs(6), **asked)
    assert result.find("relative_utility", group="tiny").people == {"tiny": 120}
    assert "tiny" in shown(result)


def test_each_log_is_compared_and_not_their_sum():
    """Three rows of default traffic beside forty random ones are published as three."""
    asked = {"label": "liked", "group": "place"}
    default, random = logs(13)
    few = default[default.place == "tiny"].index[3:]
    result = eh.opportunity.audit(default.drop(few), random, **asked)
    tiny = result.find("relative_utility", group="tiny")
    assert (tiny.details["rows_default"], tiny.people) == (3, {"tiny": 3})
    assert shown(result) == {"a", "b", "c"}


def test_of_two_groups_each_mirrors_the_other():
    default, random = (one[one.place.isin(["a", "tiny"])] for one in logs(13))
    published = eh.opportunity.audit(default, random, **ASKED).published(15)
    assert all(finding.estimate is None for finding in published.findings)
    assert published.find("relative_utility", group="a").warnings == (REASON.replace("5", "15"),)
    (why,) = published.find("reo_penalty").warnings
    assert "a group of fewer than 15 people; merge small groups, or take more data" in why
    assert {one.rows for one in published.inputs.values()} == {None}


def test_nothing_is_hidden_where_nobody_is_few():
    result = eh.opportunity.audit(log(1, 3_000, 0), log(2, 2_000, 0), **ASKED)
    assert result.published() == result
    assert result.published(0) == result


def group(name: str, people: int, by: str = "place", audit: str = "groups") -> Finding:
    subject = {"by": by, "group": name}
    return short(audit=audit, measure="x", subject=subject, estimate=0.5, people={name: people})


@pytest.mark.parametrize(
    ("sizes", "hidden"),
    [
        ({"a": 9, "b": 5, "c": 8}, set()),
        ({"a": 9, "b": 4, "c": 8}, {"b", "c"}),
        # Two of one person each: together they are two, so that each is one.
        ({"a": 9, "b": 1, "c": 1, "d": 8}, {"b", "c", "d"}),
        ({"a": 9, "b": 2, "c": 3, "d": 8}, {"b", "c"}),
        # Of nobody there is nobody to protect.
        ({"a": 9, "b": 0, "c": 8}, set()),
        ({"a": 9, "b": 1}, {"a", "b"}),
        ({"b": 1}, {"b"}),
    ],
)
def test_what_goes_with_a_small_group(sizes, hidden):
    findings = [group(name, people) for name, people in sizes.items()]
    assert hidden_groups(findings, 5) == {("place",): hidden}


def test_a_group_is_hidden_in_all_audits_of_a_report():
    """Few in one log, enough in another: what one audit hides the next does not tell."""
    findings = [group("a", 90), group("b", 3), group("c", 40), group("b", 80, audit="envy")]
    result = eh.AuditResult(tuple(findings)).published()
    assert [finding.subject["group"] for finding in result.findings if finding.estimate is not None] == ["a"]
    elsewhere = eh.AuditResult((group("b", 3), group("b", 80, by="region"))).published()
    assert [finding.estimate for finding in elsewhere.findings] == [None, 0.5]


def test_warnings_that_name_a_hidden_group_go():
    said = "No positive row of place = b, a in the default log.", "A word about place = bb.", "A b."
    findings = [group(name, people) for name, people in {"a": 90, "b": 3, "c": 40}.items()]
    findings[0] = findings[0].amended(warnings=said)
    published = eh.AuditResult(tuple(findings)).published()
    assert published.findings[0].warnings == said[1:]


def test_a_saved_result_can_be_read_and_hidden_further(tmp_path):
    result = user_precision(13)
    result.save(tmp_path / "all", min_cell=0)
    again = eh.AuditResult.load(tmp_path / "all")
    assert again.published(15) == result.published(15)


@pytest.mark.parametrize("door", ["command", "plan"])
def test_commands_and_plans_hide_the_same(door, tmp_path):
    default, random = logs(13)
    default.to_csv(tmp_path / "default.csv", index=False)
    random.to_csv(tmp_path / "random.csv", index=False)
    out = tmp_path / "out"
    asked = ["--label", "liked", "--group", "place", "--cluster", "user_id"]
    if door == "command":
        paths = ["--default", str(tmp_path / "default.csv"), "--random", str(tmp_path / "random.csv")]
        given = ["opportunity", *paths, *asked, "--out", str(out), "--json", "--min-cell", "15"]
    else:
        (tmp_path / "plan.toml").write_text(
            '[inputs.default]\npath = "default.csv"\n[inputs.random]\npath = "random.csv"\n'
            '[[audits]]\naudit = "opportunity"\ndefault = "default"\nrandom = "random"\n'
            'label = "liked"\ngroup = "place"\ncluster = "user_id"\n'
            '[[audits]]\naudit = "user_precision"\ndefault = "default"\nlabel = "liked"\ngroup = "place"\n',
            encoding="utf-8",
        )
        given = ["audit", str(tmp_path / "plan.toml"), "--out", str(out), "--json", "--min-cell", "15"]
    ran = CliRunner().invoke(app, given)
    assert ran.exit_code == 0, ran.output
    document = json.loads((out / "findings.json").read_text(encoding="utf-8"))
    assert json.loads(ran.stdout) == document
    told = [f for f in document["findings"] if f["estimate"] is not None]
    groups = [f["about"].get("creators") or f["about"]["users"] for f in told]
    assert {group["place"] for group in groups} == {"a", "b", "c"}
    assert {one["rows"] for one in document["inputs"].values()} == {None}
    rows = str(len(default)), f"{len(default):,}", str(len(random)), f"{len(random):,}"
    for path in out.iterdir():
        written = path.read_text(encoding="utf-8")
        assert not any(f">{number}<" in written or f" {number} " in written for number in rows), path


def test_rows_without_a_group_are_people_too():
    default, random = (one.assign(place=one.place.where(one.place != "tiny", None)) for one in logs(2))
    result = eh.opportunity.audit(default, random, **ASKED, missing="exclude")
    (left,) = result.find("reo_penalty").excluded
    assert (left.count, left.people) == (80, 2)
    (hidden,) = result.published().find("reo_penalty").excluded
    why = "these are fewer than 5 people, of whom nothing more is shown"
    assert (hidden.count, hidden.people, hidden.why) == (None, None, why)
    assert exclusion(hidden) == f"Left out: {hidden.what}. Reason: {why}."


def test_numbers_of_people_do_not_vanish_without_a_word():
    """Counts by another attribute would tell how many were left out, so those of the first are hidden."""
    default, random = (one.assign(place=one.place.where(one.place != "tiny", None)) for one in logs(2))
    by_place = eh.opportunity.audit(default, random, **ASKED, missing="exclude")
    by_arm = eh.opportunity.audit(default, random, **ASKED | {"group": "arm"})
    assert by_place.published().find("relative_utility", group="a").n is not None
    published = (by_place + by_arm).published()
    hidden = published.find("relative_utility", group="a")
    assert (hidden.n, hidden.state) == (None, "computed")
    assert hidden.warnings[-1] == (
        "How many people or rows there are is not shown: fewer than 5 people were left out, and how many "
        "they are would follow from it."
    )
    assert published.find("relative_utility", by="arm", group="x").n is not None


def test_what_one_audit_leaves_out_another_does_not_tell():
    """By its rows the group is large, and by its users it was left out as too small."""
    default, random = logs(3)
    known = eh.opportunity.audit(default, random, **ASKED)
    assert "place = tiny" in [left.what for left in known.find("reo_penalty").excluded]
    result = known + eh.opportunity.user_precision(default, "liked", "place")
    told = [one for one in result.published().findings if one.estimate is not None]
    assert {one.subject.get("group") for one in told if one.measure == "precision"} == {"a", "b", "c"}


def test_what_is_left_out_is_not_told_as_a_share():
    """3% of 100 rows are three rows."""
    rows = pd.DataFrame({"place": ["a", "b"] * 50, "liked": [1, 1, 0, 0] * 25})
    few = pd.DataFrame({"place": ["c"] * 3, "liked": [1, 0, 0]})
    result = eh.opportunity.audit(pd.concat([rows, few]), pd.concat([rows, few]), "liked", "place")
    warnings = result.find("reo_penalty").warnings
    assert any(text.startswith("Left out") for text in warnings)
    assert not any("%" in text for text in warnings)


def test_days_with_few_of_a_group_are_hidden_with_their_counts():
    default, random = (log(seed, 4_000, 0) for seed in (1, 2))
    first = default.day == "2024-04-01"
    late = default[first & (default.place == "d") & (default.user_id > 2)].index
    third = default.sample(2_000, random_state=0).assign(day="2024-04-03")
    result = eh.opportunity.series(
        pd.concat([default.drop(late), third]),
        random.assign(day=None).drop(columns="day"),
        day="day",
        **ASKED,
    )
    daily = result.published().find("daily_relative_utility", group="a")
    assert daily.estimate is None or daily.details["day"] != "2024-04-01"
    days = {entry.day: entry for entry in daily.series.days}
    assert days["2024-04-01"] == Blank(day="2024-04-01")
    assert days["2024-04-02"].n is None
    assert np.isfinite(days["2024-04-02"].estimate)


def test_another_attribute_does_not_tell_how_many_were_left_out():
    """All rows by one attribute, less those of the groups that are told by another, would be the few."""
    rng = np.random.default_rng(1)

    def traffic(rows: int) -> pd.DataFrame:
        user = rng.integers(0, 400, rows)
        gender = np.where(user < 3, "x", np.where(user % 2, "f", "m"))
        liked = (rng.random(rows) < 0.3).astype(int)
        return pd.DataFrame(
            {"user_id": user, "gender": gender, "creator": rng.choice(["p", "q"], rows), "liked": liked}
        )

    both = traffic(8_000), traffic(6_000)
    asked = [eh.opportunity.audit(*both, "liked", by, cluster="user_id") for by in ("gender", "creator")]
    found = reduce(add, asked)
    published = found.published(5)
    of_gender = [one for one in published.findings if one.subject["by"] == "gender"]
    assert published.find("relative_utility", group="f").estimate is not None
    assert not [one for one in of_gender if one.n or any(e.count for e in one.excluded)]
    assert not [key for one in of_gender for key in one.details if "rows" in key or "positives" in key]
    assert published.find("relative_utility", group="p").n == found.find("relative_utility", group="p").n


def test_nor_who_is_compared_and_who_has_no_value():
    users = pd.DataFrame(
        {"user_id": range(400), "gender": ["x"] * 3 + ["f", "m"] * 198 + ["f"], "country": ["de", "at"] * 200}
    ).assign(wait=np.linspace(0, 1, 400))
    users.loc[10:40, "gender"] = None
    asked = {"metric": "wait", "missing": "exclude", "permutations": 50}
    found = eh.groups.audit(None, users, "gender", **asked) + eh.groups.audit(None, users, "country", **asked)
    alone = eh.groups.audit(None, users, "gender", **asked).published(5)
    assert alone.find("uf").n.count == 366
    both = found.published(5)
    told = [one for one in both.findings if one.subject["by"] == "gender"]
    assert not [one for one in told if one.n or any(e.count for e in one.excluded)]
    assert "184" not in json.dumps([one.model_dump(mode="json") for one in told])
    assert both.find("uf", by="country").n.count == 400
