"""The envy audit as a step of a plan, and in the demo."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

import evenhand as eh
from evenhand.errors import InputError
from evenhand.plan import load
from evenhand.plan.demo import PLAN as DEMO

PLAN = """
seed = 3

[inputs.likes]
path = "data/preferences.parquet"

[inputs.shown]
path = "data/policies.parquet"

[inputs.people]
path = "data/users.parquet"

[[audits]]
audit = "envy"
preferences = "likes"
policies = "shown"
users = "people"
group = ["gender", "age_band"]
epsilon = 0.02
gamma = 0.05
tolerance = 0.2
top = 3
level = 0.9
"""


@pytest.fixture
def envy_plan(folder):
    """`envy_plan("top = 3", "top = 0")`: the plan with that changed, as a file."""

    def write(old="", new=""):
        assert old in PLAN
        (folder / "audit.toml").write_text(PLAN.replace(old, new, 1), encoding="utf-8")
        return folder / "audit.toml"

    return write


def test_the_step_is_the_call(envy_plan, data, tmp_path):
    result = eh.plan.run(envy_plan(), tmp_path / "out")
    done = eh.envy.audit(
        data / "preferences.parquet", data / "policies.parquet", groups=data / "users.parquet",
        group=["gender", "age_band"], epsilon=0.02, gamma=0.05, tolerance=0.2, top=3, level=0.9, rng=3,
    )  # fmt: skip
    assert result.findings == done.findings
    # By the names of the plan, which may call one table "users" that is none of this audit.
    names = {"preferences": "likes", "policies": "shown", "users": "people"}
    assert result.inputs == {names[role]: found for role, found in done.inputs.items()}
    assert (tmp_path / "out" / "report.html").exists()


def test_a_sample_draws_by_the_seed_of_the_plan(envy_plan, data):
    path = envy_plan('users = "people"\ngroup = ["gender", "age_band"]', "sample = [50, 20]")
    tables = data / "preferences.parquet", data / "policies.parquet"
    given = {"epsilon": 0.02, "gamma": 0.05, "tolerance": 0.2, "level": 0.9}
    assert eh.plan.run(path).findings == eh.envy.audit(*tables, sample=(50, 20), rng=3, **given).findings
    assert eh.plan.run(path, seed=4).findings != eh.plan.run(path).findings


def test_planted_envy_is_found_exactly(envy_plan, world):
    """The tables have single precision, and the shares do not hang on it."""
    truth = world.truth.envy
    path = envy_plan("epsilon = 0.02", f"epsilon = {truth.epsilon}")
    found = eh.plan.run(path)
    assert found.find("envious_users", gamma=0).estimate == truth.share
    assert found.find("average_envy").estimate == pytest.approx(truth.average, rel=1e-5)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (
            "epsilon = 0.02",
            "epsilon = -1.0",
            "audits.1.epsilon is -1.0, but must be a finite number of at least 0",
        ),
        ("top = 3", "tops = 3", "audits.1.tops is not a known key (did you mean 'top'?)"),
        ('policies = "shown"', 'policies = "show"', "audit 1 (envy): policies names the input 'show'"),
        ("top = 3", "sample = [5]", "audits.1.sample is [5], but must be two whole numbers: users, from 2"),
    ],
)
def test_mistakes_in_the_step(envy_plan, old, new, says):
    with pytest.raises(InputError) as error:
        load(envy_plan(old, new))
    assert says in str(error.value)
    assert str(error.value).count("\n") == 0


def test_a_wrong_audit_is_told_that_there_is_envy(envy_plan):
    with pytest.raises(InputError, match=r"there is no audit 'envi' \(did you mean 'envy'\?\)\.$"):
        load(envy_plan('audit = "envy"', 'audit = "envi"'))


def test_a_model_is_found_from_the_folder_of_the_plan(folder):
    path = folder / "audit.toml"
    path.write_text(
        'inputs = {}\n[[audits]]\naudit = "envy"\nmodel = "trained"\ninverse_temperature = 2.0\n',
        encoding="utf-8",
    )
    with pytest.raises(InputError, match=r"project/trained is not the folder of a trained model"):
        eh.plan.run(path)


def test_the_demo_says_what_envy_was_planted_and_found(world, envy_plan):
    from evenhand.plan.demo import planted_and_found

    assert 'audit = "envy"' in DEMO
    result = eh.plan.run(envy_plan("epsilon = 0.02", f"epsilon = {world.truth.envy.epsilon}"))
    # The other lines are about findings that this plan does not make.
    other = SimpleNamespace(estimate=0.0, interval=SimpleNamespace(low=0, high=0), details={"halves": []})
    find = lambda name, **subject: result.find(name, **subject) if name == "envious_users" else other  # noqa: E731
    lines = planted_and_found(world, SimpleNamespace(find=find))
    line = next(line for line in lines if line.startswith("Envious users: "))
    assert line.startswith("Envious users: planted 10.0% who are served by the taste of somebody else")
    assert f"found {world.truth.envy.share:.1%}" in line
