"""`evenhand exposure`: scores, lists that were shown, a model or several, and what the options mean."""

import numpy as np
import pandas as pd
import pytest

import evenhand as eh
from evenhand.recommenders import Interactions, fit
from evenhand.recommenders.stored.storage import save

WORDS = (
    "exposure", "--relevance", "wanted.parquet", "--users", "people.parquet", "--user-group", "gender",
    "--items", "films.parquet", "--item-group", "genre",
)  # fmt: skip


@pytest.fixture
def tables(logs):
    rng = np.random.default_rng(0)
    user, item = np.divmod(np.arange(80 * 12), 12)
    pairs = pd.DataFrame({"user_id": user, "item_id": item})
    shown = pairs[item < 5].assign(list_id="one", rank=pairs["item_id"] + 1)
    found = {
        "films": pd.DataFrame({"item_id": range(12), "genre": [["a", "b"], ["b"], ["c"], ["a"]] * 3}),
        "people": pd.DataFrame({"user_id": range(80), "gender": ["f", "m"] * 40}),
        "scored": pairs.assign(score=rng.normal(size=len(pairs))),
        "wanted": pairs[rng.random(len(pairs)) < 0.4],
        "shown": pd.concat([shown, shown.assign(list_id="two", rank=6 - shown["rank"])]),
    }
    for name, table in found.items():
        table.to_parquet(logs / f"{name}.parquet", index=False)
    return logs


@pytest.fixture
def models(tables):
    """Two trained models in folders of their own."""
    scored, wanted = (pd.read_parquet(tables / f"{name}.parquet") for name in ("scored", "wanted"))
    pairs = scored.merge(wanted, how="left", on=["user_id", "item_id"], indicator=True)
    taken = pairs[(pairs["_merge"] == "left_only") & (pairs["score"] > -1)][["user_id", "item_id"]]
    rows = Interactions.from_frame(taken)
    for name in ("popularity", "ease"):
        model, _ = fit(name, rows, rows, 0)
        save(tables / name, model, name=name, history=rows, description={})
    return tables


def test_the_command_is_the_call(evenhand, tables):
    ran = evenhand(
        *WORDS, "--scores", "scored.parquet", "--beta", 2, "--beta", "static", "--patience", 0.5, "--top", 3,
        "--user-weight", "f=2", "--user-weight", "m=1", "--tradeoff", 4, "--tradeoff", 1, "--tradeoff", 0.5,
        "--json",
    )  # fmt: skip
    assert (ran.code, ran.err) == (0, "")
    done = eh.exposure.audit(
        "scored.parquet", "wanted.parquet", "people.parquet", "films.parquet", user_group="gender",
        item_group="genre", beta=[2, "static"], patience=0.5, top=3, user_weights={"f": 2, "m": 1},
        tradeoff=[4, 1, 0.5],
    )  # fmt: skip
    assert eh.AuditResult.from_json(ran.out).findings == done.findings


def test_chances_of_observation_are_a_column(evenhand, tables):
    wanted = pd.read_parquet(tables / "wanted.parquet")
    chances = np.where(wanted["item_id"] < 6, 0.5, 0.9)
    wanted.assign(seen=chances).to_parquet(tables / "weighed.parquet", index=False)
    words = [word.replace("wanted", "weighed") for word in WORDS]
    ran = evenhand(*words, "--scores", "scored.parquet", "--beta", "static", "--propensity", "seen", "--json")
    assert (ran.code, ran.err) == (0, "")
    done = eh.exposure.audit(
        "scored.parquet", "weighed.parquet", "people.parquet", "films.parquet", user_group="gender",
        item_group="genre", beta="static", propensity="seen",
    )  # fmt: skip
    found = eh.AuditResult.from_json(ran.out)
    assert found.findings == done.findings
    arrays = eh.exposure.audit(
        pd.read_parquet(tables / "scored.parquet")["score"].to_numpy().reshape(80, 12),
        pd.crosstab(wanted["user_id"], wanted["item_id"]).reindex(range(80), fill_value=0).to_numpy(),
        ["f", "m"] * 40,
        [["a", "b"], ["b"], ["c"], ["a"]] * 3,
        beta="static",
        propensity=np.where(np.arange(12) < 6, 0.5, 0.9),
    )
    assert found.find("GG").estimate == pytest.approx(arrays.find("GG").estimate)


def test_lists_that_were_shown(evenhand, tables):
    ran = evenhand(*WORDS, "--lists", "shown.parquet", "--json")
    assert (ran.code, ran.err) == (0, "")
    found = eh.AuditResult.from_json(ran.out)
    assert found.find("II").subject["beta"] == "observed"
    assert "lists" in found.inputs


