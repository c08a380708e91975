"""`evenhand mitigate`: the call, with the new lists beside the report."""

import json

import numpy as np
import pandas as pd
import pytest

import evenhand as eh

WORDS = ("mitigate", "--users", "people.parquet", "--candidates", "lists.parquet", "--items", "films.parquet")
BY = ("--attribute", "gender")


@pytest.fixture
def tables(logs):
    rng = np.random.default_rng(0)
    films = pd.DataFrame({"item_id": range(20), "category": [["a", "b"], ["b"], ["c"], ["a"]] * 5})
    lists = pd.DataFrame({"user_id": np.repeat(range(80), 10), "item_id": np.tile(range(10), 80)})
    lists["score"], lists["label"] = rng.random(800), rng.integers(2, size=800)
    people = pd.DataFrame({"user_id": range(80), "gender": ["f", "m"] * 40})
    for name, table in {"films": films, "lists": lists, "people": people}.items():
        table.to_parquet(logs / f"{name}.parquet", index=False)
    return logs


def test_the_command_is_the_call(evenhand, tables, tmp_path):
    out = tmp_path / "out"
    ran = evenhand(*WORDS, *BY, "--strength", 2, "--seed", 3, "--out", out, "--json")
    assert (ran.code, ran.err) == (0, "")
    done = eh.mitigate.rerank_groups(
        tables / "lists.parquet", tables / "people.parquet", "gender", strength=2.0, rng=3,
        items=tables / "films.parquet",
    )  # fmt: skip
    assert eh.AuditResult.from_json(ran.out).findings == done.result.findings
    assert json.loads((out / "findings.json").read_text())["seed"] == 3
    pd.testing.assert_frame_equal(pd.read_parquet(out / "candidates.parquet"), done.candidates)
    assert sorted(path.name for path in out.iterdir()) == [
        "candidates.parquet", "findings.json", "report.html", "run.log",
    ]  # fmt: skip


def test_without_a_folder_nothing_is_written(evenhand, tables):
    before = sorted(tables.iterdir())
    ran = evenhand(*WORDS, *BY, "--verbose")
    assert (ran.code, ran.err) == (0, "")
    assert "Change by re-ranking" in ran.out
    assert sorted(tables.iterdir()) == before


def test_what_is_read_is_never_written_over(refused, evenhand, tables):
    (tables / "lists.parquet").rename(tables / "candidates.parquet")
    content = (tables / "candidates.parquet").read_bytes()
    words = [word if word != "lists.parquet" else "candidates.parquet" for word in WORDS]
    said = refused(*words, *BY, "--out", ".")
    assert said == (
        "The new lists would be written over candidates.parquet, which is read here; name another folder."
    )
    assert (tables / "candidates.parquet").read_bytes() == content


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--goal", "fun"), "--goal is 'fun', but must be one of diversity, popularity, relevance."),
        (("--share", 0), "--share is 0, but must be a finite number above 0"),
        (("--strength", -1), "--strength is -1, but must be a finite number of at least 0"),
        (("--strength", "nan"), "--strength is nan, but must be a finite number"),
        (("--metric", "fun"), "There is no metric 'fun'; there are: auc, "),
        (("--goal", "relevance"), "no history table was given"),
        (("--bins", "gender"), "--bins is 'gender', but must be COLUMN=N"),
    ],
)
def test_refusals(refused, tables, words, said):
    assert said in refused(*WORDS, *BY, *words)
