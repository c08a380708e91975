"""The association audit and its relatives as steps of a plan, and in the demo."""

from __future__ import annotations

import numpy as np
import pytest

import evenhand as eh
from evenhand.errors import InputError
from evenhand.plan import load
from evenhand.plan.demo import PLAN as DEMO
from evenhand.plan.demo import association_found

PLAN = """
seed = 3

[inputs.people]
path = "data/users.parquet"

[inputs.things]
path = "data/items.parquet"

[[audits]]
audit = "association"
users = "data/users.npy"
items = "data/items.npy"
attribute = "people:gender"
groups = "things:genre"
method = "centroid"
toward = "M"
pairs = [["drama", "sport"]]
tolerance = 0.1
level = 0.9
permutations = 199
"""


@pytest.fixture
def write(folder):
    """`write("level = 0.9", "level = 2.0")`: the plan with that changed, as a file."""

    def changed(old="", new=""):
        assert old in PLAN
        (folder / "audit.toml").write_text(PLAN.replace(old, new, 1), encoding="utf-8")
        return folder / "audit.toml"

    return changed


def test_the_step_is_the_call(write, data, tmp_path):
    result = eh.plan.run(write(), tmp_path / "out")
    done = eh.association.audit(
        data / "items.npy", data / "users.npy", (data / "users.parquet", "gender"),
        (data / "items.parquet", "genre"), "centroid", 199, 3, toward="M", pairs=[("drama", "sport")],
        tolerance=0.1, level=0.9,
    )  # fmt: skip
    assert result.findings == done.findings
    assert (tmp_path / "out" / "report.html").exists()
    assert not (tmp_path / "out" / "model").exists()


def test_vectors_are_found_from_the_folder_of_the_plan(write, monkeypatch, tmp_path):
    path = write()
    monkeypatch.chdir(tmp_path)
    assert eh.plan.run(path).find("direction").details["passes"]


def test_columns_may_have_other_names(write, data, world):
    renamed = world.users.rename(columns={"gender": "sex", "user_id": "uid"})
    renamed.to_parquet(data / "renamed.parquet", index=False)
    path = write(
        'path = "data/users.parquet"',
        'path = "data/renamed.parquet"\ncolumns = { gender = "sex", user_id = "uid" }',
    )
    assert eh.plan.run(path).findings == eh.plan.run(write()).findings


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('toward = "M"', 'towards = "M"', "audits.1.towards is not a known key (did you mean 'toward'?)"),
        ('"people:gender"', '"gender"', "'gender' must be an input and its column with a colon between"),
        ('"people:gender"', '"peopl:gender"', "audit 1 (association): attribute names the input 'peopl'"),
        (
            '[["drama", "sport"]]',
            '[["drama"]]',
            "pairs is [['drama']], but must be a list of pairs, each the names of two",
        ),
        (
            "level = 0.9",
            "level = 2.0",
            "audits.1.level is 2.0, but must be a finite number from 0.5 to 0.9999",
        ),
        (
            'method = "centroid"',
            'method = "lda"',
            "audits.1.method is 'lda', but must be one of centroid, svc,",
        ),
        ('audit = "association"', 'audit = "associations"', "did you mean 'association'?"),
        ('attribute = "people:gender"\n', "", "audits.1.attribute is missing"),
    ],
)
def test_mistakes_in_the_step(write, old, new, says):
    with pytest.raises(InputError) as error:
        load(write(old, new))
    assert says in str(error.value)
    assert str(error.value).count("\n") == 0


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("data/users.npy", "data/nobody.npy", "nobody.npy."),
        ('items = "data/items.npy"\n', "", "groups are of items, so give the vectors of items"),
        ('"people:gender"', '"people:sex"', "people: there is no column 'sex'"),
        ('"things:genre"', '"people:gender"', "people: there is no column 'item_id'"),
    ],
)
def test_what_is_wrong_is_said_before_any_audit_runs(write, old, new, says, monkeypatch):
    monkeypatch.setattr("evenhand.association.audit", lambda *_, **__: pytest.fail("an audit ran"))
    path = write(old, new)
    text = path.read_text()
    step = text[text.index("[[audits]]") :]
    path.write_text(PLAN + step)  # a good step, then the changed one
    with pytest.raises(InputError, match=r"audit 2 (of 2 )?\(association\): ") as error:
        eh.plan.run(path)
    assert says in str(error.value)


def test_what_vectors_give_away_and_what_is_taken_out(folder, data, world, tmp_path):
    ids = world.users["user_id"].to_numpy(), world.items["item_id"].to_numpy()
    for side, vectors, mine in (
        ("user", world.user_embeddings, ids[0]),
        ("item", world.item_embeddings, ids[1]),
    ):
        np.savez(data / f"{side}s.npz", vectors=vectors, ids=mine.astype(str))
    path = folder / "more.toml"
    shared = 'users = "data/users.npz"\nitems = "data/items.npz"\nattribute = "people:gender"\n'
    path.write_text(
        PLAN[: PLAN.index("[[audits]]")]
        + '[inputs.taken]\npath = "data/default.parquet"\n'
        + f'[[audits]]\naudit = "association_leakage"\n{shared}interactions = "taken"\n'
        + 'trainings = ["balanced"]\npermutations = 20\n'
        + f'[[audits]]\naudit = "mitigate_embeddings"\n{shared}method = "projection"\n'
        + f'[[audits]]\naudit = "mitigate_embeddings"\n{shared}held_out = 0.4\n'
    )
    result = eh.plan.run(path, tmp_path / "out")
    assert {finding.audit for finding in result.findings} == {"association_leakage", "mitigate_embeddings"}
    made = [eh.recommenders.load(tmp_path / "out" / f"model-{number}") for number in (2, 3)]
    assert [len(model.user_ids) for model in made] == [len(world.users)] * 2
    given = data / "items.npz", data / "users.npz", (data / "users.parquet", "gender")
    done = eh.mitigate.erase(*given, held_out=0.4, rng=3)
    np.testing.assert_allclose(made[1].embeddings.items, done.items, rtol=1e-5, atol=1e-6)


def test_the_demo_says_what_was_planted_and_found(world, folder):
    assert 'audit = "association"' in DEMO
    head = (
        PLAN[: PLAN.index("[[audits]]")].replace("inputs.people", "inputs.users").replace("things", "items")
    )
    step = DEMO[DEMO.index('[[audits]]\naudit = "association"') :]
    (folder / "audit.toml").write_text(head + step, encoding="utf-8")
    found = eh.plan.run(folder / "audit.toml")
    lines = list(association_found(world.truth.association, found))
    cosine = np.dot(found.find("direction").details["vector"], world.truth.association.direction)
    assert cosine > 0.95
    assert lines[0].startswith(
        f"Direction of gender in the embeddings: found at a cosine of {cosine:.3f} with"
    )
    best = max(world.truth.association.mean_eaa, key=world.truth.association.mean_eaa.get)
    assert lines[1].startswith(f"Association of {best} with gender (GEAA): planted ")
    for genre, planted in world.truth.association.mean_eaa.items():
        assert found.find("geaa", group=genre).estimate == pytest.approx(planted, abs=1e-12)
