"""Stages, boosts, parity and precision as steps of a plan: the same as the calls."""

from __future__ import annotations

import pandas as pd
import pytest

import evenhand as eh
from evenhand.errors import InputError

PLAN = """
[inputs.control]
path = "data/control.parquet"
[inputs.treatment]
path = "data/treatment.parquet"
[inputs.random]
path = "data/random.parquet"
[inputs.catalogue]
path = "catalogue.parquet"
[[audits]]
"""
STEPS = {
    "stages": 'random = "random"\nstages = { recall = "treatment", ranking = "control" }\nlabel = "liked"',
    "boost": 'default = "control"\nrandom = "random"\nlabel = "liked"\nweights = { 18-24 = 1.25 }',
    "parity": 'default = "control"\ncatalogue = "catalogue"\nrequests = 100.0',
    "user_precision": 'default = "control"\nlabel = "liked"',
}
CALLS = {
    "stages": lambda t, asked: eh.opportunity.stages(
        {"random": t["random"], "recall": t["treatment"], "ranking": t["control"]}, "liked", **asked
    ),
    "boost": lambda t, asked: eh.opportunity.boost(
        t["control"], t["random"], "liked", weights={"18-24": 1.25}, **asked
    ),
    "parity": lambda t, asked: eh.opportunity.parity(t["control"], t["catalogue"], requests=100, **asked),
    "user_precision": lambda t, asked: eh.opportunity.user_precision(t["control"], "liked", **asked),
}


@pytest.fixture
def tables(folder, world):
    ages = sorted(world.default_log["creator_age"].unique())
    pd.DataFrame({"creator_age": ages * 20}).to_parquet(folder / "catalogue.parquet")
    data = {name: folder / "data" / f"{name}.parquet" for name in ("control", "treatment", "random")}
    return data | {"catalogue": folder / "catalogue.parquet"}


def write(folder, audit, step):
    keys = 'group = "creator_age"\ncluster = "user_id"'
    path = folder / "audit.toml"
    path.write_text(f'{PLAN}audit = "{audit}"\n{step}\n{keys}\n')
    return path


@pytest.mark.parametrize("audit", STEPS)
def test_the_step_is_the_call(folder, tables, audit):
    result = eh.plan.run(write(folder, audit, STEPS[audit]), folder / "out")
    called = CALLS[audit](tables, {"group": "creator_age", "cluster": "user_id"})
    assert result.findings == called.findings
    assert (folder / "out" / "report.html").exists()


ROWS = """group = ["creator_age", "item"]
cluster = "user_id"
bins = { item = [20, 40] }
where = { shared = 0, creator_age = ["18-24", "25-34"] }
"""
ASKED = {
    "group": ["creator_age", "item"],
    "cluster": "user_id",
    "bins": {"item": [20, 40]},
    "where": {"shared": 0, "creator_age": ["18-24", "25-34"]},
}
LOGS = 'default = "control"\nrandom = "random"\nlabel = "liked"'
MORE = {
    "opportunity": (LOGS, lambda t: eh.opportunity.audit(t["control"], t["random"], "liked", **ASKED)),
    "compare": (
        'arms = { control = "control", treatment = "treatment" }\nrandom = "random"\nlabel = "liked"',
        lambda t: eh.opportunity.compare(
            {"control": t["control"], "treatment": t["treatment"]}, t["random"], "liked", **ASKED
        ),
    ),
    "experiments": (
        f'{LOGS}\ncolumns = ["half"]',
        lambda t: eh.opportunity.experiments(t["control"], t["random"], ["half"], "liked", **ASKED),
    ),
}


@pytest.fixture
def numbered(folder, tables):
    """The tables with items as numbers, and a column of arms."""
    (folder / "numbered").mkdir()
    for name in ("control", "treatment", "random", "catalogue"):
        log = pd.read_parquet(tables[name])
        items = log["item_id"].str[1:].astype(int) if "item_id" in log else pd.Series(range(len(log)))
        half = log["user_id"].str[1:].astype(int) % 2 if "user_id" in log else 0
        log.assign(item=items, half=half).to_parquet(folder / "numbered" / f"{name}.parquet")
    return {name: folder / "numbered" / f"{name}.parquet" for name in tables}


@pytest.mark.parametrize("audit", [*STEPS, *MORE])
def test_the_step_is_the_call_with_groups_bands_and_rows(folder, numbered, audit):
    step = MORE[audit][0] if audit in MORE else STEPS[audit].replace("18-24 =", '"18-24, under 20" =')
    path = folder / "audit.toml"
    plan = PLAN.replace('"data/', '"numbered/').replace('"catalogue.', '"numbered/catalogue.')
    path.write_text(f'{plan}audit = "{audit}"\n{step}\n{ROWS}')
    found = eh.plan.run(path).findings
    if audit == "boost":
        logs = numbered["control"], numbered["random"]
        called = eh.opportunity.boost(*logs, "liked", weights={"18-24, under 20": 1.25}, **ASKED)
    else:
        called = MORE[audit][1](numbered) if audit in MORE else CALLS[audit](numbered, ASKED)
    assert found == called.findings
    assert all(finding.subject["where"] == "shared = 0, creator_age = 18-24 or 25-34" for finding in found)


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ('where = "shared"', "where is 'shared', but must be a table of columns and their values"),
        ("where = { shared = 1.5 }", "where of 'shared' is 1.5, but must be text"),
        ('where = { shared = "no" }', "control: where of 'shared' is 'no', but the column holds numbers"),
        ("where = { liked = 1 }", "where chooses rows by 'liked', which is the label"),
        ("where = { color = 1 }", "control: there is no column 'color'"),
        ("where = { shared = 7 }", "where: no row has shared = 7"),
        ("bins = { creator_age = [3] }", "column 'creator_age' is of type string, but bins are for numbers"),
        ("bins = { creator_age = 3 }", "bins of 'creator_age' are 3, but must be edges"),
    ],
)
def test_rows_and_bands_that_are_refused(folder, tables, keys, said):
    path = write(folder, "opportunity", f"{LOGS}\n{keys}")
    with pytest.raises(InputError) as error:
        eh.plan.run(path, folder / "out")
    assert said in str(error.value)


