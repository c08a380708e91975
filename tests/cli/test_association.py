"""`evenhand association` and its commands: they are the calls, and what cannot be used is refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import evenhand as eh
from evenhand.recommenders import Embeddings, Factors, Interactions
from evenhand.recommenders.stored.storage import save

USERS, ITEMS, SIZE = 80, 40, 4
FILES = ("--users", "users.npy", "--items", "items.npy")
GENDER = ("--attribute", "people.parquet:gender")
GENRE = ("--groups", "films.parquet:genre")
QUICK = ("--permutations", 199)


@pytest.fixture
def vectors(logs):
    """Women and items of one genre lie on one side; an item may be in two genres."""
    rng = np.random.default_rng(0)
    users, items = rng.normal(size=(USERS, SIZE)), rng.normal(size=(ITEMS, SIZE))
    gender = np.array(["f", "m"])[np.arange(USERS) % 2]
    genres = [["action"] if i % 2 else ["romance"] + ["action"] * (i % 8 == 0) for i in range(ITEMS)]
    users[gender == "f", 0] += 2
    items[::2, 0] += 2
    user_ids, item_ids = np.arange(USERS) + 100, np.arange(ITEMS) + 500
    np.save(logs / "users.npy", users)
    np.save(logs / "items.npy", items)
    np.savez(logs / "both.npz", user_vectors=users, user_ids=user_ids, items=items, item_ids=item_ids)
    for name, key, rows, ids in (("u", "user_id", users, user_ids), ("i", "item_id", items, item_ids)):
        table = pd.DataFrame({key: ids, "vector": list(rows)}).sample(frac=1, random_state=1)
        table.to_parquet(logs / f"{name}.parquet", index=False)
    pd.DataFrame({"user_id": user_ids, "gender": gender, "zip": user_ids}).to_parquet("people.parquet")
    pd.DataFrame({"item_id": item_ids, "genre": genres}).to_parquet("films.parquet")
    taken = rng.random((USERS, ITEMS)) < 1 / (1 + np.exp(2 - users @ items.T))
    user, item = np.nonzero(taken)
    pairs = pd.DataFrame({"user_id": user_ids[user], "item_id": item_ids[item]})
    pairs.to_parquet("taken.parquet", index=False)
    model = Factors(user_ids, item_ids, users, items)
    rows = Interactions.from_frame(pairs)
    assert len(rows.user_ids) == USERS
    save(logs / "model", model, name="made", history=rows, description={})
    pairs.iloc[::10].to_parquet("held.parquet", index=False)
    return logs


def findings(ran):
    assert (ran.code, ran.err) == (0, "")
    return eh.AuditResult.from_json(ran.out).findings


def test_the_command_is_the_call(evenhand, vectors):
    ran = evenhand(
        "association", *FILES, *GENDER, *GENRE, "--method", "centroid", "--test", "permutation", "--toward",
        "m", "--overlap", "regress", "--item-test", "rank_sum", "--pairs", "romance,action",
        "--tolerance", 0.1, "--level", 0.9, "--seed", 5, *QUICK, "--json",
    )  # fmt: skip
    done = eh.association.audit(
        "items.npy", "users.npy", "people.parquet:gender", "films.parquet:genre", "centroid", 199, 5,
        test="permutation", toward="m", overlap="regress", item_test="rank_sum",
        pairs=[("romance", "action")], tolerance=0.1, level=0.9,
    )  # fmt: skip
    assert findings(ran) == done.findings
    assert set(eh.AuditResult.from_json(ran.out).inputs) == {"users", "items", "attribute", "item_groups"}
    assert done.find("r_ripa", group="romance").estimate < -0.1


@pytest.mark.parametrize(
    "words",
    [
        ("--users", "both.npz", "--items", "both.npz"),
        ("--users", "u.parquet", "--items", "i.parquet"),
        ("--model", "model"),
    ],
)
def test_the_same_vectors_from_elsewhere_give_the_same(evenhand, vectors, words):
    """Tables are in another order than the arrays, and find their rows by id."""
    plain, other = (
        findings(evenhand("association", *some, *GENDER, *GENRE, "--method", "centroid", *QUICK, "--json"))
        for some in (FILES, words)
    )
    for ours, theirs in zip(plain, other, strict=True):
        assert ours.subject == theirs.subject
        assert theirs.estimate == pytest.approx(ours.estimate, abs=0.05)
        if ours.measure in ("geaa", "r_ripa"):
            assert theirs.estimate == pytest.approx(ours.estimate, abs=1e-4)


def test_vectors_without_ids_say_what_they_assume(evenhand, vectors):
    found = findings(evenhand("association", "--users", "users.npy", *GENDER, "--json"))
    assert "in the order of the rows" in found[0].assumptions[-1]
    found = findings(evenhand("association", "--model", "model", *GENDER, "--json"))
    assert not any("order of the rows" in said for said in found[0].assumptions)


def test_a_report_and_a_gate(evenhand, vectors, tmp_path):
    words = ("association", *FILES, *GENDER, *GENRE, *QUICK, "--tolerance", 0)
    ran = evenhand(*words, "--title", "What vectors know", "--out", tmp_path / "out")
    assert (ran.code, ran.err) == (0, "")
    assert "romance" in ran.out.lower()
    page = (tmp_path / "out" / "report.html").read_text()
    assert "<h1>What vectors know</h1>" in page
    assert "Difference in association (DEAA), pair by pair" in page
    assert evenhand(*words, "--fail-on", "violation", "--quiet").code == 1


def test_a_model_without_one_space_is_refused_or_audited_by_half(evenhand, vectors, refused, monkeypatch):
    model = eh.recommenders.load("model")
    apart = Embeddings(model.user_vectors, model.item_vectors, shared_space=False)
    monkeypatch.setattr(Factors, "embeddings", property(lambda self: apart))
    said = refused("association", "--model", "model", *GENDER)
    assert said.startswith("users and items of this model do not share a space: its score is not a product")
    assert said.endswith("with per_space (on the command line --per-space) its users are audited alone.")
    (found,) = findings(evenhand("association", "--model", "model", *GENDER, "--per-space", "--json"))
    assert found.details["passes"]
    assert "do not share a space" in found.warnings[0]
    assert "leave the groups of items out" in refused(
        "association", "--model", "model", *GENDER, *GENRE, "--per-space"
    )


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--users", "users.npy"), "--attribute is missing; add a table and its column"),
        (GENDER, "there are no vectors: give those of users and of items, or a model (on the command"),
        ((*FILES, "--attribute", "gender"), "must be a table and its column, such as users.parquet:"),
        ((*FILES, "--attribute", "people.parquet:sex"), "attribute: there is no column 'sex'."),
        ((*FILES, "--attribute", "films.parquet:genre"), "attribute: there is no column 'user_id'."),
        ((*FILES, "--attribute", "nobody.parquet:gender"), "there is no file 'nobody.parquet'"),
        ((*FILES, "--attribute", "people.parquet:zip"), "only 1 of users have the value '100'"),
        ((*FILES, "--attribute", "one.parquet:gender"), "gender has only the value 'f'"),
        ((*FILES, "--attribute", "twice.parquet:gender"), "attribute: 1 rows repeat a user_id."),
        ((*FILES, "--attribute", "few.parquet:gender"), "the 80 users have no ids, so they would have to be"),
        (("--users", "no.npy", "--items", "items.npy", *GENDER), "users: there is no file no.npy."),
        (("--users", "users.npy", *GENDER, *GENRE), "groups are of items, so give the vectors of items"),
        (("--users", "nan.npy", *GENDER), "users: 1 of 80 vectors are not finite (rows 3, counting from 0)"),
        (("--users", "zero.npy", *GENDER), "users: 1 of 80 vectors are zero, and have no direction"),
        (("--users", "wide.npy", *GENDER), "80 entities with the attribute in 99 dimensions"),
        (("--users", "users.npy", "--items", "wide.npy", *GENDER), "items has vectors of 99 dimensions"),
        (("--users", "repeated.npz", *GENDER), "users: 79 ids appear more than once"),
        (("--model", "model", *FILES, *GENDER), "leave these out, or the model."),
        (("--model", "here", *GENDER), "here is not the folder of a trained model"),
        ((*FILES, *GENDER, *GENRE, "--pairs", "action"), "--pairs is [['action']], but must be a list of"),
        ((*FILES, *GENDER, *GENRE, "--pairs", "action,war"), "pairs names 'war'; the groups are"),
        ((*FILES, *GENDER, "--pairs", "a,b"), "pairs are of groups of items, so say which"),
        (
            (*FILES, *GENDER, *GENRE, "--aggregate", "sum", "--tolerance", "0.1"),
            "aggregate='sum' makes of GEAA a sum",
        ),
        ((*FILES, *GENDER, "--method", "svm"), "--method is 'svm', but must be one of centroid, svc,"),
        ((*FILES, *GENDER, "--toward", "x"), "toward is 'x', but gender has the values f, m"),
        ((*FILES, *GENDER, "--level", 2), "--level is 2, but must be a finite number from 0.5 to 0.9999"),
        (("leak",), "No such command 'leak'."),
    ],
)  # fmt: skip
def test_what_is_refused(refused, vectors, words, says):
    users = np.load("users.npy")
    for name, value in (("nan", np.nan), ("zero", 0)):
        changed = users.copy()
        changed[3] = value
        np.save(f"{name}.npy", changed)
    np.save("wide.npy", np.random.default_rng(0).normal(size=(USERS, 99)))
    np.savez("repeated.npz", users=users, ids=np.ones(USERS))
    people = pd.read_parquet("people.parquet")
    people.assign(gender="f").to_parquet("one.parquet")
    people.iloc[:50].to_parquet("few.parquet")
    pd.concat([people.iloc[:-1], people.iloc[:1]]).to_parquet("twice.parquet")
    assert says in refused("association", *words)


# What items give away, what grows, and what can be taken out


def test_leakage_is_the_call(evenhand, vectors):
    ran = evenhand(
        "association", "leakage", "--model", "model", *GENDER, *GENRE, "--interactions", "taken.parquet",
        "--training", "balanced", "--threshold", "classifier", "--folds", 4, "--popular", 9, "--toward", "m",
        "--permutations", 20, "--seed", 2, "--json",
    )  # fmt: skip
    done = eh.association.leakage(
        "model", None, "people.parquet:gender", "taken.parquet", "films.parquet:genre",
        trainings=["balanced"], threshold="classifier", folds=4, popular=9, toward="m", permutations=20,
        rng=2,
    )  # fmt: skip
    assert findings(ran) == done.findings


def test_growth_is_the_call(evenhand, vectors):
    model, rng = eh.recommenders.load("model"), np.random.default_rng(0)
    none, unknown = np.empty(0, dtype=np.int64), np.empty(0)
    for name in ("again", "later", "latest"):
        sides = (
            side + 0.1 * rng.normal(size=side.shape) for side in (model.user_vectors, model.item_vectors)
        )
        save(
            name, Factors(model.user_ids, model.item_ids, *sides), name="made", description={},
            history=Interactions(model.user_ids, model.item_ids, none, none, unknown, unknown),
        )  # fmt: skip
    words = ("association", "amplify", "--state", "model,again", "--state", "later,latest", *GENDER, *GENRE)
    done = eh.association.amplification(
        [["model", "again"], ["later", "latest"]], "people.parquet:gender", "films.parquet:genre"
    )
    assert findings(evenhand(*words, "--json")) == done.findings


def test_taking_an_attribute_out_writes_a_model_that_can_be_audited(evenhand, vectors, tmp_path):
    out = tmp_path / "out"
    words = ("--model", "model", *GENDER, *GENRE, "--test", "held.parquet", "--held-out", 0.5, *QUICK)
    ran = evenhand("association", "mitigate", *words, "--out", out, "--json")
    erasure = eh.mitigate.erase("model", None, "people.parquet:gender", held_out=0.5)
    done = eh.mitigate.compare_embeddings(
        "model", erasure, "people.parquet:gender", "films.parquet:genre",
        test=pd.read_parquet("held.parquet"), permutations=199,
    )  # fmt: skip
    ours = {(finding.measure, *finding.subject.items()): finding for finding in findings(ran)}
    for finding in done.result.findings:
        found = ours.pop((finding.measure, *finding.subject.items()))
        assert found.estimate == pytest.approx(finding.estimate, abs=1e-9)
    assert not ours
    np.testing.assert_allclose(eh.recommenders.load(out / "model").embeddings.users, erasure.users, rtol=1e-5)
    before, after = (
        next(f for f in findings(evenhand("association", "--model", model, *GENDER, "--json")))
        for model in ("model", out / "model")
    )
    assert before.estimate > 1 > after.estimate


def test_vectors_without_ids_can_be_erased_too(evenhand, vectors, tmp_path):
    ran = evenhand(
        "association", "mitigate", *FILES, *GENDER, *GENRE, *QUICK, "--out", tmp_path / "out", "--json"
    )
    measures = {finding.measure for finding in findings(ran)}
    assert {"attribute_accuracy", "geaa_change", "direction"} <= measures
    assert (tmp_path / "out" / "model" / "model.json").is_file()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("leakage", "--model", "model", *GENDER), "Missing option '--interactions'."),
        (("leakage", *FILES, *GENDER, "--interactions", "taken.parquet"), "ids, which users (.npy) have not"),
        (
            ("leakage", "--users", "u.parquet", *GENDER, "--interactions", "taken.parquet"),
            "users are not enough: give the vectors of items",
        ),
        (
            ("leakage", "--model", "model", *GENDER, "--interactions", "people.parquet"),
            "interactions: there is no column 'item_id'.",
        ),
        (("amplify", "--state", "model", *GENDER, *GENRE), "--state is ['model'], but must be two"),
        (("amplify", "--state", "model", "--state", "no", *GENDER, *GENRE), "no is not the folder of a"),
        (("amplify", "--state", "model", "--state", "model", *GENDER), "Missing option '--groups'"),
        (("mitigate", *FILES, *GENDER, "--test", "held.parquet"), "test names users and items by their ids"),
        (("mitigate", "--model", "model", *GENDER, "--train", "held.parquet"), "there is no test to compare"),
        (("mitigate", "--model", "model", *GENDER, "--method", "inlp"), "--method is 'inlp', but must be"),
    ],
)  # fmt: skip
def test_what_the_others_refuse(refused, vectors, words, says):
    assert says in refused("association", *words)


def test_options_before_a_command_are_not_ignored(evenhand, vectors):
    ran = evenhand("association", *GENDER, "leakage", "--interactions", "taken.parquet")
    assert ran.code == 2
    assert "options of leakage stand after its name, not before." in ran.err


def test_a_model_is_not_written_over_itself(evenhand, vectors):
    kept = (vectors / "model" / "model.json").read_bytes()
    ran = evenhand("association", "mitigate", "--model", "model", *GENDER, "--out", ".")
    assert ran.code == 2
    assert "The new vectors would be written over model, which is read here; name another folder." in ran.err
    assert (vectors / "model" / "model.json").read_bytes() == kept
