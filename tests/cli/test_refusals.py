"""What a user can get wrong: each ends with exit code 2, one sentence that helps, and nothing written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

LOGS = ("--default", "default.parquet", "--random", "random.parquet")
ASKED = ("--label", "liked", "--group", "creator_age")
ARMS = ("--arm", "control=default.parquet", "--arm", "treatment=treatment.parquet")


def all_in(message: str, *words: str) -> bool:
    assert [word for word in words if word not in message] == [], message
    return True


@pytest.fixture
def with_default(refused, logs, frames) -> Callable[[Callable[[pd.DataFrame], pd.DataFrame]], str]:
    """The refusal of a default log that was changed."""

    def run(change: Callable[[pd.DataFrame], pd.DataFrame]) -> str:
        change(frames["default"].copy()).to_parquet(logs / "changed.parquet", index=False)
        return refused("opportunity", "--default", "changed.parquet", *LOGS[2:], *ASKED)

    return run


# Files


def test_missing_file(refused, logs):
    message = refused("opportunity", "--default", "defalt.parquet", *LOGS[2:], *ASKED)
    assert message.startswith("default log: there is no file 'defalt.parquet'; check the path")


def test_missing_random_file_names_that_log(refused, logs):
    message = refused("opportunity", *LOGS[:2], "--random", "rnd.parquet", *ASKED)
    assert message.startswith("random log: there is no file 'rnd.parquet'")


def test_glob_that_matches_nothing(refused, logs):
    message = refused("opportunity", "--default", "day-*.parquet", *LOGS[2:], *ASKED)
    assert message == "default log: no file matches 'day-*.parquet'; check the folder and the pattern."


def test_address_that_is_not_a_file(refused, logs):
    message = refused("opportunity", "--default", "s3://bucket/x.parquet", *LOGS[2:], *ASKED)
    assert message.startswith("default log: s3:// addresses are not read directly;")


def test_broken_row_of_a_csv_is_found_by_its_line(refused, logs, frames):
    lines = frames["default"].to_csv(index=False).splitlines()
    lines[99] = "1,2"
    Path("broken.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    message = refused("opportunity", "--default", "broken.csv", *LOGS[2:], *ASKED)
    assert all_in(message, "default log: line 100 of broken.csv has 2 fields where the header has 5")


# Columns and values


@pytest.mark.parametrize(
    ("option", "wrong", "meant"),
    [
        ("--label", "like", "liked"),
        ("--group", "creator_ag", "creator_age"),
        ("--cluster", "userid", "user_id"),
    ],
)
def test_wrong_column_with_the_one_that_was_meant(refused, logs, option, wrong, meant):
    message = refused("opportunity", *LOGS, *ASKED, option, wrong)
    assert all_in(
        message, f"default log: there is no column {wrong!r}. Did you mean {meant!r}?", "It has: user"
    )


def test_empty_labels(with_default):
    message = with_default(lambda log: log.assign(liked=log["liked"].astype("Int64").mask(log.index < 7)))
    assert all_in(message, "default log: column 'liked' is empty in 7 of 4,000 rows, for example ")
    assert all_in(message, "A missing label is not a negative one", "drop those rows or fill them")


def test_empty_groups(with_default):
    message = with_default(lambda log: log.assign(creator_age=log["creator_age"].mask(log.index < 7)))
    assert all_in(message, "default log: column 'creator_age' is empty in 7 of 4,000 rows")
    assert all_in(message, "choose for missing: 'group' makes these rows a group")


def test_labels_that_are_not_0_and_1(with_default):
    message = with_default(lambda log: log.assign(liked=log["liked"].mask(log.index < 5, 2)))
    assert all_in(message, "default log: column 'liked' has values other than 0 and 1 in 5 of 4,000 rows")
    assert all_in(message, "for example liked=2", "store that as 0/1")


def test_empty_log(with_default):
    assert with_default(lambda log: log[:0]).startswith("default log: the log is empty")


def test_one_group_only(refused, logs, frames):
    frames["default"].assign(creator_age="old").to_parquet("one.parquet", index=False)
    frames["default"].assign(creator_age="old").to_parquet("two.parquet", index=False)
    message = refused("opportunity", "--default", "one.parquet", "--random", "two.parquet", *ASKED)
    assert all_in(message, "column 'creator_age' has only one value, 'old'", "at least two")


# The attributes table

BY_ITEM = ("--label", "liked", "--group", "age", "--on", "item_id", "--attributes")


def test_keys_that_are_twice_in_the_attributes(refused, logs, frames):
    pd.concat([frames["items"], frames["items"][:2]]).to_parquet("twice.parquet", index=False)
    message = refused("opportunity", *LOGS, *BY_ITEM, "twice.parquet")
    assert all_in(
        message, "attributes: 2 keys of item_id appear more than once, for example item_id=0 in 2 rows"
    )
    assert all_in(message, "Keep one row for each key")


def test_ids_that_the_attributes_lack_are_refused_where_nobody_chose(refused, logs, frames):
    frames["items"][:-2].to_parquet("short.parquet", index=False)
    rows = int((frames["default"]["item_id"] >= 40).sum())
    message = refused("opportunity", *LOGS, *BY_ITEM, "short.parquet")
    assert all_in(
        message, "default log: 2 distinct item_id not found in attributes", f"in {rows:,} of 4,000 rows"
    )
    assert all_in(message, "for example item_id=4", "Add them to attributes, drop their rows", "missing")


@pytest.mark.parametrize("half", [("--on", "item_id"), ("--attributes", "items.parquet")])
def test_half_of_a_join(refused, logs, half):
    message = refused("opportunity", *LOGS, *ASKED, *half)
    assert all_in(message, "attributes and on belong together", "key column(s)")


def test_attribute_that_the_table_lacks(refused, logs):
    message = refused("opportunity", *LOGS, *BY_ITEM, "items.parquet", "--group", "ages")
    assert message == "attributes: there is no column 'ages'. Did you mean 'age'? It has: item_id, age."


# Options


@pytest.mark.parametrize(
    ("option", "value", "says"),
    [
        ("--level", "1.2", "--level is 1.2, but must be a finite number from 0.5 to 0.9999"),
        ("--level", "0.4", "--level is 0.4, but must be a finite number from 0.5"),
        ("--level", "nan", "--level is nan, but must be a finite number"),
        ("--level", "high", "--level is 'high', but must be a finite number"),
        ("--tolerance", "0", "--tolerance is 0, but must be a number above 0 and below 1"),
        ("--tolerance", "1", "--tolerance is 1, but must be a number above 0 and below 1"),
        ("--seed", "-1", "--seed is -1, but must be a whole number from 0 to 9,223,372,036,854,775,807."),
        ("--seed", 2**63, "--seed is 9223372036854775808, but must be a whole number from 0 to 9,223,"),
        ("--seed", "1.5", "--seed is '1.5', but must be a whole number"),
        ("--min-cell", "-1", "--min-cell is -1, but must be a whole number of at least 0."),
        (
            "--interval",
            "hul",
            "--interval is 'hul', but must be one of hull, delta, ray, percentile, normal, bca",
        ),
        ("--variance", "multi", "--variance is 'multi', but must be one of multinomial, independent"),
        ("--missing", "keep", "--missing is 'keep', but must be one of refuse, group, exclude"),
        ("--fail-on", "harm", "'--fail-on': 'harm' is not one of 'violation', 'inconclusive'"),
        ("--tolerence", "1", "No such option: --tolerence"),
    ],
)
def test_option_out_of_range_or_misspelt(refused, logs, option, value, says):
    assert all_in(refused("opportunity", *LOGS, *ASKED, option, value), says)


@pytest.mark.parametrize("seed", [-1, 2**63])
@pytest.mark.parametrize(
    "words",
    [
        ("demo",),
        ("audit", "plan.toml"),
        ("opportunity", *LOGS, *ASKED),
        ("compare", *ARMS, *ASKED),
        ("train", "random", "default.parquet"),
    ],
)
def test_a_seed_beyond_what_can_be_written(refused, logs, words, seed):
    assert all_in(refused(*words, "--seed", seed), f"--seed is {seed}, but must be a whole number from 0")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("opportunity", "--default", "default.parquet"), "Missing option '--group'"),
        (("opportunity", *LOGS, *ASKED, "more"), "unexpected extra argument"),
        (("compare", *ASKED), "Missing option '--arm'"),
    ],
)
def test_words_too_few_or_too_many_point_to_help(refused, logs, words, says):
    assert all_in(refused(*words), says, f"`evenhand {words[0]} --help`")


def test_unknown_command(evenhand):
    ran = evenhand("oportunity")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == (
        "Error: No such command 'oportunity'. Did you mean 'opportunity', 'parity'? "
        "`evenhand --help` lists what there is.\n"
    )


@pytest.mark.parametrize("command", ["opportunity", "demo"])
def test_out_that_is_a_file(refused, logs, command):
    before = Path("default.parquet").read_bytes()
    words = (*LOGS, *ASKED) if command == "opportunity" else ()
    message = refused(command, *words, "--out", "default.parquet")
    assert message == "default.parquet cannot be written to (it is a file); name another folder."
    assert Path("default.parquet").read_bytes() == before


def test_out_below_a_file(refused, logs):
    message = refused("opportunity", *LOGS, *ASKED, "--out", "default.parquet/audit")
    assert message == (
        "default.parquet/audit cannot be written to (default.parquet is a file); name another folder."
    )


def test_out_is_checked_before_anything_is_read(refused, logs):
    Path("nonsense.parquet").write_text("nonsense", encoding="utf-8")
    words = ("--default", "nonsense.parquet", *LOGS[2:], *ASKED)
    assert all_in(refused("opportunity", *words, "--out", "default.parquet"), "cannot be written to")


# Arms


@pytest.mark.parametrize(
    ("arms", "says"),
    [
        (
            (*ARMS, "--arm", "control=random.parquet"),
            "two arms are called 'control': give every --arm",
        ),
        (
            (*ARMS, "--arm", "random.parquet"),
            "--arm is 'random.parquet', but must be NAME=PATH, such as",
        ),
        ((*ARMS, "--arm", "=random.parquet"), "--arm is '=random.parquet', but must be NAME=PATH"),
        ((*ARMS, "--arm", "third="), "--arm is 'third=', but must be NAME=PATH"),
        (ARMS[:2], "--arm is {'control': 'control log'}, but must be two arms or more, the baseline first"),
        ((*ARMS, "--arm", "random=default.parquet"), "an arm is called 'random'"),
        ((*ARMS, "--arm", "third=nope.parquet"), "third log: there is no file 'nope.parquet'"),
        ((*ARMS, "--tolerance", "-0.1"), "--tolerance is -0.1, but must be a number above 0"),
        ((*ARMS, "--variance", "multi"), "--variance is 'multi', but must be one of"),
        ((*ARMS, "--group", "age"), "control log: there is no column 'age'"),
    ],
)
def test_arms_that_cannot_be_compared(refused, logs, arms, says):
    assert all_in(refused("compare", *LOGS[2:], *ASKED, *arms), says)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--experiment", "rankr"), "default log: there is no column 'rankr'"),
        (("--experiment", "user_id"), "'user_id' has more than 50 values: it looks like an id"),
        (("--experiment", "shared=2"), "experiment 'shared' has no row of arm '2'. It has: 0, 1."),
        (("--experiment", "shared="), "--experiment is 'shared=', but must be COLUMN, COLUMN=BASELINE or"),
        (("--experiment", "shared", "--experiment", "shared=1"), "--experiment names 'shared' twice"),
        (
            ("--experiment", "shared", "--cluster", "user_id"),
            "79 of 80 user_id are in several arms of shared",
        ),
        (("--experiment", "shared", "--switching", "no"), "--switching is"),
        (("--experiment", "shared", "--interval", "ray"), "--interval is"),
        (("--experiment", "shared", "--folds", "1"), "--folds is"),
    ],
)
def test_experiments_that_cannot_be_compared(refused, logs, words, says):
    assert all_in(refused("experiments", *LOGS, *ASKED, *words), says)


# Plans


def test_missing_plan(refused, logs):
    assert refused("audit", "nope.toml") == (
        "There is no plan nope.toml; `evenhand init` writes one from your files."
    )


def test_folder_instead_of_a_plan(refused, logs):
    assert refused("audit", logs).endswith("logs is a folder; name the plan file in it, such as audit.toml.")


PLAN = """
seed = 1
[inputs.default]
path = "default.parquet"
label_definition = "liked in a day"
[inputs.random]
path = "random.parquet"
[[audits]]
audit = "opportunity"
default = "default"
random = "random"
label = "liked"
group = "creator_age"
"""


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("seed", "sed", "plan.toml, line 2: sed is not a known key (did you mean 'seed'?)."),
        ("label =", "labl =", "plan.toml, line 12: audits.1.labl is not a known key (did you mean 'label'?)"),
        (
            '"opportunity"',
            '"exposur"',
            "plan.toml, line 9: audits.1: there is no audit 'exposur' (did you mean 'exposure'?).",
        ),
        ('label = "liked"', "", "plan.toml, line 8: audits.1.label is missing; add the name of a column"),
        ("seed = 1", 'seed = "one"', "plan.toml, line 2: seed is 'one', but must be a whole number from 0"),
        (
            "seed = 1",
            f"seed = {2**63}",
            "plan.toml, line 2: seed is 9223372036854775808, but must be a whole number from 0",
        ),
        ('= "random"', '= "rndom"', "there is no [inputs.rndom] (did you mean 'random'?)."),
        ("seed = 1", "seed = = 1", "plan.toml is not valid TOML: Invalid value (at line 2, column 8)."),
        ('path = "random', 'path = "rndom', "random: there is no file 'rndom.parquet'"),
        (
            'path = "random.parquet"',
            'path = "random.parquet"\nlabel_definition = "liked ever"',
            "default and random define the label differently ('liked in a day' and 'liked ever')",
        ),
    ],
)
def test_plans_that_cannot_run(refused, logs, old, new, says):
    assert old in PLAN
    Path("plan.toml").write_text(PLAN.replace(old, new, 1), encoding="utf-8")
    assert all_in(refused("audit", "plan.toml"), says)


# Faults of our own


def test_a_fault_of_evenhand_is_called_one(evenhand, logs, monkeypatch):
    def broken(*_, **__):
        raise ZeroDivisionError("half of nothing")

    monkeypatch.setattr("evenhand.plan.running.runner.run", broken)
    ran = evenhand("opportunity", *LOGS, *ASKED)
    assert (ran.code, ran.out) == (3, "")
    assert all_in(ran.err, "fault in Evenhand, not in your data (ZeroDivisionError: half of nothing)")
    assert "Traceback" not in ran.err


def test_debugging_shows_the_fault(evenhand, logs, monkeypatch):
    def broken(*_, **__):
        raise ZeroDivisionError

    monkeypatch.setattr("evenhand.plan.running.runner.run", broken)
    monkeypatch.setenv("EVENHAND_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        evenhand("opportunity", *LOGS, *ASKED)


@pytest.mark.parametrize(
    ("metric", "instead"),
    [("MRR", " (did you mean 'mrr'?)."), ("ndcg@10", ": say 'ndcg', and how many items count with k")],
)
def test_a_metric_that_is_none_is_refused_as_by_the_call(refused, logs, metric, instead):
    message = refused(
        "groups", "--users", "users.parquet", "--candidates", "random.parquet", "--attribute", "gender",
        "--metric", metric,
    )  # fmt: skip
    assert message.startswith(f"{metric!r} is neither a metric (auc, mrr, ")
    assert f") nor a column of users (user_id, gender){instead}" in message


def test_a_pattern_that_the_shell_has_read_is_to_be_quoted(refused, logs):
    message = refused(
        "opportunity", "--default", "default.parquet", "items.parquet", "random.parquet", *ASKED
    )
    assert message == (
        "after --default there are 3 files, which the shell has put in the place of a pattern; quote it: "
        "--default '*.parquet'."
    )
    assert "Got unexpected extra argument(s) (nowhere.parquet)" in refused(
        "opportunity", *LOGS, "nowhere.parquet", *ASKED
    )