def test_two_clusters(folder, tables):
    path = write(folder, "stages", STEPS["stages"])
    path.write_text(path.read_text().replace('"user_id"', '["user_id", "item_id"]'))
    result = eh.plan.run(path, folder / "out")
    called = CALLS["stages"](tables, {"group": "creator_age", "cluster": ("user_id", "item_id")})
    assert result.findings == called.findings


@pytest.mark.parametrize(
    ("audit", "step", "said"),
    [
        ("boost", STEPS["boost"].replace("{ 18-24 = 1.25 }", '"best"'), "weights"),
        ("boost", STEPS["boost"].replace("1.25", "-1.25"), "weights is {'18-24': -1.25}, but must be"),
        ("stages", STEPS["stages"].replace(', ranking = "control"', ""), "stages"),
        (
            "stages",
            STEPS["stages"].replace('"treatment"', '"nothing"'),
            "stages.recall names the input 'nothing'",
        ),
        ("parity", STEPS["parity"].replace("100.0", "-1.0"), "requests"),
        ("user_precision", STEPS["user_precision"].replace("liked", "likes"), "no column 'likes'"),
    ],
)
def test_what_cannot_be_is_refused(folder, tables, audit, step, said):
    with pytest.raises(InputError, match=said):
        eh.plan.run(write(folder, audit, step), folder / "out")


def test_weights_in_a_word(folder, tables):
    step = STEPS["boost"].replace("{ 18-24 = 1.25 }", '"foo"')
    with pytest.raises(InputError, match=r"weights is 'foo', but must be .search. or a table of groups"):
        eh.plan.run(write(folder, "boost", step), folder / "out")


def test_probabilities_come_with_the_random_log(folder, world, tables):
    frame = pd.read_parquet(tables["random"]).assign(p=0.5)
    frame.to_parquet(folder / "weighted.parquet")
    plan = folder / "audit.toml"
    plan.write_text(
        f'{PLAN.replace("data/random", "weighted")}audit = "opportunity"\ndefault = "control"\n'
        'random = "random"\nlabel = "liked"\ngroup = "creator_age"\nprobability = "p"\n'
    )
    found = eh.plan.run(plan).find("reo_penalty")
    assert found.details["effective_random_rows"] == pytest.approx(len(frame))
    plan.write_text(plan.read_text().replace('"p"', '"q"'))
    with pytest.raises(InputError, match="random: there is no column 'q'"):
        eh.plan.run(plan)


COMPARED = """audit = "compare"
arms = { control = "control", treatment = "treatment" }
random = "random"
label = "liked"
group = "creator_age"
cluster = "user_id"
"""
PHASES = """split_by = "phase"
[audits.split.ramp]
control = 0.9
treatment = 0.1
[audits.split]
full = "equal"
"""


def test_a_split_for_each_phase_in_the_order_of_the_plan(folder, tables):
    """In the order of the alphabet, users of both phases would count in the second."""
    for name in ("control", "treatment"):
        log = pd.read_parquet(tables[name])
        phase = ["full" if row % 3 == 0 else "ramp" for row in range(len(log))]
        log.assign(phase=phase).to_parquet(tables[name], index=False)
    path = folder / "audit.toml"
    path.write_text(PLAN + COMPARED + PHASES)
    result = eh.plan.run(path, folder / "out")
    called = eh.opportunity.compare(
        {name: tables[name] for name in ("control", "treatment")},
        tables["random"],
        "liked",
        "creator_age",
        "user_id",
        split={"ramp": {"control": 0.9, "treatment": 0.1}, "full": "equal"},
        split_by="phase",
    )
    assert result.findings == called.findings
    ratio = [f for f in result.findings if f.measure == "sample_ratio"]
    assert ratio[1].subject["phase"] == "ramp"
    assert ratio[1].n.count > 0.9 * ratio[0].n.count


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ('split = "half"', "split is 'half', but must be 'equal', 'any', the share of every arm, or"),
        ('split = { ramp = { control = "x" } }', "split is {'ramp': {'control': 'x'}}, but must be"),
        ('split = { full = "equal" }', "split is given for each of full, but split_by does not say"),
    ],
)
def test_splits_that_are_refused_before_anything_runs(folder, tables, keys, said):
    path = folder / "audit.toml"
    path.write_text(f"{PLAN}{COMPARED}{keys}\n")
    with pytest.raises(InputError, match=said):
        eh.plan.run(path, folder / "out")
