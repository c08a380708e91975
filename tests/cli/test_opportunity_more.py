"""`evenhand stages`, `boost`, `parity` and `user-precision`: they are the calls, and what they refuse."""

import pytest

import evenhand as eh

ASKED = ("--label", "liked", "--group", "creator_age")
RANDOM = ("--random", "random.parquet")
DEFAULT = ("--default", "default.parquet")
STAGES = ("--stage", "recall=treatment.parquet", "--stage", "ranking=default.parquet")
CATALOGUE = ("--catalogue", "catalogue.parquet")
GENDER = ("--group", "gender", "--attributes", "users.parquet", "--on", "user_id")
WORDS = {"label": "liked", "group": "creator_age"}

BOTH = ("--cluster", "user_id", "--cluster", "item_id")


def _stages():
    logs = {"random": "random.parquet", "recall": "treatment.parquet", "ranking": "default.parquet"}
    return eh.opportunity.stages(logs, **WORDS, cluster="user_id")


def _boost():
    return eh.opportunity.boost(
        "default.parquet", "random.parquet", **WORDS, weights={"old": 1.5}, cluster=("user_id", "item_id")
    )


def _search():
    return eh.opportunity.boost(
        "default.parquet", "random.parquet", **WORDS, weights="search", limit=3.0, rng=4
    )


def _parity():
    return eh.opportunity.parity("default.parquet", "catalogue.parquet", "creator_age", requests=500)


def _precision():
    return eh.opportunity.user_precision(
        "default.parquet", "liked", "gender", attributes="users.parquet", on="user_id"
    )


@pytest.mark.parametrize(
    ("words", "call"),
    [
        (("stages", *RANDOM, *STAGES, *ASKED, "--cluster", "user_id"), _stages),
        (("boost", *DEFAULT, *RANDOM, *ASKED, "--weight", "old=1.5", *BOTH), _boost),
        (("boost", *DEFAULT, *RANDOM, *ASKED, "--limit", "3", "--seed", "4"), _search),
        (("parity", *DEFAULT, *CATALOGUE, *ASKED[2:], "--requests", "500"), _parity),
        (("user-precision", *DEFAULT, *ASKED[:2], *GENDER), _precision),
    ],
    ids=["stages", "boost", "search", "parity", "user-precision"],
)
def test_the_command_is_the_call(evenhand, logs, frames, words, call):
    frames["items"].rename(columns={"age": "creator_age"}).to_parquet("catalogue.parquet", index=False)
    ran = evenhand(*words, "--json")
    assert (ran.code, ran.err) == (0, "")
    assert eh.AuditResult.from_json(ran.out).findings == call().findings
    told = evenhand(*words, "--out", "audit")
    assert (told.code, told.err) == (0, "")
    assert (logs / "audit" / "report.html").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("stages", *RANDOM, *STAGES[:2], *ASKED),
            "--stage is {'recall': 'recall log'}, but must be two stages or more",
        ),
        (("stages", *RANDOM, *STAGES, "--stage", "recall=x", *ASKED), "two stages are called 'recall'"),
        (("stages", *RANDOM, *STAGES, "--stage", "x", *ASKED), "--stage is 'x', but must be NAME=PATH"),
        (("stages", *RANDOM, *STAGES, "--stage", "random=x", *ASKED), "a stage is called 'random'"),
        (("boost", *DEFAULT, *RANDOM, *ASKED, "--weight", "old"), "--weight is 'old', but must be GROUP="),
        (
            ("boost", *DEFAULT, *RANDOM, *ASKED, "--limit", "1"),
            "--limit is 1, but must be a finite number above 1",
        ),
        (
            ("boost", *DEFAULT, *RANDOM, *ASKED, "--limit", "3", "--weight", "18-24=2"),
            "--limit is for a search",
        ),
        (("parity", *DEFAULT, "--catalogue", "items.parquet", "--group", "creator_age"), "'creator_age'"),
        (("user-precision", *DEFAULT, "--label", "liked", "--group", "gender"), "no column 'gender'"),
        (("user-precision", *DEFAULT, *ASKED[:2], *GENDER, *BOTH), "cluster names user_id and item_id, but"),
    ],
)
def test_what_they_refuse(evenhand, logs, words, said):
    ran = evenhand(*words)
    assert ran.code == 2
    assert ran.err.startswith("Error: ")
    assert said in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize("command", ["stages", "boost", "parity", "user-precision"])
def test_they_have_the_common_options(evenhand, command):
    ran = evenhand(command, "--help")
    assert ran.code == 0
    for option in ("--out", "--json", "--seed", "--quiet", "--fail-on", "--level"):
        assert option in ran.out