def test_several_patiences(evenhand, tables):
    ran = evenhand(
        *WORDS, "--scores", "scored.parquet", "--beta", 1, "--patience", 0.5, "--patience", 0.9, "--json"
    )
    assert ran.code == 0
    assert {f.subject["patience"] for f in eh.AuditResult.from_json(ran.out).findings} == {0.5, 0.9}


def test_several_models_are_compared(evenhand, models, tmp_path):
    ran = evenhand(*WORDS, "--model", "popularity", "--model", "ease", "--verbose", "--out", tmp_path / "out")
    assert (ran.code, ran.err) == (0, "")
    assert "Relevance at the same disparity" in ran.out
    page = (tmp_path / "out" / "report.html").read_text()
    assert page.count("<figcaption") == 15


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "an exposure audit needs one of scores, model and lists."),
        (
            ("--scores", "scored.parquet", "--lists", "shown.parquet"),
            "an exposure audit needs one of scores, model and lists; there are scores and lists.",
        ),
        (("--lists", "shown.parquet", "--beta", 1), "lists that were shown have no beta; leave it out."),
        (("--lists", "scored.parquet"), "there is no column 'rank'"),
        (
            ("--scores", "scored.parquet", "--user-weight", "f"),
            "--user-weight is 'f', but must be GROUP=NUMBER",
        ),
        (
            ("--scores", "scored.parquet", "--item-weight", "a=x"),
            "--item-weight is 'a=x', but must be GROUP=NUMBER",
        ),
        (("--scores", "scored.parquet", "--tradeoff", "cold"), "is ['cold'], but must be three temperatures"),
        (("--scores", "scored.parquet", "--tradeoff", 1), "--tradeoff"),
        (("--scores", "scored.parquet", "--patience", 1), "--patience"),
        (("--model", "a", "--model", "b/a"), "with different names"),
        (("--model", "a", "--model", "b", "--tolerance", 0.1), "a comparison of models has no tolerance"),
    ],
)
def test_options_that_cannot_be_used(refused, tables, words, says):
    assert says in refused(*WORDS, *words)


def test_lists_are_what_was_shown_whatever_their_scores(evenhand, tables):
    """A table that a recommender ranked has both."""
    shown = pd.read_parquet(tables / "shown.parquet")
    shown.assign(score=1.0).to_parquet(tables / "both.parquet", index=False)
    ran = evenhand(*WORDS, "--lists", "both.parquet", "--json")
    alone = evenhand(*WORDS, "--lists", "shown.parquet", "--json")
    assert (ran.code, alone.code) == (0, 0)
    findings = [eh.AuditResult.from_json(one.out).findings for one in (ran, alone)]
    assert findings[0] == findings[1]
    assert {finding.subject["beta"] for finding in findings[0]} == {"observed"}


def test_a_file_of_scores_is_a_model(evenhand, tables):
    ran = evenhand(*WORDS, "--model", "scored.parquet", "--json")
    alone = evenhand(*WORDS, "--scores", "scored.parquet", "--json")
    assert (ran.code, alone.code) == (0, 0)
    estimates = [
        [finding.estimate for finding in eh.AuditResult.from_json(one.out).findings] for one in (ran, alone)
    ]
    assert estimates[0] == pytest.approx(estimates[1])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--model", "users.parquet"), "there are no columns 'item_id' and 'score'"),
        (("--model", "."), "not the folder of a trained model"),
        (("--model", "a", "--model", "b", "--patience", 0.5, "--patience", 0.8), "compared at one patience"),
        (("--lists", "shown.parquet", "--relative"), "leave relative out"),
        (
            ("--scores", "scored.parquet", "--user-weight", "f=1", "--user-weight", "f=2"),
            "--user-weight names a group twice",
        ),
        (
            ("--scores", "scored.parquet", "--tradeoff", "warm"),
            "--tradeoff is ['warm'], but must be three temperatures or more, each a finite number",
        ),
        (("--scores", "scored.parquet", "--user-group", "gender"), "different columns"),
    ],
)
def test_words_that_cannot_be_used_together(evenhand, tables, words, message):
    ran = evenhand(*WORDS, *words)
    assert ran.code == 2
    assert message in " ".join(ran.err.split())


def test_where_every_group_is_hidden_there_is_a_report_without_a_map(evenhand, tables):
    people = pd.DataFrame({"user_id": range(80), "gender": [f"g{u // 4}" for u in range(80)]})
    people.to_parquet(tables / "people.parquet", index=False)
    ran = evenhand(*WORDS, "--scores", "scored.parquet", "--beta", 1, "--out", "here")
    assert (ran.code, ran.err) == (0, "")
    assert (tables / "here" / "report.html").exists()
