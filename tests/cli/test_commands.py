"""The commands when all is well: what they print, write and exit with, and that they equal the calls."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import jsonschema
import pandas as pd
import pytest

import evenhand as eh
from evenhand.report import schema

LOGS = ("--default", "default.parquet", "--random", "random.parquet")
ASKED = ("--label", "liked", "--group", "creator_age")
BOTH = {"label": "liked", "group": "creator_age"}
ARMS = ("--arm", "control=default.parquet", "--arm", "treatment=treatment.parquet")


@pytest.fixture
def as_json(evenhand):
    """The findings that a command prints with --json, which is all that it prints."""

    def run(*words: object) -> eh.AuditResult:
        ran = evenhand(*words, "--json")
        assert (ran.code, ran.err) == (0, "")
        jsonschema.validate(json.loads(ran.out), json.loads(schema.PATH.read_text(encoding="utf-8")))
        return eh.AuditResult.from_json(ran.out)

    return run


def verdicts(result: eh.AuditResult) -> set[eh.Verdict]:
    return {verdict for verdict, count in result.verdicts.items() if count}


def measures(result: eh.AuditResult) -> list[tuple[str, str | None]]:
    return [(finding.measure, finding.subject.get("group")) for finding in result.findings]


# The promises of the front door


def test_findings_of_an_audit(as_json, logs):
    result = as_json("opportunity", *LOGS, *ASKED)
    assert measures(result) == [
        ("reo_penalty", None),
        ("relative_utility", "mid"),
        ("relative_utility", "old"),
        ("relative_utility", "young"),
        ("worst_ratio", None),
        ("equality", None),
    ]
    penalty = result.find("reo_penalty")
    assert 0 < penalty.details["corrected"] < penalty.estimate
    assert penalty.tolerance == pytest.approx(1 / 9)
    assert penalty.verdict is eh.Verdict.VIOLATION
    assert result.find("relative_utility", group="old").estimate < 0
    assert result.find("worst_ratio").details == {
        "lowest": "old", "highest": "young", "groups_of": "rows"
    }  # fmt: skip
    assert result.find("equality").p_value < 1e-6
    assert all(finding.subject["by"] == "creator_age" for finding in result.findings)
    assert set(result.inputs) == {"default", "random"}
    assert result.seed == 0


def test_findings_of_a_comparison(as_json, logs):
    result = as_json("compare", *ARMS, *LOGS[2:], *ASKED, "--tolerance", "0.02")
    assert measures(result) == [
        ("reo_penalty", None),
        ("reo_penalty", None),
        ("reo_difference", None),
        ("relative_utility_difference", "mid"),
        ("relative_utility_difference", "old"),
        ("relative_utility_difference", "young"),
    ]
    difference = result.find("reo_difference")
    arms = {arm: result.find("reo_penalty", arm=arm).estimate for arm in ("control", "treatment")}
    assert difference.estimate == pytest.approx(arms["treatment"] - arms["control"])
    assert difference.subject == {"by": "creator_age", "arm": "treatment", "baseline": "control"}
    assert difference.verdict is eh.Verdict.WITHIN_TOLERANCE
    of_old = result.find("relative_utility_difference", group="old")
    assert of_old.estimate > 0
    assert of_old.harm == "outside"  # less of it harms the group, and more of it the others
    assert set(result.inputs) == {"control", "treatment", "random"}


def test_third_arms_are_compared_with_the_first(as_json, logs):
    shutil.copy("default.parquet", "same.parquet")
    result = as_json("compare", *ARMS, "--arm", "same=same.parquet", *LOGS[2:], *ASKED)
    assert result.find("reo_difference", arm="same", baseline="control").estimate == 0
    assert [f.subject["arm"] for f in result.findings if f.measure == "reo_difference"] == [
        "treatment",
        "same",
    ]


# The same from Python

OPTIONS = {
    "level": 0.9,
    "tolerance": 0.2,
    "interval": "delta",
    "variance": "independent",
    "cluster": "user_id",
}


@pytest.mark.parametrize("options", [{}, OPTIONS, {"interval": "bca", "cluster": "user_id"}])
def test_the_command_equals_the_call(as_json, logs, options):
    words = [word for key, value in options.items() for word in (f"--{key}", str(value))]
    by_command = as_json("opportunity", *LOGS, *ASKED, *words, "--seed", "7")
    by_call = eh.opportunity.audit("default.parquet", "random.parquet", **BOTH, **options, rng=7)
    assert by_command == by_call


def test_the_comparison_equals_the_call(as_json, logs):
    by_command = as_json(
        "compare",
        *ARMS,
        *LOGS[2:],
        *ASKED,
        "--cluster",
        "user_id",
        "--tolerance",
        "0.1",
        "--no-shared-random",
    )
    arms = {"control": "default.parquet", "treatment": "treatment.parquet"}
    by_call = eh.opportunity.compare(
        arms, "random.parquet", **BOTH, cluster="user_id", tolerance=0.1, shared_random=False
    )
    assert by_command == by_call


@pytest.mark.parametrize("interval", ["delta", "welch", "bca"])
def test_another_interval_of_a_comparison(as_json, logs, interval):
    words = ("--interval", interval, "--folds", "5")
    by_command = as_json("compare", *ARMS, *LOGS[2:], *ASKED, *words)
    arms = {"control": "default.parquet", "treatment": "treatment.parquet"}
    assert by_command == eh.opportunity.compare(arms, "random.parquet", **BOTH, interval=interval, folds=5)


@pytest.fixture
def experiments(logs, frames):
    """Two experiments in the columns of a log: what users see, and what does nothing."""
    log = pd.concat([frames["default"].assign(ranker="control"), frames["treatment"].assign(ranker="new")])
    log["user_id"] += 80 * (log["ranker"] == "new")
    log["colour"] = log["user_id"].mod(3).map({0: "blue", 1: "green", 2: "red"})
    log.to_parquet("experiments.parquet", index=False)
    return ("experiments", "--default", "experiments.parquet", *LOGS[2:], *ASKED, "--cluster", "user_id")


def test_findings_of_experiments(as_json, experiments):
    result = as_json(*experiments, "--experiment", "ranker", "--experiment", "colour=red")
    found = [f.subject for f in result.findings if f.measure == "reo_difference"]
    assert [(f["experiment"], f["arm"], f["baseline"]) for f in found] == [
        ("ranker", "new", "control"),
        ("colour", "blue", "red"),
        ("colour", "green", "red"),
    ]
    assert result.find("reo_difference", experiment="ranker").interval.high < 0
    assert result.find("arm_overlap", experiment="ranker").estimate < 0.1
    by_call = eh.opportunity.experiments(
        "experiments.parquet", "random.parquet", {"ranker": None, "colour": "red"}, **BOTH, cluster="user_id"
    )
    assert result == by_call


def test_the_plan_of_experiments_equals_the_command(as_json, experiments):
    Path("plan.toml").write_text(
        """
        [inputs.default]
        path = "experiments.parquet"
        [inputs.random]
        path = "random.parquet"
        [[audits]]
        audit = "experiments"
        default = "default"
        random = "random"
        columns = { ranker = "control", colour = ["green", "red"] }
        label = "liked"
        group = "creator_age"
        cluster = "user_id"
        """,
        encoding="utf-8",
    )
    words = ("--experiment", "ranker=control", "--experiment", "colour=green,red")
    assert as_json("audit", "plan.toml").findings == as_json(*experiments, *words).findings


def test_the_report_of_experiments_has_a_picture_of_all(evenhand, experiments):
    ran = evenhand(*experiments, "--experiment", "ranker", "--experiment", "colour", "--out", "out")
    assert ran.code == 0
    page = Path("out/report.html").read_text(encoding="utf-8")
    assert "Experiments by creator age" in page
    assert "Chart: Change in opportunity penalty by creator age with its interval for 3, from" in page
    assert "under ranker = new than under ranker = control" in " ".join(ran.out.split())


def test_the_plan_equals_the_command(as_json, logs):
    Path("plan.toml").write_text(
        """
        [inputs.default]
        path = "default.parquet"
        [inputs.random]
        path = "random.parquet"
        [[audits]]
        audit = "opportunity"
        default = "default"
        random = "random"
        label = "liked"
        group = "creator_age"
        """,
        encoding="utf-8",
    )
    assert as_json("opportunity", *LOGS, *ASKED) == as_json("audit", "plan.toml") == eh.plan.run("plan.toml")


@pytest.mark.parametrize("command", ["opportunity", "compare"])
def test_a_probability_column_weights_random_rows(evenhand, logs, frames, command):
    frames["random"].assign(p=0.25).to_parquet(logs / "weighted.parquet")
    words = ["--default", "default.parquet"]
    if command == "compare":
        words = ["--arm", "control=default.parquet", "--arm", "new=treatment.parquet"]
    words = [command, *words, "--label", "liked", "--group", "creator_age", "--json"]
    plain = json.loads(evenhand(*words, "--random", "random.parquet").out)["findings"]
    weighted = evenhand(*words, "--random", "weighted.parquet", "--probability", "p").out
    same = json.loads(weighted)["findings"]
    assert [f["estimate"] for f in same] == pytest.approx([f["estimate"] for f in plain])
    refused = evenhand(*words, "--random", "weighted.parquet", "--probability", "liked")
    assert refused.code == 2
    assert "both the probability and the label" in refused.err


def test_a_label_list_is_any_of_them(as_json, logs, frames):
    for name in ("default", "random"):
        both = frames[name].assign(any=frames[name][["liked", "shared"]].max(axis=1))
        both.to_parquet(f"{name}.parquet", index=False)
    group = ASKED[2:]
    several = as_json("opportunity", *LOGS, "--label", "liked", "--label", "shared", *group)
    assert several == as_json("opportunity", *LOGS, "--label", "any", *group)
    assert several.findings != as_json("opportunity", *LOGS, "--label", "liked", *group).findings


def test_a_group_of_the_items(as_json, logs):
    joined = as_json(
        "opportunity",
        *LOGS,
        "--label",
        "liked",
        "--group",
        "age",
        "--attributes",
        "items.parquet",
        "--on",
        "item_id",
    )
    for finding in as_json("opportunity", *LOGS, *ASKED).findings:
        subject = finding.subject | {"by": "age"}
        assert joined.find(finding.measure, **subject).estimate == finding.estimate


def without_whose(result):
    """The findings but for whose groups they are, which a key says and a column of the logs does not."""
    return [
        one.amended(details={name: value for name, value in one.details.items() if name != "groups_of"})
        for one in result.findings
    ]


def test_a_group_of_the_users(as_json, logs, frames):
    words = ("--label", "liked", "--group", "gender", "--attributes", "users.parquet", "--on", "user_id")
    joined = as_json("opportunity", *LOGS, *words)
    by_hand = {name: frames[name].merge(frames["users"], on="user_id") for name in ("default", "random")}
    expected = eh.opportunity.audit(by_hand["default"], by_hand["random"], label="liked", group="gender")
    assert without_whose(joined) == without_whose(expected)
    assert joined.find("worst_ratio").details["groups_of"] == "users"


def test_a_group_of_pairs(as_json, logs, frames):
    pairs = pd.DataFrame({"user_id": range(80)}).merge(pd.DataFrame({"item_id": range(42)}), how="cross")
    pairs["relation"] = ((pairs["user_id"] + pairs["item_id"]) % 3).map({0: "friend", 1: "other", 2: "other"})
    pairs.to_parquet("pairs.parquet", index=False)
    joined = as_json(
        "opportunity", *LOGS, "--label", "liked", "--group", "relation", "--attributes", "pairs.parquet",
        "--on", "user_id", "--on", "item_id",
    )  # fmt: skip
    by_hand = {name: frames[name].merge(pairs, on=["user_id", "item_id"]) for name in ("default", "random")}
    expected = eh.opportunity.audit(by_hand["default"], by_hand["random"], label="liked", group="relation")
    assert joined.findings == expected.findings


def test_a_glob_is_one_log(as_json, logs, frames):
    whole = as_json("opportunity", *LOGS, *ASKED)
    for day, rows in enumerate((slice(0, 1500), slice(1500, None))):
        frames["default"][rows].to_parquet(f"day-{day}.parquet", index=False)
    parts = as_json("opportunity", "--default", "day-*.parquet", *LOGS[2:], *ASKED)
    assert parts.findings == whole.findings
    assert parts.inputs["default"].files == 2


@pytest.mark.parametrize("choice", ["group", "exclude"])
def test_missing_groups_are_a_stated_choice(as_json, logs, frames, choice):
    unknown = frames["default"].index < 70
    log = frames["default"].assign(creator_age=frames["default"]["creator_age"].mask(unknown))
    log.to_parquet("default.parquet", index=False)
    random = frames["random"].assign(
        creator_age=frames["random"]["creator_age"].mask(lambda a: a.index < 200)
    )
    random.to_parquet("random.parquet", index=False)
    result = as_json("opportunity", *LOGS, *ASKED, "--missing", choice)
    groups = {group for measure, group in measures(result) if measure == "relative_utility"}
    excluded = result.find("reo_penalty").excluded
    if choice == "group":
        assert groups == {"mid", "old", "young", "(missing)"}
        assert result.find("relative_utility", group="(missing)").n.count == 270
        assert excluded == ()
    else:
        assert groups == {"mid", "old", "young"}
        assert [(e.what, e.count, e.why) for e in excluded] == [
            ("rows without creator_age", 270, "excluded as asked")
        ]
        assert result.find("reo_penalty").n.count == 7000 - 270


# Printing and writing


def test_text_goes_to_standard_output_and_says_where_the_report_is(evenhand, logs):
    ran = evenhand("opportunity", *LOGS, *ASKED, "--out", "audit")
    assert (ran.code, ran.err) == (0, "")
    assert "Do creators get equal opportunity?" in ran.out
    assert ran.out.endswith("\nReport: audit/report.html\n")
    assert sorted(path.name for path in Path("audit").iterdir()) == [
        "findings.json",
        "report.html",
        "run.log",
    ]


def test_json_is_what_is_written(evenhand, logs):
    ran = evenhand("opportunity", *LOGS, *ASKED, "--json", "--out", "audit")
    assert ran.out == Path("audit/findings.json").read_text(encoding="utf-8")


def test_quiet_prints_nothing_but_writes(evenhand, logs):
    ran = evenhand("opportunity", *LOGS, *ASKED, "--quiet", "--out", "audit")
    assert (ran.code, ran.out, ran.err) == (0, "", "")
    assert Path("audit/findings.json").exists()


def test_without_out_nothing_is_written(evenhand, logs):
    before = sorted(logs.iterdir())
    assert evenhand("opportunity", *LOGS, *ASKED).code == 0
    assert sorted(logs.iterdir()) == before


def test_equal_runs_give_equal_files(evenhand, logs):
    for out in ("one", "two", "two"):
        assert (
            evenhand("opportunity", *LOGS, *ASKED, "--cluster", "user_id", "--quiet", "--out", out).code == 0
        )
    for name in ("findings.json", "report.html"):
        assert Path("one", name).read_bytes() == Path("two", name).read_bytes()


def test_no_path_or_time_is_in_the_findings_but_both_are_in_the_log(evenhand, logs):
    words = ("--default", logs / "default.parquet", "--random", logs / "random.parquet")
    evenhand("opportunity", *words, *ASKED, "--quiet", "--out", "audit")
    assert str(logs) not in Path("audit/findings.json").read_text(encoding="utf-8")
    assert str(logs) not in Path("audit/report.html").read_text(encoding="utf-8")
    journal = Path("audit/run.log").read_text(encoding="utf-8")
    assert f"input default log: {logs / 'default.parquet'}" in journal
    assert "UTC" in journal
    assert "audit 1 of 1, opportunity" in journal


def test_small_groups_are_hidden_wherever_they_would_be_shown(evenhand, logs, frames):
    # Three rows of a fourth group in all: two in the default log, one, which was liked, in the random log.
    few = frames["default"][:2].assign(creator_age="centenarian", liked=1)
    pd.concat([frames["default"], few]).to_parquet("default.parquet", index=False)
    pd.concat([frames["random"], few[:1]]).to_parquet("random.parquet", index=False)
    words = ("opportunity", *LOGS, *ASKED, "--out", "audit")

    def shown(*more: str) -> list[int | None]:
        ran = evenhand(*words, "--json", *more)
        results = eh.AuditResult.from_json(ran.out), eh.AuditResult.load("audit")
        return [e.count for r in results for e in r.find("reo_penalty").excluded if "centenarian" in e.what]

    assert shown() == [None, None]
    # All random rows less those of the groups that are compared would be one.
    assert shown("--min-cell", "2") == [None, None]
    assert shown("--min-cell", "1") == [2, 2]


# Exit codes


@pytest.mark.parametrize(("fail_on", "code"), [((), 0), (("violation",), 1), (("inconclusive",), 1)])
def test_a_violation_fails_only_when_asked(evenhand, logs, fail_on, code):
    words = ("opportunity", *LOGS, *ASKED, *(("--fail-on", *fail_on) if fail_on else ()))
    ran = evenhand(*words, "--out", "audit")
    assert ran.code == code
    assert ran.err == ""
    assert Path("audit/report.html").exists()  # what failed can be read


@pytest.mark.parametrize("fail_on", ["violation", "inconclusive"])
def test_within_tolerance_never_fails(evenhand, logs, fail_on):
    words = ("compare", *ARMS, *LOGS[2:], *ASKED, "--tolerance", "0.02")
    assert evenhand(*words, "--fail-on", fail_on).code == 0


def test_what_is_inconclusive_fails_only_when_asked(evenhand, logs):
    shutil.copy("random.parquet", "a.parquet")
    words = ("compare", "--arm", "a=a.parquet", *ARMS[2:], *LOGS[2:], *ASKED, "--tolerance", "0.05")
    result = eh.AuditResult.from_json(evenhand(*words, "--json").out)
    assert verdicts(result) == {eh.Verdict.INCONCLUSIVE}
    passed = evenhand(*words, "--fail-on", "violation")
    assert passed.code == 0
    assert "fails" not in passed.out
    for form in ((), ("--format", "markdown")):
        failed = evenhand(*words, "--fail-on", "inconclusive", *form)
        assert failed.code == 1
        *_, last = failed.out.replace("\\", "").splitlines()
        assert last.startswith("--fail-on inconclusive fails: Comparison is not decided: ")


@pytest.mark.parametrize("tolerance", [0.02, 0.5])
def test_a_gate_and_the_documents_parts_agree(evenhand, logs, tolerance):
    """The check of docs/reference/results.md: an audit that is fine must not hide a change that is not."""
    asked = 'random = "random"\nlabel = "liked"\ngroup = "creator_age"'
    inputs = {"new": "default", "old": "treatment", "random": "random"}
    Path("gate.toml").write_text(
        "\n".join(f'[inputs.{name}]\npath = "{file}.parquet"' for name, file in inputs.items())
        + f'\n[[audits]]\naudit = "opportunity"\ndefault = "old"\ntolerance = 0.6\n{asked}'
        + f'\n[[audits]]\naudit = "compare"\ntolerance = {tolerance}\n{asked}'
        + '\narms = {old = "old", new = "new"}\n'
    )
    ran = evenhand("audit", "gate.toml", "--json", "--fail-on", "violation")
    parts = [part for question in json.loads(ran.out)["questions"] for part in question["parts"]]
    failing = [part["audit"] for part in parts if part["verdict"] in ("violation", "not_applicable")]
    assert failing == (["compare"] if tolerance < 0.1 else [])
    assert ran.code == len(failing)


@pytest.mark.parametrize("command", ["opportunity", "compare"])
def test_without_random_traffic_nothing_can_be_said_and_that_is_no_pass(evenhand, logs, command):
    words = (command, *(LOGS[:2] if command == "opportunity" else ARMS), *ASKED, "--tolerance", "0.1")
    ran = evenhand(*words, "--json", "--out", "audit")
    assert ran.code == 0
    result = eh.AuditResult.from_json(ran.out)
    assert verdicts(result) == {eh.Verdict.NOT_APPLICABLE}
    for finding in result.findings:
        assert finding.estimate is None
        assert "Cannot be identified without random traffic" in finding.warnings[0]
        assert "Collect a small log of uniformly random pairs" in finding.warnings[0]
    assert "is not a pass." in evenhand(*words).out
    assert evenhand(*words, "--fail-on", "violation").code == 1
    assert evenhand(*words, "--fail-on", "inconclusive").code == 1


def test_a_gate_without_a_tolerance_is_refused(evenhand, logs):
    ran = evenhand("compare", *ARMS, *LOGS[2:], *ASKED, "--fail-on", "violation")
    assert ran.code == 2
    assert "--fail-on needs a tolerance to fail on" in ran.err


def test_a_log_of_several_files_is_named_file_by_file(as_json, logs, frames):
    frames["default"][:2000].to_parquet("first.parquet", index=False)
    frames["default"][2000:].to_parquet("second.parquet", index=False)
    parts = as_json(
        "opportunity", "--default", "first.parquet", "--default", "second.parquet", *LOGS[2:], *ASKED
    )
    assert parts.findings == as_json("opportunity", *LOGS, *ASKED).findings


def test_groups_that_random_traffic_cannot_identify_are_no_pass(evenhand, logs, frames):
    """One group of three is left out and named; with two of three left out nothing can be computed."""
    random = frames["random"]
    words = ("compare", *ARMS, *LOGS[2:], *ASKED, "--tolerance", "0.02")
    for unliked, verdict in (
        (["old"], eh.Verdict.INCONCLUSIVE),
        (["old", "mid"], eh.Verdict.NOT_APPLICABLE),
    ):
        likes = random["liked"].mask(random["creator_age"].isin(unliked), 0)
        random.assign(liked=likes).to_parquet("random.parquet", index=False)
        ran = evenhand(*words, "--json")
        assert (ran.code, ran.err) == (0, "")
        result = eh.AuditResult.from_json(ran.out)
        assert verdicts(result) == {verdict}
        excluded = result.find("reo_difference").excluded
        assert {exclusion.what for exclusion in excluded} == {f"creator_age = {age}" for age in unliked}
        assert evenhand(*words, "--fail-on", "inconclusive").code == 1


def test_a_group_that_is_never_liked_in_the_default_log_is_a_violation(evenhand, logs, frames):
    log = frames["default"]
    log.assign(liked=log["liked"].mask(log["creator_age"] == "old", 0)).to_parquet("default.parquet")
    ran = evenhand("opportunity", *LOGS, *ASKED, "--json", "--fail-on", "violation")
    assert ran.code == 1
    assert eh.AuditResult.from_json(ran.out).find("relative_utility", group="old").estimate == -1


# Help


def test_help_and_version(evenhand):
    ran = evenhand("--help")
    assert (ran.code, ran.err) == (0, "")
    for command in ("demo", "audit", "opportunity", "compare", "experiments"):
        assert f"\n  {command} " in ran.out
    assert evenhand("--version").out == f"evenhand {eh.__version__}\n"


def test_no_words_at_all_is_a_question_for_help(evenhand):
    ran = evenhand()
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("Usage: evenhand ")
    assert "\n  opportunity " in ran.err


@pytest.mark.parametrize(
    "command", ["demo", "audit", "opportunity", "compare", "experiments", "plan-traffic"]
)
def test_every_command_has_the_common_options(evenhand, command):
    ran = evenhand(command, "--help")
    assert (ran.code, ran.err) == (0, "")
    for option in ("--out", "--json", "--seed", "--quiet"):
        assert f" {option}" in ran.out
