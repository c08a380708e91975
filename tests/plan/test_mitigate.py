"""A plan that re-ranks: each step's lists are a file beside the report."""

import pandas as pd
import pytest

import evenhand as eh
from evenhand.errors import InputError

PLAN = """
[inputs.users]
path = "data/users.parquet"

[inputs.candidates]
path = "data/candidates.parquet"

[inputs.items]
path = "data/items.parquet"

[inputs.history]
path = "data/default.parquet"
"""
STEP = """
[[audits]]
audit = "mitigate"
users = "users"
candidates = "candidates"
items = "items"
history = "history"
attributes = ["gender"]
"""


@pytest.fixture
def written(folder):
    def write(*steps: str):
        (folder / "audit.toml").write_text(PLAN + "".join(STEP + step for step in steps))
        return folder / "audit.toml"

    return write


def test_the_step_is_the_call(written, data, tmp_path):
    result = eh.plan.run(written('goal = "popularity"\nshare = 0.5\nalso = ["hit"]'), tmp_path / "out")
    done = eh.mitigate.rerank_groups(
        data / "candidates.parquet", data / "users.parquet", "gender", "popularity", share=0.5,
        also=["hit"], items=data / "items.parquet", history=data / "default.parquet",
    )  # fmt: skip
    assert result.findings == done.result.findings
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "out" / "candidates.parquet"), done.candidates)


def test_several_steps_write_several_files(written, tmp_path):
    result = eh.plan.run(written("", 'goal = "relevance"'), tmp_path / "out")
    assert {finding.audit for finding in result.findings} == {"mitigate"}
    assert sorted(path.name for path in (tmp_path / "out").glob("*.parquet")) == [
        "candidates-1.parquet",
        "candidates-2.parquet",
    ]


def test_the_plan_may_not_write_over_what_it_reads(written, folder):
    with pytest.raises(InputError, match="would be written over"):
        eh.plan.run(written(""), folder / "data")


@pytest.mark.parametrize(
    ("step", "said"),
    [
        ('goal = "fun"', "audits.1.goal is 'fun', but must be one of diversity, popularity, relevance."),
        ("shares = 0.1", "audits.1.shares is not a known key (did you mean 'share'?)."),
        (
            "share = 2.0",
            "audits.1.share is 2.0, but must be a finite number above 0 and at most 1 (2% is 0.02).",
        ),
        ("tolerance = 0.1", "audits.1.tolerance is not a known key"),
    ],
)
def test_mistakes(written, tmp_path, step, said):
    with pytest.raises(InputError) as error:
        eh.plan.run(written(step), tmp_path / "out")
    assert said in str(error.value)
    assert not (tmp_path / "out").exists()
