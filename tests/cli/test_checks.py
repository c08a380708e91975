"""`--item`, `--catalogue` and `--split`: what is said of the data before the numbers, as the calls do."""

import pandas as pd
import pytest

import evenhand as eh
from evenhand.asked import written
from evenhand.errors import InputError

ASKED = ("--label", "liked", "--group", "creator_age", "--cluster", "user_id", "--random", "random.parquet")
WORDS = {"label": "liked", "group": "creator_age", "cluster": "user_id"}
ITEMS = ("--item", "item_id", "--catalogue", "items.parquet", "--item-by", "creator_age")
CHECKED = {"item": "item_id", "catalogue": "items.parquet", "item_by": "creator_age"}
ARMS = ("--arm", "control=default.parquet", "--arm", "treatment=other.parquet")


@pytest.fixture
def arms(logs, frames):
    """The users of the treatment are others, and fewer."""
    other = frames["treatment"].query("user_id < 40").assign(user_id=lambda log: log.user_id + 1_000)
    other.to_parquet("other.parquet", index=False)
    both = [frames["default"].assign(arm="control"), other.assign(arm="treatment")]
    pd.concat(both).to_parquet("both.parquet", index=False)
    return {"control": "default.parquet", "treatment": "other.parquet"}


def test_the_command_is_the_call_of_an_audit(evenhand, logs):
    ran = evenhand("opportunity", "--default", "default.parquet", *ASKED, *ITEMS, "--json")
    assert (ran.code, ran.err) == (0, "")
    called = eh.opportunity.audit("default.parquet", "random.parquet", **WORDS, **CHECKED)
    assert eh.AuditResult.from_json(ran.out).findings == called.findings
    assert [f.measure for f in called.findings[:2]] == ["random_items", "random_items_by"]


def test_the_command_is_the_call_of_a_comparison(evenhand, arms):
    words = ("compare", *ARMS, *ASKED, *ITEMS, "--tolerance", "0.02")
    found = eh.AuditResult.from_json(evenhand(*words, "--json").out)
    called = eh.opportunity.compare(arms, "random.parquet", **WORDS, **CHECKED, tolerance=0.02)
    assert found.findings == called.findings
    assert found.find("reo_difference").doubts
    # Also where nobody asks for a verdict.
    unjudged = " ".join(evenhand("compare", *ARMS, *ASKED).out.split())
    assert "cannot be decided either way" in unjudged
    planned = evenhand(*words, "--split", "control=2", "--split", "treatment=1", "--json")
    assert not eh.AuditResult.from_json(planned.out).find("reo_difference").doubts
    anyhow = evenhand(*words, "--split", "any", "--json")
    assert not eh.AuditResult.from_json(anyhow.out).find("reo_difference").doubts


def test_the_command_is_the_call_of_experiments(evenhand, arms):
    words = ("experiments", "--default", "both.parquet", "--experiment", "arm", *ASKED)
    found = eh.AuditResult.from_json(evenhand(*words, "--json").out)
    assert (
        found.findings
        == eh.opportunity.experiments("both.parquet", "random.parquet", ["arm"], **WORDS).findings
    )
    assert found.find("reo_difference").doubts
    split = ("--split", "arm:control=2", "--split", "arm:treatment=1")
    assert not eh.AuditResult.from_json(evenhand(*words, *split, "--json").out).find("reo_difference").doubts


@pytest.fixture
def ramp_up(arms):
    """Users with an even number came while three of four were to be in the control, the others later."""
    for path in (*arms.values(), "both.parquet"):
        log = pd.read_parquet(path)
        log.assign(phase=(log.user_id % 2).map({0: "2026-01-01 00:00", 1: "full"})).to_parquet(
            path, index=False
        )
    return arms


def test_a_split_for_each_phase(evenhand, ramp_up):
    split = {"2026-01-01 00:00": {"control": 3.0, "treatment": 1.0}, "full": "equal"}
    words = ("--split", "2026-01-01 00:00:control=3", "--split", "2026-01-01 00:00:treatment=1")
    ran = evenhand("compare", *ARMS, *ASKED, "--split-by", "phase", *words, "--split", "full:equal", "--json")
    called = eh.opportunity.compare(ramp_up, "random.parquet", **WORDS, split=split, split_by="phase")
    assert eh.AuditResult.from_json(ran.out).findings == called.findings
    assert called.find("sample_ratio", phase="2026-01-01 00:00").details["users"][0]["planned"] == 0.75
    words = tuple(word.replace("2026", "arm:2026") for word in words)
    both = ("experiments", "--default", "both.parquet", "--experiment", "arm", *ASKED, "--split-by", "phase")
    ran = evenhand(*both, *words, "--split", "arm:full:equal", "--json")
    called = eh.opportunity.experiments(
        "both.parquet", "random.parquet", ["arm"], **WORDS, split={"arm": split}, split_by="phase"
    )
    assert eh.AuditResult.from_json(ran.out).findings == called.findings


@pytest.mark.parametrize(
    ("words", "arms", "by", "said"),
    [
        (["x:b=1"], ("a", "b"), None, "a share for 'x', but --split-by does not say of which column"),
        (["x:a=1", "b=1"], ("a", "b"), "phase", "'b=1' beside shares for single values of phase"),
        (["x:b=1"], ("b", "x:b"), "phase", "can be read in two ways"),
        (["x:any"], ("a", "b"), "phase", "but must be ARM=SHARE"),
        (["x:equal", "x:a=1"], ("a", "b"), "phase", "but must be ARM=SHARE"),
        (["x:a=1", "x:a=2"], ("a", "b"), "phase", "names an arm twice"),
    ],
)
def test_shares_that_cannot_be_told(words, arms, by, said):
    with pytest.raises(InputError, match=said):
        written.split(words, arms, by)


@pytest.mark.parametrize(
    ("words", "arms", "by", "told"),
    [
        (["a=9", "x:b=1"], ("a", "x:b"), None, {"a": 9, "x:b": 1}),
        (["a=9", "x:b=1"], ("a", "x:b"), "phase", {"a": 9, "x:b": 1}),
        (["a:9=9", "a:b=1"], (), None, {"a:9": 9, "a:b": 1}),
        (["a:9=9", "a:b=1"], (), "phase", {"a": {"9": 9, "b": 1}}),
        (["any"], ("a", "b"), "phase", "any"),
    ],
)
def test_arms_and_values_with_colons(words, arms, by, told):
    assert written.split(words, arms, by) == told


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("compare", *ARMS, *ASKED, "--split", "control"), "--split is 'control', but must be"),
        (("compare", *ARMS, *ASKED, "--split", "control=1"), "split is about control, but the arms are"),
        (
            (
                "experiments",
                "--default",
                "both.parquet",
                "--experiment",
                "arm",
                *ASKED,
                "--split",
                "control=1",
            ),
            "--split is 'control=1', but must be COLUMN:ARM=SHARE",
        ),
        (
            ("opportunity", "--default", "default.parquet", *ASKED, "--catalogue", "items.parquet"),
            "catalogue is given, but not item",
        ),
        (
            ("opportunity", "--default", "default.parquet", *ASKED, "--item", "item"),
            "random log: there is no column 'item'",
        ),
    ],
)
def test_what_is_refused(evenhand, arms, words, said):
    ran = evenhand(*words)
    assert ran.code == 2
    assert said in ran.err
